"""The panel: one drawing of one model, whole in itself. From the report alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.errors import CfgexplainError
from cfgexplain.lang import catalogue
from cfgexplain.render import svg_ffn, svg_heads, svg_notes, svg_strip
from cfgexplain.render.diagram import Ffn, Mixing, describe
from cfgexplain.render.svg_geometry import NARROW, WIDE
from cfgexplain.render.svg_look import sheet
from cfgexplain.render.svg_paper import Paper, broken, esc, fit
from cfgexplain.render.svg_stream import Column
from cfgexplain.render.svg_words import Words
from cfgexplain.render.text_facts import fact_rows
from cfgexplain.render.text_layout import Ink

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style
    from cfgexplain.render.svg_geometry import Anchor, Geo
    from cfgexplain.report import Report


def render(reports: Iterable[Report], style: Style) -> Iterator[str]:
    """One panel as a document of its own.

    Raises:
        CfgexplainError: there is more than one target, which one drawing cannot hold; or the command is ``check``.
    """
    if style.checking:
        raise CfgexplainError("usage", "check has no --format svg", "Use `cfgexplain TARGET --format svg`.")
    kept: list[Report] = []
    for r in reports:
        kept.append(r)
        if len(kept) > 1:
            raise CfgexplainError(
                "usage", "--format svg draws one model", "Name one target, or use --format html for several."
            )
    for r in kept:
        yield (panel(r, catalogue(style.lang), lang=style.lang) if r["error"] is None else failure(r, style)) + "\n"


def failure(r: Report, style: Style) -> str:
    """What stands in the place of a panel where there is nothing to draw."""
    e = r["error"]
    p = Paper()
    y = 30.0
    for text in (r["target"]["input"], e["message"] if e else "", e["hint"] if e else ""):
        for line in broken(text, NARROW.width - 32, 13):
            p.text(16, y, fit(line, NARROW.width - 32, 13), "" if y > 30 else "b", "start", line)
            y += 20
    back = f'<style>{sheet()}</style><rect width="{NARROW.width}" height="{y:.0f}" class="paper"/>'
    return _wrapped(p, NARROW, y, r["target"]["input"], e["message"] if e else "", back, style.lang)


def panel(
    report: Report,
    t: Catalogue,
    *,
    narrow: bool = False,
    ident: str = "cx",
    marks: Iterable[str] = (),
    alone: bool = True,
    lang: str = "en",
) -> str:
    """The drawing. ``alone``: with its style sheet, its title and its charts; a page has those itself.

    Args:
        report: of a model that could be read.
        t: texts.
        narrow: in one column, for telephones and for two side by side.
        ident: prefix of its ids.
        marks: aspects in which it differs from another model.
        alone: not inside a page.
        lang: language of the texts.

    Raises:
        ValueError: the report is an error.
    """
    d = describe(report)
    words = Words(report, t)
    if d is None:
        raise ValueError("a report of an error has no panel")
    geo = NARROW if narrow else WIDE
    p = Paper(ident, marks)
    y = _heading(p, words, geo) if alone else 8.0
    found = list(svg_notes.notes(words))
    if narrow:
        y = svg_notes.grid(p, found, *_at(geo.notes, y)) + 4
    column = Column(p, d, words, geo)
    bottom = column.run(y)
    if narrow:
        for sub, _ in _different(column.subs):
            bottom += 16 + _open(p, geo.side[0], bottom + 16, geo.side[1] - geo.side[0], sub, words)
    else:
        left = svg_notes.beside(p, found, *_at(geo.notes, y), column.anchors)
        bottom = max(bottom, left, _side(p, column, y, bottom))
    if alone:
        bottom = _charts(p, words, geo, bottom + 24)
    return _document(p, words, geo, bottom + 20, alone, lang)


def chart(report: Report, t: Catalogue, *, narrow: bool = False, ident: str = "cx", lang: str = "en") -> str:
    """The layers as a strip, for a page."""
    words, geo = Words(report, t), NARROW if narrow else WIDE
    p = Paper(ident)
    used = svg_strip.layers(p, geo.notes[0], 4, geo.width - 2 * geo.notes[0], words)
    what = words.layer_mix() or words.n(words.model["num_layers"])
    return _wrapped(p, geo, used + 8, words.say("chart.layers"), what, "", lang)


def _at(span: tuple[int, int], y: float) -> tuple[float, float, float]:
    return span[0], y, span[1] - span[0]


def _heading(p: Paper, w: Words, geo: Geo) -> float:
    room = geo.width - 2 * geo.notes[0]
    y = 40.0
    p.text(geo.notes[0], y, fit(w.title, room, 25), "h1", "start", w.title)
    for line in broken(fit(w.subtitle(), room * (2 if geo.narrow else 1), 13), room, 13):
        y += 20
        p.text(geo.notes[0], y, line, "soft", "start")
    return y + 22


def _different(subs: list[tuple[Mixing | Ffn, Anchor]]) -> list[tuple[Mixing | Ffn, Anchor]]:
    """Each kind of sub-layer once, where it first stands."""
    seen: dict[tuple[object, ...], tuple[Mixing | Ffn, Anchor]] = {}
    for sub, at in subs:
        key = (
            sub[:5] if isinstance(sub, Ffn) else (sub.kind, *([w for w, _ in sub.words] if sub.kind == "mixer" else ()))
        )
        if isinstance(sub, Mixing) and key in seen:
            # All layer kinds of all blocks belong to the one picture of attention.
            first = seen[key][0]
            if isinstance(first, Mixing):
                counts = dict(first.words)
                for word, n in sub.words:
                    counts[word] = counts.get(word, 0) + n
                seen[key] = (first._replace(words=tuple(counts.items())), seen[key][1])
        seen.setdefault(key, (sub, at))
    return list(seen.values())


def _open(p: Paper, x: float, y: float, w: float, sub: Mixing | Ffn, words: Words) -> float:
    return svg_ffn.opened(p, x, y, w, sub, words) if isinstance(sub, Ffn) else svg_heads.opened(p, x, y, w, sub, words)


def _side(p: Paper, column: Column, y: float, end: float) -> float:
    """The sub-layers opened up, each beside its box and joined to it by a dotted line. Returns where they end."""
    x0, x1 = column.geo.side
    found = _different(column.subs)
    trial = Paper()
    total = sum(_open(trial, x0, 0, x1 - x0, sub, column.words) + 16 for sub, _ in found) - 16
    at = max(y, min(found[0][1].y - 120, end - total)) if found else y
    for k, (sub, anchor) in enumerate(found):
        top = at
        lane = column.geo.right + 12 + 7 * (k % 4)
        out: list[tuple[float, float]] = [(lane, anchor.y)]
        if anchor.over is not None:
            out = [(anchor.x + 6, anchor.y), (anchor.x + 6, anchor.over), (lane, anchor.over)]
        ends = [(anchor.x, anchor.y), *out, (lane, top + 22), (x0, top + 22)]
        if anchor.reach:
            p.wire(ends, cls="lead")
        at = top + _open(p, x0, top, x1 - x0, sub, column.words) + 16
    return at - 16


def _charts(p: Paper, w: Words, geo: Geo, y: float) -> float:
    """Layers and parameters, below everything."""
    x, wide = geo.notes[0], geo.width - 2 * geo.notes[0]
    for key, draw in (("layers", svg_strip.layers), ("params", svg_strip.parameters)):
        at = len(p.out)
        p.text(x, y + 14, w.say(f"chart.{key}"), "h", "start")
        used = draw(p, x, y + 28, wide, w)
        if used:
            y += 28 + used + 16
        else:
            del p.out[at:]
    return y


def _document(p: Paper, w: Words, geo: Geo, height: float, alone: bool, lang: str) -> str:
    """The elements between a title, a description in words, and the end."""
    facts = fact_rows(w.report, Ink(120, False, True), w.t)
    said = "; ".join(f"{w.t.text(f'text.fact.{key}')}: {value}" for key, value, _ in facts if value)
    top = f'<style>{sheet()}</style><rect width="{geo.width}" height="{height:.0f}" class="paper"/>' if alone else ""
    return _wrapped(p, geo, height, w.say("title", name=w.title), said, top, lang)


def _wrapped(p: Paper, geo: Geo, height: float, title: str, said: str, top: str, lang: str) -> str:
    i = p.ident
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {geo.width} {height:.0f}" width="{geo.width}" '
        f'height="{height:.0f}" class="cx" role="img" lang="{esc(lang)}" aria-labelledby="{i}-t {i}-d">'
        f'<title id="{i}-t">{esc(title)}</title><desc id="{i}-d">{esc(said)}</desc>{top}{"".join(p.out)}</svg>'
    )

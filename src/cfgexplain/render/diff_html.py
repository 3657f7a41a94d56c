"""A comparison as a page: what differs in words, and two panels side by side with what differs marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.lang import catalogue
from cfgexplain.render.diff import count_of, forms, grouped, key_value, of_aspect, rows
from cfgexplain.render.html import foot, head, title
from cfgexplain.render.html_parts import details, table
from cfgexplain.render.svg import panel
from cfgexplain.render.svg_notes import differing
from cfgexplain.render.svg_paper import esc
from cfgexplain.render.svg_words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.compare.report import DiffR, GroupR
    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style
    from cfgexplain.report import Report

#: Patterns listed for one group of tensors.
MOST: Final = 200


def render_pair(a: Report, b: Report, d: DiffR, style: Style) -> Iterator[str]:
    """The page. ``d`` is the comparison of the two reports, neither of which is an error."""
    t = catalogue(style.lang)
    names = title(a, t), title(b, t)
    yield head(" → ".join(names), style.lang)
    yield f"<main><h1>{esc(names[0])} → {esc(names[1])}</h1>"
    if d["same"]:
        yield f"<p class=ok>{esc(t.text('diff.same.paperwork' if d['config'] else 'diff.same'))}</p>"
    else:
        n = count_of(d)
        yield f"<p>{esc(t.text('diff.summary.one' if n == 1 else 'diff.summary.many').format(count=n))}</p>"
    if not d["related"]:
        yield f"<p>{esc(t.text('diff.unrelated'))}</p>"
    yield from _structure(d, t)
    yield f"<h2>{esc(t.text('html.side-by-side'))}</h2>"
    marks = {c["aspect"] for c in d["structure"]}
    if marks or d["params"]["total"]["change"]:
        yield f"<p class=soft>{esc(t.text('html.marked'))} <span class=hitmark>≠</span></p>"
    marks |= differing(Words(a, t), Words(b, t))
    yield "<div class=pair>"
    for r, name, side in ((a, names[0], "a"), (b, names[1], "b")):
        drawn = panel(r, t, narrow=True, ident=side, marks=marks, alone=False, lang=style.lang)
        yield (
            f"<section aria-label='{esc(name)}'><h3>{side.upper()}: {esc(name)}</h3>"
            f"<p class='soft small'>{esc(Words(r, t).subtitle())}</p><figure>{drawn}</figure></section>"
        )
    yield "</div>"
    yield from _config(d, t)
    yield from _tensors(d, t)
    if counts := rows(d, t):
        yield f"<h2>{esc(t.text('diff.heading.params'))}</h2>"
        yield table(("", "A", "B", t.text("diff.count.change")), counts, (1, 2, 3))
    yield "</main>" + foot(t)


def _structure(d: DiffR, t: Catalogue) -> Iterator[str]:
    if not d["structure"]:
        return
    yield f"<h2>{esc(t.text('diff.heading.structure'))}</h2>"
    head = (t.text("diff.column.what"), "A", "B", t.text("diff.column.meaning"))
    rows = [(c["title"], *(of_aspect(c["aspect"], x, t) for x in (c["a"], c["b"])), c["text"]) for c in d["structure"]]
    yield table(head, rows)


def _config(d: DiffR, t: Catalogue) -> Iterator[str]:
    if not d["config"] or not d["related"]:
        return
    told = {c["aspect"] for c in d["structure"]}
    lines = [
        (
            k["key"],
            key_value(k["a"], k["a_source"], t),
            key_value(k["b"], k["b_source"], t),
            "" if k["aspect"] in told else k["text"],
        )
        for k in d["config"]
    ]
    yield f"<h2>{esc(t.text('diff.heading.config'))}</h2>"
    yield table((t.text("diff.column.what"), "A", "B", t.text("diff.column.meaning")), lines)


def _tensors(d: DiffR, t: Catalogue) -> Iterator[str]:
    if not d["related"]:
        return
    if d["tensors"] is None:
        yield f"<p class=soft>{esc(t.text('diff.no-tensors'))}</p>"
        return
    found = grouped(d)
    if not (found or d["tensors"]["regrouped"] or d["tensors"]["renamed"]):
        return
    yield f"<h2>{esc(t.text('diff.heading.tensors'))}</h2>"
    for kind, groups in found:
        for g in groups:
            yield _group(g, f"{g['count']:,} {t.text(f'diff.{kind}')}  {forms(g, t)}")
    for r in d["tensors"]["regrouped"]:
        both = t.text("diff.arrow").format(a=r["a_form"], b=r["b_form"])
        names = _list(r["b_tensors"])
        yield details(f"{t.text('diff.regrouped')}  {r['group']}: {both}", f"<p>{esc(r['text'])}</p>{names}")
    if d["tensors"]["renamed"]:
        yield f"<p class=soft>{esc(t.text('diff.renamed').format(count=d['tensors']['renamed']))}</p>"


def _group(g: GroupR, summary: str) -> str:
    return details(summary, f"<p>{esc(g['text'])}</p>{_list(g['tensors'])}", True)


def _list(names: list[str]) -> str:
    more = "<li>…</li>" if len(names) > MOST else ""
    return "<ul>" + "".join(f"<li><code>{esc(n)}</code></li>" for n in names[:MOST]) + f"{more}</ul>"

"""What a model is, and why, as Markdown: the parts of the text report as tables, its drawing as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.lang import catalogue
from cfgexplain.render.markdown import plain
from cfgexplain.render.text_layout import Ink
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style
    from cfgexplain.report import ExplanationR, Report

#: Columns of what is shown as it stands: the same wherever it is made.
WIDTH: Final = 100


def model(r: Report, style: Style) -> Iterator[str]:
    """One model that could be read, under a heading of its own."""
    t = catalogue(style.lang)
    yield f"\n#### {plain(r['target']['input'])}\n"
    if not style.keys:
        ink = Ink(WIDTH, False, True)
        yield from _facts(r, ink, t)
        if style.verbose >= 0:
            yield from _drawing(r, ink, t)
        yield from _roles(r, t)
        yield from _memory(r, ink, t)
    found = r["explanations"] or []
    if found and style.verbose >= 0:
        if not style.keys:
            yield from _heading("explanations", t)
        for e in found:
            yield from _explanation(e)


def _heading(key: str, t: Catalogue) -> Iterator[str]:
    yield f"\n##### {plain(t.text(f'text.heading.{key}'))}\n"


def _facts(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    from cfgexplain.render.text_facts import fact_rows, header

    lines = list(header(r, ink, t))
    if lines[1:]:
        yield f"\n{plain(' '.join(lines[1:]))}\n"
    rows = [(t.text(f"text.fact.{key}"), value, note) for key, value, note in fact_rows(r, ink, t) if value]
    yield from _table(_columns(("fact", "value", "origin"), t), rows)


def _drawing(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    from cfgexplain.render.diagram import describe, worth_drawing
    from cfgexplain.render.text_diagram import Drawing
    from cfgexplain.render.text_matrices import legend

    d = describe(r) if worth_drawing(r) else None
    if d is not None:
        yield from _heading("drawing", t)
        yield f"\n{plain(' '.join(x.strip() for x in legend(r, ink, t)))}\n"
        yield from _as_it_stands(Drawing(r, ink, t).whole(d))


def _roles(r: Report, t: Catalogue) -> Iterator[str]:
    """Parameters by role, largest first, each with its share of the total."""
    from cfgexplain.render.text_facts import APART, apart, role_label

    params = r["params"]
    roles = sorted((params["by_role"] or {}).items(), key=lambda x: -x[1]) if params else []
    roles = [(role, count) for role, count in roles if count]
    if not params or not roles:
        return
    total = params["total"]
    shares = ["*" if role in APART else f"{count / total:.1%}" if total else "" for role, count in roles]
    yield from _heading("params", t)
    yield from _table(
        _columns(("part", "params", "share"), t),
        [(role_label(role, t), f"{n:,}", share) for (role, n), share in zip(roles, shares, strict=True)],
        numbers=True,
    )
    for text in apart((role for role, _ in roles), t):
        yield f"\n{plain('* ' + text)}\n"


def _memory(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    if r["quantization"] is None and r["memory"] is None:
        return
    from cfgexplain.render.text_memory import CARDS, need, quantization, share

    if r["quantization"] is not None:
        yield from _heading("quantization", t)
        yield from _as_it_stands(quantization(r, ink, t, False))
    found = need(r, t)
    if found is None:
        return
    yield from _heading("memory", t)
    yield from _table(_columns(("fact", "value", "how"), t), found.rows)
    if found.cards:
        yield f"\n{plain(found.legend)}\n"
        cells = [(label, *(share(n, size) for size in CARDS)) for label, n in found.cards]
        yield from _table((t.text("text.memory.row.card"), *map(str, CARDS)), cells, numbers=True)


def _columns(names: Iterable[str], t: Catalogue) -> tuple[str, ...]:
    return tuple(t.text(f"markdown.column.{n}") for n in names)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = False) -> Iterator[str]:
    """A table without those columns that no row has anything in; ``numbers``: all but the first to the right."""
    kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
    if not kept:
        return
    yield "\n| " + " | ".join(plain(head[k]) for k in kept) + " |\n"
    yield "| " + " | ".join("---:" if numbers and k else "---" for k in kept) + " |\n"
    for row in rows:
        yield "| " + " | ".join(plain(row[k].replace("\n", " ").replace("\u00a0", " ")) for k in kept) + " |\n"


def _as_it_stands(lines: Iterable[str]) -> Iterator[str]:
    """Lines that keep their spaces. Indented by four they are shown as they are, whatever is in them."""
    yield "\n" + "".join(f"    {clean(line.replace(chr(0xA0), ' ')).rstrip()}\n" for line in lines)


def _explanation(e: ExplanationR) -> Iterator[str]:
    yield f"\n**{plain(e['title'])}**\n"
    if e["formula"]:
        yield from _as_it_stands(e["formula"].split("\n"))
    for paragraph in e["text"].split("\n"):
        if paragraph.strip():
            yield f"\n{plain(paragraph.strip())}\n"
    if e["references"]:
        yield "\n" + "".join(f"- {plain(line)}\n" for line in e["references"])

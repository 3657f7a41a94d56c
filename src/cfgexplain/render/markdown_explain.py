"""What a model is, and why, as Markdown: the facts of the text report, its parameters, its explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.lang import catalogue
from cfgexplain.render.markdown import plain
from cfgexplain.render.text_layout import Ink
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style
    from cfgexplain.report import ExplanationR, Report


def model(r: Report, style: Style) -> Iterator[str]:
    """One model that could be read, under a heading of its own."""
    t = catalogue(style.lang)
    yield f"\n#### {plain(r['target']['input'])}\n"
    if not style.keys:
        yield from _facts(r, style, t)
        yield from _roles(r, t)
    found = r["explanations"] or []
    if found and style.verbose >= 0:
        if not style.keys:
            yield f"\n##### {plain(t.text('text.heading.explanations'))}\n"
        for e in found:
            yield from _explanation(e)


def _facts(r: Report, style: Style, t: Catalogue) -> Iterator[str]:
    from cfgexplain.render.text_facts import fact_rows, header

    ink = Ink.of(style._replace(color=False, unicode=True))
    lines = list(header(r, ink, t))
    if lines[1:]:
        yield f"\n{plain(' '.join(lines[1:]).replace(chr(0xA0), ' '))}\n"
    rows = [(t.text(f"text.fact.{key}"), value, note) for key, value, note in fact_rows(r, ink, t) if value]
    yield from _table(rows)


def _roles(r: Report, t: Catalogue) -> Iterator[str]:
    """Parameters by role, largest first."""
    params = r["params"]
    roles = sorted((params["by_role"] or {}).items(), key=lambda x: -x[1]) if params else []
    if roles:
        yield f"\n##### {plain(t.text('text.heading.params'))}\n"
        yield from _table([(role, f"{count:,}", "") for role, count in roles if count])


def _table(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    """A table whose first column names what a row tells; Markdown has none without a first row of its own."""
    if rows:
        yield "\n|  |  |  |\n| --- | --- | --- |\n"
    for row in rows:
        yield "| " + " | ".join(plain(x.replace("\n", " ")) for x in row) + " |\n"


def _explanation(e: ExplanationR) -> Iterator[str]:
    yield f"\n**{plain(e['title'])}**\n"
    if e["formula"]:
        # Indented by four it is shown as it stands, whatever is in it.
        yield "\n" + "".join(f"    {clean(line)}\n" for line in e["formula"].split("\n"))
    for paragraph in e["text"].split("\n"):
        if paragraph.strip():
            yield f"\n{plain(paragraph.strip())}\n"
    if e["references"]:
        yield "\n" + "".join(f"- {plain(line)}\n" for line in e["references"])

"""Markdown for a job summary or a comment: one table of findings, a line that sums up; unless checking, the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.lang import catalogue
from cfgexplain.render.text_findings import counted
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.places import Located, Place
    from cfgexplain.render import Style

#: Rows of the table; a comment holds 65,536 characters.
MOST_ROWS: Final = 200
#: What Markdown, or what a forge makes of plain text, would take for more than text.
_ENTITIES: Final = {c: f"&#{ord(c)};" for c in "\\`*[]<>|~&$\"'!"} | {"@": "&#64;<!-- -->", "#": "&#35;<!-- -->"}


def plain(text: str) -> str:
    """Any text as Markdown that shows just this text: no markup, no link, no mention, no new line."""
    text = clean(text)
    out: list[str] = []
    for k, c in enumerate(text):
        if c in _ENTITIES:
            out.append(_ENTITIES[c])
        elif c == "_":
            inner = 0 < k < len(text) - 1 and text[k - 1].isalnum() and text[k + 1].isalnum()
            out.append(c if inner else "&#95;")
        elif c == ":" and text.startswith("//", k + 1):
            out.append("&#58;")
        elif c == "." and text[:k].lower().endswith("www"):
            out.append("&#46;")
        else:
            out.append(c)
    return "".join(out)


def render(items: Iterable[Located], style: Style) -> Iterator[str]:
    """The table, report by report, then how many there are of each severity; then what each model is, and why.

    The last part is for ``explain``: ``check`` is about findings only.
    """
    t = catalogue(style.lang)
    models: list[str] = []
    counts = {"error": 0, "warning": 0, "note": 0}
    targets = unread = rows = 0
    yield "### cfgexplain\n\n"
    for item in items:
        targets += 1
        error = item.report["error"]
        if error is not None:
            unread += 1
            rows += 1
            word = t.text("markdown.unread")
            yield from _row(rows, word, error["kind"], item, item.where, (item.failure or "",), t)
        for f, place, _, _ in item.findings():
            counts[f["severity"]] += 1
            rows += 1
            word = t.text(f"text.severity.{f['severity']}")
            yield from _row(rows, word, f["name"], item, place, (f["message"], f["hint"]), t)
        if error is None and not style.checking:
            from cfgexplain.render.markdown_explain import model

            models.extend(model(item.report, style))
    if rows > MOST_ROWS:
        yield f"\n{t.text('markdown.more').format(count=rows - MOST_ROWS)}\n"
    said = counted(counts, t)
    if unread:
        said.append(t.text(f"markdown.unread.{'one' if unread == 1 else 'many'}").format(count=unread))
    key = f"markdown.{'summary' if said else 'clean'}.{'one' if targets == 1 else 'many'}"
    last = t.text(key).format(found=t.text("join.list").join(said), count=targets)
    yield f"{chr(10) if rows else ''}{plain(last)}\n"
    yield from models


def _row(
    k: int, severity: str, name: str, item: Located, place: Place, said: tuple[str, ...], t: Catalogue
) -> Iterator[str]:
    """``said``: what, and what to do, under each other."""
    if k > MOST_ROWS:
        return
    if k == 1:
        yield f"| {' | '.join(t.text(f'markdown.column.{c}') for c in ('severity', 'check', 'where', 'what'))} |\n"
        yield "| --- | --- | --- | --- |\n"
    what = "<br>→ ".join(plain(x) for x in said if x)
    where = f"{place.path}:{place.line}" if place.kind in ("relative", "absolute") else item.report["target"]["input"]
    yield f"| {severity} | {plain(name)} | {plain(where)} | {what} |\n"

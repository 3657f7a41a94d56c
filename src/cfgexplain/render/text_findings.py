"""Findings for people: what, why it matters, where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.text_layout import indented, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import FindingR

#: Gravest first.
SEVERITIES: Final = ("error", "warning", "note")
#: Patterns of tensor names shown for one finding without -v.
MOST: Final = 6


def findings(found: Iterable[FindingR], ink: Ink, t: Catalogue, verbose: bool) -> Iterator[str]:
    """Each finding in a few lines."""
    for f in found:
        word = ink.text(t.text(f"text.severity.{f['severity']}"))
        start = f"  {ink.paint(word, f['severity'])} {ink.paint(f['name'], 'key')}  "
        size = 2 + width_of(word) + 1 + len(f["name"]) + 2
        lines = wrap(ink.text(f["message"]), max(30, ink.width - 4))
        if size + width_of(lines[0]) <= ink.width and len(lines) == 1:
            yield start + lines[0]
        else:
            yield start.rstrip()
            yield from indented(lines, "    ")
        if f["hint"]:
            hint = wrap(ink.text(f["hint"]), max(30, ink.width - 6))
            yield from indented((ink.paint(x, "dim") for x in hint), ink.text("    → "))
        place = _place(f, ink, t)
        if place:
            yield "    " + ink.paint(place, "dim")
        # A pattern that the message has already is not said twice.
        rest = [n for n in f["tensors"] if n not in f["message"]]
        shown = rest if verbose else rest[:MOST]
        for name in shown:
            yield "      " + ink.name(name)
        if len(rest) > len(shown):
            yield "      " + ink.text(t.text("text.more-tensors").format(count=len(rest) - len(shown)))


def _place(f: FindingR, ink: Ink, t: Catalogue) -> str:
    if not f["file"]:
        return ""
    if f["pointer"]:
        return t.text("text.place.pointer").format(file=ink.name(f["file"]), pointer=ink.name(f["pointer"]))
    return t.text("text.place").format(file=ink.name(f["file"]))


def summary(found: list[FindingR], t: Catalogue) -> str:
    """``1 error, 2 warnings``, or that there is nothing."""
    counts = {s: sum(f["severity"] == s for f in found) for s in SEVERITIES}
    return t.text("join.list").join(counted(counts, t)) or t.text("text.check.clean")


def counted(counts: Mapping[str, int], t: Catalogue) -> list[str]:
    """``1 error``, ``2 warnings``: those severities that there are."""
    found = [(s, counts.get(s, 0)) for s in SEVERITIES]
    return [t.text(f"text.check.{'one' if n == 1 else 'many'}.{s}").format(count=n) for s, n in found if n]

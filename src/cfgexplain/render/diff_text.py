"""A comparison for people, in 80 columns."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from cfgexplain.compare.remarks import ASPECT as REMARKS
from cfgexplain.lang import catalogue
from cfgexplain.render.diff import count_of, forms, grouped, key_value, of_aspect, rows
from cfgexplain.render.remarks import phrase
from cfgexplain.render.text_layout import Ink, indented, pad, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.compare.report import AspectR, DiffR
    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style

#: Patterns shown for one group without -v.
MOST: Final = 4
#: Colour of a difference by what it does, and of what is on one side only.
COLOR: Final = {"loading": "error", "function": "warning", "usage": "note", "bookkeeping": "dim"}
SIGNS: Final = {
    "added": ("+", "good"),
    "removed": ("-", "error"),
    "reshaped": ("~", "warning"),
    "retyped": ("~", "note"),
}


def render(d: DiffR, style: Style) -> Iterator[str]:
    """The whole comparison: what it means first, then the keys, the tensors, the counts."""
    ink, t = Ink.of(style), catalogue(style.lang)
    for line in _lines(d, ink, t, style.verbose):
        yield line.replace("\u00a0", " ") + "\n"


def _lines(d: DiffR, ink: Ink, t: Catalogue, verbose: int) -> Iterator[str]:
    for side in ("a", "b"):
        name = ink.name(d[side]["input"])
        yield ink.text(t.text("diff.side")).format(side=side.upper(), target=ink.paint(name, "title"))
    if d["same"]:
        yield ink.paint(ink.text(t.text("diff.same.paperwork" if d["config"] else "diff.same")), "good")
    else:
        n = count_of(d)
        yield ink.text(t.text("diff.summary.one" if n == 1 else "diff.summary.many").format(count=n))
    if not d["related"]:
        yield from _text(t.text("diff.unrelated"), ink, 0)
    yield from _section("structure", _structure(d, ink, t), ink, t)
    yield from _section("config", _config(d, ink, t, verbose), ink, t)
    yield from _section("tensors", _tensors(d, ink, t, verbose), ink, t)
    yield from _section("params", _params(d, ink, t), ink, t)


def _section(key: str, lines: Iterable[str], ink: Ink, t: Catalogue) -> Iterator[str]:
    kept = list(lines)
    if kept:
        yield ""
        yield ink.paint(ink.text(t.text(f"diff.heading.{key}")), "head")
        yield from kept


def _text(s: str, ink: Ink, indent: int) -> Iterator[str]:
    yield from indented((ink.paint(x, "dim") for x in wrap(ink.text(s), max(30, ink.width - indent))), " " * indent)


def _pair(label: str, a: str, b: str, columns: int, ink: Ink, t: Catalogue) -> Iterator[str]:
    """``label  a → b``, wrapped behind the label where it is long."""
    start = "    " + pad(label, columns) + "  "
    both = ink.text(t.text("diff.arrow")).format(a=ink.text(a), b=ink.text(b))
    if width_of(start) + width_of(both) > ink.width:
        yield start.rstrip()
        yield from indented(wrap(both, max(30, ink.width - 8)), " " * 8)
    else:
        yield start + both


def _change(c: AspectR, columns: int, ink: Ink, t: Catalogue) -> Iterator[str]:
    """One aspect on both sides; of remarks a list for each side."""
    if c["aspect"] != REMARKS:
        a, b = (of_aspect(c["aspect"], x, t) for x in (c["a"], c["b"]))
        yield from _pair(ink.text(c["title"]), a, b, columns, ink, t)
        return
    yield "    " + ink.text(c["title"])
    for side, found in (("A", c["a"]), ("B", c["b"])):
        for name, x in found.items() if isinstance(found, dict) else ():
            lines = wrap(ink.text(phrase(name, x, t)), max(30, ink.width - 9))
            yield from (f"      {side if k == 0 else ' '}  {line}" for k, line in enumerate(lines))


def _structure(d: DiffR, ink: Ink, t: Catalogue) -> Iterator[str]:
    beside = (c["title"] for c in d["structure"] if c["aspect"] != REMARKS)
    columns = max((width_of(ink.text(x)) for x in beside), default=0)
    if not d["related"]:
        for c in sorted(d["structure"], key=lambda c: c["aspect"] != "model.family"):
            yield from _change(c, columns, ink, t)
        return
    for gravity, found in groupby(d["structure"], lambda c: c["gravity"]):
        yield "  " + ink.paint(ink.text(t.text(f"diff.gravity.{gravity}")), COLOR[gravity])
        for c in found:
            yield from _change(c, columns, ink, t)
            yield from _text(c["text"], ink, 6)


def _config(d: DiffR, ink: Ink, t: Catalogue, verbose: int) -> Iterator[str]:
    usual = d["config"] if d["related"] else []
    shown = d["config"] if verbose > 0 else [k for k in usual if k["gravity"] != "bookkeeping" or d["same"]]
    columns = min(32, max((width_of(ink.name(k["key"])) for k in shown), default=0))
    # What the structure has said is not said again.
    told = {c["aspect"] for c in d["structure"]}
    for text, found in groupby(shown, lambda k: "" if k["aspect"] in told else k["text"]):
        for k in found:
            a, b = key_value(k["a"], k["a_source"], t), key_value(k["b"], k["b_source"], t)
            yield from _pair(ink.name(k["key"]), a, b, columns, ink, t)
        if text:
            yield from _text(text, ink, 6)


def _tensors(d: DiffR, ink: Ink, t: Catalogue, verbose: int) -> Iterator[str]:
    if not d["related"]:
        return
    if d["tensors"] is None:
        yield from _text(t.text("diff.no-tensors"), ink, 2)
        return
    for kind, groups in grouped(d):
        for g in groups:
            sign, color = SIGNS[kind]
            what = f"{g['count']:,} {ink.text(t.text(f'diff.{kind}'))}"
            yield f"  {ink.paint(sign, color)} {ink.paint(what, COLOR[g['gravity']])}  {ink.text(forms(g, t))}".rstrip()
            yield from _patterns(g["tensors"], ink, t, verbose)
            yield from _text(g["text"], ink, 6)
    for r in d["tensors"]["regrouped"]:
        both = ink.text(t.text("diff.arrow")).format(a=ink.name(r["a_form"]), b=ink.name(r["b_form"]))
        yield f"  ~ {ink.paint(ink.text(t.text('diff.regrouped')), COLOR['usage'])}  {ink.name(r['group'])}: {both}"
        yield from _patterns(r["b_tensors"], ink, t, verbose)
        yield from _text(r["text"], ink, 6)
    if d["tensors"]["renamed"]:
        yield from _text(t.text("diff.renamed").format(count=d["tensors"]["renamed"]), ink, 2)


def _patterns(names: list[str], ink: Ink, t: Catalogue, verbose: int) -> Iterator[str]:
    shown = names if verbose > 0 or len(names) <= MOST + 1 else names[:MOST]
    for name in shown:
        yield "      " + ink.name(name)
    if len(names) > len(shown):
        yield "      " + ink.text(t.text("diff.more")).format(count=len(names) - len(shown))


def _params(d: DiffR, ink: Ink, t: Catalogue) -> Iterator[str]:
    table = rows(d, t)
    if not table:
        return
    table.insert(0, ("", "A", "B", t.text("diff.count.change")))
    sizes = [max(width_of(r[k]) for r in table) for k in range(4)]
    for k, row in enumerate(table):
        cells = [
            pad(ink.text(row[0]), sizes[0]),
            *(" " * (sizes[j] - width_of(row[j])) + ink.text(row[j]) for j in (1, 2, 3)),
        ]
        line = ("  " + "  ".join(cells)).rstrip()
        yield ink.paint(line, "dim") if k == 0 else line

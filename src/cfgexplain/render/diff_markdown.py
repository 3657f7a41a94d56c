"""A comparison for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.lang import catalogue
from cfgexplain.render.diff import count_of, forms, grouped, key_value, of_aspect, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cfgexplain.compare.report import DiffR
    from cfgexplain.lang import Catalogue
    from cfgexplain.render import Style

#: Patterns shown for one group of tensors.
_MOST = 8
#: Characters that Markdown or HTML would take for its own, in a stranger's word.
_MARKS = str.maketrans({c: f"&#{ord(c)};" for c in "\\`*_{}[]<>()#+!|~&@"})


def _name(s: str) -> str:
    """A stranger's word as inline code that no character of it can leave."""
    return f"<code>{s.translate(_MARKS)}</code>"


def _word(s: str) -> str:
    return s.translate(_MARKS)


def render(d: DiffR, style: Style) -> Iterator[str]:
    """Headings and tables in GitHub's Markdown."""
    t = catalogue(style.lang)
    a, b = (_name(x["input"]) for x in (d["a"], d["b"]))
    yield f"## {a} → {b}\n\n"
    if d["same"]:
        yield f"{t.text('diff.same.paperwork' if d['config'] else 'diff.same')}\n"
    else:
        n = count_of(d)
        yield f"{t.text('diff.summary.one' if n == 1 else 'diff.summary.many').format(count=n)}\n"
    if not d["related"]:
        yield f"\n{t.text('diff.unrelated')}\n"
    if found := d["structure"]:
        yield from _table(
            t.text("diff.heading.structure"),
            (t.text("diff.column.what"), "A", "B", t.text("diff.column.meaning")),
            [(c["title"], *(_word(of_aspect(c["aspect"], x, t)) for x in (c["a"], c["b"])), c["text"]) for c in found],
        )
    keys = [k for k in d["config"] if k["gravity"] != "bookkeeping" and d["related"]]
    if keys:
        told = {c["aspect"] for c in d["structure"]}
        yield from _table(
            t.text("diff.heading.config"),
            (t.text("diff.column.what"), "A", "B", t.text("diff.column.meaning")),
            [
                (
                    _name(k["key"]),
                    _word(key_value(k["a"], k["a_source"], t)),
                    _word(key_value(k["b"], k["b_source"], t)),
                    "" if k["aspect"] in told else k["text"],
                )
                for k in keys
            ],
        )
    yield from _tensors(d, t)
    if table := rows(d, t):
        yield from _table(
            t.text("diff.heading.params"), ("", "A", "B", t.text("diff.count.change")), table, numbers=True
        )


def _tensors(d: DiffR, t: Catalogue) -> Iterator[str]:
    if not d["related"]:
        return
    if d["tensors"] is None:
        yield f"\n{t.text('diff.no-tensors')}\n"
        return
    lines: list[tuple[str, ...]] = []
    for kind, groups in grouped(d):
        lines.extend(
            (f"{g['count']:,} {t.text(f'diff.{kind}')}", _patterns(g["tensors"]), _word(forms(g, t)), g["text"])
            for g in groups
        )
    lines.extend(
        (
            t.text("diff.regrouped"),
            _patterns(r["b_tensors"]),
            _word(t.text("diff.arrow").format(a=r["a_form"], b=r["b_form"])),
            r["text"],
        )
        for r in d["tensors"]["regrouped"]
    )
    if lines:
        yield from _table(
            t.text("diff.heading.tensors"),
            (t.text("diff.column.what"), t.text("diff.column.tensors"), "", t.text("diff.column.meaning")),
            lines,
        )
    if d["tensors"]["renamed"]:
        yield f"\n{t.text('diff.renamed').format(count=d['tensors']['renamed'])}\n"


def _patterns(names: list[str]) -> str:
    return "<br>".join(_name(n) for n in names[:_MOST]) + (" …" if len(names) > _MOST else "")


def _table(title: str, head: Sequence[str], lines: Sequence[Sequence[str]], numbers: bool = False) -> Iterator[str]:
    yield f"\n### {title}\n\n| {' | '.join(head)} |\n"
    rule = ["---", *(["---:"] * (len(head) - 1) if numbers else ["---"] * (len(head) - 1))]
    yield f"| {' | '.join(rule)} |\n"
    for line in lines:
        yield f"| {' | '.join(line)} |\n"

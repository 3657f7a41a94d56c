"""``cfgexplain diff A B``: two targets → one comparison → output → exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.compare import compare
from cfgexplain.compare.base import Side
from cfgexplain.compare.words import in_words
from cfgexplain.errors import USAGE_KINDS, CfgexplainError
from cfgexplain.output import complain, write_file, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cfgexplain.compare.report import DiffR
    from cfgexplain.render import Style
    from cfgexplain.sources.options import Options

#: Severity → differences that are as grave.
GRAVE: Final = {"error": frozenset({"loading"}), "warning": frozenset({"loading", "function"})}
SAME, DIFFERENT, USAGE, FAILED = 0, 1, 2, 3


class Work(NamedTuple):
    """What one run of the command does. ``fail_on``: least severity of a difference that makes it exit with 1."""

    a: str
    b: str
    options: Options
    format: str
    output: Path | None
    style: Style
    fail_on: str = "never"


def side(target: str, options: Options) -> Side:
    """A target, read through.

    Raises:
        CfgexplainError: it cannot be inspected.
    """
    from cfgexplain.inspect import Wanted, examine
    from cfgexplain.sources import open_target

    return Side(*examine(open_target(target, options), Wanted(explanations=False)))


def execute(work: Work) -> int:
    """Compares, writes, returns the exit code. Both targets are tried before an error ends it."""
    from cfgexplain.sources import read_ahead

    sides: list[Side] = []
    failed: list[CfgexplainError] = []
    read_ahead((work.a, work.b), work.options)
    for target in (work.a, work.b):
        try:
            sides.append(side(target, work.options))
        except CfgexplainError as e:
            failed.append(e)
            complain(e, target)
    if failed:
        return FAILED if any(e.kind not in USAGE_KINDS for e in failed) else USAGE
    a, b = sides
    diff = in_words(compare(a, b), a, b, work.style.lang)
    chunks = _rendered(diff, a, b, work)
    if work.output is not None:
        write_file(work.output, chunks)
    else:
        write_out(chunks, work.format == "html")
    return DIFFERENT if _reached(diff, work.fail_on) else SAME


def _reached(diff: DiffR, fail_on: str) -> bool:
    """Whether a difference is as grave as that."""
    if diff["same"] or fail_on == "never":
        return False
    if fail_on == "note":
        return True
    x = diff["tensors"]
    found: list[str] = [c["gravity"] for c in diff["config"]] + [c["gravity"] for c in diff["structure"]]
    if x is not None:
        for groups in (x["added"], x["removed"], x["reshaped"], x["retyped"]):
            found += [g["gravity"] for g in groups]
        found += [g["gravity"] for g in x["regrouped"]]
    return any(g in GRAVE[fail_on] for g in found)


def _rendered(diff: DiffR, a: Side, b: Side, work: Work) -> Iterator[str]:
    if work.format == "json":
        from cfgexplain import SCHEMA_VERSION, __version__
        from cfgexplain.render.json_ import dumps

        document = {"schema_version": SCHEMA_VERSION, "cfgexplain_version": __version__, "diff": diff}
        return iter([dumps(document, 2), "\n"])
    if work.format == "markdown":
        from cfgexplain.render import diff_markdown

        return diff_markdown.render(diff, work.style)
    if work.format == "html":
        from cfgexplain.render import diff_html

        return diff_html.render_pair(a.report, b.report, diff, work.style)
    from cfgexplain.render import diff_text

    return diff_text.render(diff, work.style)

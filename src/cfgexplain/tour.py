"""A first lesson: one model, page by page. On a terminal a key turns the page; anywhere else it is one text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cfgexplain.config import walk
from cfgexplain.inspect import Wanted, examine
from cfgexplain.lang import catalogue
from cfgexplain.output import write_out
from cfgexplain.render.text_layout import Ink
from cfgexplain.render.tour_pages import Guide
from cfgexplain.run import DONE
from cfgexplain.sources import open_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.render import Style
    from cfgexplain.sources.options import Options


def guide(target: str, options: Options, style: Style) -> int:
    """Tells it and returns the exit code.

    Raises:
        CfgexplainError: the target cannot be inspected.
    """
    c = open_target(target, options)
    s, report = examine(c, Wanted(lang=style.lang, explanations=False))
    whole: object = c.config.value if c.config else {}
    inner = walk(whole, s.main.path) if s.main.path else whole
    config: Mapping[str, object] = inner if isinstance(inner, dict) else {}
    ink, t = Ink.of(style), catalogue(style.lang)
    pages = list(Guide(report, config, ink, t).pages())
    chunks: list[str] = []
    for k, p in enumerate(pages, 1):
        title = t.text("tour.page").format(number=k, count=len(pages), title=t.text(f"tour.{p.title}.title"))
        lines = [ink.paint(ink.text(title), "head"), "", *p.lines, ""]
        chunks.append(("" if k == 1 else "\n") + "\n".join(lines).replace("\u00a0", " ") + "\n")
    write_out(_turned(chunks, ink.text(t.text("tour.more"))))
    return DONE


def _turned(chunks: list[str], more: str) -> Iterator[str]:
    """The pages; between two of them somebody at a terminal is waited for."""
    asked = sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()
    for k, chunk in enumerate(chunks):
        yield chunk
        if not asked or k == len(chunks) - 1:
            continue
        sys.stdout.flush()
        sys.stderr.write(more + " ")
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer or answer.strip().lower() in ("q", "quit"):
            return

"""A first lesson: one model, page by page. On a terminal a key turns the page; anywhere else it is one text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.errors import CfgexplainError
from cfgexplain.inspect import Wanted, examine
from cfgexplain.lang import catalogue
from cfgexplain.output import write_out
from cfgexplain.render.text_layout import Ink
from cfgexplain.render.tour_pages import Guide
from cfgexplain.run import DONE
from cfgexplain.sources import open_target
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.expand import Expected
    from cfgexplain.render import Style
    from cfgexplain.sources.options import Options
    from cfgexplain.subject import Subject

LONGEST: Final = 100
HINT: Final = "The tour is for language models; take one that ships with cfgexplain: cfgexplain tour example:gpt2."


def guide(target: str, options: Options, style: Style) -> int:
    """Tells it and returns the exit code.

    Raises:
        CfgexplainError: the target cannot be inspected, or is no language model ("unsupported").
    """
    c = open_target(target, options)
    s, report = examine(c, Wanted(lang=style.lang, explanations=False))
    _only_of_text(s)
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


def _only_of_text(s: Subject) -> None:
    """Raises "unsupported" where no table of tokens is known: what the pages tell would be invented."""
    name, vocab = clean(s.checkpoint.target.input, LONGEST), s.main.int("vocab")
    if s.known:
        if "vocab" not in s.main.family.keys or not any(_embeds(e, vocab) for e in s.expansion.items):
            what = clean(s.main.family.id, LONGEST)
            raise CfgexplainError("unsupported", f"{name}: {what} is no language model: it embeds no text", HINT)
    elif not any(p.role == "embedding" and _table(p.shape, vocab) for p in s.pieces):
        word = s.top.config.get("model_type")
        kind = f"model type {clean(word, LONGEST)}" if isinstance(word, str) and word else "its model type"
        message = f"{name}: {kind} is not known, and no tensor shows an embedding of tokens"
        raise CfgexplainError("unsupported", message, HINT)


def _embeds(e: Expected, vocab: int | None) -> bool:
    """Whether this is the language model's one table of tokens; codes of sound have a table for each codebook."""
    if not e.main or e.role != "embedding" or e.slot.layers:
        return False
    return e.shape is None or (vocab is not None and _table(e.shape, vocab))


def _table(shape: tuple[int, ...] | None, vocab: int | None) -> bool:
    return shape is not None and len(shape) == 2 and max(shape) >= (vocab or 1)


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

"""Ways to show reports: pure functions from reports to text, by the name that ``--format`` takes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from cfgexplain.report import Report

#: ``--format`` → module with ``render(reports, style)``.
FORMATS: Final[dict[str, str]] = {
    "text": "text",
    "json": "json_",
    "jsonl": "jsonl",
}


class Style(NamedTuple):
    """How it may look. Machine formats ignore all of it.

    Attributes:
        width: columns of the terminal, 0 where nothing may be cut or wrapped to a terminal's width.
        color: whether escape codes are allowed.
        unicode: whether the output's encoding has box characters.
        lang: language of the texts.
        verbose: -1 quiet, 0, 1 verbose.
        checking: the command is ``check``: findings, no explanations.
    """

    width: int = 100
    color: bool = False
    unicode: bool = True
    lang: str = "en"
    verbose: int = 0
    checking: bool = False


def renderer(name: str) -> Callable[[Iterable[Report], Style], Iterator[str]]:
    """The renderer of a format, imported when it is asked for."""
    found: Callable[[Iterable[Report], Style], Iterator[str]] = import_module(f"cfgexplain.render.{FORMATS[name]}").render
    return found

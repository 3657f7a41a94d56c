"""Ways to show reports: pure functions from reports to text, by the name that ``--format`` takes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from cfgexplain.places import Located
    from cfgexplain.report import Severity


class Format(NamedTuple):
    """One way to show reports.

    Attributes:
        module: below this package; it has ``render(items, style)``.
        located: the items are reports with their places (``places.Located``), not reports alone.
        machine: programs read it: the user's environment changes nothing in it.
        ascii: what is no ASCII is escaped, so that the encoding of the output does not matter.
        utf8: it is UTF-8 on standard output too, whatever the locale: it says so itself, or its reader expects it.
    """

    module: str
    located: bool = False
    machine: bool = False
    ascii: bool = False
    utf8: bool = False


#: ``--format`` → how. The choices of the command line come from here.
FORMATS: Final[dict[str, Format]] = {
    "text": Format("text"),
    "json": Format("json_", machine=True, ascii=True),
    "jsonl": Format("jsonl", machine=True, ascii=True),
    "markdown": Format("markdown", True),
    "sarif": Format("sarif", True, True, True),
    "github": Format("github", True, True, utf8=True),
    "junit": Format("junit", True, True, utf8=True),
    "svg": Format("svg", utf8=True),
    "html": Format("html", utf8=True),
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
        rules: (name, severity of its own) of every check, for formats that list them.
        keys: only keys were asked for: their explanations, and no other part of the report.
    """

    width: int = 100
    color: bool = False
    unicode: bool = True
    lang: str = "en"
    verbose: int = 0
    checking: bool = False
    rules: tuple[tuple[str, Severity], ...] = ()
    keys: bool = False


def renderer(name: str) -> Callable[[Iterable[Located], Style], Iterator[str]]:
    """The renderer of a format, imported when it is asked for."""
    form = FORMATS[name]
    render = import_module(f"cfgexplain.render.{form.module}").render
    if form.located:
        located: Callable[[Iterable[Located], Style], Iterator[str]] = render
        return located

    def plain(items: Iterable[Located], style: Style) -> Iterator[str]:
        found: Iterator[str] = render((i.report for i in items), style)
        return found

    return plain

"""Annotations for GitHub Actions: one workflow command a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.places import Located, Place
    from cfgexplain.render import Style

COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def render(items: Iterable[Located], style: Style) -> Iterator[str]:
    """``::error file=…,line=…,col=…,title=…::message``; what is in no file of the checkout has no file."""
    for item in items:
        name = item.report["target"]["input"]
        error = item.report["error"]
        if error is not None:
            yield _command("error", item.where, f"cfgexplain: {error['kind']}", name, item.failure or "")
        for f, place, _, _ in item.findings():
            yield _command(
                COMMANDS[f["severity"]], place, f"cfgexplain: {f['name']}", name, f"{f['message']} {f['hint']}"
            )


def _command(word: str, place: Place, title: str, target: str, message: str) -> str:
    properties = {"title": title}
    if place.kind in ("relative", "absolute"):
        properties = {"file": place.path, "line": str(place.line), "col": str(place.column), **properties}
    else:
        message = f"{target}: {message}"
    listed = ",".join(f"{k}={_property(v)}" for k, v in properties.items())
    return f"::{word} {listed}::{_data(message)}\n"


def _data(text: str) -> str:
    """Text of a command: ``%`` and line ends escaped, as the runner's toolkit does."""
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property's value: also what separates properties."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")

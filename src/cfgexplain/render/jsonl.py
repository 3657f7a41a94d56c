"""One report a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.render.json_ import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.render import Style
    from cfgexplain.report import Report


def render(reports: Iterable[Report], style: Style) -> Iterator[str]:
    """Each report as one line of JSON."""
    for r in reports:
        yield dumps(r) + "\n"

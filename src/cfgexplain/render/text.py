"""For people: placeholder until the real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.render import Style
    from cfgexplain.report import Report


def render(reports: Iterable[Report], style: Style) -> Iterator[str]:
    """Text."""
    for r in reports:
        yield f"{r['target']['input']}\n"
        if r["error"]:
            yield f"{r['error']['message']}\n{r['error']['hint']}\n"
        for f in r["findings"] or ():
            yield f"{f['severity']}[{f['name']}] {f['message']}\n    {f['hint']}\n"

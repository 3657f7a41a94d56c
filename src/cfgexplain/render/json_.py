"""One JSON document, whatever the number of targets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cfgexplain import SCHEMA_VERSION, __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.render import Style
    from cfgexplain.report import Report


def dumps(value: object, indent: int | None = None) -> str:
    """Strict JSON in ASCII: a number that JSON has no word for becomes its name as a string."""
    try:
        return json.dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), indent=indent, allow_nan=False)


def _finite(value: object) -> object:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value


def render(reports: Iterable[Report], style: Style) -> Iterator[str]:
    """``{"schema_version", "cfgexplain_version", "reports"}``, written report by report."""
    yield f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "cfgexplain_version": "{__version__}",\n  "reports": ['
    first = True
    for r in reports:
        body = dumps(r, 2).replace("\n", "\n    ")
        yield ("\n    " if first else ",\n    ") + body
        first = False
    yield "\n  ]\n}\n" if not first else "]\n}\n"

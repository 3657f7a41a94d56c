"""Which remarks a report has. Apart from ``report``, whose types no run needs to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfgexplain.report import Report


def has(report: Report, name: str) -> bool:
    """Whether the report has this remark."""
    model = report["model"]
    return any(r["name"] == name for r in (model["remarks"] if model else None) or ())

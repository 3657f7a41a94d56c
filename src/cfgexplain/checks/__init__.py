"""The checks."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from cfgexplain.report import Report
    from cfgexplain.subject import Subject


def run(s: Subject, report: Report, lang: str) -> None:
    pass

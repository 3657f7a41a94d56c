"""Explanations of a model's numbers."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from cfgexplain.report import ExplanationR, Report
    from cfgexplain.subject import Subject


def explain(s: Subject, report: Report, lang: str) -> list[ExplanationR]:
    return []

"""Every check, in the order in which findings are shown: files first, then what depends on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Listed
from cfgexplain.checks import (
    aliases,
    biases,
    config,
    drift,
    eps,
    files,
    heads,
    norms,
    quantization,
    sizes,
    tensors,
    values,
)
from cfgexplain.checks.base import NO_WISHES, Context
from cfgexplain.checks.triage import triage
from cfgexplain.fold import fold
from cfgexplain.lang import catalogue
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.checkpoint import Problem
    from cfgexplain.checks.base import Check, Wishes
    from cfgexplain.compare.drift import Drift
    from cfgexplain.report import FindingR, Report, Severity
    from cfgexplain.subject import Subject

CHECKS: Final[tuple[Check, ...]] = (
    *files.CHECKS,
    *config.CHECKS,
    *aliases.CHECKS,
    *values.CHECKS,
    *sizes.CHECKS,
    *norms.CHECKS,
    *eps.CHECKS,
    *biases.CHECKS,
    *tensors.CHECKS,
    *quantization.CHECKS,
    *heads.CHECKS,
    *drift.CHECKS,
)
NAMES: Final = tuple(c.name for c in CHECKS)
GRAVITY: Final[dict[str, int]] = {"note": 0, "warning": 1, "error": 2}


def run(s: Subject, report: Report, lang: str, wishes: Wishes = NO_WISHES) -> list[FindingR]:
    """The findings of one model, gravest first; within a severity in the order of ``CHECKS``."""
    context = Context(s, report, triage(s), wishes, _drift(s, report, wishes))
    found: list[FindingR] = []
    for check in CHECKS:
        own = wishes.severities.get(check.name)
        found.extend(finding(p, own or check.graver.get(p.key, check.severity), s, lang) for p in check.run(context))
    return sorted(found, key=lambda f: -GRAVITY[f["severity"]])


def _drift(s: Subject, report: Report, wishes: Wishes) -> Drift | None:
    if wishes.against is None:
        return None
    from cfgexplain.compare.base import Side
    from cfgexplain.compare.drift import drift as changes

    return changes(wishes.against, Side(s, report))


def finding(p: Problem, severity: Severity, s: Subject, lang: str) -> FindingR:
    """A problem in words. Names of its tensors, which it gives as stored, are folded and escaped here, once."""
    message, hint = catalogue(lang).finding(p.check, p.key)
    patterns = [clean(n) for n in fold(p.tensors)]
    values = _told_apart({k: _shown(v, lang) for k, v in p.values.items()}, p)
    for name in ("where", "examples"):
        values.setdefault(name, some(patterns, lang))
    config_file = s.checkpoint.config.name if s.checkpoint.config else None
    return {
        "name": p.check,
        "severity": severity,
        "message": message.format(**values),
        "hint": hint.format(**values),
        "file": clean(p.file) if p.file else (config_file if p.pointer is not None else None),
        "pointer": p.pointer,
        "tensors": patterns,
    }


def _told_apart(values: dict[str, object], p: Problem) -> dict[str, object]:
    """Quotes around a text where it would not be seen, or could not be told from the number that it looks like."""
    value, expected = p.values.get("value"), p.values.get("expected")
    alike = str(values.get("value")) == str(values.get("expected")) and value is not expected
    for name, v in (("value", value), ("expected", expected)):
        if isinstance(v, str) and (alike or not v):
            values[name] = f'"{values[name]}"'
    return values


def _shown(value: object, lang: str) -> object:
    if isinstance(value, Listed):
        return catalogue(lang).text("join.list").join(clean(v, 200) for v in value)
    if isinstance(value, str):
        return clean(value, 200)
    if isinstance(value, bool):
        return "true" if value else "false"  # as the config writes it
    if value is None:
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(str(_shown(v, lang)) for v in value[:12]) + (", …" if len(value) > 12 else "") + "]"
    return value


def some(names: list[str], lang: str, most: int = 3) -> str:
    """The first names in the words of a language, and how many more there are; a single one more is named itself."""
    t = catalogue(lang)
    shown = names if len(names) <= most + 1 else names[:most]
    listed = t.text("join.list").join(n or '""' for n in shown)
    return listed if shown is names else t.text("join.more").format(names=listed, count=len(names) - most)

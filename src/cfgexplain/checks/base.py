"""What a check is: a name, a default severity, and a function from a model to its faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfgexplain.checkpoint import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cfgexplain.checks.triage import Faults
    from cfgexplain.report import Report, Severity
    from cfgexplain.subject import Subject


class Context(NamedTuple):
    """What a check may look at: the model, the facts already stated, the tensor faults sorted by cause."""

    subject: Subject
    report: Report
    faults: Faults


class Check(NamedTuple):
    """One check. ``run`` yields its faults; texts and the manual page are in the catalogue under the name."""

    name: str
    severity: Severity
    run: Callable[[Context], Iterable[Problem]]


def while_reading(name: str, severity: Severity) -> Check:
    """A check whose faults are seen where the file is read; here they only become findings."""

    def run(c: Context) -> Iterable[Problem]:
        return (p for p in c.subject.problems if p.check == name)

    return Check(name, severity, run)


def sorted_out(name: str, severity: Severity) -> Check:
    """A check whose faults fall out of the comparison of tensors and table (``triage``)."""

    def run(c: Context) -> Iterable[Problem]:
        return c.faults.get(name, ())

    return Check(name, severity, run)


__all__ = ["Check", "Context", "Problem", "sorted_out", "while_reading"]

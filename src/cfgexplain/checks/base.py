"""What a check is: a name, a default severity, and a function from a model to its faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.checkpoint import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from cfgexplain.checks.faults import Faults
    from cfgexplain.compare.base import Side
    from cfgexplain.compare.drift import Drift
    from cfgexplain.report import Report, Severity
    from cfgexplain.subject import Subject


class Wishes(NamedTuple):
    """What users ask of the checks.

    Attributes:
        severities: check → severity that replaces its own.
        expect: dotted path of a config key → the value that it should have.
        tensor_parallel: ranks that the model will be split over, or None.
        against: the model that this one came from, or None.
    """

    severities: Mapping[str, Severity] = {}
    expect: Mapping[str, object] = {}
    tensor_parallel: int | None = None
    against: Side | None = None


NO_WISHES: Final = Wishes()


class Context(NamedTuple):
    """What a check may look at: the model, the facts already stated, the tensor faults sorted by cause, the wishes.

    ``drift`` is what differs from the model that it came from, where one is named.
    """

    subject: Subject
    report: Report
    faults: Faults
    wishes: Wishes = NO_WISHES
    drift: Drift | None = None


class Check(NamedTuple):
    """One check. ``run`` yields its faults; texts and the manual page are in the catalogue under the name.

    Attributes:
        severity: of its findings, where the user has given no other.
        graver: texts of it that have another severity (what merely is slow, and what cannot run as asked for).
    """

    name: str
    severity: Severity
    run: Callable[[Context], Iterable[Problem]]
    graver: Mapping[str, Severity] = {}


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


__all__ = ["NO_WISHES", "Check", "Context", "Problem", "Wishes", "sorted_out", "while_reading"]

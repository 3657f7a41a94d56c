"""Two models against each other: config, structure, tensors, parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.compare.base import Change, Count, Differences, KeyChange, Side, TensorChanges
from cfgexplain.compare.config import config_changes
from cfgexplain.compare.kin import related
from cfgexplain.compare.structure import structure_changes
from cfgexplain.compare.tensors import tensor_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What is counted on both sides, beside the roles.
TOTALS: Final = ("total", "active", "bytes")


def compare(a: Side, b: Side) -> Differences:
    """Everything in which ``b`` differs from ``a``."""
    kin = related(a, b)
    return Differences(
        tuple(config_changes(a, b)),
        tuple(structure_changes(a, b)),
        tensor_changes(a, b) if kin else None,
        tuple(_totals(a, b)),
        tuple(_roles(a, b)),
        kin,
    )


def _totals(a: Side, b: Side) -> Iterator[Count]:
    one, two = a.report["params"], b.report["params"]
    if one is not None and two is not None:
        for name in TOTALS:
            yield Count(name, one[name], two[name])


def _roles(a: Side, b: Side) -> Iterator[Count]:
    """Roles with other numbers of parameters; those of quantization data are no parameters."""
    one, two = a.report["params"], b.report["params"]
    ours, theirs = one["by_role"] if one else None, two["by_role"] if two else None
    if ours is None or theirs is None:
        return
    for role in dict.fromkeys((*ours, *theirs)):
        x, y = ours.get(role, 0), theirs.get(role, 0)
        if x != y and role not in ("quantization", "buffer"):
            yield Count(role, x, y)


__all__ = ["Change", "Count", "Differences", "KeyChange", "Side", "TensorChanges", "compare"]

"""What only one of two models computes beside its matrices, or computes with another number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.compare.base import Change
from cfgexplain.compare.values import same

if TYPE_CHECKING:
    from collections.abc import Collection

    from cfgexplain.compare.base import Side
    from cfgexplain.report import RemarkR

ASPECT: Final = "remarks"
#: What follows from the head of the model's class: a head more or less is a difference of its own.
OF_THE_HEAD: Final = frozenset({"head-transform"})
#: Where one of these differs, so does every number that is worked out from it.
SIZES: Final = frozenset(
    {"size.layers", "size.hidden", "ffn.experts", "attention.heads", "attention.kv_heads", "attention.head_dim"}
)


class Told(NamedTuple):
    """What the two sides differ in, and the config's keys that say it."""

    change: Change
    keys: frozenset[str]


def remark_change(a: Side, b: Side, aspects: Collection[str]) -> Told | None:
    """The remarks of one side alone, and those with two numbers; None where there are none, or no table knows.

    Args:
        aspects: in what else the two differ. A number that no key holds follows from the sizes: where those differ
            it says nothing more.
    """
    ours, theirs = _remarks(a), _remarks(b)
    if ours is None or theirs is None:
        return None
    sized = not SIZES.isdisjoint(aspects)
    names = [n for n in dict.fromkeys((*ours, *theirs)) if _differ(ours.get(n), theirs.get(n), sized)]
    if not names:
        return None
    one, two = ({n: _value(x[n]) for n in names if n in x} for x in (ours, theirs))
    keys = {x[n]["key"] for n in names for x in (ours, theirs) if n in x}
    change = Change(ASPECT, one, two, "function", next((theirs[n]["key"] for n in names if n in theirs), None))
    return Told(change, frozenset(k for k in keys if k))


def _remarks(x: Side) -> dict[str, RemarkR] | None:
    model = x.report["model"]
    found = model["remarks"] if model else None
    return None if found is None else {r["name"]: r for r in found if r["name"] not in OF_THE_HEAD}


def _differ(a: RemarkR | None, b: RemarkR | None, sized: bool) -> bool:
    if a is None or b is None:
        return True
    return not same(a["value"], b["value"]) and not (sized and not a["key"] and not b["key"])


def _value(r: RemarkR) -> object:
    """The number, or that it is there."""
    return True if r["value"] is None else r["value"]


__all__ = ["ASPECT", "Told", "remark_change"]

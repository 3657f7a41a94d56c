"""Absent tensors that one key of the config asks for: more experts than are stored, another feed-forward block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.checkpoint import Listed
from cfgexplain.checks.faults import Faults, add, closure
from cfgexplain.config import pointer
from cfgexplain.families.schema import E
from cfgexplain.fold import ranges
from cfgexplain.subject import FFN_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfgexplain.config import Settings
    from cfgexplain.expand import Expected
    from cfgexplain.match import Match, Row

Missing = tuple[tuple["Expected", tuple[str, ...]], ...]


def sort_out(
    m: Match,
    missing: Missing,
    unexpected: Sequence[Row],
    mismatched: Sequence[Row],
    faults: Faults,
    spell: Callable[[str], str],
) -> tuple[Missing, tuple[Row, ...], tuple[Row, ...]]:
    """Adds the faults that have such a cause; gives back what has none."""
    missing, mismatched = _experts(m, missing, tuple(mismatched), faults, spell)
    missing, unexpected = _block(m, missing, tuple(unexpected), faults, spell)
    return missing, tuple(unexpected), tuple(mismatched)


def _experts(
    m: Match, missing: Missing, mismatched: tuple[Row, ...], faults: Faults, spell: Callable[[str], str]
) -> tuple[Missing, tuple[Row, ...]]:
    """Every layer lacks the same last experts: the config counts more than there are."""
    numbered = [e for e in m.items if "{e}" in e.name and e.slot.kind == "param" and not e.labels]
    gone = [(e, names) for e, names in missing if "{e}" in e.name]
    if not gone or len(gone) != len(numbered):
        return missing, mismatched
    owner, text = gone[0][0].owner, gone[0][0].slot.experts
    lost = {
        frozenset(k for k, name in enumerate(e.names()) if name in set(names)) for e, names in gone if e.owner is owner
    }
    wanted = gone[0][0].experts or 0
    if len(lost) != 1 or any(e.owner is not owner or e.experts != wanted for e, _ in gone):
        return missing, mismatched
    (which,) = lost
    stored = wanted - len(which)
    keys = sorted(n for n in closure(owner, text) if n in owner.family.keys)
    v = owner.value(keys[0]) if keys else None
    if not stored or which != frozenset(range(stored, wanted)) or v is None or v.origin != "config":
        return missing, mismatched
    names = [spell(n) for _, many in gone for n in many]
    path = owner.dotted(v.key)
    values: dict[str, object] = {"key": path, "wanted": wanted, "stored": stored, "gone": ranges(sorted(which))}
    add(faults, "missing-tensor", "experts", values, tensors=names, at=pointer(owner.path, v.key))
    name = keys[0]
    return (
        tuple((e, names) for e, names in missing if "{e}" not in e.name),
        tuple(r for r in mismatched if not (r.item and r.item.owner is owner and _follows(r, name, wanted, stored))),
    )


def _follows(r: Row, name: str, wanted: int, stored: int) -> bool:
    """Whether a shape differs only by the number of experts."""
    e = r.item
    if e is None or e.shape is None or name not in closure(e.owner, f"({e.slot.shape},)"):
        return False
    return len(r.shape) == len(e.shape) and all(
        a == b or a * wanted == b * stored for a, b in zip(r.shape, e.shape, strict=True)
    )


def _block(
    m: Match, missing: Missing, unexpected: tuple[Row, ...], faults: Faults, spell: Callable[[str], str]
) -> tuple[Missing, tuple[Row, ...]]:
    """Every feed-forward block lacks a matrix that a key asks for, and has others in its place: T5's gate."""
    gone = [(e, names) for e, names in missing if e.role in FFN_ROLES and e.slot.when]
    if not gone or not unexpected:
        return missing, unexpected
    owner = gone[0][0].owner
    key = next((n for n in _given(owner, gone[0][0].slot.when)), None)
    v = owner.value(key) if key else None
    same = [
        e
        for e in m.items
        if e.role in FFN_ROLES and e.slot.kind == "param" and e.owner is owner and key in _given(owner, e.slot.when)
    ]
    if v is None or len(gone) != len(same) or any(e.owner is not owner for e, _ in gone):
        return missing, unexpected
    places = {_module(e.name) for e, _ in gone}
    strange = [r for r in unexpected if _module(r.name) in places]
    if {_module(r.name) for r in strange} != places:
        return missing, unexpected
    path = owner.dotted(v.key)
    values: dict[str, object] = {
        "key": path,
        "value": v.value,
        "wanted": _leaf(gone[0][1][0]),
        "found": Listed(sorted({_leaf(r.name) for r in strange})),
        "count": len(strange),
    }
    names = [r.tensor.name for r in strange] or [spell(n) for _, many in gone for n in many]
    add(faults, "incomplete-ffn", "other-block", values, tensors=names, at=pointer(owner.path, v.key))
    lost, odd = {e.name for e, _ in gone}, {r.tensor.name for r in strange}
    return (
        tuple((e, names) for e, names in missing if e.name not in lost),
        tuple(r for r in unexpected if r.tensor.name not in odd),
    )


def _given(s: Settings, text: str) -> list[str]:
    """Keys of the config that a condition comes down to, through derived defaults."""
    found: list[str] = []
    for name in sorted(closure(s, text)) if text else ():
        v = s.value(name) if name in s.family.keys else None
        default = s.family.keys[name].default if v is not None else None
        if v is not None and v.origin == "config":
            found.append(name)
        elif v is not None and v.origin == "derived" and isinstance(default, E):
            found += [n for n in _given(s, default) if n != name]
    return found


def _module(name: str) -> str:
    """The module that a matrix is in: ``…DenseReluDense`` of ``…DenseReluDense.wi.weight``."""
    return name.rpartition(".")[0].rpartition(".")[0]


def _leaf(name: str) -> str:
    return name.rpartition(".")[0].rpartition(".")[2]


__all__ = ["sort_out"]

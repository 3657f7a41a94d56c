"""Tensors of another shape than expected, each under the check that names the size at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks.faults import Faults, add, closure, key_of
from cfgexplain.checks.roots import root
from cfgexplain.subject import axes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfgexplain.config import Settings
    from cfgexplain.expand import Expected
    from cfgexplain.match import Match, Row

HEAD_KEYS: Final = frozenset({"heads", "kv_heads", "head_dim"})


def shapes(m: Match, mismatched: Sequence[Row], faults: Faults) -> None:
    """Adds a fault for each cause: the tensors whose shapes lead back to one key are one finding."""
    wrong: dict[tuple[str, str], list[tuple[Row, int]]] = {}
    for r in mismatched:
        e = r.item
        if e is None or e.shape is None:
            continue
        check, axis = _cause(r, e)
        wrong.setdefault((check, _blamed(check, e, axis)), []).append((r, axis))
    if len(wrong) > 1:
        wrong = _rooted(m, wrong, faults)
    for (check, name), rows in wrong.items():
        r, axis = rows[0]
        e = r.item
        if e is None or e.shape is None:
            continue
        if name and _sound_elsewhere(name, e.owner, m, {x.tensor.name for x, _ in rows}):
            check, name = "shape-mismatch", ""
        at, path = key_of(e.owner, name) if name else (None, "")
        turned = axis < 0 and r.shape == e.shape[::-1]
        values: dict[str, object] = {
            "tensor": r.tensor.name,
            "stored_shape": _stored(r),
            "expected_shape": list(e.shape),
            "rule": e.slot.shape,
            "count": len(rows),
            "key": path,
            "config": e.shape[axis] if axis >= 0 else None,
            "stored": r.shape[axis] if axis >= 0 else None,
            "value": e.owner.maybe(name) if name else None,
        }
        known = {p.key for p in faults.get(check, ())}
        key = "turned" if turned else ("key" if name else "rule")
        if check == "shape-mismatch" and key in known:
            first = next(p for p in faults[check] if p.key == key)
            faults[check].remove(first)
            both = [*first.tensors, *(x.tensor.name for x, _ in rows)]
            add(faults, check, key, {**first.values, "count": len(both)}, tensors=both, at=first.pointer)
        else:
            add(faults, check, key, values, tensors=[x.tensor.name for x, _ in rows], at=at)


def _rooted(
    m: Match, wrong: dict[tuple[str, str], list[tuple[Row, int]]], faults: Faults
) -> dict[tuple[str, str], list[tuple[Row, int]]]:
    """The causes without those that one wrong key explains together; that key is a fault of its own."""
    owners: dict[int, list[tuple[tuple[str, str], Row, int]]] = {}
    for cause, rows in wrong.items():
        for r, axis in rows:
            owners.setdefault(id(r.item.owner) if r.item else 0, []).append((cause, r, axis))
    left = dict(wrong)
    for group in owners.values():
        e = group[0][1].item
        if e is None or len({cause for cause, _, _ in group}) < 2:
            continue
        found = root(m, e.owner, [r for _, r, _ in group])
        if found is None:
            continue
        name = found.name
        check = (
            "intermediate-size-mismatch" if "ffn" in name
            else "vocab-size-mismatch" if name == "vocab"
            else "head-mismatch" if name in HEAD_KEYS
            else "shape-mismatch"
        )  # fmt: skip
        at, path = key_of(e.owner, name)
        first = next((r for _, r, axis in group if axis >= 0), group[0][1])
        names = [r.tensor.name for _, r, _ in group]
        values: dict[str, object] = {
            "tensor": first.tensor.name,
            "stored_shape": _stored(first),
            "expected_shape": list(first.item.shape or ()) if first.item else [],
            "rule": first.item.slot.shape if first.item else "",
            "count": len(names),
            "key": path,
            "value": found.value,
            "right": found.right,
        }
        add(faults, check, "root", values, tensors=names, at=at)
        gone = set(names)
        left = {
            cause: kept for cause, many in left.items() if (kept := [x for x in many if x[0].tensor.name not in gone])
        }
    return left


def _stored(r: Row) -> object:
    """The shape that a row stands for, and the one that is in the file where it is packed."""
    if r.packed is None or r.shape == r.tensor.shape:
        return list(r.shape)
    return f"{list(r.shape)} (packed as {list(r.tensor.shape)})"


def _cause(r: Row, e: Expected) -> tuple[str, int]:
    """(check, axis that differs; -1 where more than one axis or the rank differs)."""
    if e.shape is None or len(r.shape) != len(e.shape):
        return "shape-mismatch", -1
    axes = [k for k, (a, b) in enumerate(zip(r.shape, e.shape, strict=True)) if a != b]
    if len(axes) != 1:
        return "shape-mismatch", -1
    texts = axes_of(e.slot.shape)
    names = closure(e.owner, texts[axes[0]]) if len(texts) == len(e.shape) else frozenset()
    if any("ffn" in n for n in names):
        return "intermediate-size-mismatch", axes[0]
    if "vocab" in names:
        return "vocab-size-mismatch", axes[0]
    if names & HEAD_KEYS:
        return "head-mismatch", axes[0]
    return "shape-mismatch", axes[0]


def _blamed(check: str, e: Expected, axis: int) -> str:
    """The expression on the axis that differs, which leads to the config key; "" where no axis is to blame."""
    if axis < 0:
        return ""
    text = axes_of(e.slot.shape)[axis]
    names = closure(e.owner, text)
    for wanted in ("kv_heads", "heads", "head_dim") if check == "head-mismatch" else ():
        if wanted in names:
            return wanted
    plain = sorted(
        n for n in names if n in e.owner.family.keys and ("ffn" in n or check != "intermediate-size-mismatch")
    )
    return plain[0] if plain else ""


def _sound_elsewhere(name: str, owner: Settings, m: Match, wrong: set[str]) -> bool:
    """Whether most tensors that depend on the same number agree with the config: then the tensor is at fault."""
    right = bad = 0
    depends: dict[str, bool] = {}
    for r in m.rows:
        e = r.item
        if e is None or e.slot.kind == "buffer" or e.owner is not owner or not e.slot.shape:
            continue
        if e.slot.shape not in depends:
            depends[e.slot.shape] = name in closure(owner, f"({e.slot.shape},)")
        if not depends[e.slot.shape]:
            continue
        if r.tensor.name in wrong:
            bad += 1
        else:
            right += 1
    return right > bad

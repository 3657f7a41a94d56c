"""Tensors of two models against each other, whatever their names' prefixes and the order of their files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.compare.base import Regrouped, Reshaped, TensorChanges, TensorInfo
from cfgexplain.compare.config import parts_of
from cfgexplain.expand import forms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cfgexplain.compare.base import Side
    from cfgexplain.expand import Expected
    from cfgexplain.match import Row

#: Roles that say nothing of the model: what is recomputed.
IDLE: Final = frozenset({"buffer"})
#: Dtypes in which codes of quantized weights are stored.
CODES: Final = frozenset({"I64", "U64", "I32", "U32", "I16", "U16", "I8", "U8", "F4", "F6_E2M3", "F6_E3M2"})


class Table:
    """The tensors of one side by their ids.

    Attributes:
        by_id: id → tensor. Tied copies, buffers and quantization data are not among them.
        places: every (stack, layer) that holds anything.
        unread: ids that an index lists and whose file was not read.
        complete: whether an absent tensor is known to be absent.
    """

    __slots__ = ("by_id", "complete", "places", "unread")

    def __init__(self, x: Side, planned: bool = False) -> None:
        s = x.subject
        tags = {id(settings): tag for tag, settings in parts_of(s.top, s.main).items()}
        self.by_id: dict[str, TensorInfo] = {}
        if planned or s.match is None:
            for e in forms(s.expansion.items, {}):
                if e.slot.kind == "param" and e.role not in IDLE:
                    self._plan(e, tags)
            self.complete, self.unread = s.expansion.whole, frozenset[str]()
        else:
            prefix = _prefix(s.match.items)
            for r in s.match.rows:
                if (
                    r.role not in IDLE
                    and r.role != "quantization"
                    and not (r.item is not None and r.item.slot.kind in ("tied", "buffer"))
                ):
                    info = _stored(r, tags, prefix)
                    self.by_id.setdefault(info.id, info)
            self.unread = frozenset(n.removeprefix(prefix) for n in s.match.listed)
            self.complete = s.checkpoint.complete or bool(s.match.listed)
        self.places = frozenset(t.place for t in self.by_id.values())

    def _plan(self, e: Expected, tags: Mapping[int, str]) -> None:
        for name in e.names():
            local = _local(name, e, tags)
            self.by_id[local] = TensorInfo(
                local,
                name,
                name,
                e.shape,
                "",
                e.role,
                math.prod(e.shape) if e.shape is not None else None,
                e.main,
                _weight(local),
                (_stack(e, tags), e.layer),
                _form(e),
                False,
            )

    def has(self, name: str) -> bool:
        """Whether a tensor is there, or may be."""
        return name in self.by_id or name in self.unread


def _stored(r: Row, tags: Mapping[int, str], prefix: str) -> TensorInfo:
    e = r.item
    packed = r.params is None or (r.packed is None and r.tensor.dtype in CODES)
    if e is None:
        local = r.name.removeprefix(prefix)
        stack = local.partition(f".{r.layer}.")[0] + "." if r.layer is not None else ""
        return TensorInfo(
            local,
            r.name,
            r.tensor.name,
            r.shape,
            r.tensor.dtype,
            r.role,
            r.params,
            True,
            _weight(local),
            (stack, r.layer),
            ("", ""),
            packed,
        )
    local = _local(r.name, e, tags)
    return TensorInfo(
        local,
        r.name,
        r.tensor.name,
        r.shape,
        r.tensor.dtype,
        e.role,
        r.params,
        e.main,
        _weight(local),
        (_stack(e, tags), e.layer),
        _form(e),
        packed,
    )


def _form(e: Expected) -> tuple[str, str]:
    group, _, kind = e.slot.form.partition("/")
    return group, kind


def _weight(name: str) -> str:
    return name[: -len("bias")] + "weight" if name.endswith("bias") else ""


def _before(e: Expected) -> int:
    """Length of what stands before the slot's own name."""
    own = e.slot.name if e.layer is None else e.slot.name.replace("{i}", str(e.layer))
    return max(0, len(e.name) - len(own)) if e.name.endswith(own) else 0


def _local(name: str, e: Expected, tags: Mapping[int, str]) -> str:
    """The name within its own model, behind the part's name: one for every prefix that a wrapper puts before it."""
    tag = tags.get(id(e.owner), ".")
    own = name[_before(e) :]
    return f"{tag}:{own}" if tag else own


def _stack(e: Expected, tags: Mapping[int, str]) -> str:
    if not e.stack:
        return ""
    tag = tags.get(id(e.owner), ".")
    own = e.stack[_before(e) :]
    return f"{tag}:{own}" if tag else own


def _prefix(items: Iterable[Expected]) -> str:
    """What stands before the names of the language model's body."""
    for e in items:
        if e.main and e.layer is not None:
            return e.name[: _before(e)]
    return ""


def tensor_changes(a: Side, b: Side) -> TensorChanges | None:
    """The tables against each other; None where one side was read without weights."""
    if a.subject.match is None or b.subject.match is None:
        return None
    return between(Table(a), Table(b))


def between(one: Table, two: Table) -> TensorChanges:
    """What is on one side only, and what differs on both. What an unread file may hold is not said to be gone."""
    regrouped, settled = _regrouped(one, two)
    added = [t for k, t in two.by_id.items() if k not in settled and not one.has(k)] if one.complete else []
    removed = [t for k, t in one.by_id.items() if k not in settled and not two.has(k)] if two.complete else []
    reshaped: list[Reshaped] = []
    retyped: list[Reshaped] = []
    compared = renamed = 0
    for k, t in one.by_id.items():
        u = two.by_id.get(k)
        if u is None:
            continue
        compared += 1
        renamed += t.stored != u.stored
        if (
            t.shape is not None
            and u.shape is not None
            and not same_shape(t.shape, u.shape)
            and not (t.packed or u.packed)
        ):
            reshaped.append(Reshaped(t, u))
        if t.dtype != u.dtype:
            retyped.append(Reshaped(t, u))
    return TensorChanges(
        compared,
        renamed,
        tuple(added),
        tuple(removed),
        tuple(reshaped),
        tuple(retyped),
        tuple(regrouped),
        one.places - two.places,
        two.places - one.places,
    )


def same_shape(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Equal, or both one element: a scalar may be stored as [] or as [1]."""
    return a == b or (math.prod(a) == math.prod(b) == 1 and max(len(a), len(b)) <= 1)


def _regrouped(one: Table, two: Table) -> tuple[list[Regrouped], frozenset[str]]:
    """Groups that the sides store in different forms, with the same number of parameters in every layer."""
    ours, theirs = _groups(one), _groups(two)
    found: dict[tuple[str, str, str], tuple[list[TensorInfo], list[TensorInfo]]] = {}
    settled: set[str] = set()
    for key in ours.keys() & theirs.keys():
        a, b = ours[key], theirs[key]
        if a[0].form == b[0].form or sum(t.params or 0 for t in a) != sum(t.params or 0 for t in b):
            continue
        left, right = found.setdefault((a[0].form[0], a[0].form[1], b[0].form[1]), ([], []))
        left.extend(a)
        right.extend(b)
        settled.update(t.id for t in (*a, *b))
    return [Regrouped(*k, tuple(a), tuple(b)) for k, (a, b) in sorted(found.items())], frozenset(settled)


def _groups(x: Table) -> dict[tuple[str, int | None, str], list[TensorInfo]]:
    out: dict[tuple[str, int | None, str], list[TensorInfo]] = {}
    for t in x.by_id.values():
        if t.form[0]:
            out.setdefault((*t.place, t.form[0]), []).append(t)
    return out


__all__ = ["Table", "between", "same_shape", "tensor_changes"]

"""Stored tensors under their logical names: what a quantized weight stands for, and which tensors only serve it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfgexplain.checkpoint import Tensor
    from cfgexplain.expand import Expected
    from cfgexplain.packing import Packed, Packing


class Row(NamedTuple):
    """One stored tensor and what it is.

    Attributes:
        tensor: as stored.
        name: its name in the family's own spelling.
        role: one of the contract's roles.
        part: which matrix, or "".
        layer: index of its block, or None.
        item: the expectation that it fulfils, or None.
        params: logical parameters that it stands for; 0 for buffers, tied copies and quantization data; None where
            a quantized tensor's header does not show them.
        shape: its logical shape.
        packed: how it unpacks, where it is quantized.
    """

    tensor: Tensor
    name: str
    role: str
    part: str
    layer: int | None
    item: Expected | None
    params: int | None
    shape: tuple[int, ...]
    packed: Packed | None = None


class View(NamedTuple):
    """A stored tensor under its logical name, and how it unpacks."""

    tensor: Tensor
    name: str
    packed: Packed | None

    def read(self, expected: tuple[int, ...] | None) -> tuple[tuple[int, ...], int | None]:
        """(logical shape, parameters), the expected shape where a packed header allows it."""
        if self.packed is not None:
            return self.packed.settle(expected)
        return self.tensor.shape, math.prod(self.tensor.shape)


def views_of(tensors: Sequence[Tensor], packing: Packing | None) -> list[View]:
    """The tensors that have a place in the architecture."""
    if packing is None:
        return [View(t, t.name, None) for t in tensors]
    return [View(tensors[k], packing.names[k], packing.found.get(k)) for k in packing.main]


def logical_names(listed: Iterable[str], packing: Packing | None) -> Iterable[str]:
    """What the names of an index stand for, companions left out."""
    if packing is None:
        return listed
    from cfgexplain.packing.names import logical_name

    return [n for name in listed if (n := logical_name(name)) is not None]


def with_companions(rows: Sequence[Row], tensors: Sequence[Tensor], packing: Packing | None) -> tuple[Row, ...]:
    """The rows in stored order, with those of scales, zero points and the like among them."""
    if packing is None:
        return tuple(rows)
    main = iter(rows)
    at = {packing.names[k]: r for k, r in zip(packing.main, rows, strict=True)}
    out: list[Row] = []
    for k, t in enumerate(tensors):
        owner = packing.companions.get(k)
        if owner is None:
            out.append(next(main))
        else:
            weight = at.get(owner)
            out.append(Row(t, t.name, "quantization", "", weight.layer if weight else None, None, 0, t.shape))
    return tuple(out)

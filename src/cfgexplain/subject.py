"""One model under inspection: what was read, which family it is, and how its tensors fit."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.expand import COUNTED, forms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.checkpoint import Checkpoint, Problem
    from cfgexplain.config import Settings
    from cfgexplain.expand import Expansion, Expected
    from cfgexplain.match import Match, Row
    from cfgexplain.packing import Packing
    from cfgexplain.packing.declared import Declared

#: Roles that make up the feed-forward blocks, and the one that is counted beside them.
FFN_ROLES: Final = ("ffn", "experts", "shared-experts")
#: Roles that ``params.total`` leaves out (contract: counted apart).
APART: Final = frozenset({"mtp", "buffer", "quantization", "adapter"})
#: Roles of what reads images and sound beside a language model.
TOWERS: Final = ("vision", "audio", "projector")


class Piece(NamedTuple):
    """One tensor of the model, expected or stored, in the words that facts need.

    Attributes:
        elements: parameters of all the tensors that it stands for, or None.
        experts: experts that it covers (by name or by its first axis), 1 outside a mixture.
        width: the feed-forward block's width as this tensor shows it, or None.
        tensor: one tensor's name, ``{e}`` for the expert.
    """

    role: str
    part: str
    layer: int | None
    stack: str
    tensor: str
    elements: int | None
    experts: int
    width: int | None
    shape: tuple[int, ...] | None
    main: bool


class Subject(NamedTuple):
    """What every fact and every check looks at.

    Attributes:
        checkpoint: as read.
        known: whether a table exists for the model type.
        top: settings of the whole config.
        main: settings of the language model in it.
        expansion: what the config implies; empty for an unknown family.
        match: how the tensors fit, or None without tensors.
        problems: what was wrong while reading, source and config.
        expected: pieces from the config.
        stored: pieces from the tensors, or None.
        guess: a family that the class name points to, where the model type has no table.
        declared: the quantization config, wherever it stands.
        packing: how the quantized tensors unpack, or None where none is quantized.
    """

    checkpoint: Checkpoint
    known: bool
    top: Settings
    main: Settings
    expansion: Expansion
    match: Match | None
    problems: tuple[Problem, ...]
    expected: tuple[Piece, ...] = ()
    stored: tuple[Piece, ...] | None = None
    guess: str | None = None
    notes: tuple[str, ...] = ()
    declared: Declared | None = None
    packing: Packing | None = None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What is there: the tensors where they were read, else what the config implies."""
        return self.expected if self.stored is None else self.stored


def pieces_of_items(items: Iterable[Expected]) -> tuple[Piece, ...]:
    """Pieces of an expectation, one form of each group, parameters only."""
    kept = (e for e in forms(tuple(items), {}) if e.slot.kind in COUNTED)
    return tuple(_piece(e, e.shape, e.elements, e.name, e.experts or 1) for e in kept)


def pieces_of_rows(rows: Iterable[Row], hidden: int | None) -> tuple[Piece, ...]:
    """Pieces of the stored tensors; those without parameters are left out."""
    out: list[Piece] = []
    for r in rows:
        if r.params == 0:
            continue
        if r.item is not None:
            out.append(_piece(r.item, r.shape, r.params, r.name, 1))
        else:
            out.append(
                Piece(
                    r.role,
                    r.part,
                    r.layer,
                    _stack(r),
                    r.name,
                    r.params,
                    _leading(r.shape, r.role),
                    _blind_width(r, hidden),
                    r.shape,
                    True,
                )
            )
    return tuple(out)


def _piece(e: Expected, shape: tuple[int, ...] | None, elements: int | None, name: str, experts: int) -> Piece:
    axes = _axes(e.slot.shape)
    width: int | None = None
    if shape is not None and len(axes) == len(shape):
        if e.role in FFN_ROLES and e.slot.part in ("gate", "up", "down", "gate_up"):
            at = _width_axis(e.slot.shape)
            if at is not None and not name.endswith("bias"):
                width = shape[at] // 2 if e.slot.part == "gate_up" else shape[at]
                if axes[at].startswith("experts*"):
                    width //= e.owner.int("experts") or 1
        if axes and axes[0] == "experts" and e.role == "experts":
            experts = shape[0]
    return Piece(e.role, e.slot.part, e.layer, e.stack, name, elements, experts, width, shape, e.main)


@cache
def _axes(text: str) -> tuple[str, ...]:
    """The expressions of a shape, axis by axis."""
    out: list[str] = []
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            out.append(text[start:i].strip())
            start = i + 1
    tail = text[start:].strip()
    return tuple([*out, tail] if tail else out)


@cache
def _width_axis(text: str) -> int | None:
    """Which axis of a feed-forward matrix is its width: the one besides the hidden size, or the one named so."""
    axes = _axes(text)
    found = [k for k, axis in enumerate(axes) if axis not in ("hidden", "experts")]
    if len(found) > 1:
        found = [k for k in found if "ffn" in axes[k]] or [k for k in found if not axes[k].endswith("hidden")]
    return found[0] if len(found) == 1 else None


def _stack(r: Row) -> str:
    if r.layer is None:
        return ""
    head, mark, _ = r.name.partition(f".{r.layer}.")
    return head + "." if mark else ""


def _leading(shape: tuple[int, ...], role: str) -> int:
    return shape[0] if role == "experts" and len(shape) == 3 else 1


def _blind_width(r: Row, hidden: int | None) -> int | None:
    if r.role not in FFN_ROLES or r.part not in ("gate", "up", "down", "gate_up") or hidden is None:
        return None
    shape = r.shape[-2:]
    if len(shape) != 2 or hidden not in shape or r.name.endswith("bias"):
        return None
    other = math.prod(shape) // hidden
    return other // 2 if r.part == "gate_up" else other


axes_of = _axes

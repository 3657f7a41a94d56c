"""Which matrix of a feed-forward block is which, where no table says it: by name where it tells, else by shape."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from cfgexplain.infer_words import ADDED, DOWN, FIRST, GATE, GATE_UP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.infer_blocks import Block, Place
    from cfgexplain.logical import Row

_FFN: Final = ("ffn", "experts", "shared-experts")
#: Numbers of modules that repeat; not that of a layer in a row (``ffn.0.weight``).
_NUMBERS: Final = re.compile(r"(?:^|(?<=\.)|(?<=expert_))\d+(?=\.(?!(?:weight|bias)$))")


def with_parts(rows: list[Row], places: Sequence[Place], hidden: int | None) -> list[Row]:
    """The rows with the matrices of every feed-forward block named."""
    blocks: dict[tuple[object, ...], list[int]] = {}
    for k, (r, p) in enumerate(zip(rows, places, strict=True)):
        if r.role in _FFN and len(r.shape) >= 2 and not r.name.endswith("bias") and not ADDED.search(p.rest):
            blocks.setdefault((p.stack, p.layer, r.role, tuple(_NUMBERS.findall(p.rest))), []).append(k)
    out = list(rows)
    for members in blocks.values():
        for k, part in _of_block([rows[k].shape for k in members], [places[k].rest for k in members], hidden).items():
            out[members[k]] = out[members[k]]._replace(part=part)
    return out


def _flat(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The two axes of the matrix: without the experts' axis, and without the width of a convolution over one token."""
    return shape[:2] if len(shape) == 3 and shape[-1] == 1 else shape[-2:]


def _of_block(shapes: list[tuple[int, ...]], rests: list[str], hidden: int | None) -> dict[int, str]:
    flat = [_flat(s) for s in shapes]
    known = range(len(rests))
    if len(rests) > 2:
        # A square matrix beside a wide one gates the output, or projects it.
        wide = [k for k in known if set(flat[k]) != {hidden}]
        known = wide if len(wide) >= 2 else known  # type: ignore[assignment]
    if len(known) == 3:
        return _of_three(list(known), flat, rests)
    if len(known) == 2:
        return _of_two(list(known), flat, rests, hidden)
    # One of several widths, or all in one place: only what the names say.
    named = {k: "down" for k in known if DOWN.search(rests[k])}
    return {**{k: "gate" for k in known if GATE.search(rests[k]) and k not in named}, **named}


def _of_two(known: list[int], flat: list[tuple[int, ...]], rests: list[str], hidden: int | None) -> dict[int, str]:
    down = [k for k in known if DOWN.search(rests[k])]
    if len(down) != 1 and hidden is not None:
        down = [k for k in known if flat[k][0] == hidden and flat[k][-1] != hidden][:1]
    if len(down) != 1:
        return {}
    up = next(k for k in known if k != down[0])
    return {down[0]: "down", up: _up_or_both(flat[up], flat[down[0]], hidden, rests[up])}


def _of_three(known: list[int], flat: list[tuple[int, ...]], rests: list[str]) -> dict[int, str]:
    down = [k for k in known if DOWN.search(rests[k])]
    if len(down) != 1:
        return {}
    others = [k for k in known if k != down[0]]
    if math.prod(flat[others[0]]) != math.prod(flat[others[1]]):
        return {}
    gate = next((k for k in others if GATE.search(rests[k])), None)
    if gate is None:
        gate = next((k for k in others if FIRST.search(rests[k])), others[0])
    return {down[0]: "down", **{k: "gate" if k == gate else "up" for k in others}}


def _up_or_both(up: tuple[int, ...], down: tuple[int, ...], hidden: int | None, rest: str) -> str:
    """A way up that has twice the width of the way down holds gate and up together."""
    if len(up) == len(down) == 2 and hidden in up and hidden in down and hidden:
        return "gate_up" if math.prod(up) == 2 * math.prod(down) else "up"
    return "gate_up" if GATE_UP.search(rest) else "up"


def unsure(
    rows: Sequence[Row], places: Sequence[Place], blocks: Mapping[tuple[str, int | None], Block]
) -> frozenset[str]:
    """Counts that the names leave open.

    A matrix in a block that is nothing known may be part of anything. A dense block beside a mixture may be its
    shared expert or a block of its own; so may a matrix that stands among the experts without being called shared.
    """
    open_: set[str] = set()
    for r, p in zip(rows, places, strict=True):
        if p.layer is None:
            continue
        # One square matrix is no feed-forward block: that takes a way up and a way down.
        if r.role == "unclassified" and len(r.shape) >= 2 and len(set(_flat(r.shape))) > 1:
            return frozenset({"dense", "experts", "shared_experts", "router"})
        block = blocks[p.stack, p.layer]
        if block.routed and r.role == "ffn" and len(r.shape) >= 2:
            open_ |= {"dense", "shared_experts"}
        if r.role == "shared-experts" and "shared" not in r.name:
            open_ |= {"dense", "experts", "shared_experts"}
    return frozenset(open_)

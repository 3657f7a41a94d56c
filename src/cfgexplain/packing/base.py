"""What a quantized module is, before anything is held against a table.

One module's stored tensors, by kind (``weight``, ``scale``, ``zeros``, …), go in; the logical weight comes out.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.dtypes import BITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.checkpoint import Tensor

Shape = tuple[int, ...]
#: More elements than any weight has; a bound where a header bounds nothing.
MOST: Final = 2**53


class Hints(NamedTuple):
    """What the quantization config says, as far as it decides how to read a header.

    Attributes:
        method: ``quant_method`` or its stand-in, lower case; "" where nothing is declared.
        bits: of one weight, where it is one whole number.
        group: weights along the input that share one scale, or None.
        modules: per-module settings by module name: MLX's overrides, VPTQ's layers.
        block: rows and columns of an FP8 block, or None.
    """

    method: str = ""
    bits: int | None = None
    group: int | None = None
    modules: Mapping[str, Mapping[str, object]] = {}
    block: tuple[int, int] | None = None


class Parts(NamedTuple):
    """The stored tensors of one quantized weight, by kind.

    Attributes:
        name: the logical weight's name (``model.layers.0.mlp.up_proj.weight``).
        t: kind → tensor.
    """

    name: str
    t: Mapping[str, Tensor]

    @property
    def module(self) -> str:
        return self.name.removesuffix(".weight")

    def shape(self, kind: str) -> Shape | None:
        """The stored shape of one kind, or None."""
        found = self.t.get(kind)
        return None if found is None else found.shape


class Packed(NamedTuple):
    """A quantized weight, unpacked as far as its header tells.

    Attributes:
        layout: who packs so: ``gptq``, ``awq``, ``mlx``, …
        element: what one weight is stored as: ``int4``, ``nf4``, ``fp8``, …; "" where that cannot be seen.
        primary: kind of the tensor that stands for the weight; every other kind in ``used`` is a companion.
        used: kinds that belong to the layout.
        shapes: possible logical shapes, the likeliest first; empty where the header does not show one.
        least: fewest weights that it can hold.
        most: most weights that it can hold.
        bits: stored bits of one weight, scales and the like apart; None where unknown.
        group: weights that share a scale, as the tensors show, or None.
        wrong: companions of another shape than follows from the weight's, with the one that follows.
    """

    layout: str
    element: str
    primary: str
    used: frozenset[str]
    shapes: tuple[Shape, ...]
    least: int
    most: int
    bits: float | None = None
    group: int | None = None
    wrong: tuple[tuple[Tensor, Shape], ...] = ()

    @property
    def format(self) -> str:
        """One word for a table: ``gptq-int4-g128``."""
        return _format(self.layout, self.element, self.group)

    def settle(self, expected: Shape | None) -> tuple[Shape, int | None]:
        """(logical shape, number of weights): the expected one where the header allows it, else the likeliest.

        A linear layer that its architecture stores turned (GPT-2's Conv1D, fused experts) is taken turned. A header
        that shows only a number of elements gives a shape of one axis; one that shows nothing gives None parameters.
        """
        if expected is not None:
            n = math.prod(expected)
            if expected in self.shapes or (not self.shapes and self.least <= n <= self.most):
                return expected, n
            turned = [s for s in map(_turned, self.shapes) if s == expected]
            if turned:
                return expected, n
        if self.shapes:
            shape = self.shapes[0] if expected is None else _nearest(self.shapes, expected)
            return shape, math.prod(shape)
        if self.least != self.most:
            return (), None
        return _by_count(self.least, expected), self.least

    def fits(self, expected: Shape | None) -> bool:
        """Whether the header can be a weight of this shape."""
        return expected is not None and self.settle(expected)[0] == expected


@cache
def _format(layout: str, element: str, group: int | None) -> str:
    parts = [layout, element if element != layout else ""]
    return "-".join([p for p in parts if p] + ([f"g{group}"] if group and group > 1 else []))


def _turned(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) >= 2 else shape


def _nearest(shapes: tuple[Shape, ...], expected: Shape) -> Shape:
    """The candidate, as it is or turned, that agrees with the expectation on most axes; the first of equals."""

    def score(s: Shape) -> int:
        return sum(a == b for a, b in zip(s, expected, strict=True)) if len(s) == len(expected) else -1

    return max((s for shape in shapes for s in (shape, _turned(shape))), key=score)


def _by_count(n: int, expected: Shape | None) -> Shape:
    """The expected shape with the one axis changed that makes it hold ``n``; one axis where none or several would."""
    whole = math.prod(expected or ())
    found = (
        [
            (*expected[:k], n * size // whole, *expected[k + 1 :])
            for k, size in enumerate(expected)
            if whole and not n * size % whole
        ]
        if expected
        else []
    )
    return found[0] if len(found) == 1 else (n,)


def word(t: Tensor) -> int:
    """Bits of one stored element; 8 for a dtype that is not known."""
    return BITS.get(t.dtype, 8)


def packed(
    layout: str,
    element: str,
    primary: str,
    used: frozenset[str] | set[str],
    *shapes: Shape,
    bits: float | None = None,
    group: int | None = None,
    wrong: tuple[tuple[Tensor, Shape], ...] = (),
    least: int = 0,
    most: int = MOST,
) -> Packed:
    """A ``Packed`` whose number of weights follows from its candidates where it has any."""
    if shapes:
        sizes = [math.prod(s) for s in shapes]
        least, most = min(sizes), max(sizes)
    return Packed(
        layout, element, primary, frozenset(used), tuple(dict.fromkeys(shapes)), least, most, bits, group, wrong
    )


def wrong_shapes(p: Parts, wanted: Mapping[str, Shape]) -> tuple[tuple[Tensor, Shape], ...]:
    """Companions whose shape is another one than wanted; a scalar may have one axis."""
    return tuple(
        (p.t[k], shape)
        for k, shape in wanted.items()
        if k in p.t and p.t[k].shape != shape and not (math.prod(shape) == math.prod(p.t[k].shape) == 1)
    )


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)

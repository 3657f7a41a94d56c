"""What a number becomes in a checkpoint's dtype, and how to print it.

Binary16 and binary32 are IEEE 754-2019; bfloat16 is binary32 with 16 fewer bits in its significand. All three round
to nearest, ties to even, with gradual underflow. Some accelerators flush subnormals to zero instead: a value that
``is_subnormal`` marks may be zero there.
"""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

FloatDtype = Literal["F16", "BF16", "F32"]


class Format(NamedTuple):
    """A binary floating-point format.

    Attributes:
        bits: bits of the significand, the hidden one included.
        max: largest finite value.
        smallest_normal: below this, precision is lost bit by bit.
        smallest_subnormal: the distance between the numbers nearest to zero; half of it and less rounds to zero.
    """

    bits: int
    max: float
    smallest_normal: float
    smallest_subnormal: float


FORMATS: Final[dict[FloatDtype, Format]] = {
    "F16": Format(11, 65504.0, 2.0**-14, 2.0**-24),  # 6.104e-05, 5.960e-08
    "BF16": Format(8, (2.0 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133),
    "F32": Format(24, (2.0 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149),
}

#: Above this |x| a square is past the largest fp16 number (65504): 255.9. Norms square, so they run in float32.
F16_SQUARE_LIMIT: Final = math.sqrt(65504.0)


class Rounded(NamedTuple):
    """One number in one dtype.

    Attributes:
        value: the nearest number that the dtype has.
        subnormal: below the smallest normal number, and not zero.
        zero: rounded to zero though it was not.
    """

    value: float
    subnormal: bool
    zero: bool


class EpsFacts(NamedTuple):
    """What an ε means in numbers.

    Attributes:
        root: √ε, its scale in units of x: it stands inside the root, beside the mean of squares. NaN below zero.
        f16, bf16, f32: what it becomes where a kernel rounds it.
    """

    root: float
    f16: Rounded
    bf16: Rounded
    f32: Rounded


def round_to(value: float, dtype: FloatDtype) -> float:
    """``value`` rounded once to ``dtype``: to nearest, ties to even, subnormals kept; infinite past the largest."""
    if value == 0.0 or not math.isfinite(value):
        return value
    fmt = FORMATS[dtype]
    # The last place is a power of two: scaling by it is exact, and round() breaks ties to even.
    _, exponent = math.frexp(value)
    place = max(exponent - fmt.bits, math.frexp(fmt.smallest_subnormal)[1] - 1)
    rounded = math.ldexp(round(math.ldexp(value, -place)), place) if exponent <= 128 else math.inf
    return math.copysign(math.inf if abs(rounded) > fmt.max else rounded, value)


def is_subnormal(value: float, dtype: FloatDtype) -> bool:
    """Whether ``value`` lies below the smallest normal number of ``dtype`` without being zero."""
    return 0.0 < abs(value) < FORMATS[dtype].smallest_normal


def rounded(value: float, dtype: FloatDtype) -> Rounded:
    """``value`` in ``dtype``, and whether anything of it was lost to underflow."""
    result = round_to(value, dtype)
    return Rounded(result, is_subnormal(result, dtype), result == 0.0 and value != 0.0)


def eps_facts(eps: float) -> EpsFacts:
    """√ε and ε in each dtype. 1e-05 is 1.0014e-05 in fp16, subnormal; 1e-08 is 0."""
    root = math.sqrt(eps) if eps >= 0.0 else math.nan
    return EpsFacts(root, rounded(eps, "F16"), rounded(eps, "BF16"), rounded(eps, "F32"))


def short(x: float, digits: int = 4) -> str:
    """A number as people write it: 6,738,415,616 · 1e-05 · 3.162e-03 · 255.9 · 0.75.

    A whole number has all its digits, in groups of three; any other stays as it was written where that takes at most
    six digits, and is otherwise rounded to ``digits``.
    """
    if isinstance(x, int):
        return f"{x:,}"
    if not math.isfinite(x):
        return str(x)
    size = abs(x)
    if x.is_integer() and size < 1e15:
        return f"{int(x):,}"
    text = repr(x)
    figures = text.partition("e")[0].replace(".", "").strip("-0")
    if len(figures) <= 6 and size < 1000:
        return text
    if not 0.01 <= size < 1e15:
        return text if len(figures) <= 6 else f"{x:.{digits - 1}e}"
    return f"{x:,.{max(0, digits - 1 - math.floor(math.log10(size)))}f}"

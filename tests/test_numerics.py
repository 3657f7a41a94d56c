"""Rounding to a checkpoint's dtype, against the struct module and exact rational arithmetic."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cfgexplain.facts.numerics import F16_SQUARE_LIMIT, FORMATS, FloatDtype, eps_facts, is_subnormal, round_to, short

FLOATS = st.floats(allow_nan=False)
NEAR_F16 = st.floats(-70000.0, 70000.0) | st.floats(-1e-4, 1e-4)


def by_struct(value: float, code: str) -> float:
    """C's rounding, with infinity where it overflows."""
    try:
        return float(struct.unpack(f"<{code}", struct.pack(f"<{code}", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def same(a: float, b: float) -> bool:
    """Equal, the sign of zero included."""
    return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)


def bf16(bits: int) -> float:
    """The bfloat16 with these 15 bits (no sign): the upper half of a float32."""
    return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])


@given(FLOATS | NEAR_F16)
@example(65519.999)
@example(65520.0)
@example(2.0**-25)
@example(math.nextafter(2.0**-25, 1.0))
@example(-(2.0**-14) * 1.5)
@example(0.0)
@example(-0.0)
def test_f16_rounds_as_struct_does(value: float) -> None:
    assert same(round_to(value, "F16"), by_struct(value, "e"))


@given(FLOATS | st.floats(width=32, allow_nan=False) | st.floats(-1e-37, 1e-37))
@example(3.4028235677973366e38)
@example(2.0**-150)
@example(5e-324)
@example(1.7976931348623157e308)
def test_f32_rounds_as_struct_does(value: float) -> None:
    assert same(round_to(value, "F32"), by_struct(value, "f"))


@given(st.integers(0, 0x7F7E), st.integers(0, 2**20), st.booleans())
@example(0, 2**19, False)
@example(1, 2**19, False)
@example(0x007F, 2**19, True)
def test_bf16_rounds_to_the_nearest_and_ties_to_even(bits: int, step: int, negative: bool) -> None:
    low, high = bf16(bits), bf16(bits + 1)
    value = low + (high - low) * (step / 2**20)
    below, above = Fraction(value) - Fraction(low), Fraction(high) - Fraction(value)
    nearest = low if below < above or (below == above and bits % 2 == 0) else high
    sign = -1.0 if negative else 1.0
    assert same(round_to(sign * value, "BF16"), sign * nearest)


def test_bf16_rounds_once_and_not_through_float32() -> None:
    # Just above the tie between 1 and 1 + 2**-7: rounding to float32 first would make it the tie, and so 1.
    assert round_to(1.0 + 2.0**-8 + 2.0**-40, "BF16") == 1.0 + 2.0**-7


def test_bf16_overflows_halfway_past_its_largest() -> None:
    largest = FORMATS["BF16"].max
    assert largest == bf16(0x7F7F)
    half = 2.0**119
    assert round_to(math.nextafter(largest + half, 0.0), "BF16") == largest
    assert round_to(largest + half, "BF16") == math.inf
    assert round_to(-1e39, "BF16") == -math.inf


def test_bf16_cannot_hold_15_8125_plus_1() -> None:
    assert round_to(15.8125, "BF16") == 15.8125
    assert round_to(16.8125, "BF16") != 16.8125


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F32"])
@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinity_stays(dtype: FloatDtype, value: float) -> None:
    assert round_to(value, dtype) == value
    assert math.isnan(round_to(math.nan, dtype))


@given(FLOATS, st.sampled_from(["F16", "BF16", "F32"]))
def test_rounding_twice_changes_nothing(value: float, dtype: FloatDtype) -> None:
    once = round_to(value, dtype)
    assert same(round_to(once, dtype), once)


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F32"])
def test_limits_of_a_format_are_its_own(dtype: FloatDtype) -> None:
    fmt = FORMATS[dtype]
    for limit in (fmt.max, fmt.smallest_normal, fmt.smallest_subnormal):
        assert round_to(limit, dtype) == limit
    assert round_to(fmt.smallest_subnormal / 2, dtype) == 0.0
    assert round_to(math.nextafter(fmt.smallest_subnormal / 2, 1.0), dtype) == fmt.smallest_subnormal
    assert not is_subnormal(fmt.smallest_normal, dtype)
    assert is_subnormal(fmt.smallest_subnormal, dtype)
    assert not is_subnormal(0.0, dtype)


@pytest.mark.parametrize(
    ("eps", "text", "subnormal", "zero"),
    [
        (1e-05, "1.0014e-05", True, False),
        (1e-06, "1.0133e-06", True, False),
        (1e-08, "0", False, True),
        (1e-12, "0", False, True),
        (3e-08, "5.9605e-08", True, False),
        (1e-03, "1.0004e-03", False, False),
    ],
)
def test_eps_in_fp16(eps: float, text: str, subnormal: bool, zero: bool) -> None:
    half = eps_facts(eps).f16
    assert (short(half.value, 5), half.subnormal, half.zero) == (text, subnormal, zero)


@pytest.mark.parametrize("eps", [1e-05, 1e-06, 1e-08, 1e-12, 1.5625e-07])
def test_eps_survives_bf16(eps: float) -> None:
    brain = eps_facts(eps).bf16
    assert not brain.zero
    assert not brain.subnormal
    assert abs(brain.value / eps - 1.0) < 2.0**-8


def test_zero_is_not_lost_by_rounding() -> None:
    assert not eps_facts(0.0).f16.zero


@pytest.mark.parametrize(("eps", "root"), [(1e-05, "3.162e-03"), (1e-06, "0.001"), (-1.0, "nan")])
def test_root_of_eps(eps: float, root: str) -> None:
    assert short(eps_facts(eps).root) == root


def test_fp16_squares_overflow_past_255_9() -> None:
    assert short(F16_SQUARE_LIMIT) == "255.9"
    assert round_to(255.875**2, "F16") == 65472.0
    assert round_to(256.0**2, "F16") == math.inf


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (6738415616, "6,738,415,616"),
        (-1234, "-1,234"),
        (0, "0"),
        (1e-05, "1e-05"),
        (1.5625e-07, "1.5625e-07"),
        (0.001, "0.001"),
        (3.5, "3.5"),
        (4.0, "4"),
        (65504.0, "65,504"),
        (2.0**-14, "6.104e-05"),
        (2.0**-24, "5.960e-08"),
        (32768 / 3, "10,923"),
        (8 / 3, "2.667"),
        (9.99999, "9.99999"),
        (-1 / 3, "-0.3333"),
        (1e22, "1e+22"),
        (2.0**200, "1.607e+60"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_short(number: float, text: str) -> None:
    assert short(number) == text


@given(st.floats(1e-300, 1e300))
def test_short_keeps_four_digits(number: float) -> None:
    assert float(short(number).replace(",", "")) == pytest.approx(number, rel=6e-4)

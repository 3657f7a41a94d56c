"""What a width divides into, against published cases."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfgexplain.facts.derivation import FACTOR_CAP, factorize
from cfgexplain.facts.widths import (
    alignment,
    groups_per_rank,
    next_fit,
    other_convention,
    rounding_cost,
    tensor_parallel,
)


@pytest.mark.parametrize(
    ("n", "factors"),
    [
        (1, {}),
        (11008, {"2": 8, "43": 1}),
        (28672, {"2": 12, "7": 1}),
        (29568, {"2": 7, "3": 1, "7": 1, "11": 1}),
        (65521, {"65521": 1}),
        (65521 * 65537, {"65521": 1, "65537": 1}),
    ],
)
def test_factors(n: int, factors: dict[str, int]) -> None:
    assert factorize(n) == factors


@given(st.integers(1, 2**24))
def test_factors_multiply_back_and_are_prime(n: int) -> None:
    factors = factorize(n)
    assert factors is not None
    assert prod(int(p) ** k for p, k in factors.items()) == n
    assert all(int(p) % q for p in factors for q in range(2, int(int(p) ** 0.5) + 1))
    assert list(factors) == sorted(factors, key=int)


@pytest.mark.parametrize("n", [0, -8, FACTOR_CAP + 1, 10**400])
def test_no_factors_of_what_is_no_width(n: int) -> None:
    assert factorize(n) is None


def test_tensor_parallel_degrees_of_11008() -> None:
    assert tensor_parallel(11008) == [1, 2, 4, 8, 16, 32, 64]
    assert tensor_parallel(29568) == [1, 2, 4, 8, 16, 32, 64]
    assert tensor_parallel(18944 + 8) == [1, 2, 4, 8]
    assert tensor_parallel(3 * 5) == [1]


@pytest.mark.parametrize("width", [14464, 13696, 10944, 1408, 1856, 3712, 2688, 4544, 896])
def test_k_quant_blocks_do_not_fit_but_blocks_of_32_do(width: int) -> None:
    assert 256 not in alignment(width)
    assert {8, 16, 32} <= set(alignment(width))


@pytest.mark.parametrize("width", [11008, 14336])
def test_k_quant_blocks_fit(width: int) -> None:
    assert alignment(width) == [8, 16, 32, 64, 128, 256]


@pytest.mark.parametrize(
    ("width", "group", "tp", "groups", "fits"),
    [
        pytest.param(11008, 128, 1, 86.0, True, id="awq 7b tp1"),
        pytest.param(11008, 128, 2, 43.0, True, id="awq 7b tp2"),
        pytest.param(11008, 128, 4, 21.5, False, id="awq 7b tp4"),
        pytest.param(11008, 128, 8, 10.75, False, id="awq 7b tp8"),
        pytest.param(11008, 64, 4, 43.0, True, id="awq 7b tp4, group 64"),
        pytest.param(18432, 128, 16, 9.0, True, id="fp8 blocks tp16"),
        pytest.param(18432, 128, 32, 4.5, False, id="fp8 blocks tp32"),
        pytest.param(2048, 128, 32, 0.5, False, id="fp8 expert tp32"),
        pytest.param(15, 5, 2, None, False, id="ranks do not divide"),
    ],
)
def test_groups_per_rank(width: int, group: int, tp: int, groups: float | None, fits: bool) -> None:
    fit = groups_per_rank(width, group, tp)
    assert (fit.groups, fit.fits) == (groups, fits)
    assert fit.per_rank == (None if groups is None else width // tp)


def test_padding_of_29568_suits_eight_ranks() -> None:
    assert [groups_per_rank(29568, 128, tp).fits for tp in (1, 2, 4, 8)] == [True, False, False, False]
    assert next_fit(29568, 128, 8) == 29696
    assert all(groups_per_rank(29696, 128, tp).fits for tp in (1, 2, 4, 8))
    assert next_fit(29696, 128, 8) == 29696


def test_rounding_11008_costs_0_78_percent() -> None:
    cost = rounding_cost(4096, 11008)
    assert (cost.gated, cost.plain, cost.extra) == (135_266_304, 134_217_728, 1_048_576)
    assert round(100 * cost.share, 2) == 0.78


def test_exact_eight_thirds_costs_nothing() -> None:
    assert rounding_cost(3072, 8192).extra == 0


@pytest.mark.parametrize(
    ("hidden", "width", "ratio"),
    [
        pytest.param(4096, 22016, (2, 1), id="qwen-7b"),
        pytest.param(8192, 44032, (2, 1), id="doubled 22016"),
        pytest.param(4096, 33024, (3, 1), id="three matrices"),
        pytest.param(4096, 7338, (2, 3), id="two thirds twice"),
        pytest.param(4096, 11008, None, id="the width itself"),
        pytest.param(4096, 14336, None, id="mistral"),
    ],
)
def test_other_convention(hidden: int, width: int, ratio: tuple[int, int] | None) -> None:
    assert other_convention(hidden, width) == ratio

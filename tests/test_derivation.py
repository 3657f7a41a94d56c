"""How intermediate_size follows from hidden_size, against every published example and Meta's own float arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfgexplain.facts.derivation import MAX_SIZE, MULTIPLES, MULTIPLIERS, RECIPES, RecipeHint, derive, meta_width

SIZES = st.integers(1, 2**20)


def meta_in_floats(dim: int, multiplier: float | None, multiple_of: int) -> int:
    """The arithmetic of Meta's FeedForward.__init__, floats and all."""
    hidden_dim = int(2 * (4 * dim) / 3)
    if multiplier is not None:
        hidden_dim = int(multiplier * hidden_dim)
    return multiple_of * ((hidden_dim + multiple_of - 1) // multiple_of)


def fits(hidden: int, width: int, gated: bool | None = True) -> set[tuple[float | None, int | None]]:
    """(multiplier, multiple_of) of each candidate."""
    return {(rule["multiplier"], rule["multiple_of"]) for rule in derive(hidden, width, gated)["candidates"]}


def names(hidden: int, width: int) -> list[str]:
    return [rule["name"] for rule in derive(hidden, width, True)["candidates"]]


def chosen(hidden: int, width: int, gated: bool | None, recipe: RecipeHint | None = None) -> str | None:
    rule = derive(hidden, width, gated, recipe)["chosen"]
    return rule["name"] if rule else None


@given(SIZES, st.sampled_from(MULTIPLIERS), st.sampled_from(MULTIPLES))
def test_exact_ratios_reproduce_metas_floats(hidden: int, multiplier: tuple[int, int], multiple: int) -> None:
    factor = None if multiplier == (1, 1) else multiplier[0] / multiplier[1]
    assert meta_width(hidden, multiplier, multiple) == meta_in_floats(hidden, factor, multiple)


@pytest.mark.parametrize("multiplier", MULTIPLIERS)
def test_exact_ratios_reproduce_metas_floats_for_every_common_hidden_size(multiplier: tuple[int, int]) -> None:
    factor = multiplier[0] / multiplier[1]
    hidden = range(1, 40_000)
    assert [meta_width(d, multiplier, 1) for d in hidden] == [meta_in_floats(d, factor, 1) for d in hidden]


def test_llama_2_7b_is_eight_thirds_up_to_256() -> None:
    result = derive(4096, 11008, True)
    assert result["llama_rule"] == {"exact": "32768/3", "multiple_of": 256, "value": 11008, "matches": True}
    rule = result["chosen"]
    assert rule is not None
    assert (rule["name"], rule["multiplier"], rule["multiple_of"], rule["value"]) == ("llama_rule", 1.0, 256, 11008)
    assert rule["steps"] == [
        "4 × 4096 = 16384",
        "2/3 × 16384 = 32768/3",
        "int(32768/3) = 10922",
        "ceil(10922 / 256) × 256 = 43 × 256 = 11008",
    ]


def test_llama_2_70b_fits_seven_pairs_and_claims_none() -> None:
    result = derive(8192, 28672, True)
    assert result["llama_rule"] == {"exact": "65536/3", "multiple_of": 256, "value": 22016, "matches": False}
    assert result["chosen"] is None
    assert fits(8192, 28672) == {
        (1.3, 512), (1.3, 1024), (1.3, 2048), (1.3, 4096), (1.25, 2048), (1.25, 4096), (1.2, 4096), (None, None),
    }  # fmt: skip
    assert meta_width(8192, (13, 10), 256) == 28416


def test_published_pair_is_named_in_its_reference_and_only_there() -> None:
    published = [r for r in derive(8192, 28672, True)["candidates"] if "Llama-2-70B" in r["reference"]]
    assert [(r["multiplier"], r["multiple_of"]) for r in published] == [(1.3, 4096)]
    assert published[0]["steps"][2:] == [
        "int(65536/3) = 21845",
        "int(1.3 × 21845) = 28398",
        "ceil(28398 / 4096) × 4096 = 7 × 4096 = 28672",
    ]


def test_llama_3_8b_and_mistral_7b_share_one_width() -> None:
    assert {m for f, m in fits(4096, 14336) if f == 1.3} == {256, 512, 1024, 2048}
    assert {f for f, _ in fits(4096, 14336)} == {1.2, 1.25, 1.3, None}
    assert names(4096, 14336)[-1] == "7/2·d"
    assert chosen(4096, 14336, True) is None


def test_llama_3_1_405b_fits_three_multiples_of_1_2() -> None:
    assert fits(16384, 53248) == {(1.2, 1024), (1.2, 2048), (1.2, 4096), (None, None)}
    assert meta_width(16384, (6, 5), 256) == 52480
    assert names(16384, 53248)[-1] == "13/4·d"


def test_llama_3_2_1b_is_a_gated_4d_and_not_the_convention_of_2017() -> None:
    result = derive(2048, 8192, True)
    assert result["chosen"] is None
    assert names(2048, 8192)[-1] == "4·d"
    stated = [r for r in result["candidates"] if "Llama-3.2-1B" in r["reference"]]
    assert [(r["multiplier"], r["multiple_of"]) for r in stated] == [(1.5, 256)]
    assert "int(1.5 × 5461) = 8191" in stated[0]["steps"]
    assert meta_width(2048) == 5632
    assert meta_width(2048, multiple_of=1024) == 6144


@pytest.mark.parametrize(("hidden", "width"), [(3072, 8192), (576, 1536)], ids=["phi-3-mini", "smollm2-135m"])
def test_eight_thirds_that_needs_no_rounding(hidden: int, width: int) -> None:
    result = derive(hidden, width, True)
    assert result["llama_rule"] is not None
    assert result["llama_rule"]["exact"] == str(width)
    assert chosen(hidden, width, True) == "llama_rule"
    assert "8/3·d" in names(hidden, width)
    assert not any("int(" in step for rule in result["candidates"] for step in rule["steps"])


@pytest.mark.parametrize(
    ("hidden", "width", "name"),
    [(4096, 14336, "7/2·d"), (2048, 16384, "8·d"), (2048, 6144, "3·d"), (3072, 24576, "8·d"), (1024, 3840, "15/4·d")],
)
def test_simple_ratio_is_listed_and_not_chosen(hidden: int, width: int, name: str) -> None:
    assert names(hidden, width)[-1] == name
    assert chosen(hidden, width, True) is None


@pytest.mark.parametrize(
    ("hidden", "width"), [(2560, 9728), (3584, 18944), (4544, 14464)], ids=["qwen3-4b: 19/5", "qwen2.5-7b", "none"]
)
def test_no_rule_fits(hidden: int, width: int) -> None:
    result = derive(hidden, width, True)
    assert (result["chosen"], result["candidates"]) == (None, [])
    assert result["llama_rule"] is not None
    assert not result["llama_rule"]["matches"]


def test_mismatch_still_shows_what_the_llama_rule_gives() -> None:
    result = derive(2560, 9728, True)["llama_rule"]
    assert result == {"exact": "20480/3", "multiple_of": 256, "value": 6912, "matches": False}


@pytest.mark.parametrize(
    ("hidden", "width", "gated", "expected"),
    [
        pytest.param(768, 3072, False, "4·d", id="gpt2"),
        pytest.param(768, 3072, None, "4·d", id="gating unknown"),
        pytest.param(2304, 9216, True, None, id="gemma-2-2b: gated"),
        pytest.param(2048, 5632, None, "llama_rule", id="llama rule, gating unknown"),
        pytest.param(2048, 5632, False, None, id="llama rule without a gate"),
        pytest.param(64, 256, True, "llama_rule", id="both fit, gated"),
        pytest.param(64, 256, False, "4·d", id="both fit, two matrices"),
        pytest.param(64, 256, None, None, id="both fit, nothing tells them apart"),
    ],
)
def test_chosen_without_a_known_recipe(hidden: int, width: int, gated: bool | None, expected: str | None) -> None:
    assert chosen(hidden, width, gated) == expected


def test_recipe_of_the_file_is_chosen_and_computed() -> None:
    hint = RecipeHint(1.3, 4096, "params.json", stated=True)
    rule = derive(8192, 28672, True, hint)["chosen"]
    assert rule is not None
    assert (rule["name"], rule["multiplier"], rule["multiple_of"]) == ("stated", 1.3, 4096)
    assert (rule["value"], rule["matches"], rule["reference"]) == (28672, True, "params.json")


def test_recipe_of_the_file_that_gives_another_width_says_so() -> None:
    rule = derive(2048, 8192, True, RecipeHint(None, 256, "params.json", stated=True))["chosen"]
    assert rule is not None
    assert (rule["value"], rule["matches"]) == (5632, False)


def test_recipe_of_the_family_is_chosen_only_where_it_fits() -> None:
    seven_halves = RecipeHint(None, 256, "its code", ratio=(7, 2))
    assert chosen(4096, 14336, True, seven_halves) == "family"
    assert chosen(2560, 9728, True, seven_halves) is None
    assert chosen(4096, 11008, True, seven_halves) == "llama_rule"
    assert chosen(4544, 18176, False, RECIPES["4d"]) == "family"


@given(SIZES, st.floats(0.01, 16), st.integers(1, 8192))
def test_stated_multiplier_is_multiplied_as_meta_does(hidden: int, multiplier: float, multiple: int) -> None:
    rule = derive(hidden, 1, True, RecipeHint(multiplier, multiple, "", stated=True))["chosen"]
    assert rule is not None
    assert rule["value"] == meta_in_floats(hidden, multiplier, multiple)


@pytest.mark.parametrize("multiplier", [0.0, -1.3, float("nan"), float("inf")])
def test_stated_multiplier_that_is_none_is_passed_over(multiplier: float) -> None:
    assert chosen(4096, 11008, True, RecipeHint(multiplier, 256, "", stated=True)) == "llama_rule"


@pytest.mark.parametrize("multiple", [0, -256, 2**70])
def test_stated_multiple_that_is_none_is_passed_over(multiple: int) -> None:
    assert chosen(4096, 11008, True, RecipeHint(1.0, multiple, "", stated=True)) == "llama_rule"


@pytest.mark.parametrize(
    ("hidden", "width"),
    [(0, 1), (1, 0), (-4096, 11008), (1, MAX_SIZE + 1), pytest.param(10**4300 - 1, 1, id="all digits that str allows")],
)
def test_sizes_that_are_none_derive_nothing(hidden: int, width: int) -> None:
    assert derive(hidden, width, True) == {"llama_rule": None, "chosen": None, "candidates": []}


@given(st.integers(1, MAX_SIZE), st.integers(1, MAX_SIZE), st.sampled_from([True, False, None]), st.floats())
def test_any_size_and_any_multiplier_gives_an_answer(
    hidden: int, width: int, gated: bool | None, multiplier: float
) -> None:
    result = derive(hidden, width, gated, RecipeHint(multiplier, 256, "", stated=True))
    assert result["llama_rule"] is not None
    assert Fraction(result["llama_rule"]["exact"]) == Fraction(8 * hidden, 3)


@given(SIZES, SIZES)
def test_ratio_is_listed_exactly_where_its_denominator_is_at_most_four(hidden: int, width: int) -> None:
    ratio = Fraction(width, hidden)
    assert (f"{ratio}·d" in names(hidden, width)) == (ratio.denominator <= 4)


@given(SIZES, st.sampled_from(MULTIPLIERS), st.sampled_from(MULTIPLES))
def test_width_made_by_a_rule_lists_that_rule(hidden: int, multiplier: tuple[int, int], multiple: int) -> None:
    width = meta_width(hidden, multiplier, multiple)
    if width:
        result = derive(hidden, width, True)["candidates"]
        assert (multiplier[0] / multiplier[1], multiple) in fits(hidden, width)
        assert all(rule["matches"] and rule["value"] == width for rule in result)
        assert len({rule["name"] for rule in result}) == len(result)

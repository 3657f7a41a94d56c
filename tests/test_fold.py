"""Names fold into ranges that claim no name too many, and unfold to the same names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfgexplain.fold import fold, natural_key, unfold


@pytest.mark.parametrize(
    ("names", "patterns"),
    [
        ([], []),
        (["a"], ["a"]),
        (["a.weight", "a.weight"], ["a.weight"]),
        ([f"model.layers.{i}.q_proj.bias" for i in range(32)], ["model.layers.{0-31}.q_proj.bias"]),
        ([f"h.{i}.b" for i in (9, 0, 1, 2, 3, 5, 7, 8)], ["h.{0-3,5,7-9}.b"]),
        ([f"h.{i}.e.{j}.w" for i in range(3) for j in range(4)], ["h.{0-2}.e.{0-3}.w"]),
        # One expert is absent in one layer: no product over both positions.
        (
            [f"h.{i}.e.{j}.w" for i in range(3) for j in range(4) if (i, j) != (1, 2)],
            ["h.{0,2}.e.{0-3}.w", "h.1.e.{0-1,3}.w"],
        ),
        (["l.10.w", "l.2.w", "norm", "l.2.b"], ["l.2.b", "l.{2,10}.w", "norm"]),
        # A leading zero, a number too long, and digits of other scripts are words.
        (["a.01", "a.1", "a.1234567890", "a.\u0663"], ["a.1", "a.01", "a.1234567890", "a.\u0663"]),
        (["w1", "w2"], ["w1", "w2"]),
        (["a.{0-3}.w"], ["a.{{0-3}.w"]),
        (["", ".", "a..b"], ["", ".", "a..b"]),
        ([".".join(["7"] * 5000)], [".".join(["7"] * 5000)]),
    ],
)
def test_fold(names: list[str], patterns: list[str]) -> None:
    assert fold(names) == patterns


@pytest.mark.parametrize("pattern", ["{1-}", "{-1}", "{3-1}", "{1,1}", "{a}", "{}", "{1", "{01}", "{1-2-3}", "{ 1}"])
def test_a_malformed_range_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"range|rising"):
        unfold(f"a.{pattern}.b", 10)


def test_the_cap_holds_before_the_first_name() -> None:
    assert len(list(unfold("a.{0-1}.{0-4}", 10))) == 10
    with pytest.raises(ValueError, match="more than 9 names"):
        unfold("a.{0-1}.{0-4}", 9)
    with pytest.raises(ValueError, match="more than"):
        unfold(".".join(["{0-999999998}"] * 1000), 5_000_000)


def test_order_is_natural() -> None:
    assert sorted(["l.10", "l.9", "l.a"], key=natural_key) == ["l.9", "l.10", "l.a"]


_segments = st.one_of(st.integers(0, 12).map(str), st.text("ab{}0-3,%", max_size=5))
_names = st.lists(st.lists(_segments, min_size=1, max_size=4).map(".".join), max_size=60)


@settings(max_examples=300, deadline=None)
@given(_names)
def test_unfolding_gives_the_names_back(names: list[str]) -> None:
    patterns = fold(names)
    back = [n for p in patterns for n in unfold(p, 1000)]
    assert sorted(back) == sorted(set(names))
    assert fold(reversed(names)) == patterns


def test_ninety_thousand_names_take_about_a_second_at_most() -> None:
    names = [
        f"model.layers.{i}.mlp.experts.{j}.{m}_proj.{w}"
        for i in range(3, 62)
        for j in range(256)
        for m in ("gate", "up", "down")
        for w in ("weight", "weight_scale_inv")
    ]
    began = time.perf_counter()
    patterns = fold(names)
    assert len(names) > 90_000
    assert patterns[0] == "model.layers.{3-61}.mlp.experts.{0-255}.down_proj.weight"
    assert len(patterns) == 6
    assert time.perf_counter() - began < 3

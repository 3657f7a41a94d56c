"""Names from files, made safe to print."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfgexplain.text import clean


@pytest.mark.parametrize("name", ["", "model.layers.0.mlp.up_proj.weight", "a\\x1b", "層.重み", "ü é 😀", "[red]x[/]"])
def test_harmless_names_stay(name: str) -> None:
    assert clean(name) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc\x00", "a\\x0ab\\x09c\\x00"),
        ("a\x7fb\x9bc", "a\\x7fb\\x9bc"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("a\u200bb\ufeffc\u2028", "a\\u200bb\\ufeffc\\u2028"),
        ("a\ud800b", "a\\ud800b"),
        ("a\U000e0041", "a\\U000e0041"),
        ("a\u3164b\ufe0f", "a\\u3164b\\ufe0f"),
    ],
)
def test_what_a_terminal_obeys_or_hides_is_escaped(name: str, shown: str) -> None:
    assert clean(name) == shown


def test_limit_counts_what_is_printed_and_cuts_no_escape() -> None:
    assert clean("abcdef", 6) == "abcdef"
    assert clean("abcdefg", 6) == "abcde…"
    assert clean("\x1b\x1b", 6) == "\\x1b…"
    assert clean("a" * 10_000_000, 5) == "aaaa…"


@given(st.text(st.characters(), max_size=40), st.integers(0, 30))
def test_any_text_prints_and_cleaning_again_changes_nothing(text: str, limit: int) -> None:
    shown = clean(text, limit)
    shown.encode("utf-8")
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp", "Cf") for char in shown)
    assert not limit or len(shown) <= limit
    assert clean(shown, limit) == shown

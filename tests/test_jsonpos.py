"""Config text: value, faults with their places, and positions."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfgexplain.errors import CfgexplainError
from cfgexplain.jsonpos import MAX_CONFIG_BYTES, SHOWN, ParsedJson, escape_pointer, parse_config, position
from cfgexplain.lang.en_reading import TEXTS
from cfgexplain.text import clean


def read(text: str | bytes) -> ParsedJson:
    return parse_config(text if isinstance(text, bytes) else text.encode(), "config.json")


def refused(text: str | bytes) -> str:
    """The message of a config that is refused: one printable line that names the file."""
    with pytest.raises(CfgexplainError) as caught:
        read(text)
    error = caught.value
    assert error.kind == "invalid-config"
    assert error.message.startswith("config.json")
    assert error.message.isprintable()
    assert len(error.message) < 300
    assert error.hint
    return error.message


def places(parsed: ParsedJson) -> list[tuple[str, str | None, object]]:
    """Check, pointer and value of each problem; proves that each has its text."""
    for problem in parsed.problems:
        message, hint = TEXTS[f"finding.{problem.check}.{problem.key}"]
        assert message.format(**problem.values)
        assert hint.format(**problem.values)
    return [(p.check, p.pointer, p.values.get("value")) for p in parsed.problems]


def test_plain_config() -> None:
    assert read('{"a": 1, "b": [1.5, null]}') == ('{"a": 1, "b": [1.5, null]}', {"a": 1, "b": [1.5, None]}, ())


def test_byte_order_mark_is_no_part_of_the_text() -> None:
    parsed = read(b'\xef\xbb\xbf{"a": 1}')
    assert parsed.text == '{"a": 1}'
    assert position(parsed.text, "/a") == (1, 2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"[]", "holds a list, not a JSON object"),
        (b"null", "holds null"),
        (b"3", "holds a number"),
        (b'"x"', "holds a text"),
        (b"\x80\x02}", "is not UTF-8 text (byte 0x80 at offset 0)"),
        (b'{"a": "\xff"}', "(byte 0xff at offset 7)"),
        (b'\xef\xbb\xbf{"a": "\xff"}', "(byte 0xff at offset 10)"),
        ('{"a": 1}'.encode("utf-16"), "is UTF-16 text"),
        ('{"a": 1}'.encode("utf-16-le"), "is UTF-16 text"),
        ('{"a": 1}'.encode("utf-32"), "is UTF-32 text"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"<!DOCTYPE html>", "HTML"),
        (b"<<<<<<< HEAD\n{", "merge conflict"),
        (b"[" * 1_000_000, "nested more than 100 levels"),
        (b'{"a":' * 500 + b"1" + b"}" * 500, "nested more than 100 levels"),
        (b'{"a":' + b"[" * 100 + b"]" * 100 + b"}", "nested more than 100 levels"),
        (b'{"a":\n ' + b"9" * 5000 + b"}", "line 2, column 2: an integer of 5,000 digits"),
        (b" " * (MAX_CONFIG_BYTES + 1), "10,000,001 bytes"),
    ],
)
def test_no_config_at_all(data: bytes, words: str) -> None:
    assert words in refused(data)


def test_just_deep_enough_and_long_enough() -> None:
    assert read(b'{"a":' + b"[" * 99 + b"]" * 99 + b"}").problems == ()
    assert read(b'{"a":' + b"9" * 100 + b"}").value == {"a": int("9" * 100)}


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ('{\n  "a": 1,\n}', "line 2, column 9", "a comma before the closing bracket"),
        ('{\n  "a": [1, 2 , ]\n}', "line 2, column 14", "a comma before the closing bracket"),
        ('{\r\n  "a": 1,\r\n}', "line 2, column 9", "a comma before the closing bracket"),
        ("{'a': 1}", "line 1, column 2", "single quotes"),
        ('{"a": True}', "line 1, column 7", "True, which is Python"),
        ('{"a": None}', "line 1, column 7", "None, which is Python"),
        ('{"a": 1 // why\n}', "line 1, column 9", "comma is missing"),
        ('{// why\n"a": 1}', "line 1, column 2", "a comment"),
        ('{"a" 1}', "line 1, column 6", "a colon is missing"),
        ('{"a": 1\n "b": 2}', "line 2, column 2", "a comma is missing"),
        ('{"a": 1', "line 1, column 7", "ends too early"),
        ('{"a": [1,\n', "line 1, column 9", "ends too early"),
        ('{"a": "x', "line 1, column 7", "no closing quote"),
        ('{"a": "x\ny"}', "line 1, column 9", "control character or line break"),
        ('{"a": "\\x"}', "line 1, column 8", "a backslash"),
        ('{"a": 1} {"b": 2}', "line 1, column 10", "after the end"),
        ('{"a": 01}', "line 1, column 8", "a comma is missing"),
    ],
)
def test_bad_json_says_where_and_what(text: str, where: str, words: str) -> None:
    message = refused(text)
    assert message.startswith(f"config.json, {where}: ")
    assert words in message


def test_offending_line_is_shown_shortened_and_safe() -> None:
    assert refused('{\n  "a": 1,\n}').endswith(': "a": 1,')
    assert "\\x1b[31m" in refused('{"a\x1b[31m": 1}')
    long = refused('{"a": [' + "1, " * 100_000 + "oops]}")
    assert "oops" in long
    assert "…" in long


def test_nan_and_infinity_are_values_with_a_place() -> None:
    parsed = read('{"a": NaN, "b/c": [1, {"~": -Infinity}], "d": Infinity, "e": 1e999, "f": 1e300}')
    assert math.isnan(parsed.value["a"])  # type: ignore[arg-type]
    assert places(parsed) == [
        ("non-finite-number", "/a", "NaN"),
        ("non-finite-number", "/b~1c/1/~0", "-Infinity"),
        ("non-finite-number", "/d", "Infinity"),
        ("non-finite-number", "/e", "Infinity"),
    ]


def test_transformers_own_infinity_is_no_problem() -> None:
    parsed = read('{"time_step_limit": [0.0, {"__float__": "Infinity"}]}')
    assert parsed.value == {"time_step_limit": [0.0, {"__float__": "Infinity"}]}
    assert parsed.problems == ()


def test_duplicate_keys_last_wins_each_told_once() -> None:
    parsed = read('{"a": 1, "x": {"b": 1, "b": 2, "b": 3}, "l": [{"k": 1, "k": 1}], "a": 2}')
    assert parsed.value["a"] == 2
    assert places(parsed) == [
        ("duplicate-key", "/a", "a"),
        ("duplicate-key", "/x/b", "b"),
        ("duplicate-key", "/l/0/k", "k"),
    ]


def test_many_problems_are_counted() -> None:
    parsed = read("{" + ",".join(f'"k{i}": NaN' for i in range(100)) + "}")
    assert len(places(parsed)) == SHOWN + 1
    assert parsed.problems[-1].values["count"] == 100 - SHOWN


TEXT = """{
  "a": 1,
  "b": {"c/d": [10, {"~e": "x"}], "": 0},
  "dup": 1,
  "tab":\t[
    true,
\t{"k": null}
  ],
  "dup": {"in": 2},
  "ü\\u0041": 3
}"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/a", (2, 3)),
        ("/b", (3, 3)),
        ("/b/c~1d", (3, 9)),
        ("/b/c~1d/0", (3, 17)),
        ("/b/c~1d/1", (3, 21)),
        ("/b/c~1d/1/~0e", (3, 22)),
        ("/b/", (3, 35)),
        ("/dup", (9, 3)),
        ("/dup/in", (9, 11)),
        ("/tab/0", (6, 5)),
        ("/tab/1/k", (7, 3)),
        ("/üA", (10, 3)),
        ("/nope", None),
        ("/a/b", None),
        ("/tab/2", None),
        ("/tab/-", None),
        ("/tab/00", None),
    ],
)
def test_position(pointer: str, place: tuple[int, int] | None) -> None:
    assert position(TEXT, pointer) == place


@pytest.mark.parametrize("text", ["", "{", '{"a"', '{"a":', '{"a": 1', "[1,", "[" * 5000, '{"b":x, "a": 1}'])
def test_position_in_what_is_no_json_is_none(text: str) -> None:
    assert position(text, "/a/0") is None


KEYS = st.text(st.sampled_from('ab/~"\\\x1b\n\u202eé😀 0') | st.just("\ud800"), max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from([None, 1]))
def test_any_object_is_read_and_every_place_found(value: dict[str, object], indent: int | None) -> None:
    """Surrogates and control characters in keys among them. What stands at a place is the key, or the item's value."""
    parsed = read(json.dumps(value, indent=indent))
    assert parsed.value == value
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        pointer, item = stack.pop()
        inner = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
        for key, child in inner:
            below = f"{pointer}/{escape_pointer(str(key))}"
            place = position(parsed.text, below)
            assert place is not None
            line, column = place
            rest = "\n".join([parsed.text.split("\n")[line - 1][column - 1 :], *parsed.text.split("\n")[line:]])
            found, _ = json.JSONDecoder().raw_decode(rest)
            assert found == (key if isinstance(item, dict) else child)
            stack.append((below, child))


@given(st.binary(max_size=30) | st.text(st.sampled_from('{}[]",:\\0-.eaNn \n'), max_size=20).map(str.encode))
def test_no_bytes_bring_anything_but_an_error_of_ours(data: bytes) -> None:
    try:
        outcome: object = read(data).value
    except CfgexplainError as error:
        outcome = error
    if isinstance(outcome, CfgexplainError):
        assert outcome.kind == "invalid-config"
        assert clean(outcome.message) == outcome.message
    else:
        assert isinstance(outcome, dict)

"""The header reader, rule by rule. What the library makes of the same bytes is test_header_oracle.py's."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING

import pytest

from cfgexplain.checkpoint import Tensor
from cfgexplain.errors import HeaderError
from cfgexplain.header import HeaderTable, LfsPointer, diagnose, parse_header, parse_length
from cfgexplain.header_layout import SHOWN
from cfgexplain.lang.en_reading import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

A = '"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0f" * 32 + b"\nsize 9953362604\n"


def entry(dtype: object, shape: object, begin: object, end: object) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def read(header: str | bytes | Mapping[str, object], data: int | None = None) -> HeaderTable:
    """Parse a header as if ``data`` bytes followed it, or as if nobody knew."""
    if not isinstance(header, (str, bytes)):
        header = json.dumps(header)
    raw = header if isinstance(header, bytes) else header.encode()
    return parse_header(raw, "m.safetensors", None if data is None else 8 + len(raw) + data)


def told(table: HeaderTable) -> list[str]:
    """The findings' texts, which proves that each has one and that its values fill it."""
    return [TEXTS[f"finding.{p.check}.{p.key}"][0].format(**p.values) for p in table.problems]


def refused(header: str | bytes | Mapping[str, object], data: int | None = None) -> HeaderError:
    with pytest.raises(HeaderError) as caught:
        read(header, data)
    assert caught.value.kind == "invalid-header"
    assert "m.safetensors" in caught.value.message
    return caught.value


@pytest.mark.parametrize("metadata", ["", '"__metadata__":{},', '"__metadata__":null,'])
def test_d06_metadata_absent_empty_or_null(metadata: str) -> None:
    table = read("{" + metadata + A + "}", 4)
    assert table == HeaderTable((Tensor("a", "F32", (1,), 4, "m.safetensors"),), {}, table.header_bytes, 4, ())


def test_metadata_is_kept() -> None:
    assert read('{"__metadata__":{"format":"pt"},' + A + "}", 4).metadata == {"format": "pt"}


def test_no_tensors_is_a_sound_file() -> None:
    assert read("{}", 0) == HeaderTable((), {}, 2, 0, ())


def test_d07_metadata_value_that_is_no_string() -> None:
    table = read('{"__metadata__":{"unquoted_int":0,"k":"v"},' + A + "}", 4)
    assert [t.name for t in table.tensors] == ["a"]
    assert table.metadata == {"k": "v"}
    (text,) = told(table)
    assert "'unquoted_int' is 0, not a string" in text


@pytest.mark.parametrize("metadata", ["[]", '""', "7", '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'])
def test_metadata_that_is_no_object_of_strings(metadata: str) -> None:
    table = read('{"__metadata__":' + metadata + "," + A + "}", 4)
    assert [t.name for t in table.tensors] == ["a"]
    assert told(table)


def test_d08_duplicate_tensor_is_named_and_no_innocent_one() -> None:
    second = '"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}'
    table = read("{" + A + "," + second + "}", 8)
    assert [(t.name, t.nbytes) for t in table.tensors] == [("a", 4)]
    assert told(table) == ["m.safetensors: duplicate key 'a' in its header; one of the two tensors cannot be reached."]


@pytest.mark.parametrize(
    "header",
    [
        '{"__metadata__":{"x":"1","x":"2"},' + A + "}",
        '{"__metadata__":{},"__metadata__":{},' + A + "}",
        '{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
        '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":[{"y":1,"y":2}]}}',
    ],
)
def test_duplicate_keys_anywhere(header: str) -> None:
    table = read(header, 4)
    assert [t.name for t in table.tensors] == ["a"]
    assert len(told(table)) == 1


def test_d11_new_dtypes() -> None:
    table = read(
        {"w": entry("F4", [2, 8], 0, 8), "s": entry("F8_E8M0", [1], 8, 9), "z": entry("F7_NEW", [3], 9, 12)}, 12
    )
    assert [(t.dtype, t.shape, t.nbytes) for t in table.tensors] == [
        ("F4", (2, 8), 8),
        ("F8_E8M0", (1,), 1),
        ("F7_NEW", (3,), 3),
    ]
    assert [(p.check, p.values["dtype"], p.values["count"], p.tensors) for p in table.problems] == [
        ("unknown-dtype", "F7_NEW", 1, ("z",))
    ]
    assert told(table)


def test_unknown_dtype_is_told_once_with_all_its_tensors() -> None:
    table = read({f"t{i}": entry("F7_NEW", [3], 3 * i, 3 * i + 3) for i in range(50)}, 150)
    (problem,) = table.problems
    assert problem.values["count"] == len(problem.tensors) == 50


@pytest.mark.parametrize(("dtype", "shape", "end"), [("F4", [3], 1), ("F4", [3], 2), ("F6_E2M3", [2], 2)])
def test_last_element_inside_a_byte(dtype: str, shape: list[int], end: int) -> None:
    table = read({"a": entry(dtype, shape, 0, end)}, end)
    assert [p.key for p in table.problems] == ["sub-byte"]
    assert told(table)


def test_d17_empty_tensor_is_fine_and_one_without_its_data_is_not() -> None:
    table = read({"scaled_fp8": entry("F8_E4M3", [0], 0, 0), "x": entry("F32", [1], 0, 0)}, 0)
    assert [(p.key, p.tensors) for p in table.problems] == [("size", ("x",))]
    assert "needs 4 bytes; its offsets give 0" in told(table)[0]
    assert read({"s": entry("F32", [], 0, 4)}, 4).tensors[0].shape == ()


@pytest.mark.parametrize(
    ("header", "data", "keys", "words"),
    [
        ({"t": entry("F32", [1000, 1000], 0, 4)}, 4, ["size"], ["'t'", "needs 4,000,000 bytes", "give 4."]),
        ({"t": entry("F32", [1], 4, 0)}, 0, ["reversed", "start-offset"], ["'t'", "ends at byte 0", "begins at 4"]),
        ({"t": entry("F32", [1], 4, 8)}, 8, ["start-offset"], ["'t'", "byte 4"]),
        (
            {"a": entry("F32", [1], 0, 4), "b": entry("F32", [1], 0, 4)},
            4,
            ["overlap"],
            ["'b'", "byte 0", "'a' ends at 4"],
        ),
        (
            {"a": entry("F32", [1], 0, 4), "b": entry("F32", [1], 3, 7)},
            7,
            ["overlap"],
            ["'b'", "byte 3", "'a' ends at 4"],
        ),
        (
            {"a": entry("F32", [1], 0, 4), "b": entry("F32", [1], 6, 10), "c": entry("F32", [1], 10, 14)},
            14,
            ["hole"],
            ["2 bytes", "'a' ends at 4", "'b' begins at 6"],
        ),
        ({"a": entry("F32", [1], 0, 4)}, 7, ["trailing-bytes"], ["3 more"]),
    ],
    ids=["size", "reversed", "start", "same range", "overlap", "hole", "trailing"],
)
def test_d18_offsets(header: dict[str, object], data: int, keys: list[str], words: list[str]) -> None:
    table = read(header, data)
    assert [p.key for p in table.problems] == keys
    assert {p.check for p in table.problems} == {"invalid-header"}
    assert all(word in told(table)[0] for word in words), told(table)
    assert len(table.tensors) == len(header)
    assert min(t.nbytes for t in table.tensors) >= 0


def test_tensors_come_in_the_order_of_their_data() -> None:
    header = {"b": entry("F32", [1], 4, 8), "z": entry("F32", [0], 4, 4), "a": entry("F32", [1], 0, 4)}
    table = read(header, 8)
    assert [t.name for t in table.tensors] == ["a", "z", "b"]
    assert not table.problems


def test_truncated_file_names_both_sizes_and_the_lost_tensors() -> None:
    header = {"a": entry("F32", [1], 0, 4), "b": entry("F32", [2], 4, 12), "c": entry("F32", [1], 12, 16)}
    table = read(header, 10)
    (problem,) = table.problems
    assert (problem.check, problem.tensors) == ("truncated-file", ("b", "c"))
    assert problem.values["missing"] == 6
    size = 8 + table.header_bytes
    assert f"has {size + 10} bytes and should have {size + 16}: 6 are missing" in told(table)[0]


def test_unknown_file_size_is_not_judged() -> None:
    assert not read({"a": entry("F32", [1], 0, 4)}).problems


def test_many_breaks_of_one_rule_are_counted() -> None:
    table = read({f"t{i}": entry("F32", [9], 4 * i, 4 * i + 4) for i in range(100)}, 400)
    assert [p.key for p in table.problems] == ["size"] * SHOWN + ["more"]
    assert table.problems[-1].values["count"] == len(table.problems[-1].tensors) == 100 - SHOWN
    assert told(table)


def test_blanks_before_the_header() -> None:
    table = read(" \n{" + A + "}", 4)
    assert [p.key for p in table.problems] == ["blank-start"]
    assert told(table)
    assert read("{" + A + "} \n\t\r", 4).problems == ()


@pytest.mark.parametrize(
    ("header", "rule", "words"),
    [
        (b"", "start", ["is empty"]),
        (b"[]", "start", ["'[]'"]),
        (b"\xef\xbb\xbf{}", "start", ["\\ufeff"]),
        (b'{"a\xff":1}', "not-utf8", ["0xff", "offset 3"]),
        (b"{" + A.encode() + b"}\x00", "not-json", []),
        (b"{" + A.encode() + b",}", "not-json", []),
        (b"{" + A.encode(), "not-json", []),
        (b'{"a":' + b"[" * 100_000, "depth", []),
        (b'{"a":' + b"[]," * 1_000_000 + b"1}", "too-many-arrays", []),
        (b'{"a":NaN}', "number", []),
        (b'{"a":1e999}', "number", []),
        (b'{"a":' + b"9" * 5000 + b"}", "number", []),
        (b'{"\\ud800":1}', "surrogate", []),
    ],
)
def test_no_table_at_all(header: bytes, rule: str, words: list[str]) -> None:
    error = refused(header)
    assert error.rule == rule
    assert error.message.isprintable()
    assert all(word in error.message for word in words), error.message


@pytest.mark.parametrize(
    ("value", "rule", "words"),
    [
        ("null", "tensor-not-object", ["is null, not an object"]),
        ('["F32",[1],[0,4]]', "tensor-not-object", ["a list of 3"]),
        ("{}", "missing-field", ["no dtype"]),
        ('{"dtype":"F32","data_offsets":[0,4]}', "missing-field", ["no shape"]),
        ('{"dtype":"F32","shape":[1]}', "missing-field", ["no data_offsets"]),
        ('{"dtype":4,"shape":[1],"data_offsets":[0,4]}', "dtype", ["dtype is 4"]),
        ('{"dtype":{"F32":null},"shape":[1],"data_offsets":[0,4]}', "dtype", ["an object"]),
        ('{"dtype":[],"shape":[1],"data_offsets":[0,4]}', "dtype", ["a list"]),
        ('{"dtype":"F32","shape":1,"data_offsets":[0,4]}', "shape", ["shape is 1"]),
        ('{"dtype":"F32","shape":"1","data_offsets":[0,4]}', "shape", ["the text '1'"]),
        ('{"dtype":"F32","shape":{},"data_offsets":[0,4]}', "shape", ["an object"]),
        ('{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}', "shape", ["-1"]),
        ('{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}', "shape", ["-1"]),
        ('{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}', "shape", ["1.0"]),
        ('{"dtype":"F32","shape":[1e0],"data_offsets":[0,4]}', "shape", ["1e0"]),
        ('{"dtype":"F32","shape":[true],"data_offsets":[0,4]}', "shape", ["true"]),
        ('{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}', "shape", ["a list"]),
        ('{"dtype":"F32","shape":[-0],"data_offsets":[0,0]}', "shape", ["-0"]),
        ('{"dtype":"F32","shape":[18446744073709551616,0],"data_offsets":[0,0]}', "shape", ["18446744073709551616"]),
        (
            '{"dtype":"F32","shape":[1099511627776,1099511627776,0],"data_offsets":[0,0]}',
            "overflow",
            ["2**64 elements"],
        ),
        ('{"dtype":"F32","shape":[1099511627776,16777216],"data_offsets":[0,4]}', "overflow", ["2**64 elements"]),
        ('{"dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,4]}', "overflow", ["2**64 bits"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[0]}', "offsets", ["a list of 1"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}', "offsets", ["a list of 3"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":"04"}', "offsets", ["the text '04'"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}', "offsets", ["-4"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[-0,4]}', "offsets", ["-0"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[0.0,4]}', "offsets", ["0.0"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[false,4]}', "offsets", ["false"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[0,99999999999999999999]}', "offsets", ["99999999999999999999"]),
        ('{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":' + "[" * 126 + "]" * 126 + "}", "depth", []),
        ('{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":' + "9" * 400 + "}", "number", []),
    ],
)
def test_a_tensor_that_cannot_be_listed_is_named(value: str, rule: str, words: list[str]) -> None:
    error = refused("{" + A.replace('"a"', '"before"') + ',"bad.one":' + value + "}", 4)
    assert (error.rule, error.tensor) == (rule, "bad.one")
    assert "'bad.one'" in error.message
    assert all(word in error.message for word in words), error.message


def test_unknown_fields_and_any_order_are_fine() -> None:
    table = read('{"a":{"x":{"y":[1.5,-0,true]},"data_offsets":[0,4],"shape":[1],"dtype":"F32"}}', 4)
    assert [t.shape for t in table.tensors] == [(1,)]
    assert not table.problems


def test_names_are_unescaped_in_the_table_and_escaped_in_messages() -> None:
    table = read('{"\\u001b[31m":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', 4)
    assert table.tensors[0].name == "\x1b[31m"
    assert told(table)[0].isprintable()
    assert refused('{"\\u001b[31m":1}').message.isprintable()


def test_whole_header_is_one_nameless_tensor() -> None:
    assert refused("{" + A.partition("{")[2]).rule == "tensor-not-object"


@pytest.mark.parametrize("collecting", [True, False])
def test_collector_is_left_as_it_was(collecting: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if collecting else gc.disable)()
        read("{" + A + "}", 4)
        refused("[]")
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()


def test_d09_length_cap_has_both_numbers() -> None:
    with pytest.raises(HeaderError, match=r"132,095,296 bytes.*100,000,000") as caught:
        parse_length(bytes.fromhex("409DDF0700000000"), 5_000_000_000, "m.safetensors")
    assert caught.value.rule == "length-cap"


def test_length_at_the_cap_is_read() -> None:
    assert parse_length((100_000_000).to_bytes(8, "little"), None, "m") == 100_000_000
    assert parse_length((2).to_bytes(8, "little"), 10, "m") == 2
    assert diagnose((640).to_bytes(8, "little") + b"{", 10_000, "m") is None, "640 begins as a pickle does"


@pytest.mark.parametrize("file_size", [None, 135])
def test_d10_git_lfs_pointer(file_size: int | None) -> None:
    with pytest.raises(LfsPointer, match="Git LFS pointer") as caught:
        parse_length(POINTER, file_size, "m.safetensors")
    assert (caught.value.oid, caught.value.size) == ("0f" * 32, 9953362604)
    assert "9,953,362,604" in caught.value.message
    with pytest.raises(LfsPointer) as short:
        parse_length(POINTER[:8], file_size, "m.safetensors")
    assert (short.value.oid, short.value.size) == ("", None)


@pytest.mark.parametrize(
    ("start", "file_size", "rule", "words"),
    [
        (b"", 0, "empty-file", "is empty"),
        (b"", None, "empty-file", "is empty"),
        (b"\x00\x01", 2, "file-too-small", "2 bytes"),
        (b"<!DOCTYPE html><html>", 5000, "foreign-format", "HTML"),
        (b'{"error":"Access denied"}', 25, "foreign-format", "Access denied"),
        (b"Entry not found", 15, "foreign-format", "Entry not found"),
        (b"GGUF\x03\x00\x00\x00\x10", 5000, "foreign-format", "GGUF"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00", 5000, "foreign-format", "zip"),
        (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9", 5000, "foreign-format", "pickle"),
        (b"\x89HDF\r\n\x1a\n", 5000, "foreign-format", "HDF5"),
        ((1000).to_bytes(8, "little") + b'{"a', 500, "length-beyond-file", "ends inside its header"),
        ((1 << 63).to_bytes(8, "little"), 500, "length-absurd", "not a safetensors file"),
        ((1 << 63).to_bytes(8, "little"), None, "length-absurd", "not a safetensors file"),
        ((1000).to_bytes(8, "little") + b"\xff\xfe", 500, "length-absurd", "not a safetensors file"),
    ],
)
def test_not_safetensors(start: bytes, file_size: int | None, rule: str, words: str) -> None:
    with pytest.raises(HeaderError) as caught:
        parse_length(start, file_size, "m.safetensors")
    assert caught.value.rule == rule
    assert words in caught.value.message
    assert caught.value.message.isprintable()
    assert caught.value.hint

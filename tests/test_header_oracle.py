"""The header reader against the safetensors library: both accept, or both refuse.

"Refuse" is a HeaderError, or a problem ``invalid-header`` or ``truncated-file``. The differences that header.py's
docstring allows are written down here once more, as code: a new one fails.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
from typing import Any

import pytest
import safetensors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfgexplain.dtypes import BITS
from cfgexplain.errors import HeaderError
from cfgexplain.header import LENGTH_BYTES, HeaderTable, parse_header, parse_length

#: Rounds of fuzzing. One, always with the same examples, so that CI fails for the change at hand and not for the day;
#: more look for new ones: CFGEXPLAIN_FUZZ=20 python -m pytest tests/test_header_oracle.py
ROUNDS = int(os.environ.get("CFGEXPLAIN_FUZZ", "1"))
SOUND = settings(
    deadline=None,
    derandomize=ROUNDS == 1,
    database=None,
    suppress_health_check=list(HealthCheck),
    max_examples=300 * ROUNDS,
)
MUTATED = settings(SOUND, max_examples=1500 * ROUNDS)

#: Broken rules that the library lets pass.
STRICTER = {"duplicate-key", "duplicate-field", "blank-start"}

Table = list[tuple[str, str, tuple[int, ...], int]]


def library(data: bytes) -> Table | str:
    """What the library makes of a whole file: its tensors, or why not."""
    try:
        listed = safetensors.deserialize(data)  # type: ignore[no-untyped-call]
    except safetensors.SafetensorError as error:
        return str(error)
    return sorted((name, t["dtype"], tuple(t["shape"]), len(t["data"])) for name, t in listed)


def ours(data: bytes) -> HeaderTable | HeaderError:
    try:
        length = parse_length(data[:LENGTH_BYTES], len(data), "f")
        return parse_header(data[LENGTH_BYTES : LENGTH_BYTES + length], "f", len(data))
    except HeaderError as error:
        return error


def compare(data: bytes) -> None:
    """Fail where the two disagree without one of the reasons that are written down."""
    theirs, table = library(data), ours(data)
    if isinstance(table, HeaderError):
        assert isinstance(theirs, str), f"only we refuse: {table.message}"
        return
    broken = {p.key for p in table.problems if p.check in ("invalid-header", "truncated-file")}
    unknown = any(p.check == "unknown-dtype" for p in table.problems)
    if isinstance(theirs, str):
        assert broken or (unknown and "unknown variant" in theirs), f"only the library refuses: {theirs}"
    elif broken:
        assert broken <= STRICTER, f"only we refuse: {table.problems}"
    else:
        assert not unknown
        assert sorted((t.name, t.dtype, t.shape, t.nbytes) for t in table.tensors) == theirs


def file_of(header: str | bytes, data: bytes) -> bytes:
    raw = header.encode("utf-8", "surrogatepass") if isinstance(header, str) else header
    return len(raw).to_bytes(LENGTH_BYTES, "little") + raw + data


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(lambda name: name != "__metadata__")
SHAPES = st.lists(st.integers(0, 6), max_size=4)
KINDS = st.tuples(st.sampled_from(sorted(BITS)), SHAPES)


@st.composite
def headers(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    """A sound header by our own writer, in any order of tensors and fields, and the bytes of its data."""
    entries: dict[str, Any] = {}
    begin = 0
    for name in draw(st.lists(NAMES, max_size=5, unique=True)):
        dtype, shape = draw(KINDS)
        bits = BITS[dtype]
        for size in shape:
            bits *= size
        if bits % 8:
            shape, bits = [*shape, 4], bits * 4
        fields = [("dtype", dtype), ("shape", shape), ("data_offsets", [begin, begin + bits // 8])]
        if draw(st.booleans()):
            fields = draw(st.permutations(fields))
        entries[name] = dict(fields)
        begin += bits // 8
    items = draw(st.permutations(list(entries.items())))
    metadata = draw(st.sampled_from([None, {}, {"format": "pt"}]))
    return ({"__metadata__": metadata} if metadata is not None else {}) | dict(items), begin


@SOUND
@given(headers(), st.booleans())
def test_sound_files_by_our_own_writer(header: tuple[dict[str, Any], int], ascii_only: bool) -> None:
    entries, size = header
    data = file_of(json.dumps(entries, ensure_ascii=ascii_only), bytes(size))
    assert not isinstance(library(data), str)
    table = ours(data)
    assert isinstance(table, HeaderTable)
    assert table.problems == ()
    compare(data)


#: Names of dtypes as the library's writer takes them. It writes no F6, and halves the shapes of F4.
WRITTEN = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E8M0": "float8_e8m0fnu",
}


@SOUND
@given(
    st.dictionaries(NAMES, st.tuples(st.sampled_from(sorted(WRITTEN)), SHAPES), max_size=5),
    # Not {}: without tensors the library then writes a header that it cannot read itself.
    st.none() | st.dictionaries(NAMES, NAMES, min_size=1, max_size=2),
)
def test_files_that_the_library_writes(kinds: dict[str, tuple[str, list[int]]], words: dict[str, str] | None) -> None:
    tensors, buffers = {}, []
    for name, (dtype, shape) in kinds.items():
        size = math.prod(shape) * BITS[dtype] // 8
        buffers.append(ctypes.create_string_buffer(max(size, 1)))
        address = ctypes.addressof(buffers[-1])
        tensors[name] = safetensors.TensorSpec(dtype=WRITTEN[dtype], shape=shape, data_ptr=address, data_len=size)
    data = bytes(safetensors.serialize(tensors, words))
    table = ours(data)
    assert isinstance(table, HeaderTable)
    assert table.problems == ()
    assert table.metadata == (words or {})
    assert {t.name: (t.dtype, list(t.shape)) for t in table.tensors} == kinds
    compare(data)


#: Bytes that mean something in a header, so that a mutation is not only noise.
PIECES = st.binary(max_size=3) | st.sampled_from(
    [
        *(bytes([char]) for char in b'"{}[],:019- \\\x00\xff'),
        b"-0",
        b".0",
        b"e1",
        b"\\u",
        b"\\ud800",
        b"NaN",
        b"null",
        b"true",
        b"F32",
        b'"a":',
        b"[],",
        b'"x":1,',
        b"18446744073709551616",
    ]
)


@MUTATED
@given(headers(), st.data())
def test_mutated_bytes(header: tuple[dict[str, Any], int], data: st.DataObject) -> None:
    """Bytes cut out, put in and overwritten, in the length, the header, and at the end of the data."""
    entries, size = header
    raw = bytearray(json.dumps(entries, separators=(",", ":")).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw)))
        cut = data.draw(st.integers(0, 4))
        raw[at : at + cut] = data.draw(PIECES)
    change = data.draw(st.sampled_from([0, 0, 0, 0, -1, 1, 7, -8]))
    length = max(len(raw) + data.draw(st.sampled_from([0, 0, 0, 0, 0, -1, 1, 1 << 40])), 0)
    compare(length.to_bytes(LENGTH_BYTES, "little") + bytes(raw) + bytes(max(size + change, 0)))


ODD: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 20),
    st.sampled_from([2**32, 2**60, 2**61, 2**63, 2**64 - 1, 2**64, -1, 10**308, 10**309]),
    st.floats(allow_nan=True),
    st.sampled_from(["F32", "F4", "F7", "", "BF16"]),
    st.lists(st.integers(0, 5), max_size=3),
    st.lists(st.sampled_from([0, 2**32, 2**40]), min_size=2, max_size=4),
    st.just({}),
    st.just({"a": [[1.0]]}),
)


@MUTATED
@given(headers(), st.data())
def test_mutated_values(header: tuple[dict[str, Any], int], data: st.DataObject) -> None:
    """Well-formed JSON that says something else: other values, moved offsets, fields gone or strange."""
    entries, size = header
    for _ in range(data.draw(st.integers(1, 2))):
        name = data.draw(st.sampled_from([*entries, "__metadata__", "new"]))
        info = entries.get(name)
        field = data.draw(st.sampled_from(["dtype", "shape", "data_offsets", "extra", None]))
        if not isinstance(info, dict) or field is None:
            entries[name] = data.draw(ODD)
            continue
        info = entries[name] = dict(info)
        action = data.draw(st.sampled_from(["set", "drop", "item"]))
        if action == "drop":
            info.pop(field, None)
        elif action == "item" and isinstance(info.get(field), list) and info[field]:
            items = info[field] = list(info[field])
            at = data.draw(st.integers(0, len(items) - 1))
            near = items[at] + data.draw(st.integers(-3, 3)) if isinstance(items[at], int) else 0
            items[at] = data.draw(st.one_of(st.just(near), ODD))
        else:
            info[field] = data.draw(ODD)
    change = data.draw(st.sampled_from([0, 0, 0, -1, 1]))
    compare(file_of(json.dumps(entries), bytes(max(size + change, 0))))


A = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'


@pytest.mark.parametrize("depth", [1, 124, 125, 126, 127, 128, 500])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"k":', "}"), ('[{"k":', "}]")])
def test_depth(depth: int, opens: str, closes: str) -> None:
    count = depth // 2 if len(closes) == 2 else depth
    compare(file_of('{"a":' + A[:-1] + ',"x":' + opens * count + "1" + closes * count + "}}", bytes(4)))


@pytest.mark.parametrize("dtype", sorted(BITS))
def test_every_dtype_of_the_table_is_the_librarys(dtype: str) -> None:
    size = BITS[dtype]
    data = file_of(json.dumps({"a": {"dtype": dtype, "shape": [8], "data_offsets": [0, size]}}), bytes(size))
    assert not isinstance(library(data), str)
    compare(data)


def test_no_dtype_of_the_library_is_lacking() -> None:
    """The library lists its dtypes when it refuses one."""
    answer = library(file_of('{"a":' + A.replace("F32", "F7") + "}", bytes(4)))
    assert isinstance(answer, str)
    listed = answer.partition("expected one of")[2].partition(" at line")[0]
    assert {word.strip("`") for word in listed.replace(",", "").split()} == set(BITS)


@pytest.mark.parametrize(
    ("header", "ours_only"),
    [
        ('{"a":%s,"a":%s}', True),
        ('{"__metadata__":{"x":"1","x":"2"},"a":%s}', True),
        (' {"a":%s}', True),
        ('{"a":["F32",[1],[0,4]]}', True),
        ('{"a":{"dtype":{"F32":null},"shape":[1],"data_offsets":[0,4]}}', True),
        ('{"__metadata__":{},"__metadata__":{},"a":%s}', False),
    ],
)
def test_the_differences_are_those_of_the_docstring(header: str, ours_only: bool) -> None:
    data = file_of(header.replace("%s", A), bytes(4))
    table = ours(data)
    assert isinstance(table, HeaderError) or table.problems
    assert isinstance(library(data), str) is not ours_only

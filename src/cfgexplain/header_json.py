"""The JSON of a safetensors header, strictly as the format and the library's own parser read it.

Speed: a header of a million tensors is a million small objects, and each pass over them waits for memory. So a
tensor is judged in ``object_pairs_hook``, while its object is at hand, and leaves one tuple behind. The hook gets
pairs, not a dict: duplicate keys are still there to be seen. Building dicts and walking them afterwards, or
walking columns in C, took up to twice as long (``benchmarks/header.py``).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NoReturn

from cfgexplain.dtypes import BITS
from cfgexplain.errors import HeaderError
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.header_layout import Faults

#: Sizes and offsets are the library's ``usize``.
LIMIT: Final = 1 << 64
#: Below this, memory is no worry.
_LARGE: Final = 1 << 20
_FIELD_SET: Final = {"dtype", "shape", "data_offsets"}
#: The one string of each dtype for a million tensors, and its bits.
_DTYPES: Final = {word: (word, bits) for word, bits in BITS.items()}
#: Elements whose bits cannot leave 64 bits, whatever the dtype.
_SMALL: Final = LIMIT >> 6
_REWRITE: Final = "Write the file again with the safetensors library, or report it to whoever made it."


class Pairs(tuple[tuple[str, object], ...]):
    """A JSON object with its duplicate keys, where it is no plain tensor. JSON arrays are lists."""

    __slots__ = ()


#: A tensor: dtype, shape, needed bytes (None for an unknown dtype, or where the last element ends inside a byte),
#: begin, end. An exact tuple, which no JSON value becomes otherwise.
Row = tuple[str, tuple[int, ...], int | None, int, int]


class BadField(Exception):
    """A dtype, a shape or offsets that cannot be, before it is known whose they are."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


def refuse(file: str, rule: str, message: str, tensor: str | None = None) -> NoReturn:
    """Raise the :class:`HeaderError` of one broken rule, naming the file and, where there is one, the tensor."""
    where = clean(file) if tensor is None else f"{clean(file)}: tensor '{clean(tensor, 200)}'"
    raise HeaderError(rule, f"{where}: {message}", _REWRITE, tensor)


def decode(raw: bytes, file: str, faults: Faults) -> Pairs:
    """The header's object: each value a :data:`Row`, or where it is out of the ordinary what else the JSON says.

    Python's parser takes more than JSON, and the checks make up for that: NaN, numbers beyond a double, -0 as an
    integer, halves of surrogate pairs. Numbers with a fraction or exponent come back as bytes.

    Raises:
        HeaderError: not UTF-8, not JSON, not an object.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte, at = raw[error.start], error.start
        refuse(file, "not-utf8", f"the header is not UTF-8 text (byte 0x{byte:02x} at offset {at:,})")
    if not text.startswith("{"):
        if not text.lstrip(" \t\r\n").startswith("{"):
            what = f"begins with '{clean(text[:12])}'" if text else "is empty"
            refuse(file, "start", f"the header {what}; the format demands '{{'")
        faults.add("blank-start", None)
    # An array of empty arrays takes twenty times its text in memory. A sound header has two arrays in 50 bytes.
    if len(text) > _LARGE and text.count("[") * 8 > len(text):
        refuse(file, "too-many-arrays", "the header is not a table of tensors: it consists of arrays")
    # Python reads -0 as the integer 0, serde_json as a float. The pattern must not match names such as "a-0".
    # One character is looked for ten times as fast as two, and most headers have no minus and no backslash.
    minus_zero = "-" in text and "-0" in text and re.search(r"[\[,:\s]-0[\],}\s]", text) is not None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_float,
            parse_int=_int if minus_zero else None,
            parse_constant=_constant,
        )
        if "\\" in text and ("\\ud" in text or "\\uD" in text):
            json.dumps(value, ensure_ascii=False, default=repr).encode()
    except RecursionError:
        refuse(file, "depth", "the header is nested too deep")
    except json.JSONDecodeError as error:
        refuse(file, "not-json", f"the header is not JSON: {error.msg} at character {error.pos:,}")
    except UnicodeEncodeError:
        refuse(file, "surrogate", "the header escapes half of a surrogate pair, which is no character")
    except ValueError:
        refuse(file, "number", "the header holds a number that is no JSON, or too large")
    if not isinstance(value, Pairs):
        refuse(file, "tensor-not-object", "the header describes one tensor without a name")
    return value


def _object(pairs: list[tuple[str, object]]) -> Row | Pairs:
    """A JSON object: a :data:`Row` where it is a sound tensor with elements, else as it stands, for later."""
    if len(pairs) != 3:
        return Pairs(pairs)
    (key0, dtype), (key1, shape), (key2, offsets) = pairs
    if key0 != "dtype" or key1 != "shape" or key2 != "data_offsets":
        fields = dict(pairs)
        if fields.keys() != _FIELD_SET:
            return Pairs(pairs)
        dtype, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if type(dtype) is not str or type(shape) is not list or type(offsets) is not list or len(offsets) != 2:
        return Pairs(pairs)
    begin, end = offsets
    if type(begin) is not int or type(end) is not int:
        return Pairs(pairs)
    elements = 1
    for size in shape:
        if type(size) is not int or size < 0:
            return Pairs(pairs)
        elements *= size
    if not 0 < elements < _SMALL:
        return Pairs(pairs)
    dtype, bits = _DTYPES.get(dtype, (dtype, None))
    needed = None if bits is None or (elements * bits) & 7 else elements * bits >> 3
    return dtype, tuple(shape), needed, begin, end


def judge(dtype: object, shape: object, offsets: object) -> Row:
    """A tensor's fields, proven to be what they should be.

    Raises:
        BadField: one of them is not, or a product leaves 64 bits on the way, as the library's does.
    """
    if not isinstance(dtype, str):
        raise BadField("dtype", f"dtype is {named(dtype)}, not a word")
    if type(shape) is not list:
        raise BadField("shape", f"shape is {named(shape)}, not a list")
    elements = 1
    for size in shape:
        if type(size) is not int or not 0 <= size < LIMIT:
            raise BadField("shape", f"shape holds {named(size)}, not a whole number of 0 to 2**64 - 1")
        elements *= size
        if elements >= LIMIT:
            raise BadField("overflow", f"shape {clean(str(shape[:20]), 80)} has 2**64 elements or more")
    bits = elements * BITS.get(dtype, 0)
    if bits >= LIMIT:
        raise BadField("overflow", f"shape {clean(str(shape[:20]), 80)} of {dtype} has 2**64 bits or more")
    needed = None if bits & 7 or dtype not in BITS else bits >> 3
    return (dtype, tuple(shape), needed, *judge_offsets(offsets))


def judge_offsets(offsets: object) -> tuple[int, int]:
    """Begin and end, proven to be numbers of 0 to 2**64 - 1, else BadField."""
    if type(offsets) is not list or len(offsets) != 2:
        raise BadField("offsets", f"data_offsets is {named(offsets)}, not a list of two whole numbers")
    for offset in offsets:
        if type(offset) is not int or not 0 <= offset < LIMIT:
            raise BadField("offsets", f"data_offsets holds {named(offset)}, not a whole number of 0 to 2**64 - 1")
    return offsets[0], offsets[1]


def _float(digits: str) -> bytes:
    # Kept as bytes, which nothing else in JSON becomes: 1.0 must not pass for 1, not even as part of a dict's key.
    if float(digits) in (float("inf"), float("-inf")):
        raise ValueError
    return digits.encode()


def _int(digits: str) -> int | bytes:
    return b"-0" if digits == "-0" else int(digits)


def _constant(word: str) -> NoReturn:
    raise ValueError(word)


def named(value: object) -> str:
    """A value in the words of JSON, short enough for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return clean(value[:80].decode(), 24)
    if isinstance(value, str):
        return f"the text '{clean(value, 40)}'"
    if isinstance(value, int):
        return str(value) if abs(value) < 1 << 80 else "a giant number"
    return f"a list of {len(value)}" if isinstance(value, list) else "an object"

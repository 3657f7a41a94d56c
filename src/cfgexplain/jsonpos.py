"""The text of a config: its value, its faults, and where in the text a key stands.

Positions are looked up only when a finding is printed with its line. Until then the standard library's parser is
all that runs.
"""

from __future__ import annotations

import json
from math import isinf, isnan
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from cfgexplain.checkpoint import Problem
from cfgexplain.errors import CfgexplainError
from cfgexplain.jsonerror import not_json, not_text
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The largest published config.json has under 2 MB (long lists of module names in quantization configs).
MAX_CONFIG_BYTES: Final = 10_000_000
#: Deeper than any config, and far from where recursion ends.
MAX_DEPTH: Final = 100
#: Digits of an integer: a product of three such still is a double and can still be printed.
MAX_DIGITS: Final = 100
#: Problems of one kind that are told one by one.
SHOWN: Final = 20


class ParsedJson(NamedTuple):
    """A config as read.

    Attributes:
        text: without its byte order mark.
        value: the object. Duplicate keys: the last one wins, as in every JSON library.
        problems: ``duplicate-key`` and ``non-finite-number``, each with its JSON pointer.
    """

    text: str
    value: dict[str, object]
    problems: tuple[Problem, ...]


class _TooLong(ValueError):
    def __init__(self, digits: str) -> None:
        super().__init__(digits)
        self.digits = digits


def parse_config(data: bytes, file: str) -> ParsedJson:
    """Read a JSON file that should hold an object.

    NaN and Infinity, which Python writes and JSON does not know, are values and a problem.
    ``{"__float__": "Infinity"}``, transformers' own way of writing them, stays as it is.

    Args:
        data: the file's bytes.
        file: its name, for messages and problems.

    Raises:
        CfgexplainError: ``invalid-config``: too large, not text, not JSON, not an object, too deep.
    """
    if len(data) > MAX_CONFIG_BYTES:
        message = f"{clean(file)} has {len(data):,} bytes; a config has at most {MAX_CONFIG_BYTES:,}"
        raise CfgexplainError("invalid-config", message, "Is this a config? Weights and tokenizers are larger.")
    text = _decode(data, file)
    repeated: dict[int, tuple[object, list[str]]] = {}

    def object_(pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) < len(pairs):
            seen: set[str] = set()
            twice = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
            repeated[id(value)] = (value, list(dict.fromkeys(twice)))  # holds value, so that its id stays its own
        return value

    try:
        value = json.loads(text, object_pairs_hook=object_, parse_int=_int)
    except json.JSONDecodeError as error:
        raise not_json(text, error.msg, error.pos, file) from None
    except _TooLong as error:
        at = max(text.find(error.digits), 0)
        raise not_json(text, f"an integer of {len(error.digits):,} digits", at, file) from None
    except RecursionError:
        _too_deep(file)
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")
        message = f"{clean(file)} holds {kind}, not a JSON object"
        raise CfgexplainError("invalid-config", message, "A config is an object: {…} with keys and values.")
    return ParsedJson(text, value, tuple(_problems(value, repeated, file)))


def position(text: str, pointer: str) -> tuple[int, int] | None:
    """Line and column, both from 1, of what a JSON pointer (RFC 6901) names.

    Of a key: where the key's opening quote stands, the last one of a duplicate. Of a list's item: where its value
    begins. Of the whole (pointer ""): its first character. None where the text holds no such place.
    """
    decoder = json.JSONDecoder(strict=False)
    at = place = _blank(text, 0)
    try:
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            found = _step(text, at, key, decoder)
            if found is None:
                return None
            place, at = found
    except (ValueError, IndexError, RecursionError):  # a text that is no JSON has no places
        return None
    line_start = text.rfind("\n", 0, place) + 1
    return (text.count("\n", 0, place) + 1, place - line_start + 1) if place < len(text) else None


def escape_pointer(key: str) -> str:
    """A key as one part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _step(text: str, at: int, key: str, decoder: json.JSONDecoder) -> tuple[int, int] | None:
    """Into the container at ``at``: where the key (or item) stands, and where its value begins."""
    opening = text[at]
    if opening not in "{[":
        return None
    found = None
    at = _blank(text, at + 1)
    count = 0
    while text[at] not in "}]":
        place = at
        if opening == "{":
            name, at = decoder.raw_decode(text, at)
            at = _blank(text, _blank(text, at) + 1)  # over the colon
        else:
            name = str(count)
        if name == key:
            found = (place, at)
        _, at = decoder.raw_decode(text, at)
        at = _blank(text, at)
        if text[at] == ",":
            at = _blank(text, at + 1)
        count += 1
    return found


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _decode(data: bytes, file: str) -> str:
    problem = not_text(data, file)
    if problem is not None:
        raise problem
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind the byte order mark.
        at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") and len(error.object) < len(data) else 0)
        message = f"{clean(file)} is not UTF-8 text (byte 0x{data[at]:02x} at offset {at:,})"
        raise CfgexplainError("invalid-config", message, "Is this a config? JSON is UTF-8 text.") from None


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _TooLong(digits)
    return int(digits)


def _too_deep(file: str) -> NoReturn:
    message = f"{clean(file)} is nested more than {MAX_DEPTH} levels deep"
    raise CfgexplainError("invalid-config", message, "Is this a config? None that was ever published is so deep.")


def _problems(value: dict[str, object], repeated: dict[int, tuple[object, list[str]]], file: str) -> Iterator[Problem]:
    """The problems in the order of the text, the first of each kind, and one for how many more there are."""
    shown = {"duplicate-key": 0, "non-finite-number": 0}
    for check, pointer, word in _faults(value, repeated, file):
        shown[check] += 1
        if shown[check] <= SHOWN:
            values = {"file": clean(file), "where": clean(pointer, 200), "value": clean(word, 80)}
            yield Problem(check, "config", values, file, pointer)
    for check, count in shown.items():
        if count > SHOWN:
            yield Problem(check, "more", {"file": clean(file), "count": count - SHOWN}, file)


def _faults(
    value: dict[str, object], repeated: dict[int, tuple[object, list[str]]], file: str
) -> Iterator[tuple[str, str, str]]:
    """(check, pointer, key or number), depth first; and the depth itself, which is a fault of the whole."""
    stack: list[tuple[str, object, int]] = [("", value, 1)]
    while stack:
        pointer, item, depth = stack.pop()
        if isinstance(item, float) and (isnan(item) or isinf(item)):
            yield "non-finite-number", pointer, "NaN" if isnan(item) else "Infinity" if item > 0 else "-Infinity"
        elif isinstance(item, (dict, list)):
            if depth > MAX_DEPTH:
                _too_deep(file)
            _, keys = repeated.get(id(item), (None, []))
            for key in keys:
                yield "duplicate-key", f"{pointer}/{escape_pointer(key)}", key
            inner = item.items() if isinstance(item, dict) else enumerate(item)
            below = [(f"{pointer}/{escape_pointer(str(key))}", child, depth + 1) for key, child in inner]
            stack.extend(reversed(below))

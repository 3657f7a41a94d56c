"""The hub's answer that holds every header of a sharded model, taken apart.

``GET /api/models/ID/safetensors-metadata/INDEX``, for the default branch only (huggingface_hub 2.4,
``HfApi.get_sharded_safetensors_metadata``): ``{"index": {"metadata": …}, "headers": {SHARD: HEADER, …}}``. A header
comes as the JSON that it is, without its length, and the index without its weight_map.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_BLANKS: Final = " \t\r\n"
_DECODER: Final = json.JSONDecoder()


def split_headers(body: bytes) -> dict[str, bytes] | None:
    """Each shard's header as JSON text. None where the answer is something else."""
    out: dict[str, bytes] = {}

    def shard(key: str, begin: int) -> int:
        # One header at a time: all of them as objects would be the most that a run holds.
        end = _DECODER.raw_decode(text, begin)[1]
        if key in out:
            raise ValueError
        out[key] = text[begin:end].encode()
        return end

    def part(key: str, begin: int) -> int:
        return _walk(text, begin, shard) if key == "headers" else _DECODER.raw_decode(text, begin)[1]

    try:
        text = body.decode()
        _walk(text, _skip(text, 0), part)
    except (ValueError, RecursionError, IndexError):
        return None
    return out or None


def _walk(text: str, at: int, visit: Callable[[str, int], int]) -> int:
    """Hands key and begin of each member of the object at ``at`` to ``visit``, which returns the value's end.

    Returns the object's own end. Raises ValueError or IndexError where there is no object.
    """
    if text[at] != "{":
        raise ValueError
    at = _skip(text, at + 1)
    if text[at] == "}":
        return at + 1
    while True:
        if text[at] != '"':
            raise ValueError
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] != ":":
            raise ValueError
        at = _skip(text, visit(key, _skip(text, at + 1)))
        if text[at] == "}":
            return at + 1
        if text[at] != ",":
            raise ValueError
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANKS:
        at += 1
    return at


def agrees(names: Mapping[str, Iterable[str]], weight_map: Mapping[str, str]) -> bool:
    """Whether headers and index list the same tensors in the same shards."""
    listed = {name: shard for shard, tensors in names.items() for name in tensors}
    return listed == weight_map and names.keys() == set(weight_map.values())

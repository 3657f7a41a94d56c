"""``*.safetensors.index.json``: bytes to Index. Whoever wrote it chose the names: none is trusted."""

from __future__ import annotations

import json
from typing import Final

from cfgexplain.checkpoint import Index, Problem
from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

#: An index of 1.3 million tensors is about 150 MB.
MAX_INDEX_BYTES: Final = 200_000_000
MAX_SHARDS: Final = 20_000
_MAX_PATH: Final = 1024
_NAMED: Final = 5


def is_safe_shard(path: str) -> bool:
    """Whether a shard's name stays in its folder on every system, and on the hub in its repo."""
    return (
        0 < len(path) <= _MAX_PATH
        and path.isprintable()
        and "\\" not in path
        and ":" not in path
        and not any(part in ("", ".", "..") for part in path.split("/"))
    )


def parse_index(data: bytes, file: str) -> tuple[Index, list[Problem]]:
    """Reads an index. Unsafe shard names and doubled keys are problems; what cannot be used raises "invalid-index"."""
    doubled: list[str] = []

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        out = dict(pairs)
        if len(out) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    doubled.append(key)
                seen.add(key)
        return out

    hint = "Write the index anew with the tool that wrote the weights."
    if len(data) > MAX_INDEX_BYTES:
        raise CfgexplainError("invalid-index", f"{file} is larger than {MAX_INDEX_BYTES:,} bytes", hint)
    try:
        value: object = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique)
    except UnicodeDecodeError as e:
        raise CfgexplainError("invalid-index", f"{file} is not UTF-8 (byte {e.start:,})", hint) from None
    except json.JSONDecodeError as e:
        message = f"{file} is not JSON: {e.msg} at line {e.lineno}, column {e.colno}"
        raise CfgexplainError("invalid-index", message, hint) from None
    except (ValueError, RecursionError):
        raise CfgexplainError(
            "invalid-index", f"{file} is JSON that cannot be read (nesting, or numbers)", hint
        ) from None
    if not isinstance(value, dict) or not isinstance(value.get("weight_map"), dict):
        raise CfgexplainError("invalid-index", f"{file} has no weight_map object", hint)
    weight_map = value["weight_map"]
    bad = next((k for k, v in weight_map.items() if not isinstance(v, str)), None)
    if bad is not None:
        raise CfgexplainError("invalid-index", f"{file} names no file for the tensor {clean(bad, 200)}", hint)
    if not weight_map:
        raise CfgexplainError("invalid-index", f"{file} names no tensor", hint)
    shards = dict.fromkeys(weight_map.values())
    if len(shards) > MAX_SHARDS:
        raise CfgexplainError("invalid-index", f"{file} names {len(shards):,} files, more than {MAX_SHARDS:,}", hint)
    unsafe = [s for s in shards if not is_safe_shard(s)]
    problems: list[Problem] = []
    if doubled:
        values = {"count": len(doubled), "names": _shown(doubled)}
        problems.append(Problem("duplicate-key", "index", values, file=file))
    if unsafe:
        barred = frozenset(unsafe)
        weight_map = {k: v for k, v in weight_map.items() if v not in barred}
        problems.append(
            Problem("unsafe-shard-path", "path", {"count": len(unsafe), "paths": _shown(unsafe)}, file=file)
        )
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    size = metadata.get("total_size")
    if size is not None and _size(size) is None:
        shown = repr(size)
        value_shown = shown if len(shown) <= 80 else shown[:80] + "…"
        problems.append(Problem("index-total-size", "invalid", {"value": value_shown}, file=file))
    rest = {k: v for k, v in metadata.items() if k != "total_size"}
    return Index(file, weight_map, _size(size), rest), problems


def _shown(names: list[str]) -> str:
    """A few names, quoted and bounded: they come from the file and may hold anything."""
    few = ", ".join(repr(n if len(n) <= 120 else n[:120] + "…") for n in names[:_NAMED])
    return few if len(names) <= _NAMED else f"{few} and {len(names) - _NAMED} more"


def _size(value: object) -> int | None:
    """``total_size`` in bytes. Some tools wrote it as a float."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, float) and value.is_integer() and value >= 0:
        return int(value)
    return None

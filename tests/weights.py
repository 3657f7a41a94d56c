"""Small safetensors files and models for tests: real headers, data that takes no time to write."""

from __future__ import annotations

import json
import struct
from math import prod
from typing import TYPE_CHECKING

from cfgexplain.dtypes import BITS

if TYPE_CHECKING:
    from pathlib import Path

Tensors = dict[str, tuple[str, list[int]]]

CONFIG: dict[str, object] = {
    "model_type": "llama",
    "hidden_size": 4,
    "intermediate_size": 8,
    "num_hidden_layers": 2,
    "rms_norm_eps": 1e-05,
}


def safetensors(tensors: Tensors, cut: int = 0) -> bytes:
    """A sound file; ``cut`` bytes are missing at its end."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (dtype, shape) in tensors.items():
        size = (BITS[dtype] * prod(shape) + 7) // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    return struct.pack("<Q", len(raw)) + raw + bytes(at - cut)


def layer(i: int) -> Tensors:
    return {f"model.layers.{i}.mlp.{m}_proj.weight": ("BF16", [8, 4]) for m in ("gate", "up", "down")}


def sharded(shards: int = 2) -> dict[str, bytes]:
    """A config, an index and one layer a shard."""
    files: dict[str, bytes] = {"config.json": json.dumps(CONFIG).encode()}
    weight_map: dict[str, str] = {}
    for i in range(shards):
        name = f"model-{i + 1:05d}-of-{shards:05d}.safetensors"
        files[name] = safetensors(layer(i))
        weight_map |= dict.fromkeys(layer(i), name)
    files["model.safetensors.index.json"] = index(weight_map, total_size=shards * 3 * 64)
    return files


def index(weight_map: dict[str, str], **metadata: object) -> bytes:
    return json.dumps({"metadata": metadata, "weight_map": weight_map}).encode()


def single() -> dict[str, bytes]:
    """A config and one weight file."""
    return {"config.json": json.dumps(CONFIG).encode(), "model.safetensors": safetensors(layer(0) | layer(1))}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder

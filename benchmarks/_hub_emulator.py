"""The tests' hub emulator in a process of its own, for benchmarks/hub.py, which talks to it in lines of JSON.

Each line on standard input is an object: ``latency`` (seconds a hop), ``lists_headers``; the answer is what was asked
for since the last line: requests, sequential hops and body bytes.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from hub_server import Big, Hub, Repo, hub_servers

#: Shards → tensors of each.
TENSORS = {1: 291, 4: 73, 60: 200, 163: 565, 200: 500}
CONFIG = json.dumps(
    {
        "model_type": "deepseek_v3",
        "architectures": ["DeepseekV3ForCausalLM"],
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "moe_intermediate_size": 2048,
        "num_hidden_layers": 61,
        "rms_norm_eps": 1e-06,
        "vocab_size": 129280,
    }
).encode()


def shard(first: int, count: int) -> tuple[list[str], Big]:
    """The start of a shard with ``count`` experts' matrices, and their names."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    names = []
    at = 0
    for k in range(first, first + count):
        expert, part = divmod(k, 3)
        part_name = ("down_proj", "gate_proj", "up_proj")[part]
        name = f"model.layers.{expert // 256}.mlp.experts.{expert % 256}.{part_name}.weight"
        shape = [7168, 2048] if part == 0 else [2048, 7168]
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + 2 * 7168 * 2048]}
        at += 2 * 7168 * 2048
        names.append(name)
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    return names, Big(struct.pack("<Q", len(raw)) + raw, 8 + len(raw) + at)


def model(shards: int) -> tuple[Repo, dict[str, int]]:
    """A repo, and the bytes of config, index and headers that a reader needs."""
    count = TENSORS[shards]
    files: dict[str, bytes | Big] = {"config.json": CONFIG}
    weight_map: dict[str, str] = {}
    total = headers = 0
    for k in range(shards):
        name = f"model-{k + 1:05d}-of-{shards:06d}.safetensors" if shards > 1 else "model.safetensors"
        names, file = shard(k * count, count)
        files[name] = file
        weight_map.update(dict.fromkeys(names, name))
        headers += len(file.head)
        total += file.size - len(file.head)
    index = b""
    if shards > 1:
        index = json.dumps({"metadata": {"total_size": total}, "weight_map": weight_map}, indent=2).encode()
        files["model.safetensors.index.json"] = index
    return Repo(files), {"config": len(CONFIG), "index": len(index), "headers": headers}


def sequential(hub: Hub) -> int:
    """The longest chain of requests of which each came after the one before had ended."""
    hops, end = 0, 0.0
    for e in sorted(hub.wire.log, key=lambda e: e.ended):
        if e.came >= end:
            hops, end = hops + 1, e.ended
    return hops


def main() -> None:
    needed = {}
    with hub_servers() as hub:
        for shards in TENSORS:
            hub.repos[f"bench/m{shards}"], needed[shards] = model(shards)
        print(json.dumps({"endpoint": hub.endpoint, "needed": needed}), flush=True)
        for line in sys.stdin:
            log = list(hub.wire.log)
            seen = {"requests": len(log), "hops": sequential(hub), "bytes": sum(e.body_bytes for e in log)}
            hub.forget()
            wanted = json.loads(line)
            hub.wire.latency = wanted.get("latency", hub.wire.latency)
            hub.lists_headers = wanted.get("lists_headers", hub.lists_headers)
            print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main()

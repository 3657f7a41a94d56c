"""The corpus: small checkpoints as the reference implementation saves them, and what it was measured to do.

``fixtures/corpus.jsonl.gz`` holds one case a line: name, config, header (tensor → dtype, shape), expect.
"""

from __future__ import annotations

import gzip
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Target, Tensor
from cfgexplain.dtypes import BITS

FILE = Path(__file__).resolve().parent.parent / "fixtures" / "corpus.jsonl.gz"


@cache
def cases() -> dict[str, dict[str, Any]]:
    """Every case by name."""
    with gzip.open(FILE, "rt", encoding="utf-8") as f:
        return {row["name"]: row for row in map(json.loads, f)}


def checkpoint(config: dict[str, Any], header: dict[str, Any] | None, name: str = "case") -> Checkpoint:
    """A checkpoint in memory, as if read from one file."""
    tensors = None
    if header is not None:
        tensors = tuple(
            Tensor(n, t["dtype"], tuple(t["shape"]), math.prod(t["shape"]) * BITS[t["dtype"]] // 8, "model.safetensors")
            for n, t in header.items()
        )
    return Checkpoint(
        Target(name, "directory"), ConfigFile("config.json", json.dumps(config, indent=1), config), tensors
    )

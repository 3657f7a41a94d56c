"""How long the header reader takes, as a multiple of ``json.loads`` of the same bytes.

Processor time, both with the cycle collector off, in pairs, the best of each. Exits 1 when any header takes more
than three times as long as ``json.loads``, or when time per tensor grows with the number of tensors.

    python benchmarks/header.py [--full]

``--full`` goes up to a million tensors (about 2 GB of memory); without it up to 100,000.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from cfgexplain.header import parse_header

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 3.0
#: Time per tensor may drift with caches, by no more than this.
GROWTH = 2.5
SHAPES = ((64, 176), (176, 64), (64,), (64, 64), (16, 64))


def header(count: int, layout: str) -> tuple[bytes, int]:
    """A header of ``count`` tensors and the size of its file. ``layout``: how it differs from the plainest."""
    entries: dict[str, dict[str, object]] = {}
    begin = 0
    for i in range(count):
        shape = [i % 997 + 1, i // 997 + 1] if layout == "distinct shapes" else list(SHAPES[i % 5])
        size = 2
        for length in shape:
            size *= length
        info: dict[str, object] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, begin + size]}
        if layout == "other field order":
            info = dict(sorted(info.items()))
        if layout == "unknown dtype":
            info["dtype"] = "F7_NEW"
        entries[f"model.layers.{i // 9}.mlp.experts.{i % 9}.w.weight"] = info
        begin += size
    if layout == "not in data order":
        entries = dict(sorted(entries.items(), key=lambda entry: entry[0][::-1]))
    raw = json.dumps(entries, separators=(",", ":")).encode()
    return raw, 8 + len(raw) + begin


def seconds(run: Callable[[], object]) -> float:
    """Processor time of one call, its result's destruction left out. Wall time would measure the neighbours."""
    start = time.process_time()
    result = run()
    taken = time.process_time() - start
    del result
    return taken


def main() -> int:
    """Print the table; 1 when a limit is broken."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--full", action="store_true", help="up to 1,000,000 tensors")
    full = options.parse_args().full
    counts = (10_000, 100_000, 1_000_000) if full else (10_000, 100_000)
    gc.disable()
    failed = False
    print(f"{'tensors':>9}  {'layout':<18} {'MB':>6} {'json s':>8} {'ours s':>8} {'ratio':>6} {'us/tensor':>9}")
    for layout in ("plain", "distinct shapes", "not in data order", "other field order", "unknown dtype"):
        first = 0.0
        for count in counts if layout == "plain" or not full else (counts[0], counts[-1]):
            raw, size = header(count, layout)
            reference = ours = float("inf")
            for _ in range(max(3, 500_000 // count)):
                reference = min(reference, seconds(partial(json.loads, raw)))
                ours = min(ours, seconds(partial(parse_header, raw, "m.safetensors", size)))
            ratio, each = ours / reference, ours / count * 1e6
            first = first or each
            broken = ratio > LIMIT or each > GROWTH * first
            failed = failed or broken
            columns = f"{count:>9,}  {layout:<18} {len(raw) / 1e6:>6.1f} {reference:>8.3f} {ours:>8.3f}"
            print(f"{columns} {ratio:>6.2f} {each:>9.2f}{'  <- over the limit' if broken else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

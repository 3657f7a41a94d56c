#!/usr/bin/env python3
"""What reading a model from the hub costs: requests, sequential hops, body bytes, seconds, next to huggingface_hub.

    python benchmarks/hub.py [--shards 1 4 60 163] [--latency 0 50 200] [--rounds 3]

Against the tests' emulator in a process of its own: the hub redirects each large file to a CDN, every answer takes
the latency. Each run is a process of its own; its seconds are counted from after its imports and its client are
there. The best of the rounds counts, for both. Fails (exit 1) above the limits that it prints.

Sequential hops are the longest chain of requests of which each began after the one before had ended. They are held
against their limit in a run of its own at one second a hop, where the machine's own slowness opens no gap between
requests that are sent together.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Seconds beyond hops × latency at 60 shards.
OVERHEAD = 0.150
MEMORY = 200_000_000
#: Shards of the model with 100,000 tensors.
MANY = 200

OURS = """\
import sys, time
from cfgexplain.sources.hub import load_hub
from cfgexplain.sources.spec import parse_target
from cfgexplain.sources.options import Options
from cfgexplain.sources.transport import Transport
o = Options()
t = Transport(None, o.timeout, jobs=o.jobs)
import huggingface_hub, httpx2
huggingface_hub.hf_hub_url, huggingface_hub.try_to_load_from_cache
began = time.perf_counter()
c = load_hub(parse_target(sys.argv[1]), o, t)
print(time.perf_counter() - began, len(c.tensors))
"""
THEIRS = """\
import sys, time
from huggingface_hub import HfApi, get_session
from huggingface_hub.utils import disable_progress_bars
import huggingface_hub.file_download, huggingface_hub.utils.tqdm
disable_progress_bars()
api = HfApi()
get_session()
began = time.perf_counter()
found = api.get_safetensors_metadata(sys.argv[1])
print(time.perf_counter() - began, len(found.weight_map))
"""
PEAK = """\
import resource, sys
from cfgexplain.sources import Options, open_target
c = open_target(sys.argv[1], Options(no_cache=True))
scale = 1 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale, len(c.tensors))
"""


class Emulator:
    """The process, and what it saw."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "_hub_emulator.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        first = self._line()
        self.endpoint: str = first["endpoint"]
        self.needed: dict[str, dict[str, int]] = first["needed"]

    def _line(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self._process.stdout.readline())
        return value

    def take(self, **wanted: object) -> dict[str, int]:
        """What was asked for since the last call. ``wanted``: settings from now on."""
        print(json.dumps(wanted), file=self._process.stdin, flush=True)
        return self._line()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(20)


def run(code: str, repo: str, endpoint: str, home: str) -> tuple[float, int]:
    """Runs a client in a process of its own: what it measured, and how many tensors it found."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "CFGEXPLAIN_", "HUGGING"))}
    env |= {"HF_ENDPOINT": endpoint, "HF_HOME": home, "CFGEXPLAIN_CACHE": f"{home}/own", "NO_PROXY": "127.0.0.1"}
    env |= {"HF_HUB_DISABLE_TELEMETRY": "1"}
    done = subprocess.run([sys.executable, "-c", code, repo], env=env, check=True, stdout=subprocess.PIPE)
    value, count = done.stdout.split()
    return float(value), int(count)


def best(code: str, repo: str, emulator: Emulator, rounds: int) -> tuple[float, dict[str, int]]:
    """The best time of the rounds, and what the first of them asked for."""
    times = []
    seen: dict[str, int] = {}
    for k in range(rounds):
        with tempfile.TemporaryDirectory() as home:
            emulator.take()
            times.append(run(code, repo, emulator.endpoint, home)[0])
            seen = emulator.take() if k == 0 else seen
    return min(times), seen


class Report:
    """Prints rows and keeps count of the limits that were missed."""

    def __init__(self) -> None:
        self.missed = 0

    def row(self, what: str, seconds: float, seen: dict[str, int], limits: dict[str, float]) -> None:
        values = {"seconds": seconds, **{k: float(v) for k, v in seen.items()}}
        over = [f"{k} over {limit:g}" for k, limit in limits.items() if values[k] > limit]
        self.missed += len(over)
        wanted = ", ".join(f"{k} ≤ {limit:g}" for k, limit in limits.items())
        print(
            f"  {what:26} {seen['requests']:5} requests {seen['hops']:4} hops {seen['bytes']:11,} bytes "
            f"{1000 * seconds:7.0f} ms   {wanted}{'   MISSED: ' + ', '.join(over) if over else ''}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 4, 60, 163])
    parser.add_argument("--latency", type=int, nargs="+", default=[0, 50, 200], help="milliseconds a hop")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each; the best counts")
    args = parser.parse_args()
    emulator = Emulator()
    report = Report()
    try:
        for shards in args.shards:
            needed = emulator.needed[str(shards)]
            print(f"{shards} shards; config + index + headers have {sum(needed.values()):,} bytes")
            sequential(emulator, report, shards)
            for latency in args.latency:
                compare(emulator, report, shards, latency / 1000, args.rounds)
        second_run(emulator, report)
        memory(emulator, report)
    finally:
        emulator.close()
    print(f"{report.missed} limits missed" if report.missed else "every limit kept")
    return int(report.missed > 0)


def ways(shards: int) -> tuple[tuple[str, bool, int], ...]:
    """How cfgexplain reads a model: a word, whether the hub has the answer with all headers, hops at most."""
    return (("by ranges", False, 3), ("all headers in one", True, 2)) if shards > 1 else (("by ranges", False, 2),)


def sequential(emulator: Emulator, report: Report, shards: int) -> None:
    """Sequential hops and bytes, which no machine's speed changes."""
    total = sum(emulator.needed[str(shards)].values())
    most = total * 1.2 if shards > 1 else total + 65_536
    print(" 1000 ms a hop")
    for what, lists, hops in ways(shards):
        emulator.take(latency=1.0, lists_headers=lists)
        seconds, seen = best(OURS, f"bench/m{shards}", emulator, 1)
        report.row(f"cfgexplain, {what}", seconds, seen, {"bytes": most, "hops": hops})


def compare(emulator: Emulator, report: Report, shards: int, latency: float, rounds: int) -> None:
    """Seconds at one latency: by ranges, by the answer with all headers, and as huggingface_hub reads it."""
    print(f" {1000 * latency:g} ms a hop")
    for what, lists, hops in ways(shards):
        limits = {"seconds": hops * latency + OVERHEAD} if shards == 60 else {}
        emulator.take(latency=latency, lists_headers=lists)
        seconds, seen = best(OURS, f"bench/m{shards}", emulator, rounds)
        report.row(f"cfgexplain, {what}", seconds, seen, limits)
    emulator.take(lists_headers=False)
    seconds, seen = best(THEIRS, f"bench/m{shards}", emulator, 1 if latency > 0.1 else rounds)
    report.row("huggingface_hub", seconds, seen, {})


def second_run(emulator: Emulator, report: Report) -> None:
    """A run after another, and one of a commit."""
    print("second run of 60 shards, 50 ms a hop")
    emulator.take(latency=0.05, lists_headers=False)
    with tempfile.TemporaryDirectory() as home:
        run(OURS, "bench/m60", emulator.endpoint, home)
        emulator.take()
        seconds, _ = run(OURS, "bench/m60", emulator.endpoint, home)
        report.row("default branch", seconds, emulator.take(), {"requests": 1})
        seconds, _ = run(OURS, f"bench/m60@{'a' * 40}", emulator.endpoint, home)
        report.row("a commit", seconds, emulator.take(), {"requests": 0})


def memory(emulator: Emulator, report: Report) -> None:
    """The most that a process holds while it reads 100,000 tensors."""
    for lists in (False, True):
        emulator.take(latency=0.0, lists_headers=lists)
        with tempfile.TemporaryDirectory() as home:
            peak, count = run(PEAK, f"bench/m{MANY}", emulator.endpoint, home)
        over = peak > MEMORY
        report.missed += over
        how = "all headers in one" if lists else "by ranges"
        missed = "   MISSED" if over else ""
        print(f"peak memory, {count:,} tensors, {how}: {peak / 1e6:.0f} MB, limit {MEMORY / 1e6:.0f}{missed}")


if __name__ == "__main__":
    sys.exit(main())

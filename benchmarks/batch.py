#!/usr/bin/env python3
"""How many configs a second one call of ``cfgexplain check`` gets through, and what memory it takes.

    python benchmarks/batch.py

Configs of the corpus, a folder for each. Fails (exit 1) under 100 configs a second after start-up, over 10 seconds for
1,000 in one call, or where ten times as many configs take more than 1.5 times the memory.

Run it with the interpreter of the environment that cfgexplain is installed in.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "fixtures" / "corpus.jsonl.gz"
SIZES = (1, 100, 300, 1000)
FORMATS = ("jsonl", "sarif")

#: Runs the command in the process, then prints the most memory that it held, in KiB.
RUN = """\
import resource, sys
from cfgexplain.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def write(folder: Path, count: int) -> None:
    """``count`` configs, the corpus over and over."""
    with gzip.open(CORPUS, "rt", encoding="utf-8") as f:
        configs = [json.dumps(json.loads(line)["config"], indent=2) for line in f]
    for k in range(count):
        model = folder / f"{k:04}"
        model.mkdir(parents=True)
        (model / "config.json").write_text(configs[k % len(configs)], encoding="utf-8")


def measure(folder: Path, form: str) -> tuple[float, int]:
    """Seconds and KiB of one call over all models below a folder."""
    words = ["check", "-r", str(folder), "--no-settings", "--fail-on", "never", "--format", form]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ,
    )
    return time.perf_counter() - start, int(done.stderr.split()[-1])


def main() -> int:
    """Measures and prints."""
    failed = False
    with tempfile.TemporaryDirectory() as tmp:
        for count in SIZES:
            write(Path(tmp) / str(count), count)
        for form in FORMATS:
            taken = {n: min(measure(Path(tmp) / str(n), form) for _ in range(2)) for n in SIZES}
            start = taken[1][0]
            for n in SIZES[1:]:
                seconds, memory = taken[n]
                rate = n / (seconds - start)
                slow = (n == 300 and rate < 100) or (n == 1000 and seconds > 10)
                failed |= slow
                words = f"{form:6} {n:5} configs  {seconds:6.2f} s  {rate:6.0f} a second  {memory // 1024:4} MiB"
                print(words + ("  TOO SLOW" if slow else ""))
            if taken[1000][1] > 1.5 * taken[100][1]:
                failed = True
                print(f"{form}: memory grows with the number of configs")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How long ``cfgexplain example:llama-2-7b`` takes next to a bare Typer app with one command.

    python benchmarks/startup.py [--pairs N]

Each round runs all three commands, in turn, so that a busy machine slows all of them alike. Prints the medians, the
median of the rounds' ratios, and fails (exit 1) above the limits: 1.5 for text, 1.35 for JSON lines. Fails too when
a run imports what a local report has no use for.

Run it with the interpreter of the environment that cfgexplain is installed in.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMITS = {"text": 1.5, "jsonl": 1.35}
NEVER = ("huggingface_hub", "numpy")
TARGET = "example:llama-2-7b"

BARE = """\
import typer

app = typer.Typer()


@app.command()
def main(name: str) -> None:
    print(name)


if __name__ == "__main__":
    app()
"""

#: Runs the command in the process, then names what it should not have imported.
IMPORTS = f"""\
import sys
from cfgexplain.cli import main
sys.argv[0] = "cfgexplain"
try:
    main()
finally:
    print(*[m for m in {NEVER!r} if m in sys.modules], file=sys.stderr)
"""


def seconds(command: list[str], env: dict[str, str]) -> float:
    """Wall time of one run, which must succeed."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)
    return time.perf_counter() - start


def imported(args: list[str], env: dict[str, str]) -> list[str]:
    """The modules of ``NEVER`` that a run with these arguments imports."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *args], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env
    )
    return done.stderr.decode().split()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=15, help="rounds to measure, after one to warm up")
    pairs = parser.parse_args().pairs

    # Nothing of the caller's terminal or language may decide what is measured.
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CFGEXPLAIN_", "FORCE_COLOR", "PYTHONPROFILE"))}
    script = str(Path(sys.executable).with_name("cfgexplain" + (".exe" if os.name == "nt" else "")))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE, encoding="utf-8")
        commands = {
            "bare": [sys.executable, str(bare), "name"],
            "text": [script, TARGET],
            "jsonl": [script, TARGET, "--format", "jsonl"],
        }
        rounds = [{name: seconds(command, env) for name, command in commands.items()} for _ in range(pairs + 1)][1:]
    bare_median = statistics.median(r["bare"] for r in rounds)
    print(f"bare   {1000 * bare_median:6.0f} ms   median of {pairs}")
    for name, limit in LIMITS.items():
        median = statistics.median(r[name] for r in rounds)
        ratio = statistics.median(r[name] / r["bare"] for r in rounds)
        slow = ratio > limit
        failed |= slow
        print(f"{name:6} {1000 * median:6.0f} ms   {ratio:.2f} × bare, limit {limit}{'   TOO SLOW' if slow else ''}")
    for args in ([TARGET], [TARGET, "--format", "jsonl"]):
        heavy = imported(args, env)
        if heavy:
            failed = True
            print(f"{' '.join(args)} imports {', '.join(heavy)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

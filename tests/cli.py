"""The command, run in this process as a shell would run it: words in, output and exit code out."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple


class Outcome(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str


def run(*words: str, stdin: bytes | None = None) -> Outcome:
    """Runs ``cfgexplain WORDS…``."""
    from cfgexplain.cli import main

    out, err = io.StringIO(), io.StringIO()
    old_argv, old_stdin = sys.argv, sys.stdin
    sys.argv = ["cfgexplain", *words]
    if stdin is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    code: object = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as e:
        code = e.code
    finally:
        sys.argv, sys.stdin = old_argv, old_stdin
    return Outcome(code if isinstance(code, int) else (0 if code is None else 1), out.getvalue(), err.getvalue())


def shell(*words: str, env: dict[str, str] | None = None, stdin: bytes = b"") -> Outcome:
    """The same in a process of its own, with real bytes on its standard output."""
    import subprocess

    p = subprocess.run(
        [sys.executable, "-m", "cfgexplain", *words], input=stdin, capture_output=True, timeout=120, check=False,
        env={**os.environ, **(env or {})},
    )
    return Outcome(p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace"))

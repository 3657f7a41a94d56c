"""Targets → reports → output → exit code. What the commands share; the command line itself is ``cli``."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import USAGE_KINDS, CfgexplainError
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from cfgexplain.render import Style
    from cfgexplain.report import FindingR, Report, Severity
    from cfgexplain.sources.options import Options

DONE: Final = 0
FOUND: Final = 1
USAGE: Final = 2
FAILED: Final = 3
BUG: Final = 70
INTERRUPTED: Final = 130
GRAVITY: Final[dict[str, int]] = {"note": 0, "warning": 1, "error": 2, "never": 3}


class Selection(NamedTuple):
    """Which findings are shown, and from which severity on they fail.

    ``select`` and ``ignore`` hold names of checks, or shell patterns of them; an empty ``select`` is all.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"

    def keeps(self, name: str) -> bool:
        """Whether a finding of this check is shown."""
        from fnmatch import fnmatchcase

        chosen = not self.select or any(fnmatchcase(name, p) for p in self.select)
        return chosen and not any(fnmatchcase(name, p) for p in self.ignore)

    def reached(self, severity: Severity) -> bool:
        """Whether a finding of this severity makes ``check`` fail."""
        return GRAVITY[severity] >= GRAVITY[self.fail_on]


class Job(NamedTuple):
    """One command's work."""

    targets: Sequence[str]
    options: Options
    selection: Selection
    format: str
    output: Path | None
    style: Style
    tensors: bool = False
    checking: bool = False


def reports(job: Job, failed: list[CfgexplainError], found: list[FindingR]) -> Iterator[Report]:
    """One report a target, in order; errors and findings that count are noted on the way."""
    from cfgexplain import inspect
    from cfgexplain.sources import open_target

    wanted = inspect.Wanted(job.tensors, job.style.lang, not job.checking)
    for text in job.targets:
        try:
            report = inspect.inspect(open_target(text, job.options), wanted)
        except CfgexplainError as e:
            report = _failure(job, text, e, failed)
        except Exception as e:
            # The border of one target: a bug in it is shown and exits 70, and the other targets are still done.
            traceback.print_exc()
            bug = CfgexplainError("internal", f"{text}: a bug in cfgexplain ({type(e).__name__})", "Please report it with the traceback above.")
            report = _failure(job, text, bug, failed)
        else:
            kept = [f for f in report["findings"] or () if job.selection.keeps(f["name"])]
            report["findings"] = kept
            found.extend(f for f in kept if job.selection.reached(f["severity"]))
        yield report


def _failure(job: Job, text: str, e: CfgexplainError, failed: list[CfgexplainError]) -> Report:
    """Notes an error; beside text it is told at once, between the reports that it stands between."""
    from cfgexplain import inspect

    failed.append(e)
    if job.format == "text":
        sys.stdout.flush()
        complain(e)
    return inspect.failed(text, e)


def execute(job: Job) -> int:
    """Does the work, writes the output, returns the exit code."""
    from cfgexplain.render import renderer

    failed: list[CfgexplainError] = []
    found: list[FindingR] = []
    done: Iterable[Report] = reports(job, failed, found)
    if job.format == "text":
        # Errors go to standard error; a document for machines has them in their place as well.
        done = (r for r in done if r["error"] is None)
    chunks = renderer(job.format)(done, job.style)
    if job.output is not None:
        write_file(job.output, chunks)
    else:
        write_out(chunks)
    if job.format != "text":
        for e in failed:
            complain(e)
    if any(e.kind == "internal" for e in failed):
        return BUG
    if failed:
        return FAILED if any(e.kind not in USAGE_KINDS for e in failed) else USAGE
    return FOUND if job.checking and found else DONE


def complain(e: CfgexplainError) -> None:
    """An error in two lines on standard error: what happened, what to do."""
    say(f"cfgexplain: error: {clean(e.message)}")
    if e.hint:
        say(f"  {clean(e.hint)}")


def say(line: str) -> None:
    """One line on standard error, whatever its encoding."""
    encoding = sys.stderr.encoding or "ascii"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def write_out(chunks: Iterable[str]) -> None:
    """To standard output; a reader that goes away early is no error."""
    stream = sys.stdout
    encoding = stream.encoding or "ascii"
    try:
        for chunk in chunks:
            try:
                stream.write(chunk)
            except UnicodeEncodeError:
                stream.write(chunk.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Python would try to flush again at exit and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_file(path: Path, chunks: Iterable[str]) -> None:
    """Writes text, the whole file or none."""
    write_bytes(path, "".join(chunks).encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, data: bytes) -> None:
    """Writes the whole file or none: beside it first, then in its place.

    Raises:
        CfgexplainError: it cannot be written.
    """
    import tempfile

    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=path.name[:40] + ".", dir=path.parent)
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
        temporary = None
    except OSError as e:
        raise CfgexplainError("usage", f"{path}: cannot be written ({e.strerror})", "Name a file in a folder that you may write to.") from None
    finally:
        if temporary is not None:
            os.unlink(temporary)


def nearest(name: str, names: Iterable[str]) -> str:
    """A sentence that points to the name meant, or ""."""
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f"Did you mean {near[0]}?" if near else ""


def guarded(work: Callable[[], int], verbose: bool = False) -> int:
    """Runs a command; errors in two lines, an interrupt as 130. A bug passes through."""
    try:
        return work()
    except CfgexplainError as e:
        complain(e)
        if verbose:
            raise
        return USAGE if e.kind in USAGE_KINDS else FAILED
    except KeyboardInterrupt:
        say("cfgexplain: interrupted")
        return INTERRUPTED

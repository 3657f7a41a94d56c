"""Targets → reports → output → exit code. What the commands share; the command line itself is ``cli``."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import USAGE_KINDS, CfgexplainError
from cfgexplain.output import complain, say, write_file, write_out
from cfgexplain.text import clean, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from cfgexplain.baseline import Entry
    from cfgexplain.checkpoint import Checkpoint
    from cfgexplain.compare.base import Side
    from cfgexplain.places import Located, Place
    from cfgexplain.render import Style
    from cfgexplain.report import FindingR, Report, Severity
    from cfgexplain.settings import Settings
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

    ``select`` and ``ignore`` hold names of checks, or shell patterns of them; an empty ``select`` is all. ``fail_on``
    is None where nobody has said it, which is "error".
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None

    def keeps(self, name: str) -> bool:
        """Whether a finding of this check is shown."""
        from fnmatch import fnmatchcase

        chosen = not self.select or any(fnmatchcase(name, p) for p in self.select)
        return chosen and not any(fnmatchcase(name, p) for p in self.ignore)

    def reached(self, severity: Severity) -> bool:
        """Whether a finding of this severity makes ``check`` fail."""
        return GRAVITY[severity] >= GRAVITY[self.fail_on or "error"]

    def over(self, s: Settings) -> Selection:
        """What the command line says, and what a file of settings says where the command line says nothing."""
        ignore = self.ignore or (() if self.select else s.ignore)
        return Selection(self.select or s.select, ignore, self.fail_on or s.fail_on)


class Job(NamedTuple):
    """One command's work.

    Attributes:
        settings: those that hold for every target; None looks for them above each.
        tensor_parallel: ranks, where the command line names them.
        baseline: file of findings that are accepted.
        write_baseline: file to write all of today's findings to.
        against: the model that the targets came from, where one is named.
        keys: keys to explain in place of the usual.
        all_keys: explain every key.
    """

    targets: Sequence[str]
    options: Options
    selection: Selection
    format: str
    output: Path | None
    style: Style
    tensors: bool = False
    checking: bool = False
    settings: Settings | None = None
    tensor_parallel: int | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    against: str | None = None
    keys: tuple[str, ...] = ()
    all_keys: bool = False


class Tally:
    """What adds up over the targets, for the exit code and the baseline."""

    __slots__ = ("accepted", "base", "entries", "failed", "found")

    def __init__(self, accepted: frozenset[str], base: Side | None = None) -> None:
        self.failed: list[tuple[str, CfgexplainError]] = []
        self.found = 0
        self.accepted = accepted
        self.base = base
        self.entries: list[Entry] = []


def settings_of(job: Job, text: str) -> Settings:
    """The settings that hold for a target: of the folders above it, or above the working directory for a hub's."""
    from cfgexplain.settings import settings_for
    from cfgexplain.sources.spec import exists_on_disk

    if job.settings is not None:
        return job.settings
    path = os.path.expanduser(text) if text.startswith("~") else text
    return settings_for(path if exists_on_disk(path) else os.curdir)


def reports(job: Job, tally: Tally) -> Iterator[Located]:
    """One report a target, in order; errors and findings that count are noted on the way."""
    from cfgexplain.places import Located, root
    from cfgexplain.sources import read_ahead

    read_ahead(job.targets, job.options)
    for text in job.targets:
        at = None
        try:
            yield _one(job, text, tally)
            continue
        except CfgexplainError as e:
            at = e.at
            report = _failure(job, text, e, tally)
        except Exception as e:  # noqa: BLE001
            # The border of one target: a bug in it is shown and exits 70, and the other targets are still done.
            traceback.print_exc()
            message = f"{text}: a bug in cfgexplain ({type(e).__name__})"
            bug = CfgexplainError("internal", message, "Please report it with the traceback above.")
            report = _failure(job, text, bug, tally)
        where = root(text, job.options).place(None)
        yield Located(report, where._replace(line=at[0], column=at[1]) if at else where)


def _one(job: Job, text: str, tally: Tally) -> Located:
    from cfgexplain import inspect
    from cfgexplain.checks.base import Wishes
    from cfgexplain.places import Located, Place, locate, root
    from cfgexplain.render import FORMATS
    from cfgexplain.sources import open_target

    settings = settings_of(job, text)
    selection = job.selection.over(settings)
    wishes = Wishes(settings.severity, settings.expect, job.tensor_parallel or settings.tensor_parallel, tally.base)
    c = open_target(text, job.options)
    if job.options.revision and c.target.kind != "hub":
        say(f"cfgexplain: note: {clean(readable(text), 300)}: --revision is for the hub; it changes nothing here")
    if job.style.verbose >= 0:
        _remarks(c, job.style.lang)
    wanted = inspect.Wanted(job.tensors, job.style.lang, not job.checking, wishes, job.keys, job.all_keys)
    report = inspect.inspect(c, wanted)
    findings = report["findings"] = [f for f in report["findings"] or () if selection.keeps(f["name"])]
    places = FORMATS[job.format].located or job.baseline or job.write_baseline or settings.per_path_ignores
    if not places:
        tally.found += sum(selection.reached(f["severity"]) for f in findings)
        return Located(report, Place(text, "none"))
    found = locate(c, report, root(text, job.options, c))
    if settings.per_path_ignores:
        pairs = zip(findings, found.places, strict=True)
        found = _only(found, [not _ignored(f, p, found.where, settings) for f, p in pairs])
    if job.baseline or job.write_baseline:
        found = _new(job, text, c, found, tally)
    failing = tuple(selection.reached(f["severity"]) for f in report["findings"] or ())
    tally.found += sum(failing)
    return found._replace(failing=failing)


def _ignored(f: FindingR, place: Place, where: Place, settings: Settings) -> bool:
    from fnmatch import fnmatchcase

    return any(fnmatchcase(f["name"], n) for n in settings.ignored_at({place.path, where.path}))


def _new(job: Job, text: str, c: Checkpoint, found: Located, tally: Tally) -> Located:
    """Notes findings for the baseline that is written, and leaves out those that the one read accepts."""
    from cfgexplain.baseline import entry
    from cfgexplain.places import identities, root

    file = job.baseline or job.write_baseline
    name = root(text, job.options, c, str(file.absolute().parent) if file else None).name
    findings = found.report["findings"] or []
    names = identities(findings, name)
    if job.write_baseline:
        tally.entries.extend(entry(f, i, name) for f, i in zip(findings, names, strict=True))
    return _only(found, [i not in tally.accepted for i in names])


def _only(found: Located, kept: Sequence[bool]) -> Located:
    """The findings for which ``kept`` is true."""
    from itertools import compress

    found.report["findings"] = list(compress(found.report["findings"] or (), kept))
    return found._replace(
        places=tuple(compress(found.places, kept)), identities=tuple(compress(found.identities, kept))
    )


def _remarks(c: Checkpoint, lang: str) -> None:
    """How the target was read, where that is worth a line on standard error."""
    if c.notes:
        from cfgexplain.lang import catalogue
        from cfgexplain.lang.choice import shows

        t = catalogue(lang if shows(sys.stderr.encoding or "ascii", lang) else "en")
        for n in c.notes:
            words = t.finding("note", n.key)[0].format(**n.values)
            say(f"cfgexplain: note: {clean(c.target.input, 300)}: {clean(words)}")


def _failure(job: Job, text: str, e: CfgexplainError, tally: Tally) -> Report:
    """Notes an error; beside text it is told at once, between the reports that it stands between."""
    from cfgexplain import inspect

    # With several targets each error names its own.
    tally.failed.append((text if len(job.targets) > 1 else "", e))
    if job.format == "text":
        sys.stdout.flush()
        complain(e, tally.failed[-1][0])
    return inspect.failed(text, e)


def execute(job: Job) -> int:
    """Does the work, writes the output, returns the exit code."""
    from cfgexplain.render import FORMATS, renderer

    files = {settings_of(job, text).file for text in job.targets}  # a fault in one is told before any output
    if job.style.verbose > 0:
        for file in sorted(files - {""}):
            say(f"cfgexplain: settings: {clean(file)}")
    tally = Tally(_accepted(job.baseline), _base(job))
    done: Iterable[Located] = reports(job, tally)
    if job.format == "text":
        # Errors go to standard error; a document for machines has them in their place as well.
        done = (d for d in done if d.report["error"] is None)
    style = job.style
    if FORMATS[job.format].located:
        from cfgexplain.checks import CHECKS

        style = style._replace(rules=tuple((c.name, c.severity) for c in CHECKS))
    chunks = renderer(job.format)(done, style)
    if job.output is not None:
        write_file(job.output, chunks)
    else:
        write_out(chunks, FORMATS[job.format].utf8)
    if job.write_baseline:
        from cfgexplain.baseline import dump

        write_file(job.write_baseline, dump(tally.entries))
    if job.format != "text":
        for target, e in tally.failed:
            complain(e, target)
    kinds = {e.kind for _, e in tally.failed}
    if "internal" in kinds:
        return BUG
    if kinds:
        return FAILED if kinds - USAGE_KINDS else USAGE
    return FOUND if job.checking and tally.found and not job.write_baseline else DONE


def _base(job: Job) -> Side | None:
    if job.against is None:
        return None
    from cfgexplain.compare.command import side

    return side(job.against, job.options)


def _accepted(file: Path | None) -> frozenset[str]:
    if file is None:
        return frozenset()
    from cfgexplain.baseline import read

    return read(str(file))


def nearest(name: str, names: Iterable[str]) -> str:
    """A sentence that points to the name meant, or ""."""
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f"Did you mean {near[0]}?" if near else ""


def printed(chunks: Iterable[str]) -> int:
    """A command that only prints."""
    write_out(chunks)
    return DONE


def guarded(work: Callable[[], int], verbose: bool = False) -> int:
    """Runs a command; errors in two lines, an interrupt as 130. A bug passes through."""
    try:
        return work()
    except CfgexplainError as e:
        complain(e)
        if verbose:
            traceback.print_exc()
        return USAGE if e.kind in USAGE_KINDS else FAILED
    except KeyboardInterrupt:
        say("cfgexplain: interrupted")
        return INTERRUPTED

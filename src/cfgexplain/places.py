"""Where findings stand: JSON pointers and tensor names → file, line and column.

A report holds no lines, so that it is the same wherever the model lies. Formats that need a line get each report as
:class:`Located`, and stay pure functions: all looking up is done here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.spec import parse_target
from cfgexplain.text import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.checkpoint import Checkpoint
    from cfgexplain.report import FindingR, Report
    from cfgexplain.sources.options import Options

#: What a path is relative to: the working directory, nothing (absolute), or it is a URL; "none" is no file at all.
Kind = Literal["relative", "absolute", "url", "none"]
HUB = "https://huggingface.co"


class Place(NamedTuple):
    """A point in a file. Line and column count from 1; column in code points.

    Attributes:
        path: with forward slashes; relative to the working directory where it lies below it.
    """

    path: str
    kind: Kind
    line: int = 1
    column: int = 1


class Located(NamedTuple):
    """A report with what it leaves out.

    Attributes:
        where: the target as a whole.
        places: one for each finding.
        identities: one for each finding: the same from run to run, whatever its line, wording and severity.
        failing: one for each finding: whether it makes ``check`` fail.
    """

    report: Report
    where: Place
    places: tuple[Place, ...] = ()
    identities: tuple[str, ...] = ()
    failing: tuple[bool, ...] = ()

    @property
    def failure(self) -> str | None:
        """Why the target could not be read and what to do, or None where it could."""
        e = self.report["error"]
        return None if e is None else f"{e['message']}. {e['hint']}".strip() if e["hint"] else e["message"]

    def findings(self) -> Iterator[tuple[FindingR, Place, str, bool]]:
        """Each finding with its place, its identity, and whether it fails."""
        found = self.report["findings"] or ()
        return zip(found, self.places, self.identities, self.failing, strict=True)


class Root(NamedTuple):
    """Where a target's files lie.

    Attributes:
        folder: of its files, without a slash at the end; "" is the working directory.
        whole: the target itself.
        alone: config and headers are inside one file (a skeleton), or in none (standard input).
        name: what the target is called in identities.
    """

    kind: Kind
    folder: str
    whole: str
    alone: bool
    name: str

    def place(self, file: str | None, at: tuple[int, int] | None = None) -> Place:
        """A place in one of its files; None is the target as a whole."""
        if self.alone or file is None:
            return Place(readable(self.whole), self.kind)
        path = f"{self.folder}/{file}" if self.folder else file
        return Place(readable(path), self.kind, *(at or (1, 1)))


def root(text: str, options: Options, c: Checkpoint | None = None, start: str | None = None) -> Root:
    """Where a target's files lie.

    Args:
        text: the target as the user wrote it.
        options: revision and subfolder bear on it.
        c: what was read, or None where that failed.
        start: folder that local names are relative to in identities; None is the working directory.
    """
    try:
        spec = parse_target(text, revision=options.revision, subfolder=options.subfolder)
    except CfgexplainError:
        return Root("none", "", text, True, text)
    if spec.kind == "stdin":
        return Root("url", "", "stdin:config.json", True, "-")
    if spec.kind == "example":
        return Root("url", "", f"example:{spec.path}", True, f"example:{spec.path}")
    if spec.kind == "hub":
        revision = (c.target.commit if c else None) or spec.revision or "main"
        below = f"/{spec.subfolder}" if spec.subfolder else ""
        folder = f"{HUB}/{spec.repo_id}/blob/{revision}{below}"
        return Root("url", folder, f"{folder}/config.json", False, f"{spec.repo_id}{below}")
    path = os.path.join(spec.path, *spec.subfolder.split("/")) if spec.subfolder else spec.path
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    if c is None and path == folder:
        from cfgexplain.sources.layout import CONFIG_NAMES

        path = next((p for n in CONFIG_NAMES if os.path.isfile(p := os.path.join(folder, n))), path)
    kind, shown = relative(path)
    alone = c is not None and c.target.kind == "skeleton"
    here = start or os.getcwd()
    name = relative(path if alone else folder or os.curdir, here)[1]
    return Root(kind, relative(folder or os.curdir)[1], shown or os.curdir, alone, name or os.curdir)


def relative(path: str, start: str | None = None) -> tuple[Kind, str]:
    """A path with forward slashes, relative to ``start`` where it lies below it; "" is ``start`` itself."""
    full = os.path.abspath(path)
    try:
        short = os.path.relpath(full, start)
    except ValueError:  # another drive
        short = os.pardir
    if short == os.curdir:
        return "relative", ""
    if short == os.pardir or short.startswith(os.pardir + os.sep):
        return "absolute", full.replace(os.sep, "/")
    return "relative", short.replace(os.sep, "/")


def locate(c: Checkpoint, report: Report, where: Root) -> Located:
    """A report with the place of each finding."""
    found = report["findings"] or []
    whole = where.place(c.config.name if c.config else None)
    places = tuple(_place(f, c, where) for f in found)
    return Located(report, whole, places, identities(found, where.name), (False,) * len(found))


def _place(f: FindingR, c: Checkpoint, where: Root) -> Place:
    if where.alone:
        return where.place(None)
    config = c.config.name if c.config else None
    weights = c.index.file if c.index else next((w.name for w in c.weight_files), None)
    file = f["file"] or (_file_of(f["tensors"], c) or weights or config if f["tensors"] else config or weights)
    at = None
    if f["pointer"] is not None and c.config is not None and file == config and c.config.text:
        from cfgexplain.jsonpos import position

        at = position(c.config.text, f["pointer"])
    return where.place(file, at)


def _file_of(patterns: list[str], c: Checkpoint) -> str | None:
    """The weight file of the first tensor of the first pattern."""
    from cfgexplain.fold import unfold

    try:
        name = next(unfold(patterns[0], 1_000_000), None)
    except ValueError:
        return None
    return next((t.file for t in c.tensors or () if t.name == name), None)


def identities(found: Iterable[FindingR], name: str) -> tuple[str, ...]:
    """A fingerprint of each finding: which check, in which model, at which key or tensors. Equal ones are numbered."""
    import hashlib

    seen: dict[str, int] = {}
    out: list[str] = []
    for f in found:
        parts = [f["name"], name, f["file"] or "", f["pointer"] or "", *f["tensors"]]
        text = "\0".join(parts).encode("utf-8", "backslashreplace")
        digest = hashlib.sha256(text).hexdigest()[:32]
        seen[digest] = seen.get(digest, 0) + 1
        out.append(digest if seen[digest] == 1 else f"{digest}:{seen[digest]}")
    return tuple(out)

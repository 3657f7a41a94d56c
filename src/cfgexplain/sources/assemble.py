"""Headers, index and config to one Checkpoint, and what the index gets wrong about the headers.

Shared by disk and hub: nothing here reads a file. Root causes first: what a missing shard explains (absent tensors,
a wrong total) is not reported again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Index, Note, Problem, Target, Tensor, WeightFile
from cfgexplain.fold import natural_key
from cfgexplain.sources.layout import Layout, shard_of, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from cfgexplain.sources.files import WeightRead


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a source read of one model.

    Attributes:
        target: as asked for.
        config: or None.
        layout: which files were chosen.
        index: the index that was followed, or None.
        reads: every weight file that was there.
        missing: weight files that were not.
        names: every file name known in the folder (on the hub maybe none).
        cached: whether ``missing`` only means "not in the local cache".
        problems, notes, extra: what was seen on the way.
    """

    target: Target
    config: ConfigFile | None
    layout: Layout
    index: Index | None = None
    reads: Sequence[WeightRead] = ()
    missing: Sequence[str] = ()
    names: Collection[str] = ()
    cached: bool = False
    problems: Sequence[Problem] = ()
    notes: Sequence[Note] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


def assemble(g: Gathered) -> Checkpoint:
    """Puts a Checkpoint together. ``complete`` is False wherever an absent tensor proves nothing."""
    reads = sorted(g.reads, key=lambda r: natural_key(r.name))
    tables = [r for r in reads if r.table is not None]
    pointers = [r for r in reads if r.table is None]
    stored: dict[str, Tensor] = {}
    twice: dict[str, tuple[str, str]] = {}
    for r in tables:
        if r.table is not None:
            for t in r.table.tensors:
                first = stored.setdefault(t.name, t)
                if first is not t and first.file != t.file:
                    twice[t.name] = (first.file, t.file)
                    if g.index is not None and g.index.weight_map.get(t.name) == t.file:
                        stored[t.name] = t
    problems = list(g.problems)
    problems += [p for r in tables if r.table is not None for p in r.table.problems]
    truncated = any(p.check == "truncated-file" for p in problems)
    unsafe = any(p.check == "unsafe-shard-path" for p in problems)
    if pointers:
        problems.append(_pointers(pointers, len(reads)))
    if g.missing:
        problems.append(_missing(g, len(reads)))
    disagree = _mismatches(g.index, tables, stored, twice)
    problems += disagree
    if not (g.missing or pointers or unsafe or disagree or truncated) and g.index is not None:
        problems += _total_size(g.index, stored.values())
    problems += _unreferenced(g)
    lone = any((s := shard_of(r.name)) is not None and s[3] > 1 for r in reads) and len(reads) == 1 and g.index is None
    files = [_weight_file(r) for r in reads] + [WeightFile(m, None, None, None) for m in g.missing]
    return Checkpoint(
        target=g.target,
        config=g.config,
        tensors=tuple(stored.values()) if tables else None,
        weight_files=tuple(sorted(files, key=lambda f: natural_key(f.name))),
        index=g.index,
        extra=g.extra,
        problems=tuple(problems),
        complete=not (g.missing or pointers or unsafe or truncated or lone),
        notes=tuple(g.notes),
    )


def _weight_file(r: WeightRead) -> WeightFile:
    if r.table is None:
        return WeightFile(r.name, r.pointer_bytes, None, None)
    return WeightFile(r.name, r.bytes, None if r.listed else r.table.header_bytes, len(r.table.tensors))


def _pointers(pointers: Sequence[WeightRead], total: int) -> Problem:
    size = sum(p.pointer_bytes or 0 for p in pointers)
    values = {"count": len(pointers), "total": total, "files": shown([p.name for p in pointers]), "bytes": size}
    return Problem("weights-not-fetched", "lfs", values, file=pointers[0].name)


def _missing(g: Gathered, present: int) -> Problem:
    """One problem for all absent shards: what they hold, and why they may be absent."""
    missing = sorted(g.missing, key=natural_key)
    barred = frozenset(missing)
    lost = [n for n, s in g.index.weight_map.items() if s in barred] if g.index is not None else []
    values: dict[str, object] = {
        "count": len(missing),
        "total": len(missing) + present,
        "files": shown(missing),
        "tensors": len(lost),
    }
    file = g.index.file if g.index is not None else missing[0]
    if g.cached:
        return Problem("weights-not-fetched", "cache", values, file=missing[0])
    partial = sorted(n for n in g.names if n.endswith(".incomplete"))
    others = [o for o in _unused(g) if shard_of(o) is not None]
    if g.index is None:
        key = "set"
    elif partial:
        key = "incomplete"
        values |= {"partial": len(partial)}
    elif others:
        key = "stale"
        values |= {"others": len(others), "other_files": shown(others)}
    else:
        key = "none" if not present else "some"
    return Problem("index-missing-shard", key, values, file=file, tensors=tuple(lost))


def _mismatches(
    index: Index | None,
    tables: Sequence[WeightRead],
    stored: Mapping[str, Tensor],
    twice: Mapping[str, tuple[str, str]],
) -> list[Problem]:
    """Where index and headers disagree on which tensors exist: at most one problem of each kind."""
    file = index.file if index is not None else next(iter(twice.values()))[1] if twice else None
    out: list[Problem] = []

    def add(key: str, names: Collection[str], **values: object) -> None:
        if names:
            values["count"] = len(names)
            out.append(Problem("index-tensor-mismatch", key, values, file=file, tensors=tuple(names)))

    add("twice", twice, files=shown(next(iter(twice.values()))) if twice else "")
    if index is None:
        return out
    read = {r.name for r in tables}
    absent: list[str] = []
    elsewhere: list[str] = []
    for name, shard in index.weight_map.items():
        if shard in read:
            tensor = stored.get(name)
            if tensor is None:
                absent.append(name)
            elif tensor.file != shard and name not in twice:
                elsewhere.append(name)
    add("absent", absent, files=shown(_shards(index, absent)))
    add("elsewhere", elsewhere, files=shown(_shards(index, elsewhere)))
    unlisted = [n for n in stored if n not in index.weight_map]
    add("unlisted", unlisted, files=shown(sorted({stored[n].file for n in unlisted}, key=natural_key)))
    return out


def _shards(index: Index, names: Iterable[str]) -> list[str]:
    return sorted({index.weight_map[n] for n in names}, key=natural_key)


def _total_size(index: Index, stored: Collection[Tensor]) -> list[Problem]:
    total = sum(t.nbytes for t in stored)
    if index.total_size is None or index.total_size == total:
        return []
    values = {"total_size": index.total_size, "bytes": total}
    return [Problem("index-total-size", "differs", values, file=index.file)]


def _unused(g: Gathered) -> list[str]:
    used = {r.name for r in g.reads}
    if g.index is not None:
        used |= set(g.index.weight_map.values())
    return sorted((o for o in g.layout.others if o not in used), key=natural_key)


def _unreferenced(g: Gathered) -> list[Problem]:
    unused = _unused(g)
    if not unused or any(p.check == "unsafe-shard-path" for p in g.problems):
        return []
    if g.index is not None:
        if g.missing and any(shard_of(o) is not None for o in unused):
            return []  # named as the likely cause of the missing shards
        values = {"count": len(unused), "files": shown(unused)}
        return [Problem("unreferenced-weights", "index", values, file=g.index.file)]
    if not g.layout.weights:
        return []
    values = {"count": len(unused), "files": shown(unused), "read": shown(g.layout.weights)}
    return [Problem("unreferenced-weights", "choice", values, file=unused[0])]

"""What was wrong with the files that a skeleton was made from: ``"problems"`` of the file, written and read.

One row a problem: ``{"check": …, "key": …, "values": {…}, "file": …, "pointer": …, "tensors": [pattern…]}``, the last
three only where there is something. A skeleton may come from a stranger: only faults that a source can see are taken,
with values that their texts can show.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Index, Problem
from cfgexplain.fold import fold, unfold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cfgexplain.checkpoint import Checkpoint

#: Faults of a config, which count with ``--config-only`` too.
_OF_CONFIG: Final = frozenset({"duplicate-key", "non-finite-number"})
#: A header gives a handful by rule, an index one of each kind.
MAX_PROBLEMS: Final = 100_000
_MAX_VALUES: Final = 32
_MAX_TEXT: Final = 4096
_MAX_NUMBER: Final = 1 << 70


def dump_problems(problems: Iterable[Problem]) -> list[str]:
    """The rows, one problem each."""
    rows: list[str] = []
    for p in problems:
        row: dict[str, object] = {"check": p.check, "key": p.key, "values": dict(p.values)}
        if p.file is not None:
            row["file"] = p.file
        if p.pointer is not None:
            row["pointer"] = p.pointer
        if p.tensors:
            row["tensors"] = fold(p.tensors)
        rows.append(json.dumps(row))
    return rows


def load_problems(value: object, most_tensors: int, config_only: bool) -> tuple[Problem, ...]:
    """The problems of a skeleton.

    Args:
        value: ``"problems"`` as the file has it; None is none.
        most_tensors: names that they may have in all.
        config_only: those of weights and index are left out.

    Raises:
        ValueError: a row is no problem that this version knows.
    """
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_PROBLEMS:
        raise ValueError(f'"problems" is no list of at most {MAX_PROBLEMS:,} problems')
    out: list[Problem] = []
    for row in value:
        p = _problem(row, most_tensors)
        most_tensors -= len(p.tensors)
        if not config_only or (p.check in _OF_CONFIG and p.key != "index"):
            out.append(p)
    return tuple(out)


def _problem(row: object, most_tensors: int) -> Problem:
    if not isinstance(row, dict):
        raise ValueError('"problems" holds something else than objects')
    check, key, values = row.get("check"), row.get("key"), row.get("values")
    file, pointer, patterns = row.get("file"), row.get("pointer"), row.get("tensors", [])
    if not isinstance(check, str) or not isinstance(key, str) or not isinstance(values, dict):
        raise ValueError('a problem has no "check", "key" and "values"')
    if len(values) > _MAX_VALUES or not all(_plain(v) for v in values.values()) or not _shown(check, key, values):
        raise ValueError("a problem is none that this version knows")
    if not (file is None or _text(file)) or not (pointer is None or _text(pointer)):
        raise ValueError('a problem has no valid "file" or "pointer"')
    if not isinstance(patterns, list) or not all(_text(p) for p in patterns):
        raise ValueError('"tensors" of a problem is no list of names')
    names: list[str] = []
    for pattern in patterns:
        names.extend(unfold(pattern, most_tensors - len(names)))
    return Problem(check, key, values, file, pointer, tuple(names))


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _plain(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, int):
        return abs(value) < _MAX_NUMBER
    return value is None or _text(value)


def _shown(check: str, key: str, values: Mapping[str, object]) -> bool:
    """Whether a source sees such faults, and the texts can show one with these values."""
    from cfgexplain.lang import LANGUAGES, catalogue
    from cfgexplain.lang.en_reading import TEXTS as READING
    from cfgexplain.lang.en_sources import TEXTS as SOURCES

    if f"finding.{check}.{key}" not in READING and f"finding.{check}.{key}" not in SOURCES:
        return False
    try:
        for lang in LANGUAGES:
            for text in catalogue(lang).finding(check, key):
                text.format(**{"where": "", "examples": "", **values})
    except (KeyError, ValueError, IndexError, TypeError):
        return False
    return True


def listed(checkpoint: Checkpoint) -> list[tuple[str, list[str]]]:
    """Shards that the index names and that were not read, each with its tensors as patterns."""
    index = checkpoint.index
    if index is None:
        return []
    read = {t.file for t in checkpoint.tensors or ()}
    names: dict[str, list[str]] = {}
    for name, file in index.weight_map.items():
        if file not in read:
            names.setdefault(file, []).append(name)
    return [(file, fold(names[file])) for file in sorted(names)]


def with_listed(index: Index, value: object, most: int) -> Index:
    """The index with what ``listed`` gave. Raises ValueError for what breaks the form."""
    if value is None:
        return index
    if not isinstance(value, list):
        raise ValueError('"listed" is no list')
    weight_map = dict(index.weight_map)
    for row in value:
        pair: Sequence[object] = row if isinstance(row, list) else ()
        if len(pair) != 2 or not _text(pair[0]) or not isinstance(pair[1], list) or not all(_text(p) for p in pair[1]):
            raise ValueError('"listed" holds something else than [file, [tensor…]]')
        for pattern in pair[1]:
            for name in unfold(pattern, most - len(weight_map)):
                weight_map.setdefault(name, str(pair[0]))
    return index._replace(weight_map=weight_map)

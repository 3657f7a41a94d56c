"""Findings that were there before: a file that accepts them, so that only new ones are reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.report import FindingR

VERSION: Final = 1
#: Room for a hundred thousand findings.
LARGEST: Final = 100_000_000


class Entry(NamedTuple):
    """One accepted finding. ``identity`` decides; the rest is for whoever reads the file."""

    identity: str
    target: str
    check: str
    file: str | None
    pointer: str | None
    tensors: tuple[str, ...]


def entry(f: FindingR, identity: str, target: str) -> Entry:
    """A finding as the file holds it: without severity, wording and line, which may change."""
    return Entry(identity, target, f["name"], f["file"], f["pointer"], tuple(f["tensors"]))


def read(file: str) -> frozenset[str]:
    """The identities that a baseline accepts.

    Raises:
        CfgexplainError: "usage": it cannot be read, or is no baseline.
    """
    hint = "Write one with --write-baseline."
    try:
        with open(file, "rb") as f:
            data = f.read(LARGEST + 1)
    except OSError as e:
        raise CfgexplainError("usage", f"{clean(file)}: cannot be read ({e.strerror})", hint) from None
    if len(data) > LARGEST:
        raise CfgexplainError("usage", f"{clean(file)}: more than {LARGEST:,} bytes", hint)
    try:
        value: object = json.loads(data)
    except json.JSONDecodeError as e:
        where = f"line {e.lineno}, column {e.colno}"
        raise CfgexplainError(
            "usage", f"{clean(file)}: no baseline, for it is not JSON ({e.msg} at {where})", hint
        ) from None
    except (ValueError, RecursionError):
        raise CfgexplainError("usage", f"{clean(file)}: no baseline, for its JSON cannot be read", hint) from None
    rows = value.get("findings") if isinstance(value, dict) and value.get("cfgexplain_baseline") == VERSION else None
    if not isinstance(rows, list) or not all(isinstance(r, dict) and isinstance(r.get("identity"), str) for r in rows):
        raise CfgexplainError("usage", f"{clean(file)}: no baseline of this version", hint)
    return frozenset(r["identity"] for r in rows)


def dump(entries: Iterable[Entry]) -> Iterator[str]:
    """The file, one finding a line and in a fixed order, so that its diffs are readable."""
    rows = sorted(set(entries), key=lambda e: (e.target, e.check, e.file or "", e.pointer or "", e.identity))
    yield f'{{\n"cfgexplain_baseline": {VERSION},\n"findings": ['
    for k, e in enumerate(rows):
        row = {
            "identity": e.identity,
            "target": e.target,
            "check": e.check,
            "file": e.file,
            "pointer": e.pointer,
            "tensors": list(e.tensors),
        }
        yield (",\n" if k else "\n") + json.dumps(row)
    yield "\n]\n}\n"

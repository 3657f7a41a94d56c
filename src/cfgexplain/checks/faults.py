"""Faults by the check that names them, and the config key that a fault leads back to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.checkpoint import Problem
from cfgexplain.config import pointer
from cfgexplain.families.expr import names_in

if TYPE_CHECKING:
    from cfgexplain.config import Settings

#: Check → its faults, in the order found.
Faults = dict[str, list[Problem]]


def invalid(t: Settings, key: str, path: str, values: dict[str, object]) -> Problem:
    """An impossible value of a config key, with the text's key and what the text is filled with beside the path."""
    return Problem("invalid-config", key, {"key": t.dotted(path), **values}, pointer=pointer(t.path, path))


def as_shown(value: object) -> str:
    """A value of the wrong type, in short."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value)[:60]


def add(faults: Faults, check: str, key: str, values: dict[str, object], *, tensors: list[str] | None = None,
         at: str | None = None, file: str | None = None) -> None:
    """Adds a fault of a check, with the text's key and what the text is filled with."""
    faults.setdefault(check, []).append(Problem(check, key, values, file, at, tuple(tensors or ())))


def key_of(s: Settings, text: str) -> tuple[str | None, str]:
    """(JSON pointer, dotted path) of the config key that an expression comes from; pointer None for a default."""
    found: tuple[str | None, str] = (None, text)
    for name in sorted(closure(s, text)):
        if name not in s.family.keys:
            continue
        value = s.value(name)
        if value is None or not value.key:
            continue
        path = s.dotted(value.key)
        if value.origin == "config":
            return pointer(path), path
        found = (None, path)
    return found


def closure(s: Settings, text: str) -> frozenset[str]:
    """Every name that an expression reads, through lets and derived defaults."""
    seen: set[str] = set()
    todo = [text]
    while todo:
        for name in names_in(todo.pop()):
            if name in seen:
                continue
            seen.add(name)
            if name in s.family.lets:
                todo.append(s.family.lets[name])
    return frozenset(seen)

"""Whose a key is, where its value comes from, and which tensors depend on it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.config import walk
from cfgexplain.explain.base import closure
from cfgexplain.families.absent import THING, WHERE_NULL, WHERE_OFF
from cfgexplain.families.schema import E

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.config import Settings
    from cfgexplain.families.schema import Family
    from cfgexplain.subject import Subject

_NOTHING: Final = walk({}, "a")
#: Objects whose keys are data, not settings.
WHOLE: Final = frozenset(
    {"id2label", "label2id", "auto_map", "task_specific_params", "pruned_heads", "per_layer_config"}
)
#: Levels of objects that are looked into.
DEEPEST: Final = 6


class Origin(NamedTuple):
    """Where a value comes from.

    Attributes:
        word: "config", "null", "null-derived", "default", "derived", "varies", "off", "built", "object", "unknown",
            "absent".
        value: the value in force, or None.
        rule: the expression that it is derived by, or "".
        name: the family's own name for it, or "".
        shadow: another key of the config that is read in its place, or "".
        unread: the reference implementation is known not to read it.
        while_on: the key whose value in this config keeps it from being read, or "".
    """

    word: str
    value: object = None
    rule: str = ""
    name: str = ""
    shadow: str = ""
    unread: bool = False
    while_on: str = ""


def every(s: Subject) -> list[Settings]:
    """The language model first, then the whole, then all models inside it."""
    found: list[Settings] = [s.main]
    stack = [s.top]
    while stack:
        t = stack.pop(0)
        if all(t is not f for f in found):
            found.append(t)
        stack.extend(t.parts.values())
    return found


def children(config: Mapping[str, object], path: str, depth: int = 0) -> Iterator[tuple[str, object]]:
    """Every key of a config with its dotted path; objects are looked into, where they hold settings."""
    for name, value in config.items():
        where = f"{path}.{name}" if path else name
        if isinstance(value, dict) and value and name not in WHOLE and depth < DEEPEST:
            if name in ("rope_scaling", "rope_parameters", "quantization_config"):
                yield where, value
            yield from children(value, where, depth + 1)
        else:
            yield where, value


def local(t: Settings, path: str) -> str:
    """The path within one model's own config."""
    return path.removeprefix(t.path + ".") if t.path else path


def owners_of(t: Settings, path: str) -> list[str]:
    """The family's own names for the key at a path (of the whole config)."""
    where = local(t, path)
    return [n for n, k in t.family.keys.items() if where in k.names]


def origin(t: Settings, path: str) -> Origin:
    """The value in force for a key, and how it came about."""
    where = local(t, path)
    raw = walk(t.config, where)
    leaf = where.rpartition(".")[2]
    other = _idle(t, where)
    unread = where in t.family.unread or leaf in t.family.unread or bool(other)
    names = owners_of(t, path)
    if not names or unread:
        if raw is _NOTHING:
            return Origin("absent", unread=unread, while_on=other)
        word = "object" if isinstance(raw, dict) else "null" if raw is None else "config"
        return Origin(word, raw, unread=unread, while_on=other)
    name = names[0]
    key = t.family.keys[name]
    first = next((n for n in key.names if walk(t.config, n) is not _NOTHING), None)
    if first is not None and first != where:
        return Origin("config" if raw is not _NOTHING else "absent", None if raw is _NOTHING else raw, "", name, first)
    rule = key.null if raw is None and key.null is not None else key.default
    text = str(rule) if isinstance(rule, E) and closure(t.family, rule) else ""
    if text and raw in (_NOTHING, None) and t.varies(text):
        return Origin("varies", None, text, name)
    value = t.value(name)
    if raw is None:
        return Origin("null-derived" if value is not None and value.value is not None else "null",
                      value.value if value else None, text, name)
    if raw is not _NOTHING:
        return Origin("unknown" if value is None else "config", value.value if value else raw, "", name)
    if value is None or value.value is None:
        return Origin("off" if name in THING else "built", None, "", name)
    return Origin("derived" if value.origin == "derived" and text else "default", value.value, text, name)


def _idle(t: Settings, where: str) -> str:
    """The key that, not null or switched on, takes its place; or ""."""
    other = WHERE_NULL.get(t.family.id, {}).get(where)
    if other is not None:
        return other if walk(t.config, other) is not None else ""
    switch = WHERE_OFF.get(t.family.id, {}).get(where, "")
    return switch if switch and walk(t.config, switch) is True else ""


class Uses:
    """Which tensors depend on which keys, by the tables: a model's expectation read once."""

    __slots__ = ("_conditions", "_shapes")

    def __init__(self, s: Subject) -> None:
        self._shapes: dict[tuple[int, str], dict[str, None]] = {}
        self._conditions: dict[tuple[int, str], dict[str, None]] = {}
        seen: set[tuple[int, str]] = set()
        for item in s.expansion.items:
            spot = (id(item.owner), item.slot.name)
            if spot in seen or item.slot.kind == "buffer":
                continue
            seen.add(spot)
            taken = [_taken(item.owner, x) for x in (item.slot.shape, item.slot.experts)]
            for name in closure(item.owner.family, *taken):
                self._shapes.setdefault((id(item.owner), name), {})[item.slot.name] = None
        for owner in every(s):
            # Also those that are not there: a switch that is off has nothing else to show.
            for slot in (*owner.family.body, *owner.family.heads.get(owner.cls, ())):
                if slot.kind == "param":
                    for name in closure(owner.family, slot.when):
                        self._conditions.setdefault((id(owner), name), {})[slot.name] = None

    def shapes(self, owner: Settings, name: str) -> list[str]:
        """Names of tensors, ``{i}`` for the layer, whose shape follows from a canonical key."""
        return list(self._shapes.get((id(owner), name), ()))

    def idle(self, owner: Settings, spelling: str) -> bool:
        """Whether the config lacks a key that only sizes tensors, and this model has none of those tensors."""
        name = next((n for n, k in owner.family.keys.items() if spelling in k.names), None)
        if name is None or any(walk(owner.config, n) is not _NOTHING for n in owner.family.keys[name].names):
            return False
        return bool(closure_of(owner.family, name)) and not self.shapes(owner, name)

    def conditions(self, owner: Settings, name: str) -> list[str]:
        """Names of tensors whose existence follows from a canonical key."""
        return list(self._conditions.get((id(owner), name), ()))


def _taken(t: Settings, text: str) -> str:
    """An expression with only the way that each of its choices takes under this config, where that is known."""
    if " if " not in text:
        return text
    return ast.unparse(_Taken(t).visit(ast.parse(f"({text},)", mode="eval")).body)


class _Taken(ast.NodeTransformer):
    def __init__(self, t: Settings) -> None:
        self._t = t

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        test = ast.unparse(node.test)
        found = None if self._t.varies(test) else self._t.maybe(test)
        # The test stays among what is read: it decided.
        return node if found is None else ast.Tuple([node.test, node.body if found else node.orelse], ast.Load())


def closure_of(family: Family, name: str) -> list[str]:
    """Names of tensors, ``{i}`` for the layer, whose shape follows from a canonical key in a family's table."""
    every = (*family.body, *(s for slots in family.heads.values() for s in slots))
    return [s.name for s in every if s.kind != "buffer" and name in closure(family, s.shape, s.experts)]

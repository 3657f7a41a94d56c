"""Configs, key by canonical key; what no table names, key by key as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.compare.base import ORDER, KeyChange
from cfgexplain.compare.keys import COMMON, DEFAULTS, WINDOWS, consequence, plain_consequence
from cfgexplain.compare.values import activation, dtype, same
from cfgexplain.facts.attention import kinds
from cfgexplain.facts.rope import KEYS as ROPE_KEYS
from cfgexplain.facts.rope import Rope, ropes
from cfgexplain.families.expr import names_in
from cfgexplain.families.schema import E

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.compare.base import Gravity, Side
    from cfgexplain.config import Settings

#: Nesting and number of keys that are compared: no config has more.
_DEPTH: Final = 8
_MOST: Final = 20_000


class _Known(NamedTuple):
    """A canonical key of one side."""

    value: object
    path: str
    source: str


def config_changes(a: Side, b: Side) -> list[KeyChange]:
    """Every key whose value differs, gravest first. Empty where one side has no config."""
    if a.subject.checkpoint.config is None or b.subject.checkpoint.config is None:
        return []
    covered: tuple[set[str], set[str]] = (set(), set())
    out = [*_canonical(a, b, covered), *_rope(a, b), *_raw(a, b, covered)]
    if not _windowed(a) and not _windowed(b):
        out = [_idle(c) if c.key.rpartition(".")[2] in WINDOWS else c for c in out]
    return sorted(out, key=lambda c: ORDER[c.gravity])


def _windowed(x: Side) -> bool:
    """Whether a layer has a window, or may have one."""
    schedule = kinds(x.subject)
    return schedule is None or bool({"sliding", "chunked"} & set(schedule))


def _idle(c: KeyChange) -> KeyChange:
    return c._replace(gravity="bookkeeping", text="diff.key.idle")


# --- keys that a table names ---


def parts_of(top: Settings, main: Settings) -> dict[str, Settings]:
    """Every model in a model by the path of its parts' names; the language model is ""."""
    found: dict[str, Settings] = {}

    def walk_down(s: Settings, path: str) -> None:
        found["" if s is main else path or "."] = s
        for name, child in s.parts.items():
            walk_down(child, f"{path}.{name}" if path else name)

    walk_down(top, "")
    found.setdefault("", main)
    return found


def _canonical(a: Side, b: Side, covered: tuple[set[str], set[str]]) -> Iterator[KeyChange]:
    ours, theirs = (parts_of(x.subject.top, x.subject.main) for x in (a, b))
    for tag in dict.fromkeys((*ours, *theirs)):
        s, t = ours.get(tag), theirs.get(tag)
        if s is None or t is None:
            continue
        alike = s.family.id == t.family.id
        if not alike and tag:
            continue
        names = [n for n in s.family.keys if n in t.family.keys and (alike or n in COMMON)]
        sized = _sized(s)
        for name in names:
            for side, x in ((0, s), (1, t)):
                covered[side].update(x.dotted(p) for p in x.family.keys[name].names)
            one, two = _known(s, name), _known(t, name)
            if one is None or two is None or _equal(name, one.value, two.value):
                continue
            if one.source == "derived" and two.source == "derived":
                continue
            gravity, text = consequence(name, sized, two.path or one.path)
            yield KeyChange(
                two.path or one.path,
                f"{tag}.{name}".lstrip("."),
                one.value,
                two.value,
                one.source,
                two.source,
                gravity,
                text,
            )


def _known(s: Settings, name: str) -> _Known | None:
    v = s.value(name)
    if v is None:
        return None
    value = list(v.value) if isinstance(v.value, tuple) else v.value
    return _Known(value, s.dotted(v.key) if v.key else "", v.origin)


def _equal(name: str, a: object, b: object) -> bool:
    return same(activation(a), activation(b)) if name == "act" else same(a, b)


def _sized(s: Settings) -> frozenset[str]:
    """Canonical names that a tensor's existence or shape depends on."""
    todo = [
        text
        for slot in (*s.family.body, *s.family.heads.get(s.cls, ()))
        for text in (slot.when, f"({slot.shape},)", slot.layers)
        if text
    ]
    todo = [t for t in dict.fromkeys(todo) if t != "(,)"]
    seen: set[str] = set()
    while todo:
        for name in names_in(todo.pop()):
            if name in seen:
                continue
            seen.add(name)
            if name in s.family.lets:
                todo.append(s.family.lets[name])
            elif name in s.family.keys and isinstance(default := s.family.keys[name].default, E):
                todo.append(default)
    return frozenset(seen)


def _rope(a: Side, b: Side) -> Iterator[KeyChange]:
    ours, theirs = ropes(a.subject.main), ropes(b.subject.main)
    if ours.keys() != theirs.keys():
        return
    given = [_where(x) for x in (a, b)]
    for kind, one in ours.items():
        two: Rope = theirs[kind]
        if not same(one.scaling, two.scaling):
            yield KeyChange(
                given[1] or given[0] or "rope_scaling",
                f"rope.{kind}".rstrip("."),
                one.scaling,
                two.scaling,
                "config" if given[0] else "default",
                "config" if given[1] else "default",
                "function",
                "diff.key.rope",
            )


def _where(x: Side) -> str:
    s = x.subject.main
    name = next((k for k in ("rope_parameters", "rope_scaling") if isinstance(s.config.get(k), dict)), "")
    return f"{s.path}.{name}" if s.path and name else name


# --- keys that none names ---


def _raw(a: Side, b: Side, covered: tuple[set[str], set[str]]) -> Iterator[KeyChange]:
    ours, theirs = (_leaves(x, c) for x, c in zip((a, b), covered, strict=True))
    unread = {*a.subject.main.family.unread, *b.subject.main.family.unread}
    named = {**_named(a), **_named(b)}
    for key in dict.fromkeys((*ours, *theirs)):
        one, two = ours.get(key), theirs.get(key)
        last = key.rpartition(".")[2]
        default = DEFAULTS.get(last)
        x, y = (default if v is None else v[1] for v in (one, two))
        if last == "dtype":
            x, y = dtype(x), dtype(y)
        if same(x, y):
            continue
        path = two[0] if two else one[0] if one else key
        if last in unread:
            gravity: Gravity = "bookkeeping"
            text = "diff.key.unread"
        else:
            gravity, text = named.get(path) or plain_consequence(key)
        yield KeyChange(
            path,
            "",
            None if one is None else one[1],
            None if two is None else two[1],
            "config" if one else None,
            "config" if two else None,
            gravity,
            text,
        )


def _named(x: Side) -> dict[str, tuple[Gravity, str]]:
    """Path → consequence of every key that a table of this side names."""
    out: dict[str, tuple[Gravity, str]] = {}
    for s in parts_of(x.subject.top, x.subject.main).values():
        sized = _sized(s)
        for name, key in s.family.keys.items():
            for p in key.names:
                out[s.dotted(p)] = consequence(name, sized, p)
    return out


def _leaves(x: Side, covered: set[str]) -> dict[str, tuple[str, object]]:
    """Normal name → (path, value) of every value that no canonical key has read. Nulls count as absent."""
    s = x.subject
    out: dict[str, tuple[str, object]] = {}
    inner = s.main.path + "." if s.main.path else ""

    def walk_down(value: Mapping[str, object], path: str, depth: int) -> None:
        for k, v in value.items():
            if len(out) >= _MOST:
                continue
            where = f"{path}.{k}" if path else k
            local = where.removeprefix(inner)
            if v is None or where in covered or local.partition(".")[0] in ROPE_KEYS:
                continue
            if isinstance(v, dict) and depth < _DEPTH and v:
                walk_down(v, where, depth + 1)
                continue
            # The same key inside and outside a nested config is said once, and torch_dtype became dtype.
            name = "dtype" if local == "torch_dtype" else local
            if name not in out or where.startswith(inner):
                out[name] = (where, v)

    walk_down(s.top.config, "", 0)
    return out


__all__ = ["config_changes", "parts_of"]

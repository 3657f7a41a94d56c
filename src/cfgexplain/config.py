"""Config keys under their canonical names, each with where it came from.

The only place where a config's values are read as numbers. Whatever stands in the config, the result is a
value of the declared type or "unknown"; what was wrong with it is a problem, never an exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cfgexplain.checkpoint import Problem
from cfgexplain.families.expr import UnknownValue, compiled, evaluate, names_in
from cfgexplain.families.schema import E, Family, Key

if TYPE_CHECKING:
    from collections.abc import Mapping

Origin = Literal["config", "default", "derived"]

#: Larger numbers are no sizes of anything, and cost time to multiply.
LARGEST: Final = 2**53
#: Counts that tensors are listed for, one by one: no model has more.
MOST: Final = {"layers": 4096, "enc_layers": 4096, "experts": 65536}
#: Canonical sizes that cannot be zero.
POSITIVE: Final = frozenset({"hidden", "vocab", "heads", "kv_heads", "head_dim", "layers"})
#: Canonical keys that a null switches off in every family: no window is full attention.
SWITCHED: Final = frozenset({"window"})
_MISSING: Final = object()


class Value(NamedTuple):
    """A number of the model: what it is, under which path it stands in the config, where it came from."""

    value: object
    key: str
    origin: Origin


def walk(config: object, path: str) -> object:
    """The value at a dotted path, or ``_MISSING``."""
    for part in path.split("."):
        if not isinstance(config, dict) or part not in config:
            return _MISSING
        config = config[part]
    return config


def pointer(*paths: str) -> str:
    """The JSON pointer of a dotted path (RFC 6901)."""
    parts = [p for path in paths if path for p in path.split(".")]
    return "".join("/" + p.replace("~", "~0").replace("/", "~1") for p in parts)


def kind_of(key: Key) -> str:
    """What type the value must have: declared, or that of the default."""
    if key.kind:
        return key.kind
    d = key.default
    if isinstance(d, E):
        return "int"
    if isinstance(d, bool):
        return "bool"
    if isinstance(d, int):
        return "int"
    if isinstance(d, float):
        return "float"
    if isinstance(d, str):
        return "str"
    return "list" if isinstance(d, tuple) else "any"


class Settings:
    """One model's config read through its family's keys; also the scope in which its expressions are evaluated.

    Attributes:
        family: the table.
        path: where this config stands in the whole one, dotted; "" for the top.
        cls: the model class suffix (``ForCausalLM``, ``Model``).
        parts: settings of the models inside, by ``Part.name``.
        problems: what was wrong with the values read so far.
    """

    __slots__ = ("_i", "_memo", "_uses", "_values", "cls", "config", "family", "parts", "path", "problems")

    def __init__(self, family: Family, config: Mapping[str, object], path: str = "", cls: str = "") -> None:
        self.family = family
        self.config = config
        self.path = path
        self.cls = cls or family.head
        self.parts: dict[str, Settings] = {}
        self.problems: list[Problem] = []
        self._values: dict[str, Value | None] = {}
        self._memo: dict[str, object] = {}
        self._uses: dict[str, bool] = {}
        self._i = -1

    # --- as a scope ---

    def __getitem__(self, name: str) -> object:
        memo = self._memo.get(name, _MISSING)
        if memo is not _MISSING:
            return memo
        if name == "i":
            return self._i
        let = self.family.lets.get(name)
        if let is not None:
            value = evaluate(let, self)  # type: ignore[arg-type]
            if not self.varies(let):
                self._memo[name] = value
            return value
        if name in self.family.keys:
            found = self.value(name)
            if found is None:
                raise UnknownValue(name)
            if not self._varying_key(name):
                self._memo[name] = found.value
            return found.value
        if name == "cls":
            return self.cls
        if name in self.parts:
            return self.parts[name]
        raise KeyError(name)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def varies(self, text: str) -> bool:
        """Whether an expression depends on the layer."""
        known = self._uses.get(text)
        if known is None:
            self._uses[text] = False
            known = any(
                n == "i"
                or (n in self.family.lets and self.varies(self.family.lets[n]))
                or (n in self.family.keys and self._varying_key(n))
                for n in names_in(text)
            )
            self._uses[text] = known
        return known

    def _varying_key(self, name: str) -> bool:
        default = self.family.keys[name].default
        return isinstance(default, E) and self.varies(default)

    def evaluate(self, text: str, i: int = -1) -> object:
        """An expression's value in layer ``i``. Raises UnknownValue."""
        self._i = i
        return evaluate(text, self)  # type: ignore[arg-type]

    def maybe(self, text: str, i: int = -1) -> object | None:
        """An expression's value, or None where it is unknown."""
        try:
            return self.evaluate(text, i)
        except UnknownValue:
            return None

    def known(self, name: str, i: int = -1) -> object | None:
        """A canonical name's value in layer ``i``; None where the family has no such name or it is unknown."""
        return self.maybe(name, i) if name in self.family.keys or name in self.family.lets else None

    def literal(self, value: object) -> object | None:
        """A table's value that may be an expression."""
        return self.maybe(value) if isinstance(value, E) else value

    def int(self, name: str) -> int | None:
        """A canonical key as a whole number; None where the family has no such key or it is unknown."""
        found = self.known(name)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    # --- reading ---

    def value(self, name: str) -> Value | None:
        """A canonical key's value and origin, or None where it is not known."""
        if name in self._values:
            return self._values[name]
        key = self.family.keys[name]
        found = self._read(name, key)
        if not (found and found.origin == "derived" and self._varying_key(name)):
            self._values[name] = found
        return found

    def _read(self, name: str, key: Key) -> Value | None:
        for path in key.names:
            raw = walk(self.config, path)
            if raw is _MISSING:
                continue
            if raw is None:
                if key.null is not None:
                    return self._derived(key.null, path)
                if isinstance(key.default, E) or key.default is None:
                    break
                if name in SWITCHED:
                    return Value(None, path, "config")
                check = "eps-invalid" if name.startswith("eps") else "invalid-config"
                self._problem(check, "null", path, {"value": "null"})
                return None
            value = self._typed(name, key, path, raw)
            return None if value is None else Value(value, path, "config")
        default = key.default
        if isinstance(default, E):
            return self._derived(default, key.names[0] if key.names else "")
        return Value(
            list(default) if isinstance(default, tuple) else default, key.names[0] if key.names else "", "default"
        )

    def _derived(self, text: E, path: str) -> Value | None:
        try:
            return Value(evaluate(text, self), path, "derived")  # type: ignore[arg-type]
        except UnknownValue:
            return None

    def _typed(self, name: str, key: Key, path: str, raw: object) -> object | None:
        kind = kind_of(key)
        if isinstance(raw, dict) and isinstance(raw.get("__float__"), str) and "float" in kind:
            raw = float(raw["__float__"]) if raw["__float__"] in ("Infinity", "-Infinity", "NaN") else raw
        if kind == "any":
            return raw
        if isinstance(raw, str) and "str" not in kind:
            number = _number(raw)
            if number is not None and ("int" in kind or "float" in kind):
                self._problem("numeric-string", "number", path, {"value": raw, "number": number})
                raw = number
        if isinstance(raw, float) and raw.is_integer() and "int" in kind and "float" not in kind and abs(raw) < LARGEST:
            self._problem("invalid-config", "not-whole", path, {"value": raw, "number": int(raw)})
            return int(raw)
        if not _fits(kind, raw):
            check = "eps-invalid" if name.startswith("eps") else "invalid-config"
            self._problem(check, "type", path, {"value": _show(raw), "kind": kind})
            return None
        if isinstance(raw, (int, float)) and not isinstance(raw, bool) and not name.startswith("eps"):
            low = key.low if key.low is not None else (1 if name in POSITIVE else 0 if "int" in kind else None)
            if (low is not None and raw < low) or abs(raw) > MOST.get(name, LARGEST):
                self._problem("invalid-config", "range", path, {"value": _show(raw), "low": low})
                return None
        return raw

    def dotted(self, key: str) -> str:
        """A key of this config with the path of the config that it stands in: ``text_config.hidden_size``."""
        return f"{self.path}.{key}" if self.path else key

    def _problem(self, check: str, key: str, path: str, values: dict[str, object]) -> None:
        self.problems.append(
            Problem(check, key, {"key": self.dotted(path), **values}, pointer=pointer(self.path, path))
        )


def _number(text: str) -> int | float | None:
    if len(text) > 40:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _fits(kind: str, raw: object) -> bool:
    if isinstance(raw, bool):
        return "bool" in kind
    return (
        (isinstance(raw, int) and ("int" in kind or "float" in kind))
        or (isinstance(raw, float) and "float" in kind)
        or (isinstance(raw, str) and "str" in kind)
        or (isinstance(raw, list) and "list" in kind)
        or (isinstance(raw, dict) and "dict" in kind)
    )


def _show(raw: object) -> str:
    text = repr(raw) if not isinstance(raw, (list, dict)) else f"a {'list' if isinstance(raw, list) else 'object'}"
    return text if len(text) <= 60 else text[:57] + "…"


__all__ = ["LARGEST", "Origin", "Settings", "UnknownValue", "Value", "compiled", "pointer", "walk"]

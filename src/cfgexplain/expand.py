"""Family × config → every tensor that the architecture should have, with its shape."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.config import LARGEST, MOST, Settings, UnknownValue, walk
from cfgexplain.families.registry import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.families.schema import Family, Slot


#: Roles that the total leaves out: tensors that a table leaves open do not make it unknown where they are of these.
UNCOUNTED = frozenset({"mtp", "buffer", "quantization", "adapter"})
#: Kinds of slots that the config alone decides: they are parameters, stored or not.
COUNTED = frozenset({"param", "unsaved"})
#: Classes that put a head of labels, spans or places on a model.
TASK: Final = re.compile("Classification|QuestionAnswering|MultipleChoice|Detection|Segmentation|XVector|Reward")


class Expected(NamedTuple):
    """One slot in one layer.

    Attributes:
        name: full name; still has ``{e}`` where each expert has a tensor of its own.
        slot: the table's row.
        role: the slot's, or the one that the part it belongs to imposes.
        layer: index within its stack, or None.
        shape: as stored, or None where it cannot be known.
        experts: how many tensors the name stands for; None where that is unknown, 1 without ``{e}``.
        main: belongs to the language model that the report is about.
        owner: the settings whose family lists it.
        stack: what stands before the layer's index (``model.layers.``), or "" outside a stack.
        labels: what stands for ``{e}``, where that is names and not numbers (adapters by language).
    """

    name: str
    slot: Slot
    role: str
    layer: int | None
    shape: tuple[int, ...] | None
    experts: int | None
    main: bool
    owner: Settings
    stack: str = ""
    labels: tuple[str, ...] = ()

    def names(self) -> Iterator[str]:
        """Every tensor name it stands for."""
        if "{e}" not in self.name:
            yield self.name
        else:
            for e in self.labels or range(self.experts or 0):
                yield self.name.replace("{e}", str(e))

    @property
    def elements(self) -> int | None:
        """Elements of all the tensors that the name stands for."""
        if self.shape is None or self.experts is None:
            return None
        return math.prod(self.shape) * self.experts


class Expansion(NamedTuple):
    """What the config implies.

    Attributes:
        items: every expected tensor; all forms of a group are listed.
        whole: False where some slot's existence or shape is unknown, or towers are not written down.
        top: settings of the whole model.
        main: settings of the language model inside it (often the same).
    """

    items: tuple[Expected, ...]
    whole: bool
    top: Settings
    main: Settings


def settle(family: Family, config: Mapping[str, object], cls: str = "", path: str = "") -> Settings:
    """Settings of a family and of all the models inside it."""
    s = Settings(family, config, path, cls)
    for part in family.parts:
        inner: object = walk(config, part.path) if part.path else config
        flat = part.flat and not isinstance(inner, dict)
        inner = config if flat else inner if isinstance(inner, dict) else dict(part.absent)
        declared = None if flat else inner.get("model_type")
        found = find(declared) if isinstance(declared, str) and not part.fixed else None
        child = found or find(part.family)
        if child is None:
            raise KeyError(f"{family.id}: no family {part.family}")
        where = ".".join(p for p in (path, "" if flat else part.path) if p)
        s.parts[part.name] = settle(child, inner, part.cls, where)
    return s


def main_of(s: Settings) -> Settings:
    """The settings of the language model: the part marked main, followed down, or these."""
    for part in s.family.parts:
        if part.main and (not part.when or s.maybe(part.when)):
            return main_of(s.parts[part.name])
    return s


def expand(s: Settings, main: Settings | None = None) -> Expansion:
    """Everything the architecture has under these settings."""
    items: list[Expected] = []
    main = main or main_of(s)
    whole = _expand(s, main, s.family.base + "." if s.family.base else "", "", "", items)
    if s.cls == "Model" and s.family.base:
        base = s.family.base + "."
        items = [e._replace(name=e.name.removeprefix(base), stack=e.stack.removeprefix(base)) for e in items]
    return Expansion(tuple(items), whole, s, main)


def _expand(
    s: Settings, main: Settings, body: str, head: str | None, role: str, out: list[Expected], joint: bool = False
) -> bool:
    ours = joint or s is main
    whole = all(open_role in UNCOUNTED for _, open_role in s.family.open)
    for slot in s.family.body:
        whole &= _slot(s, slot, body, role, ours, out)
    if head is not None:
        for slot in s.family.heads.get(s.cls, ()):
            whole &= _slot(s, slot, head, role, ours, out)
        plain = not s.family.heads and (s.cls == s.family.head or not TASK.search(s.cls))
        whole &= s.cls in s.family.heads or s.cls == "Model" or plain
    for part in s.family.parts:
        try:
            if part.when and not s.evaluate(part.when):
                continue
        except UnknownValue:
            whole = False
            continue
        child = s.parts[part.name]
        prefix = part.prefix.replace("{base}", child.family.base + "." if child.family.base else "")
        whole &= _expand(child, main, prefix, part.head, role or part.role, out, joint or part.joint)
    return whole


def _slot(s: Settings, slot: Slot, prefix: str, role: str, main: bool, out: list[Expected]) -> bool:
    name = prefix + slot.name
    the_role = slot.role if not role or slot.role in ("buffer", "mtp") else role
    counted = slot.kind in COUNTED
    if not slot.layers:
        return _one(s, slot, name, the_role, -1, main, out) or not counted
    layers = s.maybe(slot.layers)
    first = s.maybe(slot.first) if slot.first else 0
    if (
        not isinstance(layers, int)
        or not 0 <= layers <= MOST["layers"]
        or not isinstance(first, int)
        or not 0 <= first <= MOST["layers"]
    ):
        return not counted
    if (
        not (s.varies(slot.when) if slot.when else False)
        and not s.varies(_shape_text(slot))
        and not (slot.experts and s.varies(slot.experts))
    ):
        template: list[Expected] = []
        known = _one(s, slot, name, the_role, first, main, template)
        for t in template:
            out.extend(t._replace(name=t.name.replace("{i}", str(i)), layer=i) for i in range(first, first + layers))
        return known or not counted
    known = True
    for i in range(first, first + layers):
        before = len(out)
        known &= _one(s, slot, name, the_role, i, main, out)
        for k in range(before, len(out)):
            out[k] = out[k]._replace(name=out[k].name.replace("{i}", str(i)))
    return known or not counted


def _shape_text(slot: Slot) -> str:
    return f"({slot.shape},)" if slot.shape else "()"


def _one(s: Settings, slot: Slot, name: str, role: str, i: int, main: bool, out: list[Expected]) -> bool:
    """Adds the slot in layer ``i``; False where whether it exists, or its size, is unknown."""
    known = True
    try:
        if slot.when and not s.evaluate(slot.when, i):
            return True
    except UnknownValue:
        return False
    shape: tuple[int, ...] | None = None
    try:
        raw = s.evaluate(_shape_text(slot), i)
        if isinstance(raw, tuple) and all(
            isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= LARGEST for n in raw
        ):
            shape = raw
    except UnknownValue:
        pass
    known &= shape is not None
    experts: int | None = 1
    labels: tuple[str, ...] = ()
    if slot.experts:
        raw_n = s.maybe(slot.experts, i)
        if isinstance(raw_n, list) and all(isinstance(n, str) for n in raw_n):
            labels, raw_n = tuple(raw_n), len(raw_n)
        experts = raw_n if isinstance(raw_n, int) and 0 <= raw_n <= MOST["experts"] else None
        known &= experts is not None
    stack = name.partition("{i}")[0] if slot.layers else ""
    out.append(Expected(name, slot, role, i if i >= 0 else None, shape, experts, main, s, stack, labels))
    return known


def forms(items: tuple[Expected, ...], chosen: Mapping[str, str]) -> tuple[Expected, ...]:
    """The items with one form of each group: the chosen one, or the first listed."""
    first: dict[str, str] = dict(chosen)
    kept: list[Expected] = []
    for e in items:
        if e.slot.form:
            group, _, kind = e.slot.form.partition("/")
            if first.setdefault(group, kind) != kind:
                continue
        kept.append(e)
    return tuple(kept)

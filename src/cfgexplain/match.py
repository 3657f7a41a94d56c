"""Tensors × expectation: which tensor is which slot, what is missing, what has no place, what has another shape."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cfgexplain.expand import Expansion, Expected, forms
from cfgexplain.layers import absent_layers, is_index, layers_on_disk, stacks_of
from cfgexplain.logical import Row, View, logical_names, views_of, with_companions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from cfgexplain.checkpoint import Tensor
    from cfgexplain.config import Settings
    from cfgexplain.infer_seen import Seen
    from cfgexplain.packing import Packing

#: Prefixes that tools leave in front of every name: DDP, torch.compile, FSDP, PEFT.
WRAPPERS: Final = ("module.", "_orig_mod.", "_fsdp_wrapped_module.", "base_model.model.", "_forward_module.")
#: Buffers that older releases of many libraries stored; they are recomputed, never trained.
BUFFERS: Final = re.compile(
    r"(^|\.)(rotary_emb\.inv_freq|inv_freq|position_ids|masked_bias|rotary_emb\.(cos|sin)_cached"
    r"|num_batches_tracked|running_(mean|var)"  # batch norms: statistics
    r"|codebook\.(embed|embed_avg|embed_sum|cluster_size|cluster_usage|inited|initialized))$"  # codecs: moving averages
)
_SAMPLE: Final = 4000
_NUMBER: Final = re.compile(r"(?<=\.)[0-9]+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Match:
    """The outcome.

    Attributes:
        rows: every tensor, in stored order.
        items: the expectation, with the form of storage that the checkpoint uses.
        missing: expectations (of kind "param") that no tensor fulfils, with the names that are absent;
            tensors of layers that are absent as a whole are not among them.
        unexpected: rows that the architecture has no place for.
        mismatched: rows whose shape is another one than expected.
        wrapper: the prefix that all names carried, or "".
        spelling: label of the spelling that fits ("", or what was changed).
        extra_layers: stack → indices on disk beyond those expected.
        absent_layers: stack → expected indices with no tensor at all.
        listed: names that an index lists but whose file was not read.
        misfit: so few names fit that the layout itself must be another one.
        unsure: counts of the feed-forward blocks that names and shapes leave open (only without a table).
        seen: sizes and norms that the tensors show (only without a table).
    """

    rows: tuple[Row, ...]
    items: tuple[Expected, ...]
    missing: tuple[tuple[Expected, tuple[str, ...]], ...] = ()
    unexpected: tuple[Row, ...] = ()
    mismatched: tuple[Row, ...] = ()
    wrapper: str = ""
    spelling: str = ""
    extra_layers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    absent_layers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    listed: frozenset[str] = frozenset()
    misfit: bool = False
    unsure: frozenset[str] = frozenset()
    seen: Seen | None = None


def wrapper_of(names: Sequence[str], known: Iterable[str] = ()) -> str:
    """The tool's prefix (possibly several in a row) that all names carry; "" where the architecture uses it itself."""
    found = ""
    while names:
        rest = found
        hit = next((w for w in WRAPPERS if all(n.startswith(rest + w) for n in names)), None)
        if hit is None or any(k.startswith(found + hit) for k in known):
            return found
        found += hit
    return found


def _spellings(x: Expansion) -> list[tuple[str, Callable[[str], str]]]:
    """Ways in which a stored name may differ from the table's, the plain one first."""
    family = x.top.family
    ways: list[tuple[str, Callable[[str], str]]] = [("", str)]
    base = family.base + "." if family.base else ""
    if base and x.top.cls == "Model":
        ways.append((f"{base} in front", lambda n: n.removeprefix(base)))
    elif base:
        heads = {s.name.partition(".")[0] for s in family.heads.get(x.top.cls, ())}
        ways.append((f"no {base}", lambda n: n if n.startswith(base) or n.partition(".")[0] in heads else base + n))
    rules = [r for s in _all(x.top) for r in s.family.renames]
    for rule in rules:
        compiled = [(re.compile(a), b) for a, b in rule]

        def way(name: str, compiled: list[tuple[re.Pattern[str], str]] = compiled) -> str:
            for pattern, replacement in compiled:
                name = pattern.sub(replacement, name)
            return name

        for label, first in list(ways[:2]):
            ways.append((f"{label} {rule[0][0]}".strip(), lambda n, w=way, f=first: f(w(n))))  # type: ignore[misc]
    return ways


def _all(s: Settings) -> list[Settings]:
    return [s, *(c for p in s.parts.values() for c in _all(p))]


def match(
    x: Expansion,
    tensors: Sequence[Tensor],
    listed: Iterable[str] = (),
    complete: bool = True,
    packing: Packing | None = None,
) -> Match:
    """Holds the tensors against the expectation.

    Args:
        x: what the config implies.
        tensors: what the headers list.
        listed: names that an index lists, read or not.
        complete: False where the headers do not show everything (a shard is missing).
        packing: how quantized tensors are to be read, or None where none is.
    """
    names_of = {id(e): tuple(e.names()) for e in x.items}
    by_name = {n: e for e in x.items for n in names_of[id(e)]}
    views = views_of(tensors, packing)
    stored = [v.name for v in views]
    wrapper = wrapper_of(stored, by_name)
    bare = [n[len(wrapper) :] for n in stored] if wrapper else stored
    sample = bare if len(bare) <= _SAMPLE else bare[:: len(bare) // _SAMPLE + 1]
    best, label, way = -1, "", str
    for this_label, this_way in _spellings(x):
        fits = sum(this_way(n) in by_name for n in sample)
        if fits > best:
            best, label, way = fits, this_label, this_way  # type: ignore[assignment]
        if fits == len(sample):
            break
    names = [way(n) for n in bare] if label else bare
    if names is not stored:
        views = [v._replace(name=n) for v, n in zip(views, names, strict=True)]
    unread = frozenset(way(n[len(wrapper) :]) for n in logical_names(listed, packing)) - set(names)

    present = set(names) | unread
    items = forms(x.items, _chosen_forms(x.items, names_of, present, {v.name: v for v in views}))
    if len(items) < len(x.items):
        by_name = {n: e for e in items for n in names_of[id(e)]}
    general: dict[str, Expected] = {}
    stacks = stacks_of(items)
    on_disk = layers_on_disk(stacks, present)

    rows: list[Row] = []
    unexpected: list[Row] = []
    mismatched: list[Row] = []
    opens = tuple((p, r) for s in _all(x.top) for p, r in s.family.open)
    extra: dict[str, tuple[int, ...]] = {}
    absent: dict[str, tuple[int, ...]] = {}
    for stack, wanted in stacks.items():
        if beyond := sorted(on_disk.get(stack, set()) - wanted):
            extra[stack] = tuple(beyond)
    absent.update(absent_layers(items, on_disk))
    for v in views:
        e = by_name.get(v.name)
        if e is not None:
            row = _row(v, e)
            if (
                e.shape is not None
                and row.shape != e.shape
                and e.slot.kind != "buffer"
                and not _same(row.shape, e.shape)
                and row.params is not None
            ):
                mismatched.append(row)
        else:
            general = general or {_general(n): item for n, item in by_name.items()}
            row, known = _foreign(v, general, opens, extra)
            if not known:
                unexpected.append(row)
        rows.append(row)
    missing: list[tuple[Expected, tuple[str, ...]]] = []
    layers_gone = 0
    for e in items:
        if e.slot.kind != "param":
            continue
        if e.layer is not None and e.layer in absent.get(e.stack, ()):
            layers_gone += 1
            continue
        wanted_names = names_of[id(e)]
        if present.issuperset(wanted_names):
            continue
        gone_names = tuple(n for n in wanted_names if n not in present)
        missing.append((e, gone_names))
    if packing is not None and missing and unexpected:
        rows, unexpected = _orphans(rows, unexpected, {n for _, names in missing for n in names})
    if not complete and not unread:
        missing, absent = [], {}
    fit = sum(r.item is not None for r in rows)
    misfit = bool(rows) and fit * 2 < len(rows) and (len(missing) + layers_gone) * 2 > len(items)
    return Match(
        with_companions(rows, tensors, packing),
        items,
        tuple(missing),
        tuple(unexpected),
        tuple(mismatched),
        wrapper,
        label,
        extra,
        absent,
        unread,
        misfit,
    )


def _orphans(rows: list[Row], unexpected: list[Row], gone: set[str]) -> tuple[list[Row], list[Row]]:
    """Scales and the like of a weight that is missing: the weight is the fault, and they count as no parameters."""
    from cfgexplain.packing.names import parse

    found = {r.tensor.name for r in unexpected if (place := parse(r.name)) is not None and place[0] in gone}
    if not found:
        return rows, unexpected
    kept = [
        r._replace(role="quantization", part="", params=0) if r.tensor.name in found else r for r in rows
    ]
    return kept, [r for r in unexpected if r.tensor.name not in found]


def _same(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """A scalar may be stored as [] or as [1]."""
    return math.prod(a) == math.prod(b) == 1 and len(a) <= 1 and len(b) <= 1


def _chosen_forms(
    items: tuple[Expected, ...], names_of: Mapping[int, tuple[str, ...]], present: set[str], views: Mapping[str, View]
) -> dict[str, str]:
    """For each group of forms the one that most names on disk belong to; shapes decide between equal names."""
    found: dict[str, dict[str, int]] = {}
    size: dict[str, int] = {}
    for e in items:
        if e.slot.form:
            group, _, kind = e.slot.form.partition("/")
            hits = found.setdefault(group, {})
            hits[kind] = hits.get(kind, 0) + len(present.intersection(names_of[id(e)]))
            size[e.slot.form] = size.get(e.slot.form, 0) + (e.experts or 0)
    split = {g for g, hits in found.items() if sum(map(bool, hits.values())) > 1}
    for e in items:
        group, _, kind = e.slot.form.partition("/")
        if group in split:
            found[group][kind] += sum([_holds(views.get(n), e.shape) for n in names_of[id(e)]])
    # Where two forms fit as well, the one that asks for fewer tensors: nothing is missing that nobody stores.
    return {g: max(hits, key=lambda k: (hits[k], -size[f"{g}/{k}"])) for g, hits in found.items() if any(hits.values())}


def _holds(v: View | None, shape: tuple[int, ...] | None) -> bool:
    return shape is None if v is None else v.read(shape)[0] == shape


def _general(name: str) -> str:
    return _NUMBER.sub("#", name)


def _row(v: View, e: Expected) -> Row:
    shape, params = v.read(e.shape)
    counted = e.slot.kind in ("param", "optional", "unsaved")
    return Row(v.tensor, v.name, e.role, e.slot.part, e.layer, e, params if counted else 0, shape, v.packed)


def _foreign(
    v: View,
    general: Mapping[str, Expected],
    opens: tuple[tuple[str, str], ...],
    extra: Mapping[str, tuple[int, ...]],
) -> tuple[Row, bool]:
    """A tensor that no slot names: in a tower not written down, in a layer too many, a buffer, or a stranger."""
    t, name = v.tensor, v.name
    if BUFFERS.search(name):
        return Row(t, name, "buffer", "", None, None, 0, t.shape), True
    twin = general.get(_general(name))
    shape, elements = v.read(twin.shape if twin else None)
    for prefix, role in opens:
        if name.startswith(prefix):
            return Row(t, name, role, "", None, None, elements, shape, v.packed), True
    for stack in extra:
        if name.startswith(stack):
            number = name[len(stack) :].partition(".")[0]
            if is_index(number) and int(number) in extra[stack]:
                role = twin.role if twin else "unclassified"
                return Row(
                    t, name, role, twin.slot.part if twin else "", int(number), None, elements, shape, v.packed
                ), True
    if twin is None and name.endswith("bias"):
        twin = general.get(_general(name[: -len("bias")] + "weight")) or general.get(_general(name[: -len("_bias")]))
    role, part = (twin.role, twin.slot.part) if twin else ("unclassified", "")
    return Row(t, name, role, part, _layer(name, twin), None, elements, shape, v.packed), False


def _layer(name: str, twin: Expected | None) -> int | None:
    if twin is None or not twin.stack:
        return None
    number = name[len(twin.stack) :].partition(".")[0]
    return int(number) if is_index(number) else None


__all__ = ["BUFFERS", "Match", "Row", "match", "wrapper_of"]

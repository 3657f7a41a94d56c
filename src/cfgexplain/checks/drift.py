"""What a fine-tune, merge, conversion or quantization must not change, against the model that it came from.

Without a base (``check --against``) all of them are silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks.base import Check, Context, Problem
from cfgexplain.config import pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from cfgexplain.compare.base import Change, TensorInfo
    from cfgexplain.compare.drift import Drift

NORM_ROLES: Final = frozenset({"block-norm", "attention-norm", "final-norm", "other-norm"})
VOCAB_ROLES: Final = frozenset({"embedding", "lm-head"})
#: Sizes that every shape follows from; a wrong number of heads may fit all shapes and still be wrong.
SIZES: Final = (
    "size.hidden",
    "ffn.width",
    "ffn.experts",
    "ffn.expert_width",
    "ffn.shared_experts",
    "attention.heads",
    "attention.kv_heads",
    "attention.head_dim",
)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(_plain(v) if k == "type" else f"{k} {_plain(v)}" for k, v in value.items())
    return "none" if value is None else str(value)


def _at(c: Context, key: str | None) -> str | None:
    """The key's place in the config; the language model's config where that has no such key."""
    if c.subject.checkpoint.config is None:
        return None
    return pointer(key) if key else pointer(c.subject.main.path)


def _structure(c: Context, check: str, variant: str, *aspects: str) -> Iterator[Problem]:
    d = c.drift
    for change in d.structure if d else ():
        if change.aspect in aspects:
            values = _values(d, change)
            yield Problem(check, variant, values, pointer=_at(c, change.key))


def _values(d: Drift | None, change: Change) -> dict[str, object]:
    where = change.key or change.aspect
    return {"base": d.base if d else "", "key": where, "a": _plain(change.a), "b": _plain(change.b)}


def _inner(c: Context, check: str, name: str) -> Iterator[Problem]:
    """The same key of a model inside the model, a tower's."""
    d = c.drift
    for k in d.config if d else ():
        part, dot, own = k.canonical.rpartition(".")
        if dot and part != "rope" and (own.startswith("eps") if name == "eps" else own == name):
            values = {"base": d.base if d else "", "key": k.key, "a": _plain(k.a), "b": _plain(k.b)}
            yield Problem(check, "differs", values, pointer=_at(c, k.key if k.b_source == "config" else None))


def eps(c: Context) -> Iterable[Problem]:
    """Another ε."""
    yield from _structure(c, "eps-drift", "differs", "norm.eps")
    yield from _inner(c, "eps-drift", "eps")


def activation(c: Context) -> Iterable[Problem]:
    """Another activation, or a gate more or less."""
    yield from _structure(c, "activation-drift", "differs", "ffn.activation")
    yield from _structure(c, "activation-drift", "kind", "ffn.kind")
    yield from _inner(c, "activation-drift", "act")


def rope(c: Context) -> Iterable[Problem]:
    """Other rotary positions."""
    yield from _structure(c, "rope-drift", "theta", "rope.theta")
    yield from _structure(c, "rope-drift", "scaling", "rope.scaling")
    yield from _structure(c, "rope-drift", "fraction", "rope.fraction")


def shape(c: Context) -> Iterable[Problem]:
    """Other shapes, sizes or layers."""
    d = c.drift
    if d is None:
        return
    yield from _structure(c, "shape-drift", "layers", "size.layers")
    sizes = [x for x in d.structure if x.aspect in SIZES]
    moved = [p for p in d.tensors.reshaped if p.b.role not in VOCAB_ROLES]
    # Shapes that the config implies are no evidence beside the sizes that they follow from.
    if moved and (d.stored or not sizes):
        first = moved[0]
        values: dict[str, object] = {
            "base": d.base,
            "count": len(moved),
            "example": first.b.stored,
            "a": str(list(first.a.shape or ())),
            "b": str(list(first.b.shape or ())),
        }
        yield Problem("shape-drift", "tensors", values, tensors=tuple(p.b.stored for p in moved))
    elif sizes:
        what = "; ".join(f"{x.key or x.aspect} {_plain(x.a)} → {_plain(x.b)}" for x in sizes)
        key = next((x.key for x in sizes if x.key), None)
        yield Problem("shape-drift", "size", {"base": d.base, "what": what}, pointer=_at(c, key))


def bias(c: Context) -> Iterable[Problem]:
    """Biases that came or went, other than with their weights and layers."""
    yield from _one_sided(c, "bias-drift", lambda x: bool(x.weight))


def norm(c: Context) -> Iterable[Problem]:
    """Norms of another kind, or that came or went."""
    d = c.drift
    if d is None:
        return
    found = list(_one_sided(c, "norm-drift", lambda x: x.role in NORM_ROLES and not x.weight))
    # A norm that has no tensor any more says why attention or the last layer has none.
    moved = {x.role for x in (*d.tensors.added, *d.tensors.removed)}
    told = {a for a, role in (("norm.qk", "attention-norm"), ("norm.final", "final-norm")) if role in moved}
    aspects = {"norm.type", "norm.placement", "norm.gain", "norm.qk", "norm.final"} - told
    yield from _structure(c, "norm-drift", "property", *aspects)
    yield from found


def _one_sided(c: Context, check: str, chosen: Callable[[TensorInfo], bool]) -> Iterator[Problem]:
    d = c.drift
    if d is None:
        return
    for variant, tensors in (("removed", d.removed()), ("added", d.added())):
        names = [x.stored for x in tensors if chosen(x)]
        if names:
            where = _at(c, None) if c.subject.match is None else None
            yield Problem(check, variant, {"base": d.base, "count": len(names)}, pointer=where, tensors=tuple(names))


def head(c: Context) -> Iterable[Problem]:
    """The base's own output head, lost to tying or left out."""
    d, base, ours = c.drift, c.wishes.against, c.report["model"]
    was = base.report["model"] if base else None
    if d is None or was is None or ours is None or was["head"] != "own" or ours["head"] == "own":
        return
    lost = tuple(x.stored for x in d.tensors.removed if x.main and x.role == "lm-head")
    values: dict[str, object] = {"base": d.base, "count": len(lost)}
    if ours["head"] == "tied":
        t = next((t for t in (c.subject.top, c.subject.main) if "tie" in t.family.keys), None)
        tie = t.value("tie") if t else None
        if t is not None and tie is not None:
            at = pointer(t.path, tie.key) if tie.origin == "config" else pointer(t.path)
            where = at if c.subject.checkpoint.config is not None else None
            yield Problem("head-drift", "tied", {**values, "key": tie.key}, pointer=where, tensors=lost)
    elif lost and any(e.role == "lm-head" and e.slot.kind == "param" for e in c.subject.expansion.items):
        yield Problem("head-drift", "gone", values, tensors=lost)


def vocab(c: Context) -> Iterable[Problem]:
    """Another vocabulary."""
    d = c.drift
    if d is None:
        return
    moved = tuple(p.b.stored for p in d.tensors.reshaped if p.b.role in VOCAB_ROLES) if d.stored else ()
    change = next((x for x in d.structure if x.aspect == "size.vocab"), None)
    if change is not None:
        yield Problem("vocab-drift", "size", _values(d, change), pointer=_at(c, change.key), tensors=moved)
    elif moved and not any(x.aspect == "size.hidden" for x in d.structure):
        p = next(p for p in d.tensors.reshaped if p.b.role in VOCAB_ROLES)
        values: dict[str, object] = {"base": d.base, "a": str(list(p.a.shape or ())), "b": str(list(p.b.shape or ()))}
        yield Problem("vocab-drift", "rows", values, tensors=moved)


CHECKS = (
    Check("eps-drift", "error", eps),
    Check("activation-drift", "error", activation),
    Check("rope-drift", "error", rope),
    Check("shape-drift", "error", shape),
    Check("bias-drift", "error", bias),
    Check("norm-drift", "error", norm),
    Check("head-drift", "error", head),
    Check("vocab-drift", "note", vocab),
)

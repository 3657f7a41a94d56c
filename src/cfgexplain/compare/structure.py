"""What differs in the architecture: norms, feed-forward blocks, attention, rotary positions, layers, head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.compare.base import ORDER, Change
from cfgexplain.compare.remarks import remark_change
from cfgexplain.compare.values import activation, same
from cfgexplain.facts.attention import kinds
from cfgexplain.facts.rope import ropes
from cfgexplain.fold import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.compare.base import Gravity, Side

#: Every aspect and what a difference in it does.
ASPECTS: Final[dict[str, Gravity]] = {
    "model.family": "usage",
    "size.layers": "loading",
    "size.hidden": "loading",
    "size.vocab": "loading",
    "size.context": "usage",
    "norm.type": "function",
    "norm.placement": "function",
    "norm.eps": "function",
    "norm.gain": "function",
    "norm.bias": "function",
    "norm.qk": "function",
    "norm.final": "function",
    "ffn.kind": "function",
    "ffn.activation": "function",
    "ffn.width": "loading",
    "ffn.bias": "function",
    "ffn.experts": "loading",
    "ffn.experts_per_token": "function",
    "ffn.shared_experts": "loading",
    "ffn.expert_width": "loading",
    "ffn.layers": "loading",
    "attention.kind": "loading",
    "attention.heads": "loading",
    "attention.kv_heads": "loading",
    "attention.head_dim": "loading",
    "attention.window": "function",
    "positions.kind": "function",
    "rope.theta": "function",
    "rope.fraction": "function",
    "rope.scaling": "function",
    "layers.kinds": "function",
    "head.tied": "function",
    "remarks": "function",
    "quantization": "usage",
}
#: Canonical key of the language model → the aspect that it decides.
ASPECT_OF: Final[dict[str, str]] = {
    "layers": "size.layers",
    "hidden": "size.hidden",
    "vocab": "size.vocab",
    "max_pos": "size.context",
    "eps": "norm.eps",
    "act": "ffn.activation",
    "ffn": "ffn.width",
    "experts": "ffn.experts",
    "top_k": "ffn.experts_per_token",
    "moe_ffn": "ffn.expert_width",
    "heads": "attention.heads",
    "kv_heads": "attention.kv_heads",
    "head_dim": "attention.head_dim",
    "window": "attention.window",
    "theta": "rope.theta",
    "rope": "rope.scaling",
    "tie": "head.tied",
    "layer_types": "layers.kinds",
}


def structure_changes(a: Side, b: Side) -> list[Change]:
    """Every property that is known on both sides and differs, gravest first."""
    ours, theirs = properties(a), properties(b)
    keys = _keys(b)
    if "mla" in (ours.get("attention.kind"), theirs.get("attention.kind")):
        # A latent stands in the cache: the number of heads that are computed from it is no number of kv heads.
        ours.pop("attention.kv_heads", None)
    out = [
        Change(name, _plain(ours[name]), _plain(theirs[name]), ASPECTS[name], keys.get(name))
        for name in ASPECTS
        if name in ours and name in theirs and not _equal(name, ours[name], theirs[name])
    ]
    names = {c.aspect for c in out}
    told = remark_change(a, b, names)
    if told is not None:
        out.append(told.change)
    return sorted((c for c in out if not _follows(c, names)), key=lambda c: ORDER[c.gravity])


def _follows(c: Change, names: set[str]) -> bool:
    """Whether a difference says nothing that another one does not say."""
    if c.aspect in ("ffn.layers", "layers.kinds"):
        return "size.layers" in names and isinstance(c.a, dict) and isinstance(c.b, dict) and c.a.keys() == c.b.keys()
    if c.aspect == "ffn.kind":
        return "ffn.activation" in names and "mlp" not in (c.a, c.b) and "none" not in (c.a, c.b)
    if c.aspect == "attention.kind":
        return bool({"attention.heads", "attention.kv_heads"} & names) and {c.a, c.b} <= {"mha", "gqa", "mqa"}
    return False


def _equal(name: str, a: object, b: object) -> bool:
    return same(activation(a), activation(b)) if name == "ffn.activation" else same(a, b)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def properties(x: Side) -> dict[str, object]:
    """Aspect → value; what is not known is left out."""
    return {k: v for k, v in _properties(x) if v is not None}


def _properties(x: Side) -> Iterator[tuple[str, object]]:
    r, s = x.report, x.subject
    model, norm, ffn = r["model"], r["norm"], r["ffn"]
    if model is None or norm is None or ffn is None:
        return
    yield "model.family", model["family"] if model["family_known"] else None
    yield "size.layers", model["num_layers"]
    yield "size.hidden", model["hidden_size"]
    yield "size.vocab", model["vocab_size"]
    yield "size.context", model["max_position_embeddings"]
    yield "norm.type", norm["type"]
    yield "norm.placement", norm["placement"]
    yield "norm.eps", norm["eps"]["value"]
    yield "norm.gain", norm["gain"]
    yield "norm.bias", norm["bias"]
    yield "norm.qk", norm["qk_norm"]
    yield "norm.final", norm["final_norm"]["expected"]
    yield "ffn.kind", ffn["kind"]
    yield "ffn.activation", ffn["activation"]
    width = ffn["intermediate_size"]
    value = width["value"] // max(1, s.main.family.ffn_of_config) if width["value"] is not None else None
    yield "ffn.width", width["from_tensors"] if width["from_tensors"] is not None else value
    yield "ffn.bias", ffn["bias"]
    groups = [g for g in ffn["layers"] or [] if g["kind"] == "moe"]
    if groups:
        for name, field in (
            ("experts", "experts"),
            ("experts_per_token", "experts_per_token"),
            ("shared_experts", "shared_experts"),
            ("expert_width", "intermediate_size"),
        ):
            found = {g[field] for g in groups}  # type: ignore[literal-required]
            yield f"ffn.{name}", found.pop() if len(found) == 1 else None
    if ffn["layers"]:
        spans: dict[str, list[int]] = {}
        for g in ffn["layers"]:
            spans.setdefault(g["kind"], []).extend(range(g["first"], g["last"] + 1))
        yield "ffn.layers", {k: ranges(v) for k, v in spans.items()}
    yield "attention.kind", model["attention"]
    yield "attention.heads", model["num_attention_heads"]
    yield "attention.kv_heads", model["num_key_value_heads"]
    yield "attention.head_dim", model["head_dim"]
    schedule = kinds(s)
    if schedule is not None:
        if "window" in s.main.family.keys and {"sliding", "chunked"} & set(schedule):
            yield "attention.window", s.main.known("window")
        where: dict[str, list[int]] = {}
        for i, kind in enumerate(schedule):
            where.setdefault(kind, []).append(i)
        yield "layers.kinds", {k: ranges(v) for k, v in where.items()}
    positions = model["positions"]
    yield "positions.kind", positions["kind"]
    yield from _rope(x)
    yield "head.tied", model["tie_word_embeddings"]
    if model["family_known"] or r["quantization"] is not None:
        q = r["quantization"]
        yield "quantization", {"method": q["method"], "bits": q["bits"], "group_size": q["group_size"]} if q else {}


def _rope(x: Side) -> Iterator[tuple[str, object]]:
    found = ropes(x.subject.main)
    for name in ("theta", "fraction", "scaling"):
        values = {k: getattr(r, name) for k, r in found.items()}
        if values and all(v is not None for v in values.values()):
            yield f"rope.{name}", values.get("", values)


def _keys(x: Side) -> dict[str, str]:
    """Aspect → the dotted key of this side's config that it was read from."""
    m = x.subject.main
    out: dict[str, str] = {}
    for name, aspect in ASPECT_OF.items():
        v = m.value(name) if name in m.family.keys else None
        if v is not None and v.origin == "config":
            out[aspect] = v.key
    for name in ("rope_parameters", "rope_scaling"):
        if isinstance(m.config.get(name), dict):
            out.setdefault("rope.scaling", name)
    if m.path:
        out = {k: f"{m.path}.{v}" for k, v in out.items()}
    norm = x.report["norm"]
    if norm and norm["eps"]["source"] == "config" and norm["eps"]["key"]:
        out["norm.eps"] = norm["eps"]["key"]
    return out


__all__ = ["ASPECTS", "ASPECT_OF", "properties", "structure_changes"]

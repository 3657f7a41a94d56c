"""What differs in the architecture: norms, feed-forward blocks, attention, rotary positions, layers, head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.compare.base import ORDER, Change
from cfgexplain.compare.remarks import remark_change
from cfgexplain.compare.values import activation, same
from cfgexplain.facts.attention import kinds
from cfgexplain.facts.ffn_layers import is_bias
from cfgexplain.facts.rope import ropes
from cfgexplain.fold import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.compare.base import Gravity, Side
    from cfgexplain.report_ffn import FfnR
    from cfgexplain.subject import Subject

#: Projections of attention in their order; one matrix may hold several.
ORDERED: Final = "qkvo"
#: Kinds of attention whose heads turn whole where nothing says otherwise.
PLAIN: Final = frozenset({"mha", "gqa", "mqa"})

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
    "attention.bias": "function",
    "attention.window": "function",
    "positions.kind": "function",
    "rope.theta": "function",
    "rope.fraction": "function",
    "rope.scaling": "function",
    "layers.kinds": "function",
    "layers.encoder": "loading",
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
    yield "ffn.width", _width(x, ffn)
    yield "ffn.bias", ffn["bias"]
    groups = [g for g in ffn["layers"] or [] if g["kind"] == "moe"]
    if ffn["layers"] and not groups:
        yield from (("ffn.experts", 0), ("ffn.experts_per_token", 0), ("ffn.expert_width", "none"))
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
    yield "attention.bias", _attention_bias(s)
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
    if ffn["layers"]:
        yield "layers.encoder", bool(ffn["encoder_layers"])
    if model["head"] is not None:
        yield "head.tied", "none" if model["head"] == "none" else model["head"] == "tied"
    if model["family_known"] or r["quantization"] is not None:
        q = r["quantization"]
        yield "quantization", {"method": q["method"], "bits": q["bits"], "group_size": q["group_size"]} if q else {}


def _width(x: Side, ffn: FfnR) -> int | str | None:
    """The width of the dense blocks: what the layers have, not what a key says that none of them uses."""
    width = ffn["intermediate_size"]
    if ffn["layers"]:
        used = {g["intermediate_size"] for g in ffn["layers"] if g["kind"] == "dense"}
        if not used:
            return "none"
        if len(used) == 1 and None not in used:
            return used.pop()
    if width["from_tensors"] is not None or width["value"] is None:
        return width["from_tensors"]
    return width["value"] // max(1, x.subject.main.family.ffn_of_config)


def _attention_bias(s: Subject) -> str | None:
    """Which projections of attention add a bias; None where one has no name here, or there is no attention."""
    mine = [p for p in s.pieces if p.main and p.role == "attention"]
    parts = {p.part for p in mine if is_bias(p.tensor)}
    if not mine or "" in parts:
        return None
    letters = {x for part in parts for x in (part if set(part) <= set(ORDERED) else (part,))}
    return ", ".join(sorted(letters, key=lambda x: (ORDERED + x).index(x))) or "none"


def _rope(x: Side) -> Iterator[tuple[str, object]]:
    found, model = ropes(x.subject.main), x.report["model"]
    # Without a word the whole head turns; of a latent, the part that is kept apart.
    whole = 1.0 if model and model["positions"]["kind"] == "rope" and model["attention"] in PLAIN else None
    for name in ("theta", "fraction", "scaling"):
        values = {k: getattr(r, name) for k, r in found.items()}
        if name == "fraction":
            values = {k: whole if v is None else v for k, v in values.items()}
        if values and all(v is not None for v in values.values()):
            first = next(iter(values.values()))
            yield f"rope.{name}", first if all(same(v, first) for v in values.values()) else values


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

"""Configs, key by canonical key; what no table names, key by key as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.compare.base import ORDER, Gravity, KeyChange
from cfgexplain.compare.rope import KEYS as ROPE_KEYS
from cfgexplain.compare.rope import Rope, ropes
from cfgexplain.compare.values import activation, dtype, same
from cfgexplain.config import Settings
from cfgexplain.families.expr import names_in
from cfgexplain.families.schema import E

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.compare.base import Side

#: Canonical names that mean the same in every family.
COMMON: Final = (
    "hidden", "layers", "vocab", "heads", "kv_heads", "head_dim", "ffn", "eps", "act", "max_pos", "tie", "experts", "top_k",
    "moe_ffn", "shared_ffn", "window", "theta",
)  # fmt: skip
#: Canonical name → what a difference does, and its text. Other names: by whether shapes depend on them.
KNOWN: Final[dict[str, tuple[Gravity, str]]] = {
    "act": ("function", "diff.key.act"),
    "theta": ("function", "diff.key.rope"),
    "tie": ("function", "diff.key.tie"),
    "top_k": ("function", "diff.key.top_k"),
    "window": ("function", "diff.key.window"),
    "vocab": ("loading", "diff.key.vocab"),
    "layers": ("loading", "diff.key.layers"),
    "max_pos": ("usage", "diff.key.max_pos"),
    "labels": ("usage", "diff.key.labels"),
    "id2label": ("usage", "diff.key.labels"),
}
#: Config keys outside the tables, by the last part of their path.
TRAINING: Final = frozenset({
    "initializer_range", "attention_dropout", "hidden_dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop", "dropout",
    "hidden_dropout_prob", "attention_probs_dropout_prob", "activation_dropout", "classifier_dropout", "residual_dropout",
    "embedding_dropout", "ffn_dropout", "router_aux_loss_coef", "router_jitter_noise", "output_router_logits", "layerdrop",
    "aux_loss_alpha", "seq_aux", "pretraining_tp", "resid_dropout", "embed_dropout", "router_z_loss_coef", "gradient_checkpointing",
})  # fmt: skip
PAPERWORK: Final = frozenset({
    "transformers_version", "_name_or_path", "name_or_path", "use_cache", "auto_map", "_attn_implementation", "task_specific_params",
    "output_attentions", "output_hidden_states", "return_dict", "return_dict_in_generate", "torchscript", "finetuning_task",
    "unsloth_version", "unsloth_fixed", "_attn_implementation_autoset", "_commit_hash", "problem_type", "chunk_size_feed_forward",
    "is_decoder", "use_bfloat16", "tf_legacy_loss", "gradient_checkpointing", "model_name", "quantization_version",
})  # fmt: skip
FACTORS: Final = frozenset({
    "attention_multiplier", "embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale", "query_pre_attn_scalar",
    "attn_logit_softcapping", "final_logit_softcapping", "routed_scaling_factor", "norm_topk_prob", "scoring_func", "n_group",
    "topk_group", "topk_method", "clip_qkv", "sliding_window", "use_sliding_window", "max_window_layers", "layer_types",
    "sliding_window_pattern", "attention_chunk_size", "scale_attn_weights", "scale_attn_by_inverse_layer_idx", "swiglu_limit",
    "rotary_pct", "no_rope_layers", "scale_embedding", "scale_emb", "scale_depth", "dim_model_base", "attn_temperature_tuning",
})  # fmt: skip
TOKENS: Final = ("_token_id", "_token_index", "_token_ids", "_id")
#: What an absent key is, for those that libraries write or leave out at will.
DEFAULTS: Final[dict[str, object]] = {
    "use_cache": True, "attention_dropout": 0.0, "pretraining_tp": 1, "output_attentions": False, "output_hidden_states": False,
    "return_dict": True, "initializer_range": 0.02, "is_decoder": False, "is_encoder_decoder": False, "torchscript": False,
    "use_bfloat16": False, "add_cross_attention": False, "chunk_size_feed_forward": 0, "scale_attn_weights": True,
    "tie_word_embeddings": True, "output_router_logits": False, "use_sliding_window": False, "attention_bias": False, "mlp_bias": False, "qkv_bias": False,
}  # fmt: skip
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
    return sorted(out, key=lambda c: ORDER[c.gravity])


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
                covered[side].update(f"{x.path}.{p}" if x.path else p for p in x.family.keys[name].names)
            one, two = _known(s, name), _known(t, name)
            if one is None or two is None or _equal(name, one.value, two.value):
                continue
            if one.source == "derived" and two.source == "derived":
                continue
            gravity, text = _consequence(name, sized)
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
    return _Known(value, (f"{s.path}.{v.key}" if s.path else v.key) if v.key else "", v.origin)


def _equal(name: str, a: object, b: object) -> bool:
    return same(activation(a), activation(b)) if name == "act" else same(a, b)


def _consequence(name: str, sized: frozenset[str]) -> tuple[Gravity, str]:
    if name in KNOWN:
        return KNOWN[name]
    if name.startswith("eps"):
        return "function", "diff.key.eps"
    return ("loading", "diff.key.shape") if name in sized else ("function", "diff.key.function")


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
            gravity, text = named.get(path) or _raw_consequence(key, last)
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
            out.update(dict.fromkeys((f"{s.path}.{p}" if s.path else p for p in key.names), _consequence(name, sized)))
    return out


def _raw_consequence(key: str, last: str) -> tuple[Gravity, str]:
    if key.partition(".")[0] == "quantization_config":
        return "usage", "diff.key.quantization"
    if last in PAPERWORK:
        return "bookkeeping", "diff.key.paperwork"
    if last in TRAINING:
        return "bookkeeping", "diff.key.training"
    if last in FACTORS:
        return "function", "diff.key.function"
    if last == "model_type":
        return "function", "diff.key.model_type"
    if last == "architectures":
        return "usage", "diff.key.architectures"
    if last == "dtype":
        return "usage", "diff.key.dtype"
    if last.endswith(TOKENS):
        return "usage", "diff.key.tokens"
    return "usage", "diff.key.other"


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

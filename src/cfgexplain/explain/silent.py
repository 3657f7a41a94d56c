"""What no header shows: the parts of the trained function that leave no trace in names and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.explain.base import Writer, closure, number
from cfgexplain.families.remarks import FORMULAS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.config import Settings
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR

#: Keys of configs that change what is computed and nothing that is stored; each with the values that switch it off.
KEYS: Final[dict[str, tuple[object, ...]]] = {
    **dict.fromkeys(
        ("query_pre_attn_scalar", "scoring_func", "topk_method", "rope_local_base_freq", "no_rope_layers",
         "no_rope_layer_interval", "relative_attention_max_distance", "norm_topk_prob", "attention_multiplier",
         "swiglu_alpha", "attn_temperature_tuning", "moe_router_use_sigmoid", "partial_rotary_factor", "layer_types",
         "use_bidirectional_attention", "add_swa_attention_sink_bias"), (None,),
    ),
    **dict.fromkeys(
        ("attn_logit_softcapping", "final_logit_softcapping", "logits_soft_cap", "swiglu_limit", "clip_qkv",
         "moe_router_logit_softcapping"), (None, 0),
    ),
    **dict.fromkeys(
        ("routed_scaling_factor", "moe_routed_scaling_factor", "n_group", "topk_group", "logit_scale",
         "embedding_multiplier", "residual_multiplier", "logits_scaling", "lm_head_multiplier", "key_multiplier",
         "scale_emb", "scale_depth", "dim_model_base"), (None, 1),
    ),
    "scale_embedding": (None, False), "scale_attn_by_inverse_layer_idx": (None, False),
    "apply_residual_connection_post_layernorm": (None, False),
}  # fmt: skip
#: Names of rotary scaling's own object.
SCALINGS: Final = ("rope_scaling", "rope_parameters")
#: Longer values are named and not repeated.
LONGEST: Final = 40


def unseen(c: Scope) -> ExplanationR | None:
    """Values that have to be right without anything to check them by, as far as tables and config name them."""
    norm, ffn, model = c.report["norm"], c.report["ffn"], c.report["model"]
    if norm is None or ffn is None or model is None or not c.subject.known:
        return None
    w = Writer(c, "unseen")
    names = list(dict.fromkeys(_values(c, w)))
    if not names:
        return None
    w.say("values", names=w.listed(names))
    rows = {
        "after": True, "open": True, "rotary": model["positions"]["kind"] == "rope", "gate": bool(ffn["gated"]),
        "offset": norm["gain"] == "1+w", "quiet": True,
    }  # fmt: skip
    for name, told in rows.items():
        if told:
            w.paragraph()
            w.say(name)
    return w.done("unseen", None, "derived")


def _values(c: Scope, w: Writer) -> Iterator[str]:
    norm, ffn, model = c.report["norm"], c.report["ffn"], c.report["model"]
    if norm is None or ffn is None or model is None:
        return
    m, eps = c.subject.main, norm["eps"]
    if eps["value"] is not None:
        if eps["source"] == "hardcoded":
            yield w.words("code", value=number(eps["value"]))
        elif eps["key"]:
            key = eps["key"].removeprefix(f"{m.path}.") if m.path else eps["key"]
            yield w.words("value" if eps["source"] == "config" else "default", key=key, value=number(eps["value"]))
    told: set[str] = set()
    mix = (c.report["layers"]["mix"] if c.report["layers"] else None) or {}
    wanted = {
        "theta": model["positions"]["kind"] == "rope",
        "window": "sliding" in mix or "chunked" in mix,
        "act": bool(ffn["activation"]) and m.family.id not in FORMULAS,
    }
    seen = _seen(m)
    for name, used in wanted.items():
        value = m.value(name) if name in m.family.keys and used and name not in seen else None
        if value is None or not value.key or isinstance(value.value, (list, dict, bool)) or value.value is None:
            continue
        told.add(value.key)
        given = value.origin == "config"
        key = value.key if given else _spelled(value.key)
        yield w.words("value" if given else "default", key=key, value=str(value.value))
    if wanted["theta"] and model["positions"]["scaling"]:
        where = next((x for x in SCALINGS if isinstance(walk(m.config, x), dict)), None)
        factor = walk(m.config, f"{where}.factor")
        if where:
            kind = model["positions"]["scaling"]
            text = f"{kind} (factor {factor:g})" if isinstance(factor, (int, float)) else kind
            yield w.words("value", key=where, value=text)
    for r in model["remarks"] or ():
        if r["key"] and r["value"] is not None:
            key = r["key"].removeprefix(f"{m.path}.") if m.path else r["key"]
            if key in seen:
                continue
            told.add(key)
            raw = walk(m.config, key)
            # Of a list the remark only has that it is there.
            given = raw == r["value"] or isinstance(raw, list)
            yield w.words("value" if given else "default", key=key, value=_show(c, raw if given else r["value"]))
    for key, off in KEYS.items():
        raw = m.config.get(key)
        if key in told or key in seen or key in m.family.unread:
            continue
        if any(raw is x or (raw == x and type(raw) is not bool) for x in off):
            continue
        yield w.words("value", key=key, value=_show(c, raw))


def _seen(m: Settings) -> set[str]:
    """What a header does show, by the family's table: own names, and the config's keys, that a tensor depends on."""
    slots = [s for s in (*m.family.body, *m.family.heads.get(m.cls, ())) if s.kind == "param"]
    texts = {text for s in slots for text in (s.when, s.shape, s.experts)}
    names = closure(m.family, *texts)
    return names | {key for n in names for key in m.family.keys[n].names}


def _spelled(path: str) -> str:
    """The shortest ending of a key's path that a text explains, so that it can be asked for; else the whole path."""
    parts = path.split(".")
    if len(parts) < 2 or parts[0] in SCALINGS:
        return parts[-1]
    from cfgexplain.explain.key_topics import topic_of  # a plain model does not pay for the table of keys

    endings = (".".join(parts[k:]) for k in range(len(parts) - 1, -1, -1))
    return next((x for x in endings if topic_of(x)), path)


def _show(c: Scope, value: object) -> str:
    """A config's value in a few characters."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if len(text) <= LONGEST:
        return text
    return c.texts.text("explain.key.value.list").format(count=len(value)) if isinstance(value, list) else "…"

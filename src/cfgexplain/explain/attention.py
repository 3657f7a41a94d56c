"""Attention in brief: how many heads share a key and value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer
from cfgexplain.facts.attention import kinds
from cfgexplain.remarked import has

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR

REFERENCES: Final = {"mha": "vaswani2017", "gqa": "ainslie2023", "mqa": "shazeer2019", "mla": "deepseekv2"}


def _others(c: Scope, w: Writer, size: int | None, kv: int) -> None:
    """Heads of the layers with full attention, where these are not those of the windowed ones that the numbers are of.

    The names are those that a family gives to a size that depends on the layer.
    """
    m = c.subject.main
    full = next((i for i, kind in enumerate(kinds(c.subject) or ()) if kind == "full"), None)
    if full is None:
        return
    wide, shared = m.known("width_of_head", full) or size, m.known("kv_heads_here", full) or kv
    if (wide, shared) != (size, kv):
        w.say("full", size=wide, kv=shared)


def heads(c: Scope) -> ExplanationR | None:
    """Query heads against key-value heads, and what a token leaves in the cache."""
    model, memory = c.report["model"], c.report["memory"]
    if model is None or model["attention"] not in REFERENCES or not model["num_attention_heads"]:
        return None
    word = model["attention"]
    q, kv, size = model["num_attention_heads"], model["num_key_value_heads"], model["head_dim"]
    w = Writer(c, "attention")
    if word == "mla":
        w.say("mla", heads=q)
    else:
        if not kv:
            return None
        w.say(word, heads=q, kv=kv, each=q // kv if kv else 0)
        if size and not has(c.report, "low-rank-output"):
            d = model["hidden_size"]
            w.formula(f"q: {d} → {q} × {size} = {q * size};  k, v: {d} → {kv} × {size} = {kv * size}")
        if size and model["hidden_size"] and q * size != model["hidden_size"]:
            w.say("not-hidden", wide=q * size, hidden=model["hidden_size"])
        _others(c, w, size, kv)
    if memory and memory["kv_cache_bytes_per_token"]:
        w.say("cache", bytes=memory["kv_cache_bytes_per_token"], each=memory["kv_cache_dtype_bytes"])
        full, context = memory["kv_cache_bytes_at_context"], model["max_position_embeddings"]
        # A window no shorter than the context never fills.
        shorter = not full or not context or full < memory["kv_cache_bytes_per_token"] * context
        if memory["windowed_layers"] and shorter:
            w.say("cache.windows")
    w.refer(REFERENCES[word])
    m = c.subject.main
    for name in ("heads",) if word == "mla" else ("kv_heads", "heads"):
        value = m.value(name) if name in m.family.keys else None
        if value is not None and value.key:
            key = m.dotted(value.key)
            return w.done(key, value.value, value.origin, name=w.words(f"name.{word}"))
    return w.done("model.attention", word, "derived", name=w.words(f"name.{word}"))

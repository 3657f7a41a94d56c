"""The story around the numbers, where a model has more than plain attention and one feed-forward block a layer.

Imported only for such models. Henry et al. 2020 (2010.04245) and Dehghani et al. 2023 (2302.05442) for norms on queries
and keys; DeepSeek-V2 (2405.04434) for latents; Shazeer et al. 2017 (1701.06538) and Switch (2101.03961) for routing;
Beltagy et al. 2020 (2004.05150) for windows; Jelassi et al. 2024 (2402.01032) for what a fixed state cannot do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer
from cfgexplain.explain.key_scope import KeyScope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR

#: Kinds of layers that keep a state of fixed size.
STATEFUL: Final = ("ssm", "linear", "recurrent", "conv")
#: Kinds whose cache stops growing.
CAPPED: Final = ("sliding", "chunked")


def qk_norm(c: Scope) -> ExplanationR | None:
    """Norms on queries and keys: the bound that they put on a logit."""
    norm, model = c.report["norm"], c.report["model"]
    if norm is None or model is None or not norm["qk_norm"] or model["attention"] not in ("mha", "gqa", "mqa"):
        return None
    size, heads = model["head_dim"], model["num_attention_heads"]
    sites = [s for s in norm["sites"] or [] if s["role"] == "attention-norm"]
    if not size or not heads or len(sites) < 2:
        return None
    w = Writer(c, "qk-norm")
    w.say("why")
    widths = {s["size"] for s in sites}
    if widths == {size}:
        w.say("each", size=size)
        w.formula(f"|q · k| ≤ sqrt({size}) · sqrt({size}) = {size}")
        w.say("bound", bound=size)
    elif size * heads in widths:
        w.say("whole", wide=size * heads, heads=heads)
    w.say("unlike-cap")
    w.refer("henry2020", "dehghani2023")
    return w.done("norm.qk_norm", True, "derived")


def latent(c: Scope) -> ExplanationR | None:
    """Multi-head latent attention: what is kept, and why a part of each key stands beside it."""
    model = c.report["model"]
    if model is None or model["attention"] != "mla":
        return None
    k = KeyScope(c, c.subject.main, "", None)
    rank, rope = k.whole("kv_lora_rank"), k.whole("qk_rope_head_dim")
    nope, value, heads = k.whole("qk_nope_head_dim"), k.whole("v_head_dim"), model["num_attention_heads"]
    if not (rank and rope and nope and value and heads):
        return None
    w = Writer(c, "latent")
    d = model["hidden_size"]
    if d:
        w.formula(f"c = W_down · x: {d} → {rank};  k, v = W_up · c: {rank} → {heads} × ({nope} + {value})")
    w.formula(f"{rank} + {rope} = {rank + rope}")
    w.formula(f"{heads} × ({nope} + {rope} + {value}) = {heads * (nope + rope + value)}")
    full = heads * (nope + rope + value)
    w.say("kept", rank=rank, rope=rope, small=rank + rope, full=full, times=full / (rank + rope))
    w.say("fold")
    w.say("rotary", rope=rope)
    w.refer("deepseekv2")
    return w.done("model.attention", "mla", "derived")


def routing(c: Scope) -> ExplanationR | None:
    """How a token finds its experts, and what is paid for all the others."""
    ffn, model, params = c.report["ffn"], c.report["model"], c.report["params"]
    if ffn is None or model is None or params is None:
        return None
    groups = [g for g in ffn["layers"] or () if g["kind"] == "moe"]
    if not groups or not groups[0]["experts"]:
        return None
    experts, k, d = groups[0]["experts"], groups[0]["experts_per_token"], model["hidden_size"]
    w = Writer(c, "routing")
    if d:
        w.formula(f"s = score(W · x),  W: {experts} × {d}")
    if k:
        w.formula(f"y = Σ_top{k} g_i · expert_i(x)")
        w.say("how", experts=experts, k=k)
    scope = KeyScope(c, c.subject.main, "", None)
    scoring = scope.find("scoring_func", "score_func", "score_function")
    if scoring in ("softmax", "sigmoid"):
        w.say(f"score.{scoring}")
    normed = scope.find("norm_topk_prob")
    if isinstance(normed, bool):
        w.say("normed.yes" if normed else "normed.no")
    w.say("choice")
    w.say("balance")
    active, total = params["active"], params["total"]
    if active and total and active < total:
        w.paragraph()
        w.say("cost", active=active, total=total, share=active / total)
        w.say("batch")
    w.refer("shazeer2017", "fedus2021", "mixtral")
    return w.done("ffn.params.active", ffn["params"]["active"], "derived")


def windows(c: Scope) -> ExplanationR | None:
    """Windowed and full layers: what the windows save, and how far a token still sees."""
    layers, memory, model = c.report["layers"], c.report["memory"], c.report["model"]
    mix = (layers["mix"] if layers else None) or {}
    count = sum(mix.get(k, 0) for k in CAPPED)
    window, context = c.subject.main.int("window"), model["max_position_embeddings"] if model else None
    if not count or not window or memory is None:
        return None
    w = Writer(c, "windows")
    full = mix.get("full", 0)
    if context and window >= context:
        w.say("idle", window=window, context=context)
        return w.done("layers.mix", count, "derived")
    w.say("mixed" if full else "all", count=count, window=window, full=full, layers=sum(mix.values()))
    if not full and mix.get("sliding"):
        w.formula(f"{count} × {window:,} = {count * window:,}")
        w.say("reach", reach=count * window)
    elif full:
        w.say("full", full=full)
    each, at = memory["kv_cache_bytes_per_token"], memory["kv_cache_bytes_at_context"]
    if each and at and context and at < each * context:
        w.say("saved", bytes=at, all=each * context, times=each * context / at, context=context)
    w.refer("beltagy2020")
    return w.done("layers.mix", count, "derived")


def states(c: Scope) -> ExplanationR | None:
    """Layers with a state of fixed size, against a cache that grows."""
    layers, memory = c.report["layers"], c.report["memory"]
    mix = (layers["mix"] if layers else None) or {}
    kinds = [k for k in STATEFUL if mix.get(k)]
    if not kinds or kinds == ["conv"] or memory is None:
        return None
    w = Writer(c, "states")
    count, attention = sum(mix[k] for k in kinds), sum(mix.get(k, 0) for k in ("full", "hybrid", *CAPPED))
    w.say("what", count=count, layers=sum(mix.values()))
    for kind in kinds:
        w.say(f"kind.{kind}")
    if memory["constant_state_bytes"]:
        w.say("bytes", bytes=memory["constant_state_bytes"])
        each = memory["kv_cache_bytes_per_token"]
        if each:
            w.formula(f"{memory['constant_state_bytes']:,} / {each:,} = {memory['constant_state_bytes'] / each:,.0f}")
            w.say("break-even", tokens=round(memory["constant_state_bytes"] / each))
    w.say("limit")
    w.say("with-attention" if attention else "alone", count=attention)
    w.refer(*(("gu2023",) if "ssm" in kinds else ()), "jelassi2024")
    return w.done("memory.constant_state_bytes", memory["constant_state_bytes"], "derived")


#: What says that a model has the story; the function that tells it.
STORIES: Final[tuple[Callable[[Scope], ExplanationR | None], ...]] = (qk_norm, latent, routing, windows, states)


def stories(c: Scope) -> Iterator[ExplanationR]:
    """Those that this model has."""
    for told in STORIES:
        found = told(c)
        if found is not None:
            yield found

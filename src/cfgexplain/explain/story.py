"""The story around the numbers, where a model has more than plain attention and one feed-forward block a layer.

Imported only for such models. Henry et al. 2020 (2010.04245) and Dehghani et al. 2023 (2302.05442) for norms on queries
and keys; DeepSeek-V2 (2405.04434) for latents; Shazeer et al. 2017 (1701.06538) and Switch (2101.03961) for routing;
Beltagy et al. 2020 (2004.05150) for windows; Jelassi et al. 2024 (2402.01032) for what a fixed state cannot do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.explain.base import Writer
from cfgexplain.explain.key_scope import KeyScope
from cfgexplain.explain.moe import idle_experts
from cfgexplain.families.routing import ROUTING
from cfgexplain.remarked import has
from cfgexplain.subject import TOWERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfgexplain.explain.base import Scope
    from cfgexplain.families.routing import Routing
    from cfgexplain.report import ExplanationR

#: Kinds of layers that keep a state of fixed size.
STATEFUL: Final = ("ssm", "linear", "recurrent", "conv")
#: Kinds whose cache stops growing.
CAPPED: Final = ("sliding", "chunked")
#: Remarks that say more of a kind of state than its word.
TOLD: Final = {"linear": ("delta-rule", "lightning"), "recurrent": ("mlstm", "time-mix")}


def qk_norm(c: Scope) -> ExplanationR | None:
    """Norms on queries and keys: the bound that they put on a logit."""
    norm, model = c.report["norm"], c.report["model"]
    if norm is None or model is None or not norm["qk_norm"] or model["attention"] not in ("mha", "gqa", "mqa"):
        return None
    size, heads = model["head_dim"], model["num_attention_heads"]
    sites = [s for s in norm["sites"] or [] if s["role"] == "attention-norm"]
    if not size or not heads or len(sites) < 2:
        return None
    kv = model["num_key_value_heads"] or heads
    widths = {s["size"] for s in sites}
    each_own = all("norms." in s["tensor"] for s in sites)
    # Norms of other widths stand on latents or on an indexer: what follows is not true of those.
    if widths != {size} and not widths <= {size * heads, size * kv}:
        return None
    w = Writer(c, "qk-norm")
    w.say("why")
    if widths == {size}:
        w.say("own" if each_own else "each", size=size)
        if norm["type"] == "rmsnorm":
            w.formula(f"|q · k| ≤ sqrt({size}) · sqrt({size}) = {size}")
            w.say("bound", bound=size)
    else:
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
    if model["positions"]["kind"] == "rope":
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
    how = ROUTING.get(c.subject.main.family.id) if c.subject.known else None
    shared = bool(groups[0]["shared_experts"])
    w = Writer(c, "routing")
    idle = idle_experts(c)
    if d and any(p.role == "router" and p.shape == (experts + idle, d) for p in c.subject.pieces):
        w.formula(f"s = score(W · x),  W: {experts + idle} × {d}")
    inside, skips = has(c.report, "llama4-routing"), has(c.report, "skip-choice")
    if k:
        term = "expert_i(g_i · x)" if inside else "g_i · expert_i(x)"
        w.formula(f"y = Σ_top{k} {term}" + (" + shared(x)" if shared else ""))
        w.say("how", experts=experts + idle, k=k)
        if idle:
            w.say("idle", idle=idle)
        if skips:
            w.say("skip")
    if how is not None:
        _weights(c, w, how)
    if inside:
        w.say("inside")
    if shared:
        w.say("shared")
    w.say("choice")
    w.say("balance")
    active, total = params["active"], params["total"]
    if active and total and active < total:
        w.paragraph()
        w.say("cost", active=active, total=total, share=active / total)
        if any((params["by_role"] or {}).get(x) for x in TOWERS):
            w.say("beside")
        w.say("batch")
    w.refer("shazeer2017", "fedus2021", "mixtral")
    return w.done("ffn.params.active", ffn["params"]["active"], "derived")


def _weights(c: Scope, w: Writer, how: Routing) -> None:
    """How scores become weights, as the table says, with the config's own numbers."""
    config = c.subject.main.config
    score = "sigmoid" if how.by and walk(config, how.by) == "sigmoid" else how.score
    w.say(f"score.{score}")
    if how.biased:
        w.say("biased")
    if has(c.report, "hash-routing"):
        w.say("hashed")
    said = walk(config, "topk_method")
    if how.groups is not None and (not how.method or said == how.method):
        found = [walk(config, name) for name in ("n_group", "topk_group")]
        found[0] = found[0] if isinstance(found[0], int) else walk(config, "num_expert_group")
        count, kept = (x if isinstance(x, int) else y for x, y in zip(found, how.groups, strict=True))
        if count > 1:
            w.say("grouped", groups=count, kept=kept)
    normed = how.normed
    if isinstance(normed, str):
        given = walk(config, normed)
        normed = given if isinstance(given, bool) else False if given is None else how.default
    if how.joint:
        w.say("normed.joint")
    elif normed is not None and score != "selected":
        w.say("normed.yes" if normed else "normed.no")
    if how.stored:
        w.say("stored")
    if how.scaled:
        given = walk(config, how.scaled)
        times = given if isinstance(given, (int, float)) and not isinstance(given, bool) else how.times
        if times != 1:
            w.say("scaled", value=f"{times:g}", key=how.scaled)


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
    numbers: dict[str, object] = {"count": count, "window": window, "full": full, "layers": sum(mix.values())}
    chunked = mix.get("chunked", 0)
    both_ways = has(c.report, "two-sided")
    word = "chunked" if chunked == count else "both-ways" if both_ways else "mixed" if full else "all"
    w.say(word, half=window // 2, **numbers)
    if word == "all" and set(mix) == {"sliding"}:
        w.formula(f"{count} × ({window:,} − 1) = {count * (window - 1):,}")
        w.say("reach", reach=count * (window - 1))
    elif full:
        w.say("full", full=full)
    each, at = memory["kv_cache_bytes_per_token"], memory["kv_cache_bytes_at_context"]
    if each and at and context and at < each * context:
        w.say("saved", bytes=at, all=each * context, times=each * context / at, context=context)
    if word != "chunked":
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
    count = sum(mix[k] for k in kinds) + mix.get("hybrid", 0)
    attention = sum(mix.get(k, 0) for k in ("full", "hybrid", *CAPPED))
    w.say("what", count=count, layers=sum(mix.values()))
    for kind in kinds:
        w.say(f"kind.{next((word for word in TOLD.get(kind, ()) if has(c.report, word)), kind)}")
    if memory["constant_state_bytes"]:
        w.say("bytes", bytes=memory["constant_state_bytes"])
        each = memory["kv_cache_bytes_per_token"]
        if each and not any(mix.get(k) for k in CAPPED):
            w.formula(f"{memory['constant_state_bytes']:,} / {each:,} = {memory['constant_state_bytes'] / each:,.0f}")
            w.say("break-even", tokens=round(memory["constant_state_bytes"] / each))
    w.say("limit")
    w.say("with-attention" if attention else "alone", count=attention)
    w.refer(*(("gu2023",) if "ssm" in kinds else ()), "jelassi2024")
    return w.done("memory.constant_state_bytes", memory["constant_state_bytes"], "derived")


#: What a story is of → the functions that tell it.
STORIES: Final[dict[str, tuple[Callable[[Scope], ExplanationR | None], ...]]] = {
    "mixing": (qk_norm, latent, windows, states),
    "experts": (routing,),
}


def stories(c: Scope, of: str) -> Iterator[ExplanationR]:
    """Those that this model has: of how its layers mix tokens, or of its experts."""
    for told in STORIES[of]:
        found = told(c)
        if found is not None:
            yield found

"""Numbers for experts, latents, and layers with a state in place of a cache."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cfgexplain.explain.key_scope import positive
from cfgexplain.explain.moe import idle_experts

if TYPE_CHECKING:
    from cfgexplain.explain.base import Writer
    from cfgexplain.explain.key_scope import KeyScope

TOP_K = ("num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_k", "moe_top_k")


def experts(k: KeyScope, w: Writer) -> None:
    """The share that a token visits, the number of choices, and the parameters of one."""
    idle = idle_experts(k.scope) if k.main else 0
    count, top = (k.known("experts") or -idle) + idle, k.known("top_k") or k.whole(*TOP_K)
    ffn, params = k.scope.report["ffn"], k.scope.report["params"]
    if not count or not top or top > count:
        return
    w.formula(f"{top} / {count} = {top / count:.4g}")
    # Where only some groups of experts are looked at, not every choice can be made.
    if count <= 4096 and top <= 64 and (k.whole("n_group", "num_expert_group") or 1) == 1:
        choices = math.comb(count, top)
        w.say("experts.choices", choices=f"{choices:,}" if choices < 10**18 else f"{choices:.1e}", top=top)
    if k.main and ffn and params and params["active"] and params["total"] and params["active"] < params["total"]:
        active, total = params["active"], params["total"]
        w.say("experts.active-most" if idle else "experts.active", active=active, total=total, share=active / total)
    if idle:
        w.say("experts.idle", idle=idle, count=count)


def groups(k: KeyScope, w: Writer) -> None:
    """Experts in a group, and those within reach of a token."""
    count, n, top = k.known("experts"), k.whole("n_group", "num_expert_group"), k.whole("topk_group")
    if not count or not n:
        return
    if n == 1:
        w.say("groups.one")
        return
    if count % n == 0:
        w.formula(f"{count} / {n} = {count // n}")
        if top and top <= n:
            w.formula(f"{top} × {count // n} = {top * count // n}")
            w.say("groups.reach", reach=top * count // n, count=count)


def mla_kv(k: KeyScope, w: Writer) -> None:
    """Cached numbers of a token and layer, against keys and values for each head (DeepSeek-V2, 2405.04434, table 1)."""
    rank, rope, nope, value = (
        k.whole(s) for s in ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim")
    )
    heads = k.known("heads")
    if not (rank and rope and nope and value and heads):
        return
    small, full = rank + rope, heads * (nope + rope + value)
    w.formula(f"{rank} + {rope} = {small};  {heads} × ({nope} + {rope} + {value}) = {full:,}")
    w.say("mla.cache", small=small, full=full, times=full / small)


def mla_q(k: KeyScope, w: Writer) -> None:
    """Two thin matrices against one."""
    rank, d, heads = positive(k.value), k.known("hidden"), k.known("heads")
    rope, nope = k.whole("qk_rope_head_dim"), k.whole("qk_nope_head_dim")
    if not (d and heads and rope and nope):
        return
    wide = heads * (nope + rope)
    if not rank:
        w.say("mla.no-q")
        return
    w.formula(f"{d:,} × {rank:,} + {rank:,} × {wide:,} = {int(rank) * (d + wide):,}")
    w.formula(f"{d:,} × {wide:,} = {d * wide:,}")


def ssm(k: KeyScope, w: Writer) -> None:
    """Inner width, and the numbers that one layer remembers."""
    d, expand = k.known("hidden"), k.number("mamba_expand", "expand")
    heads = k.whole("mamba_n_heads", "n_mamba_heads", "mamba_num_heads")
    size = k.whole("mamba_d_head", "mamba_head_dim", "mamba_headdim")
    state = k.whole("mamba_d_state", "state_size", "ssm_state_size")
    inner: int | None = None
    if heads and size:
        inner = heads * size
        w.formula(f"{heads} × {size} = {inner:,}")
    elif d and expand:
        inner = int(d * expand)
        w.formula(f"{expand:g} × {d:,} = {inner:,}")
    if inner and state:
        w.formula(f"{inner:,} × {state} = {inner * state:,}")
        w.say("ssm.state", count=inner * state)


def dt_rank(k: KeyScope, w: Writer) -> None:
    """The hidden size over 16 (Gu & Dao 2023, 2312.00752)."""
    d = k.known("hidden")
    if d:
        w.formula(f"ceil({d:,} / 16) = {-(-d // 16)}")


def linear(k: KeyScope, w: Writer) -> None:
    """The matrix that each head remembers with."""
    heads = k.whole("linear_num_value_heads", "linear_num_heads")
    key = k.whole("linear_key_head_dim", "linear_head_dim")
    value = k.whole("linear_value_head_dim", "linear_head_dim")
    if heads and key and value:
        w.formula(f"{heads} × {key} × {value} = {heads * key * value:,}")
        w.say("ssm.state", count=heads * key * value)


def index(k: KeyScope, w: Writer) -> None:
    """The most that a token reads, against the context."""
    top, context = positive(k.value), k.known("max_pos")
    if top and context and top < context:
        w.formula(f"{top:,.0f} / {context:,} = {top / context:.4g}")

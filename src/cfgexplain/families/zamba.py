"""Zamba: Mamba layers, and every few of them one transformer block that they share.

The shared block reads the stream and the embedding side by side, so its input is twice as wide. It is stored with the
first layer that uses it and counts once (with ``tie_word_embeddings`` off the library ties nothing, this neither).
Facts from transformers 5.23, ``models/{zamba,zamba2}``. Glorioso et al. 2024 (2405.16712, 2411.15242).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key
from cfgexplain.families.expr import function
from cfgexplain.families.mamba import L, mamba2
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Slots,
    embedding,
    gated_mlp,
    linear,
    norm,
    slots,
    tensor,
    under,
    when,
)

#: More layers with the shared block than any published model has; adapters beyond are not listed.
MOST_HYBRID: Final = 24


@function
def hybrid_index(types: object, i: int) -> int:
    """How many layers before ``i`` use a shared block; -1 where layer ``i`` does not."""
    if not isinstance(types, (list, tuple)) or types[i] != "hybrid":
        return -1
    return sum(t == "hybrid" for t in types[:i])


def tied(group: Slots) -> Slots:
    """The same tensors as another layer's."""
    return tuple(s._replace(kind="tied") for s in group if s.kind == "param")


def shared(prefix: str, mlp: Slots) -> Slots:
    """The shared block: attention on twice the width, FFN on the plain one."""
    return under(
        prefix,
        linear("self_attn.q_proj", "attention", "q", "heads*head_dim", "attn_in"),
        linear("self_attn.k_proj", "attention", "k", "kv_heads*head_dim", "attn_in"),
        linear("self_attn.v_proj", "attention", "v", "kv_heads*head_dim", "attn_in"),
        linear("self_attn.o_proj", "attention", "o", "hidden", "heads*head_dim"),
        norm("input_layernorm", size="attn_in"),
        norm("pre_ff_layernorm"),
        mlp,
    )


def hybrid(block: Slots, mamba: Slots, owns: str) -> Slots:
    """One layer: Mamba alone, or behind the shared block, whose output a matrix of the layer's own brings in."""
    layer = slots(norm("input_layernorm"), mamba)
    return slots(
        when("rank < 0", layer),
        when(
            "rank >= 0",
            linear("linear", "other", "", "hidden", "hidden"),
            under("mamba_decoder.", layer),
            when(owns, block),
            when(f"not ({owns})", tied(block)),
        ),
    )


def zamba_keys(*, hidden: int, layers: int, heads: int, ffn: int | E, kv: Key, types: E, state: int,
               **more: Key) -> dict[str, Key]:
    """What both read."""
    return {
        **decoder_keys(hidden=hidden, ffn=ffn, layers=layers, heads=heads, vocab=32000, eps=1e-5, act="gelu", tie=True,
                       max_pos=4096),
        "kv_heads": kv,
        "attn_in": key("attention_hidden_size", E("2*hidden")),
        "head_dim": key(("attention_head_dim", "head_dim"), E("2*hidden // heads")),
        "types": key(("layers_block_type", "layer_types"), types, "list"),
        "state": key("mamba_d_state", state),
        "kernel": key("mamba_d_conv", 4),
        "expand": key("mamba_expand", 2),
        "inner": key((), E("expand * hidden")),
        **more,
    }


def decoder(layer: Slots) -> Slots:
    """As many layers as the list has."""
    return slots(
        embedding("embed_tokens"), under(L, layer, layers="len(types)"), norm("final_layernorm", "final-norm")
    )


#: Every layer is a Mamba layer, those with the shared block too.
STATE: Final = "inner*(kernel + state)"
STATE2: Final = "(inner + 2*groups*state)*kernel + inner*state"
KV: Final = "2*kv_heads*head_dim if rank >= 0 else 0"
KIND: Final = "'hybrid' if rank >= 0 else 'ssm'"

#: Mamba 1 with heads: each has its own dt, B and C.
MAMBA1_HEADS: Final = under(
    "mamba.",
    linear("in_proj", "mixer", "", "2*inner", "hidden", "proj_bias"),
    tensor("conv1d.weight", "mixer", "inner, 1, kernel"),
    tensor("conv1d.bias", "mixer", "inner", cond="conv_bias"),
    tensor("x_proj_weight", "mixer", "m_heads, dt + 2*state, inner // m_heads"),
    tensor("dt_proj_weight", "mixer", "m_heads, inner // m_heads, dt"),
    tensor("dt_proj_bias", "mixer", "m_heads, inner // m_heads"),
    tensor("A_log", "mixer", "m_heads, inner // m_heads, state"),
    tensor("D", "mixer", "m_heads, inner // m_heads"),
    linear("out_proj", "mixer", "", "hidden", "inner", "proj_bias"),
)

ZAMBA: Final = Family(
    id="zamba",
    source="transformers 5.23 ZambaConfig, ZambaModel (one shared block), ZambaMambaMixer",
    base="model",
    keys=zamba_keys(
        hidden=3712, layers=76, heads=16, ffn=14848, kv=key("num_key_value_heads", 16), state=16,
        types=E("zamba_types(layers, period, offset)"),
        period=key("attn_layer_period", 6, low=1), offset=key("attn_layer_offset", 4),
        m_heads=key("n_mamba_heads", 2), dt_rank=key("mamba_dt_rank", "auto", "str int"),
        conv_bias=key("mamba_conv_bias", True), proj_bias=key("mamba_proj_bias", False),
    ),
    lets={"rank": "hybrid_index(types, i)", "dt": "ceil(hidden / 16) if dt_rank == 'auto' else dt_rank"},
    body=decoder(hybrid(shared("shared_transf.", gated_mlp("feed_forward.")), MAMBA1_HEADS, "rank == 0 or not tie")),
    heads=decoder_heads(),
    kv=KV,
    state=STATE,
    layer_kind=KIND,
    unread=("hidden_mamba_act",),
)


@function
def zamba_types(layers: int, period: int, offset: int) -> list[str]:
    """The layers of Zamba where no list gives them: the third, then one in each period."""
    if not 0 <= layers <= 4096:
        raise ValueError("no such depth")
    rest = ("hybrid" if i % period == offset else "mamba" for i in range(layers - 3))
    return ["mamba", "mamba", "hybrid", *rest]


@function
def zamba2_types() -> list[str]:
    """The layers of Zamba2 where no list gives them, whatever their number."""
    pattern = "m" + "mmmmmh" * 7 + "mmmmh" + "mmmh" + "mm"
    return ["hybrid" if letter == "h" else "mamba" for letter in pattern]


@function
def has_adapter(types: object, i: int, k: int, blocks: int, tie: bool) -> bool:
    """Whether layer ``i`` stores the ``k``-th adapter: it holds a shared block, and the ``k``-th user has the same."""
    if not isinstance(types, (list, tuple)) or types[i] != "hybrid":
        return False
    rank = sum(t == "hybrid" for t in types[:i])
    return (rank < blocks or not tie) and k % blocks == rank % blocks and k < sum(t == "hybrid" for t in types)


def adapters(name: str, rows: str, cols: str, role: str) -> Slots:
    """Low-rank corrections of a shared block, one pair for each layer that uses it, numbered over all such layers."""
    out: list[Slots] = []
    for k in range(MOST_HYBRID):
        mine = f"has_adapter(types, i, {k}, blocks, tie)"
        out.append(tensor(f"{name}.{k}.0.weight", role, f"adapter_rank, {cols}", cond=mine))
        out.append(tensor(f"{name}.{k}.1.weight", role, f"{rows}, adapter_rank", cond=mine))
    # Layers that only use the block may store their copy.
    pair = slots(
        tensor(f"{name}.{{e}}.0.weight", role, f"adapter_rank, {cols}", kind="tied"),
        tensor(f"{name}.{{e}}.1.weight", role, f"{rows}, adapter_rank", kind="tied"),
    )
    return slots(*out, under("", when("rank >= blocks and tie", pair), experts="count(types, 'hybrid')"))


ZAMBA2_BLOCK: Final = shared(
    "shared_transformer.",
    slots(
        linear("feed_forward.gate_up_proj", "ffn", "gate_up", "2*ffn", "hidden", "bias"),
        linear("feed_forward.down_proj", "ffn", "down", "hidden", "ffn", "bias"),
    ),
)
ZAMBA2_ADAPTERS: Final = under(
    "shared_transformer.",
    adapters("feed_forward.gate_up_proj_adapter_list", "2*ffn", "hidden", "ffn"),
    when(
        "attn_adapters",
        adapters("self_attn.linear_q_adapter_list", "attn_in", "attn_in", "attention"),
        adapters("self_attn.linear_k_adapter_list", "attn_in", "attn_in", "attention"),
        adapters("self_attn.linear_v_adapter_list", "attn_in", "attn_in", "attention"),
    ),
)

ZAMBA2: Final = Family(
    id="zamba2",
    source="transformers 5.23 Zamba2Config, Zamba2Model.get_layers (num_mem_blocks shared blocks in turn), Zamba2MLP",
    base="model",
    keys=zamba_keys(
        hidden=2560, layers=54, heads=32, ffn=E("4*hidden"), kv=key("num_key_value_heads", E("heads")), state=64,
        types=E("zamba2_types()"), groups=key("mamba_ngroups", 1), m_heads=key("n_mamba_heads", 8),
        blocks=key("num_mem_blocks", 1, low=1), bias=key("add_bias_linear", False),
        attn_adapters=key("use_shared_attention_adapter", False), adapter_rank=key("adapter_rank", 128),
    ),
    lets={"rank": "hybrid_index(types, i)"},
    body=decoder(
        slots(
            hybrid(ZAMBA2_BLOCK, mamba2("mamba.", bias="bias", conv_bias="1"), "rank < blocks or not tie"),
            ZAMBA2_ADAPTERS,
        )
    ),
    heads=decoder_heads(),
    kv=KV,
    state=STATE2,
    layer_kind=KIND,
    unread=("use_conv_bias",),
)

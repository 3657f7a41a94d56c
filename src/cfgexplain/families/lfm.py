"""Liquid's hybrids of gated short convolutions and attention: LFM2, LFM2-MoE, LFM3.

Facts from transformers 5.23, ``models/{lfm2,lfm2_moe,lfm3}``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key, share, window_theta
from cfgexplain.families.expr import function
from cfgexplain.families.mamba import is_full  # noqa: F401 - a function of the expressions below
from cfgexplain.families.moe_blocks import L, correction, router, split_experts, stacked_experts
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Slots,
    attention,
    embedding,
    form,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

#: in_proj gives the two gates and the input of a depthwise convolution.
CONV: Final = under(
    "conv.",
    linear("in_proj", "mixer", "", "3*hidden", "hidden", "conv_bias"),
    tensor("conv.weight", "mixer", "hidden, 1, kernel"),
    tensor("conv.bias", "mixer", "hidden", cond="conv_bias"),
    linear("out_proj", "mixer", "", "hidden", "hidden", "conv_bias"),
)
#: LFM2's attention with a norm over each head's own width.
ATTENTION: Final = slots(
    attention(o="out_proj"),
    norm("self_attn.q_layernorm", "attention-norm", "head_dim", part="q_norm"),
    norm("self_attn.k_layernorm", "attention-norm", "head_dim", part="k_norm"),
)
NORMS: Final = slots(norm("operator_norm"), norm("ffn_norm"))
FFN: Final = gated_mlp("feed_forward.", gate="w1", up="w3", down="w2")


@function
def lfm2_width(given: int, adjust: bool, multiplier: float | None, multiple: int) -> int:
    """Llama's recipe, applied to a wide width when the model is built: two thirds, times a factor, rounded up."""
    if not adjust:
        return given
    width = int(2 * given / 3)
    if multiplier is not None:
        width = int(multiplier * width)
        width = multiple * ((width + multiple - 1) // multiple)
    return width


def decoder(*layer: Slots) -> Slots:
    """The norm after the last layer is called ``embedding_norm``."""
    return slots(embedding("embed_tokens"), under(L, *layer, layers="layers"), norm("embedding_norm", "final-norm"))


def lfm_keys(*, hidden: int, ffn: int, layers: int, heads: int = 32, kv_heads: int = 8, vocab: int = 65536,
             kernel: int = 3, **more: Key) -> dict[str, Key]:
    """What all three read; the activation is SiLU in the code."""
    return {
        **decoder_keys(hidden=hidden, ffn=ffn, layers=layers, heads=heads, kv_heads=kv_heads, vocab=vocab, eps=1e-5,
                       eps_key="norm_eps", max_pos=128000, theta=1000000.0),
        "act": key((), "silu"),
        "tie": key(("tie_embedding", "tie_word_embeddings"), True),
        "conv_bias": key("conv_bias", False),
        "kernel": key("conv_L_cache", kernel),
        "layer_types": key("layer_types", None, "list"),
        **more,
    }


LFM2: Final = Family(
    id="lfm2",
    source="transformers 5.23 Lfm2Config, Lfm2MLP (the config's width is adjusted), Lfm2DecoderLayer",
    base="model",
    keys=lfm_keys(
        hidden=2560, ffn=12288, layers=32, ff_given=key(("block_ff_dim", "intermediate_size"), 12288),
    ) | {
        "adjust": key("block_auto_adjust_ff_dim", True),
        "multiplier": key("block_ffn_dim_multiplier", 1.0, "int float", None)._replace(null=E("None")),
        "multiple": key("block_multiple_of", 256, low=1),
        "ffn": key((), E("lfm2_width(ff_given, adjust, multiplier, multiple)")),
        "attn_layers": key("full_attn_idxs", None, "list"),
    },
    lets={"full": "is_full(layer_types, i) if layer_types else attn_layers is None or has(attn_layers, i)"},
    body=decoder(when("full", ATTENTION), when("not full", CONV), NORMS, FFN),
    heads=decoder_heads(),
    kv="2*kv_heads*head_dim if full else 0",
    layer_kind="'full' if full else 'conv'",
    state="0 if full else hidden*kernel",
    unread=("block_norm_eps",),
)

LFM2_MOE: Final = replace(
    LFM2,
    id="lfm2_moe",
    source="transformers 5.23 Lfm2MoeConfig, Lfm2MoeSparseMoeBlock (expert_bias is a buffer)",
    keys=lfm_keys(
        hidden=2048, ffn=7168, layers=32, dense=key("num_dense_layers", 2), experts=key("num_experts", 32, low=0),
        top_k=key("num_experts_per_tok", 4), moe_ffn=key("moe_intermediate_size", 1792),
        balance=key("use_expert_bias", True),
    ),
    lets={"full": "layer_types[i] in ('full_attention', 'attention')"},
    body=decoder(
        when("full", ATTENTION),
        when("not full", CONV),
        NORMS,
        when("i < dense", FFN),
        when(
            "i >= dense",
            router("feed_forward.gate"),
            when("balance", correction("feed_forward.expert_bias")),
            form("experts/split", split_experts("feed_forward.experts.", gate="w1", up="w3", down="w2")),
            form("experts/stacked", stacked_experts("feed_forward.experts.")),
        ),
    ),
)

LFM3: Final = replace(
    LFM2,
    state="",
    id="lfm3",
    source="transformers 5.23 Lfm3Config, Lfm3DecoderLayer (norms on both sides unless use_sandwich_norm is "
    "off), Lfm3Attention",
    keys=lfm_keys(
        hidden=2048, ffn=7680, layers=24, heads=16, kv_heads=4, vocab=128000, kernel=7,
        window=key("sliding_window", 256, "int")._replace(null=E("None")), sandwich=key("use_sandwich_norm", True),
        gate=key("use_attention_gate", True), attention_bias=key("attention_bias", False),
    ) | {
        "eps": key(("norm_eps", "rms_norm_eps"), 1e-5),
        "head_dim": key("head_dim", 128), "rotary_share": share(0.5), "window_theta": window_theta(10000.0),
        "window_share": key((), 1.0),
        "tie": key("tie_word_embeddings", True),
    },
    lets={
        "layer_type": "layer_types[i] if layer_types else "
        "'full_attention' if i % 4 == 2 else 'sliding_attention' if i % 4 == 0 and i > 0 else 'conv'",
        "attends": "layer_type != 'conv'",
    },
    body=decoder(
        when(
            "attends",
            attention(bias="attention_bias"),
            norm("self_attn.q_norm", "attention-norm", "head_dim", part="q_norm"),
            norm("self_attn.k_norm", "attention-norm", "head_dim", part="k_norm"),
            when("gate", linear("self_attn.gate_proj", "attention", "", "heads", "hidden")),
        ),
        when("not attends", CONV),
        norm("operator_norm"),
        when("sandwich", norm("post_operator_norm")),
        norm("ffn_norm"),
        when("sandwich", norm("post_ffn_norm")),
        FFN,
    ),
    norm=Norm(placement=E("'sandwich' if sandwich else 'pre'")),
    kv="2*kv_heads*head_dim if attends else 0",
    layer_kind="kind(layer_type)",
    unread=(),
)

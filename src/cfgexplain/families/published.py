"""Decoders that live as remote code beside their weights: Llama's relatives without a class in the library.

Facts from each model's own ``configuration_*.py`` and ``modeling_*.py`` as published on the hub.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key
from cfgexplain.families.expr import function
from cfgexplain.families.llama import ATTN, LLAMA, MLP, PRE_NORMS, decoder
from cfgexplain.families.moe_blocks import router, w_experts
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    attention,
    embedding,
    gated_mlp,
    linear,
    lm_head,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

BAICHUAN: Final = replace(
    LLAMA,
    id="baichuan",
    source="baichuan-inc/Baichuan2-7B-Base, modeling_baichuan.py (W_pack: q, k and v in one; NormHead has one weight)",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=125696, eps=1e-6, max_pos=4096),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "max_pos": key(("max_position_embeddings", "model_max_length"), 4096),
    },
    body=decoder(
        linear("self_attn.W_pack", "attention", "qkv", "3*hidden", "hidden"),
        linear("self_attn.o_proj", "attention", "o", "hidden", "heads*head_dim"),
        gated_mlp(), PRE_NORMS,
    ),
    unread=("num_key_value_heads",),
)

XVERSE: Final = replace(
    LLAMA,
    id="xverse",
    source="xverse/XVERSE-7B, modeling_xverse.py (no biases)",
    keys=decoder_keys(hidden=5120, ffn=13824, layers=40, heads=40, vocab=100278, eps=1e-6, max_pos=8192),
    body=decoder(attention(), gated_mlp(), PRE_NORMS),
)

INTERNLM: Final = replace(
    LLAMA,
    id="internlm",
    source="internlm/internlm-7b, modeling_internlm.py (bias: q, k, v and o together, never the FFN)",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=103168, eps=1e-6, attention_bias=key("bias", True),
    ),
    body=decoder(ATTN, gated_mlp(), PRE_NORMS),
    unread=("attention_bias", "mlp_bias"),
)

INTERNLM2: Final = Family(
    id="internlm2",
    source="internlm/internlm2-7b, modeling_internlm2.py (wqkv by groups; w1 is the gate, w3 the up, w2 the down "
    "projection)",
    base="model",
    keys=decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=103168, eps=1e-6, bias=key("bias", True)),
    body=slots(
        embedding("tok_embeddings"),
        under(
            "layers.{i}.",
            linear("attention.wqkv", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden", "bias"),
            linear("attention.wo", "attention", "o", "hidden", "heads*head_dim", "bias"),
            gated_mlp("feed_forward.", gate="w1", up="w3", down="w2"),
            norm("attention_norm"), norm("ffn_norm"),
            tensor("attention.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(lm_head("output")) | {
        "ForRewardModel": tensor("v_head.weight", "other", "1, hidden"),
    },
)

MINICPM: Final = replace(
    LLAMA,
    id="minicpm",
    source="openbmb/MiniCPM-2B-sft-bf16 and MiniCPM-MoE-8x2B, modeling_minicpm.py (experts where num_experts is not 0)",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6, tie=True,
        attention_bias=key("attention_bias", False), experts=key("num_experts", 0), top_k=key("num_experts_per_tok", 2),
        moe_ffn=key((), E("ffn")),
    ),
    body=decoder(
        ATTN, when("not experts", gated_mlp()), when("experts", router(), w_experts("mlp.experts.", "ffn")), PRE_NORMS,
    ),
)

PHI3SMALL: Final = Family(
    id="phi3small",
    source="microsoft/Phi-3-small-8k-instruct, modeling_phi3_small.py (gegelu takes even rows as gate, odd ones as up)",
    base="model",
    keys={
        **decoder_keys(
            hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8, vocab=100352, eps=1e-5,
            eps_key="layer_norm_epsilon",
            act="gegelu", tie=True, max_pos=8192,
        ),
        "ffn": key("ff_intermediate_size", 14336, "int", null=E("int(multiplier*hidden)")),
        "multiplier": key("ff_dim_multiplier", None, "int float"),
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            "layers.{i}.",
            linear("self_attn.query_key_value", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden", "1"),
            linear("self_attn.dense", "attention", "o", "hidden", "heads*head_dim", "1"),
            tensor("self_attn.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            linear("mlp.up_proj", "ffn", "gate_up", "2*ffn", "hidden", "1"),
            linear("mlp.down_proj", "ffn", "down", "hidden", "ffn", "1"),
            norm("input_layernorm", bias="1"), norm("post_attention_layernorm", bias="1"),
            layers="layers",
        ),
        norm("final_layernorm", "final-norm", bias="1"),
    ),
    heads=decoder_heads(),
    norm=Norm("layernorm"),
    interleaved=True,
)

# --- widths that differ from layer to layer ---


@function
def divisible(value: float, divisor: int) -> int:
    """OpenELM's make_divisible: the nearest multiple, one more where that loses over a tenth."""
    near = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


OPENELM: Final = Family(
    id="openelm",
    source="apple/OpenELM-270M, modeling_openelm.py (heads and widths by layer; eps fixed at 1e-6; proj_1: gate first)",
    base="transformer",
    keys={
        "hidden": key("model_dim", 2048),
        "layers": key("num_transformer_layers", 12),
        "query_heads": key("num_query_heads", None, "list int"),
        "key_heads": key("num_kv_heads", None, "list int"),
        "multipliers": key("ffn_multipliers", 4.0, "list float int"),
        "divisor": key("ffn_dim_divisor", 256, low=1),
        "heads": key((), E("per_layer(query_heads, i)")),
        "kv_heads": key((), E("per_layer(key_heads, i)")),
        "head_dim": key("head_dim", 128),
        "ffn": key((), E("divisible(per_layer(multipliers, i)*hidden, divisor)")),
        "qk_norm": key("normalize_qk_projections", False),
        "gated": key("ffn_with_glu", True),
        "vocab": key("vocab_size", 32000),
        "act": key("activation_fn_name", "swish"),
        "tie": key("share_input_output_layers", False),
        "max_pos": key("max_context_length", 2048),
    },
    body=slots(
        embedding("token_embeddings"),
        under(
            "layers.{i}.",
            linear("attn.qkv_proj", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden"),
            linear("attn.out_proj", "attention", "o", "hidden", "heads*head_dim"),
            when(
                "qk_norm",
                norm("attn.q_norm", "attention-norm", "head_dim", part="q_norm"),
                norm("attn.k_norm", "attention-norm", "head_dim", part="k_norm"),
            ),
            when("gated", linear("ffn.proj_1", "ffn", "gate_up", "2*ffn", "hidden")),
            when("not gated", linear("ffn.proj_1", "ffn", "up", "ffn", "hidden")),
            linear("ffn.proj_2", "ffn", "down", "hidden", "ffn"),
            norm("attn_norm"), norm("ffn_norm"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head()},
    norm=Norm(eps=1e-6),
)

_ATTENTION: Final = "get(blocks[i], 'attention')"
_FFN: Final = "get(blocks[i], 'ffn')"

NEMOTRON_NAS: Final = replace(
    LLAMA,
    id="nemotron-nas",
    source="nvidia/Llama-3_3-Nemotron-Super-49B-v1, modeling_decilm.py (block_configs; int(2/3 * ffn_mult * "
    "hidden) up to 256)",
    keys={
        **decoder_keys(
            hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6,
            attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
            blocks=key("block_configs", None, "list"),
        ),
        "kv_heads": key((), E(f"heads // get({_ATTENTION}, 'n_heads_in_group')")),
        "ffn": key((), E(f"ceil_to(int(2*get({_FFN}, 'ffn_mult')*hidden/3), 256)")),
    },
    lets={
        "attends": f"not get({_ATTENTION}, 'no_op')",
        "straight": f"get({_ATTENTION}, 'replace_with_linear')",
        "feeds": f"not get({_FFN}, 'no_op')",
        "flat": f"get({_FFN}, 'replace_with_linear')",
    },
    body=decoder(
        when(
            "attends",
            norm("input_layernorm"),
            when("not straight", ATTN),
            when("straight", linear("self_attn.linear_attn", "attention", "", "hidden", "hidden", "attention_bias")),
        ),
        when(
            "feeds",
            norm("post_attention_layernorm"),
            when("not flat", MLP),
            when("flat", linear("mlp.linear_mlp", "ffn", "", "hidden", "hidden", "mlp_bias")),
        ),
    ),
    gated=True,
    kv="2*kv_heads*head_dim if attends and not straight else 0",
    layer_kind="'full' if attends and not straight else 'none'",
    unread=("intermediate_size", "num_key_value_heads"),
)

MOBILELLM: Final = replace(
    LLAMA,
    id="mobilellm",
    source="facebook/MobileLLM-125M, modeling_mobilellm.py (share_embedding leaves out the head)",
    keys={**LLAMA.keys, "tie": key("share_embedding", False)},
    unread=("tie_word_embeddings",),
)

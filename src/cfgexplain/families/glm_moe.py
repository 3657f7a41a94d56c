"""GLM-4.5 and relatives: DeepSeek's block of experts behind grouped-query attention.

Facts from transformers 5.24, ``models/<family>``, unless a line says otherwise. GLM-4.5: 2508.06471.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key, rope_theta, share
from cfgexplain.families.deepseek import DEEPSEEK_V3
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe_blocks import (
    HEAD_NORMS,
    MOE,
    MTP,
    PRE_NORMS,
    SPARSE_FROM,
    correction,
    decoder_keys,
    first_dense,
    mixed,
    moe_keys,
    mtp_layers,
    router,
    split_or_stacked,
)
from cfgexplain.families.schema import (
    E,
    Norm,
    attention,
    embedding,
    linear,
    norm,
    replace,
    slots,
    under,
    when,
)

GLM4_MOE: Final = replace(
    DEEPSEEK_V3,
    id="glm4_moe",
    source="transformers 5.24 Glm4MoeConfig, Glm4MoeAttention (q, k and v biased by attention_bias, o never)",
    keys={
        **decoder_keys(hidden=4096, ffn=10944, layers=46, heads=96, kv_heads=8, vocab=151552, eps=1e-5, max_pos=131072,
                       attention_bias=key("attention_bias", False), qk_norm=key("use_qk_norm", False)),
        **moe_keys(experts=128, top_k=8, moe_ffn=1408, shared=1), **first_dense(1), "mtp": MTP,
        "rotary_share": share(0.5),
    },
    body=slots(
        decoder(
            attention(bias="attention_bias", o_bias=""), when("qk_norm", HEAD_NORMS), mixed(SPARSE_FROM), PRE_NORMS
        ),
        mtp_layers(attention(bias="attention_bias", o_bias=""), when("qk_norm", HEAD_NORMS), MOE, PRE_NORMS),
    ),
    norm=Norm(),
    kv="2*kv_heads*head_dim",
)

SARVAM_MOE: Final = replace(
    GLM4_MOE,
    id="sarvam_moe",
    source="transformers 5.24 SarvamMoEConfig (Glm4MoeForCausalLM; q, k and v in one matrix on disk)",
    keys={
        **decoder_keys(hidden=4096, ffn=8192, layers=19, heads=64, kv_heads=4, head_dim=64, vocab=262144, eps=1e-6,
                       max_pos=131072,
                       attention_bias=key(("attention_bias", "use_qkv_bias"), False), qk_norm=key("use_qk_norm", True)),
        **moe_keys(experts=128, top_k=6, moe_ffn=1024, shared=1), **first_dense(1),
        "theta": rope_theta(8000000.0),
    },
    body=slots(
        embedding("word_embeddings"),
        under(
            "layers.{i}.",
            linear(
                "attention.query_key_value", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden",
                "attention_bias"
            ),
            linear("attention.dense", "attention", "o", "hidden", "heads*head_dim"),
            when(
                "qk_norm",
                norm("attention.query_layernorm", "attention-norm", "head_dim", part="q_norm"),
                norm("attention.key_layernorm", "attention-norm", "head_dim", part="k_norm"),
            ),
            mixed(SPARSE_FROM, slots(router(), correction("mlp.gate.expert_bias"), split_or_stacked(), MOE[-3:])),
            PRE_NORMS,
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
)

SOLAR_OPEN: Final = replace(
    GLM4_MOE,
    id="solar_open",
    source="transformers 5.24 SolarOpenConfig, SolarOpenDecoderLayer (experts in every layer)",
    keys={
        **decoder_keys(hidden=4096, ffn=10240, layers=48, heads=64, kv_heads=8, head_dim=128, vocab=196608, eps=1e-5,
                       max_pos=131072, attention_bias=key("attention_bias", False)),
        **moe_keys(experts=128, top_k=8, moe_ffn=1280, shared=1),
        "theta": rope_theta(1000000.0),
    },
    body=decoder(attention(bias="attention_bias", o_bias=""), MOE, PRE_NORMS),
    unread=("intermediate_size", "first_k_dense_replace", "use_qk_norm"),
)

DOTS1: Final = replace(
    GLM4_MOE,
    id="dots1",
    source="transformers 5.24 Dots1Config, Dots1Attention",
    keys={
        **decoder_keys(hidden=4608, ffn=10944, layers=62, heads=32, vocab=152064, eps=1e-6,
                       attention_bias=key("attention_bias", False), window=key("sliding_window", 4096, "int"),
                       max_window_layers=key("max_window_layers", 62), layer_types=key("layer_types", None, "list")),
        **moe_keys(experts=None, top_k=None, moe_ffn=1408, shared=None),
        "kv_heads": key("num_key_value_heads", 32)._replace(null=E("heads")), **first_dense(0),
    },
    body=decoder(attention(bias="attention_bias"), HEAD_NORMS, mixed(SPARSE_FROM), PRE_NORMS),
    layer_kind="kind(layer_types[i]) if layer_types else 'sliding' if window is not None and i >= max_window_layers"
    " else 'full'",
)

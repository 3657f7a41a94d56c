"""Mixtral, Qwen's mixtures and the decoders that put experts where Llama has its feed-forward block.

Facts from transformers 5.24, ``models/<family>``, unless a line says otherwise. Mixtral: 2401.04088. In families whose
config has one width only, ``intermediate_size`` is that of each expert.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key, rope_theta, window_theta
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe_blocks import (
    HEAD_NORMS,
    NONE,
    PRE_NORMS,
    SINKS,
    WIDE_NORMS,
    correction,
    decoder_keys,
    mixed,
    mlp_types,
    moe_keys,
    router,
    split_or_stacked,
    stacked_experts,
    transposed_experts,
    w_experts,
)
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    attention,
    form,
    gated_mlp,
    lm_head,
    norm,
    replace,
    slots,
    tensor,
    when,
)

LAYER_TYPES: Final = key("layer_types", None, "list")
WINDOW: Final = "'sliding' if window else 'full'"
ATTN: Final = attention(bias="attention_bias")
LOCAL: Final = ("num_local_experts", "num_experts")
BIAS: Final = key("attention_bias", False)

MIXTRAL_MOE: Final = slots(
    form("experts/split", router("block_sparse_moe.gate"), w_experts()),
    form("experts/stacked", router(), stacked_experts()),
)
MIXTRAL: Final = Family(
    id="mixtral",
    source="transformers 5.24 MixtralConfig, MixtralSparseMoeBlock; w1, w2, w3 on disk, stacked in memory",
    base="model",
    keys={
        **decoder_keys(hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8, vocab=32000, eps=1e-5, max_pos=131072,
                       theta=1e6, window=key("sliding_window", None, "int")),
        **moe_keys(experts=8, top_k=2, moe_ffn=14336, names=LOCAL, moe_ffn_names="intermediate_size"),
    },
    body=decoder(attention(), MIXTRAL_MOE, PRE_NORMS),
    heads=decoder_heads(),
    layer_kind=WINDOW,
)

MINIMAX_M2: Final = replace(
    MIXTRAL,
    id="minimax_m2",
    source="transformers 5.24 MiniMaxM2Config, MiniMaxM2Attention (q/k norms over all heads)",
    keys={
        **decoder_keys(hidden=3072, ffn=1536, layers=62, heads=48, kv_heads=8, head_dim=128, vocab=200064, eps=1e-6,
                       max_pos=196608, theta=5e6),
        **moe_keys(experts=256, top_k=8, moe_ffn=1536, names=LOCAL, moe_ffn_names="intermediate_size"),
        "rotary_dim": key("rotary_dim", None, "int"),
    },
    body=decoder(
        attention(), WIDE_NORMS, MIXTRAL_MOE,
        form("experts/split", correction("block_sparse_moe.e_score_correction_bias")),
        form("experts/stacked", correction("mlp.e_score_correction_bias")), PRE_NORMS,
    ),
    layer_kind="'full'",
    unread=("use_qk_norm",),
)

PHIMOE: Final = replace(
    MIXTRAL,
    id="phimoe",
    source="transformers 5.24 PhimoeConfig, PhimoeDecoderLayer (LayerNorm with bias), PhimoeSparseMoeBlock",
    keys={
        **decoder_keys(hidden=4096, ffn=6400, layers=32, heads=32, kv_heads=8, vocab=32064, eps=1e-5, max_pos=131072,
                       theta=1e6,
                       window=key("sliding_window", None, "int"), attention_bias=BIAS,
                       head_bias=key("lm_head_bias", False)),
        **moe_keys(experts=16, top_k=2, moe_ffn=6400, names=LOCAL, moe_ffn_names="intermediate_size"),
    },
    body=decoder(
        ATTN,
        form("experts/split", router("block_sparse_moe.gate"), w_experts()),
        form("experts/stacked", router("mlp.router"), stacked_experts()),
        norm("input_layernorm", bias="1"), norm("post_attention_layernorm", bias="1"),
        final=norm("norm", "final-norm", bias="1"),
    ),
    heads=decoder_heads(lm_head(bias="head_bias")),
    norm=Norm("layernorm"),
)

# --- Qwen and those with its names ---

#: Experts every so many layers, except in those listed.
QWEN_SPARSE: Final = "experts > 0 and (i + 1) % step == 0 and not has(mlp_only, i)"
STEP: Final = {"step": key("decoder_sparse_step", 1, low=1), "mlp_only": key("mlp_only_layers", None, "list")}

QWEN2_MOE: Final = replace(
    MIXTRAL,
    id="qwen2_moe",
    source="transformers 5.24 Qwen2MoeConfig, Qwen2MoeSparseMoeBlock (a gate on the shared expert's output)",
    keys={
        **decoder_keys(hidden=2048, ffn=5632, layers=24, heads=16, kv_heads=16, vocab=151936, eps=1e-6, max_pos=32768,
                       window=key("sliding_window", 4096, "int")._replace(null=NONE),
                       use_window=key("use_sliding_window", False),
                       max_window_layers=key("max_window_layers", 28), qkv_bias=key("qkv_bias", True),
                       layer_types=LAYER_TYPES),
        **moe_keys(experts=60, top_k=4, moe_ffn=1408, names=("num_experts", "num_local_experts")), **STEP,
        "shared_ffn": key("shared_expert_intermediate_size", 5632),
    },
    lets={"sparse": QWEN_SPARSE},
    body=decoder(
        attention(bias="qkv_bias", o_bias=""),
        mixed(
            "sparse",
            slots(
                router(), split_or_stacked(), gated_mlp("mlp.shared_expert.", "shared_ffn", "shared-experts"),
                tensor("mlp.shared_expert_gate.weight", "router", "1, hidden", "shared_gate"),
            ),
        ),
        PRE_NORMS,
    ),
    layer_kind=(
        "kind(layer_types[i]) if layer_types else"
        " 'sliding' if use_window and window and (i + 1) % 2 and i < max_window_layers else 'full'"
    ),
)

QWEN3_MOE: Final = replace(
    QWEN2_MOE,
    id="qwen3_moe",
    source="transformers 5.24 Qwen3MoeConfig, Qwen3MoeSparseMoeBlock (no shared expert)",
    keys={
        **decoder_keys(hidden=2048, ffn=6144, layers=24, heads=32, kv_heads=4, vocab=151936, eps=1e-6, max_pos=32768,
                       window=key("sliding_window", 4096, "int")._replace(null=NONE),
                       use_window=key("use_sliding_window", False),
                       attention_bias=BIAS),
        **moe_keys(experts=128, top_k=8, moe_ffn=768, names=LOCAL), **STEP,
    },
    body=decoder(ATTN, HEAD_NORMS, mixed("sparse", slots(router(), split_or_stacked())), PRE_NORMS),
    layer_kind="'sliding' if use_window and window else 'full'",
)

MELLUM: Final = replace(
    QWEN3_MOE,
    id="mellum",
    source="transformers 5.24 MellumConfig, MellumDecoderLayer (mlp_layer_types)",
    keys={
        **decoder_keys(hidden=2304, ffn=7168, layers=28, heads=32, kv_heads=4, head_dim=128, vocab=98304, eps=1e-6,
                       max_pos=131072, window=key("sliding_window", 1024, "int")._replace(null=NONE),
                       attention_bias=BIAS,
                       layer_types=LAYER_TYPES),
        **moe_keys(experts=64, top_k=8, moe_ffn=896, names=LOCAL), **mlp_types(),
        "theta": rope_theta(500000.0), "window_theta": window_theta(10000.0),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else True"},
    layer_kind="kind(layer_types[i]) if layer_types else 'full'",
    open=(("mtp.", "mtp"),),
)

OLMOE: Final = replace(
    MIXTRAL,
    id="olmoe",
    source="transformers 5.24 OlmoeConfig, OlmoeAttention (q/k norms over all heads)",
    keys={
        **decoder_keys(
            hidden=2048, ffn=2048, layers=16, heads=16, vocab=50304, eps=1e-5, max_pos=4096, attention_bias=BIAS
        ),
        **moe_keys(
            experts=64, top_k=8, moe_ffn=2048, names=("num_experts", "num_local_experts"),
            moe_ffn_names="intermediate_size"
        ),
    },
    body=decoder(ATTN, WIDE_NORMS, router(), split_or_stacked(), PRE_NORMS),
    layer_kind="'full'",
)

FLEX_OLMO: Final = replace(
    OLMOE,
    id="flex_olmo",
    source="transformers 5.24 FlexOlmoConfig, FlexOlmoDecoderLayer (norms on the outputs)",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=100352, eps=1e-6, max_pos=4096, theta=5e5,
                       attention_bias=BIAS),
        **moe_keys(
            experts=7, top_k=5, moe_ffn=11008, names=("num_experts", "num_local_experts"),
            moe_ffn_names="intermediate_size"
        ),
    },
    body=decoder(
        ATTN, WIDE_NORMS, router(), split_or_stacked(), norm("post_attention_layernorm"),
        norm("post_feedforward_layernorm")
    ),
    norm=Norm(placement="output"),
)

# --- experts in stacked tensors ---

GPT_OSS: Final = replace(
    MIXTRAL,
    id="gpt_oss",
    source="transformers 5.24 GptOssConfig, GptOssExperts (biased, gate and up interleaved, [in, out]),"
    " GptOssAttention (sinks)",
    keys={
        **decoder_keys(hidden=2880, ffn=2880, layers=36, heads=64, kv_heads=8, head_dim=64, vocab=201088, eps=1e-5,
                       max_pos=131072, theta=150000.0, window=key("sliding_window", 128, "int")._replace(null=NONE),
                       attention_bias=key("attention_bias", True), layer_types=LAYER_TYPES),
        **moe_keys(experts=128, top_k=4, moe_ffn=2880, names=LOCAL, moe_ffn_names="intermediate_size"),
    },
    body=decoder(
        ATTN, SINKS, tensor("mlp.router.weight", "router", "experts, hidden", "router"),
        tensor("mlp.router.bias", "router", "experts", "router"), transposed_experts(),
        tensor("mlp.experts.gate_up_proj_bias", "experts", "experts, 2*moe_ffn", "gate_up"),
        tensor("mlp.experts.down_proj_bias", "experts", "experts, hidden", "down"), PRE_NORMS,
    ),
    layer_kind="kind(layer_types[i]) if layer_types else ('full' if i % 2 else 'sliding')",
    interleaved=True,
)

GRANITE_SHARED: Final = when(
    "shared_ffn",
    tensor("shared_mlp.input_linear.weight", "shared-experts", "2*shared_ffn, hidden", "gate_up"),
    tensor("shared_mlp.output_linear.weight", "shared-experts", "hidden, shared_ffn", "down"),
)
GRANITE_OLD: Final = slots(
    router("block_sparse_moe.router.layer"),
    stacked_experts("block_sparse_moe.", gate_up="input_linear.weight", down="output_linear.weight"),
)
GRANITE_NEW: Final = slots(router("block_sparse_moe.router"), stacked_experts("block_sparse_moe.experts."))
GRANITEMOE: Final = replace(
    MIXTRAL,
    id="granitemoe",
    source="transformers 5.24 GraniteMoeConfig, GraniteMoeMoE (input_linear: gate, then up)",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6, attention_bias=BIAS),
        **moe_keys(experts=8, top_k=2, moe_ffn=11008, names=LOCAL, moe_ffn_names="intermediate_size"),
    },
    body=decoder(ATTN, form("experts/old", GRANITE_OLD), form("experts/new", GRANITE_NEW), PRE_NORMS),
    layer_kind="'full'",
)
GRANITEMOESHARED: Final = replace(
    GRANITEMOE,
    id="granitemoeshared",
    source="transformers 5.24 GraniteMoeSharedConfig, GraniteMoeSharedMLP",
    keys={**GRANITEMOE.keys, "shared_ffn": key("shared_intermediate_size", 0)},
    body=decoder(ATTN, form("experts/old", GRANITE_OLD), form("experts/new", GRANITE_NEW), GRANITE_SHARED, PRE_NORMS),
)
GRANITEMOE_SWA: Final = replace(
    GRANITEMOESHARED,
    id="granitemoe_swa",
    source="transformers 5.24 GraniteMoeSWAConfig, GraniteMoeSWAAttention (sinks)",
    keys={
        **GRANITEMOESHARED.keys, "window": key("sliding_window", 128, "int")._replace(null=NONE),
        "layer_types": LAYER_TYPES
    },
    body=decoder(
        ATTN, SINKS, form("experts/new", GRANITE_NEW), form("experts/old", GRANITE_OLD), GRANITE_SHARED, PRE_NORMS
    ),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if i % 4 else 'full')",
)

ARIA_TEXT: Final = replace(
    MIXTRAL,
    id="aria_text",
    source="transformers 5.24 AriaTextConfig, AriaGroupedExpertsMLP (fc1: gate, then up; [in, out])",
    keys={
        **decoder_keys(hidden=4096, ffn=4096, layers=32, heads=32, vocab=32000, eps=1e-6, attention_bias=BIAS,
                       mlp_bias=key("mlp_bias", False)),
        **moe_keys(experts=8, top_k=2, moe_ffn=4096, shared=2, names="moe_num_experts", top_k_names="moe_topk",
                   shared_names="moe_num_shared_experts", moe_ffn_names="intermediate_size"),
    },
    body=decoder(
        ATTN, router("mlp.router"),
        form("experts/old", transposed_experts(gate_up="fc1.weight", down="fc2.weight")),
        form("experts/new", transposed_experts()),
        gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts", "mlp_bias"), PRE_NORMS,
    ),
    layer_kind="'full'",
)

JETMOE: Final = replace(
    MIXTRAL,
    id="jetmoe",
    source="transformers 5.24 JetMoeConfig, JetMoeMoA (experts of queries and outputs), JetMoeMoE;"
    " JetMoeDecoderLayer leaves ε at 1e-06, rms_norm_eps is the final norm's",
    keys={
        **decoder_keys(
            hidden=2048, ffn=5632, layers=12, heads=32, kv_heads=16, vocab=32000, eps=1e-6, tie=True, max_pos=4096
        ),
        **moe_keys(experts=8, top_k=2, moe_ffn=5632, names=LOCAL, moe_ffn_names="intermediate_size"),
        "heads": key((), E("kv_heads*top_k")), "head_dim": key(("kv_channels", "head_dim"), 128),
        "act": key("activation_function", "silu"),
    },
    body=decoder(
        router("mlp.router.layer"), stacked_experts("mlp.", gate_up="input_linear.weight", down="output_linear.weight"),
        tensor("mlp.bias", "experts", "hidden"),
        tensor("self_attention.kv_proj.weight", "attention", "2*kv_heads*head_dim, hidden", "kv"),
        tensor("self_attention.experts.input_linear.weight", "attention", "experts, kv_heads*head_dim, hidden", "q"),
        tensor("self_attention.experts.output_linear.weight", "attention", "experts, hidden, kv_heads*head_dim", "o"),
        tensor("self_attention.experts.bias", "attention", "hidden", "o"),
        tensor("self_attention.experts.router.layer.weight", "attention", "experts, hidden", "router"),
        PRE_NORMS,
    ),
    norm=Norm(eps=1e-6),
    layer_kind="'full'",
    unread=("num_attention_heads",),
)

"""Hunyuan, Laguna and MiMo: mixtures of experts whose layers differ in heads, sinks or prediction layers.

Facts from transformers 5.24, ``models/<family>``, unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key, rope_theta, share, window_theta
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe import BIAS, LAYER_TYPES, MIXTRAL
from cfgexplain.families.moe_blocks import (
    HEAD_NORMS,
    MTP,
    PRE_NORMS,
    correction,
    decoder_keys,
    mixed,
    mlp_types,
    moe_keys,
    mtp_layers,
    router,
    split_or_stacked,
    stacked_experts,
)
from cfgexplain.families.moe_more import ATTN, LISTED_KIND, NUM, shared
from cfgexplain.families.schema import (
    E,
    attention,
    form,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    tensor,
    when,
)

HUNYUAN_V1_MOE: Final = replace(
    MIXTRAL,
    id="hunyuan_v1_moe",
    source="transformers 5.24 HunYuanMoEV1Config, HunYuanMoEV1Moe (shared block as wide as an expert)",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=290943, eps=1e-5, attention_bias=BIAS),
        **moe_keys(
            experts=1, top_k=1, moe_ffn=11008, names=NUM, top_k_names=("moe_topk", "num_experts_per_tok"),
            moe_ffn_names="intermediate_size"
        ),
        "experts": key(NUM, 1, "int list"), "top_k": key(("moe_topk", "num_experts_per_tok"), 1, "int list"),
        "shared_ffn": key((), E("moe_ffn")),
    },
    body=decoder(
        ATTN,
        norm("self_attn.query_layernorm", "attention-norm", "head_dim", part="q_norm"),
        norm("self_attn.key_layernorm", "attention-norm", "head_dim", part="k_norm"),
        router("mlp.gate.wg", "per_layer(experts, i)"),
        form("experts/split", tuple(s._replace(experts="per_layer(experts, i)") for s in split_or_stacked()[:3])),
        form("experts/stacked", stacked_experts(experts="per_layer(experts, i)")),
        shared("mlp.shared_mlp."), PRE_NORMS,
    ),
    layer_kind="'full'",
    active="per_layer(top_k, max(i, 0))",
    unread=("moe_intermediate_size", "num_shared_expert"),
)

HY_V3: Final = replace(
    MIXTRAL,
    id="hy_v3",
    source="transformers 5.24 HYV3Config, HYV3Attention, HYV3MoE; names as published",
    keys={
        **decoder_keys(hidden=4096, ffn=13312, layers=80, heads=64, kv_heads=8, head_dim=128, vocab=120832, eps=1e-5,
                       max_pos=131072, theta=11158840.0, attention_bias=BIAS, mlp_bias=key("mlp_bias", False)),
        **moe_keys(experts=192, top_k=8, moe_ffn=1536, shared=1, names=NUM, shared_names="num_shared_experts"),
        **mlp_types(),
        "mtp": MTP,
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 1"},
    body=slots(
        decoder(
            ATTN, HEAD_NORMS,
            mixed(
                "sparse",
                slots(
                    router("mlp.router.gate"), correction("mlp.expert_bias"), split_or_stacked(),
                    shared("mlp.shared_mlp.", "mlp_bias")
                ),
                gated_mlp(bias="mlp_bias"),
            ),
            PRE_NORMS,
        ),
        mtp_layers(
            ATTN, HEAD_NORMS, router("mlp.router.gate"), correction("mlp.expert_bias"), split_or_stacked(),
            shared("mlp.shared_mlp."), PRE_NORMS, norm("final_layernorm"),
        ),
    ),
    layer_kind="'full'",
)

LAGUNA: Final = replace(
    MIXTRAL,
    id="laguna",
    source="transformers 5.24 LagunaConfig, LagunaAttention (heads per layer, output gate), LagunaTopKRouter (bias is"
    " a parameter)",
    keys={
        **decoder_keys(hidden=2048, ffn=8192, layers=40, heads=48, kv_heads=8, head_dim=128, vocab=100352, eps=1e-6,
                       max_pos=131072, window=key("sliding_window", 512), attention_bias=BIAS, layer_types=LAYER_TYPES,
                       heads_list=key("num_attention_heads_per_layer", None, "list"),
                       gating=key("gating", True, "bool str")),
        **moe_keys(experts=256, top_k=8, moe_ffn=512, names=NUM), **mlp_types(),
        "shared_ffn": key("shared_expert_intermediate_size", 512),
        "theta": rope_theta(500000.0), "rotary_share": share(0.5), "window_theta": window_theta(10000.0),
        "window_share": key((), 1.0),
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 1",
        "my_heads": "heads_list[i] if heads_list else heads",
    },
    body=decoder(
        attention(bias="attention_bias", heads="my_heads"), HEAD_NORMS,
        linear(
            "self_attn.g_proj", "attention", "gate",
            "my_heads if gating == 'per-head' or gating == True else my_heads*head_dim", "hidden"
        ),
        mixed(
            "sparse",
            slots(
                router(), tensor("mlp.experts.e_score_correction_bias", "router", "experts", "router"),
                split_or_stacked(),
                shared("mlp.shared_expert."),
            ),
        ),
        PRE_NORMS,
    ),
    layer_kind=LISTED_KIND + "'full'",
)

#: Window layers have twice the key and value heads, and a sink per head.
MIMO_SLIDING: Final = (
    "layer_types[i] == 'sliding_attention' if layer_types else pattern[i] == 1 if pattern else i > 0 and (i + 1) % 6"
    " != 0"
)

MIMO_V2_FLASH: Final = replace(
    MIXTRAL,
    id="mimo_v2_flash",
    source="transformers 5.24 MiMoV2FlashConfig, MiMoV2FlashAttention (values narrower than keys);"
    " hybrid_layer_pattern as published",
    keys={
        **decoder_keys(hidden=4096, ffn=16384, layers=48, heads=64, kv_heads=4, head_dim=192, vocab=152576, eps=1e-5,
                       eps_key=("rms_norm_eps", "layernorm_epsilon"), max_pos=131072, window=key("sliding_window", 129),
                       attention_bias=BIAS, layer_types=LAYER_TYPES, pattern=key("hybrid_layer_pattern", None, "list"),
                       v_head_dim=key("v_head_dim", 128)),
        **moe_keys(experts=256, top_k=8, moe_ffn=2048), **mlp_types(), "freq": key("moe_layer_freq", None, "list int"),
        "theta": rope_theta(5000000.0), "rotary_share": share(0.334),
        "window_theta": window_theta(10000.0, "swa_rope_theta"),
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else bool(freq[i]) if has(str(freq), '[') else i >= 1",
        "sliding": MIMO_SLIDING, "my_kv": "2*kv_heads if sliding else kv_heads",
    },
    body=decoder(
        linear("self_attn.q_proj", "attention", "q", "heads*head_dim", "hidden", "attention_bias"),
        linear("self_attn.k_proj", "attention", "k", "my_kv*head_dim", "hidden", "attention_bias"),
        linear("self_attn.v_proj", "attention", "v", "my_kv*v_head_dim", "hidden", "attention_bias"),
        linear("self_attn.o_proj", "attention", "o", "hidden", "heads*v_head_dim"),
        when("sliding", tensor("self_attn.attention_sink_bias", "attention", "heads", "sinks")),
        mixed("sparse", slots(router(), correction(), split_or_stacked())), PRE_NORMS,
    ),
    kv="my_kv*(head_dim + v_head_dim)",
    layer_kind="'sliding' if sliding else 'full'",
    open=(("model.mtp.", "mtp"),),
)

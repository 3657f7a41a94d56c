"""DeepSeek and the decoders that kept its layout: latent attention, many small experts beside shared ones.

Facts from transformers 5.24, ``models/<family>``, unless a line says otherwise. Papers: DeepSeekMoE (2401.06066),
DeepSeek-V2 (2405.04434), DeepSeek-V3 (2412.19437). The norms of the latents have ε = 1e-06 in the code, whatever the
config says; ``rms_norm_eps`` is that of the block norms.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe_blocks import (
    DENSE,
    INDEXER,
    MLA,
    MLA_KV,
    MOE,
    MTP,
    PRE_NORMS,
    SPARSE_FROM,
    SPARSE_LISTED,
    decoder_keys,
    first_dense,
    index_keys,
    mixed,
    mla_keys,
    mlp_types,
    moe_keys,
    mtp_layers,
    router,
    split_experts,
    split_or_stacked,
    stacked_experts,
)
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    attention,
    form,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    under,
    when,
)

V3_KEYS: Final = {
    **decoder_keys(hidden=7168, ffn=18432, layers=61, heads=128, vocab=129280, eps=1e-6, max_pos=4096),
    **moe_keys(experts=256, top_k=8, moe_ffn=2048, shared=1),
    **mla_keys(q_lora=1536, kv_lora=512, nope=128, rope=64, v=128),
    **first_dense(3),
    "mtp": MTP,
}

DEEPSEEK_V3: Final = Family(
    id="deepseek_v3",
    source="transformers 5.24 DeepseekV3Config, DeepseekV3Attention, DeepseekV3MoE; MTP layers as published"
    " (2412.19437, 2.2)",
    base="model",
    keys=V3_KEYS,
    body=slots(decoder(MLA, mixed(SPARSE_FROM), PRE_NORMS), mtp_layers(MLA, MOE, PRE_NORMS)),
    heads=decoder_heads(),
    norm=Norm(qk=True),
    kv=MLA_KV,
)

#: The first DeepSeekMoE: multi-head attention, no balancing bias, dense layers by ``moe_layer_freq``.
DEEPSEEK: Final = replace(
    DEEPSEEK_V3,
    id="deepseek",
    source="deepseek-ai/deepseek-moe-16b-base, modeling_deepseek.py (remote code): DeepseekConfig, DeepseekMoE",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=30, heads=32, vocab=102400, eps=1e-6,
                       attention_bias=key("attention_bias", False)),
        **moe_keys(experts=None, top_k=None, moe_ffn=1407, shared=None),
        **first_dense(0),
        "freq": key("moe_layer_freq", 1, low=1),
    },
    body=decoder(
        attention(bias="attention_bias"),
        mixed("experts and i >= first_dense and i % freq == 0", slots(router(), split_or_stacked(), MOE[-3:])),
        PRE_NORMS,
    ),
    norm=Norm(),
    kv="2*kv_heads*head_dim",
)

V2_MLP: Final = gated_mlp(bias="mlp_bias")
DEEPSEEK_V2: Final = replace(
    DEEPSEEK_V3,
    id="deepseek_v2",
    source="transformers 5.24 DeepseekV2Config, DeepseekV2Moe (no balancing bias)",
    keys={
        **decoder_keys(
            hidden=4096, ffn=11008, layers=32, heads=32, vocab=102400, eps=1e-6, mlp_bias=key("mlp_bias", False)
        ),
        **moe_keys(experts=64, top_k=None, moe_ffn=1407, shared=2),
        **mla_keys(q_lora=1536, kv_lora=512, nope=128, rope=64, v=128),
        **first_dense(0),
    },
    body=decoder(
        MLA,
        mixed(
            SPARSE_FROM,
            slots(
                router(), split_or_stacked(),
                when("shared_ffn", gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts", "mlp_bias"))
            ),
            V2_MLP,
        ),
        PRE_NORMS,
    ),
)

DEEPSEEK_V32: Final = replace(
    DEEPSEEK_V3,
    id="deepseek_v32",
    source="transformers 5.24 DeepseekV32Config, DeepseekV32Indexer (DeepSeek sparse attention)",
    keys={
        **decoder_keys(hidden=7168, ffn=18432, layers=61, heads=128, vocab=129280, eps=1e-6, max_pos=163840),
        **moe_keys(experts=256, top_k=8, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=1536, kv_lora=512, nope=128, rope=64, v=128),
        **index_keys(64, 128, 2048), **mlp_types(3), "mtp": MTP,
    },
    lets={"sparse": SPARSE_LISTED},
    body=slots(decoder(MLA, INDEXER, mixed("sparse"), PRE_NORMS), mtp_layers(MLA, INDEXER, MOE, PRE_NORMS)),
    kv="kv_lora_rank + qk_rope_head_dim + index_head_dim",
)

#: Where a layer computes which tokens to attend to; "shared" layers reuse the last one's answer.
FULL_INDEXER: Final = (
    "indexer_types[i] == 'full' if indexer_types else index_pattern[i] in ('F', 'full') if index_pattern"
    " else max(i - index_offset + 1, 0) % max(index_freq, 1) == 0"
)
GLM_MOE_DSA: Final = replace(
    DEEPSEEK_V32,
    id="glm_moe_dsa",
    source="transformers 5.24 GlmMoeDsaConfig, GlmMoeDsaAttention (an indexer where indexer_types says full)",
    keys={
        **decoder_keys(hidden=6144, ffn=12288, layers=78, heads=64, vocab=154880, eps=1e-5, max_pos=202752),
        **moe_keys(experts=256, top_k=8, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=2048, kv_lora=512, nope=192, rope=64, v=256),
        **index_keys(32, 128, 2048), **mlp_types(3), "mtp": MTP,
        "indexer_types": key("indexer_types", None, "list"),
        "index_pattern": key("index_topk_pattern", None, "str list"),
        "index_freq": key("index_topk_freq", 1), "index_offset": key("index_skip_topk_offset", 2),
    },
    lets={"sparse": SPARSE_LISTED, "indexed": FULL_INDEXER},
    body=slots(
        decoder(MLA, when("indexed", INDEXER), mixed("sparse"), PRE_NORMS), mtp_layers(MLA, INDEXER, MOE, PRE_NORMS)
    ),
    kv="kv_lora_rank + qk_rope_head_dim + (index_head_dim if indexed else 0)",
    unread=("head_dim",),
)

GLM4_MOE_LITE: Final = replace(
    DEEPSEEK_V3,
    id="glm4_moe_lite",
    source="transformers 5.24 Glm4MoeLiteConfig, Glm4MoeLiteAttention",
    keys={
        **decoder_keys(hidden=2048, ffn=10240, layers=47, heads=20, vocab=154880, eps=1e-5, max_pos=202752),
        **moe_keys(experts=64, top_k=4, moe_ffn=1536, shared=1),
        **mla_keys(q_lora=768, kv_lora=512, nope=192, rope=64, v=256), **mlp_types(), "mtp": MTP,
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 1"},
    body=slots(decoder(MLA, mixed("sparse"), PRE_NORMS), mtp_layers(MLA, MOE, PRE_NORMS)),
)

#: Where ``mlp_layer_types`` is absent: dense at first, then experts every ``moe_layer_freq`` layers.
SPARSE_FREQ: Final = "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense and i % freq == 0"
AXK1: Final = replace(
    DEEPSEEK_V3,
    id="axk1",
    source="transformers 5.24 AXK1Config, AXK1MoE (a norm on the output of the experts, stored beside the block)",
    keys={
        **decoder_keys(hidden=7168, ffn=18432, layers=61, heads=64, vocab=163840, eps=1e-6, max_pos=32768),
        **moe_keys(experts=192, top_k=8, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=1536, kv_lora=512, nope=128, rope=64, v=128), **mlp_types(1),
        "freq": key("moe_layer_freq", 1, low=1),
    },
    lets={"sparse": SPARSE_FREQ},
    body=decoder(MLA, mixed("sparse"), PRE_NORMS, when("sparse", norm("post_mlp_layernorm"))),
    norm=Norm(
        placement=E("'mixed' if (has(mlp_types, 'sparse') if mlp_types else layers > first_dense) else 'pre'"), qk=True
    ),
)

#: A norm whose output is gated by a low-rank block of its own.
GATED_NORM: Final = slots(
    linear("W_down", "other-norm", "", "norm_rank", "hidden"), linear("W_up", "other-norm", "", "hidden", "norm_rank"),
    norm("norm")
)
AXK2: Final = replace(
    AXK1,
    id="axk2",
    source="transformers 5.24 AXK2Config, AXK2Attention (q_b_proj holds queries and an output gate), AXK2GatedRMSNorm",
    keys={
        **decoder_keys(hidden=2048, ffn=5120, layers=48, heads=32, vocab=163840, eps=1e-6, max_pos=131072),
        **moe_keys(experts=128, top_k=8, moe_ffn=512, shared=1),
        **mla_keys(q_lora=384, kv_lora=128, nope=64, rope=32, v=64), **index_keys(16, 128, 2048),
        **mlp_types(1), "freq": key("moe_layer_freq", 1, low=1), "norm_rank": key("gated_norm_rank", 16),
    },
    body=decoder(
        tuple(
            s._replace(part="q_gate", shape="heads*(qk_nope_head_dim + qk_rope_head_dim + v_head_dim), 2*q_lora_rank")
            if s.name == "self_attn.q_b_proj.weight" else s
            for s in MLA
        ),
        INDEXER, mixed("sparse"),
        under("input_layernorm.", GATED_NORM), when("sparse", under("post_attention_layernorm.", GATED_NORM)),
        when("not sparse", norm("post_attention_layernorm")),
    ),
    norm=Norm(qk=True),
    kv="kv_lora_rank + qk_rope_head_dim + index_head_dim",
)

SARVAM_MLA: Final = replace(
    DEEPSEEK_V3,
    id="sarvam_mla",
    source="transformers 5.24 SarvamMLAConfig (DeepseekV3ForCausalLM without a query latent)",
    keys={
        **decoder_keys(hidden=4096, ffn=16384, layers=32, heads=64, vocab=262144, eps=1e-6, max_pos=4096),
        **moe_keys(experts=128, top_k=8, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=None, kv_lora=512, nope=128, rope=64, v=128), **first_dense(1), "mtp": MTP,
    },
    unread=("head_dim", "q_head_dim"),
)

MINICPM3: Final = replace(
    DEEPSEEK_V3,
    id="minicpm3",
    source="transformers 5.24 MiniCPM3Config, MiniCPM3Attention (latent attention, dense blocks)",
    keys={
        **decoder_keys(hidden=2560, ffn=6400, layers=62, heads=40, vocab=73448, eps=1e-5, tie=True, max_pos=32768,
                       mlp_bias=key("mlp_bias", False)),
        **mla_keys(q_lora=768, kv_lora=256, nope=64, rope=32, v=E("hidden // heads")),
    },
    body=decoder(MLA, V2_MLP, PRE_NORMS),
)

MISTRAL4: Final = replace(
    DEEPSEEK_V3,
    id="mistral4",
    source="transformers 5.24 Mistral4Config, Mistral4Attention, Mistral4MoE (no balancing bias)",
    keys={
        **decoder_keys(hidden=4096, ffn=12288, layers=36, heads=32, vocab=131072, eps=1e-6, max_pos=1048576),
        **moe_keys(experts=128, top_k=4, moe_ffn=2048, shared=1),
        **mla_keys(q_lora=1024, kv_lora=256, nope=64, rope=64, v=128), **first_dense(0),
    },
    body=decoder(
        MLA,
        mixed(
            SPARSE_FROM,
            slots(
                router(), form("experts/stacked", stacked_experts()), form("experts/split", split_experts()), MOE[-3:]
            ),
            DENSE,
        ),
        PRE_NORMS,
    ),
)

"""Young mixtures of experts on Llama's skeleton, and Youtu's dense latent attention: Flint, Kolibri, Lara.

Facts from transformers 5.23, ``models/<family>``, and ``conversion_mapping.py`` for the names on disk.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, window
from cfgexplain.families.llama import ATTN, LAYER_TYPES, LLAMA, PRE_NORMS, QK_HEAD_NORMS, decoder
from cfgexplain.families.moe_blocks import (
    MLA,
    MLA_KV,
    correction,
    mixed,
    mla_keys,
    router,
    split_or_stacked,
    stacked_experts,
)
from cfgexplain.families.schema import E, Norm, attention, gated_mlp, norm, replace, slots, tensor, when

FLINT: Final = replace(
    LLAMA,
    id="flint",
    source="transformers 5.23 FlintConfig (the first two layers stay dense), FlintAttention (a sink logit a head)",
    keys=decoder_keys(
        hidden=2048, ffn=6144, layers=49, heads=32, kv_heads=4, head_dim=128, vocab=150144, eps=1e-6, max_pos=262144,
        window=window(513), step=key("decoder_sparse_step", 1, low=1),
        mlp_only=key("mlp_only_layers", E("(0, 1)"), "list"), experts=key("num_experts", 256),
        top_k=key("num_experts_per_tok", 6),
        moe_ffn=key("moe_intermediate_size", 512), shared_ffn=key("shared_expert_intermediate_size", 1024),
        layer_types=LAYER_TYPES, attention_bias=key("attention_bias", False),
    ),
    body=decoder(
        ATTN, QK_HEAD_NORMS, tensor("self_attn.softmax_offset", "attention", "heads", "sinks"),
        mixed(
            "experts > 0 and (i + 1) % step == 0 and not has(mlp_only, i)",
            slots(router(), split_or_stacked(), gated_mlp("mlp.shared_expert.", "shared_ffn", "shared-experts")),
        ),
        PRE_NORMS,
    ),
    layer_kind="kind(layer_types[i]) if layer_types else "
    "('full' if i < 2 or i % 4 == 1 or i == layers - 1 else 'sliding')",
    renames=(((r"\.self_attn\.sinks$", ".self_attn.softmax_offset"),),),
)

#: No dense block, so no width but the experts' own.
_EXPERTS_ONLY: Final = {"ffn": key((), E("moe_ffn"))}

KOLIBRI1: Final = replace(
    LLAMA,
    id="kolibri1",
    source="transformers 5.23 Kolibri1Config, Kolibri1DecoderLayer (norms before and after each sub-layer)",
    keys=decoder_keys(
        hidden=2560, ffn=512, layers=50, heads=48, kv_heads=4, head_dim=128, vocab=128000, eps=1e-6, max_pos=262144,
        window=window(513), experts=key(("num_local_experts", "num_experts"), 384),
        top_k=key("num_experts_per_tok", 6), moe_ffn=key("moe_intermediate_size", 512),
        shared_ffn=key("shared_expert_intermediate_size", 512), layer_types=LAYER_TYPES,
    ) | _EXPERTS_ONLY,
    body=decoder(
        attention(), QK_HEAD_NORMS, router(), correction("moe.router.expert_bias"), split_or_stacked(),
        gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts"), PRE_NORMS[:1], norm("post_attn_norm"),
        PRE_NORMS[1:], norm("post_ffn_norm"),
    ),
    norm=Norm(placement="sandwich"),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % 5 else 'full')",
    renames=((
        (r"\.mlp\.gate\.e_score_correction_bias$", ".moe.router.expert_bias"),
        (r"\.post_self_attn_layernorm\.", ".post_attn_norm."), (r"\.post_mlp_layernorm\.", ".post_ffn_norm."),
    ),),
    unread=("intermediate_size",),
)

_LARA_PATTERN: Final = "('linear', 'sliding', 'linear', 'full', 'sliding')"
_LARA_ROWS: Final = "2*key_heads*key_dim + 2*value_heads*value_dim + 2*value_heads"

LARA_MINI: Final = replace(
    LLAMA,
    id="lara_mini",
    source="transformers 5.23 LaraMiniConfig, LaraMiniGatedDeltaNet (one fused input projection), "
    "conversion_mapping.py",
    keys=decoder_keys(
        hidden=1024, ffn=512, layers=34, heads=16, kv_heads=4, head_dim=128, vocab=151936, eps=1e-6, tie=True,
        max_pos=131072,
        attention_bias=key("attention_bias", False), kernel=key("linear_conv_kernel_dim", 4),
        key_dim=key("linear_key_head_dim", 128), value_dim=key("linear_value_head_dim", 128),
        key_heads=key("linear_num_key_heads", 8), value_heads=key("linear_num_value_heads", 16),
        experts=key("num_experts", 128), top_k=key("num_experts_per_tok", 4), moe_ffn=key("moe_intermediate_size", 512),
        shared_ffn=key("shared_expert_intermediate_size", 512), window=window(512),
        layer_types=LAYER_TYPES,
    ) | _EXPERTS_ONLY,
    lets={"mix": f"kind(layer_types[i]) if layer_types else {_LARA_PATTERN}[i % 5]"},
    body=decoder(
        when("mix != 'linear'", ATTN, QK_HEAD_NORMS),
        when(
            "mix == 'linear'",
            tensor("linear_attn.in_proj.weight", "mixer", f"{_LARA_ROWS}, hidden"),
            tensor("linear_attn.conv1d.weight", "mixer", "2*key_heads*key_dim + value_heads*value_dim, 1, kernel"),
            tensor("linear_attn.dt_bias", "mixer", "value_heads"), tensor("linear_attn.A_log", "mixer", "value_heads"),
            tensor("linear_attn.out_norm.weight", "mixer", "value_dim"),
            tensor("linear_attn.out_proj.weight", "mixer", "hidden, value_heads*value_dim"),
        ),
        router(), stacked_experts(), gated_mlp("mlp.shared_expert.", "shared_ffn", "shared-experts"), PRE_NORMS,
    ),
    kv="2*kv_heads*head_dim if mix != 'linear' else 0",
    layer_kind="mix",
    unread=("intermediate_size",),
)

YOUTU: Final = replace(
    LLAMA,
    id="youtu",
    source="transformers 5.23 YoutuConfig, YoutuAttention (DeepSeek's latent attention in a dense decoder)",
    keys={
        **decoder_keys(
            hidden=2048, ffn=6144, layers=32, heads=16, kv_heads=16, vocab=128256, eps=1e-6, tie=True, max_pos=131072,
        ),
        **mla_keys(q_lora=1536, kv_lora=512, nope=128, rope=64, v=128),
    },
    body=decoder(MLA, gated_mlp(), PRE_NORMS),
    norm=Norm(qk=True),
    kv=MLA_KV,
)

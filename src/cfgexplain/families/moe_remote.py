"""Mixtures of experts (and MiMo) that live as remote code: names and defaults as their publishers wrote them.

Each source names the file in the publisher's repository; nothing here comes from a measured model.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key
from cfgexplain.families.llama import QWEN2, decoder
from cfgexplain.families.moe import LOCAL, MIXTRAL
from cfgexplain.families.moe_blocks import (
    correction,
    decoder_keys,
    mixed,
    moe_keys,
    router,
    split_experts,
    split_or_stacked,
    w_experts,
)
from cfgexplain.families.moe_late import MIMO_V2_FLASH
from cfgexplain.families.schema import (
    E,
    Norm,
    attention,
    embedding,
    form,
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

MIMO: Final = replace(
    QWEN2,
    id="mimo",
    source="XiaomiMiMo/MiMo-7B-Base, modeling_mimo.py (remote code): Qwen 2 with prediction layers (2505.07608)",
    open=(("model.mtp_layers.", "mtp"),),
)

#: Window layers have their own head counts and widths; sinks where a flag says so.
MIMO_V2: Final = replace(
    MIMO_V2_FLASH,
    id="mimo_v2",
    source="XiaomiMiMo/MiMo-V2.5, modeling_mimo_v2.py (remote code): q, k and v apart or in one matrix",
    keys={
        **MIMO_V2_FLASH.keys,
        "eps": key(("layernorm_epsilon", "rms_norm_eps"), 1e-5),
        "swa_heads": key("swa_num_attention_heads", E("heads")),
        "swa_kv": key("swa_num_key_value_heads", E("2*kv_heads")),
        "swa_dim": key("swa_head_dim", E("head_dim")), "swa_v_dim": key("swa_v_head_dim", E("v_head_dim")),
        "swa_sinks": key("add_swa_attention_sink_bias", True), "full_sinks": key("add_full_attention_sink_bias", False),
    },
    lets={
        **MIMO_V2_FLASH.lets,
        "my_heads": "swa_heads if sliding else heads", "my_kv": "swa_kv if sliding else kv_heads",
        "my_dim": "swa_dim if sliding else head_dim", "my_v": "swa_v_dim if sliding else v_head_dim",
    },
    body=decoder(
        form(
            "qkv/split",
            linear("self_attn.q_proj", "attention", "q", "my_heads*my_dim", "hidden", "attention_bias"),
            linear("self_attn.k_proj", "attention", "k", "my_kv*my_dim", "hidden", "attention_bias"),
            linear("self_attn.v_proj", "attention", "v", "my_kv*my_v", "hidden", "attention_bias"),
        ),
        form(
            "qkv/fused",
            linear(
                "self_attn.qkv_proj", "attention", "qkv", "(my_heads + my_kv)*my_dim + my_kv*my_v", "hidden",
                "attention_bias"
            ),
        ),
        linear("self_attn.o_proj", "attention", "o", "hidden", "my_heads*my_v"),
        when(
            "swa_sinks if sliding else full_sinks",
            tensor("self_attn.attention_sink_bias", "attention", "my_heads", "sinks")
        ),
        mixed("sparse", slots(router(), correction(), split_or_stacked())),
        norm("input_layernorm"), norm("post_attention_layernorm"),
    ),
    kv="my_kv*(my_dim + my_v)",
)

GROK1: Final = replace(
    MIXTRAL,
    id="grok-1",
    source="keyfan/grok-1-hf, modeling_grok1.py (remote code): linear is the gate, linear_v the value, linear_1 the"
    " way back",
    keys={
        **decoder_keys(hidden=6144, ffn=32768, layers=64, heads=48, kv_heads=8, vocab=131072, eps=1e-5, act="gelu",
                       tie=True,
                       max_pos=8192),
        **moe_keys(
            experts=8, top_k=2, moe_ffn=32768, names=("num_experts", "num_local_experts"),
            moe_ffn_names="intermediate_size"
        ),
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            "layers.{i}.",
            attention("attn."), router("moe_block.gate"),
            split_experts("moe_block.experts.", gate="linear", up="linear_v", down="linear_1"),
            *(
                tensor(f"{name}.scale", "block-norm", "hidden") for name in (
                    "pre_attn_norm", "post_attn_norm", "pre_moe_norm", "post_moe_norm"
                )
            ),
            layers="layers",
        ),
        tensor("norm.scale", "final-norm", "hidden"),
    ),
    heads=decoder_heads(lm_head()),
    norm=Norm(placement="sandwich"),
    layer_kind="'full'",
)

#: A dense block beside the experts, behind the attention, as wide as the model itself.
ARCTIC: Final = replace(
    MIXTRAL,
    id="arctic",
    source="Snowflake/snowflake-arctic-instruct, modeling_arctic.py (remote code): experts and a dense residual block"
    " in parallel",
    keys={
        **decoder_keys(hidden=4096, ffn=14336, layers=32, heads=32, vocab=32000, eps=1e-5, max_pos=4096, theta=1e6,
                       window=key("sliding_window", None, "int")),
        **moe_keys(experts=8, top_k=1, moe_ffn=14336, names=LOCAL, moe_ffn_names="intermediate_size"),
        "freq": key("moe_layer_frequency", 2, low=1), "residual": key("use_residual", False),
        "parallel": key("parallel_attn_mlp_res", False),
    },
    lets={"sparse": "(i + 1) % freq == 0"},
    body=decoder(
        attention(),
        mixed(
            "sparse", slots(router("block_sparse_moe.gate"), w_experts()),
            gated_mlp("block_sparse_moe.mlp.", gate="w1", up="w3", down="w2"),
        ),
        norm("input_layernorm"), norm("post_attention_layernorm"),
        when(
            "sparse and residual", norm("residual_layernorm"),
            gated_mlp("residual_mlp.", "hidden", gate="w1", up="w3", down="w2"),
        ),
    ),
    norm=Norm(placement=E("'mixed' if residual and parallel else 'pre'")),
)

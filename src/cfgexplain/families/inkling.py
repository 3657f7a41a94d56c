"""Inkling: short convolutions, relative positions and experts; from version 2 on, attention over depth.

Facts from transformers 5.24, ``models/inkling``, ``models/inkling2`` and ``models/inkling2_loop``. Version 2 keeps its
publisher's names on disk; version 1 is written under the library's.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key
from cfgexplain.families.moe_blocks import PRE_NORMS, L, correction, decoder_keys, moe_keys, router, stacked_experts
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
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

#: Window layers have heads of their own.
WIDTHS: Final = {
    "my_heads": "swa_heads if sliding else heads",
    "my_kv": "swa_kv_heads if sliding else kv_heads",
    "my_dim": "swa_head_dim if sliding else head_dim",
    "extent": "window if sliding else rel_extent",
}


def conv(name: str, role: str, channels: str) -> Slots:
    """A short convolution, one filter for each channel."""
    return tensor(name, role, f"{channels}, 1, kernel", "conv")


INKLING_TEXT: Final = Family(
    id="inkling_text",
    source="transformers 5.24 InklingTextConfig, InklingAttention, InklingMoE (the router also weighs the shared"
    " experts)",
    base="model",
    keys={
        **decoder_keys(hidden=6144, ffn=24576, layers=66, heads=64, kv_heads=8, head_dim=128, vocab=201024, eps=1e-6,
                       max_pos=131072, window=key(("sliding_window_size", "sliding_window"), 512),
                       layer_types=key("layer_types", None, "list"), local=key("local_layer_ids", None, "list")),
        "ffn": key(("dense_intermediate_size", "intermediate_size"), 24576),
        **moe_keys(experts=256, top_k=6, moe_ffn=3072, shared=2),
        # With a width for dense layers of its own, intermediate_size is that of an expert.
        "moe_ffn": key((), E("plain_ffn if dense_ffn else expert_ffn")),
        "dense_ffn": key("dense_intermediate_size", None, "int"), "plain_ffn": key("intermediate_size", 24576),
        "expert_ffn": key("moe_intermediate_size", 3072),
        "dense_first": key("dense_mlp_idx", 0), "mlp_types": key("mlp_layer_types", None, "list"),
        "swa_heads": key("swa_num_attention_heads", 64), "swa_kv_heads": key("swa_num_key_value_heads", 16),
        "swa_head_dim": key("swa_head_dim", 128), "d_rel": key("d_rel", 16), "rel_extent": key("rel_extent", 1024),
        "kernel": key(("conv_kernel_size", "sconv_kernel_size"), 4),
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= dense_first",
        "sliding": (
            "layer_types[i] == 'hybrid_sliding' if layer_types else i in local if local is not None else (i + 1) % 6"
            " != 0"
        ),
        **WIDTHS,
    },
    body=slots(
        embedding("embed_tokens"),
        norm("embed_tokens.embed_norm", "other-norm"),
        under(
            L,
            attention(heads="my_heads", kv_heads="my_kv", head_dim="my_dim"),
            linear("self_attn.r_proj", "attention", "relative", "my_heads*d_rel", "hidden"),
            tensor("self_attn.rel_logits_proj.proj", "attention", "d_rel, extent", "relative"),
            norm("self_attn.q_norm", "attention-norm", "my_dim", part="q_norm"),
            norm("self_attn.k_norm", "attention-norm", "my_dim", part="k_norm"),
            conv("self_attn.k_sconv.conv1d.weight", "attention", "my_kv*my_dim"),
            conv("self_attn.v_sconv.conv1d.weight", "attention", "my_kv*my_dim"),
            conv("attn_sconv.conv1d.weight", "attention", "hidden"),
            conv("mlp_sconv.conv1d.weight", "other", "hidden"),
            when("not sparse", gated_mlp(), tensor("mlp.global_scale", "ffn", "1")),
            when(
                "sparse", router(rows="experts + n_shared"), tensor("mlp.gate.global_scale", "router", "1"),
                correction(),
                stacked_experts(),
                tensor("mlp.shared_experts.gate_proj", "shared-experts", "n_shared, moe_ffn, hidden", "gate"),
                tensor("mlp.shared_experts.up_proj", "shared-experts", "n_shared, moe_ffn, hidden", "up"),
                tensor("mlp.shared_experts.down_proj", "shared-experts", "n_shared, hidden, moe_ffn", "down"),
            ),
            PRE_NORMS,
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(lm_head(tie="")),
    kv="2*my_kv*my_dim",
    layer_kind="'sliding' if sliding else 'full'",
    open=(("model.mtp.", "mtp"),),
)

# --- version 2 ---

V2_KEYS: Final = {
    **decoder_keys(hidden=4608, ffn=E("moe_ffn"), layers=48, heads=48, kv_heads=8, head_dim=128, vocab=201024, eps=1e-6,
                   max_pos=1048576, window=key(("sliding_window_size", "sliding_window"), 1024),
                   layer_types=key("layer_types", None, "list")),
    "ffn": key((), E("moe_ffn")),
    **moe_keys(experts=384, top_k=8, moe_ffn=2304, moe_ffn_names=("moe_intermediate_size", "intermediate_size")),
    "swa_heads": key("swa_num_attention_heads", 48), "swa_kv_heads": key("swa_num_key_value_heads", 8),
    "swa_head_dim": key("swa_head_dim", 128), "d_rel": key("d_rel", 16), "rel_extent": key("rel_extent", 1024),
    "kernel": key(("conv_kernel_size", "sconv_kernel_size"), 4), "real_vocab": key("unpadded_vocab_size", 200058),
}
V2_LETS: Final = {
    "sliding": "layer_types[i] == 'hybrid_sliding' if layer_types else (i + 1) % 6 != 0",
    #: Queries over depth are stored from the second layer on, so index 0 is layer 1.
    "next_sliding": "layer_types[i + 1] == 'hybrid_sliding' if layer_types else (i + 2) % 6 != 0",
    **WIDTHS,
}


def dynamic_conv(name: str) -> Slots:
    """In window layers a fixed filter; in full layers one that each token computes for itself."""
    return slots(
        when("sliding", conv(f"{name}.weight", "attention", "my_kv*my_dim")),
        when(
            "not sliding", tensor(f"{name}.static_w", "attention", "kernel, my_kv*my_dim", "conv"),
            tensor(f"{name}.weight_proj", "attention", "my_kv*kernel, hidden", "conv"),
        ),
    )


V2_LAYER: Final = slots(
    under(
        "attn.",
        linear("wq_du", "attention", "q", "my_heads*my_dim", "hidden"),
        linear("wk_dv", "attention", "k", "my_kv*my_dim", "hidden"),
        linear("wv_dv", "attention", "v", "my_kv*my_dim", "hidden"),
        linear("wo_ud", "attention", "o", "hidden", "my_heads*my_dim"),
        linear("gate_attn", "attention", "gate", "my_heads*my_dim", "hidden"),
        linear("attn_sink_proj", "attention", "sinks", "my_heads", "hidden"),
        linear("wr_du", "attention", "relative", "my_heads*d_rel", "hidden"),
        tensor("rel_logits_proj.proj", "attention", "d_rel, extent", "relative"),
        tensor("q_l2_clip.scale", "attention", "my_heads, my_dim", "clip"),
        tensor("rel_l2_clip.scale", "attention", "my_heads, d_rel", "clip"),
        dynamic_conv("k_sconv"), dynamic_conv("v_sconv"),
    ),
    conv("attn_sconv.weight", "attention", "hidden"), conv("mlp_sconv.weight", "other", "hidden"),
    router(), correction("mlp.gate.bias"), stacked_experts(gate_up="w13_weight", down="w2_weight"),
    when("sliding", norm("attn_norm")),
    when("not sliding", norm("q_input_norm"), norm("k_input_norm"), norm("v_input_norm")),
    norm("mlp_norm"),
)


def per(name: str, shape: str, count: str, cond: str = "") -> Slots:
    """One tensor per index, outside the layers."""
    return tuple(s._replace(layers=count) for s in tensor(name, "other", shape, cond=cond))


V2_BODY: Final = under(
    "llm.",
    embedding("embed"), norm("embed_norm", "other-norm"), under(L, V2_LAYER, layers="layers"),
    norm("norm", "final-norm"),
    per("attn_res.attn_queries.{i}", "hidden", "layers - 1", "next_sliding"),
    per("attn_res.attn_queries.{i}", "3, hidden", "layers - 1", "not next_sliding"),
    per("attn_res.mlp_queries.{i}", "hidden", "layers"),
    tensor("attn_res.output_query", "other", "hidden"),
)
#: In memory the head has no rows for the padding of the vocabulary; on disk it does.
V2_HEAD: Final = slots(
    form("unembed/memory", linear("model.llm.unembed", "lm-head", "", "real_vocab", "hidden")),
    form("unembed/disk", linear("model.llm.unembed", "lm-head", "", "vocab", "hidden")),
)

INKLING2_TEXT: Final = replace(
    INKLING_TEXT,
    id="inkling2_text",
    source="transformers 5.24 Inkling2TextConfig, Inkling2FullDecoderLayer, Inkling2BlockAttentionResidual; names as"
    " published",
    keys=V2_KEYS,
    lets=V2_LETS,
    body=V2_BODY,
    heads=decoder_heads(V2_HEAD),
    norm=Norm(qk=True),
    interleaved=True,
    open=(),
)

#: A gate on the message from the last pass, for queries, keys, values and the block of experts.
CONTROLLERS: Final = slots(
    *(
        slots(
            tensor(f"controllers.{c}.down_weight", "other", "loop_rank, 2*hidden"),
            tensor(f"controllers.{c}.gain_weight", "other", "hidden, loop_rank"),
            tensor(f"controllers.{c}.forget_weight", "other", "hidden, loop_rank"),
        )
        for c in ("attn", "k", "v", "mlp")
    )
)
INKLING2_LOOP_TEXT: Final = replace(
    INKLING2_TEXT,
    id="inkling2_loop_text",
    source="transformers 5.24 Inkling2LoopTextConfig, Inkling2LoopTextModel (the middle layers run several times)",
    keys={
        **V2_KEYS,
        "hidden": key("hidden_size", 2304), "layers": key("num_hidden_layers", 24),
        "heads": key("num_attention_heads", 24),
        "swa_heads": key("swa_num_attention_heads", 24),
        "moe_ffn": key(("moe_intermediate_size", "intermediate_size"), 1152),
        "experts": key(("n_routed_experts", "num_local_experts"), 128),
        "loop_start": key(("loop_config.core_start", "loop_layer_index_start"), 6),
        "loop_end": key(("loop_config.core_end", "loop_layer_index_end"), 18),
        "loop_rank": key(("loop_config.gate_rank", "loop_gate_rank"), 64),
    },
    body=slots(
        V2_BODY,
        under("llm." + L, when("loop_start <= i < loop_end", CONTROLLERS), layers="layers"),
        tensor("llm.middle_cycle_cross_pass_queries", "other", "2*(loop_end - loop_start), hidden"),
        tensor("llm.middle_cycle_cross_pass_kv_queries", "other", "2*(loop_end - loop_start), hidden"),
    ),
)

"""DeepSeek-V4 and Hunyuan 4: several residual streams, compressed or indexed attention, experts in most layers.

Facts from transformers 5.24, ``models/deepseek_v4`` and ``models/hy_v4``; names on disk are the publishers' own, which
the library writes back. Hyper-connections (2409.19606): ``hc_*`` mix ``hc_mult`` residual streams around a sub-layer.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key
from cfgexplain.families.moe_blocks import (
    INDEXER,
    MLA,
    MTP,
    PRE_NORMS,
    L,
    correction,
    decoder_keys,
    index_keys,
    mla_keys,
    mlp_types,
    moe_keys,
    router,
    split_experts,
    stacked_experts,
    w_experts,
)
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
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

# --- DeepSeek-V4 ---

#: How many tokens one compressed entry stands for; 0 where a layer only looks at its window.
RATE: Final = (
    "(0 if layer_types[i] == 'sliding_attention' else rate_csa if layer_types[i] == 'compressed_sparse_attention' else"
    " rate_hca)"
    " if layer_types else ratios[i] if ratios else rate_hca if i < 2 or i % 2 == 0 else rate_csa"
)
#: Compressed sparse attention keeps two interleaved sets of entries and picks among them with an indexer.
SPARSE: Final = (
    "layer_types[i] == 'compressed_sparse_attention' if layer_types else ratios[i] == 4 if ratios else i >= 2 and i %"
    " 2 == 1"
)


def compressor(prefix: str, width: str) -> Slots:
    """Keys and values of several tokens pooled into one entry of ``width``."""
    return slots(
        tensor(f"{prefix}ape", "attention", f"rate, {width}", "position"),
        linear(f"{prefix}wkv", "attention", "kv", width, "hidden"),
        linear(f"{prefix}wgate", "attention", "kv_gate", width, "hidden"),
    )


HYPER: Final = slots(
    *(
        tensor(f"hc_{where}_{what}", "other", shape)
        for where in ("attn", "ffn")
        for what, shape in (("fn", "(2 + hc)*hc, hc*hidden"), ("base", "(2 + hc)*hc"), ("scale", "3"))
    )
)
V4_ATTENTION: Final = under(
    "attn.",
    tensor("attn_sink", "attention", "heads", "sinks"),
    linear("wq_a", "attention", "q_a", "q_lora_rank", "hidden"),
    norm("q_norm", "attention-norm", "q_lora_rank", part="q_norm"),
    linear("wq_b", "attention", "q_b", "heads*head_dim", "q_lora_rank"),
    linear("wkv", "attention", "kv", "head_dim", "hidden"),
    norm("norm", "attention-norm", "head_dim", part="kv_norm"),
    linear("wo_a", "attention", "o_a", "o_groups*o_rank", "heads*head_dim // o_groups"),
    linear("wo_b", "attention", "o", "hidden", "o_groups*o_rank"),
    when("rate", compressor("compressor.", "entry"), norm("compressor.norm", "attention-norm", "head_dim")),
    when(
        "csa",
        compressor("indexer.compressor.", "2*index_head_dim"),
        norm("indexer.compressor.norm", "attention-norm", "index_head_dim"),
        linear("indexer.weights_proj", "attention", "indexer_weights", "index_heads", "hidden"),
        linear("indexer.wq_b", "attention", "indexer_q", "index_heads*index_head_dim", "q_lora_rank"),
    ),
)
V4_MOE: Final = slots(
    router("ffn.gate"),
    when("hashed", tensor("ffn.gate.tid2eid", "buffer", "vocab, top_k", kind="buffer")),
    when("not hashed", correction("ffn.gate.bias")),
    form("experts/split", w_experts("ffn.experts.")),
    form("experts/stacked", stacked_experts("ffn.experts.")),
    gated_mlp("ffn.shared_experts.", "moe_ffn", "shared-experts", "mlp_bias", gate="w1", up="w3", down="w2"),
)

DEEPSEEK_V4: Final = Family(
    id="deepseek_v4",
    source="transformers 5.24 DeepseekV4Config, DeepseekV4DecoderLayer; names as published (conversion_mapping)",
    base="model",
    keys={
        **decoder_keys(hidden=4096, ffn=E("moe_ffn"), layers=43, heads=64, kv_heads=1, head_dim=512, vocab=129280,
                       eps=1e-6,
                       max_pos=1048576, window=key("sliding_window", 128)),
        # One latent is key and value of all heads, whatever num_key_value_heads says.
        "kv_heads": key((), 1), "rotary_dim": key("qk_rope_head_dim", E("head_dim // 8")),
        # Layers that compress turn by a slower base, which is the one that a scaling stretches.
        "theta": key(("rope_parameters.compress.rope_theta", "compress_rope_theta"), 160000.0, "int float"),
        "window_theta": key(("rope_parameters.main.rope_theta", "rope_theta"), 10000.0, "int float"),
        "ffn": key((), E("moe_ffn")),
        **moe_keys(
            experts=256, top_k=6, moe_ffn=2048, moe_ffn_names=("moe_intermediate_size", "intermediate_size"), shared=1
        ),
        "shared_ffn": key((), E("moe_ffn")),
        **index_keys(64, 128, 512), "mtp": MTP,
        "q_lora_rank": key("q_lora_rank", 1024), "o_groups": key("o_groups", 8), "o_rank": key("o_lora_rank", 1024),
        "mlp_bias": key("mlp_bias", False), "hc": key("hc_mult", 4), "mlp_types": key("mlp_layer_types", None, "list"),
        "hash_layers": key("num_hash_layers", 3),
        "layer_types": key("layer_types", None, "list"), "ratios": key("compress_ratios", None, "list"),
        "rate_csa": key(("compress_rate_csa", "compress_rates.compressed_sparse_attention"), 4),
        "rate_hca": key(("compress_rate_hca", "compress_rates.heavily_compressed_attention"), 128),
    },
    lets={
        "rate": RATE, "csa": SPARSE, "entry": "2*head_dim if csa else head_dim",
        "hashed": "mlp_types[i] == 'hash_moe' if mlp_types else i < hash_layers",
    },
    body=slots(
        embedding("embed_tokens"),
        under(L, V4_ATTENTION, norm("attn_norm"), V4_MOE, norm("ffn_norm"), HYPER, layers="layers"),
        norm("norm", "final-norm"),
        tensor("hc_head.hc_fn", "other", "hc, hc*hidden"), tensor("hc_head.hc_base", "other", "hc"),
        tensor("hc_head.hc_scale", "other", "1"),
    ),
    heads=decoder_heads(lm_head("head")),
    norm=Norm(qk=True),
    # Entries that stand for several tokens, beside a window: no number of elements for one token.
    kv="None",
    layer_kind="'sliding' if not rate else 'compressed-sparse' if csa else 'compressed'",
    renames=(
        (
            (r"^layers\.", "model.layers."), (r"^embed\.", "model.embed_tokens."), (r"^norm\.", "model.norm."),
            (r"^hc_head_", "model.hc_head.hc_"),
        ),
        ((r"^lm_head\.", "head."),),
    ),
    open=(("mtp.", "mtp"),),
    unread=("intermediate_size", "qk_rope_head_dim"),
)

# --- Hunyuan 4 ---

GATE: Final = {"gate": "linear_gate"}


def hc_pre(where: str) -> Slots:
    """What mixes the residual streams before and after one sub-layer."""
    return under(
        f"hc_pre.hc_{where}_layer.",
        tensor("hc_fn", "other", "2*hc, hc*hidden"), tensor("hc_base", "other", "2*hc"),
        tensor("hc_scale", "other", "2"),
    )


HY_V4: Final = Family(
    id="hy_v4",
    source="transformers 5.24 HYV4Config, HYV4Attention (output gate, sinks, shared indexers); names as published",
    base="model",
    keys={
        **decoder_keys(hidden=2816, ffn=6912, layers=34, heads=32, vocab=120832, eps=1e-5, max_pos=262144),
        **moe_keys(experts=256, top_k=8, moe_ffn=768, shared=1),
        **mla_keys(q_lora=1536, kv_lora=512, nope=192, rope=64, v=256), **index_keys(16, 128, 2048), **mlp_types(),
        "indexer_types": key("indexer_types", None, "list"), "hc": key("hc_mult", 4),
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 1",
        "indexed": "indexer_types[i] != 'shared' if indexer_types else i == 0 or (i - 1) % 4 == 0",
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            L, MLA,
            tensor("self_attn.learnable_sink_param", "attention", "heads", "sinks"),
            linear("self_attn.linear_gate", "attention", "gate", "heads*v_head_dim", "hidden"),
            when("indexed", INDEXER),
            when("not sparse", gated_mlp(**GATE)),
            when(
                "sparse", router(), correction(),
                form("experts/stacked", stacked_experts()), form("experts/split", split_experts()),
                form("experts/gated", split_experts(**GATE)),
                when("shared_ffn", gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts", **GATE)),
            ),
            PRE_NORMS, hc_pre("attn"), hc_pre("mlp"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
        under(
            "hc_pre.hc_head.", tensor("hc_head_fn", "other", "hc, hc*hidden"), tensor("hc_head_base", "other", "hc"),
            tensor("hc_head_scale", "other", "1"),
        ),
    ),
    heads=decoder_heads(),
    norm=Norm(qk=True),
    kv="kv_lora_rank + qk_rope_head_dim + (index_head_dim if indexed else 0)",
    open=(("model.mtp_layers.", "mtp"),),
    unread=("head_dim",),
)

#: Written by an inference engine's own loader, not by a library: the same model under its original names.
DEEPSEEK_REF: Final = replace(
    DEEPSEEK_V4, id="deepseek_ref", source="the config that ships with DeepSeek-V4's reference code"
)

"""Mixtures of experts with blocks of their own kind: LongCat, Llama 4, MiniMax-M3, dots3.

Facts from transformers 5.24, ``models/<family>``, unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key, window_theta
from cfgexplain.families.expr import function
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe import BIAS, LAYER_TYPES, LOCAL, MIXTRAL
from cfgexplain.families.moe_blocks import (
    DENSE,
    HEAD_NORMS,
    INDEXER,
    MLA,
    MLA_KV,
    MTP,
    NONE,
    PRE_NORMS,
    correction,
    decoder_keys,
    index_keys,
    mixed,
    mla_keys,
    mlp_types,
    moe_keys,
    router,
    split_experts,
    split_or_stacked,
    stacked_experts,
    transposed_experts,
    w_experts,
)
from cfgexplain.families.schema import (
    E,
    Norm,
    Slots,
    attention,
    form,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    when,
)

ATTN: Final = attention(bias="attention_bias")


@function
def layer_value(per_layer: object, i: int, name: str, default: object) -> object:
    """One number of one layer: from ``per_layer_config`` (layer index, as text, to values), else the model's own."""
    if isinstance(per_layer, dict):
        for index, values in per_layer.items():
            if isinstance(values, dict) and name in values and str(index).isdigit() and int(index) == i:
                return values[name]
    return default


@function
def listed(text: object, i: int) -> bool:
    """Whether a list of layers holds ``i``; Step writes it as "3,4,5"."""
    if isinstance(text, str):
        return any(t.strip().isdigit() and int(t) == i for t in text.split(","))
    return isinstance(text, list) and i in text


@function
def every(frequency: object, i: int) -> bool:
    """Whether a schedule picks layer ``i``: a flag for each layer, or every so many layers."""
    if isinstance(frequency, list):
        return bool(frequency[i])
    return isinstance(frequency, int) and i % frequency == 0


# --- LongCat ---


def longcat_half(n: int) -> Slots:
    """One of the two attentions of a layer, with the dense block behind it."""
    return slots(
        norm(f"input_layernorm.{n}"),
        tuple(s._replace(name=s.name.replace("self_attn.", f"self_attn.{n}.")) for s in MLA),
        norm(f"post_attention_layernorm.{n}"),
        gated_mlp(f"mlps.{n}."),
    )


LONGCAT_FLASH: Final = replace(
    MIXTRAL,
    id="longcat_flash",
    source="transformers 5.24 LongcatFlashConfig, LongcatFlashDecoderLayer (two attentions, two dense blocks, experts"
    " beside them)",
    keys={
        **decoder_keys(hidden=6144, ffn=12288, layers=28, heads=64, vocab=131072, eps=1e-5, max_pos=131072, theta=1e7),
        "layers": key("num_layers", E("both_layers // 2 if both_layers else 28")),
        "both_layers": key("num_hidden_layers", None, "int"),
        "ffn": key(("ffn_hidden_size", "intermediate_size"), 12288),
        **moe_keys(experts=512, top_k=12, moe_ffn=2048, top_k_names=("moe_topk", "num_experts_per_tok"),
                   moe_ffn_names=("expert_ffn_hidden_size", "moe_intermediate_size")),
        **mla_keys(q_lora=1536, kv_lora=512, nope=128, rope=64, v=128),
        "qk_head": key("qk_head_dim", E("qk_nope_head_dim + qk_rope_head_dim")),
        "zero_experts": key("zero_expert_num", 256)._replace(null=NONE), "router_bias": key("router_bias", False),
    },
    lets={"routes": "experts + (zero_experts or 0)"},
    body=decoder(
        *(
            tuple(
                s._replace(shape=s.shape.replace("(qk_nope_head_dim + qk_rope_head_dim)", "qk_head"))
                if "q_b_proj" in s.name
                else s
                for s in longcat_half(n)
            )
            for n in (0, 1)
        ),
        linear("mlp.router.classifier", "router", "router", "routes", "hidden", "router_bias"),
        correction("mlp.router.e_score_correction_bias", "routes"),
        split_or_stacked(),
        # The library builds (and never uses) input matrices for the experts that do nothing; published files have none.
        form(
            "experts/built",
            tuple(s._replace(experts="experts" if "down" in s.name else "routes") for s in split_experts())
        ),
    ),
    norm=Norm(qk=True),
    kv=f"2*({MLA_KV})",
    layer_kind="'full'",
    open=(("model.mtp", "mtp"),),
)

# --- Llama 4 ---

LLAMA4_TEXT: Final = replace(
    MIXTRAL,
    id="llama4_text",
    source="transformers 5.24 Llama4TextConfig, Llama4TextMoe (intermediate_size: experts and shared expert; _mlp:"
    " dense layers),"
    " Llama4TextL2Norm (q and k, no weights, on rotary layers)",
    keys={
        **decoder_keys(hidden=5120, ffn=16384, layers=48, heads=40, kv_heads=8, head_dim=128, vocab=202048, eps=1e-5,
                       max_pos=131072, theta=5e5, window=key("attention_chunk_size", 8192, "int")._replace(null=NONE),
                       attention_bias=BIAS, layer_types=LAYER_TYPES, qk_norm=key("use_qk_norm", True)),
        "ffn": key("intermediate_size_mlp", 16384),
        **moe_keys(experts=16, top_k=1, moe_ffn=8192, names=LOCAL, moe_ffn_names="intermediate_size"),
        "shared_ffn": key((), E("moe_ffn")),
        "moe_layers": key("moe_layers", None, "list"), "every": key("interleave_moe_layer_step", 1),
        "rotary": key("no_rope_layers", None, "list"), "rotary_every": key("no_rope_layer_interval", 4),
    },
    lets={
        "sparse": "has(moe_layers, i) if moe_layers is not None else every > 0 and (i + 1) % every == 0",
        "rotates": "bool(rotary[i]) if rotary else (i + 1) % rotary_every != 0",
    },
    body=decoder(
        ATTN,
        when("not sparse", gated_mlp("feed_forward.")),
        when(
            "sparse",
            router("feed_forward.router"), transposed_experts("feed_forward.experts."),
            gated_mlp("feed_forward.shared_expert.", "shared_ffn", "shared-experts"),
        ),
        PRE_NORMS,
    ),
    norm=Norm(qk=E("qk_norm and (max(rotary[:layers]) > 0 if rotary else rotary_every != 1)")),
    layer_kind="kind(layer_types[i]) if layer_types else 'chunked' if window is not None and rotates else 'full'",
)
# --- MiniMax-M3 ---

M3_BLOCK: Final = {"gate": "gate_proj", "up": "up_proj"}


def m3_moe(prefix: str, bias: str) -> Slots:
    """Router, its bias and the experts under one prefix."""
    return slots(router(f"{prefix}gate"), correction(bias))


def m3_fused(prefix: str, width: str, role: str) -> Slots:
    """Gate and up in one matrix [2*width, hidden]."""
    return slots(
        linear(f"{prefix}gate_up_proj", role, "gate_up", f"2*{width}", "hidden"),
        linear(f"{prefix}down_proj", role, "down", "hidden", width),
    )


MINIMAX_M3_TEXT: Final = replace(
    MIXTRAL,
    id="minimax_m3_vl_text",
    source="transformers 5.24 MiniMaxM3VLTextConfig, MiniMaxM3VLRMSNorm (gain 1 + w), MiniMaxM3VLIndexer; w1, w2, w3"
    " as published",
    keys={
        **decoder_keys(hidden=6144, ffn=12288, layers=60, heads=64, kv_heads=4, head_dim=128, vocab=200064, eps=1e-6,
                       max_pos=524288, theta=5e6, layer_types=LAYER_TYPES),
        "act": key((), "silu"), "ffn": key("dense_intermediate_size", 12288),
        **moe_keys(experts=128, top_k=4, moe_ffn=3072, names=LOCAL, moe_ffn_names="intermediate_size"), **mlp_types(),
        "shared_ffn": key("shared_intermediate_size", 3072), "freq": key("moe_layer_freq", None, "list"),
        "index_heads": key(("sparse_attention_config.sparse_num_index_heads", "index_n_heads"), 4),
        "index_head_dim": key(("sparse_attention_config.sparse_index_dim", "index_head_dim"), 128),
        "index_freq": key("sparse_attention_config.sparse_attention_freq", None, "list"),
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else bool(freq[i]) if freq else True",
        "indexed": (
            "layer_types[i] == 'minimax_m3_sparse' if layer_types else bool(index_freq[i]) if index_freq else"
            " False"
        ),
    },
    body=decoder(
        attention(), HEAD_NORMS,
        when(
            "indexed",
            form(
                "experts/stacked",
                linear("self_attn.indexer.q_proj", "attention", "indexer_q", "index_heads*index_head_dim", "hidden"),
                linear("self_attn.indexer.k_proj", "attention", "indexer_k", "index_head_dim", "hidden"),
                norm("self_attn.indexer.q_norm", "attention-norm", "index_head_dim"),
                norm("self_attn.indexer.k_norm", "attention-norm", "index_head_dim"),
            ),
            form(
                "experts/published",
                linear("self_attn.index_q_proj", "attention", "indexer_q", "index_heads*index_head_dim", "hidden"),
                linear("self_attn.index_k_proj", "attention", "indexer_k", "index_head_dim", "hidden"),
                norm("self_attn.index_q_norm", "attention-norm", "index_head_dim"),
                norm("self_attn.index_k_norm", "attention-norm", "index_head_dim"),
            ),
        ),
        when(
            "sparse",
            form(
                "experts/stacked", m3_moe("mlp.", "mlp.gate.e_score_correction_bias"), stacked_experts(),
                m3_fused("mlp.shared_experts.", "shared_ffn", "shared-experts"),
            ),
            form(
                "experts/published", m3_moe("block_sparse_moe.", "block_sparse_moe.e_score_correction_bias"),
                w_experts(),
                gated_mlp("block_sparse_moe.shared_experts.", "shared_ffn", "shared-experts"),
            ),
        ),
        when(
            "not sparse", form("experts/stacked", m3_fused("mlp.", "ffn", "ffn")),
            form("experts/published", gated_mlp())
        ),
        PRE_NORMS,
    ),
    norm=Norm(gain="1+w"),
    # The indexer caches a key of its own beside them.
    kv="2*kv_heads*head_dim + (index_head_dim if indexed else 0)",
    layer_kind="'full'",
    unread=("hidden_act",),
)

# --- dots3 ---

#: Window layers have widths of their own; ``per_layer_config`` says them, older configs the ``swa_`` keys.
DOTS3_WIDTHS: Final = {
    "heads": ("num_attention_heads", 64), "q_lora_rank": ("q_lora_rank", 1024), "kv_lora_rank": ("kv_lora_rank", 1024),
    "qk_nope_head_dim": ("qk_nope_head_dim", 192), "v_head_dim": ("v_head_dim", 128),
}


def dots3_shape(shape: str) -> str:
    """A shape of latent attention in the widths of one layer."""
    for name in (*DOTS3_WIDTHS, "qk_rope_head_dim"):
        shape = shape.replace(name, f"my_{name}")
    return shape


DOTS3_NOTE_TEXT: Final = replace(
    MIXTRAL,
    id="dots3_note_text",
    source="transformers 5.24 Dots3NoteTextConfig, Dots3NoteTextAttention (head gates, a norm of the rotary key),"
    " Dots3NoteTextIndexer",
    keys={
        **decoder_keys(hidden=5120, ffn=13824, layers=46, heads=128, vocab=152064, eps=1e-5, max_pos=524288, theta=8e7,
                       layer_types=LAYER_TYPES,
                       window=key(("sliding_window", "sliding_window_size"), 512)._replace(null=E("512"))),
        **moe_keys(experts=256, top_k=8, moe_ffn=1536, shared=1), **mlp_types(1),
        "shared_one": key(("moe_shared_expert_intermediate_size", "shared_experts_intermediate_size"), 1536),
        "shared_ffn": key((), E("shared_one*n_shared")),
        **mla_keys(q_lora=1024, kv_lora=512, nope=128, rope=64, v=128), **index_keys(64, 128, 2048),
        "freq": key("moe_layer_freq", 1, "int list"), "use_window": key("use_sliding_window", True),
        "use_dsa": key("use_dsa", True)._replace(null=NONE), "per_layer": key("per_layer_config", None, "dict"),
        **{f"swa_{name}": key(f"swa_{path}", default) for name, (path, default) in DOTS3_WIDTHS.items()},
        "swa_head": key("swa_head_dim", 256), "window_theta": window_theta(50000.0, "swa_rope_theta"),
        "swa_rope": key("swa_qk_rope_head_dim", E("swa_head - swa_qk_nope_head_dim")),
        "mtp": MTP,
    },
    lets={
        "sparse": (
            "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense and every(freq, i)"
        ),
        "sliding": "layer_types[i] == 'sliding_attention' if layer_types else use_window and i >= 2 and i % 4 != 1",
        "indexed": (
            "not sliding and (layer_types[i] == 'indexed_attention' if layer_types and per_layer else bool(use_dsa))"
        ),
        **{
            f"my_{name}": (
                f"layer_value(per_layer, i, '{path}', {name}) if per_layer else swa_{name} if sliding else {name}"
            )
            for name, (path, _) in DOTS3_WIDTHS.items()
        },
        "my_qk_rope_head_dim": (
            "layer_value(per_layer, i, 'qk_rope_head_dim', qk_rope_head_dim) if per_layer else swa_rope if sliding"
            " else qk_rope_head_dim"
        ),
    },
    body=decoder(
        tuple(s._replace(shape=dots3_shape(s.shape), when=dots3_shape(s.when)) for s in MLA),
        norm("self_attn.k_rope_only_layernorm", "attention-norm", "my_qk_rope_head_dim", part="k_norm"),
        linear("self_attn.g_proj", "attention", "gate", "my_heads", "hidden"),
        when("indexed", INDEXER),
        mixed(
            "sparse",
            slots(
                router(), correction(), split_or_stacked(),
                gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts"),
            ),
            DENSE,
        ),
        PRE_NORMS,
    ),
    norm=Norm(qk=True),
    kv="my_kv_lora_rank + my_qk_rope_head_dim + (index_head_dim if indexed else 0)",
    layer_kind="'sliding' if sliding else 'full'",
    open=(("model.mtp.", "mtp"), ("model.layers.46.", "mtp")),
)

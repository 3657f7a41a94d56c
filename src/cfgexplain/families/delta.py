"""Hybrids of gated DeltaNet and attention: Qwen3-Next, Qwen3.5, OLMo Hybrid.

Facts from transformers 5.23, ``models/{qwen3_next,qwen3_5,qwen3_5_moe,olmo_hybrid}``. Yang et al. 2024
(2412.06464).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, decoder_heads, decoder_keys, key, share
from cfgexplain.families.mamba import is_full  # noqa: F401 - a function of the expressions below
from cfgexplain.families.moe_blocks import HEAD_NORMS, PRE_NORMS, L, router, split_or_stacked
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Part,
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

#: The prediction layers that are published with these models; the library neither builds nor loads them.
MTP: Final = (("mtp.", "mtp"),)

# --- blocks ---

#: Attention whose q_proj also gives an output gate, row block by row block.
GATED_ATTENTION: Final = slots(
    linear("self_attn.q_proj", "attention", "q", "2*heads*head_dim", "hidden", "attention_bias"),
    linear("self_attn.k_proj", "attention", "k", "kv_heads*head_dim", "hidden", "attention_bias"),
    linear("self_attn.v_proj", "attention", "v", "kv_heads*head_dim", "hidden", "attention_bias"),
    linear("self_attn.o_proj", "attention", "o", "hidden", "heads*head_dim", "attention_bias"),
    HEAD_NORMS,
)


def delta_net(*projections: Slots) -> Slots:
    """Gated DeltaNet: queries and keys of ``k_dim``, values of ``v_dim``, a decay and a step for each value head."""
    return under(
        "linear_attn.",
        tensor("dt_bias", "mixer", "v_heads"),
        tensor("A_log", "mixer", "v_heads"),
        tensor("conv1d.weight", "mixer", "2*k_dim + v_dim, 1, kernel"),
        *projections,
        norm("norm", "mixer", "v_head_dim"),
        linear("out_proj", "mixer", "", "hidden", "v_dim"),
    )


FUSED_NET: Final = delta_net(
    linear("in_proj_qkvz", "mixer", "", "2*k_dim + 2*v_dim", "hidden"),
    linear("in_proj_ba", "mixer", "", "2*v_heads", "hidden"),
)
SPLIT_NET: Final = delta_net(
    linear("in_proj_qkv", "mixer", "", "2*k_dim + v_dim", "hidden"),
    linear("in_proj_z", "mixer", "", "v_dim", "hidden"),
    linear("in_proj_b", "mixer", "", "v_heads", "hidden"),
    linear("in_proj_a", "mixer", "", "v_heads", "hidden"),
)

#: Routed experts, and a shared one behind a gate of its own.
MOE: Final = slots(
    router(),
    split_or_stacked(),
    gated_mlp("mlp.shared_expert.", "shared_ffn", "shared-experts"),
    linear("mlp.shared_expert_gate", "router", "shared_gate", "1", "hidden"),
)


def decoder(net: Slots, *ffn: Slots) -> Slots:
    """Embedding, layers of attention or DeltaNet, final norm."""
    return slots(
        embedding("embed_tokens"),
        under(L, when("full", GATED_ATTENTION), when("not full", net), PRE_NORMS, *ffn, layers="layers"),
        norm("norm", "final-norm"),
    )


# --- keys ---

LETS: Final = {
    "full": "is_full(layer_types, i) if layer_types else (i + 1) % interval == 0",
    "k_dim": "k_heads * k_head_dim",
    "v_dim": "v_heads * v_head_dim",
}
KIND: Final = "'full' if full else 'linear'"
KV: Final = "2*kv_heads*head_dim if full else 0"
DELTA_KEYS: Final[dict[str, Key]] = {
    "attention_bias": key("attention_bias", False),
    "k_heads": key("linear_num_key_heads", 16),
    "v_heads": key("linear_num_value_heads", 32),
    "k_head_dim": key("linear_key_head_dim", 128),
    "v_head_dim": key("linear_value_head_dim", 128),
    "kernel": key("linear_conv_kernel_dim", 4),
    "layer_types": key("layer_types", None, "list"),
    "interval": key("full_attention_interval", 4, low=1),
}


def moe_keys(experts: int, top_k: int) -> dict[str, Key]:
    """Experts, experts a token visits, and their widths."""
    return {
        "experts": key("num_experts", experts, low=0),
        "top_k": key("num_experts_per_tok", top_k),
        "moe_ffn": key("moe_intermediate_size", 512),
        "shared_ffn": key("shared_expert_intermediate_size", 512),
    }


# --- families ---

QWEN3_NEXT: Final = Family(
    id="qwen3_next",
    source="transformers 5.23 Qwen3NextConfig, Qwen3NextDecoderLayer, Qwen3NextGatedDeltaNet",
    base="model",
    keys={
        **decoder_keys(hidden=2048, ffn=5632, layers=48, heads=16, kv_heads=2, head_dim=256, vocab=151936, eps=1e-6,
                       max_pos=32768),
        **DELTA_KEYS,
        **moe_keys(512, 10),
        "sparse_step": key("decoder_sparse_step", 1, low=1),
        "mlp_only": key("mlp_only_layers", None, "list"),
        "rotary_share": share(0.25),
    },
    lets={**LETS, "sparse": "not has(mlp_only or (), i) and experts > 0 and (i + 1) % sparse_step == 0"},
    body=decoder(FUSED_NET, when("sparse", MOE), when("not sparse", gated_mlp())),
    heads=decoder_heads(),
    norm=Norm(gain="1+w"),
    kv=KV,
    layer_kind=KIND,
    state="0 if full else (2*k_dim + v_dim)*kernel + v_heads*k_head_dim*v_head_dim",
    open=MTP,
)

QWEN3_5_TEXT: Final = replace(
    QWEN3_NEXT,
    id="qwen3_5_text",
    source="transformers 5.23 Qwen3_5TextConfig, Qwen3_5DecoderLayer, Qwen3_5GatedDeltaNet (four projections)",
    keys={
        **decoder_keys(hidden=4096, ffn=12288, layers=32, heads=16, kv_heads=4, head_dim=256, vocab=248320, eps=1e-6,
                       max_pos=32768),
        **DELTA_KEYS,
        "rotary_share": share(0.25),
    },
    lets=LETS,
    body=decoder(SPLIT_NET, gated_mlp()),
    renames=(((r"^model\.language_model\.", "model."),),),
)

QWEN3_5_MOE_TEXT: Final = replace(
    QWEN3_5_TEXT,
    id="qwen3_5_moe_text",
    source="transformers 5.23 Qwen3_5MoeTextConfig, Qwen3_5MoeDecoderLayer (experts in every layer)",
    keys={
        **decoder_keys(hidden=2048, ffn=512, layers=40, heads=16, kv_heads=2, head_dim=256, vocab=248320, eps=1e-6,
                       max_pos=32768),
        **DELTA_KEYS,
        **moe_keys(256, 8),
        "ffn": key("moe_intermediate_size", 512),
        "rotary_share": share(0.25),
    },
    body=decoder(SPLIT_NET, MOE),
    unread=("mlp_only_layers", "intermediate_size"),
)

# --- with images ---


def with_images(model_type: str, source: str) -> Family:
    """Text model and Qwen's image tower under one config each; the head belongs to the wrapper."""
    return Family(
        id=model_type,
        source=source,
        base="model",
        keys={"tie": key("tie_word_embeddings", False)},
        body=(),
        heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden")},
        head="ForConditionalGeneration",
        parts=(
            Part("text", "text_config", f"{model_type}_text", "model.language_model.", main=True),
            Part("vision", "vision_config", "qwen_vision", "model.visual.", role="vision", fixed=True),
        ),
        open=MTP,
    )


_SEEN: Final = with_images("qwen3_5", "transformers 5.23 Qwen3_5Config, Qwen3_5ForConditionalGeneration")
_SCORE: Final = tensor("score.weight", "other", "labels, text.hidden")
QWEN3_5: Final = replace(
    _SEEN,
    keys={**_SEEN.keys, **LABELS},
    heads={
        **_SEEN.heads, "ForSequenceClassification": _SCORE,
        "ForTokenClassification": slots(_SCORE, tensor("score.bias", "other", "labels")),
    },
)
QWEN3_5_MOE: Final = with_images(
    "qwen3_5_moe", "transformers 5.23 Qwen3_5MoeConfig, Qwen3_5MoeForConditionalGeneration"
)

# --- OLMo Hybrid ---


def convs(q: str, k: str, v: str) -> Slots:
    """A short depthwise convolution each for queries, keys and values."""
    return slots(
        tensor("q_conv1d.weight", "mixer", f"{q}, 1, kernel"), tensor("k_conv1d.weight", "mixer", f"{k}, 1, kernel"),
        tensor("v_conv1d.weight", "mixer", f"{v}, 1, kernel"),
    )


#: Attention layers norm their outputs (as OLMo 2), DeltaNet layers their inputs.
OLMO_HYBRID: Final = Family(
    id="olmo_hybrid",
    source="transformers 5.23 OlmoHybridConfig, OlmoHybridAttentionDecoderLayer, OlmoHybridLinearAttentionDecoderLayer",
    base="model",
    keys={
        **decoder_keys(hidden=3840, ffn=11008, layers=32, heads=30, vocab=100352, eps=1e-6, max_pos=65536),
        "attention_bias": key("attention_bias", False),
        "k_heads": key("linear_num_key_heads", E("heads")),
        "v_heads": key("linear_num_value_heads", E("heads")),
        "k_head_dim": key("linear_key_head_dim", E("int(0.75 * hidden / k_heads)")),
        "v_head_dim": key("linear_value_head_dim", E("2 * k_head_dim")),
        "kernel": key("linear_conv_kernel_dim", 4),
        "layer_types": key("layer_types", None, "list"),
    },
    lets={
        # Without a list every fourth layer is attention; with fewer than four, the last.
        "full": "is_full(layer_types, i) if layer_types else i % 4 == 3 or (layers < 4 and i == layers - 1)",
        "k_dim": "k_heads * k_head_dim",
        "v_dim": "v_heads * v_head_dim",
        "third": "-(-(2*k_dim + v_dim) // 3)",
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when(
                "full",
                attention(bias="attention_bias"),
                norm("self_attn.q_norm", "attention-norm", "heads*head_dim", part="q_norm"),
                norm("self_attn.k_norm", "attention-norm", "kv_heads*head_dim", part="k_norm"),
                # The library saves this one under the other layers' name; the published files have its own.
                form("output/saved", norm("feedforward_layer_norm")),
                form("output/own", norm("post_attention_layernorm")),
                norm("post_feedforward_layernorm"),
            ),
            when(
                "not full",
                under(
                    "linear_attn.",
                    linear("q_proj", "mixer", "", "k_dim", "hidden"),
                    linear("k_proj", "mixer", "", "k_dim", "hidden"),
                    linear("v_proj", "mixer", "", "v_dim", "hidden"),
                    linear("a_proj", "mixer", "", "v_heads", "hidden"),
                    linear("b_proj", "mixer", "", "v_heads", "hidden"),
                    linear("g_proj", "mixer", "", "v_dim", "hidden"),
                    linear("o_proj", "mixer", "", "hidden", "v_dim"),
                    form("convs/own", convs("k_dim", "k_dim", "v_dim")),
                    # What the library saves: its one kernel cut into thirds, whatever the widths.
                    form("convs/thirds", convs("third", "third", "2*k_dim + v_dim - 2*third")),
                    tensor("dt_bias", "mixer", "v_heads"),
                    tensor("A_log", "mixer", "v_heads"),
                    norm("o_norm", "mixer", "v_head_dim"),
                ),
                norm("attention_layer_norm"),
                norm("feedforward_layer_norm"),
            ),
            gated_mlp(),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(),
    norm=Norm(placement="mixed"),
    kv=KV,
    layer_kind=KIND,
    open=MTP,
)

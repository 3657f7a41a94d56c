"""Gemma 4's vision and audio towers.

Facts from transformers 5.23, ``models/gemma4`` and ``models/gemma4_unified``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.llama import SANDWICH_NORMS
from cfgexplain.families.schema import E, Family, Norm, Slots, linear, norm, replace, slots, tensor, under


def _clipped(name: str, rows: str, cols: str, part: str = "") -> Slots:
    """Gemma4ClippableLinear: a linear layer, with four bounds as buffers where the tower clips."""
    bounds = ("input_min", "input_max", "output_min", "output_max")
    return slots(
        linear(f"{name}.linear", "vision", part, rows, cols),
        *(tensor(f"{name}.{b}", "buffer", "", cond="clipped", kind="buffer") for b in bounds),
    )


GEMMA4_VISION: Final = Family(
    id="gemma4_vision",
    source="transformers 5.23 Gemma4VisionConfig, Gemma4VisionModel",
    base="",
    keys={
        "hidden": key("hidden_size", 768),
        "ffn": key("intermediate_size", 3072),
        "layers": key("num_hidden_layers", 16),
        "heads": key("num_attention_heads", 12),
        "kv_heads": key("num_key_value_heads", 12),
        "head_dim": key("head_dim", 64),
        "patch": key("patch_size", 16),
        "positions": key("position_embedding_size", 10240),
        "clipped": key("use_clipped_linears", False),
        "standardize": key("standardize", False),
        "eps": key("rms_norm_eps", 1e-6),
        "act": key("hidden_activation", "gelu_pytorch_tanh"),
    },
    body=slots(
        tensor("patch_embedder.input_proj.weight", "vision", "hidden, 3*patch*patch"),
        tensor("patch_embedder.position_embedding_table", "vision", "2, positions, hidden"),
        under(
            "encoder.layers.{i}.",
            _clipped("self_attn.q_proj", "heads*head_dim", "hidden", "q"),
            _clipped("self_attn.k_proj", "kv_heads*head_dim", "hidden", "k"),
            _clipped("self_attn.v_proj", "kv_heads*head_dim", "hidden", "v"),
            _clipped("self_attn.o_proj", "hidden", "heads*head_dim", "o"),
            norm("self_attn.q_norm", "attention-norm", "head_dim"),
            norm("self_attn.k_norm", "attention-norm", "head_dim"),
            _clipped("mlp.gate_proj", "ffn", "hidden", "gate"),
            _clipped("mlp.up_proj", "ffn", "hidden", "up"),
            _clipped("mlp.down_proj", "hidden", "ffn", "down"),
            SANDWICH_NORMS,
            layers="layers",
        ),
        tensor("std_bias", "buffer", "hidden", cond="standardize", kind="buffer"),
        tensor("std_scale", "buffer", "hidden", cond="standardize", kind="buffer"),
    ),
    norm=Norm(placement="sandwich", final=False),
    head="Model",
    kv="0",
)


def _half_step(name: str) -> Slots:
    """Gemma4AudioFeedForward: two layers of four times the width between two norms."""
    return under(
        name, _clipped("ffw_layer_1", "4*hidden", "hidden"), _clipped("ffw_layer_2", "hidden", "4*hidden"),
        norm("pre_layer_norm"), norm("post_layer_norm"),
    )


GEMMA4_AUDIO: Final = Family(
    id="gemma4_audio",
    source="transformers 5.23 Gemma4AudioConfig, Gemma4AudioModel (a conformer)",
    base="",
    keys={
        "hidden": key("hidden_size", 1024),
        "layers": key("num_hidden_layers", 12),
        "heads": key("num_attention_heads", 8),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "channels": key("subsampling_conv_channels", (128, 32)),
        "kernel": key("conv_kernel_size", 5),
        "clipped": key("use_clipped_linears", True),
        "out": key("output_proj_dims", 1536),
        "eps": key("rms_norm_eps", 1e-6),
        "act": key("hidden_act", "silu"),
    },
    body=slots(
        under(
            "subsample_conv_projection.",
            tensor("layer0.conv.weight", "audio", "channels[0], 1, 3, 3"),
            tensor("layer0.norm.weight", "audio", "channels[0]"),
            tensor("layer1.conv.weight", "audio", "channels[1], channels[0], 3, 3"),
            tensor("layer1.norm.weight", "audio", "channels[1]"),
            tensor("input_proj_linear.weight", "audio", "hidden, (channels[0] // 4)*channels[1]"),
        ),
        under(
            "layers.{i}.",
            _half_step("feed_forward1."), _half_step("feed_forward2."),
            _clipped("self_attn.q_proj", "hidden", "hidden", "q"),
            _clipped("self_attn.k_proj", "hidden", "hidden", "k"),
            _clipped("self_attn.v_proj", "hidden", "hidden", "v"), _clipped("self_attn.post", "hidden", "hidden", "o"),
            tensor("self_attn.relative_k_proj.weight", "audio", "hidden, hidden"),
            tensor("self_attn.per_dim_scale", "audio", "head_dim"),
            _clipped("lconv1d.linear_start", "2*hidden", "hidden"), _clipped("lconv1d.linear_end", "hidden", "hidden"),
            tensor("lconv1d.depthwise_conv1d.weight", "audio", "hidden, 1, kernel"),
            norm("lconv1d.pre_layer_norm"), norm("lconv1d.conv_norm"),
            norm("norm_pre_attn"), norm("norm_post_attn"), norm("norm_out"),
            layers="layers",
        ),
        tensor("output_proj.weight", "audio", "out, hidden"), tensor("output_proj.bias", "audio", "out"),
    ),
    norm=Norm(placement="mixed", final=False),
    head="Model",
    kv="0",
)

GEMMA4_UNIFIED_VISION: Final = Family(
    id="gemma4_unified_vision",
    source="transformers 5.23 Gemma4UnifiedVisionConfig, Gemma4UnifiedVisionEmbedder (patches projected, no encoder)",
    base="",
    keys={
        "hidden": key("mm_embed_dim", 3840), "patch": key("patch_size", 16), "pool": key("pooling_kernel_size", 3),
        "positions": key("mm_posemb_size", 1120), "out": key("output_proj_dims", 3840),
        "eps": key("rms_norm_eps", 1e-6),
    },
    lets={"patch_dim": "patch*pool*patch*pool*3"},
    body=slots(
        norm("patch_ln1", "vision", "patch_dim", bias="1"),
        linear("patch_dense", "vision", "", "hidden", "patch_dim", "1"),
        norm("patch_ln2", "vision", bias="1"),
        tensor("pos_embedding", "vision", "positions, 2, hidden"),
        norm("pos_norm", "vision", bias="1"),
    ),
    norm=Norm("layernorm", "none", eps=1e-5, final=False),
    head="Model",
    kv="0",
)

GEMMA4_UNIFIED_AUDIO: Final = replace(
    GEMMA4_UNIFIED_VISION,
    id="gemma4_unified_audio",
    source="transformers 5.23 Gemma4UnifiedAudioConfig (raw frames projected, no encoder)",
    keys={"hidden": key("audio_embed_dim", 640)},
    lets={},
    body=(),
    norm=Norm("none", "none", "none", eps=1e-6),
)

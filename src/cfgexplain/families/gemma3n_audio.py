"""Gemma 3n's audio tower: two convolutions over the spectrogram, then a conformer.

Facts from transformers 5.24, ``models/gemma3n/modeling_gemma3n.py`` (Gemma3nAudioEncoder).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import E, Family, Norm, Slots, linear, norm, slots, tensor, under


def _feed_forward(name: str) -> Slots:
    """Half of a conformer's feed-forward pair, four times as wide inside."""
    return under(
        f"{name}.",
        norm("pre_layer_norm", "audio"), linear("ffw_layer_1", "audio", "", "4*hidden", "hidden"),
        linear("ffw_layer_2", "audio", "", "hidden", "4*hidden"), norm("post_layer_norm", "audio"),
    )


GEMMA3N_AUDIO: Final = Family(
    id="gemma3n_audio",
    source="transformers 5.24 Gemma3nAudioConfig, Gemma3nAudioEncoder",
    base="",
    keys={
        "hidden": key("hidden_size", 1536), "vocab": key("vocab_size", 128), "bins": key("input_feat_size", 128),
        "layers": key("conf_num_hidden_layers", 12), "heads": key("conf_num_attention_heads", 8),
        "kernel": key("conf_conv_kernel_size", 5), "channels": key("sscp_conv_channel_size", (128, 32)),
        "sides": key("sscp_conv_kernel_size", E("((3, 3), (3, 3))"), "list"),
        "strides": key("sscp_conv_stride_size", E("((2, 2), (2, 2))"), "list"),
        "eps": key("rms_norm_eps", 1e-6),
    },
    lets={
        "once": "(bins + 2 - sides[0][1]) // strides[0][1] + 1",
        "twice": "(once + 2 - sides[1][1]) // strides[1][1] + 1",
    },
    body=slots(
        under(
            "subsample_conv_projection.",
            tensor("conv_0.conv.weight", "audio", "channels[0], 1, sides[0][0], sides[0][1]"),
            tensor("conv_0.norm.weight", "audio", "channels[0]"),
            tensor("conv_1.conv.weight", "audio", "channels[1], channels[0], sides[1][0], sides[1][1]"),
            tensor("conv_1.norm.weight", "audio", "channels[1]"),
            linear("input_proj_linear", "audio", "", "hidden", "channels[1]*twice"),
        ),
        under(
            "conformer.{i}.",
            _feed_forward("ffw_layer_start"),
            norm("attention.pre_attn_norm", "audio"), norm("attention.post_norm", "audio"),
            linear("attention.post", "audio", "", "hidden", "hidden"),
            *(linear(f"attention.attn.{m}_proj", "audio", "", "hidden // heads*heads", "hidden") for m in "qkv"),
            tensor("attention.attn.per_dim_scale", "audio", "hidden // heads"),
            linear(
                "attention.attn.relative_position_embedding.pos_proj", "audio", "", "hidden // heads*heads", "hidden",
            ),
            norm("lconv1d.pre_layer_norm", "audio"), linear("lconv1d.linear_start", "audio", "", "2*hidden", "hidden"),
            tensor("lconv1d.depthwise_conv1d.weight", "audio", "hidden, 1, kernel"), norm("lconv1d.conv_norm", "audio"),
            linear("lconv1d.linear_end", "audio", "", "hidden", "hidden"),
            _feed_forward("ffw_layer_end"), norm("norm", "audio"),
            layers="layers",
        ),
    ),
    norm=Norm(final=False),
    head="Model",
    kv="0",
)

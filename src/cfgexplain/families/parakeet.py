"""Parakeet's encoder (FastConformer, Rekesh et al. 2023, 2305.05084) as Nemotron-H Omni has it.

Facts from transformers 5.24, ``models/parakeet`` (ParakeetEncoder) and ``models/nemotron_h_omni`` (its config supplies
``attention_bias`` false).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    attention,
    linear,
    norm,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.wavtokenizer import at


def _half(name: str) -> Slots:
    """Half a feed-forward step, with its norm before it."""
    return slots(
        norm(f"norm_{name}", "audio", bias="1"),
        linear(f"{name}.linear1", "audio", "", "ffn", "hidden", "bias"),
        linear(f"{name}.linear2", "audio", "", "hidden", "ffn", "bias"),
    )


#: A convolution over time and frequency, then pairs of one for each channel and one across them.
_SUBSAMPLING: Final = under(
    "subsampling.",
    under(
        "layers.",
        at("0", "1", tensor("{i}.weight", "audio", "channels, 1, side, side"), tensor("{i}.bias", "audio", "channels")),
        at(
            "2", "3*(halvings - 1)",
            when("i % 3 == 2", tensor("{i}.weight", "audio", "channels, 1, side, side")),
            when("i % 3 == 0", tensor("{i}.weight", "audio", "channels, channels, 1, 1")),
            when("i % 3 != 1", tensor("{i}.bias", "audio", "channels")),
        ),
    ),
    linear("linear", "audio", "", "hidden", "channels*(mels // stride**halvings)", "1"),
)
PARAKEET: Final = Family(
    id="parakeet_encoder",
    source="transformers 5.24 ParakeetEncoderConfig, ParakeetEncoder",
    base="",
    keys={
        "hidden": key("hidden_size", 1024), "ffn": key("intermediate_size", 4096),
        "layers": key("num_hidden_layers", 24), "heads": key("num_attention_heads", 8), "kv_heads": key((), E("heads")),
        "head_dim": key("head_dim", E("hidden // heads")), "bias": key("attention_bias", False),
        "conv_bias": key("convolution_bias", True), "kernel": key("conv_kernel_size", 9),
        "factor": key("subsampling_factor", 8, low=1), "channels": key("subsampling_conv_channels", 256),
        "mels": key("num_mel_bins", 80), "side": key("subsampling_conv_kernel_size", 3),
        "stride": key("subsampling_conv_stride", 2, low=1),
        "projected": key("projection_hidden_size", None, "int"), "projection_bias": key("projection_bias", E("None"),
            "bool"),
    },
    lets={"halvings": "int(log2(factor))"},
    body=slots(
        _SUBSAMPLING,
        under(
            "layers.{i}.",
            _half("feed_forward1"), norm("norm_self_att", "audio", bias="1"),
            attention(bias="bias", role="audio"), linear("self_attn.relative_k_proj", "audio", "", "heads*head_dim",
                "hidden"),
            tensor("self_attn.bias_u", "audio", "heads, head_dim"), tensor("self_attn.bias_v", "audio",
                "heads, head_dim"),
            norm("norm_conv", "audio", bias="1"),
            linear("conv.pointwise_conv1", "audio", "", "2*hidden", "hidden, 1", "conv_bias"),
            linear("conv.depthwise_conv", "audio", "", "hidden", "1, kernel", "conv_bias"),
            norm("conv.norm", "audio", bias="1"),
            *(tensor(f"conv.norm.{n}", "buffer", "hidden", kind="buffer") for n in ("running_mean", "running_var")),
            tensor("conv.norm.num_batches_tracked", "buffer", "", kind="buffer"),
            linear("conv.pointwise_conv2", "audio", "", "hidden", "hidden, 1", "conv_bias"),
            _half("feed_forward2"), norm("norm_out", "audio", bias="1"),
            layers="layers",
        ),
    ),
    norm=Norm("layernorm", eps=1e-5),
    head="Model",
    kv="0",
)

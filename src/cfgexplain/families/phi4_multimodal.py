"""Phi-4-multimodal in the library's own layout: Phi-3's decoder with an image and a speech tower beside it.

Facts from transformers 5.23, ``models/phi4_multimodal``. Microsoft 2025 (2503.01743).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key
from cfgexplain.families.llama import PHI3
from cfgexplain.families.mamba import kv_heads
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    attention,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import SIGLIP_VISION

VISION: Final = replace(
    SIGLIP_VISION,
    id="phi4_multimodal_vision",
    source="transformers 5.23 Phi4MultimodalVisionConfig, Phi4MultimodalVisionModel (SigLIP with its pooling head)",
    keys={
        **SIGLIP_VISION.keys,
        "hidden": key("hidden_size", 1152),
        "ffn": key("intermediate_size", 4304),
        "layers": key("num_hidden_layers", 27),
        "heads": key("num_attention_heads", 16),
        "image": key("image_size", 448, "int list"),
        "patch": key("patch_size", 14, "int list"),
        "pool": key((), True),
    },
)


def conv(name: str, shape: str) -> Slots:
    """A convolution with a bias."""
    return slots(tensor(f"{name}.weight", "audio", shape), tensor(f"{name}.bias", "audio", shape.partition(",")[0]))


def half_ffn(name: str) -> Slots:
    """One of the conformer's two feed-forward modules, with the norm inside."""
    return under(
        f"{name}.",
        norm("layer_norm", bias="1"),
        linear("gate_up_proj", "ffn", "gate_up", "2*ffn", "hidden", "1"),
        linear("down_proj", "ffn", "down", "hidden", "ffn", "1"),
    )


AUDIO: Final = Family(
    id="phi4_multimodal_audio",
    source="transformers 5.23 Phi4MultimodalAudioConfig, Phi4MultimodalAudioModel (conformer)",
    base="",
    keys={
        "hidden": key("hidden_size", 1024),
        "ffn": key("intermediate_size", 1536),
        "layers": key("num_blocks", 24),
        "heads": key("num_attention_heads", 16),
        "head_dim": key("head_dim", E("hidden // heads")),
        "act": key("activation", "swish"),
        "ext": key("ext_pw_out_channel", 1024),
        "separable": key("depthwise_separable_out_channel", 1024),
        "multiplier": key("depthwise_multiplier", 1),
        "kernel": key("kernel_size", 3),
        "bins": key("input_size", 80),
        "reduction": key("time_reduction", 8, low=2),
        "channels": key("nemo_conv_channels", 1024),
        "final": key("nemo_final_size", E("-(-bins // 2**halvings)")),
        "distance": key("bias_max_distance", 1000),
        "symmetric": key("bias_symmetric", False),
        "rate": key("downsample_rate", 1),
    },
    lets={"halvings": "int(log2(reduction))"},
    body=slots(
        tensor("encoder_embedding.global_mean", "buffer", "bins", kind="buffer"),
        tensor("encoder_embedding.global_invstd", "buffer", "bins", kind="buffer"),
        conv("embed.conv.0", "channels, 1, 3, 3"),
        # A depthwise and a pointwise convolution for each further halving, an activation between the pairs.
        *(
            when(f"halvings > {k + 1}", conv(f"embed.conv.{3 * k + 2}", "channels, 1, 3, 3"),
                 conv(f"embed.conv.{3 * k + 3}", "channels, channels, 1, 1"))
            for k in range(7)
        ),
        linear("embed.out", "audio", "", "hidden", "channels*final", "1"),
        tensor(
            "relative_attention_bias_layer.bias_values.weight", "audio", "distance if symmetric else 2*distance, heads"
        ),
        under(
            "encoders.{i}.",
            half_ffn("feed_forward_in"),
            attention(kv_heads="heads", bias="1"),
            under(
                "conv.",
                norm("layer_norm", bias="1"),
                conv("glu.ext_pw_conv_1d", "2*ext, hidden, 1"),
                tensor("glu.b1", "audio", "1, ext, 1"),
                tensor("glu.b2", "audio", "1, ext, 1"),
                conv("dw_sep_conv_1d.dw_conv", "hidden*multiplier, 1, kernel"),
                conv("dw_sep_conv_1d.pw_conv", "separable, hidden*multiplier, 1"),
                conv("ext_pw_conv_1d", "ext, hidden, 1"),
            ),
            half_ffn("feed_forward_out"),
            norm("layer_norm_att", bias="1"),
            norm("layer_norm", bias="1"),
            layers="layers",
        ),
    ),
    norm=Norm("layernorm", eps=1e-5, final=False),
    head="Model",
    kv="0",
)

IMAGE: Final = "embed_tokens_extend.image_embed."
SPEECH: Final = "embed_tokens_extend.audio_embed."

PHI4_MULTIMODAL: Final = Family(
    id="phi4_multimodal",
    source="transformers 5.23 Phi4MultimodalConfig (the text model's keys stand at the top), Phi4MultimodalForCausalLM",
    base="model",
    keys=decoder_keys(
        hidden=3072, ffn=8192, layers=32, heads=32, vocab=200064, eps=1e-5, max_pos=131072,
        window=key("sliding_window", None, "int"),
    ) | {"kv_heads": kv_heads(8)},
    body=slots(
        PHI3.body,
        tensor(f"{IMAGE}global_img_feature_extensor", "projector", "1, 1, vision.hidden"),
        tensor(f"{IMAGE}sub_img_feature_extensor", "projector", "1, 1, 1, vision.hidden"),
        linear(f"{IMAGE}img_projection_up", "projector", "", "hidden", "vision.hidden", "1"),
        linear(f"{IMAGE}img_projection_down", "projector", "", "hidden", "hidden", "1"),
        *(
            slots(
                linear(f"{SPEECH}up_proj_for_{use}", "projector", "", "hidden", "audio.hidden*audio.rate", "1"),
                linear(f"{SPEECH}down_proj_for_{use}", "projector", "", "hidden", "hidden", "1"),
            )
            for use in ("speech", "vision_speech")
        ),
    ),
    heads=decoder_heads(),
    layer_kind="'sliding' if window else 'full'",
    parts=(
        Part("vision", "vision_config", "phi4_multimodal_vision", f"model.{IMAGE}img_processor.", role="vision"),
        Part("audio", "audio_config", "phi4_multimodal_audio", f"model.{SPEECH}encoder.", role="audio"),
    ),
)

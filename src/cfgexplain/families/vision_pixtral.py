"""Pixtral's image encoder, and the encoders of Ovis and LFM that are built alike: RMSNorm and gated blocks.

Facts from transformers 5.24, ``models/pixtral``, ``models/ovis2``,
``models/lfm3_vl``. The wrapper gives the role "vision".
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    Family,
    Norm,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
    without,
)
from cfgexplain.families.vision import PATCHES, SIGLIP_VISION, patch_conv, tower_keys


def square(*names: str) -> Slots:
    """Queries, keys, values and output [hidden, hidden], whatever the heads are."""
    return slots(*(linear(f"attention.{n}", "attention", p, "hidden", "hidden") for n,
        p in zip(names, "qkvo", strict=True)))


PIXTRAL: Final = Family(
    id="pixtral",
    source="transformers 5.24 PixtralVisionConfig, PixtralVisionModel (ε 1e-5 fixed; rotary positions)",
    base="",
    keys={
        **tower_keys(hidden=1024, ffn=4096, layers=24, heads=16, image=1024, act="gelu"),
        "eps": key((), 1e-5),
    },
    body=slots(
        patch_conv("patch_conv", bias=""),
        norm("ln_pre", "other-norm"),
        under(
            "transformer.layers.{i}.",
            square("q_proj", "k_proj", "v_proj", "o_proj"),
            norm("attention_norm"),
            gated_mlp("feed_forward."),
            norm("ffn_norm"),
            layers="layers",
        ),
    ),
    norm=Norm(eps=1e-5, final=False),
    head="Model",
    kv="0",
)

#: As Mistral publishes it.
PIXTRAL_NATIVE: Final = replace(
    PIXTRAL,
    body=slots(
        patch_conv("patch_conv", bias=""),
        norm("ln_pre", "other-norm"),
        under(
            "transformer.layers.{i}.",
            square("wq", "wk", "wv", "wo"),
            norm("attention_norm"),
            gated_mlp("feed_forward.", gate="w1", up="w3", down="w2"),
            norm("ffn_norm"),
            layers="layers",
        ),
    ),
)

#: An image becomes a distribution over a visual vocabulary, whose rows the wrapper mixes.
OVIS2_VISION: Final = Family(
    id="ovis2_vision",
    source="transformers 5.24 Ovis2VisionConfig, Ovis2VisionModel (AIMv2; a head over the visual vocabulary)",
    base="",
    keys={
        **tower_keys(hidden=1024, ffn=2816, layers=24, heads=8, patch=14, act="silu"),
        "eps": key("rms_norm_eps", 1e-5),
        "qkv_bias": key("qkv_bias", False), "mlp_bias": key("mlp_bias", False),
        "vocab": key("vocab_size", 16384), "stride": key("hidden_stride", 1),
        "indicators": key("num_visual_indicator_tokens", 5),
    },
    lets=PATCHES,
    body=slots(
        under(
            "transformer.",
            patch_conv("embeddings.patch_embedding"),
            embedding("embeddings.position_embedding", "patches", role="position-embedding"),
            tensor("embeddings.position_ids", "buffer", "1, patches", kind="buffer"),
            norm("embeddings.rms_norm", "other-norm"),
        ),
        under(
            "transformer.encoder.layers.{i}.",
            attention("attention.", o="out_proj", bias="qkv_bias", kv_heads="heads"),
            norm("rms_norm1"), norm("rms_norm2"),
            gated_mlp("ffn.", bias="mlp_bias"),
            layers="layers",
        ),
        norm("transformer.rms_norm", "final-norm"),
        linear("head_linear", "vision", "", "vocab - indicators", "hidden*stride*stride"),
        norm("head_norm", "vision", "vocab - indicators", bias="1"),
    ),
    head="Model",
    kv="0",
)

#: LFM's blocks with a two-dimensional convolution.
LFM3_VISION: Final = Family(
    id="lfm3_vl_vision",
    source="transformers 5.24 Lfm3VlVisionConfig, Lfm3VlVisionModel",
    base="",
    keys={
        **tower_keys(hidden=1024, ffn=2560, layers=14, heads=16),
        "kv_heads": key("num_key_value_heads", 8), "channels": key("in_channels", 3),
        "eps": key("norm_eps", 1e-5), "act": key((), "silu"),
        "frames": key("temporal_patch_size", 2), "merge": key("spatial_merge_size", 2),
        "kernel": key("conv_kernel_size", 3), "layer_types": key("layer_types", None, "list"),
    },
    lets={"mixes": "layer_types[i] == 'full_attention' if layer_types else i in (2, 4, 6, 8, 10, 12)"},
    body=slots(
        linear("patchifier", "vision", "", "hidden", "channels*frames*patch*patch"),
        under(
            "layers.{i}.",
            when(
                "mixes", attention(o="out_proj"), norm("self_attn.q_layernorm", "attention-norm", "head_dim"),
                norm("self_attn.k_layernorm", "attention-norm", "head_dim"),
            ),
            when(
                "not mixes", linear("conv.in_proj", "mixer", "", "3*hidden", "hidden"),
                linear("conv.out_proj", "mixer", "", "hidden", "hidden"),
                tensor("conv.spatial_conv.weight", "mixer", "hidden, 1, kernel, kernel"),
            ),
            gated_mlp("feed_forward.", gate="w1", up="w3", down="w2"),
            norm("operator_norm"), norm("ffn_norm"),
            layers="layers",
        ),
        norm("embedding_norm", "final-norm"),
    ),
    head="Model",
    kv="0",
)

#: SigLIP without positions (they are rotary).
VIDEO_LLAMA_3_VISION: Final = replace(
    SIGLIP_VISION,
    id="video_llama_3_vision",
    source="transformers 5.24 VideoLlama3VisionConfig, VideoLlama3VisionModel",
    keys=tower_keys(pool=key((), False)),
    body=without(SIGLIP_VISION.body, "embeddings.position_*"),
)
PADDLEOCR_VISION: Final = replace(
    SIGLIP_VISION,
    id="paddleocr_vl_vision",
    source="transformers 5.24 PaddleOCRVisionConfig, PaddleOCRVisionTransformer (positions learned and rotary)",
    keys=tower_keys(
        hidden=1152, ffn=4304, layers=27, heads=16, image=384, patch=14, pool=key((), False),
        merge=key("spatial_merge_size", 2),
    ),
)
SMOLVLM_VISION: Final = replace(
    SIGLIP_VISION,
    id="smolvlm_vision",
    source="transformers 5.24 SmolVLMVisionConfig, SmolVLMVisionTransformer",
    keys=tower_keys(hidden=1152, heads=16, patch=32, pool=key((), False)),
)

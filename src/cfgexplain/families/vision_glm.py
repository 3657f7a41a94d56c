"""The image towers of GLM-4V and its successors, of Hunyuan and of Hunyuan 4.

Facts from transformers 5.24, ``models/glm4v``, ``models/glm_ocr``, ``models/glm5_next``, ``models/hunyuan_vl`` and
``models/hy_v4_vl``. The wrapper gives all of it the role "vision".
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
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
)
from cfgexplain.families.vision import patch_conv, tower_keys

GLM_KEYS: Final = {
    **tower_keys(hidden=1536, ffn=13696, heads=12, image=336, patch=14, act="silu"),
    "layers": key(("depth", "num_hidden_layers"), 24),
    "heads": key(("num_heads", "num_attention_heads"), 12),
    "channels": key("in_channels", 3),
    "eps": key("rms_norm_eps", 1e-5),
    "attention_bias": key("attention_bias", False),
    "merge": key("spatial_merge_size", 2),
    "frames": key("temporal_patch_size", 2, "int list"),
    "out": key("out_hidden_size", 4096),
}


def glm_tower(*more: Slots, block: Slots, context: str) -> Slots:
    """Patches in time and space, blocks, a convolution that merges patches, a gated projector ``context`` wide."""
    return slots(
        tensor(
            "patch_embed.proj.weight", "vision", "hidden, channels, pair(frames, 0), pair(patch, 0), pair(patch, 1)"
        ),
        tensor("patch_embed.proj.bias", "vision", "hidden"),
        *more,
        under("blocks.{i}.", block, layers="layers"),
        norm("post_layernorm", "final-norm"),
        tensor("downsample.weight", "projector", "out, hidden, merge, merge"),
        tensor("downsample.bias", "projector", "out"),
        under(
            "merger.",
            linear("proj", "projector", "", "out", "out"),
            norm("post_projection_norm", "other-norm", "out", bias="1"),
            gated_mlp("", context, "projector", cols="out"),
        ),
    )


#: A block's width is the key that elsewhere means the output's, and the merger's is the block's.
GLM4V_VISION: Final = Family(
    id="glm4v_vision",
    source="transformers 5.24 Glm4vVisionConfig, Glm4vVisionModel (Glm4VisionMlp is out_hidden_size wide)",
    base="",
    keys={**GLM_KEYS, "ffn": key("out_hidden_size", 4096), "context": key("intermediate_size", 13696)},
    lets={"patches": "(pair(image, 0) // pair(patch, 0))**2"},
    body=glm_tower(
        embedding("embeddings.position_embedding", "patches", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, patches", kind="buffer"),
        norm("post_conv_layernorm", "other-norm"),
        block=slots(
            norm("norm1"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "attention_bias"),
            linear("attn.proj", "attention", "o", "hidden", "hidden"),
            norm("norm2"),
            gated_mlp(),
        ),
        context="context",
    ),
    norm=Norm(),
    head="Model",
    kv="0",
)

#: Biases throughout, norms on queries and keys, no learned positions.
OCR_BLOCK: Final = slots(
    norm("norm1"),
    linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "attention_bias"),
    linear("attn.proj", "attention", "o", "hidden", "hidden", "attention_bias"),
    norm("attn.q_norm", "attention-norm", "head_dim"), norm("attn.k_norm", "attention-norm", "head_dim"),
    norm("norm2"),
    gated_mlp(bias="attention_bias"),
)
OCR_KEYS: Final = {
    **GLM_KEYS,
    "hidden": key("hidden_size", 1024),
    "ffn": key("intermediate_size", 4096),
    "heads": key(("num_heads", "num_attention_heads"), 16),
    "attention_bias": key("attention_bias", True),
    "out": key("out_hidden_size", 1536),
}

GLM_OCR_VISION: Final = replace(
    GLM4V_VISION,
    id="glm_ocr_vision",
    source="transformers 5.24 GlmOcrVisionConfig, GlmOcrVisionModel (the merger is out_hidden_size x channels wide)",
    keys=OCR_KEYS,
    lets={},
    body=glm_tower(block=OCR_BLOCK, context="out*channels"),
)

GLM5_NEXT_VISION: Final = replace(
    GLM_OCR_VISION,
    id="glm5_next_vision",
    source="transformers 5.24 Glm5NextVisionConfig, Glm5NextVisionModel",
    keys={**OCR_KEYS, "context": key("projection_intermediate_size", 10240)},
    body=glm_tower(block=OCR_BLOCK, context="context"),
)

# --- Hunyuan ---

HUNYUAN_KEYS: Final = {
    **tower_keys(hidden=1152, ffn=4304, layers=27, heads=16, image=2048, act="gelu"),
    "heads": key(("num_attention_heads", "attention_heads"), 16),
    "image": key("max_image_size", 2048),
    "patch": key("patch_size", 16),
    "eps": key(("rms_norm_eps", "layer_norm_eps"), 1e-5),
    "merge": key("spatial_merge_size", 2),
}
#: One position more than patches; names as published.
HUNYUAN_BODY: Final = slots(
    patch_conv("embeddings.patch_embedding"),
    embedding("embeddings.position_embedding", "(image // patch)**2 + 1", role="position-embedding"),
    tensor("embeddings.position_ids", "buffer", "1, (image // patch)**2 + 1", kind="buffer"),
    under(
        "layers.{i}.",
        norm("input_layernorm", bias="1"),
        attention(bias="1", kv_heads="heads"),
        norm("post_attention_layernorm", bias="1"),
        plain_mlp("mlp.dense_h_to_4h", "mlp.dense_4h_to_h", bias="1"),
        layers="layers",
    ),
)
HUNYUAN_VISION: Final = Family(
    id="hunyuan_vl_vision",
    source="transformers 5.24 HunYuanVLVisionConfig, HunYuanVLVisionTransformer; names as published",
    base="",
    keys=HUNYUAN_KEYS,
    body=HUNYUAN_BODY,
    norm=Norm("layernorm", final=False),
    head="Model",
    kv="0",
)
HY_V4_VISION: Final = replace(
    HUNYUAN_VISION,
    id="hy_v4_vl_vision",
    source="transformers 5.24 HYV4VLVisionConfig, HYV4VLVisionModel; names as published",
    keys={
        **HUNYUAN_KEYS, "hidden": key("hidden_size", 1536), "ffn": key("intermediate_size", 6144),
        "layers": key("num_hidden_layers", 40), "out": key("out_hidden_size", 6144),
    },
    body=slots(
        HUNYUAN_BODY,
        under(
            "perceive.",
            tensor("image_newline", "projector", "out"), norm("norm", "other-norm"),
            tensor("proj.0.weight", "projector", "hidden*merge**2, hidden, merge, merge"),
            tensor("proj.0.bias", "projector", "hidden*merge**2"),
            tensor("proj.2.weight", "projector", "out, hidden*merge**2, 1, 1"),
            tensor("proj.2.bias", "projector", "out"),
        ),
    ),
)

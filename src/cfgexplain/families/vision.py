"""Image encoders that several multimodal wrappers share. Their own roles do not matter: the wrapper gives "vision".

Facts from transformers 5.24, ``models/<family>``. SAM's encoder is in ``vision_sam.py``, GLM's and Hunyuan's in
``vision_glm.py``, Qwen's in ``vision_qwen.py``, the image tokenizers in ``vision_vq.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.expr import function
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    attention,
    embedding,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key


@function
def pair(size: object, axis: int) -> object:
    """One axis of a size that may be a number or a pair (height, width)."""
    return size[axis] if isinstance(size, (list, tuple)) else size


def tower_keys(
    *, hidden: int = 768, ffn: int = 3072, layers: int = 12, heads: int = 12, image: int = 224, patch: int = 16,
    eps: float = 1e-6, act: str = "gelu_pytorch_tanh", **more: Key,
) -> dict[str, Key]:
    """The keys of an image encoder, with one family's defaults."""
    return {
        "hidden": key("hidden_size", hidden),
        "ffn": key("intermediate_size", ffn),
        "layers": key("num_hidden_layers", layers),
        "heads": key("num_attention_heads", heads),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "channels": key("num_channels", 3),
        "image": key("image_size", image, "int list"),
        "patch": key("patch_size", patch, "int list"),
        "eps": key("layer_norm_eps", eps),
        "act": key("hidden_act", act),
        **more,
    }


PATCHES: Final = {"patches": "(pair(image, 0) // pair(patch, 0)) * (pair(image, 1) // pair(patch, 1))"}


def patch_conv(name: str, bias: str = "1") -> Slots:
    """The convolution that turns patches into vectors [hidden, channels, height, width]."""
    return slots(
        tensor(f"{name}.weight", "vision", "hidden, channels, pair(patch, 0), pair(patch, 1)"),
        tensor(f"{name}.bias", "vision", "hidden", bias if bias != "1" else "") if bias else (),
    )


#: Pre-norm block with biases everywhere, under the names of CLIP and its followers.
BLOCK: Final = under(
    "encoder.layers.{i}.",
    norm("layer_norm1", bias="1"),
    attention(o="out_proj", bias="1", kv_heads="heads"),
    norm("layer_norm2", bias="1"),
    plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
    layers="layers",
)

SIGLIP_VISION: Final = Family(
    id="siglip_vision_model",
    source="transformers 5.24 SiglipVisionConfig, SiglipVisionModel (pooling head where vision_use_head)",
    base="",
    keys=tower_keys(pool=key("vision_use_head", True)),
    lets=PATCHES,
    body=slots(
        patch_conv("embeddings.patch_embedding"),
        embedding("embeddings.position_embedding", "patches", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, patches", kind="buffer"),
        BLOCK,
        norm("post_layernorm", "final-norm", bias="1"),
        when(
            "pool",
            tensor("head.probe", "vision", "1, 1, hidden"),
            tensor("head.attention.in_proj_weight", "attention", "3*hidden, hidden", "qkv"),
            tensor("head.attention.in_proj_bias", "attention", "3*hidden", "qkv"),
            linear("head.attention.out_proj", "attention", "o", "hidden", "hidden", "1"),
            norm("head.layernorm", "other-norm", bias="1"),
            plain_mlp("head.mlp.fc1", "head.mlp.fc2", bias="1"),
        ),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)

#: Patches come flattened, in any aspect ratio.
SIGLIP2_VISION: Final = replace(
    SIGLIP_VISION,
    id="siglip2_vision_model",
    source="transformers 5.24 Siglip2VisionConfig, Siglip2VisionModel",
    keys=tower_keys(pool=key("vision_use_head", True), patches=key("num_patches", 256)),
    lets={},
    body=slots(
        linear("embeddings.patch_embedding", "vision", "", "hidden", "channels*patch*patch", "1"),
        *(s for s in SIGLIP_VISION.body if "patch_embedding" not in s.name and s.kind != "buffer"),
    ),
)

#: SigLIP without the pooling head; positions for a square.
IDEFICS_VISION: Final = replace(
    SIGLIP_VISION,
    id="idefics2_vision",
    source="transformers 5.24 Idefics2VisionConfig, Idefics2VisionTransformer",
    keys=tower_keys(patch=32, pool=key((), False)),
)
IDEFICS3_VISION: Final = replace(
    IDEFICS_VISION,
    id="idefics3_vision",
    source="transformers 5.24 Idefics3VisionConfig, Idefics3VisionTransformer",
    keys=tower_keys(hidden=1152, heads=16, patch=32, pool=key((), False)),
)

CLIP_VISION: Final = replace(
    SIGLIP_VISION,
    id="clip_vision_model",
    source="transformers 5.24 CLIPVisionConfig, CLIPVisionModel (class token; the norm before the blocks is spelled"
    " pre_layrnorm)",
    keys=tower_keys(patch=32, eps=1e-5, act="quick_gelu", projected=key("projection_dim", 512)),
    body=slots(
        tensor("embeddings.class_embedding", "vision", "hidden"),
        patch_conv("embeddings.patch_embedding", bias=""),
        embedding("embeddings.position_embedding", "patches + 1", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, patches + 1", kind="buffer"),
        norm("pre_layrnorm", "other-norm", bias="1"),
        BLOCK,
        norm("post_layernorm", "final-norm", bias="1"),
    ),
    heads={"VisionModelWithProjection": linear("visual_projection", "projector", "", "projected", "hidden")},
    # Alone it is saved below a name of its own.
    renames=(((r"^vision_model\.", ""),),),
)

GIT_VISION: Final = replace(
    CLIP_VISION,
    id="git_vision_model",
    heads={},
    source="transformers 5.24 GitVisionConfig, GitVisionTransformer",
    keys=tower_keys(eps=1e-5, act="quick_gelu"),
)
#: The width goes by another key.
IDEFICS1_VISION: Final = replace(
    CLIP_VISION,
    id="idefics_vision",
    heads={},
    source="transformers 5.24 IdeficsVisionConfig, IdeficsVisionTransformer",
    keys={
        **tower_keys(ffn=5120, layers=32, heads=16, patch=14, eps=1e-5, act="gelu"),
        "hidden": key(("embed_dim", "hidden_size"), 768),
    },
)
KOSMOS2_VISION: Final = replace(
    CLIP_VISION,
    id="kosmos_2_vision_model",
    heads={},
    source="transformers 5.24 Kosmos2VisionConfig, Kosmos2VisionTransformer",
    keys=tower_keys(hidden=1024, ffn=4096, layers=24, heads=16, patch=14, eps=1e-5, act="quick_gelu"),
)

#: BLIP's: queries, keys and values in one matrix, positions as a bare tensor.
BLIP_VISION: Final = replace(
    SIGLIP_VISION,
    id="blip_vision_model",
    source="transformers 5.24 BlipVisionConfig, BlipVisionModel",
    keys=tower_keys(image=384, eps=1e-5, act="gelu", qkv_bias=key((), True), channels=key((), 3)),
    body=slots(
        tensor("embeddings.class_embedding", "vision", "1, 1, hidden"),
        patch_conv("embeddings.patch_embedding"),
        tensor("embeddings.position_embedding", "position-embedding", "1, patches + 1, hidden"),
        under(
            "encoder.layers.{i}.",
            norm("layer_norm1", bias="1"),
            linear("self_attn.qkv", "attention", "qkv", "3*hidden", "hidden", "qkv_bias"),
            linear("self_attn.projection", "attention", "o", "hidden", "hidden", "1"),
            norm("layer_norm2", bias="1"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
        norm("post_layernorm", "final-norm", bias="1"),
    ),
)
BLIP2_VISION: Final = replace(
    BLIP_VISION,
    id="blip_2_vision_model",
    source="transformers 5.24 Blip2VisionConfig, Blip2VisionModel",
    keys=tower_keys(
        hidden=1408, ffn=6144, layers=39, heads=16, patch=14, act="gelu", qkv_bias=key("qkv_bias", True),
        channels=key((), 3),
    ),
)

#: BEiT's blocks: a learned scale on each branch.
INTERNVL_VISION: Final = replace(
    SIGLIP_VISION,
    id="internvl_vision",
    source="transformers 5.24 InternVLVisionConfig, InternVLVisionModel (LayerNorm, or RMSNorm by norm_type)",
    keys=tower_keys(
        hidden=1024, ffn=4096, layers=24, heads=16, image=448, patch=14, act="gelu",
        attention_bias=key("attention_bias", False), qk_norm=key("use_qk_norm", False),
        norm_type=key("norm_type", "layer_norm"), mask=key("use_mask_token", False),
        absolute=key("use_absolute_position_embeddings", True), mean=key("use_mean_pooling", True),
    ),
    body=slots(
        tensor("embeddings.cls_token", "vision", "1, 1, hidden"),
        tensor("embeddings.mask_token", "vision", "1, 1, hidden", cond="mask"),
        patch_conv("embeddings.patch_embeddings.projection"),
        tensor("embeddings.position_embeddings", "position-embedding", "1, patches + 1, hidden", cond="absolute"),
        under(
            "encoder.layer.{i}.",
            tensor("lambda_1", "vision", "hidden"), tensor("lambda_2", "vision", "hidden"),
            attention("attention.", o="projection_layer", bias="attention_bias", o_bias="1", kv_heads="heads"),
            when("qk_norm", norm("attention.q_norm", "attention-norm"), norm("attention.k_norm", "attention-norm")),
            norm("layernorm_before", bias="norm_type == 'layer_norm'"),
            norm("layernorm_after", bias="norm_type == 'layer_norm'"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
        when("not mean", norm("layernorm", "final-norm", bias="1")),
    ),
    norm=Norm(E("'layernorm' if norm_type == 'layer_norm' else 'rmsnorm'"), final=E("not mean")),
)

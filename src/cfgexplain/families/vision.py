"""Image encoders that several multimodal wrappers share. Their own roles do not matter: the wrapper gives "vision".

Facts from transformers 5.23, ``models/<family>``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.expr import function
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    attention,
    embedding,
    linear,
    norm,
    plain_mlp,
    slots,
    tensor,
    under,
    when,
)


@function
def pair(size: object, axis: int) -> object:
    """One axis of a size that may be a number or a pair (height, width)."""
    return size[axis] if isinstance(size, (list, tuple)) else size


SIGLIP_VISION: Final = Family(
    id="siglip_vision_model",
    source="transformers 5.23 SiglipVisionConfig, SiglipVisionModel (pooling head where vision_use_head)",
    base="",
    keys={
        "hidden": key("hidden_size", 768),
        "ffn": key("intermediate_size", 3072),
        "layers": key("num_hidden_layers", 12),
        "heads": key("num_attention_heads", 12),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "channels": key("num_channels", 3),
        "image": key("image_size", 224, "int list"),
        "patch": key("patch_size", 16, "int list"),
        "eps": key("layer_norm_eps", 1e-6),
        "act": key("hidden_act", "gelu_pytorch_tanh"),
        "pool": key("vision_use_head", True),
    },
    lets={
        "patches": "(pair(image, 0) // pair(patch, 0)) * (pair(image, 1) // pair(patch, 1))",
    },
    body=slots(
        tensor("embeddings.patch_embedding.weight", "vision", "hidden, channels, pair(patch, 0), pair(patch, 1)"),
        tensor("embeddings.patch_embedding.bias", "vision", "hidden"),
        embedding("embeddings.position_embedding", "patches", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, patches", kind="buffer"),
        under(
            "encoder.layers.{i}.",
            norm("layer_norm1", bias="1"),
            attention(o="out_proj", bias="1", kv_heads="heads"),
            norm("layer_norm2", bias="1"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
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

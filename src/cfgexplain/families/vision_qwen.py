"""The image towers of Qwen2.5-VL, Qwen3-VL and later, which several wrappers share. All of it has the role "vision".

Facts from transformers 5.23, ``models/qwen3_5/modeling_qwen3_5.py`` (Qwen3_5VisionModel; Qwen3.5-MoE and Qwen4-Exp
have the same) and ``models/qwen3_vl`` (the same with ``deepstack_visual_indexes``).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    embedding,
    gated_mlp,
    linear,
    norm,
    plain_mlp,
    rename,
    replace,
    slots,
    swap,
    tensor,
    under,
)
from cfgexplain.families.vision import pair  # noqa: F401 - a function of the expressions below

#: The merger joins ``merge`` x ``merge`` patches, then goes to the text model's width.
QWEN_VISION: Final = Family(
    id="qwen_vision",
    source="transformers 5.23 Qwen3_5VisionConfig, Qwen3_5VisionModel (LayerNorm, ε 1e-6 fixed; learned positions)",
    base="",
    keys={
        "layers": key(("depth", "num_hidden_layers"), 27),
        "hidden": key("hidden_size", 1152),
        "ffn": key("intermediate_size", 4304),
        "heads": key(("num_heads", "num_attention_heads"), 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "act": key("hidden_act", "gelu_pytorch_tanh"),
        "channels": key("in_channels", 3),
        "patch": key("patch_size", 16, "int list"),
        "frames": key("temporal_patch_size", 2, "int list"),
        "merge": key("spatial_merge_size", 2),
        "out": key("out_hidden_size", 3584),
        "positions": key("num_position_embeddings", 2304),
    },
    body=slots(
        tensor(
            "patch_embed.proj.weight", "vision", "hidden, channels, pair(frames, 0), pair(patch, 0), pair(patch, 1)"
        ),
        tensor("patch_embed.proj.bias", "vision", "hidden"),
        embedding("pos_embed", "positions", role="position-embedding"),
        under(
            "blocks.{i}.",
            norm("norm1", bias="1"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            norm("norm2", bias="1"),
            plain_mlp("mlp.linear_fc1", "mlp.linear_fc2", bias="1"),
            layers="layers",
        ),
        norm("merger.norm", "other-norm", bias="1"),
        linear("merger.linear_fc1", "projector", "", "hidden*merge*merge", "hidden*merge*merge", "1"),
        linear("merger.linear_fc2", "projector", "", "out", "hidden*merge*merge", "1"),
    ),
    norm=Norm("layernorm", eps=1e-6, final=False),
    head="Model",
    kv="0",
)

#: Qwen3-VL also hands the outputs of some blocks, merged alike, to the first layers of the text model.
QWEN3_VL_VISION: Final = replace(
    QWEN_VISION,
    id="qwen3_vl_vision",
    source="transformers 5.23 Qwen3VLVisionConfig, Qwen3VLVisionModel (deepstack mergers normalise after the shuffle)",
    keys={**QWEN_VISION.keys, "deepstack": key("deepstack_visual_indexes", (8, 16, 24))},
    body=slots(
        QWEN_VISION.body,
        under(
            "deepstack_merger_list.{i}.",
            norm("norm", "other-norm", "hidden*merge*merge", bias="1"),
            linear("linear_fc1", "projector", "", "hidden*merge*merge", "hidden*merge*merge", "1"),
            linear("linear_fc2", "projector", "", "out", "hidden*merge*merge", "1"),
            layers="len(deepstack)",
        ),
    ),
)

# --- Qwen2.5-VL ---


def _qwen2_5(qkv: str) -> Slots:
    """RMSNorm, a gated block with biases, no learned positions; the merger joins patches and widens them."""
    return slots(
        tensor(
            "patch_embed.proj.weight", "vision", "hidden, channels, pair(frames, 0), pair(patch, 0), pair(patch, 1)"
        ),
        under(
            "blocks.{i}.",
            norm("norm1"),
            linear("attn.qkv", "attention", "qkv", qkv, "hidden", "1"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            norm("norm2"),
            gated_mlp(bias="1"),
            layers="layers",
        ),
        norm("merger.ln_q", "other-norm"),
        linear("merger.mlp.0", "projector", "", "hidden*merge*merge", "hidden*merge*merge", "1"),
        linear("merger.mlp.2", "projector", "", "out", "hidden*merge*merge", "1"),
    )


QWEN2_5_VL_VISION: Final = replace(
    QWEN_VISION,
    id="qwen2_5_vl_vision",
    source="transformers 5.24 Qwen2_5_VLVisionConfig, Qwen2_5_VisionTransformerPretrainedModel (RMSNorm, ε 1e-6 fixed)",
    keys={
        **QWEN_VISION.keys,
        "layers": key(("depth", "num_hidden_layers"), 32),
        "hidden": key("hidden_size", 3584),
        "ffn": key("intermediate_size", 3420),
        "act": key("hidden_act", "silu"),
        "channels": key(("in_channels", "in_chans"), 3),
        "patch": key(("patch_size", "spatial_patch_size"), 14, "int list"),
        "positions": key((), 0),
    },
    body=_qwen2_5("3*hidden"),
    norm=Norm(eps=1e-6, final=False),
)

EXAONE4_5_VISION: Final = replace(
    QWEN2_5_VL_VISION,
    id="exaone4_5_vision",
    source="transformers 5.24 Exaone4_5_VisionConfig, Exaone4_5_VisionModel (fewer key and value heads)",
    keys={**QWEN2_5_VL_VISION.keys, "kv_heads": key("num_key_value_heads", 8)},
    body=_qwen2_5("(heads + 2*kv_heads)*head_dim"),
)

# --- Qwen2-VL ---

#: ``embed_dim`` is the tower's width; ``hidden_size`` is what the merger puts out.
QWEN2_VL_VISION: Final = replace(
    QWEN_VISION,
    id="qwen2_vl_vision",
    source="transformers 5.24 Qwen2VLVisionConfig, Qwen2VisionTransformerPretrainedModel",
    keys={
        **QWEN_VISION.keys,
        "layers": key("depth", 32), "hidden": key("embed_dim", 1280), "out": key("hidden_size", 3584),
        "ratio": key("mlp_ratio", 4, "int float"), "ffn": key((), E("int(hidden*ratio)")),
        "act": key("hidden_act", "quick_gelu"), "channels": key(("in_channels", "in_chans"), 3),
        "patch": key(("patch_size", "spatial_patch_size"), 14, "int list"), "positions": key((), 0),
    },
    body=slots(
        tensor(
            "patch_embed.proj.weight", "vision", "hidden, channels, pair(frames, 0), pair(patch, 0), pair(patch, 1)"
        ),
        under(
            "blocks.{i}.",
            norm("norm1", bias="1"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            norm("norm2", bias="1"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
        norm("merger.ln_q", "other-norm", bias="1"),
        linear("merger.mlp.0", "projector", "", "hidden*merge*merge", "hidden*merge*merge", "1"),
        linear("merger.mlp.2", "projector", "", "out", "hidden*merge*merge", "1"),
    ),
)

# --- the Omni models' own spellings ---

QWEN2_5_OMNI_VISION: Final = replace(
    QWEN2_5_VL_VISION,
    id="qwen2_5_omni_vision_encoder",
    source="transformers 5.24 Qwen2_5OmniVisionEncoderConfig, Qwen2_5OmniVisionEncoder (q, k and v apart)",
    body=swap(
        QWEN2_5_VL_VISION.body, under("blocks.{i}.", linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden",
            "1"), layers="layers"),
        under(
            "blocks.{i}.", *(linear(f"attn.{m}", "attention", m, "hidden", "hidden", "1") for m in "qkv"),
            layers="layers",
        ),
    ),
)
QWEN3_OMNI_VISION: Final = replace(
    QWEN3_VL_VISION,
    id="qwen3_omni_moe_vision_encoder",
    source="transformers 5.24 Qwen3OmniMoeVisionEncoderConfig, Qwen3OmniMoeVisionEncoder",
    body=rename(
        QWEN3_VL_VISION.body,
        {
            "deepstack_merger_list": "merger_list", "{i}.norm.": "{i}.ln_q.", "merger.norm": "merger.ln_q",
            "merger.linear_fc1": "merger.mlp.0", "merger.linear_fc2": "merger.mlp.2",
            "merger_list.{i}.linear_fc1": "merger_list.{i}.mlp.0",
            "merger_list.{i}.linear_fc2": "merger_list.{i}.mlp.2",
        },
    ),
)

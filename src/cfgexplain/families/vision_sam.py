"""SAM's image encoder (Kirillov et al. 2023, 2304.02643), which several OCR and chart models took over.

Facts from transformers 5.24, ``models/sam`` and ``models/got_ocr2``, ``models/deepseek_ocr2``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.llama import QWEN2
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    linear,
    norm,
    plain_mlp,
    rename,
    replace,
    slots,
    tensor,
    under,
    when,
    without,
)
from cfgexplain.families.vision import patch_conv, tower_keys

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key


def sam_keys(**more: Key) -> dict[str, Key]:
    """SAM's keys; ``mlp_ratio`` counts only where ``mlp_dim`` is null."""
    return {
        **tower_keys(
            image=1024, act="gelu", ratio=key("mlp_ratio", 4.0, "int float"), qkv_bias=key("qkv_bias", True),
            absolute=key("use_abs_pos", True), relative=key("use_rel_pos", True), window=key("window_size", 14),
            whole=key("global_attn_indexes", (2, 5, 8, 11)), out=key("output_channels", 256),
        ),
        "ffn": key("mlp_dim", E("int(hidden*ratio)")),
        **more,
    }


#: Two convolutions that bring the features to ``out`` channels.
NECK: Final[Slots] = slots(
    tensor("conv1.weight", "vision", "out, hidden, 1, 1"), norm("layer_norm1", "vision", "out", bias="1"),
    tensor("conv2.weight", "vision", "out, out, 3, 3"), norm("layer_norm2", "vision", "out", bias="1"),
)

SAM_VISION: Final = Family(
    id="sam_vision_model",
    source="transformers 5.24 SamVisionConfig, SamVisionEncoder (relative positions over the window, or the image"
    " in global layers)",
    base="",
    keys=sam_keys(),
    lets={
        "grid": "pair(image, 0) // pair(patch, 0)",
        "side": "grid if i in whole or window == 0 else window",
    },
    body=slots(
        patch_conv("patch_embed.projection"),
        tensor("pos_embed", "position-embedding", "1, grid, grid, hidden", cond="absolute"),
        under(
            "layers.{i}.",
            norm("layer_norm1", bias="1"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "qkv_bias"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            when(
                "relative",
                tensor("attn.rel_pos_h", "attention", "2*side - 1, head_dim"),
                tensor("attn.rel_pos_w", "attention", "2*side - 1, head_dim"),
            ),
            norm("layer_norm2", bias="1"),
            plain_mlp("mlp.lin1", "mlp.lin2", bias="1"),
            layers="layers",
        ),
        under("neck.", NECK),
    ),
    norm=Norm("layernorm", final=False),
    head="Model",
    kv="0",
)

GOT_VISION: Final = replace(
    SAM_VISION,
    id="got_ocr2_vision",
    source="transformers 5.24 GotOcr2VisionConfig, GotOcr2VisionEncoder",
    keys=sam_keys(ffn=key("mlp_dim", 3072)),
)

#: DeepSeek-OCR 2 puts two more convolutions behind it.
DEEPSEEK_OCR2_SAM: Final = replace(
    SAM_VISION,
    id="deepseek_ocr2_sam_vision_model",
    source="transformers 5.24 DeepseekOcr2SamVisionConfig, DeepseekOcr2SamVisionEncoder",
    keys=sam_keys(down=key("downsample_channels", E("(512, 896)"), "list")),
    body=slots(
        SAM_VISION.body,
        tensor("proj.conv1.weight", "vision", "down[0], out, 3, 3"),
        tensor("proj.conv2.weight", "vision", "down[1], down[0], 3, 3"),
    ),
)
#: The same under its publisher's names.
DEEPSEEK_OCR2_SAM_PUBLISHED: Final = replace(
    DEEPSEEK_OCR2_SAM,
    id="deepseek_ocr2_sam_published",
    body=rename(
        DEEPSEEK_OCR2_SAM.body,
        {
            "neck.conv1.": "neck.0.", "neck.layer_norm1.": "neck.1.", "neck.conv2.": "neck.2.",
            "neck.layer_norm2.": "neck.3.",
            "proj.conv1.": "net_2.", "proj.conv2.": "net_3.", "layers.": "blocks.", "layer_norm1.": "norm1.",
            "layer_norm2.": "norm2.", "patch_embed.projection.": "patch_embed.proj.",
        },
    ),
)
#: What reads its features: Qwen 2's blocks without an embedding.
DEEPSEEK_OCR2_ENCODER: Final = replace(
    QWEN2,
    id="deepseek_ocr2_encoder",
    source="transformers 5.24 DeepseekOcr2VisionEncoderConfig, DeepseekOcr2VisionEncoder",
    keys={**QWEN2.keys, "head_dim": key((), E("hidden // heads"))},
    body=without(QWEN2.body, "embed_tokens.weight"),
    head="Model",
    kv="0",
)

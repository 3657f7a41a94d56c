"""MiniCPM-V: a SigLIP tower that merges patches half-way and again behind it, before a text model of another family.

Facts from transformers 5.24, ``models/minicpmv4_6``, ``minicpmv4_7``, ``minicpm_ocr``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import attention, linear, norm, replace, slots, under
from cfgexplain.families.vision import SIGLIP_VISION, tower_keys
from cfgexplain.families.wrappers import wrapper

#: Attention within a window, then the window's patches become one.
MINICPM_VISION: Final = replace(
    SIGLIP_VISION,
    id="minicpmv4_6_vision",
    source="transformers 5.24 MiniCPMV4_6VisionConfig, MiniCPMV4_6VisionModel (a merger after insert_layer_id)",
    keys=tower_keys(pool=key((), False), window=key("window_kernel_size", (2, 2))),
    lets={
        **SIGLIP_VISION.lets, "wide": "hidden*window[0]*window[1]", "inner": "ffn*window[0]*window[1]",
    },
    body=slots(
        SIGLIP_VISION.body,
        under(
            "vit_merger.",
            attention(o="out_proj", bias="1", kv_heads="heads"),
            norm("layer_norm1", bias="1"), norm("pre_norm", "other-norm", "wide", "1"),
            linear("linear_1", "vision", "", "inner", "wide", "1"),
            linear("linear_2", "vision", "", "hidden", "inner", "1"),
        ),
    ),
)
_PLAIN: Final = wrapper(
    "minicpmv4_6", "transformers 5.24 MiniCPMV4_6Config, MiniCPMV4_6Merger (merger_times steps, the last one to the"
    " text model's width)",
    text="qwen3_5_text", vision="minicpmv4_6_vision", fixed=True,
    more={"kernel": key("merge_kernel_size", (2, 2)), "times": key("merger_times", 1)},
    connector=under(
        "merger.mlp.{i}.",
        norm("pre_norm", "projector", "wide", "1"), linear("linear_1", "projector", "", "wide", "wide", "1"),
        linear("linear_2", "projector", "", "text.hidden if i == times - 1 else vision.hidden", "wide", "1"),
        layers="times",
    ),
)
MINICPMV4_6: Final = replace(
    _PLAIN, lets={"wide": "vision.hidden*kernel[0]*kernel[1]"}, open=(("mtp.", "mtp"),),
)
MINICPMV4_7: Final = replace(
    MINICPMV4_6, id="minicpmv4_7", source="transformers 5.24 MiniCPMV4_7Config, MiniCPMV4_7Merger",
)
MINICPM_OCR: Final = replace(
    MINICPMV4_6, id="minicpm_ocr", source="transformers 5.24 MiniCPMOcrConfig, MiniCPMOcrMerger",
    keys={**MINICPMV4_6.keys, "tie": key("tie_word_embeddings", True)},
)

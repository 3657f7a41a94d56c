"""LLaVA and the models put together like it: an image tower, a projector of one or two matrices, a text decoder.

Facts from transformers 5.24, ``models/<family>``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key, rope_theta
from cfgexplain.families.expr import function
from cfgexplain.families.llama import LLAMA
from cfgexplain.families.schema import (
    E,
    Family,
    Part,
    Slots,
    linear,
    lm_head,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.wrappers import wrapper


@function
def joined(layers: object) -> int:
    """How many of the tower's layers are read: ``vision_feature_layer`` is an index or a list of them."""
    return len(layers) if isinstance(layers, (list, tuple)) else 1


def two_matrices(bias: str = "bias", cols: str = "vision.hidden*joined(feature_layer)") -> Slots:
    """A projector: to the text model's width, then across it."""
    return slots(
        linear("linear_1", "projector", "", "text.hidden", cols, bias),
        linear("linear_2", "projector", "", "text.hidden", "text.hidden", bias),
    )


#: CLIP's large tower, which LLaVA takes where its config names none.
CLIP_LARGE: Final = (
    ("hidden_size", 1024), ("intermediate_size", 4096), ("patch_size", 14), ("image_size", 336),
    ("num_hidden_layers", 24), ("num_attention_heads", 16),
)
BIAS: Final = {"bias": key("multimodal_projector_bias", True)}
LAYER: Final = {**BIAS, "feature_layer": key("vision_feature_layer", -2, "int list", -4096)}
PROJECTOR: Final = under("multi_modal_projector.", two_matrices())
NEWLINE: Final = tensor("image_newline", "projector", "text.hidden")

_LLAVA: Final = wrapper(
    "llava", "transformers 5.24 LlavaConfig, LlavaForConditionalGeneration", text="llama", vision="clip_vision_model",
    older=True, either=True, absent=CLIP_LARGE, more=LAYER, connector=PROJECTOR,
)
#: Configs of LLaVA's own code have the text model's keys, and those of its projector, at the top.
_FLAT: Final = "nested is None and projected is not None"
LLAVA: Final = replace(
    _LLAVA,
    keys={
        **_LLAVA.keys, "nested": key("text_config", None, "dict"), "projected": key("mm_hidden_size", None, "int"),
        "classes": key("architectures", None, "list"),
    },
    lets={"flat": _FLAT, "qwenish": "bool(classes) and 'Qwen' in str(classes[0])"},
    body=when("not flat", _LLAVA.body),
    heads={**_LLAVA.heads, "ForCausalLM": ()},
    parts=(
        *(p._replace(when="not flat") for p in _LLAVA.parts),
        Part("llama", "", "llava_llama", "model.", "", main=True, fixed=True, cls="ForCausalLM",
            when="flat and not qwenish"),
        Part("qwen", "", "llava_qwen", "model.", "", main=True, fixed=True, cls="ForCausalLM", when="flat and qwenish"),
    ),
)
LLAVA_NEXT: Final = wrapper(
    "llava_next", "transformers 5.24 LlavaNextConfig, LlavaNextForConditionalGeneration", text="llama",
    vision="clip_vision_model", older=True, absent=CLIP_LARGE, more=LAYER, connector=slots(PROJECTOR, NEWLINE),
)
LLAVA_NEXT_VIDEO: Final = wrapper(
    "llava_next_video", "transformers 5.24 LlavaNextVideoConfig, LlavaNextVideoForConditionalGeneration",
    text="llama", vision="clip_vision_model", older=True, either=True, absent=CLIP_LARGE, more=LAYER,
    connector=slots(PROJECTOR, NEWLINE),
)
LLAVA_ONEVISION: Final = wrapper(
    "llava_onevision", "transformers 5.24 LlavaOnevisionConfig, LlavaOnevisionForConditionalGeneration",
    text="qwen2", vision="siglip_vision_model", older=True, either=True,
    absent=(
        ("hidden_size", 1152), ("intermediate_size", 4304), ("patch_size", 14), ("image_size", 384),
        ("num_hidden_layers", 26), ("num_attention_heads", 16), ("vision_use_head", False),
    ),
    more={**BIAS, "feature_layer": key("vision_feature_layer", -1, "int list", -4096)},
    connector=slots(PROJECTOR, NEWLINE),
)
_FIVE: Final = "vision.hidden*joined(feature_layer)"
VIPLLAVA: Final = wrapper(
    "vipllava", "transformers 5.24 VipLlavaConfig, VipLlavaMultiModalProjector (five layers of the tower, normalised)",
    text="llama", vision="clip_vision_model", older=True, absent=CLIP_LARGE,
    more={"feature_layer": key("vision_feature_layer", (-2, -5, -8, -11, 6), "int list", -4096)},
    connector=under(
        "multi_modal_projector.", norm("projector_layernorm", "projector", _FIVE, bias="1"), two_matrices("1", _FIVE),
    ),
)

#: A tower for images and a second one for frames.
VIDEO_LLAVA: Final = wrapper(
    "video_llava", "transformers 5.24 VideoLlavaConfig, VideoLlavaForConditionalGeneration", text="llama",
    vision="clip_vision_model", tower="image_tower.", older=True,
    absent=tuple((k, 224 if k == "image_size" else v) for k, v in CLIP_LARGE), more=LAYER, connector=PROJECTOR,
    parts=(
        Part(
            "video", "vision_config", "clip_vision_model", "video_tower.", role="vision",
            absent=tuple((k, 224 if k == "image_size" else v) for k, v in CLIP_LARGE),
        ),
    ),
)
_MERGER: Final = tensor("patch_merger.merging_layer.weight", "projector", "vision.hidden, vision.hidden*merge*merge")
PIXTRAL_LARGE: Final = (
    ("hidden_size", 1024), ("intermediate_size", 4096), ("patch_size", 14), ("image_size", 1540),
    ("num_hidden_layers", 24), ("num_attention_heads", 16),
)
MISTRAL3: Final = wrapper(
    "mistral3", "transformers 5.24 Mistral3Config, Mistral3MultiModalProjector (the norm's ε is the text model's)",
    text="mistral", vision="pixtral", older=True, tie=True, absent=PIXTRAL_LARGE,
    text_absent=(
        ("head_dim", 128), ("hidden_size", 5120), ("intermediate_size", 32768), ("vocab_size", 131072),
        ("num_hidden_layers", 40), ("num_key_value_heads", 8), ("rms_norm_eps", 1e-5), ("sliding_window", None),
    ),
    more={
        "bias": key("multimodal_projector_bias", False), "merge": key("spatial_merge_size", 2),
        "feature_layer": key("vision_feature_layer", -1, "int list", -4096),
    },
    connector=under("multi_modal_projector.", norm("norm", "projector", "vision.hidden"), _MERGER, two_matrices()),
)
LIGHTON_OCR: Final = wrapper(
    "lighton_ocr", "transformers 5.24 LightOnOcrConfig, LightOnOcrForConditionalGeneration", text="qwen3",
    vision="pixtral", tower="vision_encoder.", tie=True, absent=PIXTRAL_LARGE,
    text_absent=(
        ("head_dim", 128), ("hidden_size", 1024), ("intermediate_size", 3072), ("num_attention_heads", 16),
        ("num_hidden_layers", 28), ("num_key_value_heads", 8), ("vocab_size", 151936),
    ),
    more={"merge": key("spatial_merge_size", 2)},
    connector=under(
        "vision_projection.", norm("norm", "projector", "vision.hidden"), _MERGER, two_matrices("", "vision.hidden"),
    ),
)
PALIGEMMA: Final = wrapper(
    "paligemma", "transformers 5.24 PaliGemmaConfig, PaliGemmaForConditionalGeneration", text="gemma",
    vision="siglip_vision_model", older=True, tie=True,
    absent=(
        ("intermediate_size", 4096), ("hidden_size", 1152), ("patch_size", 14), ("image_size", 224),
        ("num_hidden_layers", 27), ("num_attention_heads", 16), ("vision_use_head", False),
    ),
    text_absent=(
        ("hidden_size", 2048), ("num_hidden_layers", 18), ("intermediate_size", 16384), ("num_attention_heads", 8),
        ("num_key_value_heads", 1), ("vocab_size", 257152),
    ),
    more={"projected": key("projection_dim", 2048)},
    connector=linear("multi_modal_projector.linear", "projector", "", "projected", "vision.hidden", "1"),
)
SMOLVLM: Final = wrapper(
    "smolvlm", "transformers 5.24 SmolVLMConfig, SmolVLMConnector", text="llama", vision="smolvlm_vision",
    tower="vision_model.", decoder="text_model.", fixed=True, more={"factor": key("scale_factor", 2)},
    connector=linear(
        "connector.modality_projection.proj", "projector", "", "text.hidden", "vision.hidden*factor*factor"
    ),
)
OVIS2: Final = wrapper(
    "ovis2", "transformers 5.24 Ovis2Config, Ovis2Model (an image is a mixture of the visual vocabulary's rows)",
    text="qwen2", vision="ovis2_vision", fixed=True, tie=True, more={"hidden": key("hidden_size", 1536)},
    connector=tensor("visual_embeddings_table.weight", "projector", "vision.vocab, hidden"),
)
_UNSHUFFLED: Final = "vision.hidden*factor*factor"
LFM2_VL: Final = wrapper(
    "lfm2_vl", "transformers 5.24 Lfm2VlConfig, Lfm2VlMultiModalProjector", text="lfm2", vision="siglip2_vision_model",
    more={
        "tie": key(("tie_embedding", "tie_word_embeddings"), True), "factor": key("downsample_factor", 2),
        "projected": key("projector_hidden_size", 2560), "bias": key("projector_bias", True),
        "normed": key("projector_use_layernorm", True),
    },
    connector=under(
        "multi_modal_projector.",
        when("normed", norm("layer_norm", "projector", _UNSHUFFLED, bias="1")),
        linear("linear_1", "projector", "", "projected", _UNSHUFFLED, "bias"),
        linear("linear_2", "projector", "", "text.hidden", "projected", "bias"),
    ),
)
LFM3_VL: Final = wrapper(
    "lfm3_vl", "transformers 5.24 Lfm3VlConfig, Lfm3VlMultiModalProjector", text="lfm3", vision="lfm3_vl_vision",
    fixed=True, tie=True, more={"projected": key("projector_hidden_size", 4096), "bias": key("projector_bias", True)},
    connector=under(
        "multi_modal_projector.",
        norm("layer_norm", "projector", "vision.hidden", bias="1"),
        linear("linear_1", "projector", "", "projected", "vision.hidden*vision.merge*vision.merge", "bias"),
        linear("linear_2", "projector", "", "text.hidden", "projected", "bias"),
    ),
)
VIDEO_LLAMA_3: Final = wrapper(
    "video_llama_3", "transformers 5.24 VideoLlama3Config, VideoLlama3Projector", text="qwen2",
    vision="video_llama_3_vision", tower="vision_model.", fixed=True, either=True,
    connector=slots(
        linear("projector.readout.0", "projector", "", "text.hidden", "vision.hidden", "1"),
        linear("projector.readout.2", "projector", "", "text.hidden", "text.hidden", "1"),
    ),
)
#: SigLIP behind an MLP that joins two by two patches; names as published.
PADDLEOCR_VL: Final = Family(
    id="paddleocr_vl",
    source="transformers 5.24 PaddleOCRVLConfig, PaddleOCRProjector; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", True), "inner_tie": key("text_config.tie_word_embeddings", True)},
    lets={"wide": "vision.hidden*vision.merge*vision.merge"},
    body=under(
        "mlp_AR.", norm("pre_norm", "projector", "vision.hidden", bias="1"),
        linear("linear_1", "projector", "", "wide", "wide", "1"),
        linear("linear_2", "projector", "", "text.hidden", "wide", "1"),
    ),
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden", tie="tie or inner_tie")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "paddleocr_vl_text", "model.", main=True, fixed=True, flat=True),
        Part(
            "vision", "vision_config", "paddleocr_vl_vision", "visual.vision_model.", role="vision", fixed=True
        ),
    ),
    renames=(
        (
            (r"^model\.visual\.", "visual."), (r"^model\.projector\.", "mlp_AR."),
            (r"^model\.language_model\.", "model."),
        ),
    ),
    # A pooling head that the published file has and no release reads.
    open=(),
)
PADDLEOCR_VL_TEXT: Final = replace(
    LLAMA,
    id="paddleocr_vl_text",
    source="transformers 5.24 PaddleOCRTextConfig, PaddleOCRAttention, PaddleOCRMLP",
    keys={
        **LLAMA.keys, "vocab": key("vocab_size", 103424), "hidden": key("hidden_size", 1024),
        "ffn": key("intermediate_size", 3072), "layers": key("num_hidden_layers", 18),
        "heads": key("num_attention_heads", 16), "kv_heads": key("num_key_value_heads", 2, null=E("heads")),
        "head_dim": key("head_dim", 128, null=E("hidden // heads")), "eps": key("rms_norm_eps", 1e-5),
        "tie": key("tie_word_embeddings", True), "attention_bias": key("use_bias", False),
        "mlp_bias": key("use_bias", False),
        "theta": rope_theta(500000.0), "max_pos": key("max_position_embeddings", 131072),
    },
)

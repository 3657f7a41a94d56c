"""Image-text wrappers that are a text decoder, an image tower and a projector, under the names that they share.

Facts from transformers 5.24, ``models/<family>``. Two layouts are on disk: names that begin with ``model.``, and the
older ones (``language_model.model.``) that the library still writes for the families that were published so. Which
one a checkpoint has is seen from the names (``renames``). The outer ``tie_word_embeddings`` decides about the head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import Family, Part, Slots, linear, lm_head, norm, replace, slots, tensor, under
from cfgexplain.families.vision_sam import NECK

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key

    Rule = tuple[tuple[str, str], ...]

#: Towers and projectors under the names that wrappers give them.
_SIDES: Final = (
    r"^(vision_tower|vision_model|visual|multi_modal_projector|aligner|connector|image_newline|audio_tower|projector)\b"
)
#: Towers that once had a level more inside.
_FLAT: Final = (r"(^|\.)(vision_tower|vision_model)\.vision_model\.", r"\1\2.")
#: Names of before release 4.52 where today's begin with ``model.``.
OLDER: Final[tuple[Rule, ...]] = (
    (_FLAT,),
    (
        (r"^language_model\.model\.", "model.language_model."), (r"^language_model\.lm_head\.", "lm_head."),
        (_SIDES, r"model.\1"), _FLAT,
    ),
)
#: Names of today where the library still writes the older ones.
NEWER: Final[tuple[Rule, ...]] = (
    (_FLAT,),
    (
        (r"^model\.language_model\.", "language_model.model."), (r"^lm_head\.", "language_model.lm_head."),
        (r"^model\.", ""), _FLAT,
    ),
)


def wrapper(
    name: str, source: str, *, text: str, vision: str, connector: Slots = (), tie: bool = False,
    tower: str = "vision_tower.", older: bool = False, either: bool = False, fixed: bool = False,
    text_fixed: bool = False, text_absent: tuple[tuple[str, object], ...] = (),
    absent: tuple[tuple[str, object], ...] = (), decoder: str = "language_model.",
    more: dict[str, Key] | None = None, parts: tuple[Part, ...] = (),
) -> Family:
    """A wrapper around one text decoder and one image tower.

    Args:
        text, vision: families of the parts where their configs do not say.
        connector: the projector's tensors, names without ``model.``.
        tie: default of the outer ``tie_word_embeddings``.
        tower: where the image tower stands, without ``model.``.
        older: the library writes the older names.
        either: the text config's ``tie_word_embeddings`` ties the head too.
        fixed: the image tower is of the one family, whatever its config says; ``text_fixed`` the decoder.
        text_absent, absent: configs that stand in for missing ones.
        decoder: where the decoder stands, without ``model.``.
        more: further keys; parts: further parts.
    """
    base = "" if older else "model."
    head = lm_head(
        "language_model.lm_head" if older else "lm_head", "text.vocab", "text.hidden",
        tie="tie or inner_tie" if either else "tie",
    )
    return Family(
        id=name,
        source=source,
        base=base.rstrip("."),
        keys={
            "tie": key("tie_word_embeddings", tie),
            **({"inner_tie": key("text_config.tie_word_embeddings", False)} if either else {}),
            **(more or {}),
        },
        body=connector,
        heads={"ForConditionalGeneration": head},
        head="ForConditionalGeneration",
        parts=(
            Part(
                "text", "text_config", text, "language_model.model." if older else f"model.{decoder}", main=True,
                fixed=text_fixed, absent=text_absent,
            ),
            Part("vision", "vision_config", vision, f"{base}{tower}", role="vision", fixed=fixed, absent=absent),
            *parts,
        ),
        renames=NEWER if older else OLDER,
    )


def mlp2(
    first: str, second: str, wide: str, inner: str = "text.hidden", out: str = "text.hidden", half: str = ""
) -> Slots:
    """A projector of two linear layers with biases; ``half`` where a gate halves what is between them."""
    return slots(
        linear(first, "projector", "", inner, wide, "1"), linear(second, "projector", "", out, half or inner, "1"),
    )


# --- one decoder, one tower ---

ARIA: Final = wrapper(
    "aria", "transformers 5.24 AriaConfig, AriaProjector (as many queries as the largest image asks for)",
    text="aria_text", vision="idefics3_vision", older=True, text_fixed=True,
    more={
        "queries": key("projector_patch_to_query_dict", None, "dict"),
    },
    connector=under(
        "multi_modal_projector.",
        tensor("query", "projector", "max(queries.values()) if queries else 256, vision.hidden"),
        *(tensor(f"cross_attn.{m}_proj.weight", "projector", "vision.hidden, vision.hidden") for m in "qkv"),
        tensor("cross_attn.multihead_attn.in_proj_weight", "projector", "3*vision.hidden, vision.hidden"),
        tensor("cross_attn.multihead_attn.in_proj_bias", "projector", "3*vision.hidden"),
        linear("cross_attn.multihead_attn.out_proj", "projector", "", "vision.hidden", "vision.hidden", "1"),
        linear("cross_attn.linear", "projector", "", "vision.hidden", "vision.hidden", "1"),
        norm("cross_attn.layer_norm", "projector", "vision.hidden", "1"),
        norm("cross_attn.layer_norm_kv", "projector", "vision.hidden", "1"),
        norm("layer_norm", "projector", "vision.hidden", "1"),
        linear("feed_forward.linear_in", "projector", "", "text.hidden", "vision.hidden"),
        linear("feed_forward.linear_out", "projector", "", "text.hidden", "text.hidden"),
    ),
)

#: Patches of a square are joined; SwiGLU between the two layers.
_SHUFFLED: Final = "vision.hidden*factor**2"
AYA_VISION: Final = wrapper(
    "aya_vision", "transformers 5.24 AyaVisionConfig, AyaVisionMultiModalProjector",
    text="cohere2", vision="siglip_vision_model", older=True, tie=True,
    absent=(
        ("hidden_size", 1152), ("intermediate_size", 4304), ("patch_size", 14), ("image_size", 384),
        ("num_hidden_layers", 26), ("num_attention_heads", 14), ("vision_use_head", False),
    ),
    more={"factor": key("downsample_factor", 2), "align": key("alignment_intermediate_size", None, "int")},
    connector=under(
        "multi_modal_projector.",
        norm("layernorm", "projector", _SHUFFLED, "1"),
        mlp2("linear_1", "linear_2", _SHUFFLED, "align or text.hidden", half="(align or text.hidden) // 2"),
    ),
)
COHERE2_VISION: Final = wrapper(
    "cohere2_vision", "transformers 5.24 Cohere2VisionConfig, Cohere2VisionMultiModalProjector",
    text="cohere2", vision="siglip_vision_model", tie=True,
    absent=(
        ("hidden_size", 1152), ("intermediate_size", 3072), ("image_size", 512), ("num_hidden_layers", 27),
        ("num_attention_heads", 12),
    ),
    more={"factor": key("downsample_factor", 2), "align": key("alignment_intermediate_size", 36864)},
    connector=under("multi_modal_projector.", mlp2("linear_1", "linear_2", _SHUFFLED, "align", half="align // 2")),
)
COHERE_COMPASS: Final = wrapper(
    "cohere_compass", "transformers 5.24 CohereCompassConfig, CohereCompassForConditionalGeneration",
    text="cohere_compass_text", vision="cohere_compass_vision", tower="visual.", fixed=True, text_fixed=True,
)
DEEPSEEK_VL: Final = wrapper(
    "deepseek_vl", "transformers 5.24 DeepseekVLConfig, DeepseekVLAligner",
    text="llama", vision="siglip_vision_model", tower="vision_model.", tie=True,
    connector=under("aligner.", mlp2("linear1", "linear2", "vision.hidden")),
)
DEEPSEEK_VL_HYBRID: Final = wrapper(
    "deepseek_vl_hybrid",
    "transformers 5.24 DeepseekVLHybridConfig, DeepseekVLHybridModel (a second tower, SAM's, for detail)",
    text="llama", vision="siglip_vision_model", tower="vision_model.", tie=True,
    more={
        "out": key("high_res_vision_config.output_channels", 256),
        "hidden": key("high_res_vision_config.hidden_size", 768),
    },
    parts=(
        Part(
            "detail", "high_res_vision_config", "sam_vision_model", "model.high_res_vision_model.vision_encoder.",
            role="vision",
        ),
    ),
    connector=slots(
        tensor("high_res_vision_alpha", "projector", "1"),
        under("high_res_vision_neck.", NECK),
        tensor("high_res_vision_proj.conv1.weight", "projector", "2*out, out, 3, 3"),
        tensor("high_res_vision_proj.conv2.weight", "projector", "4*out, 2*out, 3, 3"),
        linear("aligner.vision_proj", "projector", "", "text.hidden // 2", "vision.hidden", "1"),
        linear("aligner.high_res_vision_proj", "projector", "", "text.hidden // 2", "4*out", "1"),
        linear("aligner.proj", "projector", "", "text.hidden", "text.hidden", "1"),
    ),
)
EXAONE4_5: Final = replace(
    wrapper(
        "exaone4_5", "transformers 5.24 Exaone4_5_Config, Exaone4_5_ForConditionalGeneration",
        text="exaone4", vision="exaone4_5_vision", tower="visual.", fixed=True,
    ),
    open=(("mtp.", "mtp"),),
)
GOT_OCR2: Final = wrapper(
    "got_ocr2", "transformers 5.24 GotOcr2Config, GotOcr2MultiModalProjector",
    text="qwen2", vision="got_ocr2_vision", older=True, tie=True, fixed=True,
    text_absent=(
        ("vocab_size", 151860), ("hidden_size", 1024), ("intermediate_size", 2816), ("num_hidden_layers", 24),
        ("num_attention_heads", 16), ("num_key_value_heads", 16), ("tie_word_embeddings", True),
    ),
    connector=under(
        "multi_modal_projector.",
        tensor("conv_upsampler1.weight", "projector", "2*vision.out, vision.out, 3, 3"),
        tensor("conv_upsampler2.weight", "projector", "text.hidden, 2*vision.out, 3, 3"),
        linear("multimodal_projector", "projector", "", "text.hidden", "text.hidden", "1"),
    ),
)
_HYPERCLOVAX: Final = wrapper(
    "hyperclovax_vision_v2", "transformers 5.24 HyperCLOVAXVisionV2Config, HyperCLOVAXVisionV2Model",
    text="hyperclovax", vision="qwen2_5_vl_vision", tower="vision_model.", tie=True,
    connector=linear("vision_projector", "projector", "", "text.hidden", "vision.out", "1"),
)
#: The head is saved inside the text model.
HYPERCLOVAX_VISION_V2: Final = replace(
    _HYPERCLOVAX,
    heads={"ForConditionalGeneration": lm_head("model.language_model.lm_head", "text.vocab", "text.hidden")},
    renames=(*_HYPERCLOVAX.renames, ((r"^lm_head\.", "model.language_model.lm_head."),)),
)
IDEFICS3: Final = wrapper(
    "idefics3", "transformers 5.24 Idefics3Config, Idefics3Connector",
    text="llama", vision="idefics3_vision", tower="vision_model.", decoder="text_model.", fixed=True,
    text_absent=(("rms_norm_eps", 1e-5),),
    more={"factor": key("scale_factor", 2)},
    connector=linear("connector.modality_projection.proj", "projector", "", "text.hidden", _SHUFFLED),
)
#: ``downsample_ratio`` 0.5 joins two by two patches.
_INTERNVL: Final = "vision.hidden*int(1/ratio)**2"
INTERNVL: Final = wrapper(
    "internvl", "transformers 5.24 InternVLConfig, InternVLMultiModalProjector",
    text="qwen2", vision="internvl_vision", older=True, tie=True, fixed=True,
    more={"ratio": key("downsample_ratio", 0.5, "int float")},
    connector=under(
        "multi_modal_projector.",
        norm("layer_norm", "projector", _INTERNVL, "1"), mlp2("linear_1", "linear_2", _INTERNVL),
    ),
)
FUYU: Final = replace(
    ARIA,
    id="fuyu",
    source="transformers 5.24 FuyuConfig, FuyuModel (patches go straight to the decoder)",
    keys={
        "tie": key("tie_word_embeddings", False),
        "patch": key("patch_size", 30), "channels": key("num_channels", 3),
    },
    body=linear("vision_embed_tokens", "projector", "", "text.hidden", "patch*patch*channels", "1"),
    heads={"ForCausalLM": ARIA.heads["ForConditionalGeneration"]},
    head="ForCausalLM",
    parts=(
        Part(
            "text", "text_config", "persimmon", "language_model.model.", main=True,
            absent=(
                ("vocab_size", 262144), ("max_position_embeddings", 16384), ("hidden_size", 4096),
                ("intermediate_size", 16384), ("num_hidden_layers", 36), ("num_attention_heads", 64),
                ("qk_layernorm", True),
            ),
        ),
    ),
)

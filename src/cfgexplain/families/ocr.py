"""Readers of pages and charts: DeepSeek-OCR's relatives, InternVL's published layout, PaddlePaddle's models.

Facts from transformers 5.24, ``models/{unlimited_ocr,qianfan_ocr,pp_chart2table,pp_formulanet}``, and OpenGVLab's
``modeling_internvl_chat.py``, ``modeling_intern_vit.py`` (remote code). Names as published.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.bart import decoder_layer
from cfgexplain.families.common import decoder_heads, decoder_keys, key
from cfgexplain.families.llama import ATTN, MLP, PRE_NORMS, decoder
from cfgexplain.families.moe_blocks import first_dense, mlp_types, moe_keys, router, split_or_stacked
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    embedding,
    gated_mlp,
    linear,
    lm_head,
    norm,
    plain_mlp,
    rename,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import CLIP_VISION, PATCHES, patch_conv, tower_keys
from cfgexplain.families.vision_sam import DEEPSEEK_OCR2_SAM, GOT_VISION, sam_keys
from cfgexplain.families.wrappers import GOT_OCR2

# --- Unlimited-OCR ---

UNLIMITED_OCR_TEXT: Final = Family(
    id="unlimited_ocr_text",
    source="transformers 5.24 UnlimitedOcrTextConfig, UnlimitedOcrTextDecoderLayer (DeepSeek's experts)",
    base="model",
    keys={
        **decoder_keys(hidden=1280, ffn=6848, layers=12, heads=10, kv_heads=10, vocab=129280, eps=1e-6, max_pos=32768,
                       attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
                       window=key("sliding_window", 128, "int", null=E("None")),
                       layer_types=key("layer_types", None, "list")),
        "head_dim": key((), E("hidden // heads")),
        **moe_keys(experts=64, top_k=6, moe_ffn=896, shared=2,
            names=("n_routed_experts", "num_local_experts", "num_experts")),
        **mlp_types(), **first_dense(1),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense"},
    body=decoder(
        ATTN, when("not sparse", MLP),
        when("sparse", router(), split_or_stacked(),
            gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts", "mlp_bias")),
        PRE_NORMS,
    ),
    heads=decoder_heads(),
    layer_kind="'full' if (layer_types[i] == 'full_attention' if layer_types else not window) else 'sliding'",
)
#: DeepSeek-OCR's own names for SAM and the two convolutions behind it.
UNLIMITED_SAM: Final = replace(
    DEEPSEEK_OCR2_SAM,
    id="unlimited_ocr_sam_vision_model",
    source="transformers 5.24 UnlimitedOcrSamVisionConfig, UnlimitedOcrSamVisionEncoder",
    keys=sam_keys(down=key("downsample_channels", E("(512, 1024)"), "list"), ffn=key("mlp_dim", 3072)),
    body=rename(
        DEEPSEEK_OCR2_SAM.body,
        {
            "neck.conv1": "neck.0", "neck.layer_norm1": "neck.1", "neck.conv2": "neck.2", "neck.layer_norm2": "neck.3",
            "proj.conv1": "net_2", "proj.conv2": "net_3", "patch_embed.projection": "patch_embed.proj",
            "layers.{i}.layer_norm": "blocks.{i}.norm", "layers.{i}.": "blocks.{i}.",
        },
    ),
)
#: CLIP behind SAM: it gets features, so it has no convolution of its own.
UNLIMITED_CLIP: Final = replace(
    CLIP_VISION,
    id="unlimited_ocr_vision_encoder",
    source="transformers 5.24 UnlimitedOcrVisionEncoderConfig, UnlimitedOcrVisionEncoder",
    keys=tower_keys(hidden=1024, ffn=4096, layers=24, heads=16, image=224, patch=14, eps=1e-5, act="quick_gelu"),
    heads={},
    renames=(),
    body=slots(
        tensor("embeddings.class_embedding", "vision", "hidden"),
        embedding("embeddings.position_embedding", "patches + 1", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, patches + 1", kind="buffer"),
        norm("pre_layrnorm", "other-norm", bias="1"),
        under(
            "transformer.layers.{i}.",
            norm("layer_norm1", bias="1"), norm("layer_norm2", bias="1"),
            linear("self_attn.qkv_proj", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("self_attn.out_proj", "attention", "o", "hidden", "hidden", "1"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
    ),
)
UNLIMITED_OCR: Final = Family(
    id="unlimited_ocr",
    source="transformers 5.24 UnlimitedOcrConfig, UnlimitedOcrForConditionalGeneration",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=slots(
        linear("model.projector.layers", "projector", "", "text.hidden", "sam.down[-1] + vision.hidden", "1"),
        tensor("model.image_newline", "projector", "text.hidden"),
        tensor("model.view_seperator", "projector", "text.hidden"),
    ),
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "unlimited_ocr_text", "model.", main=True, fixed=True),
        Part("sam", "vision_config.sam_config", "unlimited_ocr_sam_vision_model", "model.sam_model.", role="vision",
            fixed=True),
        Part("vision", "vision_config.encoder_config", "unlimited_ocr_vision_encoder", "model.vision_model.",
            role="vision", fixed=True),
    ),
)

# --- InternVL as OpenGVLab publishes it, and Qianfan-OCR ---

_RMS: Final = "norm_type == 'layer_norm'"
INTERN_VIT: Final = replace(
    CLIP_VISION,
    id="intern_vit_6b",
    source="OpenGVLab InternViT, configuration_intern_vit.py, modeling_intern_vit.py (remote code)",
    keys=tower_keys(
        hidden=3200, ffn=12800, layers=48, heads=25, image=224, patch=14, act="gelu",
        qkv_bias=key(("qkv_bias", "attention_bias"), False), qk_norm=key(("qk_normalization", "use_qk_norm"), True),
        norm_type=key("norm_type", "rms_norm"),
    ),
    lets=PATCHES,
    heads={},
    renames=(),
    body=slots(
        tensor("embeddings.class_embedding", "vision", "1, 1, hidden"),
        patch_conv("embeddings.patch_embedding"),
        tensor("embeddings.position_embedding", "position-embedding", "1, patches + 1, hidden"),
        under(
            "encoder.layers.{i}.",
            tensor("ls1", "vision", "hidden"), tensor("ls2", "vision", "hidden"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "qkv_bias"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            when("qk_norm", norm("attn.q_norm", "attention-norm"), norm("attn.k_norm", "attention-norm")),
            norm("norm1", bias=_RMS), norm("norm2", bias=_RMS),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
    ),
)
QIANFAN_VISION: Final = replace(
    INTERN_VIT,
    id="qianfan_ocr_vision",
    source="transformers 5.24 QianfanOCRVisionConfig, QianfanOCRVisionModel",
    keys={
        **INTERN_VIT.keys, "hidden": key("hidden_size", 1024), "ffn": key("intermediate_size", 4096),
        "layers": key("num_hidden_layers", 24), "heads": key("num_attention_heads", 16),
        "image": key("image_size", 448, "int list"), "qkv_bias": key("attention_bias", True),
        "qk_norm": key("use_qk_norm", False), "norm_type": key("norm_type", "layer_norm"),
        "absolute": key("use_absolute_position_embeddings", True), "mask": key("use_mask_token", False),
        "mean": key("use_mean_pooling", True),
    },
    body=slots(
        (s if "position_embedding" not in s.name else s._replace(when="absolute") for s in INTERN_VIT.body),
        tensor("embeddings.mask_token", "vision", "1, 1, hidden", cond="mask"),
        when("not mean", norm("layernorm", "final-norm", bias="1")),
    ),
)
_SHUFFLED: Final = "vision.hidden*int(1/ratio)**2"
MLP1: Final[Slots] = under(
    "mlp1.", norm("0", "projector", _SHUFFLED, "1"), linear("1", "projector", "", "text.hidden", _SHUFFLED, "1"),
    linear("3", "projector", "", "text.hidden", "text.hidden", "1"),
)
QIANFAN_OCR: Final = Family(
    id="qianfan_ocr",
    source="transformers 5.24 QianfanOCRConfig, QianfanOCRForConditionalGeneration",
    base="",
    keys={"tie": key("tie_word_embeddings", False), "ratio": key("downsample_ratio", 0.5, "int float")},
    body=MLP1,
    heads={"ForConditionalGeneration": lm_head("language_model.lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "qwen3", "language_model.model.", main=True),
        Part("vision", "vision_config", "qianfan_ocr_vision", "vision_model.", role="vision", fixed=True),
    ),
    # What the library saves: its renaming of the tower's layers catches the text model's too.
    renames=(((r"^language_model\.model\.encoder\.layers\.", "language_model.model.layers."),),),
)
INTERNVL_CHAT: Final = Family(
    id="internvl_chat",
    source="OpenGVLab/InternVL2_5-8B, modeling_internvl_chat.py (remote code; the head belongs to the text model)",
    base="",
    keys={"ratio": key("downsample_ratio", 0.5, "int float")},
    body=MLP1,
    heads={},
    head="ForCausalLM",
    parts=(
        Part("text", "llm_config", "internlm2", "language_model.{base}", "language_model.", main=True,
            cls="ForCausalLM"),
        Part("vision", "vision_config", "intern_vit_6b", "vision_model.", role="vision", fixed=True),
    ),
)

# --- PaddlePaddle ---

PP_CHART2TABLE: Final = replace(
    GOT_OCR2, id="pp_chart2table", source="transformers 5.24 PPChart2TableConfig (GotOcr2ForConditionalGeneration)",
)
PP_FORMULANET_VISION: Final = replace(
    GOT_VISION,
    id="pp_formulanet_vision",
    source="transformers 5.24 PPFormulaNetVisionConfig, PPFormulaNetVisionModel (a projector behind it)",
    keys=sam_keys(
        ffn=key("mlp_dim", 3072), image=key("image_size", 512, "int list"), a=key("post_conv_in_channels", 256),
        b=key("post_conv_mid_channels", 512), c=key("post_conv_out_channels", 1024), d=key("decoder_hidden_size", 512),
    ),
    body=slots(
        GOT_VISION.body,
        under(
            "multi_modal_projector.",
            tensor("conv1.weight", "projector", "b, a, 3, 3"), tensor("conv2.weight", "projector", "c, b, 3, 3"),
            linear("linear_1", "projector", "", "c", "c", "1"), linear("linear_2", "projector", "", "d", "c", "1"),
        ),
    ),
)
PP_FORMULANET_TEXT: Final = Family(
    id="pp_formulanet_text",
    source="transformers 5.24 PPFormulaNetTextConfig, PPFormulaNetTextModel (MBart's decoder; ε 1e-5 fixed)",
    base="model.decoder",
    keys={
        "vocab": key("vocab_size", 50000), "max_pos": key("max_position_embeddings", 2560),
        "layers": key("decoder_layers", 8), "ffn": key("decoder_ffn_dim", 2048),
        "heads": key("decoder_attention_heads", 16), "kv_heads": key((), E("heads")),
        "hidden": key(("d_model", "hidden_size"), 512), "head_dim": key((), E("hidden // heads")),
        "act": key("activation_function", "gelu"),
    },
    body=slots(
        embedding("embed_tokens"), embedding("embed_positions", "max_pos + 2", role="position-embedding"),
        norm("layernorm_embedding", "other-norm", bias="1"),
        under("layers.{i}.", decoder_layer(), layers="layers"),
        norm("layer_norm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm", eps=1e-5),
)
PP_FORMULANET: Final = Family(
    id="pp_formulanet",
    source="transformers 5.24 PPFormulaNetConfig, PPFormulaNetForConditionalGeneration (the head is never tied)",
    base="model",
    keys={"tie": key((), False)},
    body=(),
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden", tie="")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "pp_formulanet_text", "model.decoder.", main=True, fixed=True),
        Part("vision", "vision_config", "pp_formulanet_vision", "model.encoder.", role="vision", fixed=True),
    ),
)


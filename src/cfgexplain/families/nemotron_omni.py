"""Nemotron-H with NVIDIA's RADIO tower, π0's two experts, ShieldGemma 2 and MiniMax M3: wrappers that fit none
of the common layouts.

Facts from transformers 5.24, ``models/{nemotron_h_omni,radio,pi0,shieldgemma2,minimax_m3_vl}``; names as
published.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.gemma import GEMMA3
from cfgexplain.families.llama import GEMMA
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    attention,
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
    without,
)
from cfgexplain.families.vision import tower_keys
from cfgexplain.families.wrappers import wrapper

# --- Nemotron-H Omni ---

RADIO: Final = Family(
    id="radio",
    source="transformers 5.24 RadioConfig, RadioModel; names as published (timm's)",
    base="",
    keys={
        **tower_keys(hidden=1280, layers=32, heads=16, patch=16, act="gelu"),
        "ratio": key("mlp_ratio", 4.0, "int float"), "ffn": key((), E("int(hidden*ratio)")),
        "gated": key("use_swiglu_ffn", False), "qkv_bias": key("qkv_bias", True), "largest": key("max_img_size", 2048),
        "classes": key("num_cls_tokens", 3), "registers": key("num_registers", 7),
        "frames": key("video_temporal_patch_size", None, "int"),
        "summary": key("summary_idxs", (0, 1), null=E("(0, 1)")),
    },
    lets={"positions": "(largest // patch)**2", "pixels": "channels*patch*patch",
        "inner": "(int(ffn*2/3) + 7) // 8 * 8"},
    body=slots(
        under(
            "radio_model.model.patch_generator.",
            linear("embedder", "vision", "", "hidden", "pixels"),
            when("frames is not None", linear("video_embedder", "vision", "", "hidden", "frames*pixels")),
            tensor("pos_embed", "position-embedding", "1, positions, hidden"),
            tensor("cls_token.token", "vision", "classes + registers, hidden"),
        ),
        under(
            "radio_model.model.blocks.{i}.",
            norm("norm1", bias="1"), norm("norm2", bias="1"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "qkv_bias"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            when("not gated", plain_mlp("mlp.fc1", "mlp.fc2", bias="1")),
            when(
                "gated", linear("mlp.gate_proj", "ffn", "gate", "inner", "hidden", "1"),
                linear("mlp.up_proj", "ffn", "up", "inner", "hidden", "1"),
                linear("mlp.down_proj", "ffn", "down", "hidden", "inner", "1"),
            ),
            tensor("layer_scale1.lambda1", "vision", "hidden"), tensor("layer_scale2.lambda1", "vision", "hidden"),
            layers="layers",
        ),
        tensor("radio_model.summary_idxs", "buffer", "len(summary)", kind="buffer"),
        tensor("radio_model.input_conditioner.norm_mean", "buffer", "channels, 1, 1", kind="buffer"),
        tensor("radio_model.input_conditioner.norm_std", "buffer", "channels, 1, 1", kind="buffer"),
    ),
    norm=Norm("layernorm", final=False),
    head="Model",
    kv="0",
)
def _hears(part: str) -> Slots:
    """The projector of what the encoder heard."""
    return under(
        "sound_projection.",
        norm("norm", "projector", f"{part}.hidden"),
        linear("linear1", "projector", "", f"{part}.projected", f"{part}.hidden", f"{part}.projection_bias"),
        linear("linear2", "projector", "", "width", f"{part}.projected", f"{part}.projection_bias"),
    )


NEMOTRON_H_OMNI: Final = Family(
    id="nemotron_h_omni",
    source="transformers 5.24 NemotronH_Omni_Reasoning_V3_Config, NemotronH_Omni_Reasoning_V3 (squared ReLU between the"
    " projector's matrices)",
    base="",
    keys={
        "ratio": key("downsample_ratio", 0.5, "int float"), "projected": key("projector_hidden_size", 4096),
        "seen": key(("vision_hidden_size", "vit_hidden_size"), 1280),
        "heard": key("audio_config", None, "dict"), "heard_once": key("sound_config", None, "dict"),
        "older": key("llm_config", None, "dict"),
        "nested": key("text_config", None, "dict"),
        "predicts": key(("text_config.num_nextn_predict_layers", "llm_config.num_nextn_predict_layers"), 0),
    },
    lets={
        "wide": "seen*int(1/ratio)**2", "legacy": "older is not None and nested is None",
        "width": "llm.hidden if legacy else text.hidden",
    },
    body=slots(
        norm("mlp1.0", "projector", "wide"), linear("mlp1.1", "projector", "", "projected", "wide"),
        linear("mlp1.3", "projector", "", "width", "projected"),
        when("predicts", norm("vision_projector.vision_final_layernorm", "vision", "seen", "1")),
        when("heard is not None", _hears("audio")),
        when("heard is None and heard_once is not None", _hears("sound")),
    ),
    heads={},
    head="ForCausalLM",
    parts=(
        Part("text", "text_config", "nemotron_h", "language_model.{base}", "language_model.", main=True,
             cls="ForCausalLM", fixed=True, when="not legacy"),
        Part("llm", "llm_config", "nemotron_h", "language_model.{base}", "language_model.", main=True,
            cls="ForCausalLM",
             fixed=True, when="legacy"),
        Part("vision", "vision_config", "radio", "vision_model.", role="vision", fixed=True,
             absent=(("video_temporal_patch_size", 2),)),
        Part("audio", "audio_config", "parakeet_encoder", "sound_encoder.encoder.", role="audio", fixed=True,
            when="heard is not None"),
        Part("sound", "sound_config", "parakeet_encoder", "sound_encoder.encoder.", role="audio", fixed=True,
            when="heard is None and heard_once is not None"),
    ),
    # Windows and filters, which are computed anew.
    open=(("sound_encoder.encoder.feature_extractor.", "buffer"),),
)

# --- π0 ---

#: The action expert has no embedding of its own that it would use; one is stored under the head's name.
PI0_EXPERT: Final = replace(
    GEMMA,
    id="gemma",
    source="transformers 5.24 PI0Config, PI0Model",
    base="",
    body=without(GEMMA.body, "embed_tokens.weight"),
    heads={},
)
_PALI: Final = "paligemma_with_expert.paligemma.model."
PI0: Final = Family(
    id="pi0",
    source="transformers 5.24 PI0Config, PI0ForConditionalGeneration (PaliGemma beside an action expert)",
    base="",
    keys={
        "projected": key("vlm_config.projection_dim", 2048), "states": key("max_state_dim", 32),
        "actions": key("max_action_dim", 32),
    },
    body=slots(
        linear(f"{_PALI}multi_modal_projector.linear", "projector", "", "projected", "vision.hidden", "1"),
        tensor("paligemma_with_expert.gemma_expert.lm_head.weight", "other", "text.vocab, dit.hidden"),
        linear("state_proj", "projector", "", "dit.hidden", "states", "1"),
        linear("action_in_proj", "projector", "", "dit.hidden", "actions", "1"),
        linear("action_out_proj", "projector", "", "actions", "dit.hidden", "1"),
        linear("action_time_mlp_in", "projector", "", "dit.hidden", "2*dit.hidden", "1"),
        linear("action_time_mlp_out", "projector", "", "dit.hidden", "dit.hidden", "1"),
    ),
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "vlm_config.text_config", "gemma", f"{_PALI}language_model.model.", main=True,
            absent=(
                ("hidden_size", 2048), ("num_hidden_layers", 18), ("intermediate_size", 16384),
                ("num_attention_heads", 8), ("num_key_value_heads", 1), ("vocab_size", 257152),
            ),
        ),
        Part(
            "vision", "vlm_config.vision_config", "siglip_vision_model", f"{_PALI}vision_tower.", role="vision",
            absent=(
                ("intermediate_size", 4304), ("hidden_size", 1152), ("patch_size", 14), ("image_size", 224),
                ("num_hidden_layers", 27), ("num_attention_heads", 16), ("vision_use_head", False),
            ),
        ),
        Part(
            "dit", "dit_config", "pi0-expert", "paligemma_with_expert.gemma_expert.model.", role="other", fixed=True,
            absent=(
                ("hidden_size", 1024), ("num_hidden_layers", 18), ("intermediate_size", 4096),
                ("num_attention_heads", 8), ("num_key_value_heads", 1), ("head_dim", 256),
            ),
        ),
    ),
    renames=(
        (
            (r"^model\.", ""), (r"^paligemma_with_expert\.paligemma\.lm_head\.",
                f"{_PALI}language_model.model.embed_tokens."),
            (r"\.vision_tower\.vision_model\.", ".vision_tower."),
        ),
    ),
)

# --- ShieldGemma 2 ---

#: Gemma 3 inside a classifier that reads two of its tokens: the same names below ``model.``.
SHIELDGEMMA2: Final = replace(
    GEMMA3,
    id="shieldgemma2",
    source="transformers 5.24 ShieldGemma2Config, ShieldGemma2ForImageClassification (always tied)",
    keys={"outer_tie": key("tie_word_embeddings", False), "inner_tie": key("text_config.tie_word_embeddings", True)},
    lets={"tie": "outer_tie or inner_tie"},
    body=rename(GEMMA3.body, {"multi_modal_projector": "model.multi_modal_projector"}),
    heads={
        name: lm_head("model.language_model.lm_head", "text.vocab", "text.hidden")
        for name in ("ForConditionalGeneration", "ForImageClassification")
    },
    head="ForImageClassification",
    parts=tuple(p._replace(prefix="model." + p.prefix) for p in GEMMA3.parts),
    renames=(((r"\.vision_tower\.vision_model\.", ".vision_tower."),),),
)

# --- MiniMax M3 ---

M3_VISION: Final = Family(
    id="minimax_m3_vl_vision",
    source="transformers 5.24 MiniMaxM3VLVisionConfig, MiniMaxM3VLVisionModel (CLIP's blocks, rotary positions);"
    " names as published",
    base="",
    keys={
        **tower_keys(hidden=1280, ffn=5120, layers=32, heads=16, image=2016, patch=14, eps=1e-5, act="gelu"),
        "frames": key("temporal_patch_size", 2), "merge": key("spatial_merge_size", 2),
    },
    body=slots(
        tensor("embeddings.patch_embedding.weight", "vision", "hidden, channels, frames, patch, patch"),
        norm("pre_layrnorm", "other-norm", bias="1"),
        under(
            "encoder.layers.{i}.",
            norm("layer_norm1", bias="1"), norm("layer_norm2", bias="1"),
            attention(o="out_proj", bias="1", kv_heads="heads"), plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
    ),
    norm=Norm("layernorm", final=False),
    head="Model",
    kv="0",
)
#: A projector for each patch, and one that joins those of a square.
_M3_PROJECTOR: Final[Slots] = slots(
    linear("multi_modal_projector.linear_1", "projector", "", "projected", "vision.hidden", "1"),
    linear("multi_modal_projector.linear_2", "projector", "", "text.hidden", "projected", "1"),
    linear("patch_merge_mlp.linear_1", "projector", "", "projected", "text.hidden*vision.merge*vision.merge", "1"),
    linear("patch_merge_mlp.linear_2", "projector", "", "text.hidden", "projected", "1"),
)
_M3: Final = wrapper(
    "minimax_m3_vl", "transformers 5.24 MiniMaxM3VLConfig, MiniMaxM3SparseForConditionalGeneration; names as published",
    text="minimax_m3_vl_text", vision="minimax_m3_vl_vision", tower="vision_tower.vision_model.", older=True,
    either=True,
    fixed=True, text_fixed=True, more={"projected": key("projector_hidden_size", 6144)}, connector=_M3_PROJECTOR,
)
MINIMAX_M3_VL: Final = replace(_M3, renames=())

"""The multimodal models around Llama 4 and dots3: their towers and what joins them to the text model.

Facts from transformers 5.24, ``models/llama4`` and ``models/dots3_note``; dots3's names are as published.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.moe_odd import DOTS3_NOTE_TEXT, LLAMA4_TEXT, layer_value
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    attention,
    linear,
    lm_head,
    norm,
    plain_mlp,
    slots,
    tensor,
    under,
    when,
)

# --- Llama 4 ---

LLAMA4_VISION: Final = Family(
    id="llama4_vision_model",
    source="transformers 5.24 Llama4VisionConfig, Llama4VisionModel",
    base="",
    keys={
        "hidden": key("hidden_size", 768), "layers": key("num_hidden_layers", 34),
        "heads": key("num_attention_heads", 16),
        "kv_heads": key((), E("heads")), "head_dim": key((), E("hidden // heads")),
        "ffn": key("intermediate_size", 5632),
        "channels": key("num_channels", 3), "image": key("image_size", 448, "int list"),
        "patch": key("patch_size", 14, "int list"),
        "joined": key("projector_input_dim", 4096), "output": key("vision_output_dim", 7680),
        "projected": key("projector_output_dim", 4096), "eps": key("norm_eps", 1e-5), "act": key("hidden_act", "gelu"),
    },
    body=slots(
        tensor("class_embedding", "vision", "hidden"),
        tensor("positional_embedding_vlm", "vision", "(image // patch)**2 + 1, hidden"),
        linear("patch_embedding.linear", "vision", "", "hidden", "channels*patch*patch"),
        norm("layernorm_pre", "vision", bias="1"), norm("layernorm_post", "vision", bias="1"),
        under(
            "model.layers.{i}.",
            attention(bias="1", role="vision"), plain_mlp("mlp.fc1", "mlp.fc2", role="vision", bias="1"),
            norm("input_layernorm", "vision", bias="1"), norm("post_attention_layernorm", "vision", bias="1"),
            layers="layers",
        ),
        linear("vision_adapter.mlp.fc1", "vision", "", "joined", "ffn"),
        linear("vision_adapter.mlp.fc2", "vision", "", "projected", "projected"),
    ),
    norm=Norm("layernorm"),
    kv="0",
)
LLAMA4: Final = Family(
    id="llama4",
    source="transformers 5.24 Llama4Config, Llama4ForConditionalGeneration",
    base="",
    keys={"tie": key("text_config.tie_word_embeddings", False)},
    body=(),
    heads={
        "ForConditionalGeneration": linear(
            "multi_modal_projector.linear_1", "projector", "", "text.hidden", "vision.output",
        ),
        "ForCausalLM": (),
    },
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "text_config", LLAMA4_TEXT.id, "language_model.model.", "language_model.", main=True,
            cls="ForCausalLM"
        ),
        Part("vision", "vision_config", "llama4_vision_model", "vision_model.", role="vision"),
    ),
)

# --- dots3 ---

DOTS3_VISION: Final = Family(
    id="dots3_note_vision_encoder",
    source="transformers 5.24 Dots3NoteVisionConfig, Dots3NoteVisionModel (experts in the upper layers, more of them"
    " each time)",
    base="",
    keys={
        "hidden": key(("embed_dim", "hidden_size"), 1536), "layers": key("num_hidden_layers", 42),
        "heads": key(("num_heads", "num_attention_heads"), 24), "head_dim": key((), E("hidden // heads")),
        "ffn": key("intermediate_size", 4224), "moe_ffn": key("moe_intermediate_size", 2112),
        "channels": key("num_channels", 3),
        "patch": key("patch_size", 14), "attention_bias": key(("use_bias", "attention_bias"), False),
        "mlp_bias": key("mlp_bias", False),
        "experts": key("num_local_experts", 64), "mlp_types": key("mlp_layer_types", None, "list"),
        "pyramid": key("pyramid_num_routed", None, "list"), "per_layer": key("per_layer_config", None, "dict"),
        "merge": key(("adapter_merge_size", "spatial_merge_size"), 2), "output": key("adapter_out_dim", 5120),
        "eps": key("rms_norm_eps", 1e-5), "act": key("hidden_act", "silu"),
    },
    lets={
        "routed": (
            "pyramid[i] if pyramid else layer_value(per_layer, i, 'num_local_experts', experts) if per_layer or"
            " mlp_types"
            " else -1 if i < 25 else min(4*(i - 24), 64)"
        ),
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else routed > 0",
        "joined": "hidden*merge*merge",
    },
    body=slots(
        linear("patch_embed.proj", "vision", "", "hidden", "channels, patch, patch", "1"),
        norm("patch_embed.norm", "vision"),
        under(
            "blocks.{i}.",
            linear("attn.qkv", "vision", "", "3*hidden", "hidden", "attention_bias"),
            linear("attn.proj", "vision", "", "hidden", "hidden", "attention_bias"),
            norm("attn.q_norm", "vision", "head_dim"), norm("attn.k_norm", "vision", "head_dim"),
            norm("norm_1", "vision"), norm("norm_2", "vision"),
            when(
                "not sparse",
                linear("mlp.fc1", "vision", "", "ffn", "hidden", "mlp_bias"),
                linear("mlp.fc3", "vision", "", "ffn", "hidden", "mlp_bias"),
                linear("mlp.fc2", "vision", "", "hidden", "ffn", "mlp_bias"),
            ),
            when(
                "sparse", tensor("mlp.gate_weight", "vision", "routed, hidden"),
                tensor("mlp.router_bias", "buffer", "routed", kind="buffer"),
                under(
                    "mlp.experts.{e}.",
                    linear("fc1", "vision", "", "moe_ffn", "hidden"), linear("fc3", "vision", "", "moe_ffn", "hidden"),
                    linear("fc2", "vision", "", "hidden", "moe_ffn"),
                    experts="routed",
                ),
            ),
            layers="layers",
        ),
        norm("post_trunk_norm", "vision"),
        norm("adapter.ln_q", "vision", bias="1"),
        linear("adapter.mlp.0", "vision", "", "joined", "joined", "1"),
        linear("adapter.mlp.2", "vision", "", "output", "joined", "1"),
    ),
)
DOTS3_AUDIO: Final = Family(
    id="dots3_note_audio_encoder",
    source="transformers 5.24 Dots3NoteAudioConfig, Dots3NoteAudioModel",
    base="",
    keys={
        "hidden": key(("whisper_config.d_model", "hidden_size"), 1280),
        "layers": key(("whisper_config.encoder_layers", "num_hidden_layers"), 32),
        "heads": key(("whisper_config.encoder_attention_heads", "num_attention_heads"), 20),
        "ffn": key(("whisper_config.encoder_ffn_dim", "intermediate_size"), 5120),
        "down": key("downsample_hidden_size", 480), "mels": key(("whisper_config.num_mel_bins", "feature_size"), 128),
        "attention_bias": key("attention_bias", True), "eps": key((), 1e-5), "act": key("hidden_act", "silu"),
        "flat": key("conv_output_size", E("down*((mels + 7) // 8)")),
        "output": key(("whisper_adapter_out_dim", "adapter_output_size", "adapter_out_dim"), 5120),
    },
    body=slots(
        under(
            "dots_encoder.speech_encoder.",
            linear("conv2d1", "audio", "", "down", "1, 3, 3", "1"),
            linear("conv2d2", "audio", "", "down", "down, 3, 3", "1"),
            linear("conv2d3", "audio", "", "down", "down, 3, 3", "1"),
            linear("conv_out", "audio", "", "hidden", "flat"),
            under(
                "layers.{i}.",
                linear("self_attn.q_proj", "audio", "", "hidden", "hidden", "attention_bias"),
                linear("self_attn.k_proj", "audio", "", "hidden", "hidden"),
                linear("self_attn.v_proj", "audio", "", "hidden", "hidden", "attention_bias"),
                linear("self_attn.out_proj", "audio", "", "hidden", "hidden", "attention_bias"),
                linear("fc1", "audio", "", "2*ffn", "hidden", "1"), linear("fc2", "audio", "", "hidden", "ffn", "1"),
                norm("self_attn_layer_norm", "audio"), norm("final_layer_norm", "audio"),
                layers="layers",
            ),
            norm("layer_norm", "audio"),
        ),
        norm("audio_adapter.proj.0", "audio", bias="1"),
        linear("audio_adapter.proj.1", "audio", "", "output", "hidden", "1"),
        linear("audio_adapter.proj.3", "audio", "", "output", "output", "1"),
    ),
)
DOTS3_NOTE: Final = Family(
    id="dots3_note",
    source="transformers 5.24 Dots3NoteConfig, Dots3NoteForConditionalGeneration; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={c: lm_head(rows="text.vocab", cols="text.hidden") for c in ("ForConditionalGeneration", "ForCausalLM")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", DOTS3_NOTE_TEXT.id, "model.", main=True),
        Part(
            "vision", "vision_config", "dots3_note_vision_encoder", "vision_encoder.", role="vision",
            when="cls != 'ForCausalLM'"
        ),
        Part(
            "audio", "audio_config", "dots3_note_audio_encoder", "audio_encoder.", role="audio",
            when="cls != 'ForCausalLM'"
        ),
    ),
)

__all__ = ["DOTS3_AUDIO", "DOTS3_NOTE", "DOTS3_VISION", "LLAMA4", "LLAMA4_VISION", "layer_value"]

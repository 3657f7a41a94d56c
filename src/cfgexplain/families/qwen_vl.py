"""Qwen's decoders that see and hear: Qwen2-VL to Qwen3-VL, and the thinkers of the Omni models.

Facts from transformers 5.24, ``models/qwen2_vl``, ``qwen2_5_vl``, ``qwen3_vl``, ``qwen3_vl_moe``, ``qwen2_5_omni`` and
``qwen3_omni_moe``. The head is tied by the outer ``tie_word_embeddings``, in Qwen2-VL by either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key, rope_theta, window
from cfgexplain.families.llama import QWEN2, QWEN3
from cfgexplain.families.moe import QWEN3_MOE
from cfgexplain.families.schema import E, Family, Norm, Part, lm_head, norm, plain_mlp, replace, slots, tensor, under
from cfgexplain.families.schema import linear as line
from cfgexplain.families.talkers import QWEN2_5_OMNI_VOICE, QWEN3_OMNI_TALKER, QWEN3_OMNI_VOICE

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key, Slots

# --- text models: the defaults of their own config classes ---

QWEN2_VL_TEXT: Final = replace(
    QWEN2,
    source="transformers 5.24 Qwen2VLTextConfig, Qwen2VLAttention (q, k and v always biased, o never)",
    keys={
        **QWEN2.keys, "vocab": key("vocab_size", 152064), "hidden": key("hidden_size", 8192),
        "ffn": key("intermediate_size", 29568), "layers": key("num_hidden_layers", 80),
        "heads": key("num_attention_heads", 64), "kv_heads": key("num_key_value_heads", 8, null=E("heads")),
        "head_dim": key((), E("hidden // heads")), "eps": key("rms_norm_eps", 1e-5),
        "max_window_layers": key("max_window_layers", 80),
        "theta": rope_theta(1000000.0),
    },
)
QWEN2_5_OMNI_TEXT: Final = replace(
    QWEN2_VL_TEXT,
    source="transformers 5.24 Qwen2_5OmniTextConfig, Qwen2_5OmniAttention",
    keys={
        **QWEN2_VL_TEXT.keys, "hidden": key("hidden_size", 3584), "ffn": key("intermediate_size", 18944),
        "layers": key("num_hidden_layers", 28), "heads": key("num_attention_heads", 28),
        "kv_heads": key("num_key_value_heads", 4, null=E("heads")), "eps": key("rms_norm_eps", 1e-6),
        "head_dim": key("head_dim", E("hidden // heads")),  # no field of the class, and read all the same
        "window": window(32768), "max_window_layers": key("max_window_layers", 28),
    },
)
QWEN3_VL_TEXT: Final = replace(
    QWEN3,
    source="transformers 5.24 Qwen3VLTextConfig, Qwen3VLTextAttention",
    keys={**QWEN3.keys, "max_pos": key("max_position_embeddings", 128000),
        "theta": rope_theta(500000.0),
    },
    layer_kind="'full'",
)
QWEN3_VL_MOE_TEXT: Final = replace(
    QWEN3_MOE,
    source="transformers 5.24 Qwen3VLMoeTextConfig, Qwen3VLMoeTextSparseMoeBlock",
    keys={
        **QWEN3_MOE.keys, "ffn": key("intermediate_size", 5632), "heads": key("num_attention_heads", 16),
        "kv_heads": key("num_key_value_heads", 16, null=E("heads")),
        "experts": key(("num_local_experts", "num_experts"), 60),
        "top_k": key("num_experts_per_tok", 4), "moe_ffn": key("moe_intermediate_size", 1408),
        "max_pos": key("max_position_embeddings", 128000),
        "theta": rope_theta(500000.0),
    },
    layer_kind="'full'",
)
QWEN3_OMNI_TEXT: Final = replace(
    QWEN3_MOE,
    source="transformers 5.24 Qwen3OmniMoeTextConfig, Qwen3OmniMoeThinkerTextSparseMoeBlock",
    keys={
        **QWEN3_MOE.keys, "vocab": key("vocab_size", 3584), "ffn": key("intermediate_size", 18944),
        "layers": key("num_hidden_layers", 28), "heads": key("num_attention_heads", 28),
        "window": key("sliding_window", None, "int"),
        "theta": rope_theta(1000000.0),
    },
    layer_kind="'full'",
)

# --- image and text ---

#: The older layout: the tower beside the text model.
BESIDE: Final = (
    ((r"^model\.visual\.", "visual."), (r"^model\.language_model\.", "model.")),
    (
        (r"^model\.visual\.", "visual."), (r"^language_model\.model\.", "model."),
        (r"^language_model\.lm_head\.", "lm_head."),
    ),
)
BELOW: Final = (
    ((r"^visual\.", "model.visual."), (r"^model\.(?!visual\.|language_model\.)", "model.language_model.")),
    (
        (r"^visual\.", "model.visual."), (r"^language_model\.model\.", "model.language_model."),
        (r"^language_model\.lm_head\.", "lm_head."),
    ),
)


def sees(
    name: str, source: str, text: str, vision: str, *, beside: bool = False, head: Slots | None = None
) -> Family:
    """A text model and a tower; ``beside``: the tower's names do not begin with ``model.``, and older configs have the
    text model's keys at the top."""
    return Family(
        id=name,
        source=f"transformers 5.24 {source}",
        base="model",
        keys={
            "tie": key("tie_word_embeddings", False),
            **({"inner_tie": key("text_config.tie_word_embeddings", False)} if beside else {}),
        },
        body=(),
        heads={
            "ForConditionalGeneration": lm_head(
                rows="text.vocab", cols="text.hidden", tie="tie or inner_tie" if beside else "tie"
            )
        },
        head="ForConditionalGeneration",
        parts=(
            Part(
                "text", "text_config", text, "model." if beside else "model.language_model.", main=True, flat=beside,
                fixed=True,
            ),
            Part("vision", "vision_config", vision, "visual." if beside else "model.visual.", role="vision",
                fixed=True),
        ),
        renames=BESIDE if beside else BELOW,
    )


QWEN2_VL: Final = sees(
    "qwen2_vl", "Qwen2VLConfig, Qwen2VLForConditionalGeneration", "qwen2_vl_text", "qwen2_vl_vision", beside=True
)
QWEN2_5_VL: Final = sees(
    "qwen2_5_vl", "Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration", "qwen2_vl_text", "qwen2_5_vl_vision",
    beside=True,
)
QWEN3_VL: Final = sees(
    "qwen3_vl", "Qwen3VLConfig, Qwen3VLForConditionalGeneration", "qwen3_vl_text", "qwen3_vl_vision"
)
QWEN3_VL_MOE: Final = sees(
    "qwen3_vl_moe", "Qwen3VLMoeConfig, Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe_text", "qwen3_vl_vision"
)

# --- hearing ---

_HEARING: Final = {
    "hidden": key("d_model", 1280), "ffn": key("encoder_ffn_dim", 5120), "layers": key("encoder_layers", 32),
    "heads": key("encoder_attention_heads", 20), "mels": key("num_mel_bins", 128), "out": key("output_dim", 3584),
    "act": key("activation_function", "gelu"),
}


def _block(k_bias: str) -> Slots:
    """Whisper's block."""
    return under(
        "layers.{i}.",
        line("self_attn.q_proj", "audio", "", "hidden", "hidden", "1"),
        line("self_attn.k_proj", "audio", "", "hidden", "hidden", k_bias),
        line("self_attn.v_proj", "audio", "", "hidden", "hidden", "1"),
        line("self_attn.out_proj", "audio", "", "hidden", "hidden", "1"),
        norm("self_attn_layer_norm", "audio", bias="1"), plain_mlp("fc1", "fc2", role="audio", bias="1"),
        norm("final_layer_norm", "audio", bias="1"),
        layers="layers",
    )


QWEN2_5_OMNI_AUDIO: Final = Family(
    id="qwen2_5_omni_audio_encoder",
    source="transformers 5.24 Qwen2_5OmniAudioEncoderConfig, Qwen2_5OmniAudioEncoder (positions are computed)",
    base="",
    keys=_HEARING,
    body=slots(
        line("conv1", "audio", "", "hidden", "mels, 3", "1"), line("conv2", "audio", "", "hidden", "hidden, 3", "1"),
        tensor("audio_bos_eos_token.weight", "audio", "2, out"),
        _block(""),
        norm("ln_post", "audio", bias="1"), line("proj", "audio", "", "out", "hidden", "1"),
    ),
    norm=Norm("layernorm", eps=1e-5),
    head="Model",
    kv="0",
)
QWEN3_OMNI_AUDIO: Final = replace(
    QWEN2_5_OMNI_AUDIO,
    id="qwen3_omni_moe_audio_encoder",
    source="transformers 5.24 Qwen3OmniMoeAudioEncoderConfig, Qwen3OmniMoeAudioEncoder (three strided convolutions)",
    keys={**_HEARING, "down": key("downsample_hidden_size", 480)},
    lets={"rows": "(((mels + 1) // 2 + 1) // 2 + 1) // 2"},
    body=slots(
        line("conv2d1", "audio", "", "down", "1, 3, 3", "1"), line("conv2d2", "audio", "", "down", "down, 3, 3", "1"),
        line("conv2d3", "audio", "", "down", "down, 3, 3", "1"), line("conv_out", "audio", "", "hidden", "down*rows"),
        _block("1"),
        norm("ln_post", "audio", bias="1"), line("proj1", "audio", "", "hidden", "hidden", "1"),
        line("proj2", "audio", "", "out", "hidden", "1"),
    ),
)


def thinks(
    name: str, source: str, version: str, voice: tuple[Part, ...] = (), around: Slots = (), **more: Key
) -> Family:
    """A thinker; with a ``voice`` and what is ``around`` it (``cfgexplain.families.talkers``) the model that talks."""
    path, prefix = ("thinker_config.", "thinker.") if voice else ("", "")
    text = f"{version}_text"
    tie = key(f"{path}tie_word_embeddings", False)
    return Family(
        id=name,
        source=f"transformers 5.24 {source}",
        base="" if voice else "model",
        keys={"tie": tie, **({"speaks": key("enable_audio_output", True)} if voice else {}), **more},
        body=around,
        heads={"ForConditionalGeneration": lm_head(f"{prefix}lm_head", "text.vocab", "text.hidden")},
        head="ForConditionalGeneration",
        parts=(
            Part("text", f"{path}text_config", text, f"{prefix}model.", main=True, fixed=True),
            Part(
                "vision", f"{path}vision_config", f"{version}_vision_encoder", f"{prefix}visual.", role="vision",
                fixed=True
            ),
            Part("audio", f"{path}audio_config", f"{version}_audio_encoder", f"{prefix}audio_tower.", role="audio",
                fixed=True),
            *voice,
        ),
        renames=() if voice else (((r"^thinker\.", ""),),),
    )


QWEN2_5_OMNI_THINKER: Final = thinks(
    "qwen2_5_omni_thinker", "Qwen2_5OmniThinkerConfig, Qwen2_5OmniThinkerForConditionalGeneration", "qwen2_5_omni"
)
QWEN3_OMNI_THINKER: Final = thinks(
    "qwen3_omni_moe_thinker", "Qwen3OmniMoeThinkerConfig, Qwen3OmniMoeThinkerForConditionalGeneration", "qwen3_omni_moe"
)
QWEN2_5_OMNI: Final = thinks(
    "qwen2_5_omni", "Qwen2_5OmniConfig, Qwen2_5OmniForConditionalGeneration", "qwen2_5_omni", QWEN2_5_OMNI_VOICE
)
QWEN3_OMNI: Final = thinks(
    "qwen3_omni_moe", "Qwen3OmniMoeConfig, Qwen3OmniMoeForConditionalGeneration", "qwen3_omni_moe", QWEN3_OMNI_VOICE,
    QWEN3_OMNI_TALKER, thinker=key("talker_config.thinker_hidden_size", 2048),
    tied=key("talker_config.tie_word_embeddings", False),
)

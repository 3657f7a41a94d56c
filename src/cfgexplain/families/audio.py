"""Decoders that listen: an audio encoder, a projector, and a text model of another family.

Facts from transformers 5.23, ``models/<family>``. Whether the head is the embedding's is said by the outer config.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.llama import LLAMA, MISTRAL, QWEN3
from cfgexplain.families.modernbert import MODERNBERT
from cfgexplain.families.schema import (
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
    replace,
    slots,
    tensor,
    under,
)

# --- encoders ---


def _conv(name: str, rows: str, cols: str, *kernel: int) -> Slots:
    """A convolution [rows, cols, kernel…] with a bias."""
    return slots(tensor(f"{name}.weight", "audio", ", ".join((rows, cols, *map(str, kernel)))), tensor(f"{name}.bias",
        "audio", rows))


def _attend(o: str = "out_proj", k_bias: str = "", wide: str = "hidden") -> Slots:
    """Attention whose keys have no bias."""
    return slots(
        linear("self_attn.q_proj", "attention", "q", wide, "hidden", "1"),
        linear("self_attn.k_proj", "attention", "k", wide, "hidden", k_bias),
        linear("self_attn.v_proj", "attention", "v", wide, "hidden", "1"),
        linear(f"self_attn.{o}", "attention", "o", "hidden", wide, "1"),
    )


_FC: Final = slots(
    norm("self_attn_layer_norm", bias="1"), plain_mlp("fc1", "fc2", bias="1"), norm("final_layer_norm", bias="1")
)
WHISPER_ENCODER: Final = Family(
    id="whisper-encoder",
    source="transformers 5.23 AudioFlamingo3Encoder, VoxtralEncoder, Qwen2AudioEncoder (Whisper's)",
    base="",
    keys={
        "hidden": key(("hidden_size", "d_model"), 1280), "ffn": key(("intermediate_size", "encoder_ffn_dim"), 5120),
        "layers": key(("num_hidden_layers", "encoder_layers"), 32), "heads": key(("num_attention_heads",
            "encoder_attention_heads"), 20),
        "mels": key("num_mel_bins", 128), "max_pos": key("max_source_positions", 1500),
            "act": key("activation_function", "gelu"),
    },
    body=slots(
        _conv("conv1", "hidden", "mels", 3), _conv("conv2", "hidden", "hidden", 3), embedding("embed_positions",
            "max_pos"),
        under("layers.{i}.", _attend(), _FC, layers="layers"), norm("layer_norm", "final-norm", bias="1"),
    ),
    head="Model",
    norm=Norm("layernorm", eps=1e-5),
    kv="0",
)
GLMASR_ENCODER: Final = replace(
    WHISPER_ENCODER,
    id="glmasr_encoder",
    source="transformers 5.23 GlmAsrEncoderConfig, GlmAsrEncoder (rotary positions)",
    body=slots(
        _conv("conv1", "hidden", "mels", 3), _conv("conv2", "hidden", "hidden", 3),
        under("layers.{i}.", _attend("o_proj"), norm("input_layernorm", bias="1"), norm("post_attention_layernorm",
            bias="1"),
              plain_mlp("mlp.fc1", "mlp.fc2", bias="1"), layers="layers"),
        norm("norm", "final-norm", bias="1"),
    ),
)
_FREQUENCIES: Final = "(((mels + 1) // 2 + 1) // 2 + 1) // 2"
QWEN3_ASR_ENCODER: Final = replace(
    WHISPER_ENCODER,
    id="qwen3_asr_encoder",
    source="transformers 5.23 Qwen3ASREncoderConfig, Qwen3ASREncoder (three strided convolutions)",
    keys={
        "hidden": key("d_model", 1024), "ffn": key("encoder_ffn_dim", 4096), "layers": key("encoder_layers", 24),
        "heads": key("encoder_attention_heads", 16), "mels": key("num_mel_bins", 128),
            "inner": key("downsample_hidden_size", 480),
        "out": key("output_dim", 3584),
    },
    body=slots(
        _conv("conv2d1", "inner", "1", 3, 3), _conv("conv2d2", "inner", "inner", 3, 3), _conv("conv2d3", "inner",
            "inner", 3, 3),
        linear("conv_out", "audio", "", "hidden", f"inner*({_FREQUENCIES})"),
        under("layers.{i}.", _attend(k_bias="1"), _FC, layers="layers"), norm("ln_post", "final-norm", bias="1"),
    ),
)
VOXTRAL_REALTIME_ENCODER: Final = replace(
    WHISPER_ENCODER,
    id="voxtral_realtime_encoder",
    source="transformers 5.23 VoxtralRealtimeEncoderConfig, VoxtralRealtimeEncoder (RMSNorm, SwiGLU)",
    keys={**WHISPER_ENCODER.keys, "head_dim": key("head_dim", 64), "eps": key("rms_norm_eps", 1e-5)},
    lets={"wide": "heads*head_dim"},
    body=slots(
        _conv("embedder.conv1", "hidden", "mels", 3), _conv("embedder.conv2", "hidden", "hidden", 3),
        under("layers.{i}.", _attend("o_proj", wide="wide"), norm("self_attn_layer_norm"), norm("final_layer_norm"),
            gated_mlp(),
              tensor("mlp.down_proj.bias", "audio", "hidden"), layers="layers"),
        norm("norm", "final-norm"),
    ),
    norm=Norm("rmsnorm"),
)

# --- text models as the outer classes build them where their config is absent ---

VOXTRAL_TEXT: Final = replace(
    LLAMA, source="transformers 5.23 VoxtralConfig._default_text_config_kwargs",
    keys={**LLAMA.keys, "vocab": key("vocab_size", 131072), "hidden": key("hidden_size", 3072),
        "ffn": key("intermediate_size", 8192),
                       "layers": key("num_hidden_layers", 30), "kv_heads": key("num_key_value_heads", 8),
                       "head_dim": key("head_dim", 128), "eps": key("rms_norm_eps", 1e-5)},
)
GLMASR_TEXT: Final = replace(
    LLAMA, source="transformers 5.23 GlmAsrConfig._default_text_config_kwargs",
    keys={**LLAMA.keys, "vocab": key("vocab_size", 59264), "hidden": key("hidden_size", 2048),
        "ffn": key("intermediate_size", 6144),
                       "layers": key("num_hidden_layers", 28), "heads": key("num_attention_heads", 16),
                       "kv_heads": key("num_key_value_heads", 4), "eps": key("rms_norm_eps", 1e-5)},
)
QWEN3_ASR_TEXT: Final = replace(
    QWEN3, source="transformers 5.23 Qwen3ASRConfig.__post_init__",
    keys={**QWEN3.keys, "hidden": key("hidden_size", 2048), "ffn": key("intermediate_size", 6144),
        "layers": key("num_hidden_layers", 28),
                       "heads": key("num_attention_heads", 16), "kv_heads": key("num_key_value_heads", 8)},
)

# --- wrappers ---


def _project(name: str, rows: str, cols: str, bias: str = "1") -> Slots:
    """One matrix of a projector."""
    return linear(name, "projector", "", rows, cols, bias)


def _listener(name: str, source: str, encoder: str, text: str, projector: Slots, *, tie: bool = False, inside: str = "",
              prefix: str = "language_model.model.", head: str = "language_model.lm_head") -> Family:
    """An audio encoder and a text model; ``inside`` is what stands before the encoder's name."""
    return Family(
        id=name,
        source=f"transformers 5.23 {source}",
        base="",
        keys={"tie": key("tie_word_embeddings", tie), "projector_bias": key("projector_bias", True),
              "reduce": key("downsample_factor", 4)},
        body=under(f"{inside}multi_modal_projector.", projector),
        heads={"ForConditionalGeneration": lm_head(head, rows="text.vocab", cols="text.hidden")},
        head="ForConditionalGeneration",
        parts=(
            Part("audio", "audio_config", encoder, f"{inside}audio_tower.", role="audio", fixed=True),
            Part("text", "text_config", text, prefix, main=True),
        ),
    )


_TWO: Final = slots(
    _project("linear_1", "text.hidden", "audio.hidden", "projector_bias"), _project("linear_2", "text.hidden",
        "text.hidden", "projector_bias")
)
AUDIOFLAMINGO3: Final = _listener(
    "audioflamingo3", "AudioFlamingo3Config, AudioFlamingo3ForConditionalGeneration", "whisper-encoder", "qwen2", _TWO
)
MUSICFLAMINGO: Final = _listener(
    "musicflamingo", "MusicFlamingoConfig, MusicFlamingoForConditionalGeneration", "whisper-encoder", "qwen2", _TWO
)
QWEN2_AUDIO: Final = _listener(
    "qwen2_audio", "Qwen2AudioConfig, Qwen2AudioForConditionalGeneration", "whisper-encoder", "qwen2",
    _project("linear", "text.hidden", "audio.hidden"),
)
VOXTRAL: Final = _listener(
    "voxtral", "VoxtralConfig, VoxtralForConditionalGeneration", "whisper-encoder", "voxtral-text",
    slots(_project("linear_1", "text.hidden", "audio.ffn", ""), _project("linear_2", "text.hidden", "text.hidden", "")),
)
GLMASR: Final = _listener(
    "glmasr", "GlmAsrConfig, GlmAsrForConditionalGeneration", "glmasr_encoder", "glmasr-text",
    slots(_project("linear_1", "2*text.hidden", "audio.ffn"), _project("linear_2", "text.hidden", "2*text.hidden")),
        tie=True,
)
QWEN3_ASR: Final = _listener(
    "qwen3_asr", "Qwen3ASRConfig, Qwen3ASRForConditionalGeneration (thinker_config is not read)", "qwen3_asr_encoder",
    "qwen3-asr-text",
    slots(_project("linear_1", "audio.hidden", "audio.hidden"), _project("linear_2", "audio.out", "audio.hidden")),
    tie=True, inside="model.", prefix="model.language_model.", head="lm_head",
)
VOXTRAL_REALTIME: Final = _listener(
    "voxtral_realtime", "VoxtralRealtimeConfig, VoxtralRealtimeForConditionalGeneration", "voxtral_realtime_encoder",
    "voxtral_realtime_text",
    slots(_project("linear_1", "text.hidden", "audio.hidden*reduce", ""), _project("linear_2", "text.hidden",
        "text.hidden", "")), tie=True,
)
VOXTRAL_REALTIME_TEXT: Final = replace(
    MISTRAL,
    id="voxtral_realtime_text",
    source="transformers 5.23 VoxtralRealtimeTextConfig, VoxtralRealtimeTextDecoderLayer (scaled by the delay)",
    body=slots(MISTRAL.body, under(
        "layers.{i}.ada_rms_norm.", linear("linear1", "other", "", "32", "hidden"), linear("linear2", "other", "",
            "hidden", "32"),
        layers="layers",
    )),
)

# --- encoders that see ---

_SEEING: Final = (
    Part("vision", "vision_config", "siglip_vision_model", "model.vision_model.", role="vision"),
)
_FACTOR: Final = "vision.hidden*factor*factor"
_VB_CLASSIFIER: Final = slots(
    linear("head.dense", "other", "", "text.hidden", "text.hidden", "text.classifier_bias"),
    norm("head.norm", "other-norm", "text.hidden", "text.norm_bias"),
    linear("classifier", "other", "", "labels", "text.hidden", "1"),
)
MODERNVBERT: Final = Family(
    id="modernvbert",
    source="transformers 5.23 ModernVBertConfig, ModernVBertForMaskedLM",
    base="model",
    keys={"tie": key("tie_word_embeddings", False), "factor": key("pixel_shuffle_factor", 4), **LABELS},
    body=linear("connector.modality_projection", "projector", "", "text.hidden", _FACTOR),
    heads={"ForMaskedLM": slots(
        linear("projection_head.dense", "other", "", "text.hidden", "text.hidden", "text.classifier_bias"),
        norm("projection_head.norm", "other-norm", "text.hidden", "text.norm_bias"),
        lm_head(rows="text.vocab", cols="text.hidden", bias="text.decoder_bias"),
    ), "ForSequenceClassification": _VB_CLASSIFIER, "ForTokenClassification": _VB_CLASSIFIER},
    head="ForMaskedLM",
    parts=(*_SEEING, Part("text", "text_config", MODERNBERT.id, "model.text_model.", main=True)),
)
ULTRAVBERT: Final = replace(
    MODERNVBERT,
    id="ultravbert",
    source="transformers 5.23 UltraVBertConfig, UltraVBertForMaskedLM",
    body=slots(MODERNVBERT.body, norm("connector.norm", "projector", "text.hidden")),
    heads={"ForMaskedLM": slots(
        linear("head.linear1", "other", "", "text.inner", "text.hidden"), linear("head.linear2", "other", "",
            "text.hidden", "text.inner"),
        lm_head("head.decoder", "text.vocab", "text.hidden"),
    ), "ForSequenceClassification": _VB_CLASSIFIER[-2:], "ForTokenClassification": _VB_CLASSIFIER[-2:]},
    parts=(*_SEEING, Part("text", "text_config", "ultrabert", "model.text_model.", main=True)),
)

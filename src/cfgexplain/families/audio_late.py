"""More decoders that listen: Granite Speech (a conformer and a query transformer), MOSS, Omni-ASR, VibeVoice.

Facts from transformers 5.24, ``models/{granite_speech,granite_speech_plus,moss_transcribe_diarize,omniasr}``,
``models/vibevoice_asr``; names as the library saves them.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.audio import WHISPER_ENCODER
from cfgexplain.families.common import key
from cfgexplain.families.expr import function
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
    replace,
    slots,
    tensor,
    under,
    when,
)

# --- Granite Speech ---


def _half(name: str) -> Slots:
    """Half a feed-forward step of a conformer, with its norm before it."""
    return slots(
        norm(f"{name}.pre_norm", "audio", bias="1"),
        plain_mlp(f"{name}.up_proj", f"{name}.down_proj", role="audio", bias="1")
    )


CONFORMER: Final = Family(
    id="granite_speech_encoder",
    source="transformers 5.24 GraniteSpeechEncoderConfig, GraniteSpeechCTCEncoder",
    base="",
    keys={
        "mels": key(("input_dim", "num_mel_bins"), 160), "layers": key(("num_layers", "num_hidden_layers"), 10),
        "hidden": key(("hidden_dim", "hidden_size"), 1024), "heads": key(("num_heads", "num_attention_heads"), 8),
        "times": key("feedforward_mult", 4), "ffn": key((), E("hidden*times")),
        "head_dim": key("dim_head", E("hidden // heads")), "out": key("output_dim", 42),
        "max_pos": key("max_pos_emb", 512), "kernel": key("conv_kernel_size", 15),
        "wider": key("conv_expansion_factor", 2),
    },
    lets={"wide": "heads*head_dim", "inner": "hidden*wider"},
    body=slots(
        linear("input_linear", "audio", "", "hidden", "mels", "1"),
        under(
            "layers.{i}.",
            _half("ff1"), _half("ff2"), norm("post_norm", "audio", bias="1"),
            norm("attn.pre_norm", "audio", bias="1"), linear("attn.to_q", "audio", "", "wide", "hidden"),
            linear("attn.to_kv", "audio", "", "2*wide", "hidden"),
            linear("attn.to_out", "audio", "", "hidden", "wide", "1"),
            tensor("attn.rel_pos_emb.weight", "audio", "2*max_pos + 1, head_dim"),
            norm("conv.norm", "audio", bias="1"), linear("conv.up_conv", "audio", "", "2*inner", "hidden, 1", "1"),
            tensor("conv.depth_conv.conv.weight", "audio", "inner, 1, kernel"),
            norm("conv.batch_norm", "audio", "inner", "1"),
            *(tensor(f"conv.batch_norm.{n}", "buffer", "inner", kind="buffer") for n in ("running_mean",
                "running_var")),
            tensor("conv.batch_norm.num_batches_tracked", "buffer", "", kind="buffer"),
            linear("conv.down_conv", "audio", "", "hidden", "inner, 1", "1"),
            layers="layers",
        ),
        linear("out", "audio", "", "out", "hidden", "1"), linear("out_mid", "audio", "", "hidden", "out", "1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)


def _query_attention(name: str, encoded: str) -> Slots:
    """BERT's attention, keys and values from vectors ``encoded`` wide, and the norm after it."""
    return slots(
        *(linear(f"{name}.attention.{n}", "projector", "", "hidden", w, "1")
          for n, w in (("query", "hidden"), ("key", encoded), ("value", encoded))),
        linear(f"{name}.output.dense", "projector", "", "hidden", "hidden", "1"),
        norm(f"{name}.output.LayerNorm", "projector", bias="1"),
    )


QFORMER: Final = Family(
    id="blip_2_qformer",
    source="transformers 5.24 Blip2QFormerConfig, Blip2QFormerModel (without a text of its own)",
    base="",
    keys={
        "hidden": key("hidden_size", 768), "ffn": key("intermediate_size", 3072),
        "layers": key("num_hidden_layers", 12),
        "every": key("cross_attention_frequency", 2, low=1), "encoded": key("encoder_hidden_size", 1408),
        "texts": key("use_qformer_text_input", False),
    },
    body=slots(
        norm("layernorm", "projector", bias="1"),
        under(
            "encoder.layer.{i}.",
            _query_attention("attention", "hidden"), when("i % every == 0", _query_attention("crossattention",
                "encoded")),
            *(
                slots(plain_mlp(f"intermediate{n}.dense", f"output{n}.dense", role="projector", bias="1"),
                      norm(f"output{n}.LayerNorm", "projector", bias="1"))
                for n in ("_query",)
            ),
            when("texts", plain_mlp("intermediate.dense", "output.dense", role="projector", bias="1"),
                 norm("output.LayerNorm", "projector", bias="1")),
            layers="layers",
        ),
    ),
    head="Model",
    kv="0",
)
GRANITE_SPEECH: Final = Family(
    id="granite_speech",
    source="transformers 5.24 GraniteSpeechConfig, GraniteSpeechForConditionalGeneration (the adapter is a file apart)",
    base="",
    keys={
        "tie": key("tie_word_embeddings", True), "rate": key("downsample_rate", 5, low=1),
        "window": key("window_size", 15),
    },
    body=slots(
        tensor("projector.query", "projector", "1, window // rate, queries.hidden"),
        linear("projector.linear", "projector", "", "text.hidden", "queries.hidden", "1"),
    ),
    heads={"ForConditionalGeneration": lm_head("language_model.lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "granite", "language_model.model.", main=True),
        Part("audio", "encoder_config", "granite_speech_encoder", "encoder.", role="audio", fixed=True),
        Part("queries", "projector_config", "blip_2_qformer", "projector.qformer.", role="projector", fixed=True),
    ),
    renames=((
        (r"^model\.language_model\.", "language_model.model."), (r"^lm_head\.", "language_model.lm_head."),
        (r"^model\.(encoder|projector)\.", r"\1."),
    ),),
)
GRANITE_SPEECH_PLUS: Final = replace(
    GRANITE_SPEECH, id="granite_speech_plus",
    source="transformers 5.24 GraniteSpeechPlusConfig, GraniteSpeechPlusModel",
)

# --- MOSS-Transcribe-Diarize ---

MOSS: Final = Family(
    id="moss_transcribe_diarize",
    source="transformers 5.24 MossTranscribeDiarizeConfig, MossTranscribeDiarizeMultiModalProjector (four steps join)",
    base="model",
    keys={
        "tie": key("tie_word_embeddings", True), "merge": key("audio_merge_size", 4),
        "bias": key("projector_bias", True),
    },
    body=slots(
        linear("multi_modal_projector.linear_1", "projector", "", "text.hidden", "merge*audio.hidden", "bias"),
        linear("multi_modal_projector.linear_2", "projector", "", "text.hidden", "text.hidden", "bias"),
        norm("multi_modal_projector.norm", "projector", "text.hidden", "1"),
    ),
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "text_config", "qwen3", "model.language_model.", main=True,
            absent=(
                ("hidden_size", 1024), ("intermediate_size", 3072), ("num_hidden_layers", 28),
                ("num_attention_heads", 16), ("num_key_value_heads", 8), ("max_position_embeddings", 131072),
            ),
        ),
        Part("audio", "audio_config", "moss-audio", "model.audio_tower.", role="audio", fixed=True),
    ),
)
MOSS_AUDIO: Final = replace(
    WHISPER_ENCODER, id="moss_transcribe_diarize_audio", source="transformers 5.24 MossTranscribeDiarizeAudioConfig",
    keys={
        **WHISPER_ENCODER.keys, "hidden": key("hidden_size", 1024), "ffn": key("intermediate_size", 4096),
        "layers": key("num_hidden_layers", 24), "heads": key("num_attention_heads", 16),
        "mels": key("num_mel_bins", 80),
    },
)

# --- Omni-ASR ---


@function
def step(values: object, i: int) -> int:
    """Channels that a convolution gets: those of the one before it, or the one of a waveform."""
    return int(values[i - 1]) if i and isinstance(values, (list, tuple)) else 1


OMNIASR_AUDIO: Final = Family(
    id="omniasr_audio",
    source="transformers 5.24 OmniASRAudioConfig, OmniASRAudioModel (wav2vec 2.0)",
    base="",
    keys={
        "hidden": key("hidden_size", 1024), "ffn": key("intermediate_size", 4096),
        "layers": key("num_hidden_layers", 24),
        "heads": key("num_attention_heads", 16), "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "widths": key("conv_dim", (512, 512, 512, 512, 512, 512, 512)),
        "kernels": key("conv_kernel", (10, 3, 3, 3, 3, 2, 2)),
        "conv_bias": key("conv_bias", True), "groups": key("num_conv_pos_embedding_groups", 16),
        "span": key("num_conv_pos_embeddings", 128), "eps": key("layer_norm_eps", 1e-5),
    },
    body=slots(
        under(
            "subsampling.conv_layers.{i}.",
            linear("conv", "audio", "", "widths[i]", "step(widths, i), kernels[i]", "conv_bias"),
            norm("layer_norm", "audio", "widths[i]", "1"),
            layers="len(widths)",
        ),
        norm("subsampling.layer_norm", "audio", "widths[-1]", "1"),
        linear("subsampling.projection", "audio", "", "hidden", "widths[-1]", "1"),
        linear("encode_positions.conv", "audio", "", "hidden", "hidden // groups, span", "1"),
        under(
            "layers.{i}.",
            attention("attention.", o="out_proj", bias="1", role="audio"),
            plain_mlp("feed_forward.intermediate_dense", "feed_forward.output_dense", role="audio", bias="1"),
            norm("layer_norm", "audio", bias="1"), norm("final_layer_norm", "audio", bias="1"),
            layers="layers",
        ),
        norm("layer_norm", "audio", bias="1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)
OMNIASR: Final = Family(
    id="omniasr",
    source="transformers 5.24 OmniASRConfig, OmniASRForConditionalGeneration",
    base="model",
    keys={"tie": key((), False)},
    body=linear("multi_modal_projector", "projector", "", "text.hidden", "audio.hidden", "1"),
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden", tie="")},
    head="ForConditionalGeneration",
    parts=(
        Part(
            "text", "text_config", "llama", "model.language_model.", main=True,
            absent=(
                ("vocab_size", 11984), ("hidden_size", 4096), ("intermediate_size", 2816), ("num_hidden_layers", 12),
                ("num_attention_heads", 8), ("num_key_value_heads", 8), ("max_position_embeddings", 8192),
                ("rms_norm_eps", 1e-5),
            ),
        ),
        Part("audio", "audio_config", "omniasr_audio", "model.audio_tower.", role="audio", fixed=True),
    ),
)

# --- VibeVoice ---

VIBEVOICE_ASR: Final = Family(
    id="vibevoice_asr",
    source="transformers 5.24 VibeVoiceAsrConfig, VibeVoiceAsrForConditionalGeneration (the head is never tied)",
    base="",
    keys={"tie": key((), False)},
    body=under(
        "multi_modal_projector.",
        *(
            slots(
                linear(f"{kind}_linear_1", "projector", "", "text.hidden", f"{kind}.hidden", "1"),
                norm(f"{kind}_norm", "projector", "text.hidden"),
                linear(f"{kind}_linear_2", "projector", "", "text.hidden", "text.hidden", "1"),
            )
            for kind in ("acoustic", "semantic")
        ),
    ),
    heads={"ForConditionalGeneration": lm_head("language_model.lm_head", "text.vocab", "text.hidden", tie="")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "qwen2", "language_model.model.", main=True),
        Part("acoustic", "acoustic_tokenizer_encoder_config", "vibevoice_acoustic_tokenizer_encoder",
             "acoustic_tokenizer_encoder.", role="audio"),
        Part("semantic", "semantic_tokenizer_encoder_config", "vibevoice_acoustic_tokenizer_encoder",
             "semantic_tokenizer_encoder.", role="audio", absent=(("hidden_size", 128),)),
    ),
    renames=((
        (r"^model\.language_model\.", "language_model.model."), (r"^lm_head\.", "language_model.lm_head."),
        (r"^model\.", ""),
    ),),
)

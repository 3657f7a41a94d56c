"""NVIDIA's Nemotron 3.5 Transcribe: two encoders of speech, who speaks and what is said, before a Nemotron-H.

Facts from transformers 5.24, ``models/{nemotron3_5_transcribe,nemotron3_diarization}`` and ``conversion_mapping.py``
(names as NeMo writes them, which are those on disk).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.mamba_moe import NEMOTRON_H
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    form,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)


def _blocks(normed: bool) -> Slots:
    """A stack of encoder blocks between two norms; keys may have fewer heads than values."""
    return slots(
        norm("embed_norm", "audio", bias="1"),
        under(
            "layers.{i}.",
            norm("norm1", "audio", bias="1"),
            linear("attn.w_qkv", "audio", "qkv", "(2*heads + kv_heads)*head_dim", "hidden"),
            *(norm(f"attn.{n}_norm", "audio", "head_dim", "1") for n in ("qk" if normed else "")),
            linear("attn.out_proj", "audio", "o", "hidden", "heads*head_dim", "1"),
            norm("norm2", "audio", bias="1"), plain_mlp("ffn.net.0", "ffn.net.3", role="audio", bias="1"),
            layers="layers",
        ),
        norm("final_norm", "audio", bias="1"),
    )


ASR: Final = Family(
    id="nemotron3_5_transcribe_asr_audio",
    source="transformers 5.24 Nemotron3_5TranscribeAsrAudioConfig, Nemotron3_5TranscribeAsrAudioModel",
    base="",
    keys={
        "hidden": key("hidden_size", 1280), "ffn": key("intermediate_size", 5120),
        "layers": key("num_hidden_layers", 32), "heads": key("num_attention_heads", 10),
        "kv_heads": key("num_key_value_heads", E("heads")), "head_dim": key("head_dim", E("hidden // heads")),
        "mels": key("num_mel_bins", 128), "stacked": key("subsampling_factor", 8),
    },
    body=slots(linear("pre_encode.proj", "audio", "", "hidden", "stacked*mels"), _blocks(True)),
    norm=Norm("layernorm", eps=1e-5),
    head="Model",
    kv="0",
)
DIARIZATION: Final = replace(
    ASR,
    id="nemotron3_diarization_audio",
    source="transformers 5.24 Nemotron3DiarizationAudioConfig, Nemotron3DiarizationAudioModel (no norms on q and k)",
    keys={
        **ASR.keys, "hidden": key("hidden_size", 512), "ffn": key("intermediate_size", 2048),
        "layers": key("num_hidden_layers", 31), "heads": key("num_attention_heads", 8),
    },
    body=slots(linear("pre_encode.proj", "audio", "", "hidden", "stacked*mels"), _blocks(False)),
)
WORDS: Final = replace(
    ASR,
    id="nemotron3_5_transcribe_word_timestamp",
    source="transformers 5.24 Nemotron3_5TranscribeWordTimestampConfig, Nemotron3_5TranscribeWordTimestampModel",
    keys={
        **ASR.keys, "ffn": key("intermediate_size", 640), "layers": key("num_hidden_layers", 2),
        "heads": key("num_attention_heads", 16), "vocab": key("vocab_size", 23863),
        "longer": key("upsampling_factor", 2),
    },
    body=slots(
        tensor("upsample.weight", "audio", "hidden, hidden, longer"), tensor("upsample.bias", "audio", "hidden"),
        under("transformer.", _blocks(True)),
        linear("decoder_layers.0", "audio", "", "vocab", "hidden, 1", "1"),
        *(tensor(n, "buffer", "", kind="buffer") for n in ("residual_scale", "upsample_factor")),
    ),
)

#: Experts of a layer in two tensors, inputs before outputs.
_STACKED: Final = when(
    "block == 'moe'",
    tensor("mixer.experts.gate_and_up_projs", "experts", "experts, expert_in, moe_ffn", "up"),
    tensor("mixer.experts.down_projs", "experts", "experts, moe_ffn, expert_in", "down"),
)
TEXT: Final = replace(
    NEMOTRON_H,
    source="transformers 5.24 NemotronHConfig as NeMo stores its weights",
    body=slots(
        under("layers.{i}.", form("experts/stacked", _STACKED), layers="layers"),
        *(s._replace(form="experts/split") if s.experts else s for s in NEMOTRON_H.body),
    ),
)

_DIARIZATION: Final = "audio_config.diarization_config"
_HEAD: Final = f"{_DIARIZATION}.head_config"
NEMO_SPEECHLM: Final = Family(
    id="nemo_speechlm",
    source="transformers 5.24 Nemotron3_5TranscribeConfig, Nemotron3_5TranscribeForConditionalGeneration",
    base="",
    keys={
        "tie": key((), False), "inner": key(f"{_HEAD}.hidden_size", 192), "speakers": key(f"{_HEAD}.num_speakers", 8),
        "seen": key(f"{_HEAD}.audio_hidden_size", 512), "longer": key(f"{_HEAD}.subsampling_factor", 8),
    },
    body=slots(
        under(
            "perception.",
            under(
                "encoder.diarization_model.sortformer_modules.",
                tensor("learnable_sil_emb", "audio", "diarization.hidden"),
                linear("encoder_proj", "audio", "", "inner", "seen", "1"),
                linear("subpixel_upsample", "audio", "", "inner*longer", "inner, 3", "1"),
                linear("first_hidden_to_hidden", "audio", "", "inner", "inner", "1"),
                linear("single_hidden_to_spks", "audio", "", "speakers", "inner", "1"),
            ),
            norm("encoder.asr_norm", "audio", "asr.hidden", "1"), norm("encoder.diar_norm", "audio", "speakers", "1"),
            linear("proj", "projector", "", "text.hidden", "asr.hidden", "1"),
        ),
        tensor("ctc_timestamp.tokenizer.model_proto", "buffer", "", kind="buffer"),
    ),
    heads={},
    head="ForCausalLM",
    parts=(
        Part(
            "text", "text_config", "nemo-text", "llm.{base}", "llm.", main=True, fixed=True, cls="ForCausalLM",
            absent=(
                ("hidden_size", 2688), ("intermediate_size", 1856), ("mamba_num_heads", 64),
                ("hybrid_override_pattern", "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"),
                ("moe_intermediate_size", 1856), ("moe_shared_expert_intermediate_size", 3712),
                ("n_routed_experts", 128), ("num_experts_per_tok", 6), ("num_key_value_heads", 2),
            ),
        ),
        Part("asr", "audio_config.asr_config", "nemotron3_5_transcribe_asr_audio", "perception.encoder.asr_encoder.",
             role="audio", fixed=True),
        Part("diarization", f"{_DIARIZATION}.audio_config", "nemotron3_diarization_audio",
             "perception.encoder.diarization_model.encoder.", role="audio", fixed=True),
        Part("words", "word_timestamp_config", "nemotron3_5_transcribe_word_timestamp", "ctc_timestamp.decoder.",
             role="audio", fixed=True),
    ),
    renames=((
        (r"\._fp32_params\.", "."), (r"^llm\.model\.embed_tokens\.", "llm.backbone.embeddings."),
        (r"^llm\.model\.norm\.", "llm.backbone.norm_f."), (r"^llm\.model\.", "llm.backbone."),
    ),),
    # What the library leaves out when it reads the file; none of it counts.
    open=(
        ("llm.mtp.", "mtp"), ("perception.preprocessor.", "buffer"),
        ("perception.encoder.diarization_model.preprocessor.", "buffer"),
        ("perception.encoder.diarization_model.sortformer_modules.hidden_to_spks.", "buffer"),
    ),
)

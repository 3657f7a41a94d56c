"""Decoders that write sound: MusicGen around a text encoder and a codec, Moshi with a small decoder for each frame.

Facts from transformers 5.24, ``models/{musicgen,musicgen_melody,moshi}``; the codecs are in ``neural_codecs.py``.
Copet et al. 2023 (2306.05284), Défossez et al. 2024 (2410.00037).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, window
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    embedding,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

# --- MusicGen ---

#: A codec that no table describes.
UNLISTED: Final = Family(
    id="unlisted-codec", source="any audio codec of the library that has no table", base="",
    keys={"hidden": key("hidden_size", None, "int")}, body=(),
    open=(("audio_encoder.", "audio"),),
)
MUSICGEN: Final = Family(
    id="musicgen",
    source="transformers 5.24 MusicgenConfig, MusicgenForConditionalGeneration",
    base="",
    keys={
        "codec_type": key("audio_encoder.model_type", "encodec"), "text_type": key("text_encoder.model_type", "t5"),
    },
    lets={"half": "text_type in ('t5', 'mt5', 'umt5')"},
    body=when(
        "text.hidden != decoder.hidden and decoder.cross_width is None",
        linear("enc_to_dec_proj", "projector", "", "decoder.hidden", "text.hidden", "1"),
    ),
    heads={"ForConditionalGeneration": ()},
    head="ForConditionalGeneration",
    parts=(
        # Of an encoder-decoder only the encoder, of another model all of it.
        Part("text", "text_encoder", "t5", "text_encoder.", cls="EncoderModel", when="half"),
        Part("encoder", "text_encoder", "t5", "text_encoder.", when="not half"),
        Part("decoder", "decoder", "musicgen_decoder", "decoder.{base}", head="decoder.", main=True, cls="ForCausalLM"),
        Part("codec", "audio_encoder", "encodec", "audio_encoder.", role="audio", when="codec_type == 'encodec'"),
        Part("other", "audio_encoder", "unlisted-codec", "audio_encoder.", role="audio",
             when="codec_type != 'encodec'"),
    ),
)
MUSICGEN_MELODY: Final = replace(
    MUSICGEN,
    id="musicgen_melody",
    source="transformers 5.24 MusicgenMelodyConfig (text and melody stand before the tokens)",
    keys={**MUSICGEN.keys, "chroma": key("num_chroma", 12)},
    body=slots(
        when("text.hidden != decoder.hidden",
             linear("enc_to_dec_proj", "projector", "", "decoder.hidden", "text.hidden", "1")),
        when("chroma != decoder.hidden",
             linear("audio_enc_to_dec_proj", "projector", "", "decoder.hidden", "chroma", "1")),
    ),
    parts=tuple(
        p._replace(family="musicgen_melody_decoder") if p.name == "decoder" else p for p in MUSICGEN.parts
    ),
)

# --- Moshi ---

#: Gate and up in one matrix, gate first; ``ffn_dim`` counts both. ``first`` is the axis of a weight for each codebook.
def _moshi_layer(first: str = "") -> Slots:
    def one(name: str, role: str, part: str, rows: str, cols: str) -> Slots:
        return tensor(f"{name}.weight", role, f"{first}{rows}, {cols}", part)

    return under(
        "layers.{i}.",
        one("self_attn.q_proj.linear", "attention", "q", "heads*head_dim", "hidden"),
        one("self_attn.k_proj.linear", "attention", "k", "kv_heads*head_dim", "hidden"),
        one("self_attn.v_proj.linear", "attention", "v", "kv_heads*head_dim", "hidden"),
        one("self_attn.o_proj.linear", "attention", "o", "hidden", "heads*head_dim"),
        one("mlp.fc1", "ffn", "gate_up", "ffn", "hidden"),
        one("mlp.fc2", "ffn", "down", "hidden", "ffn // 2"),
        norm("input_layernorm"), norm("post_attention_layernorm"), layers="layers",
    )


MOSHI_DECODER: Final = Family(
    id="moshi",
    source="transformers 5.24 MoshiConfig, MoshiForCausalLM (gate and up are halves of fc1)",
    base="model",
    keys={
        **decoder_keys(
            hidden=4096, ffn=22528, layers=32, heads=32, vocab=32000, eps=1e-8, max_pos=3000, window=window(3000),
        ),
        "ffn": key("ffn_dim", 22528),
    },
    body=slots(embedding("embed_tokens", "vocab + 1"), _moshi_layer(), norm("norm", "final-norm")),
    heads={"ForCausalLM": tensor("lm_head.weight", "lm-head", "vocab, hidden")},
    layer_kind="'sliding' if window else 'full'",
    ffn_of_config=2,
)
MOSHI_DEPTH: Final = replace(
    MOSHI_DECODER,
    id="moshi_depth",
    source="transformers 5.24 MoshiDepthConfig, MoshiDepthDecoder (a matrix for each codebook; no final norm)",
    base="",
    keys={
        **decoder_keys(
            hidden=1024, ffn=5632, layers=6, heads=16, vocab=32000, eps=1e-8, max_pos=9, window=window(8),
            codebooks=key("num_codebooks", 8), audio_vocab=key("audio_vocab_size", 2048), width=key("input_size", 4096),
        ),
        "ffn": key("ffn_dim", 5632),
    },
    body=slots(
        embedding("text_embed_tokens", "vocab + 1"),
        under("embed_tokens.{i}.", tensor("weight", "embedding", "audio_vocab + 1, hidden"), layers="codebooks - 1"),
        tensor("input_projections.weight", "other", "codebooks, hidden, width"),
        _moshi_layer("codebooks, "),
        tensor("lm_heads.weight", "lm-head", "codebooks, audio_vocab, hidden"),
    ),
    heads={"DepthDecoder": ()},
    head="DepthDecoder",
    norm=Norm(final=False),
)
_WHOLE: Final = "cls == 'ForConditionalGeneration'"
_TEXT: Final = Part("text", "", "moshi_decoder", "model.", head="", main=True, fixed=True, cls="ForCausalLM")
MOSHI: Final = Family(
    id="moshi",
    source="transformers 5.24 MoshiConfig, MoshiForConditionalGeneration (codes heard and codes spoken are embedded)",
    base="",
    keys={
        "hidden": key("hidden_size", 4096),
        "codebooks": key("num_codebooks", 8),
        "audio_vocab": key("audio_vocab_size", E("codes")),
        "codes": key("audio_encoder_config.codebook_size", 2048),
        "codec_type": key("audio_encoder_config.model_type", "mimi"),
        "tie": key("tie_word_embeddings", False),
    },
    body=when(
        _WHOLE,
        under("embed_tokens.{i}.", tensor("weight", "audio", "audio_vocab + 1, hidden"), layers="2*codebooks"),
    ),
    heads={"ForConditionalGeneration": (), "ForCausalLM": (), "Model": ()},
    head="ForConditionalGeneration",
    parts=(
        _TEXT._replace(when="cls == 'ForCausalLM'"),
        _TEXT._replace(name="base", prefix="", head=None, cls="Model", when="cls == 'Model'"),
        _TEXT._replace(name="decoder", prefix="decoder.model.", head="decoder.", when=_WHOLE),
        Part("depth", "depth_decoder_config", "moshi_depth", "depth_decoder.", role="audio", when=_WHOLE),
        Part("codec", "audio_encoder_config", "mimi", "audio_encoder.", role="audio",
             when=f"{_WHOLE} and codec_type == 'mimi'"),
        Part("other", "audio_encoder_config", "unlisted-codec", "audio_encoder.", role="audio",
             when=f"{_WHOLE} and codec_type != 'mimi'"),
    ),
)

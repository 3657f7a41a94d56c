"""More encoder-decoders with BART's blocks, and those that put two models of other families together.

Facts from transformers 5.23, ``models/<family>``. LED (2004.05150), M2M-100 (2010.11125), NLLB-MoE (2207.04672),
ProphetNet (2001.04063), Whisper (2212.04356), SeamlessM4T (2308.11596).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.bart import (
    BART,
    DECODER,
    ENCODER,
    FIRST,
    LAST,
    MBART,
    attend,
    body,
    decoder_layer,
    encoder_layer,
    head,
    opt,
    positions,
    seq2seq_keys,
)
from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Slot,
    Slots,
    embedding,
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

_LONG: Final = slots(
    *(linear(f"self_attn.longformer_self_attn.{n}{g}", "attention", p if not g else "", "hidden", "hidden", "1")
      for g in ("", "_global") for n, p in (("query", "q"), ("key", "k"), ("value", "v"))),
    linear("self_attn.output", "attention", "o", "hidden", "hidden", "1"),
)
LED: Final = replace(
    BART,
    id="led",
    source="transformers 5.23 LEDConfig, LEDEncoderAttention (Longformer's), a table of positions for each stack",
    base="led",
    keys=seq2seq_keys(vocab=50265) | {
        "max_pos": key("max_decoder_position_embeddings", 1024), "enc_pos": key("max_encoder_position_embeddings",
            16384),
    },
    body=body(
        encoder_layer(_LONG), DECODER, slots(positions("max_pos"), FIRST[1:]), enc_first=slots(positions("enc_pos"),
            FIRST[1:])
    ),
)

M2M_100: Final = replace(
    MBART,
    id="m2m_100",
    source="transformers 5.23 M2M100Config (sinusoidal positions are buffers)",
    keys=seq2seq_keys(vocab=128112, act="relu"),
    body=body(ENCODER, DECODER, (), LAST),
)


def _mixture(width: str, step: str) -> Slots:
    """Dense, or in every ``step``-th layer a router [experts, d_model] over experts of the same width."""
    sparse = f"{step} > 0 and (i + 1) % {step} == 0"
    return slots(
        when(f"not ({sparse})", plain_mlp("ffn.fc1", "ffn.fc2", width=width, bias="1")),
        when(sparse, linear("ffn.router.classifier", "router", "", "experts", "hidden", "router_bias"),
             under("ffn.experts.expert_{e}.", plain_mlp("fc1", "fc2", width=width, role="experts", bias="1"),
                 experts="experts")),
        norm("ff_layer_norm", bias="1"),
    )


_SELF: Final = slots(attend("self_attn."), norm("self_attn_layer_norm", bias="1"))
NLLB_MOE: Final = replace(
    MBART,
    id="nllb-moe",
    source="transformers 5.23 NllbMoeConfig, NllbMoeSparseMLP (two experts for each token)",
    keys=seq2seq_keys(
        vocab=128112, act="relu", experts=opt("num_experts", 128), top_k=key((), 2), router_bias=opt("router_bias",
            False),
        enc_step=opt("encoder_sparse_step", 4), dec_step=opt("decoder_sparse_step", 4),
    ),
    body=body(
        slots(_SELF, _mixture("enc_ffn", "enc_step")),
        slots(_SELF, attend("cross_attention.", "cross-attention"), norm("cross_attention_layer_norm", bias="1"),
              _mixture("ffn", "dec_step")),
        (), LAST,
    ),
)

FSMT: Final = replace(
    BART,
    id="fsmt",
    source="transformers 5.23 FSMTConfig, FSMTModel (two vocabularies; the head stands in the decoder)",
    keys=seq2seq_keys(vocab=42024, act="relu", tie=False) | {
        "vocab": key(("tgt_vocab_size", "vocab_size"), 42024), "src_vocab": key("src_vocab_size", 42024),
    },
    body=slots(
        Slot("decoder.embed_tokens.weight", "embedding", "", "vocab, hidden"),
        *(Slot(name, role, "", shape, cond, kind=kind)
          for name, role, shape in (("encoder.embed_tokens.weight", "embedding", "src_vocab, hidden"),
                                    ("decoder.output_projection.weight", "lm-head", "vocab, hidden"))
          for cond, kind in (("tie", "tied"), ("not tie", "param"))),
        *(tensor(f"{s}.embed_positions.weight", "position-embedding", "max_pos + 2, hidden") for s in ("encoder",
            "decoder")),
        under("encoder.layers.{i}.", ENCODER, layers="enc_layers"), under("decoder.layers.{i}.", DECODER,
            layers="layers"),
    ),
    heads={"ForConditionalGeneration": ()},
)


def _prophet(ffn: str, cross: Slots = (), more: Slots = ()) -> Slots:
    """A layer of ProphetNet."""
    return slots(
        _prophet_attention("self_attn.", "attention"), more, norm("self_attn_layer_norm", bias="1"), cross,
        plain_mlp("feed_forward.intermediate", "feed_forward.output", width=ffn, bias="1"),
            norm("feed_forward_layer_norm", bias="1"),
    )


def _prophet_attention(prefix: str, role: str) -> Slots:
    return slots(
        *(linear(f"{prefix}{n}_proj", role, p, "hidden", "hidden", "1") for n, p in (("query", "q"), ("key", "k"),
            ("value", "v"))),
        linear(f"{prefix}out_proj", role, "o", "hidden", "hidden", "1"),
    )


_BOTH: Final = "cls != 'ForCausalLM'"
_CROSS: Final = when("cross", _prophet_attention("cross_attn.", "cross-attention"), norm("cross_attn_layer_norm",
    bias="1"))
PROPHETNET: Final = replace(
    BART,
    id="prophetnet",
    source="transformers 5.23 ProphetNetConfig, ProphetNetDecoder (post-norm; predicts ngram tokens at once)",
    base="prophetnet",
    keys=seq2seq_keys(vocab=30522, max_pos=512) | {
        "hidden": key("hidden_size", 1024), "layers": key("num_decoder_layers", 12),
            "enc_layers": key("num_encoder_layers", 12),
        "heads": key("num_decoder_attention_heads", 16), "ngram": key("ngram", 2), "buckets": key("num_buckets", 32),
        "cross": key("add_cross_attention", True),
    },
    body=slots(
        embedding("word_embeddings"),
        Slot("encoder.word_embeddings.weight", "embedding", "", "vocab, hidden", f"tie and {_BOTH}", kind="tied"),
        Slot("encoder.word_embeddings.weight", "embedding", "", "vocab, hidden", f"not tie and {_BOTH}"),
        Slot("decoder.word_embeddings.weight", "embedding", "", "vocab, hidden", "tie", kind="tied"),
        Slot("decoder.word_embeddings.weight", "embedding", "", "vocab, hidden", "not tie"),
        when(_BOTH, under(
            "encoder.", positions("max_pos", "position_embeddings"), norm("embeddings_layer_norm", "other-norm",
                bias="1"),
            under("layers.{i}.", _prophet("enc_ffn"), layers="enc_layers"),
        )),
        under(
            "decoder.", positions("max_pos", "position_embeddings"), embedding("ngram_embeddings", "ngram",
                role="position-embedding"),
            norm("embeddings_layer_norm", "other-norm", bias="1"),
            under("layers.{i}.", _prophet("ffn", _CROSS, linear(
                "self_attn.relative_pos_embeddings", "attention", "", "buckets*heads", "hidden", "1")),
                    layers="layers"),
        ),
    ),
)

_CONV: Final = slots(
    tensor("conv1.weight", "audio", "hidden, mels, 3"), tensor("conv1.bias", "audio", "hidden"),
    tensor("conv2.weight", "audio", "hidden, hidden, 3"), tensor("conv2.bias", "audio", "hidden"), positions("enc_pos"),
)
WHISPER: Final = replace(
    MBART,
    id="whisper",
    source="transformers 5.23 WhisperConfig, WhisperAttention (keys without bias)",
    keys=seq2seq_keys(vocab=51865, hidden=384, layers=4, ffn=1536, heads=6) | {
        "max_pos": key("max_target_positions", 448), "enc_pos": key("max_source_positions", 1500),
            "mels": key("num_mel_bins", 80),
    },
    body=slots(
        embedding("decoder.embed_tokens"),
        when(_BOTH, under("encoder.", _CONV, under("layers.{i}.", encoder_layer(attend("self_attn.", k_bias="")),
            layers="enc_layers"),
                          LAST)),
        under("decoder.", positions("max_pos"), under("layers.{i}.", decoder_layer(k_bias=""), layers="layers"), LAST),
    ),
    heads={"ForConditionalGeneration": head("proj_out"), "ForCausalLM": head("proj_out")},
)

_CROSS_WIDE: Final = slots(
    *(linear(f"encoder_attn.{n}_proj", "cross-attention", n, "hidden", w, "1")
      for n, w in (("q", "hidden"), ("k", "cross_dim"), ("v", "cross_dim"))),
    linear("encoder_attn.out_proj", "cross-attention", "o", "hidden", "hidden", "1"), norm("encoder_attn_layer_norm",
        bias="1"),
)
TROCR: Final = replace(
    BART,
    id="trocr",
    source="transformers 5.23 TrOCRConfig, TrOCRForCausalLM (a decoder alone, for images encoded elsewhere)",
    keys=seq2seq_keys(
        vocab=50265, max_pos=512, learned=opt("use_learned_position_embeddings", True),
            first_norm=opt("layernorm_embedding", True),
        cross_dim=opt("cross_attention_hidden_size", E("hidden")),
    ),
    body=under(
        "decoder.", embedding("embed_tokens"), when("learned", positions("max_pos + 2")),
        when("first_norm", norm("layernorm_embedding", "other-norm", bias="1")),
        under("layers.{i}.", _SELF, _CROSS_WIDE, plain_mlp("fc1", "fc2", bias="1"), norm("final_layer_norm", bias="1"),
            layers="layers"),
    ),
    heads={"ForCausalLM": head("output_projection")},
    head="ForCausalLM",
)


def _seamless(width: str, cross: Slots = ()) -> Slots:
    """A layer of SeamlessM4T's text models."""
    return slots(_SELF, cross, plain_mlp("ffn.fc1", "ffn.fc2", width=width, bias="1"), norm("ffn_layer_norm", bias="1"))


SEAMLESS_M4T: Final = replace(
    MBART,
    id="seamless_m4t",
    source="transformers 5.23 SeamlessM4TConfig, SeamlessM4TForTextToText (text to text only)",
    base="",
    keys=seq2seq_keys(vocab=256102, layers=24, ffn=8192, act="relu") | {"hidden": key("hidden_size", 1024)},
    body=slots(
        embedding("shared"),
        Slot("text_decoder.embed_tokens.weight", "embedding", "", "vocab, hidden", "tie", kind="tied"),
        Slot("text_decoder.embed_tokens.weight", "embedding", "", "vocab, hidden", "not tie"),
        Slot("text_encoder.embed_tokens.weight", "embedding", "", "vocab, hidden", "tie", kind="tied"),
        Slot("text_encoder.embed_tokens.weight", "embedding", "", "vocab, hidden", "not tie"),
        under("text_encoder.", under("layers.{i}.", _seamless("enc_ffn"), layers="enc_layers"), LAST),
        under("text_decoder.", under("layers.{i}.", _seamless("ffn", slots(
            attend("cross_attention.", "cross-attention"), norm("cross_attention_layer_norm", bias="1"))),
                layers="layers"), LAST),
    ),
    heads={"ForTextToText": lm_head()},
    head="ForTextToText",
)
SEAMLESS_M4T_V2: Final = replace(
    SEAMLESS_M4T,
    id="seamless_m4t_v2",
    source="transformers 5.23 SeamlessM4Tv2Config",
    keys={**SEAMLESS_M4T.keys, "max_pos": key("max_position_embeddings", 4096)},
)

_MUSIC_KEYS: Final = seq2seq_keys(vocab=2048, layers=24, tie=False) | {
    "hidden": key("hidden_size", 1024), "layers": key("num_hidden_layers", 24), "heads": key("num_attention_heads", 16),
    "ffn": key("ffn_dim", 4096), "codebooks": key("num_codebooks", 4), "max_pos": key("max_position_embeddings", 2048),
    "cross_width": key("cross_attention_hidden_size", None, "int"),
}


def _music(cross: Slots) -> Slots:
    """A decoder over several codebooks, without biases."""
    return under(
        "decoder.", under("embed_tokens.{i}.", tensor("weight", "embedding", "vocab + 1, hidden"), layers="codebooks"),
        under("layers.{i}.", attend("self_attn.", bias=""), norm("self_attn_layer_norm", bias="1"), cross,
            plain_mlp("fc1", "fc2"),
              norm("final_layer_norm", bias="1"), layers="layers"),
        LAST,
    )


MUSICGEN_DECODER: Final = replace(
    MBART,
    id="musicgen_decoder",
    source="transformers 5.23 MusicgenDecoderConfig, MusicgenForCausalLM (one table and one head for each codebook)",
    keys=_MUSIC_KEYS,
    body=_music(slots(attend("encoder_attn.", "cross-attention", ""), norm("encoder_attn_layer_norm", bias="1"))),
    heads={"ForCausalLM": under("lm_heads.{i}.", tensor("weight", "lm-head", "vocab, hidden"), layers="codebooks")},
    head="ForCausalLM",
)
MUSICGEN_MELODY_DECODER: Final = replace(
    MUSICGEN_DECODER, id="musicgen_melody_decoder",
        source="transformers 5.23 MusicgenMelodyDecoderConfig (no cross-attention)",
    body=_music(()),
)

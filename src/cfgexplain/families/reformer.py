"""Reformer and Perceiver: encoders whose attention, or whose array of latents, keeps long inputs cheap.

Facts from transformers 5.23, ``models/reformer`` and ``models/perceiver``. Kitaev et al. 2020 (2001.04451), Jaegle
et al. 2021 (2107.14795).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.expr import function
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    embedding,
    linear,
    norm,
    plain_mlp,
    slots,
    tensor,
    under,
    when,
)


@function
def axial_shape(shape: object, axis: int) -> list[object]:
    """The axes of one factor of the axial positions: its own length on ``axis``, 1 on the others."""
    return [n if k == axis else 1 for k, n in enumerate(shape)] if isinstance(shape, (list, tuple)) else []


_ATTENTION: Final = "attention.self_attention."
_WIDE: Final = "heads*head_dim"
_LSH: Final = "attn_layers[i] == 'lsh'"

REFORMER: Final = Family(
    id="reformer",
    source="transformers 5.23 ReformerConfig (two residual streams: the last norm and the heads see both)",
    base="reformer",
    keys={
        "hidden": key("hidden_size", 256),
        "ffn": key("feed_forward_size", 512),
        "attn_layers": key("attn_layers", ("local", "lsh", "local", "lsh", "local", "lsh")),
        "layers": key((), E("len(attn_layers)")),
        "heads": key("num_attention_heads", 12),
        "kv_heads": key((), E("heads")),
        "head_dim": key("attention_head_size", 64),
        "vocab": key("vocab_size", 320),
        "max_pos": key("max_position_embeddings", 4096),
        "axial": key("axial_pos_embds", True),
        "axial_lengths": key("axial_pos_shape", (64, 64)),
        "axial_dims": key("axial_pos_embds_dim", (64, 192)),
        "eps": key("layer_norm_eps", 1e-12),
        "act": key("hidden_act", "relu"),
        "tie": key("tie_word_embeddings", False),
        **LABELS,
    },
    body=slots(
        embedding("embeddings.word_embeddings"),
        when("axial", under(
            "embeddings.position_embeddings.weights.{i}",
            tensor("", "position-embedding", "*axial_shape(axial_lengths, i), axial_dims[i]"), layers="len(axial_dims)",
        )),
        when("not axial", embedding("embeddings.position_embeddings.embedding", "max_pos", role="position-embedding")),
        under(
            "encoder.layers.{i}.",
            norm("attention.layer_norm", bias="1"),
            when(_LSH, linear(f"{_ATTENTION}query_key", "attention", "qk", _WIDE, "hidden")),
            when(f"not ({_LSH})", linear(f"{_ATTENTION}query", "attention", "q", _WIDE, "hidden"),
                 linear(f"{_ATTENTION}key", "attention", "k", _WIDE, "hidden")),
            linear(f"{_ATTENTION}value", "attention", "v", _WIDE, "hidden"),
            linear("attention.output.dense", "attention", "o", "hidden", _WIDE),
            norm("feed_forward.layer_norm", bias="1"),
            plain_mlp("feed_forward.dense.dense", "feed_forward.output.dense", bias="1"),
            layers="layers",
        ),
        norm("encoder.layer_norm", "final-norm", "2*hidden", "1"),
    ),
    heads={
        name: slots(
            linear("lm_head.decoder", "lm-head", "", "vocab", "2*hidden"), tensor("lm_head.bias", "lm-head", "vocab"),
            # The same vector up to transformers 5.23; 5.24 stores and trains it beside the other.
            tensor("lm_head.decoder.bias", "lm-head", "vocab", kind="optional"),
        )
        for name in ("ModelWithLMHead", "ForMaskedLM")
    } | {
        "ForSequenceClassification": slots(
            linear("classifier.dense", "other", "", "hidden", "2*hidden", "1"),
            linear("classifier.out_proj", "other", "", "labels", "hidden", "1"),
        ),
        "ForQuestionAnswering": linear("qa_outputs", "other", "", "labels", "2*hidden", "1"),
    },
    head="ModelWithLMHead",
    norm=Norm("layernorm"),
    # What it keeps are hidden states and buckets, not keys and values.
    kv="None",
    layer_kind="'lsh' if attn_layers[i] == 'lsh' else 'sliding'",
)

# --- Perceiver ---


def _attend(q: str, kv: str, wide: str, values: str, out: str, ffn: str, cross: bool) -> Slots:
    """A Perceiver layer: queries of width ``q`` over keys and values of width ``kv``, then a feed-forward block."""
    role = "cross-attention" if cross else "attention"
    return slots(
        norm("attention.self.layernorm1", size=q, bias="1"),
        norm("attention.self.layernorm2", size=kv, bias="1") if cross else (),
        linear("attention.self.query", role, "q", wide, q, "1"),
        linear("attention.self.key", role, "k", wide, kv, "1"),
        linear("attention.self.value", role, "v", values, kv, "1"),
        linear("attention.output.dense", role, "o", out, values, "1"),
        norm("layernorm", size=q, bias="1"),
        plain_mlp("mlp.dense1", "mlp.dense2", width=ffn, cols=q, bias="1"),
    )


_MASKED: Final = "cls == 'ForMaskedLM'"
_CLASSIFY: Final = "cls == 'ForSequenceClassification'"
PERCEIVER: Final = Family(
    id="perceiver",
    source="transformers 5.23 PerceiverConfig, PerceiverForMaskedLM (eps 1e-5 in the code; layer_norm_eps is not read)",
    base="perceiver",
    keys={
        "hidden": key("d_latents", 1280),
        "d_model": key("d_model", 768),
        "latents": key("num_latents", 256),
        "layers": key("num_self_attends_per_block", 26),
        "heads": key("num_self_attention_heads", 8),
        "qk": key("qk_channels", E("hidden")),
        "v": key("v_channels", E("qk")),
        "cross_qk": key("qk_channels", E("hidden if cross_shape == 'q' else d_model")),
        "cross_v": key("v_channels", E("cross_qk")),
        "cross_shape": key("cross_attention_shape_for_attention", "kv"),
        "widening": key("self_attention_widening_factor", 1),
        "cross_widening": key("cross_attention_widening_factor", 1),
        "vocab": key("vocab_size", 262),
        "max_pos": key("max_position_embeddings", 2048),
        "act": key("hidden_act", "gelu"),
        "ffn": key((), E("widening*hidden")),
        **LABELS,
    },
    body=slots(
        tensor("embeddings.latents", "other", "latents, hidden"),
        when(f"{_MASKED} or {_CLASSIFY}", embedding("input_preprocessor.embeddings", cols="d_model"),
             embedding("input_preprocessor.position_embeddings", "max_pos", "d_model", "position-embedding")),
        under("encoder.cross_attention.", _attend("hidden", "d_model", "cross_qk", "cross_v", "hidden",
            "cross_widening*hidden", True)),
        under("encoder.self_attends.{i}.", _attend("hidden", "hidden", "qk", "v", "v", "ffn", False), layers="layers"),
        when(_MASKED, under("decoder.decoding_cross_attention.",
                            _attend("d_model", "hidden", "256", "d_model", "d_model", "d_model", True)),
             tensor("decoder.output_position_encodings.position_embeddings", "other", "max_pos, d_model")),
        when(_CLASSIFY, under("decoder.decoder.decoding_cross_attention.",
                              _attend("hidden", "hidden", "hidden", "hidden", "hidden", "hidden", True)),
             tensor("decoder.decoder.output_position_encodings.position_embeddings", "other", "1, hidden"),
             linear("decoder.decoder.final_layer", "other", "", "labels", "hidden", "1")),
    ),
    # PerceiverEmbeddingDecoder multiplies with the embedding's own matrix and adds a bias.
    heads={
        "ForMaskedLM": slots(
            tensor("embedding_decoder.weight", "lm-head", "vocab, d_model", kind="tied"),
            tensor("embedding_decoder.bias", "lm-head", "vocab"),
        ),
        "ForSequenceClassification": (),
    },
    head="ForMaskedLM",
    norm=Norm("layernorm", eps=1e-5, final=False),
    kv="0",
    unread=("layer_norm_eps",),
)

"""DeBERTa: BERT's block with attention that also reads relative positions.

Facts from transformers 5.23, ``models/deberta`` and ``models/deberta_v2``. He et al. 2020 (2006.03654),
    2021 (2111.09543).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.bert import (
    BERT,
    EMBED_NORM,
    MLP,
    POST,
    bert_keys,
    encoder,
    encoder_heads,
    mlm,
    opt,
    vocabulary,
)
from cfgexplain.families.common import key
from cfgexplain.families.schema import E, embedding, linear, norm, replace, slots, tensor, when

_SELF: Final = "attention.self."
_EMBEDDINGS: Final = slots(
    embedding("embeddings.word_embeddings", cols="embed"),
    when("absolute", embedding("embeddings.position_embeddings", "max_pos", "embed", "position-embedding")),
    when("types > 0", embedding("embeddings.token_type_embeddings", "types", "embed", "position-embedding")),
    when("embed != hidden", linear("embeddings.embed_proj", "other", "", "hidden", "embed")),
    EMBED_NORM,
)
_KEYS: Final = {
    "types": opt("type_vocab_size", 0), "embed": opt("embedding_size", E("hidden")),
        "absolute": opt("position_biased_input", True),
    "relative": opt("relative_attention", False), "span": key("max_relative_positions", -1, low=-1),
    "terms": key("pos_att_type", None, "list str"), "legacy": opt("legacy", True),
    "pool": opt("pooler_hidden_size", E("hidden")),
}
_LETS: Final = {"reach": "span if span >= 1 else max_pos"}
_POOLER: Final = linear("pooler.dense", "other", "", "pool", "pool", "1")
_HEAD: Final = slots(
    when("legacy", slots(mlm("embed")[:4], vocabulary("cls.predictions.decoder", "cls.predictions.bias", "embed"))),
    when("not legacy", linear("lm_predictions.lm_head.dense", "other", "", "hidden", "hidden", "1"),
         norm("lm_predictions.lm_head.LayerNorm", "other-norm", bias="1"), tensor("lm_predictions.lm_head.bias",
             "lm-head", "vocab")),
)
_HEADS: Final = encoder_heads(
    _HEAD, slots(_POOLER, linear("classifier", "other", "", "labels", "pool", "1")), _POOLER
)

DEBERTA: Final = replace(
    BERT,
    id="deberta",
    source="transformers 5.23 DebertaConfig, DisentangledSelfAttention (one in_proj for q, k and v; k without bias)",
    base="deberta",
    keys=bert_keys(vocab=50265, eps=1e-7, talking=opt("talking_head", False)) | _KEYS,
    lets=_LETS,
    body=encoder(
        linear(f"{_SELF}in_proj", "attention", "qkv", "3*hidden", "hidden"),
        tensor(f"{_SELF}q_bias", "attention", "hidden", "q"), tensor(f"{_SELF}v_bias", "attention", "hidden", "v"),
        when("relative and has(terms, 'c2p')", linear(f"{_SELF}pos_proj", "attention", "", "hidden", "hidden")),
        when("relative and has(terms, 'p2c')", linear(f"{_SELF}pos_q_proj", "attention", "", "hidden", "hidden", "1")),
        when("talking", linear(f"{_SELF}head_logits_proj", "attention", "", "heads", "heads"),
             linear(f"{_SELF}head_weights_proj", "attention", "", "heads", "heads")),
        linear("attention.output.dense", "attention", "o", "hidden", "hidden", "1"), MLP, POST, embeddings=_EMBEDDINGS,
        rest=when("relative", embedding("encoder.rel_embeddings", "2*reach", role="position-embedding")), pooler=(),
    ),
    heads=_HEADS,
    kv="0",
)

_NORMED: Final = "has(rel_norm, 'layer_norm')"
DEBERTA_V2: Final = replace(
    DEBERTA,
    id="deberta-v2",
    source="transformers 5.23 DebertaV2Config, DebertaV2Encoder (buckets; a convolution by the first layer)",
    keys=bert_keys(vocab=128100, hidden=1536, layers=24, heads=24, ffn=6144, eps=1e-7) | _KEYS | {
        "head_dim": key("attention_head_size", E("hidden // heads")), "share": opt("share_att_key", False),
        "buckets": key("position_buckets", -1, low=-1), "rel_norm": opt("norm_rel_ebd", "none"),
            "kernel": opt("conv_kernel_size", 0),
        "groups": opt("conv_groups", 1),
    },
    lets=_LETS | {"wide": "heads*head_dim"},
    body=encoder(
        *(linear(f"{_SELF}{n}_proj", "attention", p, "wide", "hidden", "1") for n, p in (("query", "q"), ("key", "k"),
            ("value", "v"))),
        *(when(f"relative and not share and has(terms, '{t}')", linear(f"{_SELF}pos_{n}_proj", "attention", "", "wide",
            "hidden", "1"))
          for n, t in (("key", "c2p"), ("query", "p2c"))),
        linear("attention.output.dense", "attention", "o", "hidden", "hidden", "1"), MLP, POST, embeddings=_EMBEDDINGS,
        rest=slots(
            when("relative", embedding(
                "encoder.rel_embeddings", "2*buckets if buckets > 0 else 2*reach", role="position-embedding")),
            when(_NORMED, norm("encoder.LayerNorm", "other-norm", bias="1")),
            when("kernel > 0", tensor("encoder.conv.conv.weight", "mixer", "hidden, hidden // groups, kernel"),
                 tensor("encoder.conv.conv.bias", "mixer", "hidden"), norm("encoder.conv.LayerNorm", "mixer",
                     bias="1")),
        ),
        pooler=(),
    ),
)

"""RoBERTa's lineage, and the encoders that moved BERT's norms in front of the sub-layers.

Facts from transformers 5.23, ``models/<family>``. Liu et al. 2019 (1907.11692).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.bert import (
    BERT,
    BLOCK,
    DENSE_CLASSIFIER,
    EMBEDDINGS,
    MLP,
    POOLED_BASE,
    POOLER,
    POSITIONS,
    POST,
    TYPES,
    bert_keys,
    encoder,
    encoder_heads,
    mlm,
    opt,
    optional,
    self_attention,
    vocabulary,
)
from cfgexplain.families.schema import (
    E,
    Norm,
    Slots,
    embedding,
    form,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

#: RoBERTa's head: dense, norm, projection with a bias that stands beside it.
HEAD: Final = mlm(prefix="lm_head.", dense="", ln="layer_norm")
POOL: Final = optional(POOLED_BASE, POOLER)

ROBERTA: Final = replace(
    BERT,
    id="roberta",
    source="transformers 5.23 RobertaConfig, RobertaForMaskedLM",
    base="roberta",
    keys=bert_keys(vocab=50265),
    body=encoder(BLOCK, pooler=POOL),
    heads=encoder_heads(HEAD, DENSE_CLASSIFIER),
)
CAMEMBERT: Final = replace(ROBERTA, id="camembert", source="transformers 5.23 CamembertConfig", keys=bert_keys())
XLM_ROBERTA: Final = replace(ROBERTA, id="xlm-roberta", source="transformers 5.23 XLMRobertaConfig", keys=bert_keys())
DATA2VEC_TEXT: Final = replace(
    ROBERTA, id="data2vec-text", source="transformers 5.23 Data2VecTextConfig", base="data2vec_text", keys=bert_keys()
)

PRE_LN: Final = slots(norm("attention.LayerNorm", bias="1"), norm("intermediate.LayerNorm", bias="1"))
ROBERTA_PRELAYERNORM: Final = replace(
    ROBERTA,
    id="roberta-prelayernorm",
    source="transformers 5.23 RobertaPreLayerNormConfig, RobertaPreLayerNormModel (pre-norm, and a norm after all)",
    base="roberta_prelayernorm",
    body=encoder(
        self_attention(),
        when("cross", self_attention("crossattention.", "cross-attention"), norm("crossattention.LayerNorm", bias="1")),
        MLP, PRE_LN, pooler=POOL, rest=norm("LayerNorm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm", "pre"),
)

XLM_ROBERTA_XL: Final = replace(
    ROBERTA,
    id="xlm-roberta-xl",
    source="transformers 5.23 XLMRobertaXLConfig, XLMRobertaXLLayer (pre-norm; no norm on the embeddings)",
    keys=bert_keys(vocab=250880, hidden=2560, layers=36, heads=32, ffn=10240, max_pos=514, eps=1e-5,
        types=opt("type_vocab_size", 1)),
    body=encoder(
        self_attention(), norm("attention.self_attn_layer_norm", bias="1"),
        when("cross", self_attention("crossattention.", "cross-attention"), norm("crossattention.self_attn_layer_norm",
            bias="1")),
        MLP, norm("LayerNorm", bias="1"),
        embeddings=slots(embedding("embeddings.word_embeddings"), POSITIONS, TYPES), pooler=POOL,
        rest=norm("encoder.LayerNorm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm", "pre"),
)

MEGATRON_BERT: Final = replace(
    BERT,
    id="megatron-bert",
    source="transformers 5.23 MegatronBertConfig, MegatronBertLayer (pre-norm; no norm on the embeddings)",
    keys=bert_keys(vocab=29056, hidden=1024, layers=24, heads=16, ffn=4096),
    body=encoder(
        self_attention(), norm("attention.ln", bias="1"),
        when("cross", self_attention("crossattention.", "cross-attention"), norm("crossattention.ln", bias="1")),
        MLP, norm("ln", bias="1"),
        embeddings=slots(embedding("embeddings.word_embeddings"), POSITIONS, TYPES),
        rest=norm("encoder.ln", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm", "pre"),
)

_QA: Final = slots(
    linear("qa_classifier.intermediate.dense", "other", "", "ffn", "hidden", "1"),
    linear("qa_classifier.output.dense", "other", "", "hidden", "ffn", "1"),
    norm("qa_classifier.output.LayerNorm", "other-norm", bias="1"),
    linear("qa_classifier.qa_outputs", "other", "", "labels", "hidden", "1"),
)
BIG_BIRD: Final = replace(
    BERT,
    id="big_bird",
    source="transformers 5.23 BigBirdConfig, BigBirdModel (q, k, v biased by use_bias; a bare linear pooler)",
    keys=bert_keys(vocab=50358, max_pos=4096, act="gelu_new", bias=opt("use_bias", True)),
    body=encoder(
        self_attention(bias="bias"),
        when("cross", self_attention("crossattention.", "cross-attention", "bias"),
            norm("crossattention.output.LayerNorm", bias="1")),
        MLP, POST, pooler=optional("cls != 'ForQuestionAnswering'", linear("pooler", "other", "", "hidden", "hidden",
            "1")),
    ),
    heads=encoder_heads(mlm(), DENSE_CLASSIFIER, ForQuestionAnswering=_QA),
)


def _more_queries(*names: str) -> Slots:
    """Further projections [hidden, hidden] beside query, key and value."""
    return slots(*(linear(f"attention.self.{n}", "attention", "", "hidden", "hidden", "1") for n in names))


LONGFORMER: Final = replace(
    ROBERTA,
    id="longformer",
    source="transformers 5.23 LongformerConfig, LongformerSelfAttention (second projections for global tokens)",
    base="longformer",
    keys=bert_keys(),
    body=encoder(self_attention(), _more_queries("query_global", "key_global", "value_global"), MLP, POST, pooler=POOL),
    layer_kind="'sliding'",
)

_ENTITY: Final = under(
    "entity_embeddings.",
    embedding("entity_embeddings", "entities", "entity_dim"),
    when("entity_dim != hidden", tensor("entity_embedding_dense.weight", "other", "hidden, entity_dim")),
    embedding("position_embeddings", "max_pos", role="position-embedding"),
    embedding("token_type_embeddings", "types", role="position-embedding"),
    norm("LayerNorm", "other-norm", bias="1"),
)
_ENTITY_HEAD: Final = slots(
    linear("entity_predictions.transform.dense", "other", "", "entity_dim", "hidden", "1"),
    norm("entity_predictions.transform.LayerNorm", "other-norm", "entity_dim", "1"),
    tensor("entity_predictions.bias", "other", "entities"),
    tensor("entity_predictions.decoder.weight", "other", "entities, entity_dim", cond="tie", kind="tied"),
    tensor("entity_predictions.decoder.weight", "other", "entities, entity_dim", cond="not tie"),
)
#: Nothing ties this projection; the bias beside it is its own bias.
_OWN_VOCABULARY: Final = slots(
    linear("lm_head.decoder", "lm-head", "", "vocab", "hidden", "1"),
    tensor("lm_head.bias", "lm-head", "vocab", cond="tie", kind="tied"),
    tensor("lm_head.bias", "lm-head", "vocab", cond="not tie")
)
LUKE: Final = replace(
    ROBERTA,
    id="luke",
    source="transformers 5.23 LukeConfig, LukeForMaskedLM (entities beside words; three more queries)",
    base="luke",
    keys=bert_keys(
        vocab=50267, entities=opt("entity_vocab_size", 500000), entity_dim=opt("entity_emb_size", 256),
        aware=opt("use_entity_aware_attention", True),
    ),
    body=encoder(
        self_attention(), when("aware", _more_queries("w2e_query", "e2w_query", "e2e_query")), MLP, POST,
        rest=_ENTITY, pooler=optional("cls not in ('ForTokenClassification', 'ForQuestionAnswering')", POOLER),
    ),
    heads=encoder_heads(slots(HEAD[:4], _OWN_VOCABULARY, _ENTITY_HEAD)),
)

_QUANT_ACT: Final = ("x_min", "x_max", "act_scaling_factor")
_BUFFERS: Final = slots(*(
    tensor(name, "buffer", "", kind="buffer")
    for name in (
        *(f"embeddings.{e}_embeddings.{b}" for e in ("word", "position", "token_type") for b in ("weight_integer",
            "weight_scaling_factor")),
        *(f"embeddings.{m}.{b}" for m in ("embeddings_act1", "embeddings_act2", "output_activation",
            "LayerNorm.activation")
          for b in _QUANT_ACT),
        "embeddings.LayerNorm.shift",
    )
))
_LAYER_BUFFERS: Final = slots(*(
    tensor(name, "buffer", "", kind="buffer")
    for name in (
        *(f"{m}.{b}" for m in ("attention.self.query", "attention.self.key", "attention.self.value",
            "attention.output.dense",
                               "intermediate.dense", "output.dense") for b in ("weight_integer", "bias_integer",
                                   "fc_scaling_factor")),
        *(f"{m}.{b}" for m in (
            "attention.self.query_activation", "attention.self.key_activation", "attention.self.value_activation",
            "attention.self.output_activation", "attention.self.softmax.act", "attention.output.ln_input_act",
            "attention.output.output_activation", "attention.output.LayerNorm.activation",
                "intermediate.output_activation",
            "output.ln_input_act", "output.output_activation", "output.LayerNorm.activation", "pre_intermediate_act",
                "pre_output_act",
        ) for b in _QUANT_ACT),
        "attention.output.LayerNorm.shift", "output.LayerNorm.shift",
    )
))
IBERT: Final = replace(
    ROBERTA,
    id="ibert",
    source="transformers 5.23 IBertConfig, quant_modules (integer copies and ranges are buffers)",
    base="ibert",
    keys=bert_keys(),
    body=encoder(self_attention(), MLP, POST, _LAYER_BUFFERS, embeddings=slots(EMBEDDINGS, _BUFFERS), pooler=POOL),
)

MPNET: Final = replace(
    ROBERTA,
    id="mpnet",
    source="transformers 5.23 MPNetConfig, MPNetEncoder (one table of relative positions for all layers)",
    base="mpnet",
    keys=bert_keys(vocab=30527, buckets=opt("relative_attention_num_buckets", 32)),
    body=encoder(
        *(linear(f"attention.attn.{n}", "attention", n, "hidden", "hidden", "1") for n in "qkvo"),
        MLP, norm("attention.LayerNorm", bias="1"), norm("output.LayerNorm", bias="1"),
        embeddings=slots(embedding("embeddings.word_embeddings"), POSITIONS, norm("embeddings.LayerNorm", "other-norm",
            bias="1")),
        rest=tensor("encoder.relative_attention_bias.weight", "attention", "buckets, heads"), pooler=POOL,
    ),
)

#: They belong to the architecture, inside the feed-forward module: not a tuner's adapters.
_ADAPTERS: Final = under(
    "output.adapter_modules.{e}.", linear("dense1", "ffn", "", "hidden // reduction", "hidden", "1"),
    linear("dense2", "ffn", "", "hidden", "hidden // reduction", "1"), experts="languages",
)
XMOD: Final = replace(
    ROBERTA,
    id="xmod",
    source="transformers 5.23 XmodConfig, XmodLayer (pre- or post-norm by pre_norm; an adapter for each language)",
    keys=bert_keys(
        pre=opt("pre_norm", False), reduction=opt("adapter_reduction_factor", 2),
            adapter_norm=opt("adapter_layer_norm", False),
        languages=opt("languages", ("en_XX",)),
    ),
    body=encoder(
        BLOCK, when("adapter_norm", norm("output.adapter_layer_norm", "other-norm", bias="1")), _ADAPTERS,
        rest=when("pre", norm("encoder.LayerNorm", "final-norm", bias="1")), pooler=POOL,
    ),
    norm=Norm("layernorm", E("'pre' if pre else 'post'"), final=E("pre")),
)

# --- protein language models ---

#: The reference writes the layers' norms under TensorFlow's names; published checkpoints have PyTorch's.
_ESM_NORMS: Final = slots(*(
    form(f"norm/{kind}", *(
        tensor(f"{where}LayerNorm.{g}", "block-norm", "hidden", cond=cond)
        for where, cond in (("attention.", ""), ("", ""), ("crossattention.", "cross")) for g in names
    ))
    for kind, names in (("tensorflow", ("gamma", "beta")), ("torch", ("weight", "bias")))
))
_ESM_CROSS: Final = when("cross", self_attention("crossattention.", "cross-attention"))
ESM: Final = replace(
    ROBERTA,
    id="esm",
    source="transformers 5.23 EsmConfig, EsmLayer (pre-norm), EsmContactPredictionHead",
    base="esm",
    keys=bert_keys(
        max_pos=1026, first_norm=opt("emb_layer_norm_before", None, "bool"), positions=opt("position_embedding_type",
            "absolute"),
    ) | {"vocab": opt("vocab_size", None, "int")},
    body=encoder(
        self_attention(), _ESM_CROSS, MLP, _ESM_NORMS, tensor("attention.self.rotary_embeddings.inv_freq", "buffer", "",
            kind="buffer"),
        embeddings=slots(
            embedding("embeddings.word_embeddings"), when("positions == 'absolute'", POSITIONS),
            when("first_norm", norm("embeddings.layer_norm", "other-norm", bias="1")),
        ),
        rest=slots(
            norm("encoder.emb_layer_norm_after", "final-norm", bias="1"),
            linear("contact_head.regression", "other", "", "1", "layers*heads", "1"),
        ),
        pooler=optional("cls == 'Model'", POOLER),
    ),
    heads=encoder_heads(slots(
        linear("lm_head.dense", "other", "", "hidden", "hidden", "1"), norm("lm_head.layer_norm", "other-norm",
            bias="1"),
        vocabulary("lm_head.decoder", "lm_head.bias")[:3],
    ), DENSE_CLASSIFIER),
    norm=Norm("layernorm", "pre"),
    renames=(),
)

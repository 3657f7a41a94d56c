"""BERT made smaller or cheaper: shared layers, narrow embeddings, bottlenecks, grouped convolutions, Fourier mixing.

Facts from transformers 5.23, ``models/<family>``. ALBERT (1909.11942), ELECTRA (2003.10555), DistilBERT (1910.01108),
MobileBERT (2004.02984), SqueezeBERT (2006.11316), ConvBERT (2008.02496), FNet (2105.03824), Funnel (2006.03236).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.bert import (
    BERT,
    BLOCK,
    CROSS,
    DENSE_CLASSIFIER,
    EMBED_NORM,
    EMBEDDINGS,
    INDEX_BUFFERS,
    MLP,
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
from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Norm,
    Slots,
    embedding,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)

#: Embeddings narrower than the layers.
NARROW: Final = slots(
    embedding("embeddings.word_embeddings", cols="embed"),
    embedding("embeddings.position_embeddings", "max_pos", "embed", "position-embedding"),
    embedding("embeddings.token_type_embeddings", "types", "embed", "position-embedding"),
    norm("embeddings.LayerNorm", "other-norm", "embed", "1"),
)


def widen(name: str, cond: str = "embed != hidden") -> Slots:
    """The projection from the embeddings' width to the layers'."""
    return when(cond, linear(name, "other", "", "hidden", "embed", "1"))


_ALBERT_LAYER: Final = slots(
    *(linear(f"attention.{n}", "attention", p, "hidden", "hidden", "1")
      for n, p in (("query", "q"), ("key", "k"), ("value", "v"), ("dense", "o"))),
    norm("attention.LayerNorm", bias="1"), plain_mlp("ffn", "ffn_output", bias="1"), norm("full_layer_layer_norm",
        bias="1"),
)
_SOP: Final = linear("sop_classifier.classifier", "other", "", "2", "hidden", "1")
_ALBERT_HEAD: Final = mlm("embed", "predictions.", dense="")
ALBERT: Final = replace(
    BERT,
    id="albert",
    source="transformers 5.23 AlbertConfig, AlbertTransformer (num_hidden_groups sets of weights for all layers)",
    base="albert",
    keys=bert_keys(
        vocab=30000, hidden=4096, heads=64, ffn=16384, act="gelu_new", embed=opt("embedding_size", 128),
        groups=opt("num_hidden_groups", 1), inner=opt("inner_group_num", 1),
    ),
    body=slots(
        NARROW, INDEX_BUFFERS, widen("encoder.embedding_hidden_mapping_in", "True"),
        under("encoder.albert_layer_groups.{i}.albert_layers.{e}.", _ALBERT_LAYER, layers="groups", experts="inner"),
        optional("cls in ('Model', 'ForPreTraining', 'ForSequenceClassification', 'ForMultipleChoice')",
                 linear("pooler", "other", "", "hidden", "hidden", "1")),
    ),
    heads=encoder_heads(slots(_ALBERT_HEAD, tuple(s._replace(kind="optional") for s in _SOP)),
                        ForPreTraining=slots(_ALBERT_HEAD, _SOP)),
    kv="0",
)

_GENERATOR: Final = slots(
    linear("generator_predictions.dense", "other", "", "embed", "hidden", "1"),
    norm("generator_predictions.LayerNorm", "other-norm", "embed", "1"),
    vocabulary("generator_lm_head", "generator_lm_head.bias", "embed")[:3],
)
_DISCRIMINATOR: Final = slots(
    linear("discriminator_predictions.dense", "other", "", "hidden", "hidden", "1"),
    linear("discriminator_predictions.dense_prediction", "other", "", "1", "hidden", "1"),
)
ELECTRA: Final = replace(
    BERT,
    id="electra",
    source="transformers 5.23 ElectraConfig, ElectraForMaskedLM (generator), ElectraForPreTraining (discriminator)",
    base="electra",
    keys=bert_keys(
        hidden=256, heads=4, ffn=1024, embed=opt("embedding_size", 128), projected=opt("summary_use_proj", True),
        by_label=opt("summary_proj_to_labels", True),
    ),
    body=encoder(BLOCK, embeddings=NARROW, pooler=(), rest=widen("embeddings_project")),
    heads=encoder_heads(
        _GENERATOR, DENSE_CLASSIFIER, ForPreTraining=_DISCRIMINATOR,
        choice=when("projected", linear("sequence_summary.summary", "other", "", "hidden", "hidden", "1")),
    ),
)

_INNER: Final = "hidden // inner_heads // 2 * inner_heads"
_SELF: Final = "attention.self."
_GROUPED: Final = when(
    "groups > 1",
    tensor("intermediate.dense.weight", "ffn", "groups, hidden // groups, ffn // groups", "up"),
    tensor("intermediate.dense.bias", "ffn", "ffn", "up"),
    tensor("output.dense.weight", "ffn", "groups, ffn // groups, hidden // groups", "down"),
    tensor("output.dense.bias", "ffn", "hidden", "down"),
)
CONVBERT: Final = replace(
    BERT,
    id="convbert",
    source="transformers 5.23 ConvBertConfig, ConvBertSelfAttention (half of the width is a dynamic convolution)",
    base="convbert",
    keys=bert_keys(
        embed=opt("embedding_size", 768), ratio=opt("head_ratio", 2), kernel=opt("conv_kernel_size", 9),
            groups=opt("num_groups", 1),
    ),
    lets={"inner_heads": "max(heads // ratio, 1)", "inner": _INNER},
    body=encoder(
        *(linear(f"{_SELF}{n}", "attention", p, "inner", "hidden", "1") for n, p in (("query", "q"), ("key", "k"),
            ("value", "v"))),
        tensor(f"{_SELF}key_conv_attn_layer.depthwise.weight", "attention", "hidden, 1, kernel"),
        tensor(f"{_SELF}key_conv_attn_layer.pointwise.weight", "attention", "inner, hidden, 1"),
        tensor(f"{_SELF}key_conv_attn_layer.bias", "attention", "inner, 1"),
        linear(f"{_SELF}conv_kernel_layer", "attention", "", "inner_heads*kernel", "inner", "1"),
        linear(f"{_SELF}conv_out_layer", "attention", "", "inner", "hidden", "1"),
        linear("attention.output.dense", "attention", "o", "hidden", "hidden", "1"),
        when("groups == 1", MLP), _GROUPED, POST, embeddings=NARROW, pooler=(), rest=widen("embeddings_project"),
    ),
    heads=encoder_heads(_GENERATOR, DENSE_CLASSIFIER),
    kv="0",
)

ROFORMER: Final = replace(
    BERT,
    id="roformer",
    source="transformers 5.23 RoFormerConfig, RoFormerEncoder (one table of sines for all layers)",
    base="roformer",
    keys=bert_keys(vocab=50000, max_pos=1536, embed=opt("embedding_size", E("hidden"))),
    body=encoder(
        self_attention(), CROSS, MLP, POST,
        embeddings=slots(
            embedding("embeddings.word_embeddings", cols="embed"),
            embedding("embeddings.token_type_embeddings", "types", "embed", "position-embedding"),
            norm("embeddings.LayerNorm", "other-norm", "embed", "1"),
        ),
        pooler=(), rest=slots(widen("embeddings_project"), embedding("encoder.embed_positions", "max_pos", "head_dim",
            "position-embedding")),
    ),
    heads=encoder_heads(mlm("embed"), DENSE_CLASSIFIER),
)

_REMBERT_HEAD: Final = slots(
    linear("cls.predictions.dense", "other", "", "out", "hidden", "1"),
    norm("cls.predictions.LayerNorm", "other-norm", "out", "1"),
    linear("cls.predictions.decoder", "lm-head", "", "vocab", "out", "1"),
)
REMBERT: Final = replace(
    BERT,
    id="rembert",
    source="transformers 5.23 RemBertConfig, RemBertForMaskedLM (input and output embeddings, never tied)",
    base="rembert",
    keys=bert_keys(
        vocab=250300, hidden=1152, layers=32, heads=18, ffn=4608, tie=False,
        embed=opt("input_embedding_size", 256), out=opt("output_embedding_size", 1664),
    ),
    body=encoder(
        BLOCK, embeddings=slots(NARROW, widen("encoder.embedding_hidden_mapping_in", "True")),
        pooler=optional("cls in ('Model', 'ForSequenceClassification', 'ForMultipleChoice')", POOLER),
    ),
    heads=encoder_heads(_REMBERT_HEAD),
)

_DISTIL_LAYER: Final = slots(
    *(linear(f"attention.{n}_lin", "attention", p, "hidden", "hidden", "1") for n, p in (("q", "q"), ("k", "k"), ("v",
        "v"), ("out", "o"))),
    norm("sa_layer_norm", bias="1"), plain_mlp("ffn.lin1", "ffn.lin2", bias="1"), norm("output_layer_norm", bias="1"),
)
_PRE_CLASSIFIER: Final = linear("pre_classifier", "other", "", "hidden", "hidden", "1")
DISTILBERT: Final = replace(
    BERT,
    id="distilbert",
    source="transformers 5.23 DistilBertConfig, TransformerBlock (eps 1e-12 in the code)",
    base="distilbert",
    keys=bert_keys() | {
        "hidden": key(("dim", "hidden_size"), 768), "ffn": key("hidden_dim", 3072), "layers": key(("n_layers",
            "num_hidden_layers"), 6),
        "heads": key(("n_heads", "num_attention_heads"), 12), "act": key("activation", "gelu"),
    },
    body=slots(
        embedding("embeddings.word_embeddings"), POSITIONS, EMBED_NORM, INDEX_BUFFERS, under("transformer.layer.{i}.",
            _DISTIL_LAYER, layers="layers"),
    ),
    heads=encoder_heads(
        slots(linear("vocab_transform", "other", "", "hidden", "hidden", "1"), norm("vocab_layer_norm", "other-norm",
            bias="1"),
              vocabulary("vocab_projector", "vocab_projector.bias")[:3]),
        slots(_PRE_CLASSIFIER, linear("classifier", "other", "", "labels", "hidden", "1")), _PRE_CLASSIFIER,
    ),
    norm=Norm("layernorm", "post", eps=1e-12, final=False),
    kv="0",
)

_BOTTLENECK: Final = slots(
    linear("bottleneck.input.dense", "other", "", "inner", "hidden", "1"), norm("bottleneck.input.LayerNorm",
        size="inner", bias="1"),
    when("shared", linear("bottleneck.attention.dense", "other", "", "inner", "hidden", "1"),
         norm("bottleneck.attention.LayerNorm", size="inner", bias="1")),
    linear("output.bottleneck.dense", "other", "", "hidden", "width", "1"), norm("output.bottleneck.LayerNorm",
        bias="1"),
)
_MOBILE_LAYER: Final = slots(
    linear("attention.self.query", "attention", "q", "width", "width", "1"),
    linear("attention.self.key", "attention", "k", "width", "width", "1"),
    linear("attention.self.value", "attention", "v", "width", "width if narrow_values else hidden", "1"),
    linear("attention.output.dense", "attention", "o", "width", "width", "1"),
    norm("attention.output.LayerNorm", size="width", bias="1"),
    plain_mlp("intermediate.dense", "output.dense", bias="1", cols="width"), norm("output.LayerNorm", size="width",
        bias="1"),
    when("bottleneck", _BOTTLENECK),
    under("ffn.{e}.", plain_mlp("intermediate.dense", "output.dense", bias="1", cols="width"),
          norm("output.LayerNorm", size="width", bias="1"), experts="networks - 1"),
)
_MOBILE_HEAD: Final = slots(
    mlm()[:4],
    linear("cls.predictions.dense", "lm-head", "", "hidden - embed", "vocab"),
    vocabulary("cls.predictions.decoder", "cls.predictions.bias", "embed"),
)
MOBILEBERT: Final = replace(
    BERT,
    id="mobilebert",
    source="transformers 5.23 MobileBertConfig, MobileBertLayer (bottlenecks; NoNorm: scale and shift only)",
    base="mobilebert",
    keys=bert_keys(
        hidden=512, layers=24, heads=4, ffn=512, act="relu", embed=opt("embedding_size", 128),
            trigram=opt("trigram_input", True),
        bottleneck=opt("use_bottleneck", True), inner=opt("intra_bottleneck_size", 128),
            narrow_values=opt("use_bottleneck_attention", False),
        shared=opt("key_query_shared_bottleneck", True), networks=opt("num_feedforward_networks", 4),
        norm_type=opt("normalization_type", "no_norm"), dense_pool=opt("classifier_activation", True),
        width=opt("true_hidden_size", E("inner if bottleneck else hidden")),
    ),
    body=encoder(
        _MOBILE_LAYER,
        embeddings=slots(
            embedding("embeddings.word_embeddings", cols="embed"),
            POSITIONS, TYPES, EMBED_NORM,
            linear("embeddings.embedding_transformation", "other", "", "hidden", "3*embed if trigram else embed", "1"),
        ),
        pooler=when("dense_pool",
            optional("cls in ('Model', 'ForPreTraining', 'ForNextSentencePrediction', 'ForSequenceClassification', "
                                           "'ForMultipleChoice')", POOLER)),
    ),
    heads=encoder_heads(_MOBILE_HEAD),
    norm=Norm(E("'other' if norm_type == 'no_norm' else 'layernorm'"), "post", final=False),
    kv="0",
)


def _conv(name: str, role: str, part: str, rows: str, cols: str, groups: str) -> Slots:
    """A pointwise grouped convolution: weight [rows, cols / groups, 1], bias [rows]."""
    return slots(tensor(f"{name}.weight", role, f"{rows}, {cols} // {groups}, 1", part), tensor(f"{name}.bias", role,
        rows, part))


SQUEEZEBERT: Final = replace(
    BERT,
    id="squeezebert",
    source="transformers 5.23 SqueezeBertConfig, SqueezeBertModule (pointwise grouped convolutions)",
    base="transformer",
    keys=bert_keys(
        q_groups=opt("q_groups", 4), k_groups=opt("k_groups", 4), v_groups=opt("v_groups", 4),
        o_groups=opt("post_attention_groups", 1), up_groups=opt("intermediate_groups", 4),
            down_groups=opt("output_groups", 4),
    ),
    body=slots(
        EMBEDDINGS, INDEX_BUFFERS,
        under("encoder.layers.{i}.", slots(
            _conv("attention.query", "attention", "q", "hidden", "hidden", "q_groups"),
            _conv("attention.key", "attention", "k", "hidden", "hidden", "k_groups"),
            _conv("attention.value", "attention", "v", "hidden", "hidden", "v_groups"),
            _conv("post_attention.conv1d", "attention", "o", "hidden", "hidden", "o_groups"),
            norm("post_attention.layernorm", bias="1"),
            _conv("intermediate.conv1d", "ffn", "up", "ffn", "hidden", "up_groups"),
            _conv("output.conv1d", "ffn", "down", "hidden", "ffn", "down_groups"),
            norm("output.layernorm", bias="1"),
        ), layers="layers"),
        POOLER,
    ),
    heads=encoder_heads(mlm()),
    kv="0",
)

FNET: Final = replace(
    BERT,
    id="fnet",
    source="transformers 5.23 FNetConfig, FNetBasicFourierTransform (mixing without parameters), FNetEmbeddings",
    base="fnet",
    keys=bert_keys(vocab=32000, act="gelu_new", types=opt("type_vocab_size", 4)) | {"heads": key((), None),
        "head_dim": key((), None)},
    body=encoder(
        norm("fourier.output.LayerNorm", bias="1"), MLP, norm("output.LayerNorm", bias="1"),
        embeddings=slots(EMBEDDINGS, linear("embeddings.projection", "other", "", "hidden", "hidden", "1")),
            pooler=POOLER,
    ),
    heads=encoder_heads(mlm()),
    kv="0",
    layer_kind="'none'",
)

_FUNNEL_LAYER: Final = slots(
    linear("attention.q_head", "attention", "q", "wide", "hidden"),
    linear("attention.k_head", "attention", "k", "wide", "hidden", "1"),
    linear("attention.v_head", "attention", "v", "wide", "hidden", "1"),
    *(tensor(f"attention.{n}", "attention", "heads, head_dim") for n in ("r_w_bias", "r_r_bias", "r_s_bias")),
    tensor("attention.r_kernel", "attention", "hidden, heads, head_dim"), tensor("attention.seg_embed", "attention",
        "2, heads, head_dim"),
    linear("attention.post_proj", "attention", "o", "hidden", "wide", "1"), norm("attention.layer_norm", bias="1"),
    plain_mlp("ffn.linear_1", "ffn.linear_2", bias="1"), norm("ffn.layer_norm", bias="1"),
)


def _funnel_classifier(rows: str) -> Slots:
    return slots(linear("classifier.linear_hidden", "other", "", "hidden", "hidden", "1"),
                 linear("classifier.linear_out", "other", "", rows, "hidden", "1"))


FUNNEL: Final = replace(
    BERT,
    id="funnel",
    source="transformers 5.23 FunnelConfig, FunnelModel (blocks at falling lengths, then a decoder at full length)",
    base="funnel",
    keys=bert_keys(eps=1e-9, act="gelu_new", sizes=opt("block_sizes", (4, 4, 4)), up_layers=opt("num_decoder_layers",
        2)) | {
        "hidden": key(("d_model", "hidden_size"), 768), "ffn": key("d_inner", 3072), "layers": key((), E("sum(sizes)")),
        "heads": key(("n_head", "num_attention_heads"), 12), "head_dim": key("d_head", 64), "max_pos": key((), None),
    },
    lets={"wide": "heads*head_dim",
        "base_only": "cls in ('BaseModel', 'ForSequenceClassification', 'ForMultipleChoice')"},
    body=slots(
        embedding("embeddings.word_embeddings"), norm("embeddings.layer_norm", "other-norm", bias="1"),
        under("encoder.blocks.{i}.{e}.", _FUNNEL_LAYER, layers="len(sizes)", experts="sizes[i]"),
        when("not base_only", under("decoder.layers.{i}.", _FUNNEL_LAYER, layers="up_layers")),
    ),
    heads=encoder_heads(
        vocabulary("lm_head", "lm_head.bias")[:3], _funnel_classifier("labels"), ForPreTraining=_DISCRIMINATOR,
        ForMultipleChoice=_funnel_classifier("1"),
    ),
    kv="0",
)

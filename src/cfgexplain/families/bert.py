"""BERT and the encoders that kept its block: post-norm LayerNorm, learned positions, two FFN matrices.

Facts from transformers 5.23, ``models/<family>/configuration_*.py`` and ``modeling_*.py``, unless a line says
otherwise. Devlin et al. 2018 (1810.04805).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
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

if TYPE_CHECKING:
    from cfgexplain.families.schema import Default, Key

L: Final = "encoder.layer.{i}."

#: Classes that pool the first token; the others are built without a pooler.
POOLED: Final = (
    "cls in ('Model', 'ForPreTraining', 'ForNextSentencePrediction', 'ForSequenceClassification', 'ForMultipleChoice')"
)
#: The same where the sequence classifier has a dense layer of its own (RoBERTa).
POOLED_BASE: Final = "cls in ('Model', 'ForMultipleChoice')"

#: TensorFlow's names for a norm's gain and bias, which checkpoints converted before 2020 still carry.
GAMMA_BETA: Final = (((r"\.gamma$", ".weight"), (r"\.beta$", ".bias")),)


def bert_keys(
    *, vocab: int = 30522, hidden: int = 768, layers: int = 12, heads: int = 12, ffn: int = 3072, max_pos: int = 512,
    eps: float = 1e-12, act: str = "gelu", tie: bool = True, eps_key: str = "layer_norm_eps", **more: Key,
) -> dict[str, Key]:
    """The keys of BERT's config with one family's defaults."""
    return {
        "hidden": key("hidden_size", hidden),
        "ffn": key("intermediate_size", ffn),
        "layers": key("num_hidden_layers", layers),
        "heads": key("num_attention_heads", heads),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", vocab),
        "max_pos": key("max_position_embeddings", max_pos),
        "types": key("type_vocab_size", 2),
        "eps": key(eps_key, eps),
        "act": key("hidden_act", act),
        "tie": key("tie_word_embeddings", tie),
        "cross": key("add_cross_attention", False),
        **LABELS,
        **more,
    }


def opt(name: str, default: Default, kind: str = "") -> Key:
    """A further key under its own name."""
    return key(name, default, kind)


def optional(condition: str, *groups: Slot | Slots) -> Slots:
    """Parameters that belong to the condition's classes, and that others may still carry (a pre-trained pooler)."""
    group = slots(*groups)
    return slots(when(condition, group), when(f"not ({condition})", tuple(s._replace(kind="optional") for s in group)))


# --- blocks ---


def self_attention(prefix: str = "attention.", role: str = "attention", bias: str = "1") -> Slots:
    """Query, key and value [hidden, hidden] and the output's projection."""
    return slots(
        linear(f"{prefix}self.query", role, "q", "hidden", "hidden", bias),
        linear(f"{prefix}self.key", role, "k", "hidden", "hidden", bias),
        linear(f"{prefix}self.value", role, "v", "hidden", "hidden", bias),
        linear(f"{prefix}output.dense", role, "o", "hidden", "hidden", "1"),
    )


MLP: Final = plain_mlp("intermediate.dense", "output.dense", bias="1")
POST: Final = slots(norm("attention.output.LayerNorm", bias="1"), norm("output.LayerNorm", bias="1"))
CROSS: Final = when("cross", self_attention("crossattention.", "cross-attention"),
    norm("crossattention.output.LayerNorm", bias="1"))
BLOCK: Final = slots(self_attention(), CROSS, MLP, POST)

TYPES: Final = embedding("embeddings.token_type_embeddings", "types", role="position-embedding")
POSITIONS: Final = embedding("embeddings.position_embeddings", "max_pos", role="position-embedding")
EMBED_NORM: Final = norm("embeddings.LayerNorm", "other-norm", bias="1")
EMBEDDINGS: Final = slots(embedding("embeddings.word_embeddings"), POSITIONS, TYPES, EMBED_NORM)
#: Indices that releases before 4.31 stored.
INDEX_BUFFERS: Final = slots(
    tensor("embeddings.position_ids", "buffer", "1, max_pos", kind="buffer"),
    tensor("embeddings.token_type_ids", "buffer", "1, max_pos", kind="buffer"),
)
POOLER: Final = linear("pooler.dense", "other", "", "hidden", "hidden", "1")
POOL: Final = optional(POOLED, POOLER)


def encoder(*layer: Slot | Slots, embeddings: Slots = EMBEDDINGS, pooler: Slots = POOL,
    rest: Slots = ()) -> Slots:
    """The body of an encoder: embeddings, layers, whatever follows them, and the pooler."""
    return slots(embeddings, INDEX_BUFFERS, under(L, *layer, layers="layers"), rest, pooler)


# --- heads ---


def vocabulary(decoder: str, bias: str, cols: str = "hidden", tie: str = "tie") -> Slots:
    """Projection [vocab, cols] and the bias beside it; where tied, ``decoder.bias`` is the same tensor."""
    twin = f"{decoder}.bias"
    return slots(
        lm_head(decoder, cols=cols, tie=tie),
        Slot(bias, "lm-head", "", "vocab"),
        Slot(twin, "lm-head", "", "vocab", tie, kind="tied"),
        Slot(twin, "lm-head", "", "vocab", f"not ({tie})"),
    )


def mlm(width: str = "hidden", prefix: str = "cls.predictions.", ln: str = "LayerNorm",
    dense: str = "transform.") -> Slots:
    """BERT's head: a dense layer, a norm, and the projection onto the vocabulary."""
    return slots(
        linear(f"{prefix}{dense}dense", "other", "", width, "hidden", "1"),
        norm(f"{prefix}{dense}{ln}", "other-norm", width, "1"),
        vocabulary(f"{prefix}decoder", f"{prefix}bias", width),
    )


NSP: Final = linear("cls.seq_relationship", "other", "", "2", "hidden", "1")
#: A classifier with a dense layer of its own, on the first token.
DENSE_CLASSIFIER: Final = slots(
    linear("classifier.dense", "other", "", "hidden", "hidden", "1"),
    linear("classifier.out_proj", "other", "", "labels", "hidden", "1"),
)


def encoder_heads(lm: Slots, classifier: Slots | None = None, choice: Slots = (), **more: Slots) -> dict[str, Slots]:
    """Heads by model class: ``lm`` for masked and causal language models, linear classifiers for the rest."""
    plain = linear("classifier", "other", "", "labels", "hidden", "1")
    spare = tuple(s._replace(kind="optional") for s in NSP)
    return {
        "ForMaskedLM": slots(lm, spare),
        "ForCausalLM": slots(lm, spare),
        "LMHeadModel": slots(lm, spare),
        "ForPreTraining": slots(lm, NSP),
        "ForNextSentencePrediction": NSP,
        "ForSequenceClassification": plain if classifier is None else classifier,
        "ForTokenClassification": plain,
        "ForQuestionAnswering": linear("qa_outputs", "other", "", "labels", "hidden", "1"),
        "ForMultipleChoice": slots(linear("classifier", "other", "", "1", "hidden", "1"), choice),
    } | more


# --- families ---

BERT: Final = Family(
    id="bert",
    source="transformers 5.23 BertConfig, BertForMaskedLM",
    base="bert",
    keys=bert_keys(),
    body=encoder(BLOCK),
    heads=encoder_heads(mlm()),
    head="ForMaskedLM",
    norm=Norm("layernorm", "post", final=False),
    kv="2*hidden if cls in ('ForCausalLM', 'LMHeadModel', 'Decoder') else 0",
    renames=GAMMA_BETA,
)

BERT_GENERATION: Final = replace(
    BERT,
    id="bert-generation",
    source="transformers 5.23 BertGenerationConfig, BertGenerationDecoder (no token types, no pooler)",
    keys=bert_keys(vocab=50358, hidden=1024, layers=24, heads=16, ffn=4096),
    body=encoder(BLOCK, embeddings=slots(embedding("embeddings.word_embeddings"), POSITIONS, EMBED_NORM), pooler=()),
    heads={"Decoder": vocabulary("lm_head.decoder", "lm_head.bias"), "Encoder": ()},
    head="Decoder",
)

ERNIE: Final = replace(
    BERT,
    id="ernie",
    source="transformers 5.23 ErnieConfig, ErnieEmbeddings (task types where use_task_id)",
    base="ernie",
    keys=bert_keys(task_types=opt("task_type_vocab_size", 3), task_id=opt("use_task_id", False)),
    body=encoder(BLOCK, embeddings=slots(
        EMBEDDINGS, when("task_id", embedding("embeddings.task_type_embeddings", "task_types",
            role="position-embedding")))),
)

_ROC_WIDTH: Final = "hidden + (sound_dim if sound else 0) + (shape_dim if shape else 0)"
ROC_BERT: Final = replace(
    BERT,
    id="roc_bert",
    source="transformers 5.23 RoCBertConfig, RoCBertEmbeddings (sound and glyph embeddings beside the word's)",
    base="roc_bert",
    keys=bert_keys(
        sound=opt("enable_pronunciation", True), shape=opt("enable_shape", True),
        sound_dim=opt("pronunciation_embed_dim", 768), sound_vocab=opt("pronunciation_vocab_size", 910),
        shape_dim=opt("shape_embed_dim", 512), shape_vocab=opt("shape_vocab_size", 24858), concat=opt("concat_input",
            True),
    ),
    body=encoder(BLOCK, embeddings=slots(
        EMBEDDINGS,
        embedding("embeddings.pronunciation_embed", "sound_vocab", "sound_dim"),
        embedding("embeddings.shape_embed", "shape_vocab", "shape_dim"),
        when("concat", linear("embeddings.map_inputs_layer", "other", "", "hidden", _ROC_WIDTH, "1")),
    )),
    heads=encoder_heads(mlm(), ForPreTraining=mlm()),
)

_BOX: Final = slots(*(embedding(f"embeddings.{a}_position_embeddings", "max_2d",
    role="position-embedding") for a in "xyhw"))
LAYOUTLM: Final = replace(
    BERT,
    id="layoutlm",
    source="transformers 5.23 LayoutLMConfig, LayoutLMModel (four embeddings of the box; always pooled)",
    base="layoutlm",
    keys=bert_keys(max_2d=opt("max_2d_position_embeddings", 1024)),
    body=encoder(BLOCK, embeddings=slots(EMBEDDINGS, _BOX), pooler=POOLER),
)

TAPAS: Final = replace(
    BERT,
    id="tapas",
    source="transformers 5.23 TapasConfig, TapasEmbeddings (one type embedding for each of seven table features)",
    base="tapas",
    keys=bert_keys(
        max_pos=1024, type_sizes=opt("type_vocab_sizes", (3, 256, 256, 2, 256, 256, 10)),
        aggregations=opt("num_aggregation_labels", 0),
    ),
    body=encoder(BLOCK, embeddings=slots(
        embedding("embeddings.word_embeddings"), POSITIONS, EMBED_NORM,
        under("embeddings.token_type_embeddings_{i}.", tensor("weight", "position-embedding", "type_sizes[i], hidden"),
              layers="len(type_sizes)"),
    )),
    heads=encoder_heads(mlm()) | {"ForQuestionAnswering": slots(
        tensor("output_weights", "other", "hidden"), tensor("output_bias", "other", ""),
        tensor("column_output_weights", "other", "hidden"), tensor("column_output_bias", "other", ""),
        when("aggregations > 0", linear("aggregation_classifier", "other", "", "aggregations", "hidden", "1")),
    )},
)

_LONG_POSITIONS: Final = slots(
    embedding("embeddings.word_embeddings"), embedding("embeddings.position_embeddings", "max_pos + 2",
        role="position-embedding"),
    TYPES, EMBED_NORM,
)
_PRE_CLASSIFIER: Final = linear("pre_classifier", "other", "", "hidden", "hidden", "1")
MRA: Final = replace(
    BERT,
    id="mra",
    source="transformers 5.23 MraConfig, MraModel (two positions more than the config says; no pooler)",
    base="mra",
    keys=bert_keys(vocab=50265, eps=1e-5, types=opt("type_vocab_size", 1)),
    body=encoder(self_attention(), MLP, POST, embeddings=_LONG_POSITIONS, pooler=()),
    heads=encoder_heads(mlm(), DENSE_CLASSIFIER, _PRE_CLASSIFIER),
    kv="0",
)

YOSO: Final = replace(
    MRA,
    id="yoso",
    source="transformers 5.23 YosoConfig, YosoModel (a depthwise convolution on the values where conv_window)",
    base="yoso",
    keys=bert_keys(vocab=50265, max_pos=4096, types=opt("type_vocab_size", 1), conv=opt("conv_window", None, "int")),
    body=encoder(
        self_attention(), when("conv", tensor("attention.self.conv.weight", "attention", "heads, 1, conv, 1")), MLP,
            POST,
        embeddings=_LONG_POSITIONS, pooler=(),
    ),
)

NYSTROMFORMER: Final = replace(
    MRA,
    id="nystromformer",
    source="transformers 5.23 NystromformerConfig, NystromformerSelfAttention (a depthwise convolution on the values)",
    base="nystromformer",
    keys=bert_keys(vocab=30000, eps=1e-5, act="gelu_new", max_pos=510, conv=opt("conv_kernel_size", 65, "int")),
    body=encoder(
        self_attention(), when("conv", tensor("attention.self.conv.weight", "attention", "heads, 1, conv, 1")), MLP,
            POST,
        embeddings=_LONG_POSITIONS, pooler=(),
    ),
)

"""XLM and FlauBERT: post-norm encoders whose layers are lists of attentions, norms and feed-forward blocks.

Facts from transformers 5.23, ``models/xlm`` and ``models/flaubert``. Lample & Conneau 2019 (1901.07291).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
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

_HEAD: Final = slots(lm_head("pred_layer.proj"), tensor("pred_layer.proj.bias", "lm-head", "vocab"))
_CHOICE: Final = slots(
    when("projected", linear("sequence_summary.summary", "other", "", "labels if by_label else hidden", "hidden", "1")),
)
_TOKEN: Final = linear("classifier", "other", "", "labels", "hidden", "1")

XLM: Final = Family(
    id="xlm",
    source="transformers 5.23 XLMConfig, XLMModel (feed-forward width 4 * emb_dim)",
    base="transformer",
    keys={
        "hidden": key(("emb_dim", "hidden_size"), 2048),
        "ffn": key((), E("4*hidden")),
        "layers": key(("n_layers", "num_hidden_layers"), 12),
        "heads": key(("n_heads", "num_attention_heads"), 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key(("vocab_size", "n_words"), 30145),
        "max_pos": key("max_position_embeddings", 512),
        "eps": key("layer_norm_eps", 1e-12),
        "gelu": key("gelu_activation", True),
        "act": key((), E("'gelu' if gelu else 'relu'")),
        "tie": key("tie_word_embeddings", True),
        "langs": key("n_langs", 1),
        "use_langs": key("use_lang_emb", True),
        "projected": key("summary_use_proj", True),
        "by_label": key("summary_proj_to_labels", True),
        **LABELS,
    },
    body=slots(
        embedding("embeddings"),
        embedding("position_embeddings", "max_pos", role="position-embedding"),
        when("langs > 1 and use_langs", embedding("lang_embeddings", "langs", role="position-embedding")),
        norm("layer_norm_emb", "other-norm", bias="1"),
        under(
            "attentions.{i}.",
            *(linear(f"{n}_lin", "attention", p, "hidden", "hidden", "1") for n, p in zip(("q", "k", "v", "out"),
                "qkvo", strict=True)),
            layers="layers",
        ),
        under("layer_norm1.{i}.", norm("", bias="1"), layers="layers"),
        under("ffns.{i}.", plain_mlp("lin1", "lin2", bias="1"), layers="layers"),
        under("layer_norm2.{i}.", norm("", bias="1"), layers="layers"),
        tensor("position_ids", "buffer", "1, max_pos", kind="buffer"),
    ),
    heads={
        "WithLMHeadModel": _HEAD,
        "ForSequenceClassification": _CHOICE,
        "ForTokenClassification": _TOKEN,
        "ForQuestionAnsweringSimple": linear("qa_outputs", "other", "", "labels", "hidden", "1"),
        "ForMultipleChoice": slots(_CHOICE, linear("logits_proj", "other", "", "1", "labels", "1")),
    },
    head="WithLMHeadModel",
    norm=Norm("layernorm", "post", final=False),
    kv="0",
)

FLAUBERT: Final = replace(
    XLM,
    id="flaubert",
    source="transformers 5.23 FlaubertConfig, FlaubertModel (pre_norm moves the norms; nothing follows the last layer)",
    keys={**XLM.keys, "pre": key("pre_norm", False)},
    norm=Norm("layernorm", E("'pre' if pre else 'post'"), final=False),
)

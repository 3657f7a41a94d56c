"""Encoders with a decoder's parts: rotary positions, gated feed-forward blocks, pre-norm or post-norm.

Facts from transformers 5.23, ``models/<family>``. ModernBERT: Warner et al. 2024 (2412.13663).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.bert import BERT, DENSE_CLASSIFIER, POOLER, bert_keys, encoder_heads, mlm, opt, optional
from cfgexplain.families.common import decoder_keys, key, rope_theta, share, window_theta
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    attention,
    embedding,
    gated_mlp,
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

LAYERS: Final = "layers.{i}."
_CLASSIFIER: Final = linear("classifier", "other", "", "labels", "hidden", "1")

# --- ModernBERT ---

#: A dense layer and a norm before every head; the norm has a bias by ``norm_bias``.
_PREDICT: Final = slots(
    linear("head.dense", "other", "", "hidden", "hidden", "classifier_bias"), norm("head.norm", "other-norm",
        bias="norm_bias")
)
_ONE: Final = linear("classifier", "other", "", "1", "hidden", "1")
_OUT: Final = slots(lm_head("decoder"), tensor("decoder.bias", "lm-head", "vocab", cond="decoder_bias"))
_LAYER_TYPES: Final = "kind(layer_types[i]) if layer_types else ('sliding' if i % every else 'full')"
MODERNBERT: Final = Family(
    id="modernbert",
    source="transformers 5.23 ModernBertConfig (no attn_norm in layer 0), ModernBertMLP (Wi: input, then gate)",
    base="model",
    keys=bert_keys(
        vocab=50368, layers=22, ffn=1152, max_pos=8192, eps=1e-5, eps_key="norm_eps", act="gelu",
        theta=rope_theta(160000.0, "global_rope_theta"), window_theta=window_theta(10000.0, "local_rope_theta"),
    ) | {
        "act": key("hidden_activation", "gelu"), "norm_bias": key("norm_bias", False), "mlp_bias": key("mlp_bias",
            False),
        "attention_bias": key("attention_bias", False), "decoder_bias": key("decoder_bias", True),
        "classifier_bias": key("classifier_bias", False), "layer_types": key("layer_types", None, "list"),
        "every": key("global_attn_every_n_layers", 3), "window": key("local_attention", 128),
    },
    body=slots(
        embedding("embeddings.tok_embeddings"), norm("embeddings.norm", "other-norm", bias="norm_bias"),
        under(LAYERS, when("i > 0", norm("attn_norm", bias="norm_bias")),
              linear("attn.Wqkv", "attention", "qkv", "3*hidden", "hidden", "attention_bias"),
              linear("attn.Wo", "attention", "o", "hidden", "hidden", "attention_bias"),
              norm("mlp_norm", bias="norm_bias"), linear("mlp.Wi", "ffn", "gate_up", "2*ffn", "hidden", "mlp_bias"),
              linear("mlp.Wo", "ffn", "down", "hidden", "ffn", "mlp_bias"), layers="layers"),
        norm("final_norm", "final-norm", bias="norm_bias"),
    ),
    heads={
        "ForMaskedLM": slots(_PREDICT, _OUT), "ForSequenceClassification": slots(_PREDICT, _CLASSIFIER),
        "ForTokenClassification": slots(_PREDICT, _CLASSIFIER), "ForQuestionAnswering": slots(_PREDICT, _CLASSIFIER),
        "ForMultipleChoice": slots(_PREDICT, _ONE),
    },
    head="ForMaskedLM",
    norm=Norm("layernorm"),
    kv="0",
    layer_kind=_LAYER_TYPES,
)

MODERNBERT_DECODER: Final = replace(
    MODERNBERT,
    id="modernbert-decoder",
    source="transformers 5.23 ModernBertDecoderConfig, ModernBertDecoderLayer (causal; separate q, k and v)",
    body=slots(
        embedding("embeddings.tok_embeddings"), norm("embeddings.norm", "other-norm", bias="norm_bias"),
        under(LAYERS, when("i > 0", norm("attn_norm", bias="norm_bias")),
              *(linear(f"attn.{n}_proj", "attention", n, "hidden", "hidden", "attention_bias") for n in "qkv"),
              linear("attn.Wo", "attention", "o", "hidden", "hidden", "attention_bias"),
              norm("mlp_norm", bias="norm_bias"), linear("mlp.Wi", "ffn", "gate_up", "2*ffn", "hidden", "mlp_bias"),
              linear("mlp.Wo", "ffn", "down", "hidden", "ffn", "mlp_bias"), layers="layers"),
        norm("final_norm", "final-norm", bias="norm_bias"),
    ),
    heads={
        "ForCausalLM": slots(linear("lm_head.dense", "other", "", "hidden", "hidden", "classifier_bias"),
                             norm("lm_head.norm", "other-norm", bias="norm_bias"), _OUT),
        "ForSequenceClassification": slots(_PREDICT, linear("classifier", "other", "", "labels", "hidden",
            "classifier_bias")),
    },
    head="ForCausalLM",
    kv="2*hidden",
)

# --- Llama's block without the causal mask ---

_PRE: Final = slots(norm("input_layernorm"), norm("post_attention_layernorm"))
EUROBERT: Final = Family(
    id="eurobert",
    source="transformers 5.23 EuroBertConfig, EuroBertForMaskedLM",
    base="model",
    keys=decoder_keys(
        hidden=768, ffn=3072, layers=12, heads=12, vocab=128256, eps=1e-5, max_pos=8192,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
    ),
    body=slots(
        embedding("embed_tokens"),
        under(LAYERS, attention(bias="attention_bias"), gated_mlp(bias="mlp_bias"), _PRE, layers="layers"),
        norm("norm", "final-norm"),
    ),
    heads={
        "ForMaskedLM": lm_head(bias="mlp_bias"), "ForTokenClassification": _CLASSIFIER,
        "ForSequenceClassification": slots(linear("dense", "other", "", "hidden", "hidden", "1"), _CLASSIFIER),
    },
    head="ForMaskedLM",
    kv="0",
)

_ULTRA_HEAD: Final = slots(
    linear("head.linear1", "other", "", "inner", "hidden"), linear("head.linear2", "other", "", "hidden", "inner")
)
ULTRABERT: Final = replace(
    EUROBERT,
    id="ultrabert",
    source="transformers 5.23 UltrabertConfig, UltrabertForMaskedLM",
    base="ultrabert",
    keys=decoder_keys(
        theta=2560000.0, window_theta=window_theta(10000.0),
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6, max_pos=32768,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False), inner=key("prediction_head_size",
            768),
        window=key("sliding_window", 128), layer_types=key("layer_types", None, "list"),
    ),
    heads={
        "ForMaskedLM": slots(_ULTRA_HEAD, lm_head("cls")), "ForTokenClassification": _CLASSIFIER,
        "ForSequenceClassification": _CLASSIFIER,
        # The first token of the answer and the last, whatever num_labels says (GenericForQuestionAnswering).
        "ForQuestionAnswering": linear("qa_outputs", "other", "", "2", "hidden", "1"),
    },
    layer_kind="kind(layer_types[i]) if layer_types else ('full' if (i + 1) % 3 == 0 else 'sliding')",
)

ESMC: Final = replace(
    EUROBERT,
    id="esmc",
    source="transformers 5.23 EsmcConfig, EsmcLayer (LayerNorm, eps 1e-5 in the code; the last norm without bias)",
    base="esmc",
    keys=decoder_keys(
        hidden=2560, ffn=6912, layers=80, heads=40, vocab=64, eps=1e-5,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
    ),
    body=slots(
        embedding("embed_tokens"),
        under(LAYERS, attention(bias="attention_bias"), norm("self_attn.q_norm", "attention-norm", part="q_norm"),
              norm("self_attn.k_norm", "attention-norm", part="k_norm"), gated_mlp(bias="mlp_bias"),
              norm("input_layernorm", bias="1"), norm("post_attention_layernorm", bias="1"), layers="layers"),
        norm("norm", "final-norm"),
    ),
    heads={
        "ForMaskedLM": slots(
            linear("lm_head.dense", "other", "", "hidden", "hidden", "1"), norm("lm_head.layer_norm", "other-norm",
                bias="1"),
            lm_head("lm_head.decoder", bias="1", tie=""),
        ),
        "ForSequenceClassification": DENSE_CLASSIFIER, "ForTokenClassification": linear("score", "other", "", "labels",
            "hidden", "1"),
    },
    norm=Norm("layernorm", eps=1e-5),
)

# --- post-norm with rotary positions ---

_QKV: Final = "heads*head_dim"
GTE: Final = replace(
    BERT,
    id="gte",
    source="transformers 5.23 GteConfig, GteMLP (up_gate_proj: up first, then gate; no bias there)",
    base="gte",
    keys=bert_keys(theta=rope_theta(160000.0), vocab=250048, max_pos=8192, types=opt("type_vocab_size", 1)),
    body=slots(
        embedding("embeddings.word_embeddings"),
        when("types", embedding("embeddings.token_type_embeddings", "types", role="position-embedding")),
        norm("embeddings.LayerNorm", "other-norm", bias="1"),
        under("encoder.layer.{i}.", linear("attention.qkv_proj", "attention", "qkv", "3*hidden", "hidden", "1"),
              linear("attention.o_proj", "attention", "o", "hidden", "hidden", "1"), norm("attn_ln", bias="1"),
              linear("mlp.up_gate_proj", "ffn", "gate_up", "2*ffn", "hidden"), linear("mlp.down_proj", "ffn", "down",
                  "hidden", "ffn", "1"),
              norm("mlp_ln", bias="1"), layers="layers"),
        optional("cls == 'ForSequenceClassification'", POOLER),
    ),
    heads=encoder_heads(slots(
        linear("lm_head.dense", "other", "", "hidden", "hidden", "1"), norm("lm_head.norm", "other-norm", bias="1"),
        lm_head("lm_head.decoder", bias="1"),
    )),
    kv="0",
)

NOMIC_BERT: Final = replace(
    BERT,
    id="nomic_bert",
    source="transformers 5.23 NomicBertConfig, NomicBertMLP (fc12 is gated by fc11; no biases)",
    base="nomic_bert",
    keys=bert_keys(vocab=30528, max_pos=2048, act="silu", theta=rope_theta(1000.0, "rotary_emb_base")) | {
        "head_dim": key("head_dim", E("hidden // heads")),
    },
    body=slots(
        embedding("embeddings.word_embeddings"), embedding("embeddings.token_type_embeddings", "types",
            role="position-embedding"),
        norm("emb_ln", "other-norm", bias="1"),
        under("encoder.layers.{i}.", linear("attn.Wqkv", "attention", "qkv", f"3*{_QKV}", "hidden"),
              linear("attn.out_proj", "attention", "o", "hidden", _QKV), norm("norm1", bias="1"),
              gated_mlp(gate="fc12", up="fc11", down="fc2"), norm("norm2", bias="1"), layers="layers"),
        optional("cls == 'ForSequenceClassification'", POOLER),
    ),
    heads=encoder_heads(mlm(ln="layer_norm")),
    kv="0",
)

JINA_EMBEDDINGS_V3: Final = replace(
    BERT,
    id="jina_embeddings_v3",
    source="transformers 5.23 JinaEmbeddingsV3Config, JinaEmbeddingsV3Layer (RoBERTa with rotary positions)",
    base="roberta",
    keys=bert_keys(
        vocab=250002, hidden=1024, layers=24, heads=16, ffn=4096, max_pos=8194, eps=1e-5,
        types=opt("type_vocab_size", 1), theta=rope_theta(20000.0, "rotary_emb_base"),
    ),
    body=slots(
        embedding("embeddings.word_embeddings"), embedding("embeddings.token_type_embeddings", "types",
            role="position-embedding"),
        norm("emb_ln", "other-norm", bias="1"),
        under("encoder.layers.{i}.", linear("mixer.Wqkv", "attention", "qkv", "3*hidden", "hidden", "1"),
              linear("mixer.out_proj", "attention", "o", "hidden", "hidden", "1"), norm("norm1", bias="1"),
              plain_mlp("mlp.fc1", "mlp.fc2", bias="1"), norm("norm2", bias="1"), layers="layers"),
        optional("cls == 'Model'", POOLER),
    ),
    heads=encoder_heads(mlm(prefix="lm_head.", dense="", ln="layer_norm"), DENSE_CLASSIFIER),
    kv="0",
)

# --- encoders that also see ---

_PATCH: Final = "3*patch*patch"
NEOMME: Final = Family(
    id="neomme",
    source="transformers 5.23 NeoMMEConfig, NeoMMEEncoderLayer (norms without gain; gated attention)",
    base="model",
    keys=decoder_keys(
        theta=1000000.0, rotary_share=share(0.25), window_theta=window_theta(10000.0), window_share=key((), 1.0),
        hidden=1024, ffn=3584, layers=17, heads=16, kv_heads=4, head_dim=64, vocab=131072, eps=1e-6,
            eps_key="norm_eps", act="relu2",
        tie=True, max_pos=16384, attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
        rank=key("embedding_rank", 256), patch=key("patch_size", 32), out=key("embedding_dim", 128),
            window=key("sliding_window", 256),
        layer_types=key("layer_types", None, "list"),
    ),
    body=slots(
        embedding("embed_tokens.word_embeddings", cols="rank"), linear("embed_tokens.embedding_projection", "other",
            "", "hidden", "rank"),
        embedding("value_embeddings", cols="kv_heads*head_dim"), norm("patch_embeddings.norm", "projector", _PATCH,
            "1"),
        linear("patch_embeddings.up_proj", "projector", "", "2*hidden", _PATCH),
        linear("patch_embeddings.down_proj", "projector", "", "hidden", "2*hidden", "1"),
        under(
            LAYERS, *(linear(f"self_attn.{n}_proj", "attention", n, f"{h}*head_dim", "hidden", "attention_bias")
                      for n, h in (("q", "heads"), ("k", "kv_heads"), ("v", "kv_heads"))),
            tensor("self_attn.exclusive_self_attention.alpha", "attention", "heads"),
            linear("self_attn.output_projection.gate_proj", "attention", "", _QKV, "hidden"),
            linear("self_attn.output_projection.o_proj", "attention", "o", "hidden", _QKV, "attention_bias"),
            plain_mlp("mlp.up_proj", "mlp.down_proj", bias="mlp_bias"), tensor("lambdas", "other", "2"),
                layers="layers",
        ),
    ),
    heads={
        "ForMaskedLM": slots(
            lm_head(cols="rank"),
            tensor("unembedding_projection.weight", "other", "hidden, rank", cond="not tie"),
            tensor("unembedding_projection.weight", "other", "hidden, rank", cond="tie", kind="tied"),
        ),
        "ForRetrieval": linear("proj", "other", "", "out", "hidden"),
    },
    head="ForMaskedLM",
    norm=Norm("rmsnorm", gain="none", qk=True),
    kv="0",
    layer_kind="kind(layer_types[i]) if layer_types else 'full'",
)

"""OPT, and XLNet, whose relative attention is its own.

Facts from transformers 5.23, ``models/opt`` and ``models/xlnet``. Zhang et al. 2022 (2205.01068), Yang et al.
2019 (1906.08237).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    attention,
    embedding,
    linear,
    lm_head,
    norm,
    plain_mlp,
    slots,
    tensor,
    under,
    when,
)


def affine(name: str, role: str = "block-norm") -> Slots:
    """A LayerNorm that has tensors only with ``layer_norm_elementwise_affine``."""
    return when("affine", norm(name, role, bias="1"))


#: ``final_layer_norm`` inside a layer is the FFN's norm; the one outside is the final norm, which the post-norm
#: OPT-350m lacks. ε is PyTorch's default: no key.
OPT: Final = Family(
    id="opt",
    source="transformers 5.23 OPTConfig, OPTDecoder, OPTDecoderLayer (nn.LayerNorm with its default ε)",
    base="model",
    keys={
        "hidden": key("hidden_size", 768),
        "ffn": key("ffn_dim", 3072),
        "layers": key("num_hidden_layers", 12),
        "heads": key("num_attention_heads", 12),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 50272),
        "max_pos": key("max_position_embeddings", 2048),
        "act": key("activation_function", "relu"),
        "tie": key("tie_word_embeddings", True),
        "embed": key("word_embed_proj_dim", E("hidden")),
        "pre": key("do_layer_norm_before", True),
        "no_final": key("_remove_final_layer_norm", False),
        "bias": key("enable_bias", True),
        "affine": key("layer_norm_elementwise_affine", True),
        **LABELS,
    },
    body=under(
        "decoder.",
        embedding("embed_tokens", cols="embed"),
        # The learned positions start at 2 (fairseq's padding).
        embedding("embed_positions", "max_pos + 2", role="position-embedding"),
        when("embed != hidden", linear("project_in", "other", "", "hidden", "embed")),
        under(
            "layers.{i}.",
            attention(o="out_proj", bias="bias"),
            affine("self_attn_layer_norm"),
            plain_mlp("fc1", "fc2", bias="bias"),
            affine("final_layer_norm"),
            layers="layers",
        ),
        when("pre and not no_final", affine("final_layer_norm", "final-norm")),
        when("embed != hidden", linear("project_out", "other", "", "embed", "hidden")),
    ),
    heads={
        "ForCausalLM": lm_head(cols="embed"),
        "ForSequenceClassification": tensor("score.weight", "other", "labels, embed"),
        "ForQuestionAnswering": slots(
            tensor("qa_outputs.weight", "other", "2, embed"), tensor("qa_outputs.bias", "other", "2")
        ),
    },
    norm=Norm(
        "layernorm", E("'pre' if pre else 'post'"), E("'w' if affine else 'none'"), 1e-5, E("pre and not no_final")
    ),
)

SUMMARY: Final = when("summary", linear("sequence_summary.summary", "other", "", "hidden", "hidden", "1"))
RELATIVE: Final = "hidden, heads, head_dim"

XLNET: Final = Family(
    id="xlnet",
    # What it keeps of past segments are hidden states, and only where mem_len asks for them.
    kv="None",
    source="transformers 5.23 XLNetConfig, XLNetLayer (norms after the residual sums), XLNetLMHeadModel "
    "(lm_loss has a bias)",
    base="transformer",
    keys={
        "hidden": key(("d_model", "hidden_size"), 1024),
        "ffn": key("d_inner", 4096),
        "layers": key(("n_layer", "num_hidden_layers"), 24),
        "heads": key(("n_head", "num_attention_heads"), 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key("d_head", E("hidden // heads")),
        "vocab": key(("vocab_size", "n_token"), 32000),
        "eps": key("layer_norm_eps", 1e-12),
        "act": key("ff_activation", "gelu"),
        "tie": key("tie_word_embeddings", True),
        "summary": key("summary_use_proj", True),
        **LABELS,
    },
    body=slots(
        tensor("mask_emb", "embedding", "1, 1, hidden"),
        embedding("word_embedding"),
        under(
            "layer.{i}.",
            under(
                "rel_attn.",
                tensor("q", "attention", RELATIVE, "q"),
                tensor("k", "attention", RELATIVE, "k"),
                tensor("v", "attention", RELATIVE, "v"),
                tensor("o", "attention", RELATIVE, "o"),
                tensor("r", "attention", RELATIVE),
                tensor("r_r_bias", "attention", "heads, head_dim"),
                tensor("r_s_bias", "attention", "heads, head_dim"),
                tensor("r_w_bias", "attention", "heads, head_dim"),
                tensor("seg_embed", "attention", "2, heads, head_dim"),
                norm("layer_norm", bias="1"),
            ),
            norm("ff.layer_norm", bias="1"),
            plain_mlp("ff.layer_1", "ff.layer_2", bias="1"),
            layers="layers",
        ),
    ),
    heads={
        "LMHeadModel": lm_head("lm_loss", bias="1"),
        "ForSequenceClassification": slots(SUMMARY, linear("logits_proj", "other", "", "labels", "hidden", "1")),
        "ForTokenClassification": linear("classifier", "other", "", "labels", "hidden", "1"),
        "ForMultipleChoice": slots(SUMMARY, linear("logits_proj", "other", "", "1", "hidden", "1")),
        "ForQuestionAnsweringSimple": linear("qa_outputs", "other", "", "labels", "hidden", "1"),
        "ForQuestionAnswering": slots(
            linear("start_logits.dense", "other", "", "1", "hidden", "1"),
            linear("end_logits.dense_0", "other", "", "hidden", "2*hidden", "1"),
            norm("end_logits.LayerNorm", "other-norm", bias="1"),
            linear("end_logits.dense_1", "other", "", "1", "hidden", "1"),
            linear("answer_class.dense_0", "other", "", "hidden", "2*hidden", "1"),
            linear("answer_class.dense_1", "other", "", "1", "hidden"),
        ),
    },
    head="LMHeadModel",
    norm=Norm("layernorm", "post", final=False),
)

"""Older decoders with learned, sinusoidal or bucketed positions: XGLM, BioGPT, CTRL, CPM-Ant.

Facts from transformers 5.23, ``models/<family>``. LayerNorm's epsilon is torch's own 1e-5 where the code gives none.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
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

L: Final = "layers.{i}."

XGLM: Final = Family(
    id="xglm",
    source="transformers 5.23 XGLMConfig, XGLMDecoderLayer (nn.LayerNorm without eps: 1e-5), sinusoidal positions",
    base="model",
    keys={
        "hidden": key(("d_model", "hidden_size"), 1024),
        "ffn": key("ffn_dim", 4096),
        "layers": key(("num_layers", "num_hidden_layers"), 24),
        "heads": key(("attention_heads", "num_attention_heads"), 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 256008),
        "max_pos": key("max_position_embeddings", 2048),
        "act": key("activation_function", "gelu"),
        "tie": key("tie_word_embeddings", True),
        "cross": key("add_cross_attention", False),
        **LABELS,
    },
    body=slots(
        embedding("embed_tokens"),
        tensor("embed_positions.weights", "buffer", "max_pos + 2, hidden", kind="buffer"),
        under(
            L,
            attention(o="out_proj", bias="1", kv_heads="heads"),
            when(
                "cross",
                attention("encoder_attn.", o="out_proj", bias="1", kv_heads="heads", role="cross-attention"),
                norm("encoder_attn_layer_norm", bias="1"),
            ),
            norm("self_attn_layer_norm", bias="1"),
            plain_mlp("fc1", "fc2", bias="1"),
            norm("final_layer_norm", bias="1"),
            layers="layers",
        ),
        norm("layer_norm", "final-norm", bias="1"),
    ),
    heads={"ForCausalLM": lm_head()},
    norm=Norm("layernorm", eps=1e-5),
)

BIOGPT: Final = Family(
    id="biogpt",
    source="transformers 5.23 BioGptConfig, BioGptDecoderLayer (nn.LayerNorm without eps: layer_norm_eps is not read)",
    base="biogpt",
    keys={
        "hidden": key("hidden_size", 1024),
        "ffn": key("intermediate_size", 4096),
        "layers": key("num_hidden_layers", 24),
        "heads": key("num_attention_heads", 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 42384),
        "max_pos": key("max_position_embeddings", 1024),
        "act": key("hidden_act", "gelu"),
        "tie": key("tie_word_embeddings", True),
        **LABELS,
    },
    body=slots(
        embedding("embed_tokens"),
        embedding("embed_positions", "max_pos + 2", role="position-embedding"),
        under(
            L,
            attention(o="out_proj", bias="1", kv_heads="heads"),
            norm("self_attn_layer_norm", bias="1"),
            plain_mlp("fc1", "fc2", bias="1"),
            norm("final_layer_norm", bias="1"),
            layers="layers",
        ),
        norm("layer_norm", "final-norm", bias="1"),
    ),
    heads={
        "ForCausalLM": lm_head("output_projection"),
        "ForTokenClassification": linear("classifier", "other", "", "labels", "hidden", "1"),
        "ForSequenceClassification": linear("score", "other", "", "labels", "hidden"),
    },
    norm=Norm("layernorm", eps=1e-5),
    unread=("layer_norm_eps",),
)

CTRL: Final = Family(
    id="ctrl",
    source="transformers 5.23 CTRLConfig, EncoderLayer (eps fixed at 1e-6: layer_norm_epsilon is the final norm's)",
    base="transformer",
    keys={
        "hidden": key(("n_embd", "hidden_size"), 1280),
        "ffn": key("dff", 8192),
        "layers": key(("n_layer", "num_hidden_layers"), 48),
        "heads": key(("n_head", "num_attention_heads"), 16),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 246534),
        "max_pos": key(("n_positions", "max_position_embeddings"), 256),
        "eps": key("layer_norm_epsilon", 1e-6),
        "act": key((), "relu"),
        "tie": key("tie_word_embeddings", True),
        **LABELS,
    },
    body=slots(
        embedding("w"),
        under(
            "h.{i}.",
            attention("multi_head_attention.", "Wq", "Wk", "Wv", "dense", bias="1", kv_heads="heads"),
            plain_mlp("ffn.0", "ffn.2", bias="1"),
            norm("layernorm1", bias="1"),
            norm("layernorm2", bias="1"),
            layers="layers",
        ),
        norm("layernorm", "final-norm", bias="1"),
    ),
    heads={
        "LMHeadModel": lm_head(bias="1"),
        "ForSequenceClassification": linear("classifier", "other", "", "labels", "hidden"),
    },
    head="LMHeadModel",
    norm=Norm("layernorm", eps=1e-6),
)

CPMANT: Final = Family(
    id="cpmant",
    source="transformers 5.23 CpmAntConfig, CpmAntDenseGatedACT (w_0 is the gate, GELU), CpmAntLayerNorm (an RMSNorm)",
    base="cpmant",
    keys={
        "hidden": key("hidden_size", 4096),
        "ffn": key("dim_ff", 10240),
        "layers": key("num_hidden_layers", 48),
        "heads": key("num_attention_heads", 32),
        "kv_heads": key((), E("heads")),
        "head_dim": key("dim_head", 128),
        "vocab": key("vocab_size", 30720),
        "eps": key("eps", 1e-6),
        "act": key((), "gelu"),
        "tie": key("tie_word_embeddings", True),
        "buckets": key("position_bias_num_buckets", 512),
        "segments": key("segment_types", 32),
        "prompts": key("prompt_types", 32),
        "prompt_length": key("prompt_length", 32),
    },
    body=slots(
        embedding("input_embedding", "vocab + prompts*prompt_length"),
        embedding("segment_embedding", "segments", role="position-embedding"),
        tensor("position_bias.relative_attention_bias", "position-embedding", "segments*segments + buckets, heads"),
        under(
            "encoder.layers.{i}.",
            norm("self_att.layernorm_before_attention"),
            attention(
                "self_att.self_attention.", "project_q", "project_k", "project_v", "attention_out", kv_heads="heads",
            ),
            norm("ffn.layernorm_before_ffn"),
            linear("ffn.ffn.w_in.w_0", "ffn", "gate", "ffn", "hidden"),
            linear("ffn.ffn.w_in.w_1", "ffn", "up", "ffn", "hidden"),
            linear("ffn.ffn.w_out", "ffn", "down", "hidden", "ffn"),
            layers="layers",
        ),
        norm("encoder.output_layernorm", "final-norm"),
    ),
    heads={"ForCausalLM": slots(lm_head(rows="vocab", tie=""))},
)

"""GPT-2 and the decoders that kept its layout: LayerNorm with bias, learned positions, two FFN matrices.

Facts from transformers 5.23, ``models/gpt2``. Radford et al. 2019.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, decoder_heads, key
from cfgexplain.families.schema import E, Family, Norm, conv1d, embedding, lm_head, norm, slots, tensor, under, when

H: Final = "h.{i}."

GPT2: Final = Family(
    id="gpt2",
    source="transformers 5.23 GPT2Config, GPT2LMHeadModel (Conv1D stores [in, out])",
    base="transformer",
    keys={
        "hidden": key(("n_embd", "hidden_size"), 768),
        "ffn": key("n_inner", E("4*hidden")),
        "layers": key(("n_layer", "num_hidden_layers"), 12),
        "heads": key(("n_head", "num_attention_heads"), 12),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 50257),
        "max_pos": key(("n_positions", "max_position_embeddings"), 1024),
        "eps": key("layer_norm_epsilon", 1e-5),
        "act": key("activation_function", "gelu_new"),
        "tie": key("tie_word_embeddings", True),
        "cross": key("add_cross_attention", False),
        **LABELS,
    },
    body=slots(
        embedding("wte"),
        embedding("wpe", "max_pos", role="position-embedding"),
        under(
            H,
            norm("ln_1", bias="1"),
            conv1d("attn.c_attn", "attention", "qkv", "3*hidden", "hidden"),
            conv1d("attn.c_proj", "attention", "o", "hidden", "hidden"),
            norm("ln_2", bias="1"),
            when(
                "cross",
                conv1d("crossattention.c_attn", "cross-attention", "kv", "2*hidden", "hidden"),
                conv1d("crossattention.q_attn", "cross-attention", "q", "hidden", "hidden"),
                conv1d("crossattention.c_proj", "cross-attention", "o", "hidden", "hidden"),
                norm("ln_cross_attn", bias="1"),
            ),
            conv1d("mlp.c_fc", "ffn", "up", "ffn", "hidden"),
            conv1d("mlp.c_proj", "ffn", "down", "hidden", "ffn"),
            tensor("attn.bias", "buffer", "", kind="buffer"),
            tensor("attn.masked_bias", "buffer", "", kind="buffer"),
            layers="layers",
        ),
        norm("ln_f", "final-norm", bias="1"),
    ),
    heads=decoder_heads(lm_head()) | {"LMHeadModel": lm_head(), "DoubleHeadsModel": lm_head()},
    norm=Norm("layernorm"),
)

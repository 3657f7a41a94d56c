"""Decoders that live as remote code with fused projections under names of their own: Qwen 1, ChatGLM, the first Phi.

Facts from each model's own ``configuration_*.py`` and ``modeling_*.py`` as published on the hub.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key, share
from cfgexplain.families.schema import E, Family, Norm, embedding, linear, lm_head, norm, slots, tensor, under, when

QWEN: Final = Family(
    id="qwen",
    source="Qwen/Qwen-7B, modeling_qwen.py (c_attn always biased; act on w2, so w2 is the gate; each of the two "
    "has half of "
    "intermediate_size rows)",
    base="transformer",
    keys={
        "hidden": key(("hidden_size", "n_embd"), 4096),
        "ffn": key(("intermediate_size", "ffn_hidden_size"), 22016),
        "layers": key(("num_hidden_layers", "n_layer"), 32),
        "heads": key(("num_attention_heads", "n_head"), 32),
        "kv_heads": key((), E("heads")),
        "head_dim": key("kv_channels", 128),
        "vocab": key(("vocab_size", "padded_vocab_size"), 151936),
        "eps": key("layer_norm_epsilon", 1e-6),
        "act": key((), "silu"),
        "tie": key("tie_word_embeddings", False),
        "no_bias": key("no_bias", True),
        "max_pos": key(("seq_length", "max_position_embeddings", "n_positions"), 8192),
        "theta": key(("rotary_emb_base", "rope_theta"), 10000, "int float"), "rotary_share": share(1.0, "rotary_pct"),
    },
    body=slots(
        embedding("wte"),
        tensor("rotary_emb.inv_freq", "buffer", "", kind="buffer"),
        under(
            "h.{i}.",
            norm("ln_1"),
            linear("attn.c_attn", "attention", "qkv", "3*heads*head_dim", "hidden", "1"),
            linear("attn.c_proj", "attention", "o", "hidden", "heads*head_dim", "not no_bias"),
            tensor("attn.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            tensor("attn.masked_bias", "buffer", "", kind="buffer"),
            norm("ln_2"),
            linear("mlp.w2", "ffn", "gate", "ffn // 2", "hidden", "not no_bias"),
            linear("mlp.w1", "ffn", "up", "ffn // 2", "hidden", "not no_bias"),
            linear("mlp.c_proj", "ffn", "down", "hidden", "ffn // 2", "not no_bias"),
            layers="layers",
        ),
        norm("ln_f", "final-norm"),
    ),
    heads={"LMHeadModel": lm_head(), "ForCausalLM": lm_head()},
    head="LMHeadModel",
    ffn_of_config=2,
)

CHATGLM: Final = Family(
    id="chatglm",
    source="THUDM/chatglm2-6b, chatglm3-6b, glm-4-9b: modeling_chatglm.py (dense_h_to_4h: gate first; the head "
    "is inside the "
    "base model); THUDM/chatglm-6b where the config has inner_hidden_size (GELU, LayerNorm, the residual is the "
    "norm's output)",
    base="",
    keys={
        "inner": key("inner_hidden_size", None, "int"),
        "hidden": key("hidden_size", 4096),
        "ffn": key(("ffn_hidden_size", "inner_hidden_size"), 13696),
        "layers": key(("num_layers", "num_hidden_layers"), 28),
        "heads": key("num_attention_heads", 32),
        "mqa": key("multi_query_attention", False),
        "groups": key("multi_query_group_num", 1),
        "kv_heads": key((), E("groups if mqa else heads")),
        "head_dim": key("kv_channels", E("hidden // heads if inner else 128")),
        "vocab": key(("padded_vocab_size", "vocab_size"), 65024),
        "eps": key("layernorm_epsilon", 1e-5),
        "act": key((), E("'gelu' if inner else 'silu'"), "str"),
        "rms": key("rmsnorm", True),
        "last_norm": key("post_layer_norm", True),
        "after_norm": key("apply_residual_connection_post_layernorm", False),
        "add_bias": key("add_bias_linear", False),
        "qkv_bias": key("add_qkv_bias", False),
        "prefix": key("pre_seq_len", None, "int"),
        "max_pos": key(("seq_length", "max_sequence_length"), 2048),
        # Only the first ChatGLM shares its embedding with the head.
        "tie": key("tie_word_embeddings", E("bool(inner)"), "bool"),
        "rotary_share": key((), 0.5),
    },
    body=slots(
        when(
            "not inner",
            embedding("transformer.embedding.word_embeddings"),
            tensor("transformer.rotary_pos_emb.inv_freq", "buffer", "", kind="buffer"),
            under(
                "transformer.encoder.layers.{i}.",
                norm("input_layernorm", bias="not rms"),
                linear("self_attention.query_key_value", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden",
                       "add_bias or qkv_bias"),
                linear("self_attention.dense", "attention", "o", "hidden", "heads*head_dim", "add_bias"),
                norm("post_attention_layernorm", bias="not rms"),
                linear("mlp.dense_h_to_4h", "ffn", "gate_up", "2*ffn", "hidden", "add_bias"),
                linear("mlp.dense_4h_to_h", "ffn", "down", "hidden", "ffn", "add_bias"),
                layers="layers",
            ),
            when("last_norm", norm("transformer.encoder.final_layernorm", "final-norm", bias="not rms")),
            linear("transformer.output_layer", "lm-head", "", "vocab", "hidden", "add_bias"),
        ),
        when(
            "inner",
            embedding("transformer.word_embeddings"),
            under(
                "transformer.layers.{i}.",
                norm("input_layernorm", bias="1"),
                linear("attention.query_key_value", "attention", "qkv", "3*hidden", "hidden", "1"),
                linear("attention.dense", "attention", "o", "hidden", "hidden", "1"),
                tensor("attention.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
                norm("post_attention_layernorm", bias="1"),
                linear("mlp.dense_h_to_4h", "ffn", "up", "ffn", "hidden", "1"),
                linear("mlp.dense_4h_to_h", "ffn", "down", "hidden", "ffn", "1"),
                layers="layers",
            ),
            norm("transformer.final_layernorm", "final-norm", bias="1"),
            lm_head(),
        ),
    ),
    head="ForConditionalGeneration",
    norm=Norm(
        E("'layernorm' if inner or not rms else 'rmsnorm'"), E("'post' if inner or after_norm else 'pre'"),
        final=E("bool(inner) or last_norm"),
    ),
)

PHI_MSFT: Final = Family(
    id="phi-msft",
    source="microsoft/phi-2 before it moved into the library, modeling_phi.py (one norm; the final norm is lm_head.ln)",
    base="transformer",
    keys={
        "hidden": key("n_embd", 1024),
        "ffn": key("n_inner", E("4*hidden")),
        "layers": key("n_layer", 20),
        "heads": key("n_head", 16),
        "kv_heads": key("n_head_kv", E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "stated_vocab": key("vocab_size", 50304),
        "multiple": key("pad_vocab_size_multiple", 64, low=1),
        "vocab": key((), E("ceil_to(stated_vocab, multiple)")),
        "eps": key("layer_norm_epsilon", 1e-5),
        "act": key("activation_function", "gelu_new", "str", null=E("'gelu_new'")),
        "tie": key("tie_word_embeddings", False),
        "max_pos": key("n_positions", 2048),
    },
    body=slots(
        embedding("embd.wte"),
        under(
            "h.{i}.",
            norm("ln", bias="1"),
            linear("mixer.Wqkv", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden", "1"),
            linear("mixer.out_proj", "attention", "o", "hidden", "heads*head_dim", "1"),
            tensor("mixer.rotary_emb.inv_freq", "buffer", "", kind="buffer"),
            linear("mlp.fc1", "ffn", "up", "ffn", "hidden", "1"),
            linear("mlp.fc2", "ffn", "down", "hidden", "ffn", "1"),
            layers="layers",
        ),
    ),
    heads={
        "ForCausalLM": slots(
            norm("lm_head.ln", "final-norm", bias="1"), linear("lm_head.linear", "lm-head", "", "vocab", "hidden", "1"),
        ),
    },
    norm=Norm("layernorm", "parallel"),
)

_AFFINE: Final = "affine and norm_type != 'none'"

HF_OLMO: Final = Family(
    id="hf_olmo",
    source="allenai/OLMo (olmo/config.py, olmo/model.py): layer_norm_with_affine off means norms without "
    "tensors; eps fixed at "
    "1e-5; mlp_ratio counts gate and up together, and up comes first in ff_proj",
    base="model.transformer",
    keys={
        "hidden": key("d_model", 768),
        "ratio": key("mlp_ratio", 4, "int float"),
        "ffn": key("mlp_hidden_size", E("int(ratio*hidden)")),
        "layers": key("n_layers", 12),
        "heads": key("n_heads", 12),
        "mqa": key("multi_query_attention", False, "bool", null=E("False")),
        "kv_heads": key("n_kv_heads", E("1 if mqa else heads")),
        "head_dim": key((), E("hidden // heads")),
        "stated_vocab": key("vocab_size", 50257),
        "vocab": key("embedding_size", E("stated_vocab")),
        "act": key("activation_type", "swiglu"),
        "tie": key("weight_tying", True),
        "bias": key("include_bias", True),
        "norm_type": key("layer_norm_type", "default"),
        "affine": key("layer_norm_with_affine", True),
        "norm_bias": key("bias_for_layer_norm", E("bias"), "bool"),
        "qk_norm": key("attention_layer_norm", False),
        "max_pos": key("max_sequence_length", 1024),
    },
    lets={"halves": "2 if act == 'swiglu' else 1"},
    body=slots(
        embedding("wte"),
        under(
            "blocks.{i}.",
            linear("att_proj", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden", "bias"),
            linear("attn_out", "attention", "o", "hidden", "hidden", "bias"),
            when(
                f"qk_norm and {_AFFINE}",
                norm("q_norm", "attention-norm", bias="norm_bias and norm_type != 'rms'", part="q_norm"),
                norm("k_norm", "attention-norm", "kv_heads*head_dim", "norm_bias and norm_type != 'rms'", "k_norm"),
            ),
            when("halves == 2", linear("ff_proj", "ffn", "gate_up", "ffn", "hidden", "bias")),
            when("halves == 1", linear("ff_proj", "ffn", "up", "ffn", "hidden", "bias")),
            linear("ff_out", "ffn", "down", "hidden", "ffn // halves", "bias"),
            when(
                _AFFINE,
                norm("attn_norm", bias="norm_bias and norm_type != 'rms'"),
                norm("ff_norm", bias="norm_bias and norm_type != 'rms'"),
            ),
            layers="layers",
        ),
        when(_AFFINE, norm("ln_f", "final-norm", bias="norm_bias and norm_type != 'rms'")),
        when("not tie", linear("ff_out", "lm-head", "", "vocab", "hidden", "bias")),
        when("tie", tensor("ff_out.weight", "lm-head", "vocab, hidden", kind="tied")),
    ),
    heads={"ForCausalLM": (), "ModelForCausalLM": ()},
    norm=Norm(
        E("'rmsnorm' if norm_type == 'rms' else 'layernorm'"), gain=E("'w' if affine else 'none'"), eps=1e-5,
        qk=E("qk_norm"),
    ),
    ffn_of_config=2,
)

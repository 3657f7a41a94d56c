"""Decoders with rotary positions and two FFN matrices, without a gate: squared ReLU, GELU, xIELU.

Facts from transformers 5.23, ``models/<family>/configuration_*.py`` (keys and defaults) and ``modeling_*.py``
(tensors, norms, biases), unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key, share
from cfgexplain.families.llama import ATTN, LLAMA, PRE_NORMS, QK_HEAD_NORMS, decoder
from cfgexplain.families.schema import (
    E,
    Norm,
    attention,
    linear,
    lm_head,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    when,
)

ATTENTION_BIAS: Final = key("attention_bias", False)
MLP_BIAS: Final = key("mlp_bias", False)

_BIASED_NORMS: Final = slots(norm("input_layernorm", bias="1"), norm("post_attention_layernorm", bias="1"))

APERTUS: Final = replace(
    LLAMA,
    id="apertus",
    source="transformers 5.23 ApertusConfig, ApertusMLP (xIELU with two learned scalars), ApertusDecoderLayer",
    keys=decoder_keys(
        hidden=4096, ffn=14336, layers=32, heads=32, vocab=131072, eps=1e-5, act="xielu", max_pos=65536,
        theta=12000000.0, attention_bias=ATTENTION_BIAS,
    ),
    body=decoder(
        ATTN, QK_HEAD_NORMS, plain_mlp("mlp.up_proj", "mlp.down_proj"),
        when(
            "act == 'xielu'",
            tensor("mlp.act_fn.alpha_p", "ffn", "1"), tensor("mlp.act_fn.alpha_n", "ffn", "1"),
            tensor("mlp.act_fn.beta", "buffer", "", kind="buffer"),
            tensor("mlp.act_fn.eps", "buffer", "", kind="buffer"),
        ),
        norm("attention_layernorm"), norm("feedforward_layernorm"),
    ),
)

APERTUS1P5: Final = replace(
    APERTUS,
    id="apertus1p5_text",
    source="transformers 5.23 Apertus1p5TextConfig, Apertus1p5TextForCausalLM (head of output_vocab_size rows "
    "where set)",
    keys={
        **APERTUS.keys, "vocab": key("vocab_size", 266752), "output_vocab": key("output_vocab_size", None, "int"),
    },
    heads=decoder_heads(lm_head(rows="output_vocab or vocab")),
)

ARCEE: Final = replace(
    LLAMA,
    id="arcee",
    source="transformers 5.23 ArceeConfig, ArceeMLP (squared ReLU, no gate)",
    keys=decoder_keys(
        hidden=2560, ffn=18432, layers=32, heads=32, vocab=32000, eps=1e-5, act="relu2", max_pos=4096,
        attention_bias=ATTENTION_BIAS, mlp_bias=MLP_BIAS,
    ),
    body=decoder(ATTN, plain_mlp("mlp.up_proj", "mlp.down_proj", bias="mlp_bias"), PRE_NORMS),
)

NANOCHAT: Final = replace(
    LLAMA,
    id="nanochat",
    source="transformers 5.23 NanoChatConfig, NanoChatRMSNorm (no weight, also on q and k), NanoChatMLP (fc1, fc2)",
    keys=decoder_keys(
        hidden=768, ffn=8192, layers=12, heads=6, vocab=50304, eps=1e-6, act="relu2", attention_bias=ATTENTION_BIAS,
    ),
    body=decoder(ATTN, plain_mlp("mlp.fc1", "mlp.fc2"), final=()),
    norm=Norm(gain="none", qk=True),
)

JAIS2: Final = replace(
    ARCEE,
    id="jais2",
    source="transformers 5.23 Jais2Config, Jais2DecoderLayer (LayerNorm with bias), Jais2MLP (no gate)",
    keys=decoder_keys(
        hidden=3328, ffn=26624, layers=32, heads=26, vocab=150272, eps=1e-5, eps_key="layer_norm_eps", act="relu2",
        max_pos=8192, attention_bias=key("attention_bias", True), mlp_bias=key("mlp_bias", True),
    ),
    body=decoder(
        ATTN, plain_mlp("mlp.up_proj", "mlp.down_proj", bias="mlp_bias"),
        _BIASED_NORMS,
        final=norm("norm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
)

NEMOTRON: Final = replace(
    JAIS2,
    id="nemotron",
    source="transformers 5.23 NemotronConfig, NemotronLayerNorm1P (LayerNorm with gain 1 + w and a bias), NemotronMLP",
    keys=decoder_keys(
        rotary_share=share(0.5),
        hidden=6144, ffn=24576, layers=32, heads=48, vocab=256000, eps=1e-5, eps_key="norm_eps", act="relu2",
        max_pos=4096, attention_bias=ATTENTION_BIAS, mlp_bias=MLP_BIAS,
    ),
    norm=Norm("layernorm", gain="1+w"),
)

STARCODER2: Final = replace(
    JAIS2,
    id="starcoder2",
    source="transformers 5.23 Starcoder2Config, Starcoder2MLP (c_fc, c_proj), use_bias for all projections",
    keys=decoder_keys(
        hidden=3072, ffn=12288, layers=30, heads=24, kv_heads=2, vocab=49152, eps=1e-5, eps_key="norm_epsilon",
        act="gelu_pytorch_tanh", tie=True, max_pos=4096, bias=key("use_bias", True),
        window=key("sliding_window", None, "int"),
    ),
    body=decoder(
        attention(bias="bias"), plain_mlp("mlp.c_fc", "mlp.c_proj", bias="bias"),
        _BIASED_NORMS,
        final=norm("norm", "final-norm", bias="1"),
    ),
    layer_kind="'sliding' if window else 'full'",
)

PHI: Final = replace(
    LLAMA,
    id="phi",
    source="transformers 5.23 PhiConfig, PhiDecoderLayer (one norm, attention and FFN side by side), head with a bias",
    keys=decoder_keys(
        rotary_share=share(0.5),
        hidden=2048, ffn=8192, layers=24, heads=32, vocab=51200, eps=1e-5, eps_key="layer_norm_eps", act="gelu_new",
        qk_norm=key("qk_layernorm", False),
    ),
    body=decoder(
        attention(o="dense", bias="1"),
        when(
            "qk_norm",
            norm("self_attn.q_layernorm", "attention-norm", "hidden // heads", bias="1", part="q_norm"),
            norm("self_attn.k_layernorm", "attention-norm", "hidden // heads", bias="1", part="k_norm"),
        ),
        plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
        norm("input_layernorm", bias="1"),
        final=norm("final_layernorm", "final-norm", bias="1"),
    ),
    heads=decoder_heads(lm_head(bias="1")),
    norm=Norm("layernorm", "parallel"),
)

PERSIMMON: Final = replace(
    LLAMA,
    id="persimmon",
    source="transformers 5.23 PersimmonConfig, PersimmonAttention (query_key_value by head, q/k LayerNorm), "
    "PersimmonMLP",
    keys={
        **decoder_keys(
            hidden=4096, ffn=16384, layers=36, heads=64, vocab=262144, eps=1e-5, eps_key="layer_norm_eps", act="relu2",
            max_pos=16384, qk_norm=key("qk_layernorm", True),
        ),
        "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")),
        "rotary_share": share(0.5),
    },
    body=decoder(
        linear("self_attn.query_key_value", "attention", "qkv", "3*hidden", "hidden", "1"),
        linear("self_attn.dense", "attention", "o", "hidden", "heads*head_dim", "1"),
        when(
            "qk_norm",
            norm("self_attn.q_layernorm", "attention-norm", "head_dim", bias="1", part="q_norm"),
            norm("self_attn.k_layernorm", "attention-norm", "head_dim", bias="1", part="k_norm"),
        ),
        plain_mlp("mlp.dense_h_to_4h", "mlp.dense_4h_to_h", bias="1"),
        _BIASED_NORMS,
        final=norm("final_layernorm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
)

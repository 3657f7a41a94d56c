"""Dense decoders that differ from Llama in a few lines: a flag, a norm more, other defaults.

Facts from transformers 5.23, ``models/<family>/configuration_*.py`` (keys and defaults) and ``modeling_*.py``
(tensors, norms, biases), unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, rope_theta, window, window_theta
from cfgexplain.families.llama import (
    ATTN,
    GRANITE,
    LAYER_TYPES,
    LLAMA,
    MISTRAL,
    MLP,
    OLMO2,
    PRE_NORMS,
    QK_HEAD_NORMS,
    decoder,
)
from cfgexplain.families.schema import (
    E,
    Norm,
    attention,
    gated_mlp,
    linear,
    norm,
    rename,
    replace,
    tensor,
    when,
    without,
)

ATTENTION_BIAS: Final = key("attention_bias", False)
MLP_BIAS: Final = key("mlp_bias", False)

BITNET: Final = replace(
    LLAMA,
    id="bitnet",
    source="transformers 5.23 BitNetConfig, BitNetAttention (attn_sub_norm before o), BitNetMLP (ffn_sub_norm "
    "before down)",
    keys=decoder_keys(
        hidden=2560, ffn=6912, layers=30, heads=20, kv_heads=5, vocab=128256, eps=1e-5, act="relu2", theta=500000.0,
        attention_bias=ATTENTION_BIAS,
    ),
    body=decoder(
        ATTN, norm("self_attn.attn_sub_norm", "attention-norm", part="o_norm"),
        gated_mlp(), norm("mlp.ffn_sub_norm", "other-norm", "ffn"), PRE_NORMS,
    ),
    # The inner norms stand on the attention's output and on the activations, not on queries or keys.
    norm=Norm(qk=False),
)

CWM: Final = replace(
    LLAMA,
    id="cwm",
    source="transformers 5.23 CwmConfig, CwmAttention (never a bias)",
    keys=decoder_keys(
        hidden=6144, ffn=21504, layers=64, heads=48, kv_heads=8, head_dim=128, vocab=128256, eps=1e-5, max_pos=131072,
        theta=1000000.0, mlp_bias=MLP_BIAS, window=window(8192), layer_types=LAYER_TYPES,
    ),
    body=decoder(attention(), MLP, PRE_NORMS),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if i % 4 else 'full')",
    unread=("attention_bias",),
)

DIFFLLAMA: Final = replace(
    LLAMA,
    id="diffllama",
    source="transformers 5.23 DiffLlamaConfig, DiffLlamaAttention (four lambda vectors a layer; groupnorm "
    "without a weight)",
    keys=decoder_keys(
        hidden=2048, ffn=8192, layers=16, heads=32, vocab=32000, eps=1e-5, attention_bias=ATTENTION_BIAS,
    ),
    body=decoder(
        ATTN,
        tensor("self_attn.lambda_q1", "attention", "head_dim"), tensor("self_attn.lambda_k1", "attention", "head_dim"),
        tensor("self_attn.lambda_q2", "attention", "head_dim"), tensor("self_attn.lambda_k2", "attention", "head_dim"),
        gated_mlp(), PRE_NORMS,
    ),
)

ERNIE4_5: Final = replace(
    LLAMA,
    id="ernie4_5",
    source="transformers 5.23 Ernie4_5Config, Ernie4_5Attention and Ernie4_5MLP (use_bias for all of them)",
    keys=decoder_keys(
        hidden=1024, ffn=3072, layers=18, heads=16, kv_heads=2, head_dim=128, vocab=103424, eps=1e-5, tie=True,
        max_pos=131072, theta=500000.0, bias=key("use_bias", False),
    ),
    body=decoder(attention(bias="bias"), gated_mlp(bias="bias"), PRE_NORMS),
)

EXAONE4: Final = replace(
    LLAMA,
    id="exaone4",
    source="transformers 5.23 Exaone4Config, Exaone4DecoderLayer (norms on the outputs), Exaone4Attention (q/k "
    "norms per head)",
    keys=decoder_keys(
        hidden=4096, ffn=16384, layers=32, heads=32, kv_heads=32, vocab=102400, eps=1e-5,
        window=window(4096), pattern=key("sliding_window_pattern", 4, "int str", null=E("0")),
        layer_types=LAYER_TYPES,
    ),
    body=decoder(
        attention(), QK_HEAD_NORMS, gated_mlp(), norm("post_attention_layernorm"), norm("post_feedforward_layernorm"),
    ),
    norm=Norm(placement="output"),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % pattern else 'full')",
    unread=("attention_bias", "mlp_bias"),
)

#: EXAONE 3 keeps the names that it was published under, also when today's library writes it.
_EXAONE_NAMES: Final = {
    "layers.{i}.": "h.{i}.", "self_attn.o_proj": "attn.attention.out_proj", "self_attn.": "attn.attention.",
    "input_layernorm": "ln_1", "post_attention_layernorm": "ln_2", "mlp.gate_proj": "mlp.c_fc_0",
    "mlp.up_proj": "mlp.c_fc_1", "mlp.down_proj": "mlp.c_proj", "embed_tokens": "wte",
}

EXAONE: Final = replace(
    LLAMA,
    id="exaone",
    source="transformers 5.23 ExaoneConfig, conversion_mapping.py (c_fc_0 is the gate, c_fc_1 the up projection)",
    base="transformer",
    keys={
        **decoder_keys(
            hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8, vocab=102400, eps=1e-5, max_pos=4096,
            eps_key=("layer_norm_epsilon", "rms_norm_eps"), theta=500000.0,
            attention_bias=ATTENTION_BIAS, mlp_bias=MLP_BIAS,
        ),
        "layers": key(("num_layers", "num_hidden_layers"), 32),
        "act": key(("activation_function", "hidden_act"), "silu"),
    },
    body=rename(decoder(ATTN, MLP, PRE_NORMS, final=norm("ln_f", "final-norm")), _EXAONE_NAMES),
    renames=((
        (r"^model\.embed_tokens\.", "transformer.wte."), (r"^model\.layers\.", "transformer.h."),
        (r"^model\.norm\.", "transformer.ln_f."), (r"\.self_attn\.o_proj\.", ".attn.attention.out_proj."),
        (r"\.self_attn\.", ".attn.attention."), (r"\.input_layernorm\.", ".ln_1."),
        (r"\.post_attention_layernorm\.", ".ln_2."), (r"\.mlp\.gate_proj\.", ".mlp.c_fc_0."),
        (r"\.mlp\.up_proj\.", ".mlp.c_fc_1."), (r"\.mlp\.down_proj\.", ".mlp.c_proj."),
    ),),
)

GRANITE_SWA: Final = replace(
    GRANITE,
    id="granite_swa",
    source="transformers 5.23 GraniteSWAConfig, GraniteSWAAttention (one sink logit a head)",
    keys=decoder_keys(
        hidden=2560, ffn=8192, layers=24, heads=20, kv_heads=4, vocab=100352, eps=1e-5, tie=True, max_pos=8192,
        attention_bias=ATTENTION_BIAS, mlp_bias=MLP_BIAS, window=window(128), layer_types=LAYER_TYPES,
    ),
    body=decoder(ATTN, tensor("self_attn.sinks", "attention", "heads"), MLP, PRE_NORMS),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if i % 4 else 'full')",
)

HELIUM: Final = replace(
    LLAMA,
    id="helium",
    source="transformers 5.23 HeliumConfig, HeliumAttention (o is [hidden, hidden], never biased)",
    keys=decoder_keys(
        hidden=2560, ffn=7040, layers=24, heads=20, kv_heads=20, head_dim=128, vocab=48000, eps=1e-8, max_pos=4096,
        theta=100000.0, attention_bias=ATTENTION_BIAS, mlp_bias=MLP_BIAS,
    ),
    body=decoder(
        without(ATTN, "*o_proj*"), linear("self_attn.o_proj", "attention", "o", "hidden", "hidden"), MLP, PRE_NORMS,
    ),
)

HUNYUAN_DENSE: Final = replace(
    LLAMA,
    id="hunyuan_v1_dense",
    source="transformers 5.23 HunYuanDenseV1Config, HunYuanDenseV1Attention (query_layernorm and key_layernorm "
    "per head)",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=290943, eps=1e-5, attention_bias=ATTENTION_BIAS,
    ),
    body=decoder(
        ATTN,
        norm("self_attn.query_layernorm", "attention-norm", "head_dim", part="q_norm"),
        norm("self_attn.key_layernorm", "attention-norm", "head_dim", part="k_norm"),
        gated_mlp(), PRE_NORMS,
    ),
)

HYPERCLOVAX: Final = replace(
    LLAMA,
    id="hyperclovax",
    source="transformers 5.23 HyperCLOVAXConfig, HyperCLOVAXDecoderLayer (post_norm1 and 2 where use_post_norm)",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6, attention_bias=ATTENTION_BIAS,
        mlp_bias=MLP_BIAS, post_norm=key("use_post_norm", True),
    ),
    body=decoder(
        ATTN, MLP,
        PRE_NORMS[:1], when("post_norm", norm("post_norm1")), PRE_NORMS[1:], when("post_norm", norm("post_norm2")),
    ),
    norm=Norm(placement=E("'sandwich' if post_norm else 'pre'")),
)

INTERNLM3: Final = replace(
    LLAMA,
    id="internlm3",
    source="transformers 5.23 InternLM3Config (qkv_bias and bias must agree), LlamaForCausalLM",
    keys=decoder_keys(
        hidden=4096, ffn=10240, layers=48, heads=32, kv_heads=2, head_dim=128, vocab=128512, eps=1e-5, max_pos=32768,
        attention_bias=key(("attention_bias", "qkv_bias"), False), mlp_bias=key(("mlp_bias", "bias"), False),
    ),
)

IQUESTCODER: Final = replace(
    LLAMA,
    id="iquestcoder",
    source="transformers 5.23 IQuestCoderConfig, LlamaForCausalLM",
    keys=decoder_keys(
        hidden=5120, ffn=27648, layers=80, heads=40, kv_heads=8, head_dim=128, vocab=76800, eps=1e-5, max_pos=131072,
        attention_bias=ATTENTION_BIAS, mlp_bias=MLP_BIAS,
    ),
)

MINISTRAL: Final = replace(
    MISTRAL,
    id="ministral",
    source="transformers 5.23 MinistralConfig, MinistralForCausalLM",
    keys={**MISTRAL.keys, "layer_types": LAYER_TYPES},
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if window else 'full')",
)

MINISTRAL3: Final = replace(
    MISTRAL,
    id="ministral3",
    source="transformers 5.23 Ministral3Config, Ministral3ForCausalLM",
    keys=decoder_keys(
        hidden=4096, ffn=14336, layers=34, heads=32, kv_heads=8, head_dim=128, vocab=131072, eps=1e-5, max_pos=262144,
        theta=1000000.0, window=key("sliding_window", None, "int"),
    ),
)

OLMO: Final = replace(
    LLAMA,
    id="olmo",
    source="transformers 5.23 OlmoConfig, OlmoLayerNorm (no weight, no bias, eps fixed at 1e-5), OlmoMLP (never "
    "a bias)",
    keys={
        k: v for k, v in decoder_keys(
            hidden=4096, ffn=11008, layers=32, heads=32, vocab=50304, eps=1e-5, attention_bias=ATTENTION_BIAS,
        ).items() if k != "eps"
    },
    body=decoder(ATTN, gated_mlp(), final=()),
    norm=Norm("layernorm", gain="none", eps=1e-5),
    unread=("rms_norm_eps", "layer_norm_eps", "mlp_bias"),
)

OLMO3: Final = replace(
    OLMO2,
    id="olmo3",
    source="transformers 5.23 Olmo3Config, Olmo3DecoderLayer (norms on the outputs), Olmo3Attention (q/k norms "
    "over all heads)",
    keys={
        **OLMO2.keys, "window": window(4096), "layer_types": LAYER_TYPES,
        "theta": rope_theta(500000.0), "window_theta": window_theta(E("theta")),
    },
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % 4 else 'full')",
)

SEED_OSS: Final = replace(
    LLAMA,
    id="seed_oss",
    source="transformers 5.23 SeedOssConfig, SeedOssAttention (attention_bias for q, k, v; attention_out_bias for o)",
    keys=decoder_keys(
        hidden=4096, ffn=27648, layers=64, heads=80, kv_heads=8, head_dim=128, vocab=155136, eps=1e-6, max_pos=524288,
        attention_bias=key("attention_bias", True), out_bias=key("attention_out_bias", False), mlp_bias=MLP_BIAS,
    ),
    body=decoder(attention(bias="attention_bias", o_bias="out_bias"), MLP, PRE_NORMS),
)

"""More mixtures of experts: those with shared experts, schedules or blocks of their own.

Facts from transformers 5.24, ``models/<family>``, unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, key, rope_theta
from cfgexplain.families.llama import decoder
from cfgexplain.families.moe import BIAS, LAYER_TYPES, MIXTRAL
from cfgexplain.families.moe_blocks import (
    HEAD_NORMS,
    NONE,
    PRE_NORMS,
    correction,
    decoder_keys,
    mixed,
    mlp_types,
    moe_keys,
    router,
    split_or_stacked,
)
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    lm_head,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)

ATTN: Final = attention(bias="attention_bias")
NUM: Final = ("num_experts", "num_local_experts")
LISTED_KIND: Final = "kind(layer_types[i]) if layer_types else "


def shared(prefix: str = "mlp.shared_experts.", bias: str = "") -> Slots:
    """The shared experts as one block."""
    return when("shared_ffn", gated_mlp(prefix, "shared_ffn", "shared-experts", bias))


AFMOE: Final = replace(
    MIXTRAL,
    id="afmoe",
    source="transformers 5.24 AfmoeConfig, AfmoeDecoderLayer (norms on both sides), AfmoeAttention (output gate)",
    keys={
        **decoder_keys(hidden=2048, ffn=6144, layers=32, heads=16, head_dim=128, vocab=200192, eps=1e-5, max_pos=16384,
                       window=key("sliding_window", 1024, "int"), attention_bias=BIAS, layer_types=LAYER_TYPES,
                       every=key("global_attn_every_n_layers", 4)),
        **moe_keys(experts=64, top_k=6, moe_ffn=1408, shared=2, names=NUM, shared_names="num_shared_experts"),
        "first_dense": key("num_dense_layers", 1),
    },
    lets={"sparse": "i >= first_dense"},
    body=decoder(
        ATTN, HEAD_NORMS, linear("self_attn.gate_proj", "attention", "gate", "heads*head_dim", "hidden"),
        mixed(
            "sparse",
            slots(
                router("mlp.router.gate"), tensor("mlp.expert_bias", "other", "experts"), split_or_stacked(), shared()
            ),
        ),
        norm("input_layernorm"), norm("post_attention_layernorm"), norm("pre_mlp_layernorm"),
        norm("post_mlp_layernorm"),
    ),
    norm=Norm(placement="sandwich"),
    layer_kind=LISTED_KIND + "('sliding' if (i + 1) % every else 'full')",
)

COHERE2_MOE: Final = replace(
    MIXTRAL,
    id="cohere2_moe",
    source="transformers 5.24 Cohere2MoeConfig, Cohere2MoeDecoderLayer (one norm for attention and experts side by"
    " side)",
    keys={
        **decoder_keys(hidden=8192, ffn=22528, layers=40, heads=64, head_dim=128, vocab=256000, eps=1e-5,
                       eps_key="layer_norm_eps", tie=True, max_pos=8192, window=key("sliding_window", 4096, "int"),
                       attention_bias=BIAS, layer_types=LAYER_TYPES, pattern=key("sliding_window_pattern", 4),
                       prefix_pattern=key("prefix_dense_sliding_window_pattern", 1)),
        "ffn": key("prefix_dense_intermediate_size", E("moe_ffn")),
        **moe_keys(
            experts=8, top_k=2, moe_ffn=22528, names=NUM, shared_names="num_shared_experts",
            moe_ffn_names="intermediate_size"
        ),
        **mlp_types(0), "rms_eps": key("rms_norm_eps", None, "float"),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense"},
    body=decoder(ATTN, mixed("sparse", slots(router(), split_or_stacked(), shared())), norm("input_layernorm")),
    norm=Norm(
        E("'layernorm' if rms_eps is None else 'rmsnorm'"), "parallel", eps=E("'eps' if rms_eps is None else 'rms_eps'")
    ),
    layer_kind=LISTED_KIND + (
        "'sliding' if (i + 1) % prefix_pattern and i < first_dense or i >= first_dense and (i - first_dense + 1) %"
        " pattern else 'full'"
    ),
)

DBRX: Final = Family(
    id="dbrx",
    source="transformers 5.24 DbrxConfig, DbrxNormAttentionNorm (LayerNorm without bias, ε of torch), DbrxExpertGLU"
    " (all experts in rows)",
    base="transformer",
    keys={
        "hidden": key(("d_model", "hidden_size"), 2048),
        "layers": key(("n_layers", "num_hidden_layers"), 24),
        "heads": key(("n_heads", "num_attention_heads"), 16),
        "kv_heads": key("attn_config.kv_n_heads", 1),
        "head_dim": key((), E("hidden // heads")),
        "vocab": key("vocab_size", 32000),
        "max_pos": key(("max_seq_len", "max_position_embeddings"), 2048),
        "theta": rope_theta(10000.0, "attn_config.rope_theta"),
        "ffn": key("ffn_config.ffn_hidden_size", 3584),
        "act": key("ffn_config.ffn_act_fn.name", "silu"),
        "tie": key("tie_word_embeddings", False),
        **moe_keys(experts=4, top_k=1, moe_ffn=3584, names="ffn_config.moe_num_experts",
                   top_k_names="ffn_config.moe_top_k",
                   moe_ffn_names="ffn_config.ffn_hidden_size"),
    },
    body=slots(
        embedding("wte"),
        under(
            "blocks.{i}.",
            linear("norm_attn_norm.attn.Wqkv", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden"),
            linear("norm_attn_norm.attn.out_proj", "attention", "o", "hidden", "heads*head_dim"),
            norm("norm_attn_norm.norm_1"), norm("norm_attn_norm.norm_2"),
            router("ffn.router.layer"),
            tensor("ffn.experts.mlp.w1", "experts", "experts*moe_ffn, hidden", "gate"),
            tensor("ffn.experts.mlp.v1", "experts", "experts*moe_ffn, hidden", "up"),
            tensor("ffn.experts.mlp.w2", "experts", "experts*moe_ffn, hidden", "down"),
            layers="layers",
        ),
        norm("norm_f", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head(tie="")},
    norm=Norm("layernorm", eps=1e-5),
)

DOGE: Final = replace(
    MIXTRAL,
    id="doge",
    source="transformers 5.24 DogeConfig, DogeDecoderLayer (scaled residuals), DogeCDMoE (a shared block; experts are"
    " embedding rows)",
    keys={
        **decoder_keys(hidden=1024, ffn=2048, layers=32, heads=8, vocab=32768, eps=1e-6, attention_bias=BIAS,
                       mlp_bias=key("mlp_bias", False), window=key("sliding_window", None, "int"),
                       moe=key("is_moe", False)),
        **moe_keys(experts=16384, top_k=64, moe_ffn=1, names="num_experts"),
        "moe_ffn": key((), 1), "shared_ffn": key((), E("ffn if moe else 0")),
    },
    body=decoder(
        ATTN, HEAD_NORMS,
        tensor("self_attn.A", "attention", "kv_heads"),
        linear("self_attn.dt_proj", "attention", "dt", "kv_heads", "kv_heads*head_dim", "attention_bias"),
        when("not moe", gated_mlp(bias="mlp_bias")),
        when(
            "moe", gated_mlp(role="shared-experts", bias="mlp_bias"),
            linear("mlp.router_gate", "router", "router", "2*isqrt(experts)", "hidden"),
            tensor("mlp.down_embed.weight", "experts", "experts, hidden", "up"),
            tensor("mlp.up_embed.weight", "experts", "experts, hidden", "down"),
        ),
        PRE_NORMS,
        tensor("input_residual", "other", "hidden"), tensor("post_attention_residual", "other", "hidden"),
    ),
)

ERNIE4_5_MOE: Final = replace(
    MIXTRAL,
    id="ernie4_5_moe",
    source="transformers 5.24 Ernie4_5_MoeConfig, Ernie4_5_MoeTopKRouter (its balancing bias is a parameter)",
    keys={
        **decoder_keys(hidden=2560, ffn=12288, layers=28, heads=20, kv_heads=4, vocab=103424, eps=1e-5, tie=True,
                       max_pos=131072,
                       theta=5e5, use_bias=key("use_bias", False)._replace(null=E("False"))),
        **moe_keys(experts=64, top_k=6, moe_ffn=1536, shared=2, names=("moe_num_experts", "num_experts"),
                   top_k_names=("moe_k", "num_experts_per_tok"), shared_names="moe_num_shared_experts"),
        "first": key("moe_layer_start_index", 1), "last": key("moe_layer_end_index", -1, low=-1),
        "every": key("moe_layer_interval", 1, low=1),
    },
    lets={"sparse": "(i + 1) % every == 0 and first <= i <= (layers - 1 if last == -1 else last)"},
    body=decoder(
        attention(bias="use_bias"),
        mixed(
            "sparse",
            slots(
                router(), split_or_stacked(), shared(bias="use_bias"),
                tensor("mlp.moe_statics.e_score_correction_bias", "router", "1, experts", "router"),
            ),
            gated_mlp(bias="use_bias"),
        ),
        PRE_NORMS,
    ),
    heads=decoder_heads(lm_head(bias="use_bias")),
    layer_kind="'full'",
    open=(("model.mtp", "mtp"),),
)

EXAONE_MOE: Final = replace(
    MIXTRAL,
    id="exaone_moe",
    source="transformers 5.24 ExaoneMoeConfig, ExaoneMoeSparseMoEBlock, ExaoneMoeAttention",
    keys={
        **decoder_keys(hidden=4096, ffn=16384, layers=32, heads=32, vocab=102400, eps=1e-5,
                       window=key("sliding_window", 4096, "int")._replace(null=NONE), layer_types=LAYER_TYPES,
                       pattern=key("sliding_window_pattern", 4, "int str")),
        **moe_keys(experts=64, top_k=8, moe_ffn=1024, shared=1, names=NUM, shared_names="num_shared_experts"),
        "kv_heads": key("num_key_value_heads", 32), **mlp_types(1),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense"},
    body=decoder(
        attention(), HEAD_NORMS,
        mixed("sparse", slots(router(), correction("mlp.e_score_correction_bias"), split_or_stacked(), shared())),
        PRE_NORMS,
    ),
    layer_kind=LISTED_KIND + (
        "'full' if not window else 'full' if (has(str(pattern), 'G') and pattern[i % len(pattern)] == 'G') or"
        " (not has(str(pattern), 'L') and (i + 1) % pattern == 0) else 'sliding'"
    ),
    open=(("mtp.", "mtp"),),
)

"""Hybrids of Kimi Delta Attention and latent attention, with experts: Kimi Linear, Ling (Bailing) hybrid.

Facts from transformers 5.23, ``models/{kimi_linear,bailing_hybrid}``. Kimi Team 2025 (2510.26692).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key, rope_theta
from cfgexplain.families.expr import function
from cfgexplain.families.mamba import is_full
from cfgexplain.families.moe_blocks import (
    MLA,
    MLA_KV,
    MTP,
    PRE_NORMS,
    L,
    correction,
    mla_keys,
    mtp_layers,
    router,
    split_or_stacked,
    w_experts,
)
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Slots,
    embedding,
    form,
    gated_mlp,
    linear,
    lm_head,
    norm,
    rename,
    slots,
    tensor,
    under,
    when,
)


@function
def kimi_full(types: object, config: object, i: int) -> bool:
    """Whether layer ``i`` of Kimi Linear is latent attention.

    ``layer_types`` where given; else the lists of ``linear_attn_config``, which count layers from 1; else every fourth.
    """
    if isinstance(types, list):
        return is_full(types, i) is True
    full = config.get("full_attn_layers") if isinstance(config, dict) else None
    if isinstance(full, list):
        return i + 1 in full
    return i > 0 and i % 4 == 0


def kda(heads_first: str = "", *gates: Slots) -> Slots:
    """Kimi Delta Attention: q, k and v of ``wide`` channels, each through a short convolution, a decay per channel."""
    return slots(
        linear("q_proj", "mixer", "", "wide", "hidden"),
        linear("k_proj", "mixer", "", "wide", "hidden"),
        linear("v_proj", "mixer", "", "wide", "hidden"),
        tensor("q_conv1d.weight", "mixer", "wide, 1, kernel"),
        tensor("k_conv1d.weight", "mixer", "wide, 1, kernel"),
        tensor("v_conv1d.weight", "mixer", "wide, 1, kernel"),
        tensor("A_log", "mixer", heads_first or "lin_heads"),
        tensor("dt_bias", "mixer", "wide"),
        linear("b_proj", "mixer", "", "lin_heads", "hidden"),
        *gates,
        norm("o_norm", "mixer", "lin_head_dim"),
        linear("o_proj", "mixer", "", "hidden", "wide"),
    )


def kda_keys(*, hidden: int, ffn: int, moe_ffn: int, layers: int, heads: int, vocab: int, eps: float, max_pos: int,
             experts: int, first_dense: int, **more: Key) -> dict[str, Key]:
    """What the two families have in common, under both the published and the library's names."""
    return {
        "hidden": key("hidden_size", hidden),
        "ffn": key("intermediate_size", ffn),
        "moe_ffn": key("moe_intermediate_size", moe_ffn),
        "layers": key("num_hidden_layers", layers),
        "heads": key("num_attention_heads", heads),
        "kv_heads": key("num_key_value_heads", E("heads")),
        "vocab": key("vocab_size", vocab),
        "eps": key("rms_norm_eps", eps),
        "act": key("hidden_act", "silu"),
        "max_pos": key(("max_position_embeddings", "model_max_length"), max_pos),
        "n_shared": key(("n_shared_experts", "num_shared_experts"), 1, "int"),
        "shared_ffn": key((), E("moe_ffn * n_shared")),
        "experts": key(("num_local_experts", "num_experts", "n_routed_experts"), experts),
        "top_k": key(("num_experts_per_tok", "num_experts_per_token"), 8),
        "mlp_types": key("mlp_layer_types", None, "list"),
        "first_dense": key("first_k_dense_replace", first_dense),
        "layer_types": key("layer_types", None, "list"),
        **LABELS,
        **more,
    }


LETS: Final = {
    "wide": "lin_heads * lin_head_dim",
    "sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense",
}
#: KimiLinearDeltaAttention.forward: the steps of three convolutions, and one matrix for each head.
STATE: Final = "0 if full else wide*(3*kernel + lin_head_dim)"
B: Final = "block_sparse_moe."

#: The library saves the dense layers under the experts' name too; the published ones are ``mlp``.
KIMI_LINEAR: Final = Family(
    id="kimi_linear",
    source="transformers 5.23 KimiLinearConfig, KimiLinearDecoderLayer, KimiLinearDeltaAttention (head never tied)",
    base="model",
    keys={
        **kda_keys(
            hidden=2304, ffn=9216, moe_ffn=1024, layers=27, heads=32, vocab=163840, eps=1e-5, max_pos=1048576,
            experts=256, first_dense=1, linear_config=key("linear_attn_config", None, "dict"),
            lin_head_dim=key(("linear_attn_config.head_dim", "linear_head_dim"), 128),
            lin_heads=key(("linear_attn_config.num_heads", "linear_num_heads"), 32),
            kernel=key(("linear_attn_config.short_conv_kernel_size", "linear_conv_kernel_dim"), 4),
        ),
        **mla_keys(q_lora=None, kv_lora=512, nope=128, rope=64, v=128),
    },
    lets={**LETS, "full": "kimi_full(layer_types, linear_config, i)"},
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when("full", MLA),
            when(
                "not full",
                under(
                    "self_attn.",
                    kda(
                        "1, 1, lin_heads, 1",
                        linear("f_a_proj", "mixer", "", "lin_head_dim", "hidden"),
                        linear("f_b_proj", "mixer", "", "wide", "lin_head_dim"),
                        linear("g_a_proj", "mixer", "", "lin_head_dim", "hidden"),
                        linear("g_b_proj", "mixer", "", "wide", "lin_head_dim"),
                    ),
                ),
            ),
            PRE_NORMS,
            when("not sparse", form("dense/saved", gated_mlp(B)), form("dense/published", gated_mlp())),
            when(
                "sparse",
                router(f"{B}gate"),
                correction(f"{B}gate.e_score_correction_bias"),
                w_experts(f"{B}experts."),
                gated_mlp(f"{B}shared_experts.", "shared_ffn", "shared-experts"),
            ),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head(tie="")},
    kv=f"{MLA_KV} if full else 0",
    state=STATE,
    layer_kind="'full' if full else 'linear'",
)

#: Latent attention with an output gate for each head.
BAILING_MLA: Final = slots(
    rename(MLA, {"self_attn.": "attention.", "o_proj": "dense"}),
    linear("attention.g_proj", "attention", "", "heads", "hidden"),
)
BAILING_MOE: Final = slots(
    router(),
    correction("mlp.gate.expert_bias"),
    split_or_stacked(),
    gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts"),
)

BAILING_HYBRID: Final = Family(
    id="bailing_hybrid",
    source="transformers 5.23 BailingHybridConfig, BailingHybridDecoderLayer, BailingHybridDeltaAttention (head "
    "never tied)",
    base="model",
    keys={
        **kda_keys(
            hidden=2560, ffn=6144, moe_ffn=768, layers=42, heads=32, vocab=157184, eps=1e-6, max_pos=262144,
            experts=512, first_dense=2, group=key("layer_group_size", 6, low=1), mtp=MTP,
            lin_head_dim=key(("linear_head_dim", "head_dim"), 128),
            lin_heads=key("linear_num_heads", E("heads")),
            kernel=key(("linear_conv_kernel_dim", "short_conv_kernel_size"), 4),
        ),
        **mla_keys(q_lora=None, kv_lora=512, nope=128, rope=64, v=128),
        "theta": rope_theta(6000000.0),
    },
    lets={**LETS, "full": "is_full(layer_types, i) if layer_types else (i + 1) % group == 0"},
    body=slots(
        embedding("word_embeddings"),
        under(
            L,
            when("full", BAILING_MLA),
            when(
                "not full",
                under(
                    "attention.",
                    rename(
                        kda(
                            "",
                            linear("f_proj", "mixer", "", "wide", "hidden"),
                            linear("g_proj", "mixer", "", "wide", "hidden"),
                        ),
                        {"o_proj": "dense"},
                    ),
                ),
            ),
            PRE_NORMS,
            when("not sparse", gated_mlp()),
            when("sparse", BAILING_MOE),
            layers="layers",
        ),
        norm("norm", "final-norm"),
        mtp_layers(BAILING_MLA, PRE_NORMS, BAILING_MOE, norm("final_layernorm"), own_embedding=False),
    ),
    heads={"ForCausalLM": lm_head(tie="")},
    kv=f"{MLA_KV} if full else 0",
    state=STATE,
    layer_kind="'full' if full else 'linear'",
)

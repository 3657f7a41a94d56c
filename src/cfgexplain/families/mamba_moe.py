"""State-space hybrids with experts: Jamba, Granite 4, Nemotron-H.

Facts from transformers 5.23, ``models/{jamba,granitemoehybrid,nemotron_h}``. Lieber et al. 2024 (2403.19887),
NVIDIA 2025 (2504.03624).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key
from cfgexplain.families.expr import function
from cfgexplain.families.mamba import MAMBA2_KEYS, L, kv_heads, mamba1, mamba2
from cfgexplain.families.moe_blocks import split_or_stacked
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
    slots,
    tensor,
    under,
    when,
)

JAMBA: Final = Family(
    id="jamba",
    source="transformers 5.23 JambaConfig (attention and experts by period and offset), JambaMambaMixer (norms "
    "on dt, B, C)",
    base="model",
    keys={
        **decoder_keys(
            hidden=4096, ffn=14336, layers=32, heads=32, vocab=65536, eps=1e-6, max_pos=262144,
            experts=key(("num_experts", "num_local_experts"), 16, low=0), top_k=key("num_experts_per_tok", 2),
            expert_period=key("expert_layer_period", 2, low=1), expert_offset=key("expert_layer_offset", 1),
            attn_period=key("attn_layer_period", 8, low=1), attn_offset=key("attn_layer_offset", 4),
            state=key("mamba_d_state", 16), kernel=key("mamba_d_conv", 4), expand=key("mamba_expand", 2),
            dt_rank=key("mamba_dt_rank", "auto", "str int"), conv_bias=key("mamba_conv_bias", True),
            proj_bias=key("mamba_proj_bias", False), moe_ffn=key("intermediate_size", 14336),
        ),
        "kv_heads": kv_heads(8),
        "inner": key((), E("expand * hidden")),
    },
    lets={
        "rank": "ceil(hidden / 16) if dt_rank == 'auto' else dt_rank",
        "full": "i % attn_period == attn_offset",
        "sparse": "i % expert_period == expert_offset and experts > 1",
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when("full", attention()),
            when("not full", mamba1("mamba.", norms=True)),
            norm("input_layernorm"),
            norm("pre_ff_layernorm"),
            when("not sparse", gated_mlp("feed_forward.")),
            when(
                "sparse",
                linear("feed_forward.router", "router", "", "experts", "hidden"),
                split_or_stacked("feed_forward.experts."),
            ),
            layers="layers",
        ),
        norm("final_layernorm", "final-norm"),
    ),
    heads=decoder_heads(),
    kv="2*kv_heads*head_dim if full else 0",
    layer_kind="'full' if full else 'ssm'",
    state="0 if full else inner*(kernel + state)",
)

#: The shared MLP is always there; without experts it is the layer's FFN.
GRANITE_HYBRID: Final = Family(
    id="granitemoehybrid",
    source="transformers 5.23 GraniteMoeHybridConfig, GraniteMoeHybridDecoderLayer (input_linear: gate first, then up)",
    base="model",
    keys={
        **decoder_keys(
            hidden=4096, ffn=1024, layers=32, heads=32, vocab=32000, eps=1e-6,
            attention_bias=key("attention_bias", False), experts=key("num_local_experts", 8, low=0),
            top_k=key("num_experts_per_tok", 2), moe_ffn=key("intermediate_size", 11008),
            shared_ffn=key("shared_intermediate_size", 1024),
            layer_types=key(("layer_types", "layers_block_type"), None, "list"),
        ),
        **MAMBA2_KEYS,
        "ffn": key((), E("moe_ffn if experts else shared_ffn")),
    },
    lets={"full": "is_full(layer_types, i)"},
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when("full", attention(bias="attention_bias")),
            when("not full", mamba2("mamba.")),
            norm("input_layernorm"),
            norm("post_attention_layernorm"),
            when(
                "experts > 0",
                linear("block_sparse_moe.router.layer", "router", "", "experts", "hidden"),
                tensor("block_sparse_moe.input_linear.weight", "experts", "experts, 2*moe_ffn, hidden", "gate_up"),
                tensor("block_sparse_moe.output_linear.weight", "experts", "experts, hidden, moe_ffn", "down"),
                linear("shared_mlp.input_linear", "shared-experts", "gate_up", "2*shared_ffn", "hidden"),
                linear("shared_mlp.output_linear", "shared-experts", "down", "hidden", "shared_ffn"),
            ),
            when(
                "experts == 0",
                linear("shared_mlp.input_linear", "ffn", "gate_up", "2*shared_ffn", "hidden"),
                linear("shared_mlp.output_linear", "ffn", "down", "hidden", "shared_ffn"),
            ),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(),
    kv="2*kv_heads*head_dim if full else 0",
    layer_kind="'full' if full else 'ssm'",
    state="0 if full else (inner + 2*groups*state)*kernel + inner*state",
)

#: What a letter of ``hybrid_override_pattern``, or a word of ``layers_block_type``, stands for.
BLOCKS: Final = {
    "M": "ssm", "mamba": "ssm", "linear_attention": "ssm",
    "*": "full", "attention": "full", "full_attention": "full",
    "-": "mlp", "mlp": "mlp",
    "E": "moe", "moe": "moe",
}


@function
def nemotron_block(blocks: object, i: int) -> str:
    """What layer ``i`` of Nemotron-H is: "ssm", "full", "mlp" or "moe", from a pattern or a list of words."""
    return BLOCKS[blocks[i]] if isinstance(blocks, (list, tuple, str)) else ""


NEMOTRON_H: Final = Family(
    id="nemotron_h",
    source="transformers 5.23 NemotronHConfig (layers_block_type or hybrid_override_pattern; num_hidden_layers "
    "is not read), "
    "NemotronHBlock (one norm and one mixer, which may be the FFN), NemotronHMoE (ungated experts)",
    base="backbone",
    keys={
        **decoder_keys(
            hidden=4096, ffn=21504, layers=4, heads=32, head_dim=128, vocab=131072, eps=1e-5,
            eps_key="layer_norm_epsilon", max_pos=4096, mlp_bias=key("mlp_bias", False),
            pattern=key("hybrid_override_pattern", None, "str"),
            blocks=key(
                ("layers_block_type", "layer_types"),
                E("pattern or ('linear_attention', 'moe', 'full_attention', 'mlp')"), "list",
            ),
            m_heads=key("mamba_num_heads", 128), m_head_dim=key("mamba_head_dim", 64),
            groups=key(("mamba_n_groups", "n_groups"), 8), state=key("ssm_state_size", 128),
            kernel=key(("mamba_d_conv", "conv_kernel"), 4), conv_bias=key(("mamba_conv_bias", "use_conv_bias"), True),
            proj_bias=key("use_bias", False), experts=key(("n_routed_experts", "num_local_experts"), 8),
            top_k=key("num_experts_per_tok", 2), moe_ffn=key("moe_intermediate_size", 7688),
            shared_ffn=key("moe_shared_expert_intermediate_size", 7688), latent=key("moe_latent_size", None, "int"),
        ),
        "act": key("mlp_hidden_act", "relu2"),
        "kv_heads": kv_heads(8),
        "layers": key((), E("len(blocks)")),
        "inner": key((), E("m_heads * m_head_dim")),
    },
    lets={"block": "nemotron_block(blocks, i)", "expert_in": "latent if latent is not None else hidden"},
    body=slots(
        embedding("embeddings"),
        under(
            L,
            norm("norm"),
            when("block == 'ssm'", mamba2()),
            when("block == 'full'", attention("mixer.")),
            when("block == 'mlp'", plain_mlp("mixer.up_proj", "mixer.down_proj", bias="mlp_bias")),
            when(
                "block == 'moe'",
                linear("mixer.gate", "router", "", "experts", "hidden"),
                tensor("mixer.gate.e_score_correction_bias", "buffer", "experts", kind="buffer"),
                under(
                    "mixer.experts.{e}.", plain_mlp("up_proj", "down_proj", "moe_ffn", "experts", cols="expert_in"),
                    experts="experts",
                ),
                under(
                    "mixer.shared_experts.",
                    plain_mlp("up_proj", "down_proj", "shared_ffn", "shared-experts", "mlp_bias"),
                ),
                when(
                    "latent is not None",
                    linear("mixer.fc1_latent_proj", "experts", "", "latent", "hidden", "mlp_bias"),
                    linear("mixer.fc2_latent_proj", "experts", "", "hidden", "latent", "mlp_bias"),
                ),
            ),
            layers="layers",
        ),
        norm("norm_f", "final-norm"),
    ),
    heads=decoder_heads(lm_head(tie="")),
    norm=Norm(),
    kv="2*kv_heads*head_dim if block == 'full' else 0",
    layer_kind="block if block in ('ssm', 'full') else 'none'",
    state="(inner + 2*groups*state)*kernel + inner*state if block == 'ssm' else 0",
    open=(("mtp.", "mtp"),),
    renames=(((r"^model\.", "backbone."),),),
    unread=("num_hidden_layers", "norm_eps", "rms_norm_eps", "attention_bias", "expand", "mamba_expand",
            "n_shared_experts"),
)

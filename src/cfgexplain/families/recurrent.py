"""Linear attention and recurrence without state-space layers: RecurrentGemma, RWKV 4, xLSTM, MiniMax-01; and Zaya.

Facts from transformers 5.23, ``models/{recurrent_gemma,rwkv,xlstm,minimax,zaya}``. De et al. 2024 (2402.19427), Peng
et al. 2023 (2305.13048), Beck et al. 2025 (2503.13427), MiniMax 2025 (2501.08313).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, decoder_heads, decoder_keys, key, share, window_theta
from cfgexplain.families.mamba import is_full  # noqa: F401 - a function of the expressions below
from cfgexplain.families.moe_blocks import PRE_NORMS, L, router, stacked_experts, w_experts
from cfgexplain.families.schema import (
    E,
    Family,
    Key,
    Norm,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    lm_head,
    norm,
    slots,
    tensor,
    under,
    when,
)

#: Griffin's recurrent block: two branches of ``lru`` channels, one through a convolution and gates per head's block.
RG_LRU: Final = under(
    "temporal_block.",
    linear("linear_y", "mixer", "", "lru", "hidden", "1"),
    linear("linear_x", "mixer", "", "lru", "hidden", "1"),
    linear("linear_out", "mixer", "", "hidden", "lru", "1"),
    tensor("conv_1d.weight", "mixer", "lru, 1, kernel"),
    tensor("conv_1d.bias", "mixer", "lru"),
    tensor("rg_lru.recurrent_param", "mixer", "lru"),
    tensor("rg_lru.input_gate_weight", "mixer", "heads, lru // heads, lru // heads"),
    tensor("rg_lru.input_gate_bias", "mixer", "heads, lru // heads"),
    tensor("rg_lru.recurrent_gate_weight", "mixer", "heads, lru // heads, lru // heads"),
    tensor("rg_lru.recurrent_gate_bias", "mixer", "heads, lru // heads"),
)

#: The config's width counts gate and up together.
RECURRENT_GEMMA: Final = Family(
    id="recurrent_gemma",
    source="transformers 5.23 RecurrentGemmaConfig, RecurrentGemmaMlp (intermediate_size // 2), "
    "RecurrentGemmaRMSNorm (1 + w)",
    base="model",
    keys={
        **decoder_keys(
            hidden=2560, ffn=7680, layers=26, heads=10, vocab=256000, eps=1e-6, tie=True,
            lru=key("lru_width", E("hidden")), kernel=key("conv1d_width", 4),
            attention_bias=key("attention_bias", False), window=key("attention_window_size", 2048),
            blocks=key("block_types", ("recurrent", "recurrent", "attention"), "list"),
        ),
        "act": key("hidden_activation", "gelu_pytorch_tanh"),
        "rotary_share": share(0.5),
    },
    lets={"recurs": "blocks[i % len(blocks)] == 'recurrent'"},
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            norm("temporal_pre_norm"),
            when("recurs", RG_LRU),
            when("not recurs", attention("temporal_block.", bias="attention_bias", o_bias="1")),
            norm("channel_pre_norm"),
            gated_mlp("mlp_block.", "ffn // 2", bias="1"),
            layers="layers",
        ),
        norm("final_norm", "final-norm"),
    ),
    heads=decoder_heads(),
    norm=Norm(gain="1+w"),
    kv="0 if recurs else 2*kv_heads*head_dim",
    # RecurrentGemmaRecurrentBlock.forward: the convolution keeps the steps before the current one only.
    state="lru*(kernel - 1) + lru if recurs else 0",
    layer_kind="'recurrent' if recurs else 'sliding'",
    ffn_of_config=2,
)

#: Time mix and channel mix. ``receptance`` of the latter gates after the down projection, so the FFN counts as ungated.
RWKV: Final = Family(
    id="rwkv",
    source="transformers 5.23 RwkvConfig, RwkvBlock (the first has a norm for the embedding), RwkvFeedForward "
    "(squared ReLU)",
    base="rwkv",
    keys={
        "hidden": key("hidden_size", 4096),
        "ffn": key("intermediate_size", E("4*hidden")),
        "mix": key("attention_hidden_size", E("hidden")),
        "layers": key("num_hidden_layers", 32),
        "vocab": key("vocab_size", 50277),
        "eps": key("layer_norm_epsilon", 1e-5),
        "act": key((), "relu2"),
        "tie": key("tie_word_embeddings", False),
        "max_pos": key(("context_length", "max_position_embeddings"), 1024),
    },
    body=slots(
        embedding("embeddings"),
        under(
            "blocks.{i}.",
            when("i == 0", norm("pre_ln", "other-norm", bias="1")),
            norm("ln1", bias="1"),
            norm("ln2", bias="1"),
            under(
                "attention.",
                tensor("time_decay", "mixer", "mix"),
                tensor("time_first", "mixer", "mix"),
                tensor("time_mix_key", "mixer", "1, 1, hidden"),
                tensor("time_mix_value", "mixer", "1, 1, hidden"),
                tensor("time_mix_receptance", "mixer", "1, 1, hidden"),
                linear("key", "mixer", "", "mix", "hidden"),
                linear("value", "mixer", "", "mix", "hidden"),
                linear("receptance", "mixer", "", "mix", "hidden"),
                linear("output", "mixer", "", "hidden", "mix"),
            ),
            under(
                "feed_forward.",
                tensor("time_mix_key", "ffn", "1, 1, hidden"),
                tensor("time_mix_receptance", "ffn", "1, 1, hidden"),
                linear("key", "ffn", "up", "ffn", "hidden"),
                linear("receptance", "ffn", "", "hidden", "hidden"),
                linear("value", "ffn", "down", "hidden", "ffn"),
            ),
            layers="layers",
        ),
        norm("ln_out", "final-norm", bias="1"),
    ),
    heads={"ForCausalLM": lm_head("head")},
    norm=Norm("layernorm"),
    gated=False,
    kv="0",
    # RwkvModel.forward: the token before, for each of the two mixes, and the numerator, denominator and maximum.
    state="2*hidden + 3*mix",
    layer_kind="'recurrent'",
)

#: One matrix each, or fused, as ``weight_mode`` says.
MLSTM: Final = under(
    "mlstm_layer.",
    when(
        "mode == 'single'",
        linear("q", "mixer", "", "qk", "hidden", "bias"),
        linear("k", "mixer", "", "qk", "hidden", "bias"),
        linear("v", "mixer", "", "v", "hidden", "bias"),
        linear("ogate_preact", "mixer", "", "v", "hidden", "bias"),
        linear("igate_preact", "mixer", "", "heads", "hidden", "1"),
        linear("fgate_preact", "mixer", "", "heads", "hidden", "1"),
    ),
    when(
        "mode == 'fused'",
        linear("qkv_opreact", "mixer", "", "2*qk + 2*v", "hidden", "bias"),
        linear("ifgate_preact", "mixer", "", "2*heads", "hidden", "1"),
    ),
    norm("multihead_norm", "mixer", "v // heads * heads", bias="bias"),
    linear("out_proj", "mixer", "", "hidden", "v", "bias"),
)

XLSTM: Final = Family(
    id="xlstm",
    source="transformers 5.23 xLSTMConfig, xLSTMBlock, xLSTMFeedForward (width from ffn_proj_factor); head never tied",
    base="backbone",
    keys={
        "hidden": Key(("hidden_size",), 4096, "int", None, E("given_embed")),
        "given_embed": key("embedding_dim", None, "int"),
        "embed": key("embedding_dim", E("hidden")),
        "layers": Key(("num_blocks", "num_hidden_layers"), 32, "int", None, E("given_layers")),
        "given_layers": key("num_hidden_layers", 32),
        "heads": key("num_heads", 8),
        "vocab": key("vocab_size", 50304),
        "eps": key("norm_eps", 1e-6),
        "act": key((), "silu"),
        "bias": key("use_bias", False),
        "mode": key("weight_mode", "single"),
        "qk": key((), E("int(hidden * qk_factor)")),
        "qk_factor": key("qk_dim_factor", 0.5, "int float"),
        "v": key((), E("int(hidden * v_factor)")),
        "v_factor": key("v_dim_factor", 1.0, "int float"),
        "factor": key("ffn_proj_factor", 2.667, "int float"),
        "multiple": key("ffn_round_up_to_multiple_of", 64, low=1),
        "ffn": key((), E("int((hidden*factor + multiple - 1) // multiple * multiple)")),
        **LABELS,
    },
    body=slots(
        embedding("embeddings", cols="embed"),
        under(
            "blocks.{i}.",
            norm("norm_mlstm", bias="bias"),
            MLSTM,
            norm("norm_ffn", bias="bias"),
            when("mode == 'single'", linear("ffn.proj_up_gate", "ffn", "gate", "ffn", "hidden", "bias"),
                 linear("ffn.proj_up", "ffn", "up", "ffn", "hidden", "bias")),
            when("mode == 'fused'", linear("ffn.proj_up_gate_z", "ffn", "gate_up", "2*ffn", "hidden", "bias")),
            linear("ffn.proj_down", "ffn", "down", "hidden", "ffn", "bias"),
            layers="layers",
        ),
        norm("out_norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head(tie="")},
    kv="0",
    # xLSTMCache: the matrix memory, its normalizer and its maximum, for each head.
    state="heads*((qk // heads)*(v // heads) + qk // heads + 1)",
    layer_kind="'recurrent'",
)

#: Lightning attention: linear attention with fixed decays, which are stored as buffers.
LIGHTNING: Final = under(
    "self_attn.",
    linear("qkv_proj", "mixer", "", "3*heads*head_dim", "hidden"),
    norm("norm", "mixer", "heads*head_dim"),
    linear("output_gate", "mixer", "", "heads*head_dim", "hidden"),
    linear("out_proj", "mixer", "", "hidden", "heads*head_dim"),
    tensor("slope_rate", "buffer", "heads, 1, 1", kind="buffer"),
    tensor("query_decay", "buffer", "heads, block, 1", kind="buffer"),
    tensor("key_decay", "buffer", "heads, block, 1", kind="buffer"),
    tensor("diagonal_decay", "buffer", "1, heads, block, block", kind="buffer"),
)

MINIMAX: Final = Family(
    id="minimax",
    source="transformers 5.23 MiniMaxConfig, MiniMaxDecoderLayer (each norm's output is also the residual)",
    base="model",
    keys={
        **decoder_keys(
            hidden=4096, ffn=14336, layers=32, heads=32, vocab=32000, eps=1e-5, max_pos=131072, theta=1000000.0,
            experts=key(("num_local_experts", "num_experts"), 8), top_k=key("num_experts_per_tok", 2),
            moe_ffn=key("intermediate_size", 14336), block=key("block_size", 256),
            layer_types=key("layer_types", None, "list"), window=key("sliding_window", None, "int"),
        ),
        "kv_heads": Key(("num_key_value_heads",), 8, "int", None, E("heads")),
    },
    lets={"full": "is_full(layer_types, i) if layer_types else i % 2 == 0"},
    body=slots(
        embedding("embed_tokens"),
        under(
            L,
            when("full", attention()),
            when("not full", LIGHTNING),
            PRE_NORMS,
            router("block_sparse_moe.gate"),
            w_experts(),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(),
    norm=Norm(placement="post"),
    kv="2*kv_heads*head_dim if full else 0",
    # MiniMaxLightningAttention.forward: the sum of keys and values, one matrix for each head.
    state="0 if full else heads*head_dim*head_dim",
    layer_kind="'linear' if not full else 'sliding' if window else 'full'",
)


def scales(name: str, *sides: str) -> Slots:
    """A learned scale and bias for each side of a residual sum."""
    return slots(*(tensor(f"{name}{side}_{what}", "other", "hidden") for side in sides for what in ("scale", "bias")))


#: Queries and keys pass two short convolutions, half of the values come from the token before.
CCA: Final = under(
    "self_attn.",
    linear("qkv_proj.q_proj", "attention", "q", "heads*head_dim", "hidden", "attention_bias"),
    linear("qkv_proj.k_proj", "attention", "k", "kv_heads*head_dim", "hidden", "attention_bias"),
    linear("qkv_proj.v_proj_current", "attention", "v", "kv_heads*head_dim // 2", "hidden", "attention_bias"),
    linear("qkv_proj.v_proj_delayed", "attention", "v", "kv_heads*head_dim // 2", "hidden", "attention_bias"),
    tensor("qkv_proj.conv_qk_depthwise.weight", "attention", "(heads + kv_heads)*head_dim, 1, time0"),
    tensor("qkv_proj.conv_qk_depthwise.bias", "attention", "(heads + kv_heads)*head_dim"),
    tensor("qkv_proj.conv_qk_grouped.weight", "attention", "(heads + kv_heads)*head_dim, head_dim, time1"),
    tensor("qkv_proj.conv_qk_grouped.bias", "attention", "(heads + kv_heads)*head_dim"),
    tensor("qk_norm.temp", "attention-norm", "kv_heads"),
    linear("o_proj", "attention", "o", "hidden", "heads*head_dim", "attention_bias"),
)
#: A small network; its last class is the choice to skip the experts.
ZAYA_ROUTER: Final = under(
    "mlp.gate.",
    linear("down_proj", "router", "", "router_dim", "hidden", "1"),
    tensor("router_states_scale", "router", "router_dim", cond="i > 0"),
    norm("router_mlp.norm", "router", "router_dim"),
    linear("router_mlp.fc1", "router", "", "router_dim", "router_dim", "1"),
    linear("router_mlp.fc2", "router", "", "router_dim", "router_dim", "1"),
    linear("router_mlp.out_proj", "router", "", "experts + 1", "router_dim"),
    tensor("balancing_biases", "buffer", "experts + 1", kind="buffer"),
)

ZAYA: Final = Family(
    id="zaya",
    source="transformers 5.23 ZayaConfig, ZayaDecoderLayer, ZayaCCAProjection, ZayaRouter",
    base="model",
    keys={
        **decoder_keys(
            hidden=2048, ffn=2048, layers=40, heads=8, kv_heads=2, head_dim=128, vocab=262272, eps=1e-5, tie=True,
            max_pos=131072, theta=5000000.0, experts=key("num_experts", 16), top_k=key("num_experts_per_tok", 1),
            moe_ffn=key("moe_intermediate_size", 2048), router_dim=key("router_hidden_size", 256),
            time0=key("cca_time0", 2), time1=key("cca_time1", 2), attention_bias=key("attention_bias", False),
            head_bias=key("lm_head_bias", False), layer_types=key("layer_types", None, "list"),
            window=key("sliding_window", None, "int"),
        ),
        "ffn": key("moe_intermediate_size", 2048),
        "rotary_share": share(0.5), "window_theta": window_theta(10000.0),
    },
    body=slots(
        embedding("embed_tokens"),
        scales("input_", "hidden_states"),
        under(
            L,
            CCA,
            PRE_NORMS,
            scales("post_attention_residual_scale.", "hidden_states", "residual"),
            scales("post_mlp_residual_scale.", "hidden_states", "residual"),
            ZAYA_ROUTER,
            stacked_experts(),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(lm_head(bias="head_bias")),
    norm=Norm(qk=True),
    layer_kind="'sliding' if layer_types and layer_types[i] == 'hybrid_sliding' else 'full'",
    # ZayaCCAProjection.forward: inputs of the convolutions, and the delayed half of the last token's values.
    state="(heads + kv_heads)*head_dim*(time0 + time1 - 2) + kv_heads*head_dim // 2",
)


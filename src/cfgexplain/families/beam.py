"""Beam: Gemma's four norms around gated attention and a mixture whose router has a correction buffer.

Facts from transformers 5.23, ``models/beam``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key
from cfgexplain.families.schema import (
    Family,
    Norm,
    attention,
    embedding,
    form,
    gated_mlp,
    linear,
    norm,
    slots,
    tensor,
    under,
    when,
)

BEAM: Final = Family(
    id="beam",
    source="transformers 5.23 BeamConfig, BeamAttention (gate_proj and gate_bias on the output), BeamTopkRouter",
    base="model",
    keys=decoder_keys(
        hidden=5120, ffn=20480, layers=52, heads=48, kv_heads=8, head_dim=128, vocab=151936, eps=1e-6, max_pos=8192,
        attention_bias=key("attention_bias", False), window=key("sliding_window", 512, "int"),
            layer_types=key("layer_types", None, "list"),
        mlp_types=key("mlp_layer_types", None, "list"), experts=key("num_experts", 256),
            top_k=key("num_experts_per_tok", 8),
        moe_ffn=key("moe_intermediate_size", 2560),
    ),
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 3"},
    body=slots(
        embedding("embed_tokens"),
        under(
            "layers.{i}.",
            attention(bias="attention_bias"),
            *(norm(f"self_attn.{n}_norm", "attention-norm", "head_dim", part=f"{n}_norm") for n in "qk"),
            linear("self_attn.gate_proj", "attention", "", "heads*head_dim", "hidden"), tensor("self_attn.gate_bias",
                "attention", "heads"),
            when("not sparse", gated_mlp()),
            when(
                "sparse", linear("mlp.gate", "router", "", "experts", "hidden"),
                tensor("mlp.gate.e_score_correction_bias", "buffer", "experts", kind="buffer"),
                form("experts/single", under("mlp.experts.{e}.", gated_mlp("", "moe_ffn", "experts"),
                    experts="experts")),
                form("experts/stacked", tensor("mlp.experts.gate_up_proj", "experts", "experts, 2*moe_ffn, hidden",
                    "gate_up"),
                     tensor("mlp.experts.down_proj", "experts", "experts, hidden, moe_ffn", "down")),
            ),
            *(norm(n) for n in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                "post_feedforward_layernorm")),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads=decoder_heads(),
    norm=Norm("rmsnorm", "sandwich"),
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % 6 and i != layers - 1 else 'full')",
)

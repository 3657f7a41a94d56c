"""Mistral Large 4: latent attention with an indexer, experts, Pixtral's tower, under Mistral's own names.

Facts from transformers 5.24, ``models/mistral_large4`` and ``conversion_mapping.py`` (names as published).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.llava import joined  # noqa: F401 - makes the function known to the expressions below
from cfgexplain.families.moe_blocks import MLA_KV, correction, first_dense, index_keys, mla_keys, mlp_types, moe_keys
from cfgexplain.families.schema import (
    Family,
    Part,
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

MISTRAL_LARGE4_TEXT: Final = Family(
    id="mistral_large4_text",
    source="transformers 5.24 MistralLarge4TextConfig, MistralLarge4TextAttention (layers without rotary positions give"
    " the rotary width to the latent; a layer may reuse another's keys and values)",
    base="",
    keys={
        **decoder_keys(hidden=6144, ffn=24576, layers=72, heads=64, vocab=204800, eps=1e-5, max_pos=1048576),
        "kv_heads": key("num_key_value_heads", 64),
        **mla_keys(q_lora=None, kv_lora=512, nope=64, rope=64, v=128), **index_keys(32, 128, 2048),
        **moe_keys(experts=128, top_k=4, moe_ffn=6144, shared=1,
            names=("num_experts", "n_routed_experts", "num_local_experts")),
        **mlp_types(), **first_dense(1),
        "rope_layers": key("no_rope_layers", None, "list"), "every": key("no_rope_layer_interval", 4),
        "sources": key("kv_source_layers", None, "list"), "indexers": key("indexer_types", None, "list"),
        "pattern": key("index_topk_pattern", None, "str list"), "freq": key("index_topk_freq", 1),
        "offset": key("index_skip_topk_offset", 2),
    },
    lets={
        "sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense",
        "rotary": "bool(rope_layers[i]) if rope_layers is not None else (i + 1) % every != 0",
        "reuses": "sources is not None and sources[i] != i",
        "indexed": (
            "indexers[i] != 'shared' if indexers is not None else pattern[i] in ('F', 'full') if pattern is not None"
            " else max(i - offset + 1, 0) % max(freq, 1) == 0"
        ),
        "nope": "qk_nope_head_dim + (0 if rotary else qk_rope_head_dim)",
    },
    body=slots(
        embedding("tok_embeddings"),
        # A buffer until 5.23, a parameter since.
        tensor("lerope.alpha", "buffer", "qk_rope_head_dim // 2", kind="buffer"),
        under(
            "layers.{i}.",
            under(
                "attention.",
                linear("wq", "attention", "q", "heads*(qk_nope_head_dim + qk_rope_head_dim)", "hidden"),
                when(
                    "not reuses",
                    linear("wkv_a_with_mqa", "attention", "kv_a", "kv_lora_rank + (qk_rope_head_dim if rotary else 0)",
                           "hidden", "attention_bias"),
                    norm("kv_a_norm", "attention-norm", "kv_lora_rank", part="kv_norm"),
                ),
                linear("wkv_b", "attention", "kv_b", "heads*(nope + v_head_dim)", "kv_lora_rank"),
                linear("wo", "attention", "o", "hidden", "heads*v_head_dim", "attention_bias"),
                tensor("ssmax_scaling.s", "attention", "heads"), tensor("ssmax_scaling.b", "attention", "heads"),
                when(
                    "indexed",
                    under(
                        "indexer.",
                        linear("wq_b", "attention", "indexer_q", "index_heads*index_head_dim", "hidden"),
                        linear("wk", "attention", "indexer_k", "index_head_dim", "hidden"),
                        norm("k_norm", "attention-norm", "index_head_dim", bias="1", part="indexer_norm"),
                        norm("q_input_norm", "attention-norm", bias="1", part="indexer_norm"),
                        linear("weights_proj", "attention", "indexer_weights", "index_heads", "hidden"),
                        tensor("ssmax_scaling.s", "attention", "index_heads"),
                        tensor("ssmax_scaling.b", "attention", "index_heads"),
                    ),
                ),
            ),
            norm("attention_norm"), norm("ffn_norm"),
            when("not sparse", gated_mlp("feed_forward.", gate="w1", up="w3", down="w2")),
            when(
                "sparse",
                linear("gate", "router", "router", "experts", "hidden"), correction("gate.e_score_correction_bias"),
                under("experts.{e}.", gated_mlp("", "moe_ffn", "experts", gate="w1", up="w3", down="w2"),
                    experts="experts"),
                gated_mlp("shared_experts.", "shared_ffn", "shared-experts", gate="w1", up="w3", down="w2"),
            ),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head("output")},
    kv=f"0 if reuses else {MLA_KV}",
)
MISTRAL_LARGE4: Final = Family(
    id="mistral_large4",
    source="transformers 5.24 MistralLarge4Config, MistralLarge4ForConditionalGeneration; names as published",
    base="",
    keys={
        "tie": key("tie_word_embeddings", False), "bias": key("multimodal_projector_bias", False),
        "merge": key("spatial_merge_size", 2), "feature_layer": key("vision_feature_layer", -1, "int list", -4096),
    },
    body=slots(
        norm("pre_mm_projector_norm", "projector", "vision.hidden"),
        tensor("patch_merger.merging_layer.weight", "projector", "vision.hidden, vision.hidden*merge*merge"),
        linear("vision_language_adapter.w_in", "projector", "", "text.hidden", "vision.hidden*joined(feature_layer)",
            "bias"),
        linear("vision_language_adapter.w_out", "projector", "", "text.hidden", "text.hidden", "bias"),
    ),
    heads={"ForConditionalGeneration": lm_head("output", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "mistral_large4_text", "", main=True, fixed=True),
        Part(
            "vision", "vision_config", "pixtral-native", "vision_encoder.", role="vision", fixed=True,
            absent=(
                ("hidden_size", 2048), ("intermediate_size", 6144), ("num_hidden_layers", 30), ("patch_size", 14),
                ("image_size", 1540), ("num_attention_heads", 16),
            ),
        ),
    ),
)

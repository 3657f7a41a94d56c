"""Small configs with mutually distinct sizes, so that a number in a shape tells which key it came from."""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]

HIDDEN = {"hidden_size", "d_model", "n_embd", "dim", "embed_dim", "model_dim", "emb_dim", "hidden_dim", "n_embed"}
FFN = {"intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "n_inner", "ffn_hidden_size",
       "inner_dim", "ffn_embed_dim", "dff", "dim_ff", "mlp_dim", "intermediate_dim"}
HEADS = {"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
         "attention_heads", "num_encoder_attention_heads", "num_decoder_attention_heads"}
KV = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads", "num_query_groups", "multi_query_group_num",
      "swa_num_key_value_heads", "num_global_key_value_heads"}
LAYERS = {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth"}
STACKS = {"encoder_layers", "decoder_layers", "num_encoder_layers", "num_decoder_layers"}
EXPERTS = {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"}
TOPK = {"num_experts_per_tok", "moe_topk", "top_k_experts", "num_experts_per_token", "moe_top_k", "moe_k"}
SIZES: dict[str, int] = {
    "vocab_size": 160, "text_vocab_size": 160, "max_position_embeddings": 128, "n_positions": 128, "n_ctx": 128,
    "moe_intermediate_size": 40, "expert_ffn_hidden_size": 40, "expert_dim": 40, "expert_hidden_size": 40,
    "shared_expert_intermediate_size": 56, "shared_intermediate_size": 56, "moe_shared_expert_intermediate_size": 56,
    "shared_experts_intermediate_size": 56, "dense_intermediate_size": 208, "intermediate_size_mlp": 208,
    "head_dim": 24, "d_kv": 24, "global_head_dim": 32, "attention_head_dim": 24, "kv_channels": 24,
    "q_lora_rank": 36, "kv_lora_rank": 28, "qk_nope_head_dim": 12, "qk_rope_head_dim": 8, "v_head_dim": 20,
    "n_group": 2, "topk_group": 1, "n_shared_experts": 2, "moe_num_shared_experts": 2, "num_shared_experts": 2,
    "first_k_dense_replace": 1, "num_dense_layers": 1, "moe_layer_start_index": 1, "num_nextn_predict_layers": 0,
    "mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 12, "mamba_n_groups": 1, "mamba_num_heads": 8,
    "mamba_head_dim": 16, "ssm_state_size": 12, "state_size": 12, "mamba_d_ssm": 128, "chunk_size": 16,
    "mamba_chunk_size": 16, "mamba_dt_rank": 10, "time_step_rank": 10,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 12, "linear_value_head_dim": 16,
    "index_n_heads": 2, "index_head_dim": 16, "index_topk": 4, "sliding_window": 16, "attention_window": 16,
    "local_window_size": 16, "window_size": 16, "attention_chunk_size": 16, "type_vocab_size": 2,
    "entity_vocab_size": 30, "entity_emb_size": 20, "embedding_size": 64, "hidden_size_per_layer_input": 10,
    "vocab_size_per_layer_input": 160, "num_kv_shared_layers": 1, "laurel_rank": 6, "projection_dim": 44,
    "mm_embed_dim": 64, "num_labels": 3, "max_source_positions": 60, "max_target_positions": 90,
    "num_mel_bins": 16, "image_size": 56, "patch_size": 14, "num_position_embeddings": 16,
}
VISION: dict[str, int] = {
    "num_experts": 4, "head_dim": 12, "out_hidden_size": 64, "text_hidden_size": 64, "output_dim": 64,
}
OVERRIDES: dict[str, Json] = {
    # What a type's own validation demands of small sizes, as its configuration class says.
    "dory": {"num_hidden_layers": 6, "n_input_layers": 2, "n_recurrent_layers": 2, "n_output_layers": 2,
             "layer_types": ["sliding_attention", "mlp", "sliding_attention", "mlp", "full_attention", "mlp"]},
    "dots1": {"n_routed_experts": 6, "n_shared_experts": 2, "num_experts_per_tok": 2, "first_k_dense_replace": 1,
              "num_key_value_heads": 2},
    "gemma3n_text": {"num_hidden_layers": 4, "num_kv_shared_layers": 2, "intermediate_size": [176, 176, 176, 176],
                     "activation_sparsity_pattern": [0.95, 0.0, 0.0, 0.0],
                     "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"]},
    "zamba": {"num_hidden_layers": 4, "attention_hidden_size": 128, "attention_head_dim": 32, "mamba_dt_rank": 10,
              "num_key_value_heads": 4,
              "layers_block_type": ["linear_attention", "hybrid", "linear_attention", "hybrid"]},
    "reformer": {"axial_pos_embds_dim": [24, 40], "axial_pos_shape": [8, 16], "attention_head_size": 16,
                 "lsh_attn_chunk_length": 4, "local_attn_chunk_length": 4, "feed_forward_size": 176},
    "perceiver": {"d_model": 64, "d_latents": 72, "num_latents": 10, "num_blocks": 1, "num_self_attends_per_block": 2,
                  "num_self_attention_heads": 4, "num_cross_attention_heads": 4, "image_size": 8,
                  "train_size": [4, 8, 8], "output_shape": [1, 4, 4], "audio_samples_per_frame": 16},
    "emu3": {"vocabulary_map": {"<image>": 100, "<|extra_200|>": 101, "<|visual token 000000|>": 110}},
    "chameleon": {"vocabulary_map": {"<image>": 100, "IMGIMGBSZ": 110}},
    "chameleon_vqgan": {"base_channels": 32, "num_embeddings": 50, "channel_multiplier": [1, 2], "embed_dim": 16},
    "diffusion_gemma_text": {"num_experts": 6, "top_k_experts": 2, "moe_intermediate_size": 40,
                             "num_hidden_layers": 3},
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", "sparse", "sparse"], "n_routed_experts": 6,
                           "num_experts_per_tok": 2, "n_shared_experts": 2},
    "emu3_vqgan": {"base_channels": 32, "codebook_size": 50, "channel_multiplier": [1, 2], "hidden_size": 64},
    "janus_vqgan": {"base_channels": 32, "num_embeddings": 50, "channel_multiplier": [1, 2]},
    "ernie4_5_vl_moe_text": {"rope_parameters": {"rope_theta": 500000.0, "rope_type": "default",
                                                 "mrope_section": [3, 3, 2]},
                             "moe_intermediate_size": [40, 48]},
    "granite4_vision": {"downsample_rate": "1/2", "deepstack_layer_map": [[-1, 0]], "spatial_target_layers": [0, 1]},
    "cosmos3_edge_text": {"head_dim": 24},
    "glm5_next_text": {"num_key_value_heads": 4, "index_topk": 16, "index_kpool": 4},
    "luke": {"entity_vocab_size": 30, "entity_emb_size": 20},
}
TOWERS = ("vision", "image", "audio", "qformer", "speech", "codec", "vq", "depth", "encoder_config", "dit", "talker",
          "code2wav", "perceiver", "sam", "video", "visual", "acoustic", "semantic")


def thin(values: list[Any], n: int) -> list[Any]:
    """n entries of a per-layer list that still show each kind, in the list's order."""
    kinds: list[Any] = []
    for v in values:
        if v not in kinds:
            kinds.append(v)
    kinds = kinds[:n]
    return [kinds[0]] * (n - len(kinds)) + kinds if kinds else []


def layer_count(config: Json) -> int | None:
    for key in sorted(LAYERS):
        if isinstance(config.get(key), int):
            return int(config[key])
    return None


def sections(config: Json, rope: Json, hidden: int, level: int) -> list[int]:
    """Three rotary sections that fill half of the rotated part of a small head."""
    dim = 8 if "qk_rope_head_dim" in config else 24 if config.get("head_dim") and level == 0 else hidden // 4
    half = int(dim * rope.get("partial_rotary_factor", 1.0)) // 2
    return [half - 2 * (half // 3), half // 3, half // 3]


def shrink(config: Json, level: int = 0, tower: bool = False) -> Json:
    """The config with small sizes. Each level gives up one wish that some architecture refuses:
    0 all; 1 head_dim = hidden / heads; 2 towers as wide as the text model; 3 square attention (kv = heads)."""
    out: Json = {}
    hidden, ffn = (48, 112) if tower and level < 2 else (64, 176)
    sizes = SIZES | (VISION if tower else {})
    before = layer_count(config)
    n = 2 if tower else 3
    for key, value in config.items():
        if key == "per_layer_config" and isinstance(value, dict):
            # Keys are layer indices; one entry shows the kind.
            out[key] = {str(n - 1): shrink(v, level, tower) for v in list(value.values())[:1]}
        elif key == "rope_parameters" and isinstance(value, dict) and "mrope_section" in value:
            out[key] = value | {"mrope_section": sections(config, value, hidden, level)}
        elif isinstance(value, list) and key.startswith("vision_feature_layer"):
            out[key] = [-1, -2][:len(value)]
        elif isinstance(value, dict) and (key.endswith("config") or "model_type" in value):
            inner = tower or any(t in key for t in TOWERS)
            out[key] = shrink(value, level, inner)
        elif isinstance(value, bool) or value is None:
            out[key] = value
        elif isinstance(value, list):
            per_layer = before is not None and len(value) == before and key not in ("image_grid_pinpoints",)
            out[key] = thin(value, n) if per_layer else copy.deepcopy(value)
        elif not isinstance(value, int):
            out[key] = copy.deepcopy(value)
        elif key in HIDDEN:
            out[key] = hidden
        elif key in FFN:
            out[key] = ffn
        elif key in HEADS:
            out[key] = 4
        elif key in KV:
            out[key] = 4 if level >= 3 or (tower and value == config.get("num_attention_heads")) else min(2, value)
        elif key in LAYERS:
            out[key] = n
        elif key in STACKS:
            out[key] = 2
        elif key in EXPERTS:
            out[key] = 6 if value > 1 else value
        elif key in TOPK:
            out[key] = min(value, 2)
        elif key in ("head_dim", "d_kv", "kv_channels", "attention_head_dim") and level >= 1:
            out[key] = hidden // 4
        elif key in sizes and value > 0:
            out[key] = sizes[key] if key not in ("n_group", "n_shared_experts") else min(value, sizes[key])
        elif ("token_id" in key or "token_index" in key) and value >= 150:
            out[key] = 100 + value % 50
        elif "vocab" in key and value > 160:
            out[key] = 160
        elif "hidden_size" in key and value > 64:
            out[key] = hidden
        elif "intermediate_size" in key and value > ffn:
            out[key] = ffn
        elif "num_hidden_layers" in key or (key.endswith(("_layers", "_depth")) and value > 4):
            out[key] = 2
        else:
            out[key] = value
    return out | OVERRIDES.get(str(config.get("model_type")), {})

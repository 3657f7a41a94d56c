"""The table of keys: spellings, what may be done after training, which numbers to show, what to read beside it."""

from __future__ import annotations

from typing import Final

from cfgexplain.explain.key_table_more import MIXERS, MOE, PROGRAM, SENSES
from cfgexplain.explain.key_topics import Topic
from cfgexplain.explain.key_topics import topic as t

SIZES: Final[tuple[Topic, ...]] = (
    t("hidden_size", "shape", "hidden", "d_model n_embd n_embed embed_dim emb_dim dim model_dim hidden_dim_size",
      "num_hidden_layers intermediate_size num_attention_heads head_dim", "vaswani2017"),
    t("num_hidden_layers", "layers", "layers", "n_layer n_layers num_layers depth num_blocks layers",
      "hidden_size layer_types", beside="encoder_layers decoder_layers num_encoder_layers num_decoder_layers "
      "speech_encoder_layers"),
    t("vocab_size", "resize", "vocab", "padded_vocab_size n_words n_token",
      "tie_word_embeddings hidden_size bos_token_id", beside="org_vocab_size src_vocab_size tgt_vocab_size "
      "decoder_vocab_size unpadded_vocab_size"),
    t("type_vocab_size", "shape", "", "", "vocab_size", "devlin2018"),
    t("max_position_embeddings", "extend", "context", "n_positions n_ctx max_seq_len seq_length max_sequence_length "
      "model_max_length seq_len context_length max_context_length max_position_embedding",
      "rope_theta rope_scaling sliding_window", beside="max_source_positions max_target_positions "
      "max_decoder_position_embeddings max_encoder_position_embeddings"),
    t("tie_word_embeddings", "tie", "", "tie_embedding weight_tying share_input_output_layers tie_weights",
      "vocab_size hidden_size", "press2017", beside="share_embedding"),
    t("num_hidden_groups", "shape", "", "", "num_hidden_layers", "lan2019", beside="inner_group_num"),
    t("embedding_size", "shape", "embedding", "", "hidden_size vocab_size", "lan2019"),
    t("word_embed_proj_dim", "shape", "embedding", "input_embedding_size", "hidden_size vocab_size", "lan2019",
      beside="output_embedding_size"),
    t("initializer_range", "training", "init", "init_std", "hidden_size",
      beside="initializer_std initializer_factor embed_init_std"),
    t("hidden_dropout", "training", "", "hidden_dropout_prob", "attention_dropout layerdrop", "srivastava2014",
      beside="dropout resid_pdrop embd_pdrop emb_pdrop dropout_rate activation_dropout classifier_dropout "
      "classifier_dropout_prob classifier_dropout_rate embed_dropout resid_dropout embedding_dropout mlp_dropout "
      "feat_proj_dropout projection_dropout summary_first_dropout summary_last_dropout"),
    t("attention_dropout", "training", "", "attention_probs_dropout_prob attn_pdrop", "hidden_dropout",
      "srivastava2014"),
    t("layerdrop", "training", "", "", "num_hidden_layers", "fan2019",
      beside="encoder_layerdrop decoder_layerdrop drop_path_rate"),
)

FFN: Final[tuple[Topic, ...]] = (
    t("intermediate_size", "shape", "", "n_inner d_ff ffn_dim ffn_hidden_size mlp_dim feed_forward_size dff "
      "block_ff_dim inner_hidden_size", "hidden_size hidden_act moe_intermediate_size", "shazeer2020",
      beside="hidden_dim dense_intermediate_size encoder_ffn_dim decoder_ffn_dim intermediate_size_mlp "
      "prefix_dense_intermediate_size"),
    t("mlp_ratio", "shape", "ratio", "expansion_ratio ffn_proj_factor", "hidden_size intermediate_size"),
    t("multiple_of", "shape", "", "block_multiple_of ffn_round_up_to_multiple_of",
      "ffn_dim_multiplier intermediate_size", "touvron2023"),
    t("ffn_dim_multiplier", "shape", "", "block_ffn_dim_multiplier ff_dim_multiplier", "multiple_of intermediate_size",
      "touvron2023"),
    t("hidden_act", "silent", "activation", "hidden_activation activation_function dense_act_fn activation "
      "activation_type mlp_hidden_act afn ffn_act_fn.name ff_activation activation_fn_name", "intermediate_size",
      "hendrycks2016 ramachandran2017 shazeer2020", beside="ffn_act_fn feed_forward_proj gelu_activation"),
    t("is_gated_act", "structure", "", "ffn_with_glu", "hidden_act intermediate_size", "shazeer2020",
      beside="use_swiglu_ffn"),
    t("use_double_wide_mlp", "shape", "", "", "intermediate_size num_kv_shared_layers"),
    t("activation_sparsity_pattern", "silent", "", "", "hidden_act num_hidden_layers"),
    t("swiglu_limit", "silent", "", "", "hidden_act", beside="swiglu_alpha"),
    t("mlp_bias", "flag", "", "ffn_bias", "attention_bias use_bias"),
    t("attention_bias", "flag", "", "", "mlp_bias use_bias",
      beside="qkv_bias use_qkv_bias add_qkv_bias attention_out_bias"),
    t("use_bias", "flag", "", "", "attention_bias mlp_bias", beside="bias no_bias enable_bias add_bias_linear "
      "include_bias norm_bias lm_head_bias projector_bias multimodal_projector_bias classifier_bias decoder_bias "
      "conv_bias projectors_bias"),
)

NORMS: Final[tuple[Topic, ...]] = (
    t("rms_norm_eps", "silent", "", "layer_norm_eps layer_norm_epsilon layernorm_epsilon norm_eps norm_epsilon "
      "rms_norm_epsilon block_norm_eps layernorm_eps rmsnorm_eps ln_eps", "torch_dtype", "zhang2019 ba2016",
      beside="post_norm_eps mixer_rms_eps adapter_layer_norm_eps projector_layernorm_eps"),
    t("norm_type", "structure", "", "layer_norm_type normalization_type", "rms_norm_eps", "zhang2019 ba2016"),
    t("use_qk_norm", "flag", "qk_norm", "qk_layernorm qk_ln qk_norm qk_layer_norms attention_layer_norm "
      "normalize_qk_projections qk_normalization", "attn_logit_softcapping head_dim", "henry2020 dehghani2023",
      beside="qk_norm_type"),
    t("do_layer_norm_before", "structure", "", "", "rms_norm_eps", "xiong2020", beside="pre_norm norm_after "
      "use_post_norm use_sandwich_norm apply_residual_connection_post_layernorm post_layer_norm"),
    t("_remove_final_layer_norm", "structure", "", "", "do_layer_norm_before", "xiong2020"),
    t("use_parallel_residual", "structure", "", "parallel_attn parallel_attn_mlp_res", "do_layer_norm_before",
      "gptj palm"),
    t("layer_norm_elementwise_affine", "flag", "", "layer_norm_with_affine", "norm_type"),
    t("residual_in_fp32", "runtime", "", "", "torch_dtype"),
    t("rescale_prenorm_residual", "training", "", "", "initializer_range num_hidden_layers"),
)

ATTENTION: Final[tuple[Topic, ...]] = (
    t("num_attention_heads", "shape", "heads", "n_head n_heads num_heads attention_heads",
      "head_dim num_key_value_heads hidden_size", "vaswani2017", beside="encoder_attention_heads "
      "decoder_attention_heads num_self_attention_heads speech_encoder_attention_heads"),
    t("num_key_value_heads", "shape", "", "num_kv_heads n_kv_heads kv_n_heads n_head_kv num_query_groups "
      "num_attention_groups", "num_attention_heads head_dim", "ainslie2023 shazeer2019",
      beside="multi_query_group_num"),
    t("multi_query", "shape", "", "", "num_key_value_heads num_attention_heads", "shazeer2019",
      beside="multi_query_attention new_decoder_architecture"),
    t("head_dim", "shape", "head_dim", "d_kv kv_channels attention_head_dim attention_head_size d_head",
      "num_attention_heads hidden_size rope_theta", "vaswani2017"),
    t("global_head_dim", "shape", "", "", "head_dim num_key_value_heads layer_types",
      beside="num_global_key_value_heads"),
    t("swa_num_attention_heads", "shape", "", "num_sliding_attention_heads",
      "sliding_window layer_types num_attention_heads", beside="swa_num_key_value_heads swa_head_dim swa_v_head_dim"),
    t("attention_k_eq_v", "structure", "", "", "num_key_value_heads"),
    t("num_kv_shared_layers", "structure", "", "", "num_hidden_layers num_key_value_heads", "brandon2024"),
    t("attn_output_gate", "flag", "", "use_attention_gate", "num_attention_heads", "qiu2025"),
    t("add_swa_attention_sink_bias", "flag", "", "", "sliding_window", "xiao2023",
      beside="add_full_attention_sink_bias"),
    t("attn_logit_softcapping", "silent", "softcap", "attn_logit_soft_cap", "final_logit_softcapping use_qk_norm",
      "gemma2"),
    t("final_logit_softcapping", "silent", "softcap", "logits_soft_cap output_logit_soft_cap",
      "attn_logit_softcapping", "gemma2"),
    t("query_pre_attn_scalar", "silent", "query_scalar", "", "head_dim attention_multiplier", "vaswani2017 gemma2"),
    t("attention_multiplier", "silent", "attention_multiplier", "softmax_scale", "head_dim query_pre_attn_scalar",
      "yang2022", beside="attn_scale_factor"),
    t("scale_attn_weights", "silent", "", "", "head_dim attention_multiplier",
      beside="scale_attn_by_inverse_layer_idx reorder_and_upcast_attn"),
    t("logit_scale", "silent", "logit_scale", "lm_head_multiplier", "vocab_size embedding_multiplier",
      beside="logits_scaling"),
    t("embedding_multiplier", "silent", "", "embedding_scale scale_emb", "scale_embedding logit_scale", "yang2022"),
    t("scale_embedding", "silent", "embedding_scale", "rescale_embeddings",
      "hidden_size embedding_multiplier", "vaswani2017"),
    t("residual_multiplier", "silent", "", "", "num_hidden_layers embedding_multiplier", "yang2022"),
    t("scale_depth", "silent", "scale_depth", "", "num_hidden_layers hidden_size embedding_multiplier",
      "minicpm yang2022", beside="dim_model_base"),
    t("key_multiplier", "silent", "", "", "embedding_multiplier logit_scale", "yang2022",
      beside="attention_in_multiplier attention_out_multiplier mlp_multipliers ssm_multipliers ssm_in_multiplier "
      "ssm_out_multiplier"),
    t("attention_type", "silent", "", "", "max_position_embeddings", "zaheer2020",
      beside="block_size num_random_blocks"),
    t("pos_att_type", "structure", "", "", "relative_attention", "he2020", beside="share_att_key"),
    t("relative_attention", "structure", "", "", "pos_att_type max_position_embeddings", "he2020",
      beside="max_relative_positions"),
    t("norm_rel_ebd", "structure", "", "", "relative_attention", "he2020"),
    t("clip_qkv", "silent", "", "", "use_qk_norm"),
    t("use_bidirectional_attention", "silent", "", "", "is_decoder", beside="is_causal causal"),
    t("attn_temperature_tuning", "silent", "", "", "no_rope_layers max_position_embeddings", beside="attn_scale "
      "floor_scale llama_4_scaling_beta log_scaling_alpha log_scaling_n_floor"),
    t("index_topk", "silent", "index", "", "index_n_heads kv_lora_rank", "deepseekv32", beside="index_topk_blocks"),
    t("index_n_heads", "shape", "", "indexer_n_heads", "index_topk", "deepseekv32",
      beside="index_head_dim indexer_head_dim"),
)

WINDOWS: Final[tuple[Topic, ...]] = (
    t("sliding_window", "window", "window", "sliding_window_size window_size attention_window_size",
      "layer_types max_position_embeddings use_sliding_window", "beltagy2020 mistral7b",
      beside="local_attention attention_window"),
    t("use_sliding_window", "window", "", "", "sliding_window max_window_layers"),
    t("max_window_layers", "window", "", "", "use_sliding_window sliding_window layer_types"),
    t("sliding_window_pattern", "window", "", "_sliding_window_pattern", "layer_types sliding_window", "gemma3",
      beside="global_attn_every_n_layers hybrid_layer_pattern prefix_dense_sliding_window_pattern"),
    t("attn_layer_period", "structure", "layer_types", "", "layer_types num_hidden_layers",
      beside="attn_layer_offset full_attention_interval layer_group_size"),
    t("attention_chunk_size", "window", "", "", "layer_types sliding_window"),
    t("per_layer_config", "structure", "", "", "layer_types num_hidden_layers"),
    t("layer_types", "structure", "layer_types", "layers_block_type block_types", "sliding_window num_hidden_layers",
      beside="attn_layer_indices full_attn_idxs hybrid_override_pattern attention_layers attention_types attn_layers "
      "hybrid_layer_ids"),
    t("fullatt_block_indexes", "structure", "", "", "sliding_window"),
    t("cross_attention_layers", "structure", "", "", "num_hidden_layers add_cross_attention",
      beside="cross_layer_interval cross_attention_frequency"),
)

POSITIONS: Final[tuple[Topic, ...]] = (
    t("rope_theta", "rope", "theta", "rotary_emb_base rotary_embedding_base", "head_dim max_position_embeddings "
      "rope_scaling partial_rotary_factor", "su2021 abf2023", beside="rope_local_base_freq global_rope_theta "
      "local_rope_theta layer_rope_theta compress_rope_theta"),
    t("rope_scaling", "rope", "rope_scaling", "", "rope_theta max_position_embeddings rope_type", "su2021",
      beside="rope_parameters"),
    t("rope_type", "rope", "rope_scaling", "rope_scaling.type rope_parameters.type", "rope_scaling rope_theta",
      "chen2023 peng2023 ding2024 llama3"),
    t("rope_scaling.factor", "rope", "rope_scaling", "rope_parameters.factor",
      "rope_type original_max_position_embeddings max_position_embeddings", "chen2023 peng2023"),
    t("original_max_position_embeddings", "rope", "rope_scaling", "", "rope_scaling.factor max_position_embeddings",
      "peng2023 llama3"),
    t("beta_fast", "rope", "rope_scaling", "", "rope_type rope_scaling.factor", "peng2023",
      beside="beta_slow truncate"),
    t("low_freq_factor", "rope", "rope_scaling", "", "rope_type original_max_position_embeddings", "llama3",
      beside="high_freq_factor"),
    t("short_factor", "rope", "", "", "rope_type original_max_position_embeddings", "ding2024",
      beside="long_factor short_mscale long_mscale"),
    t("mscale", "rope", "", "", "rope_type rope_scaling.factor", "peng2023 deepseekv2",
      beside="mscale_all_dim attention_factor"),
    t("partial_rotary_factor", "silent", "partial", "rotary_pct rope_pct", "head_dim rope_theta", "su2021 gptj",
      beside="rotary_dim"),
    t("mrope_section", "silent", "mrope", "", "head_dim rope_theta", "qwen2vl", beside="mrope_interleaved"),
    t("rope_interleave", "silent", "", "", "rope_theta qk_rope_head_dim", "su2021", beside="indexer_rope_interleave"),
    t("no_rope_layers", "silent", "", "", "rope_theta layer_types", "kazemnejad2023",
      beside="no_rope_layer_interval"),
    t("alibi", "silent", "", "", "position_embedding_type", "press2021", beside="alibi_bias_max"),
    t("position_embedding_type", "structure", "", "", "max_position_embeddings", beside="learned_pos_emb use_abs_pos "
      "use_absolute_position_embeddings sinusoidal_embeddings position_biased_input"),
    t("relative_attention_num_buckets", "shape", "", "position_bias_num_buckets",
      "relative_attention_max_distance num_attention_heads", "raffel2020", beside="position_buckets"),
    t("relative_attention_max_distance", "silent", "buckets", "", "relative_attention_num_buckets", "raffel2020"),
)

MLA: Final[tuple[Topic, ...]] = (
    t("kv_lora_rank", "shape", "mla_kv", "", "qk_rope_head_dim qk_nope_head_dim v_head_dim", "deepseekv2",
      beside="swa_kv_lora_rank"),
    t("q_lora_rank", "shape", "mla_q", "", "kv_lora_rank num_attention_heads", "deepseekv2",
      beside="swa_q_lora_rank"),
    t("qk_nope_head_dim", "shape", "mla_kv", "", "qk_rope_head_dim kv_lora_rank", "deepseekv2",
      beside="swa_qk_nope_head_dim"),
    t("qk_rope_head_dim", "shape", "mla_kv", "", "qk_nope_head_dim rope_theta", "deepseekv2",
      beside="swa_qk_rope_head_dim"),
    t("v_head_dim", "shape", "mla_kv", "", "kv_lora_rank num_attention_heads", "deepseekv2"),
    t("qk_head_dim", "derived", "mla_kv", "q_head_dim", "qk_nope_head_dim qk_rope_head_dim", "deepseekv2"),
    t("o_lora_rank", "shape", "", "", "num_attention_heads v_head_dim", beside="o_groups"),
)

TOPICS: Final[tuple[Topic, ...]] = (
    *SIZES, *FFN, *NORMS, *ATTENTION, *WINDOWS, *POSITIONS, *MLA, *MOE, *MIXERS, *PROGRAM, *SENSES
)

"""The table of keys: spellings, what may be done after training, which numbers to show, what to read beside it."""

from __future__ import annotations

from typing import Final

from cfgexplain.explain.key_topics import Topic
from cfgexplain.explain.key_topics import topic as t

SIZES: Final[tuple[Topic, ...]] = (
    t("hidden_size", "shape", "hidden", "d_model n_embd n_embed embed_dim emb_dim dim model_dim hidden_dim_size",
      "num_hidden_layers intermediate_size num_attention_heads head_dim", "vaswani2017"),
    t("num_hidden_layers", "layers", "layers",
      "n_layer n_layers num_layers depth num_blocks layers encoder_layers decoder_layers num_encoder_layers "
      "num_decoder_layers speech_encoder_layers", "hidden_size layer_types"),
    t("vocab_size", "resize", "vocab", "padded_vocab_size n_words org_vocab_size n_token src_vocab_size tgt_vocab_size "
      "decoder_vocab_size unpadded_vocab_size", "tie_word_embeddings hidden_size bos_token_id"),
    t("type_vocab_size", "shape", "", "", "vocab_size", "devlin2018"),
    t("max_position_embeddings", "extend", "context",
      "n_positions n_ctx max_seq_len seq_length max_sequence_length model_max_length max_source_positions seq_len "
      "max_target_positions context_length max_context_length max_position_embedding max_decoder_position_embeddings "
      "max_encoder_position_embeddings", "rope_theta rope_scaling sliding_window"),
    t("tie_word_embeddings", "tie", "", "tie_embedding weight_tying share_embedding share_input_output_layers "
      "tie_weights", "vocab_size hidden_size", "press2017"),
    t("embedding_size", "shape", "embedding", "word_embed_proj_dim input_embedding_size output_embedding_size",
      "hidden_size vocab_size", "lan2019"),
    t("initializer_range", "training", "init", "init_std initializer_std initializer_factor embed_init_std",
      "hidden_size"),
    t("hidden_dropout", "training", "", "dropout hidden_dropout_prob resid_pdrop embd_pdrop emb_pdrop dropout_rate "
      "activation_dropout classifier_dropout classifier_dropout_prob classifier_dropout_rate embed_dropout "
      "resid_dropout embedding_dropout mlp_dropout feat_proj_dropout projection_dropout summary_first_dropout "
      "summary_last_dropout", "attention_dropout layerdrop", "srivastava2014"),
    t("attention_dropout", "training", "", "attention_probs_dropout_prob attn_pdrop", "hidden_dropout",
      "srivastava2014"),
    t("layerdrop", "training", "", "encoder_layerdrop decoder_layerdrop drop_path_rate", "num_hidden_layers",
      "fan2019"),
)

FFN: Final[tuple[Topic, ...]] = (
    t("intermediate_size", "shape", "", "n_inner d_ff ffn_dim ffn_hidden_size mlp_dim dense_intermediate_size "
      "feed_forward_size dff hidden_dim encoder_ffn_dim decoder_ffn_dim block_ff_dim inner_hidden_size "
      "intermediate_size_mlp prefix_dense_intermediate_size", "hidden_size hidden_act moe_intermediate_size",
      "shazeer2020"),
    t("mlp_ratio", "shape", "ratio", "expansion_ratio ffn_proj_factor", "hidden_size intermediate_size"),
    t("multiple_of", "shape", "", "block_multiple_of ffn_round_up_to_multiple_of",
      "ffn_dim_multiplier intermediate_size", "touvron2023"),
    t("ffn_dim_multiplier", "shape", "", "block_ffn_dim_multiplier ff_dim_multiplier", "multiple_of intermediate_size",
      "touvron2023"),
    t("hidden_act", "silent", "activation", "hidden_activation activation_function dense_act_fn activation "
      "activation_type mlp_hidden_act afn ffn_act_fn ffn_act_fn.name ff_activation feed_forward_proj "
      "activation_fn_name gelu_activation", "intermediate_size", "hendrycks2016 ramachandran2017 shazeer2020"),
    t("is_gated_act", "structure", "", "ffn_with_glu use_swiglu_ffn", "hidden_act intermediate_size", "shazeer2020"),
    t("use_double_wide_mlp", "shape", "", "", "intermediate_size num_kv_shared_layers"),
    t("swiglu_limit", "silent", "", "swiglu_alpha", "hidden_act"),
    t("mlp_bias", "flag", "", "ffn_bias", "attention_bias use_bias"),
    t("attention_bias", "flag", "", "qkv_bias use_qkv_bias add_qkv_bias attention_out_bias", "mlp_bias use_bias"),
    t("use_bias", "flag", "", "bias no_bias enable_bias add_bias_linear include_bias norm_bias lm_head_bias "
      "projector_bias multimodal_projector_bias classifier_bias decoder_bias conv_bias projectors_bias",
      "attention_bias mlp_bias"),
)

NORMS: Final[tuple[Topic, ...]] = (
    t("rms_norm_eps", "silent", "", "layer_norm_eps layer_norm_epsilon layernorm_epsilon norm_eps norm_epsilon "
      "rms_norm_epsilon block_norm_eps layernorm_eps rmsnorm_eps ln_eps post_norm_eps mixer_rms_eps "
      "adapter_layer_norm_eps projector_layernorm_eps", "torch_dtype", "zhang2019 ba2016"),
    t("norm_type", "structure", "", "layer_norm_type normalization_type", "rms_norm_eps", "zhang2019 ba2016"),
    t("use_qk_norm", "flag", "qk_norm", "qk_layernorm qk_ln qk_norm qk_layer_norms attention_layer_norm "
      "normalize_qk_projections qk_normalization qk_norm_type", "attn_logit_softcapping head_dim",
      "henry2020 dehghani2023"),
    t("do_layer_norm_before", "structure", "", "pre_norm norm_after use_post_norm use_sandwich_norm "
      "apply_residual_connection_post_layernorm post_layer_norm", "rms_norm_eps", "xiong2020"),
    t("_remove_final_layer_norm", "structure", "", "", "do_layer_norm_before", "xiong2020"),
    t("use_parallel_residual", "structure", "", "parallel_attn parallel_attn_mlp_res", "do_layer_norm_before",
      "gptj palm"),
    t("layer_norm_elementwise_affine", "flag", "", "layer_norm_with_affine", "norm_type"),
    t("residual_in_fp32", "runtime", "", "", "torch_dtype"),
    t("rescale_prenorm_residual", "training", "", "", "initializer_range num_hidden_layers"),
)

ATTENTION: Final[tuple[Topic, ...]] = (
    t("num_attention_heads", "shape", "heads", "n_head n_heads num_heads attention_heads encoder_attention_heads "
      "decoder_attention_heads num_self_attention_heads speech_encoder_attention_heads",
      "head_dim num_key_value_heads hidden_size", "vaswani2017"),
    t("num_key_value_heads", "shape", "", "num_kv_heads n_kv_heads kv_n_heads n_head_kv num_query_groups "
      "num_attention_groups multi_query_group_num", "num_attention_heads head_dim", "ainslie2023 shazeer2019"),
    t("multi_query", "shape", "", "multi_query_attention new_decoder_architecture",
      "num_key_value_heads num_attention_heads", "shazeer2019"),
    t("head_dim", "shape", "head_dim", "d_kv kv_channels attention_head_dim attention_head_size d_head",
      "num_attention_heads hidden_size rope_theta", "vaswani2017"),
    t("global_head_dim", "shape", "", "num_global_key_value_heads", "head_dim num_key_value_heads layer_types"),
    t("swa_num_attention_heads", "shape", "", "swa_num_key_value_heads swa_head_dim swa_v_head_dim "
      "num_sliding_attention_heads", "sliding_window layer_types num_attention_heads"),
    t("attention_k_eq_v", "structure", "", "", "num_key_value_heads"),
    t("num_kv_shared_layers", "structure", "", "", "num_hidden_layers num_key_value_heads", "brandon2024"),
    t("attn_output_gate", "flag", "", "use_attention_gate", "num_attention_heads", "qiu2025"),
    t("add_swa_attention_sink_bias", "flag", "", "add_full_attention_sink_bias", "sliding_window", "xiao2023"),
    t("attn_logit_softcapping", "silent", "softcap", "attn_logit_soft_cap", "final_logit_softcapping use_qk_norm",
      "gemma2"),
    t("final_logit_softcapping", "silent", "softcap", "logits_soft_cap output_logit_soft_cap",
      "attn_logit_softcapping", "gemma2"),
    t("query_pre_attn_scalar", "silent", "query_scalar", "", "head_dim attention_multiplier", "vaswani2017 gemma2"),
    t("attention_multiplier", "silent", "attention_multiplier", "softmax_scale attn_scale_factor",
      "head_dim query_pre_attn_scalar", "yang2022"),
    t("scale_attn_weights", "silent", "", "scale_attn_by_inverse_layer_idx reorder_and_upcast_attn",
      "head_dim attention_multiplier"),
    t("logit_scale", "silent", "logit_scale", "logits_scaling lm_head_multiplier", "vocab_size embedding_multiplier",
      "yang2022"),
    t("embedding_multiplier", "silent", "", "embedding_scale scale_emb", "scale_embedding logit_scale", "yang2022"),
    t("scale_embedding", "silent", "embedding_scale", "rescale_embeddings",
      "hidden_size embedding_multiplier", "vaswani2017"),
    t("residual_multiplier", "silent", "", "", "num_hidden_layers embedding_multiplier", "yang2022"),
    t("scale_depth", "silent", "scale_depth", "dim_model_base", "num_hidden_layers hidden_size embedding_multiplier",
      "minicpm yang2022"),
    t("key_multiplier", "silent", "", "attention_in_multiplier attention_out_multiplier mlp_multipliers "
      "ssm_multipliers ssm_in_multiplier ssm_out_multiplier", "embedding_multiplier logit_scale", "yang2022"),
    t("attention_type", "silent", "", "block_size num_random_blocks", "max_position_embeddings", "zaheer2020"),
    t("clip_qkv", "silent", "", "", "use_qk_norm"),
    t("use_bidirectional_attention", "silent", "", "is_causal causal", "is_decoder"),
    t("attn_temperature_tuning", "silent", "", "attn_scale floor_scale llama_4_scaling_beta log_scaling_alpha "
      "log_scaling_n_floor", "no_rope_layers max_position_embeddings"),
    t("index_topk", "silent", "index", "index_topk_blocks", "index_n_heads kv_lora_rank", "deepseekv32"),
    t("index_n_heads", "shape", "", "index_head_dim indexer_n_heads indexer_head_dim", "index_topk", "deepseekv32"),
)

WINDOWS: Final[tuple[Topic, ...]] = (
    t("sliding_window", "window", "window", "sliding_window_size window_size local_attention attention_window_size "
      "attention_window", "layer_types max_position_embeddings use_sliding_window", "beltagy2020 mistral7b"),
    t("use_sliding_window", "window", "", "", "sliding_window max_window_layers"),
    t("max_window_layers", "window", "", "", "use_sliding_window sliding_window layer_types"),
    t("sliding_window_pattern", "window", "", "_sliding_window_pattern global_attn_every_n_layers "
      "hybrid_layer_pattern prefix_dense_sliding_window_pattern", "layer_types sliding_window", "gemma3"),
    t("attn_layer_period", "structure", "layer_types", "attn_layer_offset full_attention_interval layer_group_size",
      "layer_types num_hidden_layers"),
    t("attention_chunk_size", "window", "", "", "layer_types sliding_window"),
    t("per_layer_config", "structure", "", "", "layer_types num_hidden_layers"),
    t("layer_types", "structure", "layer_types", "layers_block_type block_types attn_layer_indices full_attn_idxs "
      "hybrid_override_pattern attention_layers attention_types attn_layers hybrid_layer_ids",
      "sliding_window num_hidden_layers"),
    t("cross_attention_layers", "structure", "", "cross_layer_interval cross_attention_frequency",
      "num_hidden_layers add_cross_attention"),
)

POSITIONS: Final[tuple[Topic, ...]] = (
    t("rope_theta", "rope", "theta", "rotary_emb_base rotary_embedding_base rope_local_base_freq global_rope_theta "
      "local_rope_theta layer_rope_theta compress_rope_theta",
      "head_dim max_position_embeddings rope_scaling partial_rotary_factor", "su2021 abf2023"),
    t("rope_scaling", "rope", "rope_scaling", "rope_parameters", "rope_theta max_position_embeddings rope_type",
      "su2021"),
    t("rope_type", "rope", "rope_scaling", "rope_scaling.type rope_parameters.type", "rope_scaling rope_theta",
      "chen2023 peng2023 ding2024 llama3"),
    t("rope_scaling.factor", "rope", "rope_scaling", "rope_parameters.factor",
      "rope_type original_max_position_embeddings max_position_embeddings", "chen2023 peng2023"),
    t("original_max_position_embeddings", "rope", "rope_scaling", "", "rope_scaling.factor max_position_embeddings",
      "peng2023 llama3"),
    t("beta_fast", "rope", "rope_scaling", "beta_slow truncate", "rope_type rope_scaling.factor", "peng2023"),
    t("low_freq_factor", "rope", "rope_scaling", "high_freq_factor", "rope_type original_max_position_embeddings",
      "llama3"),
    t("short_factor", "rope", "", "long_factor short_mscale long_mscale",
      "rope_type original_max_position_embeddings", "ding2024"),
    t("mscale", "rope", "", "mscale_all_dim attention_factor", "rope_type rope_scaling.factor", "peng2023 deepseekv2"),
    t("partial_rotary_factor", "silent", "partial", "rotary_pct rotary_dim rope_pct", "head_dim rope_theta",
      "su2021 gptj"),
    t("mrope_section", "silent", "mrope", "mrope_interleaved", "head_dim rope_theta", "qwen2vl"),
    t("rope_interleave", "silent", "", "indexer_rope_interleave", "rope_theta qk_rope_head_dim", "su2021"),
    t("no_rope_layers", "silent", "", "no_rope_layer_interval", "rope_theta layer_types", "kazemnejad2023"),
    t("alibi", "silent", "", "alibi_bias_max", "position_embedding_type", "press2021"),
    t("position_embedding_type", "structure", "", "learned_pos_emb use_abs_pos use_absolute_position_embeddings "
      "sinusoidal_embeddings position_biased_input", "max_position_embeddings"),
    t("relative_attention_num_buckets", "shape", "", "position_bias_num_buckets position_buckets",
      "relative_attention_max_distance num_attention_heads", "raffel2020"),
    t("relative_attention_max_distance", "silent", "", "", "relative_attention_num_buckets", "raffel2020"),
)

MLA: Final[tuple[Topic, ...]] = (
    t("kv_lora_rank", "shape", "mla_kv", "swa_kv_lora_rank", "qk_rope_head_dim qk_nope_head_dim v_head_dim",
      "deepseekv2"),
    t("q_lora_rank", "shape", "mla_q", "swa_q_lora_rank", "kv_lora_rank num_attention_heads", "deepseekv2"),
    t("qk_nope_head_dim", "shape", "mla_kv", "swa_qk_nope_head_dim", "qk_rope_head_dim kv_lora_rank", "deepseekv2"),
    t("qk_rope_head_dim", "shape", "mla_kv", "swa_qk_rope_head_dim", "qk_nope_head_dim rope_theta", "deepseekv2"),
    t("v_head_dim", "shape", "mla_kv", "", "kv_lora_rank num_attention_heads", "deepseekv2"),
    t("qk_head_dim", "derived", "mla_kv", "q_head_dim", "qk_nope_head_dim qk_rope_head_dim", "deepseekv2"),
    t("o_lora_rank", "shape", "", "o_groups", "num_attention_heads v_head_dim"),
)

MOE: Final[tuple[Topic, ...]] = (
    t("num_experts", "shape", "experts", "num_local_experts n_routed_experts moe_num_experts",
      "num_experts_per_tok moe_intermediate_size n_shared_experts", "shazeer2017"),
    t("num_experts_per_tok", "topk", "experts", "num_experts_per_token top_k_experts moe_topk moe_k moe_top_k",
      "num_experts norm_topk_prob", "shazeer2017 mixtral"),
    t("moe_intermediate_size", "shape", "", "expert_ffn_hidden_size", "num_experts intermediate_size",
      "deepseekmoe"),
    t("n_shared_experts", "shape", "", "num_shared_experts moe_num_shared_experts num_shared_expert",
      "shared_expert_intermediate_size num_experts", "deepseekmoe"),
    t("shared_expert_intermediate_size", "shape", "", "shared_intermediate_size share_expert_dim share_expert_dims "
      "moe_shared_expert_intermediate_size shared_experts_intermediate_size", "n_shared_experts", "deepseekmoe"),
    t("first_k_dense_replace", "structure", "", "num_dense_layers dense_mlp_idx", "num_experts intermediate_size",
      "deepseekmoe"),
    t("moe_layer_freq", "structure", "", "decoder_sparse_step encoder_sparse_step moe_layer_frequency mlp_only_layers "
      "mlp_layer_types interleave_moe_layer_step moe_layers moe_layers_enum expert_layer_period expert_layer_offset "
      "moe_layer_interval moe_layer_start_index moe_layer_end_index enable_moe_block is_moe",
      "num_experts num_hidden_layers"),
    t("norm_topk_prob", "silent", "", "moe_renormalize moe_normalize_expert_weights",
      "num_experts_per_tok scoring_func routed_scaling_factor", "mixtral"),
    t("scoring_func", "silent", "", "score_func score_function moe_router_activation_func expert_selection_fn",
      "norm_topk_prob num_experts_per_tok", "deepseekv3"),
    t("topk_method", "silent", "", "use_expert_bias use_routing_bias router_bias moe_router_enable_expert_bias",
      "scoring_func router_aux_loss_coef", "wang2024 deepseekv3"),
    t("n_group", "silent", "groups", "num_expert_group topk_group", "num_experts num_experts_per_tok", "deepseekv2"),
    t("routed_scaling_factor", "silent", "", "router_scaling_factor route_scale",
      "norm_topk_prob num_experts_per_tok", "deepseekv3"),
    t("router_aux_loss_coef", "training", "", "aux_loss_alpha aux_loss_coef seq_aux moe_loss_weight",
      "num_experts output_router_logits", "fedus2021"),
    t("router_z_loss_coef", "training", "", "z_loss_coefficient", "router_aux_loss_coef", "zoph2022"),
    t("router_jitter_noise", "training", "", "input_jitter_noise moe_jitter_eps", "router_aux_loss_coef",
      "fedus2021"),
    t("output_router_logits", "runtime", "", "", "router_aux_loss_coef"),
    t("expert_capacity", "capacity", "", "moe_eval_capacity_token_fraction batch_prioritized_routing",
      "num_experts num_experts_per_tok", "fedus2021"),
    t("moe_latent_size", "shape", "", "", "hidden_size num_experts"),
    t("num_nextn_predict_layers", "mtp", "", "num_mtp_layers mtp_num_hidden_layers num_mtp_modules "
      "mtp_transformer_layers use_mtp", "num_hidden_layers", "gloeckle2024 deepseekv3"),
    t("ep_size", "runtime", "", "", "num_experts"),
)

MIXERS: Final[tuple[Topic, ...]] = (
    t("state_size", "shape", "ssm", "mamba_d_state ssm_state_size", "mamba_expand conv_kernel", "gu2023 dao2024"),
    t("mamba_expand", "shape", "ssm", "expand", "hidden_size state_size", "gu2023"),
    t("conv_kernel", "shape", "", "mamba_d_conv linear_conv_kernel_dim short_conv_kernel_size conv_L_cache "
      "sconv_kernel_size conv1d_width conv_kernel_size", "state_size", "gu2023"),
    t("time_step_rank", "shape", "dt_rank", "mamba_dt_rank", "hidden_size mamba_expand", "gu2023"),
    t("mamba_n_heads", "shape", "ssm", "n_mamba_heads mamba_num_heads", "mamba_d_head mamba_n_groups", "dao2024"),
    t("mamba_d_head", "shape", "ssm", "mamba_head_dim mamba_headdim", "mamba_n_heads state_size", "dao2024"),
    t("mamba_n_groups", "shape", "", "mamba_ngroups n_groups", "mamba_n_heads state_size", "dao2024"),
    t("mamba_chunk_size", "runtime", "", "chunk_size max_inference_chunksize", "state_size", "dao2024"),
    t("mamba_conv_bias", "flag", "", "use_conv_bias mamba_proj_bias", "conv_kernel use_bias", "gu2023"),
    t("time_step_limit", "training", "", "time_step_min time_step_max time_step_floor time_step_scale "
      "time_step_init_scheme", "time_step_rank", "gu2023"),
    t("use_mamba_kernels", "runtime", "", "use_mambapy use_associative_scan use_mem_eff_path", "mamba_chunk_size"),
    t("mamba_ssm_dtype", "runtime", "", "mamba_ssm_cache_dtype inference_state_dtype", "torch_dtype"),
    t("linear_num_value_heads", "shape", "linear", "linear_num_key_heads linear_num_heads",
      "linear_key_head_dim layer_types", "yang2024"),
    t("linear_key_head_dim", "shape", "linear", "linear_value_head_dim linear_head_dim",
      "linear_num_value_heads conv_kernel", "yang2024"),
    t("lru_width", "shape", "", "", "conv_kernel layer_types", "de2024"),
)

PROGRAM: Final[tuple[Topic, ...]] = (
    t("torch_dtype", "storage", "dtype", "dtype", "quantization_config"),
    t("quantization_config", "storage", "quantization", "compression_config", "torch_dtype bits group_size"),
    t("quant_method", "storage", "quantization", "quant_algo", "quantization_config bits"),
    t("bits", "storage", "quantization", "num_bits", "group_size quant_method", "frantar2022"),
    t("group_size", "storage", "quantization", "weight_block_size q_group_size", "bits intermediate_size",
      "frantar2022 lin2023"),
    t("modules_to_not_convert", "storage", "", "quantization_config.ignore quantization_config.exclude_modules "
      "llm_int8_skip_modules", "quantization_config"),
    t("kv_cache_scheme", "runtime", "", "kv_cache_quant_algo activation_scheme", "quantization_config"),
    t("model_type", "label", "", "", "architectures"),
    t("architectures", "label", "", "", "model_type"),
    t("auto_map", "label", "", "", "architectures model_type"),
    t("transformers_version", "label", "", "", "model_type"),
    t("_name_or_path", "label", "", "name_or_path", ""),
    t("use_cache", "runtime", "", "", "max_position_embeddings"),
    t("pretraining_tp", "runtime", "", "", ""),
    t("output_attentions", "runtime", "", "output_hidden_states return_dict use_return_dict return_dict_in_generate "
      "output_scores num_logits_to_keep", "use_cache"),
    t("chunk_size_feed_forward", "runtime", "", "chunk_size_lm_head", "intermediate_size"),
    t("gradient_checkpointing", "training", "", "", ""),
    t("_attn_implementation", "runtime", "", "attn_implementation _attn_implementation_autoset attn_impl "
      "deterministic_flash_attn torchscript", ""),
    t("temperature", "generation", "", "top_p top_k do_sample max_length min_length num_beams num_beam_groups "
      "num_return_sequences repetition_penalty length_penalty no_repeat_ngram_size early_stopping typical_p "
      "diversity_penalty bad_words_ids exponential_decay_length_penalty encoder_no_repeat_ngram_size "
      "max_new_tokens remove_invalid_values suppress_tokens begin_suppress_tokens prefix", "eos_token_id"),
    t("task_specific_params", "generation", "", "", "temperature"),
    t("tokenizer_class", "label", "", "", "vocab_size"),
    t("bos_token_id", "tokens", "token", "cls_token_id decoder_start_token_id forced_bos_token_id",
      "eos_token_id vocab_size"),
    t("eos_token_id", "tokens", "token", "sep_token_id forced_eos_token_id eod_token_id", "bos_token_id vocab_size"),
    t("pad_token_id", "tokens", "token", "", "eos_token_id vocab_size"),
    t("mask_token_id", "tokens", "token", "unk_token_id mask_index unk_index", "vocab_size"),
    t("image_token_id", "tokens", "token", "image_token_index video_token_id video_token_index audio_token_id "
      "audio_token_index vision_start_token_id vision_end_token_id image_start_token_id image_end_token_id "
      "video_start_token_id video_end_token_id boi_token_id eoi_token_id boi_token_index eoi_token_index "
      "boa_token_id eoa_token_id eoa_token_index",
      "vocab_size vision_config"),
    t("num_labels", "resize", "", "id2label label2id", "architectures"),
    t("summary_type", "training", "", "summary_activation summary_use_proj summary_proj_to_labels", "num_labels"),
    t("problem_type", "training", "", "finetuning_task", "num_labels"),
    t("is_decoder", "structure", "", "is_encoder_decoder is_encoder", "add_cross_attention"),
    t("add_cross_attention", "structure", "", "cross_attention_hidden_size", "is_decoder"),
    t("tie_encoder_decoder", "tie", "", "share_encoder_decoder_embeddings", "tie_word_embeddings"),
    t("text_config", "label", "", "llm_config language_config thinker_config language_model_config text_model_config",
      "vision_config model_type"),
)

SENSES: Final[tuple[Topic, ...]] = (
    t("vision_config", "label", "", "audio_config vit_config sound_config vision_model_config qformer_config "
      "perceiver_config talker_config", "text_config image_token_id"),
    t("patch_size", "shape", "patches", "spatial_patch_size image_patch_size", "image_size num_channels",
      "dosovitskiy2020"),
    t("image_size", "resolution", "patches", "", "patch_size", "dosovitskiy2020"),
    t("num_position_embeddings", "shape", "", "mm_posemb_size position_embedding_size pos_emb_width pos_emb_height",
      "image_size patch_size"),
    t("use_rel_pos", "flag", "", "global_attn_indexes", "sliding_window image_size"),
    t("vision_use_head", "structure", "", "pooler_hidden_size pooler_output_size", "vision_config"),
    t("deepstack_visual_indexes", "structure", "", "", "vision_config num_hidden_layers"),
    t("downsample_factor", "shape", "", "downsample_channels downsample_hidden_size", "patch_size"),
    t("num_channels", "shape", "", "in_channels in_chans", "patch_size"),
    t("temporal_patch_size", "shape", "", "video_temporal_patch_size", "patch_size"),
    t("spatial_merge_size", "shape", "merge", "merge_kernel_size pixel_shuffle_factor scale_factor downsample_ratio",
      "patch_size"),
    t("vision_feature_layer", "silent", "", "vision_feature_select_strategy", "vision_config"),
    t("projector_hidden_act", "silent", "", "", "projection_dim"),
    t("projection_dim", "shape", "", "projector_hidden_size out_hidden_size projection_hidden_size "
      "projector_output_dim output_dim", "hidden_size vision_config"),
    t("image_seq_length", "silent", "", "mm_tokens_per_image num_image_tokens num_query_tokens",
      "patch_size image_token_id"),
    t("num_mel_bins", "shape", "", "n_mel_bins feature_size", "vision_config"),
    t("hidden_size_per_layer_input", "shape", "", "vocab_size_per_layer_input", "hidden_size vocab_size", "gemma3n"),
    t("altup_num_inputs", "shape", "", "altup_active_idx altup_correct_scale laurel_rank", "hidden_size", "gemma3n"),
    t("hc_mult", "shape", "", "hc_count hc_lowrank hc_sinkhorn_iters hc_eps", "hidden_size", "zhu2024"),
)

TOPICS: Final[tuple[Topic, ...]] = (
    *SIZES, *FFN, *NORMS, *ATTENTION, *WINDOWS, *POSITIONS, *MLA, *MOE, *MIXERS, *PROGRAM, *SENSES
)

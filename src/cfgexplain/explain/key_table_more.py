"""More of the table of keys: experts, mixers, the program around the model, towers. See ``key_table``."""

from __future__ import annotations

from typing import Final

from cfgexplain.explain.key_topics import Topic
from cfgexplain.explain.key_topics import topic as t

MOE: Final[tuple[Topic, ...]] = (
    t("num_experts", "shape", "experts", "num_local_experts n_routed_experts moe_num_experts",
      "num_experts_per_tok moe_intermediate_size n_shared_experts", "shazeer2017"),
    t("num_experts_per_tok", "topk", "experts", "num_experts_per_token top_k_experts moe_topk moe_k moe_top_k",
      "num_experts norm_topk_prob", "shazeer2017 mixtral"),
    t("moe_intermediate_size", "shape", "", "expert_ffn_hidden_size", "num_experts intermediate_size",
      "deepseekmoe"),
    t("n_shared_experts", "shape", "", "num_shared_experts moe_num_shared_experts num_shared_expert",
      "shared_expert_intermediate_size num_experts", "deepseekmoe"),
    t("shared_expert_intermediate_size", "shape", "", "shared_intermediate_size share_expert_dim",
      "n_shared_experts", "deepseekmoe", beside="share_expert_dims moe_shared_expert_intermediate_size "
      "shared_experts_intermediate_size"),
    t("first_k_dense_replace", "structure", "", "num_dense_layers", "num_experts intermediate_size", "deepseekmoe",
      beside="dense_mlp_idx"),
    t("moe_layer_freq", "structure", "", "moe_layer_frequency", "num_experts num_hidden_layers",
      beside="decoder_sparse_step encoder_sparse_step mlp_only_layers mlp_layer_types interleave_moe_layer_step "
      "moe_layers moe_layers_enum expert_layer_period expert_layer_offset moe_layer_interval moe_layer_start_index "
      "moe_layer_end_index enable_moe_block is_moe"),
    t("norm_topk_prob", "silent", "", "moe_renormalize", "num_experts_per_tok scoring_func routed_scaling_factor",
      "mixtral", beside="moe_normalize_expert_weights"),
    t("scoring_func", "silent", "", "score_func score_function moe_router_activation_func expert_selection_fn",
      "norm_topk_prob num_experts_per_tok", "deepseekv3"),
    t("topk_method", "silent", "", "", "scoring_func router_aux_loss_coef", "wang2024 deepseekv3",
      beside="use_expert_bias use_routing_bias router_bias moe_router_enable_expert_bias"),
    t("n_group", "silent", "groups", "num_expert_group", "num_experts num_experts_per_tok", "deepseekv2",
      beside="topk_group"),
    t("routed_scaling_factor", "silent", "", "router_scaling_factor route_scale",
      "norm_topk_prob num_experts_per_tok", "deepseekv3"),
    t("router_aux_loss_coef", "training", "", "aux_loss_alpha aux_loss_coef moe_loss_weight",
      "num_experts output_router_logits", "fedus2021", beside="seq_aux"),
    t("router_z_loss_coef", "training", "", "z_loss_coefficient", "router_aux_loss_coef", "zoph2022"),
    t("router_jitter_noise", "training.mostly", "", "", "router_aux_loss_coef", "fedus2021",
      beside="input_jitter_noise moe_jitter_eps"),
    t("output_router_logits", "runtime", "", "", "router_aux_loss_coef"),
    t("expert_capacity", "capacity", "", "", "num_experts num_experts_per_tok", "fedus2021",
      beside="moe_eval_capacity_token_fraction batch_prioritized_routing"),
    t("moe_latent_size", "shape", "", "", "hidden_size num_experts"),
    t("num_nextn_predict_layers", "mtp", "", "num_mtp_layers num_mtp_modules", "num_hidden_layers",
      "gloeckle2024 deepseekv3", beside="mtp_num_hidden_layers mtp_transformer_layers use_mtp"),
    t("ep_size", "runtime", "", "", "num_experts"),
)

MIXERS: Final[tuple[Topic, ...]] = (
    t("state_size", "shape", "ssm", "mamba_d_state ssm_state_size", "mamba_expand conv_kernel", "gu2023 dao2024"),
    t("mamba_expand", "shape", "ssm", "expand", "hidden_size state_size", "gu2023"),
    t("conv_kernel", "shape", "", "mamba_d_conv linear_conv_kernel_dim short_conv_kernel_size conv_L_cache "
      "sconv_kernel_size conv1d_width", "state_size", "gu2023", beside="conv_kernel_size"),
    t("time_step_rank", "shape", "dt_rank", "mamba_dt_rank", "hidden_size mamba_expand", "gu2023"),
    t("mamba_n_heads", "shape", "ssm", "n_mamba_heads mamba_num_heads", "mamba_d_head mamba_n_groups", "dao2024"),
    t("mamba_d_head", "shape", "ssm", "mamba_head_dim mamba_headdim", "mamba_n_heads state_size", "dao2024"),
    t("mamba_n_groups", "shape", "", "mamba_ngroups n_groups", "mamba_n_heads state_size", "dao2024"),
    t("mamba_chunk_size", "runtime", "", "chunk_size", "state_size", "dao2024", beside="max_inference_chunksize"),
    t("mamba_conv_bias", "flag", "", "use_conv_bias", "conv_kernel use_bias", "gu2023", beside="mamba_proj_bias"),
    t("time_step_limit", "silent", "", "", "time_step_min time_step_rank", "gu2023"),
    t("time_step_min", "training.mostly", "", "", "time_step_limit time_step_rank", "gu2023",
      beside="time_step_max time_step_floor time_step_scale time_step_init_scheme"),
    t("use_mamba_kernels", "runtime", "", "", "mamba_chunk_size",
      beside="use_mambapy use_associative_scan use_mem_eff_path"),
    t("mamba_ssm_dtype", "runtime", "", "mamba_ssm_cache_dtype inference_state_dtype", "torch_dtype"),
    t("linear_num_value_heads", "shape", "linear", "", "linear_key_head_dim layer_types", "yang2024",
      beside="linear_num_key_heads linear_num_heads linear_attn_config.num_heads"),
    t("linear_key_head_dim", "shape", "linear", "", "linear_num_value_heads conv_kernel", "yang2024",
      beside="linear_value_head_dim linear_head_dim linear_attn_config.head_dim"),
    t("attention_hidden_size", "shape", "", "", "hidden_size"),
    t("lru_width", "shape", "", "", "conv_kernel layer_types", "de2024"),
)

PROGRAM: Final[tuple[Topic, ...]] = (
    t("torch_dtype", "storage", "dtype", "dtype", "quantization_config"),
    t("quantization_config", "storage", "quantization", "compression_config", "torch_dtype bits group_size"),
    t("quant_method", "storage", "quantization", "quant_algo", "quantization_config bits"),
    t("bits", "storage", "quantization", "num_bits", "group_size quant_method", "frantar2022"),
    t("group_size", "storage", "quantization", "q_group_size", "bits intermediate_size", "frantar2022 lin2023"),
    t("weight_block_size", "storage", "", "", "quant_method activation_scheme", "deepseekv3"),
    t("modules_to_not_convert", "storage", "", "quantization_config.ignore quantization_config.exclude_modules "
      "llm_int8_skip_modules", "quantization_config"),
    t("kv_cache_scheme", "storage", "", "", "quantization_config", beside="kv_cache_quant_algo"),
    t("activation_scheme", "storage", "", "", "quant_method bits"),
    t("model_type", "label", "", "", "architectures"),
    t("architectures", "label", "", "", "model_type"),
    t("auto_map", "label", "", "", "architectures model_type"),
    t("transformers_version", "label", "", "", "model_type"),
    t("_name_or_path", "label", "", "name_or_path", ""),
    t("use_cache", "runtime", "", "", "max_position_embeddings"),
    t("pretraining_tp", "runtime", "", "", ""),
    t("output_attentions", "runtime", "", "", "use_cache", beside="output_hidden_states return_dict use_return_dict "
      "return_dict_in_generate output_scores"),
    t("num_logits_to_keep", "runtime", "", "", "use_cache"),
    t("chunk_size_feed_forward", "runtime", "", "", "intermediate_size", beside="chunk_size_lm_head"),
    t("gradient_checkpointing", "training", "", "", ""),
    t("_attn_implementation", "runtime", "", "attn_implementation attn_impl", beside="_attn_implementation_autoset "
      "deterministic_flash_attn torchscript"),
    t("temperature", "generation", "", "", "eos_token_id", beside="top_p top_k do_sample max_length min_length "
      "num_beams num_beam_groups num_return_sequences repetition_penalty length_penalty no_repeat_ngram_size "
      "early_stopping typical_p diversity_penalty bad_words_ids exponential_decay_length_penalty "
      "encoder_no_repeat_ngram_size max_new_tokens remove_invalid_values suppress_tokens begin_suppress_tokens "
      "prefix"),
    t("task_specific_params", "generation", "", "", "temperature"),
    t("tokenizer_class", "label", "", "", "vocab_size"),
    t("bos_token_id", "tokens", "token", "", "eos_token_id vocab_size",
      beside="cls_token_id decoder_start_token_id forced_bos_token_id"),
    t("eos_token_id", "tokens", "token", "eod_token_id", "bos_token_id vocab_size",
      beside="sep_token_id forced_eos_token_id"),
    t("pad_token_id", "tokens", "token", "", "eos_token_id vocab_size"),
    t("mask_token_id", "tokens", "token", "mask_index", "vocab_size", beside="unk_token_id unk_index"),
    t("image_token_id", "tokens", "token", "image_token_index", "vocab_size vision_config boi_token_index",
      beside="video_token_id video_token_index audio_token_id audio_token_index"),
    t("boi_token_index", "tokens", "token", "boi_token_id", "image_token_id vocab_size",
      beside="vision_start_token_id vision_end_token_id image_start_token_id image_end_token_id video_start_token_id "
      "video_end_token_id eoi_token_id eoi_token_index boa_token_id eoa_token_id eoa_token_index"),
    t("num_labels", "resize", "", "", "architectures", beside="id2label label2id"),
    t("summary_type", "head", "", "", "num_labels",
      beside="summary_activation summary_use_proj summary_proj_to_labels"),
    t("problem_type", "training", "", "", "num_labels", beside="finetuning_task"),
    t("is_decoder", "structure", "", "", "add_cross_attention", beside="is_encoder_decoder is_encoder"),
    t("add_cross_attention", "structure", "", "", "is_decoder", beside="cross_attention_hidden_size"),
    t("tie_encoder_decoder", "tie", "", "", "tie_word_embeddings", beside="share_encoder_decoder_embeddings"),
    t("text_config", "label", "", "llm_config language_config language_model_config text_model_config",
      "vision_config model_type", beside="thinker_config"),
)

SENSES: Final[tuple[Topic, ...]] = (
    t("vision_config", "label", "", "vit_config vision_model_config", "text_config image_token_id",
      beside="audio_config sound_config qformer_config perceiver_config talker_config"),
    t("patch_size", "shape", "patches", "spatial_patch_size image_patch_size", "image_size num_channels",
      "dosovitskiy2020"),
    t("image_size", "resolution", "patches", "", "patch_size", "dosovitskiy2020"),
    t("num_position_embeddings", "shape", "", "", "image_size patch_size", beside="mm_posemb_size "
      "position_embedding_size pos_emb_width pos_emb_height"),
    t("use_rel_pos", "flag", "", "", "sliding_window image_size", beside="global_attn_indexes"),
    t("vision_use_head", "structure", "", "", "vision_config", beside="pooler_hidden_size pooler_output_size"),
    t("deepstack_visual_indexes", "structure", "", "", "vision_config num_hidden_layers"),
    t("downsample_factor", "shape", "", "", "patch_size", beside="downsample_channels downsample_hidden_size"),
    t("num_channels", "shape", "", "in_channels in_chans", "patch_size"),
    t("temporal_patch_size", "shape", "", "video_temporal_patch_size", "patch_size"),
    t("spatial_merge_size", "shape", "merge", "", "patch_size", beside="merge_kernel_size pixel_shuffle_factor "
      "scale_factor downsample_ratio"),
    t("vision_feature_layer", "silent", "", "", "vision_config", beside="vision_feature_select_strategy"),
    t("projector_hidden_act", "silent", "", "", "projection_dim"),
    t("projection_dim", "shape", "", "", "hidden_size vision_config", beside="projector_hidden_size out_hidden_size "
      "projection_hidden_size projector_output_dim output_dim"),
    t("image_seq_length", "silent", "", "mm_tokens_per_image num_image_tokens", "patch_size image_token_id",
      beside="num_query_tokens"),
    t("num_mel_bins", "shape", "", "n_mel_bins feature_size", "vision_config"),
    t("hidden_size_per_layer_input", "shape", "", "", "hidden_size vocab_size",
      beside="vocab_size_per_layer_input"),
    t("altup_num_inputs", "shape", "", "", "hidden_size altup_active_idx", "gemma3n"),
    t("altup_active_idx", "silent", "", "", "altup_num_inputs", "gemma3n", beside="altup_correct_scale"),
    t("laurel_rank", "shape", "", "", "hidden_size", "laurel"),
    t("hc_mult", "shape", "", "hc_count", "hidden_size hc_sinkhorn_iters", "zhu2024", beside="hc_lowrank"),
    t("hc_sinkhorn_iters", "silent", "", "", "hc_mult", "mhc", beside="hc_eps"),
)

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

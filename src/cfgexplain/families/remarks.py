"""What a family computes that names, shapes and the drawing do not show: scales, caps, sinks, loops, second streams.

A drawing that leaves such a thing out would be wrong; so it is named beside it. Facts from transformers 5.24,
``models/<family>/modeling_*.py`` and ``configuration_*.py`` (keys and their defaults).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Remark(NamedTuple):
    """One such thing.

    Attributes:
        name: its word in the report; its text is "text.draw.remark.<name>".
        key: the config key that holds its number (several, the first one present wins), or "" where it has none.
        default: what the reference takes where the key is absent.
        off: values with which it does nothing; the remark is left out then.
        rule: expression over the family's own names for a number, or a word, that no key holds as it is.
        when: expression over the family's own names; "" is always.
        each: expression over one layer's names: the remark is of the layers where it holds, and is left out where
            there are none. Its value is then those layers, or what ``rule`` is in them.
        usual: expression for the number that does what every model does; the remark is left out then.
    """

    name: str
    key: str = ""
    default: float | bool | str | None = None
    off: tuple[float | bool | str | None, ...] = (None, False, 0, 1)
    rule: str = ""
    when: str = ""
    each: str = ""
    usual: str = ""


ROOT: Final = Remark("embedding-times", rule="sqrt(hidden)")
SCALE_SWITCH: Final = Remark("embedding-root", "scale_embedding", False)
SCALE_ON: Final = SCALE_SWITCH._replace(default=True)
NO_SCALE: Final = Remark("attention-unscaled")
#: What scores are divided by, under a root; every model's is the size of a head.
QUERY_SCALAR: Final = Remark("attention-scalar", "query_pre_attn_scalar", 256, (None,), usual="head_dim")
#: What scores are multiplied by; every model's is one over the root of a head's size.
SCORE_SCALE: Final = Remark("attention-scale", default=1.0, off=(None,), usual="1 / sqrt(head_dim)")
CLIP: Final = Remark("clip-qkv", "clip_qkv", off=(None, False, 0))
#: The same, where keys of attention are in an object of their own.
CLIP_INSIDE: Final = CLIP._replace(key="attn_config.clip_qkv")
EMBEDDING_NORM: Final = Remark("embedding-norm")
NORMED: Final = "residual-normed"
SHARED_LAYERS: Final = Remark("shared-layers")
SHARED_HYBRIDS: Final = Remark("zamba-shared")
LENT_KEYS: Final = Remark("keys-lent", each="not own_kv")

GRANITE: Final = (
    Remark("embedding-times", "embedding_multiplier", 1.0),
    Remark("residual-times", "residual_multiplier", 1.0),
    SCORE_SCALE._replace(key="attention_multiplier"),
    Remark("logits-divided", "logits_scaling", 1.0),
)
GEMMA2: Final = (
    ROOT,
    QUERY_SCALAR,
    Remark("attention-cap", "attn_logit_softcapping", 50.0),
    Remark("logits-cap", "final_logit_softcapping", 30.0),
)
GEMMA3: Final = (
    ROOT,
    QUERY_SCALAR,
    Remark("attention-cap", "attn_logit_softcapping"),
    Remark("logits-cap", "final_logit_softcapping"),
)
MINICPM: Final = (
    Remark("embedding-times", "scale_emb", 1),
    Remark("residual-depth", "scale_depth", 1, (None,)),
    Remark("logits-base", "dim_model_base", 1, (None,)),
)
GEMMA4: Final = (
    ROOT, Remark("attention-unscaled"), Remark("logits-cap", "final_logit_softcapping"), Remark("values-normed"),
    Remark("wider-full", when="global_head_dim != head_dim or overrides is not None"),
    Remark("values-keys", each="own_kv and k_eq_v and not sliding"), LENT_KEYS,
    Remark("two-sided", when="both_ways == 'all'"),
)
ROUTER_NORM: Final = (Remark("router-normed"), Remark("expert-scales"))
T5: Final = (NO_SCALE, Remark("distances-bounded", "relative_attention_max_distance", 128, (None,)))
T5_TIED: Final = Remark("logits-root", when="tie")
HYPER: Final = Remark("hyper-connections", "hc_mult", 4, (None,))
DELTA: Final = Remark("delta-rule")

#: Family → what is to be said beside its drawing.
REMARKS: Final[dict[str, tuple[Remark, ...]]] = {
    **dict.fromkeys(
        ("granite", "granite_swa", "granitemoe", "granitemoe_swa", "granitemoehybrid", "granitemoeshared",
         "granite_docling_text"), GRANITE,
    ),
    "hyperclovax": (*GRANITE[:3], Remark("logits-times", "logits_scaling", 1.0)),
    **dict.fromkeys(("gemma", "ctrl"), (ROOT,)),
    **dict.fromkeys(("gemma2", "t5gemma-encoder", "t5gemma", "vaultgemma"), GEMMA2),
    "gemma3_text": (*GEMMA3, Remark("two-sided", when="both_ways")),
    **dict.fromkeys(("t5gemma2-encoder", "t5gemma2"), GEMMA3),
    "gemma3n_text": (
        ROOT, NO_SCALE, Remark("logits-cap", "final_logit_softcapping", 30.0), Remark("altup", "altup_num_inputs", 4),
        Remark("laurel"), Remark("per-layer-inputs"), Remark("values-normed"), LENT_KEYS,
        Remark("activation-sparsity", "activation_sparsity_pattern"),
    ),
    "gemma4_text": (
        *GEMMA4, Remark("per-layer-inputs", when="per_layer_width"), Remark("layer-scalar"),
        Remark("dense-beside-experts", when="moe"), *(r._replace(when="moe") for r in ROUTER_NORM),
    ),
    "gemma4_unified_text": (*GEMMA4, Remark("layer-scalar")),
    "diffusion_gemma_text": (*GEMMA4, Remark("layer-scalar"), Remark("dense-beside-experts"), *ROUTER_NORM),
    "recurrent_gemma": (ROOT, Remark("logits-cap", "logits_soft_cap", 30.0), Remark("branch-gate")),
    "minicpm": MINICPM, "minicpm3": (
        Remark("embedding-times", "scale_emb", 12), Remark("residual-depth", "scale_depth", 1.4, (None,)),
        Remark("logits-base", "dim_model_base", 256, (None,)),
    ),
    **dict.fromkeys(
        ("cohere", "cohere2", "cohere2_moe", "cohere_compass_text"), (Remark("logits-times", "logit_scale", 0.0625),)
    ),
    "falcon_h1": (
        Remark("embedding-times", "embedding_multiplier", 1.0), Remark("logits-times", "lm_head_multiplier", 1.0),
        Remark("branch-multipliers"), Remark("keys-times", "key_multiplier", 1.0),
    ),
    "grok-1": (
        Remark("embedding-times", "embedding_multiplier_scale", 1.0),
        Remark("logits-times", "output_multiplier_scale", 1.0),
        SCORE_SCALE._replace(key="attn_output_multiplier"),
        Remark("attention-cap", "max_attn_value", 30.0),
    ),
    "phi3small": (
        Remark("embedding-times", "mup_embedding_multiplier", 10.0),
        Remark("logits-divided", "mup_width_multiplier", 8.0),
        Remark("attention-mup", "mup_use_scaling", True, (False,)),
        Remark("attention-blocks", "blocksparse_block_size", 64), Remark("ffn-clamped", "gegelu_limit", 20.0),
    ),
    "gpt_neo": (NO_SCALE,),
    "gpt2": (Remark("attention-layer", "scale_attn_by_inverse_layer_idx", False),),
    **dict.fromkeys(
        ("bart", "mbart", "blenderbot", "blenderbot-small", "marian", "pegasus", "mvp", "whisper", "trocr",
         "musicgen_decoder", "musicgen_melody_decoder"), (SCALE_SWITCH,),
    ),
    **dict.fromkeys(
        ("plbart", "pegasus_x", "m2m_100", "nllb-moe", "fsmt", "xglm", "biogpt", "kosmos_2_text_model",
         "kosmos_2_5_text_model", "seamless_m4t", "seamless_m4t_v2", "pp_formulanet_text"), (SCALE_ON,),
    ),
    **dict.fromkeys(("t5", "umt5", "switch_transformers", "longt5", "udop"), (*T5, T5_TIED)),
    **dict.fromkeys(("mt5", "pix2struct_text_model"), T5),
    **dict.fromkeys(("olmo", "hf_olmo", "olmoe"), (CLIP,)), "dbrx": (CLIP_INSIDE,),
    "mpt": (CLIP_INSIDE, SCORE_SCALE._replace(key="attn_config.softmax_scale", default=None)),
    # --- what becomes the residual ---
    "minimax": (Remark(NORMED), Remark("residual-alphas"), Remark("lightning")),
    "bloom": (Remark(NORMED, "apply_residual_connection_post_layernorm", False, (None, False)),),
    "chatglm": (Remark(NORMED, when="after_norm or inner"), Remark("residual-alphas", when="inner")),
    # --- streams ---
    "deepseek_v4": (
        HYPER, Remark("low-rank-output"), Remark("compressed-cache", each="rate"),
        Remark("indexer-entries", each="csa"), Remark("keys-are-values"), Remark("output-unrotated"),
        Remark("queries-normed"),
        Remark("hash-routing", each="hashed"), Remark("v4-routing", each="not hashed"),
    ),
    "hy_v4": (HYPER,), "hy_v4_vl_text": (HYPER,),
    "reformer": (Remark("reversible"), Remark("lsh"), Remark("final-both")),
    "hrm_text": (
        Remark("embedding-times", "embedding_scale", rule="embedding_scale"), Remark("hrm-loops"),
        Remark("attention-gate"), Remark("prefix-lm", "prefix_lm", True, (None, False)),
    ),
    "dory": (
        Remark("unit-sphere"), Remark("loops", "n_recurrent_loops", 2), Remark("loops-restart"),
        Remark("logits-learned", when="cls == 'ForCausalLM'"),
    ),
    "inkling2_loop_text": (Remark("loops-some"), Remark("ffn-caps")),
    "blt": (
        Remark("blt-stacks", rule="f'{g_layers:,} × {g_hidden:,}'"),
        Remark("blt-patcher", rule="f'{p_layers:,} × {p_hidden:,}'", when="patcher and patching == 'entropy'"),
        Remark("blt-cross", rule="layers if d_all else 1", off=(0,)),
        Remark("blt-hashes", rule="f'{hash_rows:,} × {e_hidden:,}'"),
    ),
    "fnet": (Remark("fourier"),),
    "zamba": (SHARED_HYBRIDS, Remark("attention-scalar", rule="head_dim / 2")),
    "zamba2": (SHARED_HYBRIDS, Remark("zamba-adapters"), Remark("attention-scalar", rule="head_dim / 2")),
    **dict.fromkeys(("clip_text_model", "siglip_text_model"), (Remark("towers-apart"),)),
    "mobilebert": (Remark("bottlenecks"), Remark("stacked-ffn", "num_feedforward_networks", 4)),
    "albert": (SHARED_LAYERS,), "funnel": (Remark("pooled-blocks"),),
    "roformer": (Remark("no-positions-added"),),
    "perceiver": (Remark("latent-array"),),
    "convbert": (Remark("mixed-convolution"),), "squeezebert": (Remark("grouped-convolutions"),),
    "nystromformer": (Remark("nystrom"),), "yoso": (Remark("yoso"),), "mra": (Remark("mra"),),
    "big_bird": (Remark("embedding-root", "rescale_embeddings", False), Remark("block-sparse")),
    "bigbird_pegasus": (SCALE_ON, Remark("block-sparse")),
    "longformer": (Remark("two-sided"), Remark("global-tokens")), "led": (Remark("two-sided"), Remark("global-tokens")),
    "modernbert": (Remark("two-sided"),),
    **dict.fromkeys(("deberta", "deberta-v2"), (Remark("disentangled", when="relative"),)),
    "xlnet": (Remark("two-streams"),), "diffllama": (Remark("differential"),),
    "prophetnet": (Remark("ngram-streams"),), "doge": (
        Remark("doge-experts", when="moe"), Remark("residual-vectors"), Remark("key-bias"),
        Remark("keys-kept", "keep_window_size", 2048, (None,)),
    ),
    "mllama_text_model": (Remark("cross-gates", when="cross"),), "idefics": (Remark("inserted-cross"),),
    "evolla": (Remark("inserted-cross"),), "nanochat": (
        EMBEDDING_NORM, Remark("logits-cap", "final_logit_softcapping", 15.0),
    ),
    "arctic": (Remark("dense-beside-experts"),), "jetmoe": (Remark("attention-experts", rule="experts"),),
    "falcon_mamba": (Remark("state-normed"),),
    "longcat_flash": (
        Remark("two-attentions", rule="ffn"), Remark("zero-experts", "zero_expert_num", 256),
        Remark("router-choices", rule="routes", when="zero_experts"),
        Remark("queries-times", rule="sqrt(hidden / q_lora_rank)"),
        Remark("latent-times", rule="sqrt(hidden / kv_lora_rank)"),
    ),
    "minimax_m3_vl_text": (Remark("indexer-blocks", each="indexed"),),
    "zaya": (
        Remark("qk-convolutions"), Remark("values-delayed"), Remark("residual-scales"), Remark("embedding-scaled"),
        Remark("router-network"), Remark("router-choices", rule="experts + 1"), Remark("skip-choice"),
    ),
    "llama4_text": (
        Remark("chunks"), Remark("temperature", "attn_temperature_tuning", True), Remark("llama4-routing"),
        Remark("qk-normed", "use_qk_norm", True, (None, False)),
    ),
    **dict.fromkeys(
        ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"), (DELTA, Remark("attention-gate"))
    ),
    **dict.fromkeys(
        ("olmo_hybrid", "kimi_linear", "qwen4_exp_text", "bailing_hybrid", "glm5_next_text", "lara_mini"), (DELTA,)
    ),
    **dict.fromkeys(
        ("step3p5", "step3p7"),
        (
            Remark("ffn-clamps", "swiglu_limits"),
            Remark("windowed-heads", rule="my_heads", each="sliding and my_heads != heads"),
        ),
    ),
    "inkling2_text": (Remark("ffn-caps"),), "inkling_text": (
        Remark("logits-divided", "logits_mup_width_multiplier"), Remark("short-convolutions"),
        Remark("attention-mup"),
    ),
    "muse_glimmer_text": (Remark("logits-cap", "final_logit_softcapping"),),
    "muse_spark_text": (Remark("logits-cap", "final_logit_softcapping"),),
    "mistral_large4_text": (Remark("logits-cap", "final_logit_softcapping"), Remark("score-scaling"),
                            LENT_KEYS._replace(each="reuses")),
    "xlstm": (
        Remark("mlstm"), Remark("gates-cap", "gate_soft_cap", 15.0),
        Remark("logits-cap", "output_logit_soft_cap", 30.0),
    ),
    "rwkv": (Remark("time-mix"), Remark("receptance")),
}  # fmt: skip

#: Families that turn an image's tokens by three positions: time, height, width (``apply_multimodal_rotary_pos_emb``,
#: ``apply_interleaved_mrope``), with or without the wrapper.
AXES: Final = frozenset({
    "qwen2_vl", "qwen2_5_vl", "qwen2_5_omni", "qwen2_5_omni_thinker", "qwen3_vl", "qwen3_vl_moe", "qwen3_omni_moe",
    "qwen3_omni_moe_thinker", "qwen3_5", "qwen3_5_moe", "glm4v", "glm4v_moe", "glm_ocr", "paddleocr_vl",
})  # fmt: skip
#: Words in the names of a family's own slots → what they are.
SEEN: Final[dict[str, str]] = {
    "sink": "sinks", "indexer": "indexer", "index_q_proj": "indexer", "shared_expert_gate": "shared-gate",
    "softmax_offset": "sinks", "token_type_embeddings": "token-types", "dt_layernorm": "state-normed",
    "attn_sub_norm": "output-normed", "inner_attn_ln": "output-normed", "ffn_sub_norm": "ffn-normed",
    "ffn.ffn_layernorm": "ffn-normed",
    **dict.fromkeys(
        ("self_attn.gate_proj", "self_attn.g_proj", "self_attn.linear_gate", "output_projection.gate_proj",
         "attention.g_proj"), "attention-gate",
    ),
}
#: Of these the remark's number: the rows of the tables.
SIZED: Final = frozenset({"token-types"})
#: Families that do not compute act(gate) × up: what they compute, and the keys of its numbers with their defaults.
FORMULAS: Final[dict[str, tuple[str, tuple[tuple[str, float], ...]]]] = {
    **dict.fromkeys(
        ("gpt_oss", "minimax_m3_vl_text"),
        ("(clamp(up, ±{limit}) + 1) · g · σ({alpha} · g),  g = min(gate, {limit})",
         (("swiglu_limit", 7.0), ("swiglu_alpha", 1.702))),
    ),
    **dict.fromkeys(
        ("deepseek_v4", "deepseek_ref"),
        ("{act}(min(gate, {limit})) · clamp(up, ±{limit})", (("swiglu_limit", 10.0),)),
    ),
}  # fmt: skip

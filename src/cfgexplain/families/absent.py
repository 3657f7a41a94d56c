"""Keys that a table took over from a relative, and that the family's own config class and model code do not have.

The tables of relatives share functions that list BERT's or Llama's keys. Held against transformers 5.24: config class,
its ``attribute_map``, and every ``modeling_*.py`` of the family.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.families.schema import Family

#: Canonical name → families whose code has no such setting at all.
NONE: Final[Mapping[str, frozenset[str]]] = {
    "theta": frozenset(
        ("jamba", "nemotron_h", "zamba", "inkling_text", "inkling_llm", "inkling2_loop_text", "moshi_depth")
    ),
    "max_pos": frozenset(("recurrent_gemma",)),
}
#: Canonical name → families whose code fixes it: whatever a config says under such a key, nothing reads it.
FIXED: Final[Mapping[str, frozenset[str]]] = {
    "types": frozenset(
        ("bert-generation", "distilbert", "esm", "funnel", "modernbert", "modernbert-decoder", "mpnet", "tapas")
    ),
    "cross": frozenset(
        ("albert", "deberta", "deberta-v2", "distilbert", "fnet", "funnel", "gte", "jina_embeddings_v3",
         "kosmos_2_5_text_model", "layoutlm", "longformer", "luke", "mobilebert", "modernbert", "modernbert-decoder",
         "mpnet", "nomic_bert", "squeezebert")
    ),
    "act": frozenset(("esm",)), "eps": frozenset(("distilbert", "llama4_vision_model")),
    "k_eq_v": frozenset(("diffusion_gemma_text", "diffusion_gemma_encoder")),
    "enc_ffn": frozenset(("musicgen_decoder", "musicgen_melody_decoder", "trocr")),
    "n_shared": frozenset(
        ("dbrx", "doge", "flex_olmo", "gpt_oss", "granitemoe", "granitemoe_swa", "granitemoeshared", "hunyuan_v1_moe",
         "inkling2_loop_text", "inkling2_text", "jetmoe", "laguna", "llama4_text", "longcat_flash", "mellum",
         "mimo_v2_flash", "minimax_m2", "minimax_m3_vl_text", "mixtral", "muse_spark_text", "olmoe", "phimoe",
         "qwen2_moe", "qwen3_moe", "step3p5")
    ),
}  # fmt: skip
#: Canonical name → families that read it from another format than their own class's: nothing to say where it is not.
ELSEWHERE: Final[Mapping[str, frozenset[str]]] = {
    "mtp": frozenset(
        ("deepseek_v32", "dots3_note_text", "glm4_moe_lite", "glm4v_moe_text", "glm_moe_dsa", "glm_ocr_text", "hy_v3")
    ),
    "first_dense": frozenset(("deepseek_ocr2_text",)), "freq": frozenset(("mimo_v2_flash",)),
    "pattern": frozenset(("mimo_v2_flash",)), "both_layers": frozenset(("longcat_flash",)),
    "cross_dim": frozenset(("t5gemma2-encoder",)), "cross_width": frozenset(("musicgen_melody_decoder",)),
    "gate": frozenset(("switch_transformers",)), "proj": frozenset(("switch_transformers",)),
    "eps": frozenset(("esmc",)), "act": frozenset(("glmasr_encoder",)),
    "image": frozenset(
        ("cosmos3_edge_vision", "ernie4_5_vl_moe_vision", "lfm3_vl_vision", "muse_glimmer_vision",
         "siglip2_vision_model", "video_llama_3_vision")
    ),
    "max_pos": frozenset(("glmasr_encoder", "voxtral_realtime_encoder", "bloom")),
    "projected": frozenset(("llava",)), "flat": frozenset(("step3p7",)),
    "projector_bias": frozenset(("glmasr", "qwen2_audio", "qwen3_asr", "voxtral", "voxtral_realtime")),
    "q_lora_rank": frozenset(("mistral_large4_text",)),
    "ratio": frozenset(("got_ocr2_vision", "pp_formulanet_vision", "unlimited_ocr_sam_vision_model")),
    "reduce": frozenset(("audioflamingo3", "glmasr", "musicflamingo", "qwen2_audio", "qwen3_asr", "voxtral")),
    **dict.fromkeys(
        ("swa_head", "swa_heads", "swa_kv_lora_rank", "swa_q_lora_rank", "swa_qk_nope_head_dim", "swa_v_head_dim"),
        frozenset(("dots3_note_text",)),
    ),
    "tie": frozenset(
        ("audioflamingo3", "cosmos3_omni_text", "glm4v_text", "glm_ocr_text", "inkling2_loop_text", "inkling2_text",
         "inkling_llm", "inkling_text", "muse_glimmer", "musicflamingo", "nomic_bert", "qwen2_audio", "step3p7",
         "vibevoice_asr", "voxtral", "voxtral_realtime_text")
    ),
}  # fmt: skip
#: Family → key that it reads only where another one is null.
WHERE_NULL: Final[Mapping[str, Mapping[str, str]]] = {"falcon_h1": {"mamba_expand": "mamba_d_ssm"}}
#: Family → key that it reads only where another one is off.
WHERE_OFF: Final[Mapping[str, Mapping[str, str]]] = {"falcon": {"multi_query": "new_decoder_architecture"}}
#: Canonical names whose absence is the absence of the thing; any other key without a default is filled in by the code.
THING: Final = frozenset(
    ("window", "q_lora_rank", "mlp_only", "n_shared", "latent", "prefix", "terms", "experts", "top_k", "moe_ffn",
     "seen", "heard", "inner", "dense_ffn", "overrides", "per_layer")
)


def without(family: Family) -> Family:
    """The family with only the keys that its code reads: those of ``NONE`` are gone, those of ``FIXED`` nameless."""
    gone = {name for name, ids in NONE.items() if family.id in ids}
    fixed = {name for name, ids in FIXED.items() if family.id in ids}
    if not (gone | fixed) & family.keys.keys():
        return family
    return family._replace(
        keys={n: k._replace(names=()) if n in fixed else k for n, k in family.keys.items() if n not in gone},
        unread=tuple(
            dict.fromkeys((*family.unread, *(x for n in fixed & family.keys.keys() for x in family.keys[n].names)))
        ),
    )


def silent(family: Family, name: str) -> bool:
    """Whether a config without the key leaves nothing to say about it."""
    return family.id in ELSEWHERE.get(name, ())

"""What keys of a config are about: which family says it, and what a difference does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.key_topics import topic_of

if TYPE_CHECKING:
    from cfgexplain.compare.base import Gravity

#: Canonical names that mean the same in every family.
COMMON: Final = (
    "hidden", "layers", "vocab", "heads", "kv_heads", "head_dim", "ffn", "eps", "act", "max_pos", "tie", "experts",
    "top_k", "moe_ffn", "shared_ffn", "window", "theta",
)  # fmt: skip
#: Canonical name → what a difference does, and its text. Other names: by whether shapes depend on them.
KNOWN: Final[dict[str, tuple[Gravity, str]]] = {
    "act": ("function", "diff.key.act"),
    "theta": ("function", "diff.key.rope"),
    "tie": ("function", "diff.key.tie"),
    "top_k": ("function", "diff.key.top_k"),
    "window": ("function", "diff.key.window"),
    "vocab": ("loading", "diff.key.vocab"),
    "layers": ("loading", "diff.key.layers"),
    "max_pos": ("usage", "diff.key.max_pos"),
    "labels": ("usage", "diff.key.labels"),
    "id2label": ("usage", "diff.key.labels"),
}
#: Config keys outside the tables, by the last part of their path: what only training uses,
TRAINING: Final = frozenset({
    "activation_dropout", "attention_dropout", "attention_probs_dropout_prob", "attn_pdrop", "aux_loss_alpha",
    "classifier_dropout", "dropout", "embd_pdrop", "embed_dropout", "embedding_dropout", "ffn_dropout",
    "gradient_checkpointing", "hidden_dropout", "hidden_dropout_prob", "initializer_range", "layerdrop",
    "output_router_logits", "pretraining_tp", "resid_dropout", "resid_pdrop", "residual_dropout",
    "router_aux_loss_coef", "router_jitter_noise", "router_z_loss_coef", "seq_aux",
})  # fmt: skip
#: what says where the file comes from, and how the library is to answer,
PAPERWORK: Final = frozenset({
    "_attn_implementation", "_attn_implementation_autoset", "_commit_hash", "_name_or_path", "auto_map",
    "chunk_size_feed_forward", "finetuning_task", "model_name", "name_or_path", "output_attentions",
    "output_hidden_states", "problem_type", "quantization_version", "return_dict", "return_dict_in_generate",
    "task_specific_params", "tf_legacy_loss", "torchscript", "transformers_version", "unsloth_fixed",
    "unsloth_version", "use_bfloat16", "use_cache",
})  # fmt: skip
#: what takes part in the computation and in no shape,
FACTORS: Final = frozenset({
    "attention_chunk_size", "attention_multiplier", "attn_logit_softcapping", "attn_temperature_tuning", "clip_qkv",
    "dim_model_base", "embedding_multiplier", "final_logit_softcapping", "is_decoder", "layer_types", "logit_scale",
    "logits_scaling", "max_window_layers", "n_group", "no_rope_layers", "norm_topk_prob", "query_pre_attn_scalar",
    "residual_multiplier", "rotary_pct", "routed_scaling_factor", "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights", "scale_depth", "scale_emb", "scale_embedding", "scoring_func", "sliding_window",
    "sliding_window_pattern", "swiglu_limit", "topk_group", "topk_method", "use_sliding_window",
})  # fmt: skip
#: and what names a token.
TOKENS: Final = ("_token_id", "_token_index", "_token_ids", "_id")
#: Of those, what generation begins with, stops at, and what fills a batch.
SPECIAL: Final[dict[str, str]] = {
    "bos_token_id": "begins", "decoder_start_token_id": "begins", "forced_bos_token_id": "begins",
    "eos_token_id": "ends", "forced_eos_token_id": "ends", "eod_token_id": "ends", "pad_token_id": "fills",
}  # fmt: skip
#: What means nothing where no layer has a window.
WINDOWS: Final = frozenset({"sliding_window", "max_window_layers", "use_sliding_window", "sliding_window_pattern"})
#: What may be done after training with a key that `cfgexplain key` explains → what a difference in it does.
EXPLAINED: Final[dict[str, tuple[Gravity, str]]] = {
    "training": ("bookkeeping", "diff.key.training"),
    "runtime": ("bookkeeping", "diff.key.runtime"),
    "capacity": ("usage", "diff.key.explained"),
    "generation": ("usage", "diff.key.generation"),
    "label": ("usage", "diff.key.explained"),
}
#: What an absent key is, for those that libraries write or leave out at will.
DEFAULTS: Final[dict[str, object]] = {
    "use_cache": True, "attention_dropout": 0.0, "pretraining_tp": 1, "output_attentions": False,
    "output_hidden_states": False, "return_dict": True, "initializer_range": 0.02, "is_decoder": False,
    "is_encoder_decoder": False, "torchscript": False, "use_bfloat16": False, "add_cross_attention": False,
    "chunk_size_feed_forward": 0, "scale_attn_weights": True, "tie_word_embeddings": True, "output_router_logits":
    False, "use_sliding_window": False, "attention_bias": False, "mlp_bias": False, "qkv_bias": False,
}  # fmt: skip


def consequence(name: str, sized: frozenset[str], path: str = "") -> tuple[Gravity, str]:
    """Gravity and text of a canonical key; ``sized``: those that a shape depends on; ``path``: where it stands."""
    if name in KNOWN:
        return KNOWN[name]
    if name.startswith("eps"):
        return "function", "diff.key.eps"
    topic = topic_of(path) if path else None
    if topic is not None and topic.after in ("structure", "flag"):
        return ("loading" if name in sized else "function"), f"diff.key.{topic.after}"
    return ("loading", "diff.key.shape") if name in sized else ("function", "diff.key.function")


def plain_consequence(key: str) -> tuple[Gravity, str]:
    """Gravity and text of a key that no table names, by its dotted path."""
    last = key.rpartition(".")[2]
    if key.partition(".")[0] == "quantization_config":
        return "usage", "diff.key.quantization"
    if last in PAPERWORK:
        return "bookkeeping", "diff.key.paperwork"
    if last in TRAINING:
        return "bookkeeping", "diff.key.training"
    if last in FACTORS:
        return "function", "diff.key.function"
    if last == "model_type":
        return "function", "diff.key.model_type"
    if last in ("architectures", "dtype"):
        return "usage", f"diff.key.{last}"
    if last.endswith(TOKENS):
        return "usage", f"diff.key.token.{SPECIAL.get(last, 'other')}"
    topic = topic_of(key)
    if topic is None:
        return "usage", "diff.key.other"
    return EXPLAINED.get(topic.after, ("usage", "diff.key.explained"))

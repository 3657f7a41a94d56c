"""The publishers' own formats: ``params.json`` beside ``consolidated*`` weights, without a ``model_type``.

Meta: ``ModelArgs`` and ``FeedForward`` of the published Llama reference code; the file states the recipe of the
feed-forward width. Mistral: ``ModelArgs`` of mistral-inference, where ``hidden_dim`` is the width itself.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.expr import function
from cfgexplain.families.schema import E, Family, attention, embedding, linear, lm_head, norm, replace, slots, under, when


@function
def stated_width(hidden: int, multiplier: float | None, multiple_of: int) -> int:
    """int(2·4d/3), times the multiplier and truncated again, up to a multiple (Meta's ``FeedForward.__init__``)."""
    width = int(8 * hidden / 3)
    if multiplier is not None:
        width = int(multiplier * width)
    return -(-width // multiple_of) * multiple_of


_EXPERT: Final = "feed_forward.experts.{e}."

META: Final = Family(
    id="llama (Meta)",
    source="Meta's published reference code, llama/model.py: ModelArgs, FeedForward, TransformerBlock",
    base="",
    keys={
        "hidden": key("dim", 4096),
        "layers": key("n_layers", 32),
        "heads": key("n_heads", 32),
        "kv_heads": key("n_kv_heads", E("heads")),
        "head_dim": key("head_dim", E("hidden // heads")),
        # Llama 2 writes -1: the tokenizer decides.
        "vocab": key("vocab_size", E("None"), "int", low=-1),
        "multiple_of": key("multiple_of", 256, low=1),
        "multiplier": key("ffn_dim_multiplier", None, "float"),
        "ffn": key("hidden_dim", E("stated_width(hidden, multiplier, multiple_of)")),
        "eps": key("norm_eps", 1e-5),
        "act": key((), "silu"),
        "tie": key((), False),
        "max_pos": key("max_seq_len", None, "int"),
        "theta": key("rope_theta", 10000.0),
    },
    body=slots(
        embedding("tok_embeddings"),
        under(
            "layers.{i}.",
            attention("attention.", "wq", "wk", "wv", "wo"),
            linear("feed_forward.w1", "ffn", "gate", "ffn", "hidden"),
            linear("feed_forward.w2", "ffn", "down", "hidden", "ffn"),
            linear("feed_forward.w3", "ffn", "up", "ffn", "hidden"),
            norm("attention_norm"),
            norm("ffn_norm"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head("output", tie="")},
    recipe="stated",
    eps_used="llama",
)

MISTRAL: Final = replace(
    META,
    id="mistral (native)",
    source="mistral-inference, ModelArgs and TransformerBlock",
    keys={
        **{k: v for k, v in META.keys.items() if k not in ("multiple_of", "multiplier")},
        "ffn": key("hidden_dim", None, "int"),
        "eps": key("norm_eps", None, "float"),
        "vocab": key("vocab_size", None, "int"),
        "tie": key("tied_embeddings", False),
        "window": key("sliding_window", None, "int list"),
        "experts": key("moe.num_experts", 0),
        "top_k": key("moe.num_experts_per_tok", 0),
    },
    body=slots(
        embedding("tok_embeddings"),
        under(
            "layers.{i}.",
            attention("attention.", "wq", "wk", "wv", "wo"),
            when(
                "not experts",
                linear("feed_forward.w1", "ffn", "gate", "ffn", "hidden"),
                linear("feed_forward.w2", "ffn", "down", "hidden", "ffn"),
                linear("feed_forward.w3", "ffn", "up", "ffn", "hidden"),
            ),
            when(
                "experts",
                linear("feed_forward.gate", "router", "", "experts", "hidden"),
                under(
                    _EXPERT,
                    linear("w1", "experts", "gate", "ffn", "hidden"),
                    linear("w2", "experts", "down", "hidden", "ffn"),
                    linear("w3", "experts", "up", "ffn", "hidden"),
                    experts="experts",
                ),
            ),
            norm("attention_norm"),
            norm("ffn_norm"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    heads={"ForCausalLM": lm_head("output")},
    recipe="",
    eps_used="mistral",
    open=(
        ("vision_encoder.", "vision"), ("vision_language_adapter.", "projector"), ("pre_mm_projector_norm.", "projector"),
        ("patch_merger.", "projector"),
    ),
)

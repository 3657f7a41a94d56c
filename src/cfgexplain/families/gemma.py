"""Gemma 3, 3n and VaultGemma: sandwich norms, GeGLU, five windows to one full layer.

Facts from transformers 5.23, ``models/gemma3``, ``models/gemma3n`` and ``models/vaultgemma``. Gemma 1 and 2 are in
``llama.py``, Gemma 4 in ``gemma4.py``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, decoder_keys, flag, key, rope_theta, window, window_theta
from cfgexplain.families.llama import ATTN, GEMMA, GEMMA2, LAYER_TYPES, QK_HEAD_NORMS, SANDWICH_NORMS, decoder
from cfgexplain.families.schema import (
    Family,
    Norm,
    Part,
    Slots,
    embedding,
    gated_mlp,
    linear,
    lm_head,
    norm,
    only,
    replace,
    slots,
    tensor,
    under,
    when,
)

#: Where the text decoder was trained inside a multimodal model, its names keep that model's prefix.
FROM_MULTIMODAL: Final = (((r"^model\.language_model\.", "model."),), ((r"^language_model\.model\.", "model."),))

VAULTGEMMA: Final = replace(
    GEMMA2,
    id="vaultgemma",
    source="transformers 5.23 VaultGemmaConfig, VaultGemmaDecoderLayer (norms on the inputs only)",
    body=decoder(ATTN, gated_mlp(), norm("input_layernorm"), norm("pre_feedforward_layernorm")),
    norm=Norm(gain="1+w"),
)

GEMMA3_TEXT: Final = replace(
    GEMMA2,
    id="gemma3_text",
    source="transformers 5.23 Gemma3TextConfig, Gemma3DecoderLayer, Gemma3Attention (q/k norms, gain 1 + w)",
    keys={
        **GEMMA2.keys,
        "vocab": key("vocab_size", 262208),
        "max_pos": key("max_position_embeddings", 131072),
        "theta": rope_theta(1000000.0),
        "pattern": key("sliding_window_pattern", 6, low=1),
        "window_theta": window_theta(10000.0, "rope_local_base_freq"),
        "both_ways": flag("use_bidirectional_attention", False),
    },
    body=decoder(ATTN, QK_HEAD_NORMS, gated_mlp(), SANDWICH_NORMS),
    # Gemma3Attention is not causal then: what follows changes every token before it, and nothing can be kept.
    kv="0 if both_ways else 2*kv_heads*head_dim",
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % pattern else 'full')",
    renames=FROM_MULTIMODAL,
    eps_used="gemma",
)

#: A wrapper's own ``tie_word_embeddings`` decides, not the text config's.
WRAPPER_HEAD: Final[Slots] = lm_head("lm_head", "text.vocab", "text.hidden")

GEMMA3: Final = Family(
    id="gemma3",
    source="transformers 5.23 Gemma3Config, Gemma3ForConditionalGeneration, Gemma3MultiModalProjector",
    base="",
    keys={"tie": key("tie_word_embeddings", True), **LABELS},
    body=slots(
        tensor("multi_modal_projector.mm_input_projection_weight", "projector", "vision.hidden, text.hidden"),
        tensor("multi_modal_projector.mm_soft_emb_norm.weight", "projector", "vision.hidden"),
    ),
    heads={
        "ForConditionalGeneration": lm_head("language_model.lm_head", "text.vocab", "text.hidden"),
        "ForSequenceClassification": tensor("score.weight", "other", "labels, text.hidden"),
    },
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "gemma3_text", "language_model.model.", main=True),
        Part("vision", "vision_config", "siglip_vision_model", "vision_tower.", role="vision"),
    ),
    renames=(
        ((r"^vision_tower\.vision_model\.", "vision_tower."), (r"^lm_head\.", "language_model.lm_head.")),
        (
            (r"^model\.vision_tower\.(vision_model\.)?", "vision_tower."), (r"^model\.multi_modal", "multi_modal"),
            (r"^model\.language_model\.", "language_model.model."), (r"^lm_head\.", "language_model.lm_head."),
        ),
    ),
)

# --- Gemma 3n ---

GEMMA3N_TEXT: Final = replace(
    GEMMA,
    id="gemma3n_text",
    source="transformers 5.23 Gemma3nTextConfig, Gemma3nTextDecoderLayer (AltUp, LAuReL, per-layer inputs), "
    "Gemma3nRMSNorm (gain w); the last num_kv_shared_layers reuse the cache of earlier ones",
    keys={
        **decoder_keys(
            hidden=2048, ffn=16384, layers=35, heads=8, kv_heads=2, head_dim=256, vocab=262400, eps=1e-6, tie=True,
            max_pos=32768, attention_bias=key("attention_bias", False), window=window(512),
            layer_types=LAYER_TYPES, shared=key("num_kv_shared_layers", 15), altup=key("altup_num_inputs", 4),
            laurel=key("laurel_rank", 64), per_layer_width=key("hidden_size_per_layer_input", 256),
            per_layer_vocab=key("vocab_size_per_layer_input", 262144),
        ),
        "ffn": key("intermediate_size", 16384, "int list"),
        "act": key("hidden_activation", "gelu_pytorch_tanh"),
        "theta": rope_theta(1000000.0),
        "window_theta": window_theta(10000.0, "rope_local_base_freq"),
    },
    lets={"width": "per_layer(ffn, i)", "own_kv": "i < layers - shared"},
    body=slots(
        embedding("embed_tokens"),
        embedding("embed_tokens_per_layer", "per_layer_vocab", "layers*per_layer_width"),
        linear("per_layer_model_projection", "other", "", "layers*per_layer_width", "hidden"),
        norm("per_layer_projection_norm", "other-norm", "per_layer_width"),
        under(
            "layers.{i}.",
            only(ATTN, "*q_proj*", "*o_proj*"),
            norm("self_attn.q_norm", "attention-norm", "head_dim", part="q_norm"),
            when(
                "own_kv",
                only(ATTN, "*k_proj*", "*v_proj*"),
                norm("self_attn.k_norm", "attention-norm", "head_dim", part="k_norm"),
            ),
            # Published files still hold these for layers that reuse a cache; the library ignores them.
            when(
                "not own_kv",
                tensor("self_attn.k_norm.weight", "buffer", "head_dim", kind="buffer"),
                tensor("self_attn.k_proj.weight", "buffer", "kv_heads*head_dim, hidden", kind="buffer"),
                tensor("self_attn.v_proj.weight", "buffer", "kv_heads*head_dim, hidden", kind="buffer"),
            ),
            gated_mlp(width="width"),
            SANDWICH_NORMS,
            tensor("altup.correct_output_scale", "other", "hidden"),
            linear("altup.correction_coefs", "other", "", "altup", "altup"),
            linear("altup.prediction_coefs", "other", "", "altup*altup", "altup"),
            linear("altup.modality_router", "other", "", "altup", "hidden"),
            norm("altup.router_norm", "other-norm"),
            linear("laurel.linear_left", "other", "", "laurel", "hidden"),
            linear("laurel.linear_right", "other", "", "hidden", "laurel"),
            norm("laurel.post_laurel_norm", "other-norm"),
            linear("per_layer_input_gate", "other", "", "per_layer_width", "hidden"),
            linear("per_layer_projection", "other", "", "hidden", "per_layer_width"),
            norm("post_per_layer_input_norm", "block-norm"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
        under("altup_projections.{e}.", tensor("weight", "other", "hidden, hidden"), experts="altup - 1"),
        under("altup_unembed_projections.{e}.", tensor("weight", "other", "hidden, hidden"), experts="altup - 1"),
    ),
    norm=Norm(placement="sandwich"),
    kv="2*kv_heads*head_dim if own_kv else 0",
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % 5 else 'full')",
    renames=FROM_MULTIMODAL,
    unread=("hidden_act",),
)


def _embedder(name: str, tower: str, role: str) -> Slots:
    """Gemma3nMultimodalEmbedder: from a tower's width to the decoder's; its last norm has no weight."""
    return under(
        name,
        tensor("embedding.weight", role, f"{tower}.vocab, {tower}.hidden"),
        tensor("hard_embedding_norm.weight", role, f"{tower}.hidden"),
        tensor("soft_embedding_norm.weight", role, f"{tower}.hidden"),
        tensor("embedding_projection.weight", role, f"text.hidden, {tower}.hidden"),
    )


GEMMA3N: Final = Family(
    id="gemma3n",
    source="transformers 5.23 Gemma3nConfig, Gemma3nForConditionalGeneration (the image tower is timm's)",
    base="model",
    keys={"tie": key("tie_word_embeddings", True)},
    body=slots(_embedder("embed_vision.", "vision", "projector"), _embedder("embed_audio.", "audio", "projector")),
    heads={"ForConditionalGeneration": WRAPPER_HEAD},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "gemma3n_text", "model.language_model.", main=True),
        Part("vision", "vision_config", "gemma3n_vision", "model.vision_tower.", role="vision", fixed=True),
        Part("audio", "audio_config", "gemma3n_audio", "model.audio_tower.", role="audio", fixed=True),
    ),
)

"""Gemma 4: Gemma 3's decoder with wider heads on full layers, per-layer inputs, and experts beside the dense block.

Facts from transformers 5.23, ``models/gemma4``, ``models/gemma4_unified`` and their ``_assistant`` models.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key, rope_theta, share, window, window_theta
from cfgexplain.families.expr import function
from cfgexplain.families.gemma import FROM_MULTIMODAL, WRAPPER_HEAD
from cfgexplain.families.llama import GEMMA, LAYER_TYPES, SANDWICH_NORMS
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    embedding,
    gated_mlp,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)


@function
def layer_override(config: object, i: int, name: str, usual: object) -> object:
    """A value from ``per_layer_config`` (layer indices as text, perhaps with leading zeros), else the usual one."""
    if isinstance(config, dict):
        for spelling in (str(i), f"{i:02d}", f"{i:03d}"):
            entry = config.get(spelling)
            if isinstance(entry, dict) and name in entry:
                return entry[name]
    return usual


_HEADS: Final = "heads*width_of_head"
_KV: Final = "kv_heads_here*width_of_head"

_ATTN: Final = slots(
    linear("self_attn.q_proj", "attention", "q", _HEADS, "hidden", "attention_bias"),
    norm("self_attn.q_norm", "attention-norm", "width_of_head", part="q_norm"),
    when(
        "own_kv",
        norm("self_attn.k_norm", "attention-norm", "width_of_head", part="k_norm"),
        linear("self_attn.k_proj", "attention", "k", _KV, "hidden", "attention_bias"),
    ),
    when(
        "own_kv and not (k_eq_v and not sliding)",
        linear("self_attn.v_proj", "attention", "v", _KV, "hidden", "attention_bias"),
    ),
    # Published files still hold these for layers that reuse a cache; the library ignores them.
    when(
        "not own_kv",
        tensor("self_attn.k_norm.weight", "buffer", "width_of_head", kind="buffer"),
        tensor("self_attn.k_proj.weight", "buffer", f"{_KV}, hidden", kind="buffer"),
        tensor("self_attn.v_proj.weight", "buffer", f"{_KV}, hidden", kind="buffer"),
    ),
    linear("self_attn.o_proj", "attention", "o", "hidden", _HEADS, "attention_bias"),
)

_MOE: Final = slots(
    linear("router.proj", "router", "", "experts", "hidden"),
    tensor("router.scale", "router", "hidden"),
    tensor("router.per_expert_scale", "router", "experts"),
    tensor("experts.gate_up_proj", "experts", "experts, 2*moe_ffn, hidden", "gate_up"),
    tensor("experts.down_proj", "experts", "experts, hidden, moe_ffn", "down"),
    norm("post_feedforward_layernorm_1"), norm("post_feedforward_layernorm_2"), norm("pre_feedforward_layernorm_2"),
)

_PER_LAYER_INPUTS: Final = slots(
    linear("per_layer_input_gate", "other", "", "per_layer_width", "hidden"),
    linear("per_layer_projection", "other", "", "hidden", "per_layer_width"),
    norm("post_per_layer_input_norm"),
)

_KEYS: Final = {
    **decoder_keys(
        hidden=2304, ffn=9216, layers=30, heads=8, kv_heads=4, head_dim=256, vocab=262144, eps=1e-6, tie=True,
        max_pos=131072, attention_bias=key("attention_bias", False), window=window(512),
        layer_types=LAYER_TYPES, k_eq_v=key("attention_k_eq_v", False), shared=key("num_kv_shared_layers", 0),
        double_wide=key("use_double_wide_mlp", False), overrides=key("per_layer_config", None, "dict"),
        global_head_dim=key("global_head_dim", 512), global_kv_heads=key("num_global_key_value_heads", None, "int"),
    ),
    "act": key("hidden_activation", "gelu_pytorch_tanh"),
    "theta": rope_theta(1000000.0), "window_theta": window_theta(10000.0), "rotary_share": share(0.25),
    "window_share": key((), 1.0),
    # "all": attention is not causal, and nothing is kept; "vision": among an image's tokens.
    "both_ways": key("use_bidirectional_attention", None, "str"),
}

_LETS: Final = {
    # The last layer is forced to full attention, whatever the list says.
    "sliding": "i != layers - 1 and (layer_types[i] == 'sliding_attention' if layer_types else (i + 1) % 6 != 0)",
    # Before per_layer_config existed, the full layers' own sizes stood under two keys of their own.
    "width_of_head": "layer_override(overrides, i, 'head_dim', head_dim) if overrides is not None"
    " else (head_dim if sliding else global_head_dim)",
    "kv_heads_here": "layer_override(overrides, i, 'num_key_value_heads', kv_heads) if overrides is not None"
    " else (global_kv_heads if k_eq_v and not sliding and global_kv_heads is not None else kv_heads)",
    "own_kv": "i < layers - shared",
    "width": "2*ffn if double_wide and not own_kv else ffn",
}


def _body(*more: Slots, mlp: Slots) -> Slots:
    """Embedding, layers, final norm; ``more`` in each layer."""
    return slots(
        embedding("embed_tokens"),
        under(
            "layers.{i}.", _ATTN, mlp, SANDWICH_NORMS, tensor("layer_scalar", "buffer", "1", kind="buffer"), *more,
            layers="layers",
        ),
        norm("norm", "final-norm"),
    )


GEMMA4_UNIFIED_TEXT: Final = replace(
    GEMMA,
    id="gemma4_unified_text",
    source="transformers 5.23 Gemma4UnifiedTextConfig, Gemma4UnifiedTextModel (gain w; v_norm without a weight)",
    keys={**_KEYS, "max_pos": key("max_position_embeddings", 262144), "window": window(1024),
          "both_ways": key("use_bidirectional_attention", "vision", "str", null=E("None"))},
    lets=_LETS,
    body=_body(mlp=gated_mlp(width="width")),
    norm=Norm(placement="sandwich"),
    kv="2*kv_heads_here*width_of_head if own_kv and both_ways != 'all' else 0",
    layer_kind="'sliding' if sliding else 'full'",
    renames=FROM_MULTIMODAL,
    unread=("hidden_act",),
)

GEMMA4_TEXT: Final = replace(
    GEMMA4_UNIFIED_TEXT,
    id="gemma4_text",
    source="transformers 5.23 Gemma4TextConfig, Gemma4TextDecoderLayer (the dense block runs beside the "
    "experts), Gemma4TextRouter",
    keys={
        **_KEYS,
        "per_layer_width": key("hidden_size_per_layer_input", 256),
        "per_layer_vocab": key("vocab_size_per_layer_input", 262144),
        "moe": key("enable_moe_block", False),
        "experts": key("num_experts", None, "int"),
        "top_k": key("top_k_experts", None, "int"),
        "moe_ffn": key("moe_intermediate_size", None, "int"),
        "shared_ffn": key((), E("ffn")),
    },
    body=slots(
        _body(
            when("moe", _MOE),
            when("per_layer_width", _PER_LAYER_INPUTS),
            mlp=slots(
                when("not moe", gated_mlp(width="width")), when("moe", gated_mlp(width="width", role="shared-experts")),
            ),
        ),
        when(
            "per_layer_width",
            embedding("embed_tokens_per_layer", "per_layer_vocab", "layers*per_layer_width"),
            linear("per_layer_model_projection", "other", "", "layers*per_layer_width", "hidden"),
            norm("per_layer_projection_norm", "other-norm", "per_layer_width"),
        ),
    ),
)

# --- wrappers ---

_WRAPPER_KEYS: Final = {
    "tie": key("tie_word_embeddings", True),
    "seen": key("vision_config", None, "dict"),
    "heard": key("audio_config", None, "dict"),
}

GEMMA4: Final = Family(
    id="gemma4",
    source="transformers 5.23 Gemma4Config, Gemma4ForConditionalGeneration, Gemma4MultimodalEmbedder",
    base="model",
    keys=_WRAPPER_KEYS,
    body=slots(
        tensor(
            "embed_vision.embedding_projection.weight", "projector", "text.hidden, vision.hidden",
            cond="seen is not None",
        ),
        tensor(
            "embed_audio.embedding_projection.weight", "projector", "text.hidden, audio.out", cond="heard is not None",
        ),
    ),
    heads={"ForConditionalGeneration": WRAPPER_HEAD},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "gemma4_text", "model.language_model.", main=True),
        Part("vision", "vision_config", "gemma4_vision", "model.vision_tower.", role="vision", when="seen is not None"),
        Part("audio", "audio_config", "gemma4_audio", "model.audio_tower.", role="audio", when="heard is not None"),
    ),
)

GEMMA4_UNIFIED: Final = replace(
    GEMMA4,
    id="gemma4_unified",
    source="transformers 5.23 Gemma4UnifiedConfig, Gemma4UnifiedForConditionalGeneration, conversion_mapping.py "
    "(vision_embedder)",
    body=slots(
        tensor(
            "embed_vision.embedding_projection.weight", "projector", "text.hidden, vision.out", cond="seen is not None",
        ),
        tensor(
            "embed_audio.embedding_projection.weight", "projector", "text.hidden, audio.hidden",
            cond="heard is not None",
        ),
    ),
    parts=(
        Part("text", "text_config", "gemma4_unified_text", "model.language_model.", main=True),
        Part(
            "vision", "vision_config", "gemma4_unified_vision", "model.vision_embedder.", role="vision",
            when="seen is not None",
        ),
        Part(
            "audio", "audio_config", "gemma4_unified_audio", "model.audio_tower.", role="audio",
            when="heard is not None",
        ),
    ),
)

GEMMA4_ASSISTANT: Final = Family(
    id="gemma4_assistant",
    source="transformers 5.23 Gemma4AssistantConfig, Gemma4AssistantForCausalLM (drafts with the target's cache: "
    "no k, no v)",
    base="model",
    keys={
        "tie": key("tie_word_embeddings", True),
        "backbone": key("backbone_hidden_size", 1536),
        "ordered": key("use_ordered_embeddings", False),
        "centroids": key("num_centroids", 2048),
    },
    body=(),
    heads={
        "ForCausalLM": slots(
            WRAPPER_HEAD,
            linear("pre_projection", "other", "", "text.hidden", "2*backbone"),
            linear("post_projection", "other", "", "backbone", "text.hidden"),
            when("ordered", linear("masked_embedding.centroids", "other", "", "centroids", "text.hidden")),
            tensor("masked_embedding.token_ordering", "buffer", "text.vocab", cond="ordered", kind="buffer"),
        ),
    },
    parts=(Part("text", "text_config", "gemma4_assistant_text", "model.", main=True, fixed=True),),
)

#: A shared count of nought means all layers here (Gemma4AssistantConfig.__post_init__).
GEMMA4_ASSISTANT_TEXT: Final = replace(
    GEMMA4_TEXT,
    id="gemma4_assistant_text",
    lets={**_LETS, "own_kv": "i < layers - (shared or layers)"},
    kv="0",
)

GEMMA4_UNIFIED_ASSISTANT: Final = replace(
    GEMMA4_ASSISTANT,
    id="gemma4_unified_assistant",
    source="transformers 5.23 Gemma4UnifiedAssistantConfig, Gemma4UnifiedAssistantForCausalLM",
    keys={**GEMMA4_ASSISTANT.keys, "backbone": key("backbone_hidden_size", 3840)},
    parts=(Part("text", "text_config", "gemma4_unified_assistant_text", "model.", main=True, fixed=True),),
)

GEMMA4_UNIFIED_ASSISTANT_TEXT: Final = replace(
    GEMMA4_UNIFIED_TEXT,
    id="gemma4_unified_assistant_text",
    lets=GEMMA4_ASSISTANT_TEXT.lets,
    kv="0",
)

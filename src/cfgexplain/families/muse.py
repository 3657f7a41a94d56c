"""Muse: decoders with gated attention and norms before and after each branch, an image tower, and in Spark an ear.

Facts from transformers 5.24, ``models/muse_glimmer`` and ``models/muse_spark``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_heads, decoder_keys, key, rope_theta
from cfgexplain.families.llama import LAYER_TYPES, SANDWICH_NORMS, decoder
from cfgexplain.families.moe_blocks import correction, moe_keys, router
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    lm_head,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import tower_keys

# --- text ---

#: Queries and keys are normalised without a gain; the output is gated by the layer's input.
_ATTENTION: Final = slots(
    attention(bias="attention_bias"), linear("self_attn.gate_proj", "attention", "gate", "heads*head_dim", "hidden"),
)
MUSE_GLIMMER_TEXT: Final = Family(
    id="muse_glimmer_text",
    source="transformers 5.24 MuseGlimmerTextConfig, MuseGlimmerTextCenteredRMSNorm (gain 1 + w; those after a branch"
    " use post_norm_eps; the final norm's gain is w)",
    base="model",
    keys={
        **decoder_keys(hidden=6656, ffn=19968, layers=52, heads=32, kv_heads=2, head_dim=128, vocab=202048, eps=1e-5,
                       max_pos=131072, attention_bias=key("attention_bias", False),
                       window=key("sliding_window", 2048, "int"), layer_types=LAYER_TYPES),
        "act": key(("hidden_activation", "hidden_act"), "silu"), "post_eps": key("post_norm_eps", 1e-8),
    },
    body=decoder(_ATTENTION, gated_mlp(), SANDWICH_NORMS),
    heads=decoder_heads(),
    norm=Norm(placement="sandwich", gain="1+w", qk=True),
    layer_kind="kind(layer_types[i]) if layer_types else 'sliding' if (layers - 1 - i) % 4 else 'full'",
)
_EXPERTS: Final = slots(
    router(), correction(),
    linear("mlp.pre_expert_proj", "ffn", "latent_in", "moe_hidden", "hidden"),
    norm("mlp.pre_expert_norm", "other-norm", "moe_hidden"),
    tensor("mlp.experts.gate_up_proj", "experts", "experts, 2*moe_ffn, moe_hidden", "gate_up"),
    tensor("mlp.experts.down_proj", "experts", "experts, moe_hidden, moe_ffn", "down"),
    norm("mlp.experts.post_expert_norm", "other-norm", "moe_hidden"),
    linear("mlp.post_expert_proj", "ffn", "latent_out", "hidden", "moe_hidden"),
)
MUSE_SPARK_TEXT: Final = replace(
    MUSE_GLIMMER_TEXT,
    id="muse_spark_text",
    source="transformers 5.24 MuseSparkTextConfig, MuseSparkMoE (experts in a space of their own);"
    " the norm after attention has no gain",
    keys={
        **MUSE_GLIMMER_TEXT.keys, **moe_keys(experts=256, top_k=8, moe_ffn=4096, names=("num_local_experts",
            "num_experts")),
        "moe_hidden": key("moe_hidden_size", 4096), "mlp_types": key("mlp_layer_types", None, "list"),
        "hidden": key("hidden_size", 8192), "ffn": key("intermediate_size", 16384),
        "layers": key("num_hidden_layers", 62), "heads": key("num_attention_heads", 128),
        "kv_heads": key("num_key_value_heads", 16, null=E("heads")),
        "head_dim": key("head_dim", 64, null=E("hidden // heads")),
        "max_pos": key("max_position_embeddings", 1048576), "act": key("hidden_act", "silu"),
        "theta": rope_theta(500000.0),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else True"},
    body=decoder(
        _ATTENTION, when("sparse", _EXPERTS), when("not sparse", gated_mlp()),
        norm("input_layernorm"), norm("pre_feedforward_layernorm"), norm("post_feedforward_layernorm"),
        tensor("post_attention_residual_gate.gate", "other", "hidden"),
        tensor("post_feedforward_residual_gate.gate", "other", "hidden"),
    ),
)

# --- towers ---

MUSE_VISION: Final = Family(
    id="muse_glimmer_vision",
    source="transformers 5.24 MuseGlimmerVisionConfig, MuseGlimmerVisionModel",
    base="",
    keys={
        **tower_keys(hidden=1536, ffn=8960, layers=50, heads=16, patch=14, eps=1e-5, act="gelu"),
        "frames": key("patch_temporal", 2), "height": key("pos_emb_height", 32), "width": key("pos_emb_width", 32),
        "channels": key((), 3),
    },
    body=slots(
        linear("patch_embedder.patch_embedding", "vision", "", "hidden", "channels*frames*patch*patch"),
        embedding("patch_embedder.position_embedding_table", "height*width", role="position-embedding"),
        norm("ln_pre", "other-norm", bias="1"),
        under(
            "layers.{i}.",
            attention("attn.", o="proj", bias="1", kv_heads="heads"), plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            norm("norm1", bias="1"), norm("norm2", bias="1"),
            layers="layers",
        ),
        norm("ln_post", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)
#: Stages of ConvNeXt's blocks; ``{e}`` is the block in its stage.
MUSE_AUDIO: Final = Family(
    id="muse_spark_audio",
    source="transformers 5.24 MuseSparkAudioConfig, MuseSparkAudioModel",
    base="",
    keys={
        "layers": key("num_hidden_layers", 4), "patches": key("patch_sizes", (16, 6, 5, 4)),
        "widths": key("hidden_sizes", (256, 512, 1024, 2048)), "depths": key("depths", (2, 2, 2, 2)),
        "ratio": key("mlp_ratio", 4.0, "int float"), "kernel": key("conv_kernel_size", 7),
        "out": key("out_hidden_size", 8192), "eps": key("rms_norm_eps", 1e-6), "act": key("hidden_act", "gelu"),
    },
    lets={"here": "widths[i]", "inner": "int(widths[i]*ratio)", "before": "widths[i - 1] if i else 1"},
    body=slots(
        under(
            "layers.{i}.",
            linear("patch_embedder.proj", "audio", "", "here", "before*patches[i]", "1"),
            norm("patch_embedder.norm", "audio", "here"),
            under(
                "conv_blocks.{e}.",
                tensor("conv.weight", "audio", "here, 1, kernel"), tensor("conv.bias", "audio", "here"),
                norm("norm", "audio", "here"), plain_mlp("mlp.fc1", "mlp.fc2", "inner", "audio", "1", "here"),
                experts="depths[i]",
            ),
            layers="layers",
        ),
        norm("norm", "audio", "widths[layers - 1]"), linear("proj", "audio", "", "out", "widths[layers - 1]", "1"),
        norm("post_proj_norm", "audio", "out"),
    ),
    norm=Norm(),
    head="Model",
    kv="0",
)

# --- together ---

_ADAPTER: Final[Slots] = slots(
    linear("vision_adapter.fc1", "projector", "", "projected", "out"),
    linear("vision_adapter.fc2", "projector", "", "projected", "projected"),
    linear("vision_projection", "projector", "", "text.hidden", "projected"),
)
MUSE_GLIMMER: Final = Family(
    id="muse_glimmer",
    source="transformers 5.24 MuseGlimmerConfig, MuseGlimmerForConditionalGeneration",
    base="model",
    keys={
        "tie": key("tie_word_embeddings", False), "out": key("out_hidden_size", 6144),
        "projected": key("projector_hidden_size", 4096),
    },
    body=_ADAPTER,
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "muse_glimmer_text", "model.language_model.", main=True, fixed=True),
        Part("vision", "vision_config", "muse_glimmer_vision", "model.vision_tower.", role="vision", fixed=True),
    ),
)
MUSE_SPARK: Final = replace(
    MUSE_GLIMMER,
    id="muse_spark",
    source="transformers 5.24 MuseSparkConfig, MuseSparkForConditionalGeneration (the head is never the embedding's)",
    keys={**MUSE_GLIMMER.keys, "tie": key((), False)},
    heads={"ForConditionalGeneration": lm_head(rows="text.vocab", cols="text.hidden", tie="")},
    parts=(
        Part("text", "text_config", "muse_spark_text", "model.language_model.", main=True, fixed=True),
        MUSE_GLIMMER.parts[1],
        Part("audio", "audio_config", "muse_spark_audio", "model.audio_tower.", role="audio", fixed=True),
    ),
)

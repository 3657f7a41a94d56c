"""Cosmos 3, under the names of a diffusion pipeline, and ERNIE 4.5 VL, with experts for each modality.

Facts from transformers 5.24, ``models/{cosmos3_edge,cosmos3_omni,ernie4_5_vl_moe}``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.expr import UnknownValue, function
from cfgexplain.families.llama import ATTN, LLAMA, PRE_NORMS, QK_HEAD_NORMS, decoder
from cfgexplain.families.moe_blocks import mixed, moe_keys, split_experts
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
    rename,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import tower_keys

# --- Cosmos 3: names of a pipeline of diffusers ---

TO: Final = {
    "self_attn.q_proj": "self_attn.to_q", "self_attn.k_proj": "self_attn.to_k", "self_attn.v_proj": "self_attn.to_v",
    "self_attn.o_proj": "self_attn.to_out", "self_attn.q_norm": "self_attn.norm_q",
    "self_attn.k_norm": "self_attn.norm_k",
}
#: The library's own names, as it holds them in memory.
FROM: Final = (
    (r"^model\.language_model\.", ""),
    *((rf"\.{old.replace('.', chr(92) + '.')}\.", f".{new}.") for old, new in TO.items()),
)

COSMOS3_EDGE_TEXT: Final = replace(
    LLAMA,
    id="cosmos3_edge_text",
    source="transformers 5.24 Cosmos3EdgeTextConfig, Cosmos3EdgeTextModel (squared ReLU, no gate); names as published",
    keys=decoder_keys(
        hidden=2048, ffn=9216, layers=28, heads=16, kv_heads=8, head_dim=128, vocab=131072, eps=1e-5, act="relu2",
        max_pos=131072, theta=1e8, attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
    ),
    body=rename(decoder(ATTN, plain_mlp("mlp.up_proj", "mlp.down_proj", bias="mlp_bias"), PRE_NORMS), TO),
)
COSMOS3_EDGE_VISION: Final = Family(
    id="cosmos3_edge_vision",
    source="transformers 5.24 Cosmos3EdgeVisionConfig, Cosmos3EdgeVisionModel; names as published",
    base="",
    keys={
        **tower_keys(hidden=1152, ffn=4304, layers=27, heads=16), "patches": key("num_patches", 256),
        "merge": key("spatial_merge_size", 2),
    },
    body=slots(
        linear("embeddings.patch_embedding", "vision", "", "hidden", "channels*pair(patch, 0)*pair(patch, 1)", "1"),
        embedding("embeddings.position_embedding", "patches", role="position-embedding"),
        under(
            "encoder.layers.{i}.",
            norm("layer_norm1", bias="1"),
            attention("self_attn.", "to_q", "to_k", "to_v", "out_proj", bias="1", kv_heads="heads"),
            norm("layer_norm2", bias="1"),
            plain_mlp("mlp.up_proj", "mlp.down_proj", bias="1"),
            layers="layers",
        ),
        norm("post_layernorm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)
COSMOS3_EDGE: Final = Family(
    id="cosmos3_edge",
    source="transformers 5.24 Cosmos3EdgeConfig, Cosmos3EdgeForConditionalGeneration; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", False), "project": key("projector_hidden_size", 11520)},
    body=under(
        "model.projector.",
        norm("norm", "projector", "vision.hidden", "1"),
        linear("linear_fc1", "projector", "", "project", "vision.hidden*vision.merge**2", "1"),
        linear("linear_fc2", "projector", "", "text.hidden", "project", "1"),
    ),
    # The library never ties this head, whatever the key says.
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.vocab", "text.hidden", tie="")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "cosmos3_edge_text", "", main=True, fixed=True),
        Part("vision", "vision_config", "cosmos3_edge_vision", "model.visual.", role="vision", fixed=True),
    ),
    renames=(
        (
            *FROM, (r"^(layers\.\d+)\.mlp\.fc1\.", r"\1.mlp.up_proj."),
            (r"^(layers\.\d+)\.mlp\.fc2\.", r"\1.mlp.down_proj."),
        ),
    ),
)

COSMOS3_OMNI_TEXT: Final = replace(
    LLAMA,
    id="cosmos3_omni_text",
    source="transformers 5.24 Qwen3VLTextConfig, Cosmos3OmniForConditionalGeneration; names as published",
    keys=decoder_keys(
        hidden=4096, ffn=22016, layers=32, heads=32, kv_heads=32, head_dim=128, vocab=151936, eps=1e-6, max_pos=128000,
        attention_bias=key("attention_bias", False),
    ),
    body=rename(decoder(ATTN, QK_HEAD_NORMS, gated_mlp(), PRE_NORMS), TO),
)
COSMOS3_OMNI: Final = Family(
    id="cosmos3_omni",
    source="transformers 5.24 Cosmos3OmniConfig, Cosmos3OmniForConditionalGeneration; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "cosmos3_omni_text", "", main=True, fixed=True),
        Part("vision", "vision_config", "qwen3_vl_vision", "", role="vision", fixed=True),
    ),
    renames=((*FROM, (r"^model\.visual\.", "")),),
)

# --- ERNIE 4.5 VL: experts for text and experts for images, each with a router ---


@function
def numbered(first: object, end: object) -> list[str]:
    """Indices from ``first`` to before ``end``, as names."""
    if not (isinstance(first, int) and isinstance(end, int)) or not 0 <= first <= end <= 65536:
        raise UnknownValue("numbered")
    return [str(n) for n in range(first, end)]


ERNIE_VL_TEXT: Final = replace(
    LLAMA,
    id="ernie4_5_vl_moe_text",
    source="transformers 5.24 Ernie4_5_VLMoeTextConfig, Ernie4_5_VLMoeMoeBlock (text experts first, then as many for"
    " images); names as published",
    keys={
        **decoder_keys(hidden=2560, ffn=12288, layers=28, heads=20, kv_heads=4, vocab=103424, eps=1e-5, tie=True,
                       max_pos=131072, theta=5e5, use_bias=key("use_bias", False)),
        **moe_keys(experts=64, top_k=6, moe_ffn=1536, names=("moe_num_experts", "num_experts"),
                   top_k_names=("moe_k", "num_experts_per_tok"), shared=2, shared_names="moe_num_shared_experts"),
        "widths": key("moe_intermediate_size", (1536, 512), null=E("(1536, 512)")), "moe_ffn": key((), E("widths[0]")),
        "mlp_types": key("mlp_layer_types", None, "list"),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= 1"},
    body=decoder(
        attention(bias="use_bias"),
        mixed(
            "sparse",
            slots(
                tensor("mlp.gate.weight", "router", "hidden, experts", "router"),
                tensor("mlp.gate.weight_1", "router", "hidden, experts", "router"),
                tensor("mlp.moe_statics.e_score_correction_bias", "router", "2, experts", "router"),
                split_experts(width="widths[0]"),
                split_experts(width="widths[1]", experts="numbered(experts, 2*experts)"),
                when("shared_ffn", gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts", "use_bias")),
            ),
            gated_mlp(bias="use_bias"),
        ),
        PRE_NORMS,
    ),
)
ERNIE_VL_VISION: Final = Family(
    id="ernie4_5_vl_moe_vision",
    source="transformers 5.24 Ernie4_5_VLMoeVisionConfig, Ernie4_5_VLMoeVisionTransformerPretrainedModel",
    base="",
    keys={
        **tower_keys(hidden=1280, ffn=5120, layers=32, heads=16, patch=14, act="quick_gelu"),
        "layers": key(("depth", "num_hidden_layers"), 32), "heads": key(("num_heads", "num_attention_heads"), 16),
        "channels": key("in_channels", 3), "eps": key("rms_norm_eps", 1e-6), "merge": key("spatial_merge_size", 2),
        "merge_time": key("temporal_merge_size", 2),
    },
    body=slots(
        tensor("patch_embed.proj.weight", "vision", "hidden, channels*pair(patch, 0)*pair(patch, 1)"),
        under(
            "blocks.{i}.",
            norm("norm1", bias="1"),
            linear("attn.qkv", "attention", "qkv", "3*hidden", "hidden", "1"),
            linear("attn.proj", "attention", "o", "hidden", "hidden", "1"),
            norm("norm2", bias="1"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
        norm("ln", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)
_SPACE: Final = "vision.hidden*vision.merge**2"


def _resampler(name: str, into: str) -> Slots:
    return slots(
        linear(f"{name}.0", "projector", "", _SPACE if "temporal" in name else into, into, "1"),
        linear(f"{name}.2", "projector", "", _SPACE, _SPACE, "1"), norm(f"{name}.3", "projector", _SPACE, "1"),
    )


ERNIE_VL: Final = Family(
    id="ernie4_5_vl_moe",
    source="transformers 5.24 Ernie4_5_VLMoeConfig, Ernie4_5_VLMoeVariableResolutionResamplerModel; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", True)},
    body=under(
        "model.resampler_model.",
        _resampler("spatial_linear", _SPACE), _resampler("temporal_linear", f"{_SPACE}*vision.merge_time"),
        linear("mlp", "projector", "", "text.hidden", _SPACE, "1"), norm("after_norm", "projector", "text.hidden"),
    ),
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "ernie4_5_vl_moe_text", "model.", main=True, fixed=True),
        Part("vision", "vision_config", "ernie4_5_vl_moe_vision", "model.vision_model.", role="vision", fixed=True),
    ),
    renames=(((r"^vision_model\.", "model.vision_model."),),),
)

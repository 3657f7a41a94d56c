"""CLIP and SigLIP as models of their own: a text tower beside the image tower, and what brings both to one space.

Facts from transformers 5.24, ``models/clip`` and ``models/siglip``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, key
from cfgexplain.families.schema import E, Family, Norm, Part, embedding, linear, norm, replace, slots, tensor, when
from cfgexplain.families.vision import BLOCK

CLIP_TEXT: Final = Family(
    id="clip_text_model",
    source="transformers 5.24 CLIPTextConfig, CLIPTextModel",
    base="text_model",
    keys={
        "vocab": key("vocab_size", 49408), "hidden": key("hidden_size", 512), "ffn": key("intermediate_size", 2048),
        "layers": key("num_hidden_layers", 12), "heads": key("num_attention_heads", 8), "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")), "max_pos": key("max_position_embeddings", 77),
        "eps": key("layer_norm_eps", 1e-5), "act": key("hidden_act", "quick_gelu"),
        "projected": key("projection_dim", 512),
    },
    body=slots(
        embedding("embeddings.token_embedding"), embedding("embeddings.position_embedding", "max_pos",
            role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, max_pos", kind="buffer"),
        BLOCK,
        norm("final_layer_norm", "final-norm", bias="1"),
    ),
    heads={"ModelWithProjection": linear("text_projection", "projector", "", "projected", "hidden"), "TextModel": ()},
    head="TextModel",
    norm=Norm("layernorm"),
    # The mask is causal, but a text is read once, whole, and nothing is written.
    kv="0",
    renames=(((r"^(embeddings|encoder|final_layer_norm)\.", r"text_model.\1."),),),
)
SIGLIP_TEXT: Final = replace(
    CLIP_TEXT,
    id="siglip_text_model",
    source="transformers 5.24 SiglipTextConfig, SiglipTextModel (a matrix behind the last norm)",
    keys={
        **CLIP_TEXT.keys, "vocab": key("vocab_size", 32000), "hidden": key("hidden_size", 768),
        "ffn": key("intermediate_size", 3072), "heads": key("num_attention_heads", 12),
        "max_pos": key("max_position_embeddings", 64), "eps": key("layer_norm_eps", 1e-6),
        "act": key("hidden_act", "gelu_pytorch_tanh"), "projected": key("projection_size", E("hidden")),
    },
    body=slots(CLIP_TEXT.body, linear("head", "projector", "", "projected", "hidden", "1")),
    heads={"TextModel": ()},
    renames=(((r"^(embeddings|encoder|final_layer_norm|head)\.", r"text_model.\1."),),),
)
#: The classifier takes the tower for images alone.
_IMAGES: Final = "cls == 'ForImageClassification'"
_BOTH: Final = f"not ({_IMAGES})"
_CLASSIFIER: Final = linear("classifier", "other", "", "labels", "tower.hidden", "1")


def _towers(name: str) -> tuple[Part, ...]:
    """The two encoders; for a classifier of images one."""
    seen = Part("vision", "vision_config", f"{name}_vision_model", "vision_model.", role="vision", fixed=True)
    return (
        Part("text", "text_config", f"{name}_text_model", "text_model.", main=True, fixed=True, when=_BOTH),
        seen._replace(when=_BOTH), seen._replace(name="tower", main=True, role="", when=_IMAGES),
    )


CLIP: Final = Family(
    id="clip",
    source="transformers 5.24 CLIPConfig, CLIPModel",
    base="",
    keys={"projected": key("projection_dim", 512), **LABELS},
    body=when(
        _BOTH,
        linear("text_projection", "projector", "", "projected", "text.hidden"),
        linear("visual_projection", "projector", "", "projected", "vision.hidden"), tensor("logit_scale", "other", ""),
    ),
    heads={"Model": (), "ForImageClassification": _CLASSIFIER},
    head="Model",
    parts=_towers("clip"),
)
SIGLIP: Final = replace(
    CLIP,
    id="siglip",
    source="transformers 5.24 SiglipConfig, SiglipModel",
    keys=LABELS,
    body=when(_BOTH, tensor("logit_scale", "other", "1"), tensor("logit_bias", "other", "1")),
    parts=_towers("siglip"),
)

"""T5's relatives that read pictures of text: Pix2Struct (patches of a screenshot) and UDOP (text, places and image).

Facts from transformers 5.24, ``models/pix2struct`` and ``models/udop``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slot,
    Slots,
    embedding,
    linear,
    norm,
    replace,
    slots,
    tensor,
    under,
)
from cfgexplain.families.t5 import HEAD, T5, t5_keys
from cfgexplain.families.vision import pair  # noqa: F401 - a function of the expressions below

# --- Pix2Struct ---


def _attend(name: str, role: str, wide: str) -> Slots:
    """Query, key, value and output under their full names."""
    return slots(
        *(linear(f"{name}{n}", role, n[0], wide, "hidden") for n in ("query", "key", "value")),
        linear(f"{name}output", role, "o", "hidden", wide),
    )


def _geglu(prefix: str) -> Slots:
    """T5's gated block: ``wi_0`` is the gate."""
    return slots(
        linear(f"{prefix}wi_0", "ffn", "gate", "ffn", "hidden"), linear(f"{prefix}wi_1", "ffn", "up", "ffn", "hidden"),
        linear(f"{prefix}wo", "ffn", "down", "hidden", "ffn"),
    )


PIX2STRUCT_TEXT: Final = Family(
    id="pix2struct_text_model",
    source="transformers 5.24 Pix2StructTextConfig, Pix2StructTextModel (attention is as wide as the model; d_kv is not"
    " read)",
    base="",
    keys={
        "vocab": key("vocab_size", 50244), "hidden": key("hidden_size", 768), "ffn": key("d_ff", 2048),
        "layers": key(("num_layers", "num_hidden_layers"), 12), "heads": key(("num_heads", "num_attention_heads"), 12),
        "kv_heads": key((), E("heads")), "head_dim": key((), E("hidden // heads")),
        "eps": key("layer_norm_epsilon", 1e-6), "act": key("dense_act_fn", "gelu_new"),
        "buckets": key("relative_attention_num_buckets", 32),
        "farthest": key("relative_attention_max_distance", 128),
    },
    body=slots(
        embedding("embed_tokens"),
        under(
            "layer.{i}.",
            _attend("self_attention.attention.", "attention", "hidden"),
            tensor("self_attention.attention.relative_attention_bias.weight", "attention", "buckets, heads",
                cond="i == 0"),
            norm("self_attention.layer_norm"),
            _attend("encoder_decoder_attention.attention.", "cross-attention", "hidden"),
            norm("encoder_decoder_attention.layer_norm"),
            _geglu("mlp.DenseReluDense."), norm("mlp.layer_norm"),
            layers="layers",
        ),
        norm("final_layer_norm", "final-norm"),
    ),
    heads={"ForCausalLM": linear("lm_head", "lm-head", "", "vocab", "hidden")},
    norm=Norm(),
    unread=("d_kv",),
)
PIX2STRUCT_VISION: Final = Family(
    id="pix2struct_vision_model",
    source="transformers 5.24 Pix2StructVisionConfig, Pix2StructVisionModel (flat patches, row and column)",
    base="",
    keys={
        "hidden": key("hidden_size", 768), "ffn": key("d_ff", 2048), "layers": key("num_hidden_layers", 12),
        "heads": key("num_attention_heads", 12), "kv_heads": key((), E("heads")), "head_dim": key("d_kv", 64),
        "patch": key("patch_embed_hidden_size", 768), "positions": key("seq_len", 4096),
        "eps": key("layer_norm_eps", 1e-6), "act": key("dense_act_fn", "gelu_new"),
    },
    body=slots(
        linear("embeddings.patch_projection", "vision", "", "hidden", "patch", "1"),
        embedding("embeddings.row_embedder", "positions", role="position-embedding"),
        embedding("embeddings.column_embedder", "positions", role="position-embedding"),
        under(
            "encoder.layer.{i}.",
            _attend("attention.", "attention", "heads*head_dim"), _geglu("mlp."),
            norm("pre_attention_layer_norm"), norm("pre_mlp_layer_norm"),
            layers="layers",
        ),
        norm("layernorm", "final-norm"),
    ),
    norm=Norm(),
    head="Model",
    kv="0",
)
PIX2STRUCT: Final = Family(
    id="pix2struct",
    source="transformers 5.24 Pix2StructConfig, Pix2StructForConditionalGeneration",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={
        "ForConditionalGeneration": slots(
            Slot("decoder.lm_head.weight", "lm-head", "", "text.vocab, text.hidden", "tie", kind="tied"),
            Slot("decoder.lm_head.weight", "lm-head", "", "text.vocab, text.hidden", "not tie"),
        ),
    },
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "pix2struct_text_model", "decoder.", main=True, fixed=True),
        Part("vision", "vision_config", "pix2struct_vision_model", "encoder.", role="vision", fixed=True),
    ),
)

# --- UDOP ---


def _image(name: str) -> Slots:
    """Patches to vectors."""
    return slots(
        tensor(f"{name}.weight", "vision", "hidden, channels, pair(patch, 0), pair(patch, 1)"),
        tensor(f"{name}.bias", "vision", "hidden"),
    )


_TIED_PATCHES: Final = tuple(s._replace(kind="tied") for s in _image("encoder.embed_patches.proj"))
_BIAS: Final = "relative_bias.biases.{i}.relative_attention_bias.weight"
UDOP: Final = replace(
    T5,
    id="udop",
    source="transformers 5.24 UdopConfig, UdopStack (biases by distance in the text and on the page)",
    keys={
        **t5_keys(vocab=33201, hidden=1024, ffn=4096, layers=24, heads=16),
        "tie": key((), True), "channels": key("num_channels", 3), "patch": key("patch_size", 16, "int list"),
        "places": key("max_2d_position_embeddings", 1024), "biases": key("relative_bias_args", None, "list"),
    },
    lets={"kinds": "len(biases) if biases is not None else 3", "alone": "cls == 'EncoderModel'"},
    body=slots(
        T5.body,
        embedding("encoder.cell_2d_embedding.x_position_embeddings", "places", role="position-embedding"),
        embedding("encoder.cell_2d_embedding.y_position_embeddings", "places", role="position-embedding"),
        # The bias by distance in the text is that of the first layer.
        *(
            Slot(f"{stack}.{_BIAS}", "attention", "", "buckets, heads", when + also, layers="kinds", kind=kind)
            for stack, also in (("encoder", ""), ("decoder", " and not alone"))
            for when, kind in (("i == 0", "tied"), ("i > 0", "param"))
        ),
        _image("patch_embed.proj"), _TIED_PATCHES,
        (s._replace(when="not alone") for s in _image("decoder.embed_patches.proj")),
    ),
    heads={"ForConditionalGeneration": HEAD, "EncoderModel": ()},
    renames=(),
)

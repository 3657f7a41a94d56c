"""Kosmos-2 and 2.5: a decoder with norms inside its blocks (Magneto), an image tower, learned queries between them.

Facts from transformers 5.24, ``models/kosmos2`` and ``models/kosmos2_5``. Peng et al. 2023 (2306.14824).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    attention,
    embedding,
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
from cfgexplain.families.wrappers import OLDER

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key


def kosmos_keys(*, vocab: int, hidden: int, ffn: int, heads: int, max_pos: int) -> dict[str, Key]:
    """The text model's keys."""
    return {
        "hidden": key(("embed_dim", "hidden_size"), hidden), "ffn": key("ffn_dim", ffn),
        "layers": key(("layers", "num_hidden_layers"), 24),
        "heads": key(("attention_heads", "num_attention_heads"), heads),
        "kv_heads": key((), E("heads")), "head_dim": key((), E("hidden // heads")), "vocab": key("vocab_size", vocab),
        "max_pos": key("max_position_embeddings", max_pos), "eps": key("layer_norm_eps", 1e-5),
        "act": key("activation_function", "gelu"), "cross": key("add_cross_attention", False),
    }


def kosmos_layer(inner: bool) -> Slots:
    """Norms before both branches and inside the feed-forward block; ``inner``: inside attention too (Magneto)."""
    return slots(
        attention(o="out_proj", bias="1", kv_heads="heads"),
        norm("self_attn.inner_attn_ln", "attention-norm", bias="1") if inner else (),
        norm("self_attn_layer_norm", bias="1"),
        when(
            "cross",
            attention("encoder_attn.", o="out_proj", bias="1", kv_heads="heads", role="cross-attention"),
            norm("encoder_attn_layer_norm", bias="1"),
        ) if inner else (),
        plain_mlp("ffn.fc1", "ffn.fc2", bias="1"),
        norm("ffn.ffn_layernorm", "other-norm", "ffn", "1"),
        norm("final_layer_norm", bias="1"),
    )


KOSMOS2_TEXT: Final = Family(
    id="kosmos_2_text_model",
    source="transformers 5.24 Kosmos2TextConfig, Kosmos2TextBlock (sinusoidal positions)",
    base="model",
    keys=kosmos_keys(vocab=65037, hidden=2048, ffn=8192, heads=32, max_pos=2048),
    body=slots(
        embedding("embed_tokens"),
        tensor("embed_positions.weights", "buffer", "", kind="buffer"),
        under("layers.{i}.", kosmos_layer(True), layers="layers"),
        norm("layer_norm", "final-norm", bias="1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
)
KOSMOS2_5_TEXT: Final = replace(
    KOSMOS2_TEXT,
    id="kosmos_2_5_text_model",
    source="transformers 5.24 Kosmos2_5TextConfig, Kosmos2_5TextBlock (segment embeddings tell image from text)",
    keys=kosmos_keys(vocab=108481, hidden=1536, ffn=6144, heads=16, max_pos=4096),
    body=slots(
        embedding("embed_tokens"),
        embedding("segment_emb", "2"),
        tensor("embed_positions.weights", "buffer", "", kind="buffer"),
        under("layers.{i}.", kosmos_layer(False), layers="layers"),
        norm("layer_norm", "final-norm", bias="1"),
    ),
)
KOSMOS2_5_VISION: Final = Family(
    id="kosmos_2_5_vision_model",
    source="transformers 5.24 Kosmos2_5VisionConfig, Kosmos2_5VisionModel (Pix2Struct's patches with rows and columns)",
    base="",
    keys={
        "hidden": key("hidden_size", 1536), "ffn": key("intermediate_size", 3968),
        "layers": key("num_hidden_layers", 18),
        "heads": key("num_attention_heads", 24), "kv_heads": key((), E("heads")), "head_dim": key("head_dim", 64),
        "patch": key("patch_embed_hidden_size", 768), "most": key("max_num_patches", 4096),
        "eps": key("layer_norm_eps", 1e-6), "act": key("dense_act_fn", "gelu_new"),
    },
    body=slots(
        linear("embeddings.patch_projection", "vision", "", "hidden", "patch", "1"),
        embedding("embeddings.row_embedder", "most"), embedding("embeddings.column_embedder", "most"),
        under(
            "encoder.layer.{i}.",
            attention("attention.", "query", "key", "value", "output", kv_heads="heads"),
            linear("mlp.wi_0", "ffn", "gate", "ffn", "hidden"), linear("mlp.wi_1", "ffn", "up", "ffn", "hidden"),
            linear("mlp.wo", "ffn", "down", "hidden", "ffn"),
            norm("pre_attention_layer_norm"), norm("pre_mlp_layer_norm"),
            layers="layers",
        ),
        norm("layernorm", "final-norm"),
    ),
    head="Model",
    kv="0",
)


def _kosmos(queries: int) -> tuple[dict[str, Key], Slots]:
    """Keys, and the block of learned queries between image and text."""
    return (
        {
            "queries": key("latent_query_num", queries), "tie": key("tie_word_embeddings", True),
            "inner_tie": key("text_config.tie_word_embeddings", True),
        },
        under(
            "image_to_text_projection.",
            tensor("latent_query", "projector", "queries, text.hidden"),
            linear("dense", "projector", "", "text.hidden", "vision.hidden", "1"),
            *(
                linear(f"x_attn.{m}_proj", "projector", "", "text.hidden", "text.hidden", "1")
                for m in ("k", "v", "q", "out")
            ),
        ),
    )


KOSMOS2: Final = Family(
    id="kosmos-2",
    source="transformers 5.24 Kosmos2Config, Kosmos2ForConditionalGeneration",
    base="",
    keys=_kosmos(64)[0],
    body=_kosmos(64)[1],
    heads={
        "ForConditionalGeneration": lm_head("text_model.lm_head", "text.vocab", "text.hidden", tie="tie or inner_tie"),
    },
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "kosmos_2_text_model", "text_model.model.", main=True, fixed=True),
        Part("vision", "vision_config", "kosmos_2_vision_model", "vision_model.model.", role="vision", fixed=True),
    ),
    renames=OLDER[:1],
)
KOSMOS2_5: Final = replace(
    KOSMOS2,
    id="kosmos-2.5",
    source="transformers 5.24 Kosmos2_5Config, Kosmos2_5ForConditionalGeneration",
    keys=_kosmos(2048)[0],
    heads={"ForConditionalGeneration": lm_head("text_model.lm_head", "text.vocab", "text.hidden", tie="inner_tie")},
    parts=(
        Part("text", "text_config", "kosmos_2_5_text_model", "text_model.model.", main=True, fixed=True),
        Part("vision", "vision_config", "kosmos_2_5_vision_model", "vision_model.", role="vision", fixed=True),
    ),
    renames=(),
)

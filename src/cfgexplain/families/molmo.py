"""Molmo: OLMo's names around a decoder, a tower of which only the layers that are read were published.

Molmo 2 from transformers 5.24, ``models/molmo2`` and ``conversion_mapping.py`` (names as published); Molmo from
allenai/Molmo-7B-D-0924, ``modeling_molmo.py`` and ``config_molmo.py`` (remote code), its tower in
``vision_published.py``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.expr import function
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
    form,
    linear,
    lm_head,
    norm,
    slots,
    tensor,
    under,
    when,
)


@function
def deepest(layers: object, count: int, trim: object) -> object:
    """How many layers a tower needs so that the deepest one read exists; ``count`` where nothing is trimmed."""
    if not trim or not isinstance(layers, (list, tuple)):
        return count
    return max(int(n) % count for n in layers) + 1


def _text(table: str, prefix: str = "") -> Slots:
    """Embeddings, blocks and the last norm under OLMo's names; ``table`` is the rows of the first table."""
    return slots(
        tensor("wte.embedding", "embedding", f"{table}, hidden"),
        under(
            "blocks.{i}.",
            linear(f"{prefix}att_proj", "attention", "qkv", "(heads + 2*kv_heads)*head_dim", "hidden", "qkv_bias"),
            linear(f"{prefix}attn_out", "attention", "o", "hidden", "heads*head_dim"),
            norm("attn_norm"), norm("ff_norm"),
            layers="layers",
        ),
        norm("ln_f", "final-norm"),
    )


_QK: Final = "head_dim if qk_type == 'qwen3' else"
MOLMO2_TEXT: Final = Family(
    id="molmo2_text",
    source="transformers 5.24 Molmo2TextConfig, Molmo2DecoderLayer (in the fused matrix the value comes first)",
    base="transformer",
    keys={
        **decoder_keys(hidden=4096, ffn=12288, layers=36, heads=32, kv_heads=8, head_dim=128, vocab=151936, eps=1e-6,
                       max_pos=36864),
        "eps": key(("rms_norm_eps", "layer_norm_eps"), 1e-6), "more": key("additional_vocab_size", 128),
        "qkv_bias": key(("attention_bias", "qkv_bias"), False), "qk_type": key("qk_norm_type", "qwen3"),
        "after": key("norm_after", False),
    },
    lets={"half": "(vocab + more) // 2"},
    body=slots(
        # Published: the vocabulary, and the added tokens after it. The library saves the joined table cut in half.
        form("tables/own", _text("vocab", "self_attn.")[:1], tensor("wte.new_embedding", "embedding", "more, hidden")),
        form("tables/halves", tensor("wte.embedding", "embedding", "vocab + more - half, hidden"),
             tensor("wte.new_embedding", "embedding", "half, hidden")),
        _text("vocab", "self_attn.")[1:],
        under(
            "blocks.{i}.",
            norm("self_attn.q_norm", "attention-norm", f"{_QK} heads*head_dim", part="q_norm"),
            norm("self_attn.k_norm", "attention-norm", f"{_QK} kv_heads*head_dim", part="k_norm"),
            linear("mlp.ff_proj", "ffn", "gate_up", "2*ffn", "hidden"),
            linear("mlp.ff_out", "ffn", "down", "hidden", "ffn"),
            layers="layers",
        ),
    ),
    heads={"ForCausalLM": linear("lm_head", "lm-head", "", "vocab", "hidden")},
    norm=Norm(placement=E("'output' if after else 'pre'")),
)


def _tower(prefix: str, *blocks: Slots) -> Slots:
    """The image tower; its keys are the outer family's, since how deep it is depends on what the adapter reads."""
    wide = "v_heads*v_head_dim"
    return under(
        prefix,
        tensor("positional_embedding", "vision", "v_positions, v_hidden"),
        linear("patch_embedding", "vision", "", "v_hidden", "v_channels*v_patch*v_patch", "1"),
        under(
            "transformer.resblocks.{i}.",
            linear("attention.wq", "vision", "", wide, "v_hidden", "v_bias"),
            linear("attention.wk", "vision", "", "v_kv_heads*v_head_dim", "v_hidden", "v_bias"),
            linear("attention.wv", "vision", "", "v_kv_heads*v_head_dim", "v_hidden", "v_bias"),
            linear("attention.wo", "vision", "", "v_hidden", wide, "v_bias"),
            linear("feed_forward.w1", "vision", "", "v_ffn", "v_hidden", "1"),
            linear("feed_forward.w2", "vision", "", "v_hidden", "v_ffn", "1"),
            norm("attention_norm", "vision", "v_hidden", "1"), norm("ffn_norm", "vision", "v_hidden", "1"),
            layers="v_layers",
        ),
        *blocks,
    )


def _seen(*names: str) -> tuple[str, ...]:
    """Paths of a tower's key under today's name of its config and under the older one."""
    return tuple(f"{where}.{n}" for where in ("vision_config", "vit_config") for n in names)


_ADAPTER_Q: Final = "a_heads*a_head_dim"
MOLMO2: Final = Family(
    id="molmo2",
    source="transformers 5.24 Molmo2Config, Molmo2ForConditionalGeneration; names as published",
    base="",
    keys={
        "tie": key((), False),
        "nested": key("vision_config", None, "dict"), "older": key("vit_config", None, "dict"),
        "read": key(("adapter_config.vit_layers", "adapter_config.vision_feature_layer"), (24, 18),
            null=E("(24, 18)"), low=-4096),
        "v_hidden": key(_seen("hidden_size"), 1152), "v_ffn": key(_seen("intermediate_size"), 4304),
        "v_count": key(_seen("num_hidden_layers"), 25), "v_heads": key(_seen("num_attention_heads"), 16),
        "v_kv_heads": key(_seen("num_key_value_heads"), 16), "v_head_dim": key(_seen("head_dim"), 72),
        "v_patch": key(_seen("image_patch_size", "patch_size"), 14), "v_channels": key(_seen("num_channels"), 3),
        "v_bias": key(_seen("attention_bias"), True),
        "v_image": key(_seen("image_default_input_size", "image_size"), (378, 378), null=E("(378, 378)")),
        "v_positions": key(
            _seen("image_num_pos", "num_position_embeddings"), E("(v_image[0] // v_patch)*(v_image[1] // v_patch)")
        ),
        "a_hidden": key("adapter_config.hidden_size", 1152), "a_heads": key("adapter_config.num_attention_heads", 16),
        "a_kv_heads": key("adapter_config.num_key_value_heads", 16), "a_head_dim": key("adapter_config.head_dim", 72),
        "a_ffn": key("adapter_config.intermediate_size", 18944), "a_bias": key("adapter_config.attention_bias", True),
        "a_out": key("adapter_config.text_hidden_size", 3584), "a_mlp_bias": key("adapter_config.mlp_bias", False),
    },
    lets={
        "v_layers": "deepest(read, v_count, nested is None and older is not None)", "a_in": "a_hidden*len(read)",
    },
    body=slots(
        _tower("model.vision_backbone.image_vit."),
        under(
            "model.vision_backbone.",
            linear("image_pooling_2d.wq", "projector", "", _ADAPTER_Q, "a_in", "a_bias"),
            linear("image_pooling_2d.wk", "projector", "", "a_kv_heads*a_head_dim", "a_in", "a_bias"),
            linear("image_pooling_2d.wv", "projector", "", "a_kv_heads*a_head_dim", "a_in", "a_bias"),
            linear("image_pooling_2d.wo", "projector", "", "a_hidden", _ADAPTER_Q, "a_bias"),
            linear("image_projector.w1", "projector", "", "a_ffn", "a_hidden", "a_mlp_bias"),
            linear("image_projector.w3", "projector", "", "a_ffn", "a_hidden", "a_mlp_bias"),
            linear("image_projector.w2", "projector", "", "a_out", "a_ffn"),
        ),
    ),
    heads={"ForConditionalGeneration": linear("lm_head", "lm-head", "", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(Part("text", "text_config", "molmo2_text", "model.transformer.", main=True, fixed=True),),
)

#: The first Molmo: the width key counts gate and value together.
MOLMO: Final = Family(
    id="molmo",
    source="allenai/Molmo-7B-D-0924, modeling_molmo.py, config_molmo.py (remote code)",
    base="model.transformer",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=50304, eps=1e-5, eps_key="layer_norm_eps"),
        "rows": key("embedding_size", E("vocab")), "more": key("additional_vocab_size", 128),
        "qkv_bias": key("qkv_bias", False), "qk": key("attention_layer_norm", False), "after": key("norm_after", False),
        "tie": key("weight_tying", False), "act": key((), "silu"), "head_dim": key((), E("hidden // heads")),
    },
    body=slots(
        _text("rows"),
        tensor("wte.new_embedding", "embedding", "more, hidden"),
        under(
            "blocks.{i}.",
            when(
                "qk", norm("q_norm", "attention-norm", "heads*head_dim", part="q_norm"),
                norm("k_norm", "attention-norm", "kv_heads*head_dim", part="k_norm"),
            ),
            linear("ff_proj", "ffn", "gate_up", "ffn", "hidden"),
            linear("ff_out", "ffn", "down", "hidden", "ffn // 2"),
            layers="layers",
        ),
    ),
    heads={"ForCausalLM": lm_head("model.transformer.ff_out", "rows")},
    norm=Norm(placement=E("'output' if after else 'pre'"), qk=E("qk")),
    ffn_of_config=2,
    parts=(Part("vision", "", "molmo_backbone", "model.vision_backbone.", fixed=True),),
    unread=("layer_norm_type", "clip_qkv"),
)

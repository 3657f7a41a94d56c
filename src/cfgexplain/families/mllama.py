"""Llama 3.2 Vision: some of the decoder's layers attend to the image and to nothing else.

Facts from transformers 5.24, ``models/mllama``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import ROTARY_BUFFERS, decoder_heads, decoder_keys, key
from cfgexplain.families.llama import PRE_NORMS
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
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import patch_conv, tower_keys
from cfgexplain.families.wrappers import NEWER

MLLAMA_TEXT: Final = Family(
    id="mllama_text_model",
    source="transformers 5.24 MllamaTextConfig, MllamaCrossAttentionDecoderLayer (eight more rows for the image token)",
    base="model",
    keys={
        **decoder_keys(hidden=4096, ffn=14336, layers=40, heads=32, kv_heads=8, vocab=128256, eps=1e-5, max_pos=131072,
                       theta=500000.0),
        "head_dim": key((), E("hidden // heads")),
        "cross": key("cross_attention_layers", (3, 8, 13, 18, 23, 28, 33, 38),
            null=E("(3, 8, 13, 18, 23, 28, 33, 38)")),
    },
    body=slots(
        embedding("embed_tokens", "vocab + 8"),
        under(
            "layers.{i}.",
            when("i not in cross", attention()),
            when(
                "i in cross", attention("cross_attn.", role="cross-attention"),
                norm("cross_attn.q_norm", "attention-norm", "head_dim", part="q_norm"),
                norm("cross_attn.k_norm", "attention-norm", "head_dim", part="k_norm"),
                tensor("cross_attn_attn_gate", "cross-attention", "1"),
                tensor("cross_attn_mlp_gate", "other", "1"),
            ),
            PRE_NORMS, gated_mlp(),
            layers="layers",
        ),
        norm("norm", "final-norm"),
        ROTARY_BUFFERS,
    ),
    heads=decoder_heads(lm_head(tie="")),
    kv="0 if i in cross else 2*kv_heads*head_dim",
    layer_kind="'cross' if i in cross else 'full'",
    eps_used="llama",
)


def _block(prefix: str, layers: str, gated: bool) -> Slots:
    """A block of the tower; the global ones scale each branch."""
    return under(
        prefix,
        attention(kv_heads="heads"), plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
        norm("input_layernorm", bias="1"), norm("post_attention_layernorm", bias="1"),
        slots(tensor("gate_attn", "vision", "1"), tensor("gate_ffn", "vision", "1")) if gated else (),
        layers=layers,
    )


MLLAMA_VISION: Final = Family(
    id="mllama_vision_model",
    source="transformers 5.24 MllamaVisionConfig, MllamaVisionModel (tiles in one of several aspect ratios)",
    base="",
    keys={
        **tower_keys(hidden=1280, ffn=5120, layers=32, heads=16, image=448, patch=14, eps=1e-5, act="gelu"),
        "heads": key(("attention_heads", "num_attention_heads"), 16), "eps": key("norm_eps", 1e-5),
        "whole": key("num_global_layers", 8), "tiles": key("max_num_tiles", 4),
        "ratios": key("supported_aspect_ratios", None, "list"), "out": key("vision_output_dim", 7680),
    },
    lets={"kinds": "(len(ratios) if ratios is not None else 8) + 1", "positions": "(image // patch)**2 + 1"},
    body=slots(
        tensor("class_embedding", "vision", "hidden"),
        patch_conv("patch_embedding", bias=""),
        tensor("gated_positional_embedding.embedding", "position-embedding", "positions, hidden"),
        tensor("gated_positional_embedding.gate", "vision", "1"),
        tensor("gated_positional_embedding.tile_embedding.weight", "position-embedding",
            "kinds, tiles*positions*hidden"),
        *(slots(tensor(f"{side}_tile_positional_embedding.embedding.weight", "position-embedding",
            "kinds, tiles*hidden"),
                tensor(f"{side}_tile_positional_embedding.gate", "vision", "1")) for side in ("pre", "post")),
        norm("layernorm_pre", "other-norm", bias="1"), norm("layernorm_post", "final-norm", bias="1"),
        _block("transformer.layers.{i}.", "layers", False),
        _block("global_transformer.layers.{i}.", "whole", True),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)
MLLAMA: Final = Family(
    id="mllama",
    source="transformers 5.24 MllamaConfig, MllamaForConditionalGeneration (the head is never the embedding's)",
    base="",
    keys={"tie": key((), False)},
    body=linear("multi_modal_projector", "projector", "", "text.hidden", "vision.out", "1"),
    heads={
        "ForConditionalGeneration": lm_head("language_model.lm_head", "text.vocab", "text.hidden", tie=""),
        "ForCausalLM": lm_head("language_model.lm_head", "text.vocab", "text.hidden", tie=""),
    },
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "mllama_text_model", "language_model.model.", main=True, fixed=True),
        Part("vision", "vision_config", "mllama_vision_model", "vision_model.", role="vision", fixed=True),
    ),
    renames=NEWER,
)

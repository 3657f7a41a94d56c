"""Chameleon, Emu3 and Janus: decoders that read, and some of them draw, images as tokens.

Facts from transformers 5.24, ``models/chameleon``, ``models/emu3`` and ``models/janus``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.llama import ATTN, LLAMA, MLP, PRE_NORMS, decoder
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
from cfgexplain.families.vision import PATCHES, SIGLIP_VISION, patch_conv, tower_keys
from cfgexplain.families.wrappers import wrapper

#: Each head has a gain and a bias of its own, the same on every model-parallel part.
HEAD_LAYER_NORMS: Final = slots(
    norm("self_attn.q_norm", "attention-norm", "heads, head_dim", "1", part="q_norm"),
    norm("self_attn.k_norm", "attention-norm", "kv_heads, head_dim", "1", part="k_norm"),
)
CHAMELEON: Final = replace(
    LLAMA,
    id="chameleon",
    source="transformers 5.24 ChameleonConfig, ChameleonAttention (LayerNorm on queries and keys), "
    "ChameleonSwinDecoderLayer"
    " (norms on the outputs where swin_norm)",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, kv_heads=32, vocab=65536, eps=1e-5, max_pos=4096,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False), swin=key("swin_norm", False),
    ) | {"head_dim": key((), E("hidden // heads"))},
    body=decoder(ATTN, HEAD_LAYER_NORMS, MLP, PRE_NORMS),
    heads={"ForConditionalGeneration": lm_head()},
    head="ForConditionalGeneration",
    norm=Norm(placement=E("'output' if swin else 'pre'")),
    parts=(Part("vq", "vq_config", "chameleon_vqgan", "model.vqmodel.", role="vision", fixed=True),),
)

# --- Emu3 ---

EMU3_TEXT: Final = replace(
    LLAMA,
    id="emu3_text_model",
    source="transformers 5.24 Emu3TextConfig, Emu3TextModel",
    keys=decoder_keys(
        hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8, vocab=184622, eps=1e-5, max_pos=9216, theta=1e6,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
    ),
)
EMU3: Final = Family(
    id="emu3",
    source="transformers 5.24 Emu3Config, Emu3ForConditionalGeneration",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=(),
    heads={"ForConditionalGeneration": lm_head("text_model.lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "emu3_text_model", "text_model.model.", main=True, fixed=True),
        Part("vq", "vq_config", "emu3_vqgan", "vqmodel.", role="vision", fixed=True),
    ),
    renames=(
        (
            (r"^model\.text_model\.", "text_model.model."), (r"^lm_head\.", "text_model.lm_head."),
            (r"^model\.vqmodel\.", "vqmodel."),
        ),
    ),
)

# --- Janus ---

JANUS_VISION: Final = replace(
    SIGLIP_VISION,
    id="janus_vision_model",
    source="transformers 5.24 JanusVisionConfig, JanusVisionModel",
    keys=tower_keys(
        hidden=1024, layers=24, heads=16, image=384, act="gelu", ratio=key("mlp_ratio", 4.0, "int float"),
        attention_bias=key("attention_bias", True), qk_norm=key("use_qk_norm", False), depth=key("depth", 2),
        project=key("projection_dim", 2048),
    ) | {"ffn": key((), E("int(hidden*ratio)"))},
    lets=PATCHES,
    body=slots(
        patch_conv("embeddings.patch_embedding"),
        embedding("embeddings.position_embedding", "patches", role="position-embedding"),
        tensor("embeddings.position_ids", "buffer", "1, patches", kind="buffer"),
        under(
            "encoder.layers.{i}.",
            norm("layer_norm1", bias="1"),
            attention(o="projection_layer", bias="attention_bias", o_bias="1", kv_heads="heads"),
            when(
                "qk_norm",
                norm("self_attn.q_norm", "attention-norm", bias="1"),
                norm("self_attn.k_norm", "attention-norm", bias="1"),
            ),
            norm("layer_norm2", bias="1"),
            plain_mlp("mlp.fc1", "mlp.fc2", bias="1"),
            layers="layers",
        ),
        norm("post_layernorm", "final-norm", bias="1"),
    ),
)


def aligner(name: str, part: str, into: str, layers: str) -> Slots:
    """A first layer to the width of the decoder, and square ones after it."""
    return slots(
        linear(f"{name}.fc1", "projector", "", f"{part}.project", into, "1"),
        under(
            f"{name}.hidden_layers.{{i}}.",
            tensor("weight", "projector", f"{part}.project, {part}.project"),
            tensor("bias", "projector", f"{part}.project"),
            layers=layers
        ),
    )


JANUS: Final = wrapper(
    "janus", "transformers 5.24 JanusConfig, JanusModel, JanusVQVAEHead",
    text="llama", vision="janus_vision_model", tower="vision_model.", tie=True, fixed=True,
    connector=slots(
        aligner("aligner", "vision", "vision.hidden", "max(vision.depth - 1, 0)"),
        aligner("generation_aligner", "vq", "vq.embed", "max(vq.layers - 1, 0)"),
        tensor("generation_embeddings.weight", "projector", "vq.codes, vq.embed"),
        linear("generation_head.proj_out", "projector", "", "vq.project", "vq.token", "1"),
        linear("generation_head.vision_head", "projector", "", "vq.codes", "vq.project", "1"),
    ),
    parts=(Part("vq", "vq_config", "janus_vqgan", "model.vqmodel.", role="vision", fixed=True),),
)

# --- Apertus 1.5 ---

#: A head may have fewer rows than the embedding.
APERTUS1P5: Final = replace(
    wrapper(
        "apertus1p5",
        "transformers 5.24 Apertus1p5Config, Apertus1p5ForConditionalGeneration (images, sound as tokens)",
        text="apertus1p5_text", vision="apertus1p5_vision_tokenizer", tower="vision_tokenizer.", fixed=True,
        text_fixed=True,
        parts=(
            Part("audio", "audio_config", "wavtokenizer_encoder", "model.audio_tokenizer.", role="audio", fixed=True),
        ),
    ),
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.output_vocab or text.vocab", "text.hidden")},
)

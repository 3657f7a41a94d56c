"""Evolla, Florence-2, FastVLM and DiffusionGemma: towers that nothing else has.

Facts from transformers 5.24, ``models/{evolla,florence2,fast_vlm,diffusion_gemma}``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.gemma4 import GEMMA4_TEXT
from cfgexplain.families.llama import ATTN, LLAMA, MLP, PRE_NORMS, decoder
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slots,
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
from cfgexplain.families.wrappers import wrapper

# --- Evolla: a protein's sequence instead of an image ---

#: SaProt, an ESM-2: norms before both branches, rotary positions.
SAPROT: Final = Family(
    id="saprot",
    source="transformers 5.24 SaProtConfig, EvollaSaProtProteinEncoder",
    base="",
    keys={
        "hidden": key("hidden_size", 1280), "ffn": key("intermediate_size", 5120),
        "layers": key("num_hidden_layers", 33),
        "heads": key("num_attention_heads", 20), "vocab": key("vocab_size", 446),
        "max_pos": key("max_position_embeddings", 1026), "eps": key("layer_norm_eps", 1e-5),
        "positions": key("position_embedding_type", "rotary"), "first": key("emb_layer_norm_before", False),
        "cross": key("add_cross_attention", False),
    },
    body=slots(
        embedding("embeddings.word_embeddings"),
        when("first", norm("embeddings.layer_norm", bias="1")),
        when("positions == 'absolute'", embedding("embeddings.position_embeddings", "max_pos")),
        tensor("embeddings.position_ids", "buffer", "1, max_pos", kind="buffer"),
        tensor("rotary_embeddings.inv_freq", "buffer", "hidden // heads // 2", kind="buffer"),
        under(
            "encoder.layer.{i}.",
            *(
                when(
                    cond,
                    linear(f"{a}.self.query", "other", "", "hidden", "hidden", "1"),
                    linear(f"{a}.self.key", "other", "", "hidden", "hidden", "1"),
                    linear(f"{a}.self.value", "other", "", "hidden", "hidden", "1"),
                    linear(f"{a}.output.dense", "other", "", "hidden", "hidden", "1"), norm(f"{a}.LayerNorm", bias="1"),
                )
                for a, cond in (("attention", ""), ("crossattention", "cross"))
            ),
            plain_mlp("intermediate.dense", "output.dense", bias="1"), norm("LayerNorm", bias="1"),
            layers="layers",
        ),
        norm("encoder.emb_layer_norm_after", bias="1"),
    ),
    norm=Norm("layernorm"),
    head="Model",
    kv="0",
)
_PROTEIN: Final = "protein.hidden"


def _feed_forward(name: str, size: str, mult: str) -> Slots:
    return slots(
        norm(f"{name}.norm", "other", size, "1"), linear(f"{name}.fc1", "other", "", f"int({size}*{mult})", size),
        linear(f"{name}.fc2", "other", "", size, f"int({size}*{mult})"),
    )


EVOLLA: Final = replace(
    LLAMA,
    id="evolla",
    source="transformers 5.24 EvollaConfig, EvollaSequenceCompressorResampler, EvollaSequenceAlignerCrossAttention",
    keys=decoder_keys(
        hidden=4096, ffn=14336, layers=32, heads=32, kv_heads=8, vocab=128256, eps=1e-5, max_pos=8192, theta=5e5,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
        mult=key("aligner_ffn_mult", 4), biased=key("aligner_enable_bias", True),
        added=key("aligner_num_add_layers", 8),
        depth=key("resampler_depth", 6), r_dim=key("resampler_dim_head", 64), r_heads=key("resampler_heads", 8),
        latents=key("resampler_num_latents", 64), r_mult=key("resampler_ff_mult", 4),
    ),
    body=slots(
        decoder(
            ATTN, MLP, PRE_NORMS,
            when(
                "(i + 1) % max(layers // added, 1) == 0",
                under(
                    "adapter.",
                    linear("query", "cross-attention", "q", "hidden", "hidden", "1"),
                    linear("key_protein", "cross-attention", "k", "hidden", "hidden", "1"),
                    linear("value_protein", "cross-attention", "v", "hidden", "hidden", "1"),
                    linear("out_proj", "cross-attention", "o", "hidden", "hidden", "biased"),
                    norm("attention_norm", "other-norm"),
                    _feed_forward("ff", "hidden", "mult"),
                    tensor("gate_attention", "other", "1"), tensor("gate_ffw", "other", "1"),
                ),
            ),
        ),
        under(
            "protein_encoder.sequence_compressor_resampler.",
            tensor("latents", "projector", f"latents, {_PROTEIN}"),
            under(
                "layers.{i}.",
                norm("0.norm_media", "projector", _PROTEIN, "1"), norm("0.norm_latents", "projector", _PROTEIN, "1"),
                linear("0.to_q", "projector", "", "r_dim*r_heads", _PROTEIN),
                linear("0.to_kv", "projector", "", "2*r_dim*r_heads", _PROTEIN),
                linear("0.to_out", "projector", "", _PROTEIN, "r_dim*r_heads"),
                (s._replace(role="projector") for s in _feed_forward("1", _PROTEIN, "r_mult")),
                layers="depth",
            ),
            norm("norm", "projector", "hidden", "1"),
            linear("protein_projector", "projector", "", "hidden", _PROTEIN, "1"),
        ),
    ),
    # The library never ties this head.
    heads={"ForProteinText2Text": lm_head(tie="")},
    head="ForProteinText2Text",
    parts=(
        Part("protein", "protein_encoder_config", "saprot", "model.protein_encoder.model.", role="other", fixed=True),
    ),
)

# --- Florence-2: DaViT and BART ---

_STAGES: Final = 8


def _davit(name: str, attention: str, size: str) -> Slots:
    """Depthwise convolutions before attention and before the feed-forward block, attention over windows or channels."""
    return under(
        f"{name}.",
        tensor("conv1.weight", "vision", f"{size}, 1, 3, 3"), tensor("conv1.bias", "vision", size),
        norm("norm1", "vision", size, "1"),
        linear(f"{attention}.qkv", "vision", "", f"3*{size}", size, "qkv_bias"),
        linear(f"{attention}.proj", "vision", "", size, size, "1"),
        tensor("conv2.weight", "vision", f"{size}, 1, 3, 3"), tensor("conv2.bias", "vision", size),
        norm("norm2", "vision", size, "1"),
        linear("ffn.fc1", "vision", "", f"int({size}*ratio)", size, "1"),
        linear("ffn.fc2", "vision", "", size, f"int({size}*ratio)", "1"),
    )


def _stage(n: int) -> Slots:
    size, into = f"widths[{n}]", f"widths[{n - 1}]" if n else "channels"
    return when(
        f"len(widths) > {n}",
        tensor(f"convs.{n}.conv.weight", "vision", f"{size}, {into}, patch[{n}], patch[{n}]"),
        tensor(f"convs.{n}.conv.bias", "vision", size),
        norm(f"convs.{n}.norm", "vision", f"{into} if first[{n}] else {size}", "1"),
        under(
            f"blocks.{n}.{{i}}.",
            _davit("spatial_block", "window_attn", size), _davit("channel_block", "channel_attn", size),
            layers=f"at(depths, {n}, 0)",
        ),
    )


FLORENCE_VISION: Final = Family(
    id="florence_vision",
    source="transformers 5.24 Florence2VisionConfig, Florence2VisionBackbone (Ding et al. 2022, 2204.03645)",
    base="",
    keys={
        "widths": key("embed_dim", (128, 256, 512, 1024)), "depths": key("depths", (1, 1, 9, 1)),
        "patch": key("patch_size", (7, 3, 3, 3)), "first": key("patch_prenorm", (False, True, True, True)),
        "channels": key("in_channels", 3), "ratio": key("mlp_ratio", 4.0, "int float"),
        "qkv_bias": key("qkv_bias", True),
        "project": key("projection_dim", 1024), "rows": key("max_position_embeddings", 50),
        "frames": key("max_temporal_embeddings", 100), "layers": key((), E("sum(depths)")),
    },
    lets={"top": "widths[len(widths) - 1]"},
    body=slots(*(_stage(n) for n in range(_STAGES))),
    norm=Norm("layernorm", eps=1e-5, final=False),
    head="Model",
    kv="0",
)
FLORENCE2: Final = Family(
    id="florence2",
    source="transformers 5.24 Florence2Config, Florence2MultiModalProjector",
    base="model",
    keys={"tie": key("tie_word_embeddings", True)},
    body=under(
        "multi_modal_projector.",
        linear("image_projection", "projector", "", "vision.project", "vision.top"),
        norm("image_proj_norm", "projector", "vision.project", "1"),
        tensor("image_position_embed.row_embeddings.weight", "projector", "vision.rows, vision.top // 2"),
        tensor(
            "image_position_embed.column_embeddings.weight", "projector", "vision.rows, vision.top - vision.top // 2",
        ),
        tensor("visual_temporal_embed.pos_idx_to_embed", "buffer", "vision.frames, vision.top", kind="buffer"),
    ),
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "bart", "model.language_model.", main=True),
        Part("vision", "vision_config", "florence_vision", "model.vision_tower.", role="vision", fixed=True),
    ),
)

# --- FastVLM: an image tower of timm's ---

FAST_VLM: Final = wrapper(
    "fast_vlm", "transformers 5.24 FastVlmConfig, FastVlmMultiModalProjector",
    text="qwen2", vision="timm_fastvit_mci3", tower="vision_tower.timm_model.", either=True, fixed=True,
    text_absent=(
        ("hidden_size", 3584), ("vocab_size", 152128), ("intermediate_size", 18944), ("num_attention_heads", 28),
        ("num_key_value_heads", 4), ("num_hidden_layers", 28),
    ),
    absent=(("architecture", "fastvit_mci3"), ("hidden_size", 3072)),
    more={"biased": key("multimodal_projector_bias", True)},
    connector=under(
        "multi_modal_projector.",
        linear("linear_1", "projector", "", "text.hidden", "vision.hidden", "biased"),
        linear("linear_2", "projector", "", "text.hidden", "text.hidden", "biased"),
    ),
)

# --- DiffusionGemma: Gemma 4's mixture of experts twice, with the same weights ---

DIFFUSION_GEMMA_TEXT: Final = replace(
    GEMMA4_TEXT,
    id="diffusion_gemma_text",
    source="transformers 5.24 DiffusionGemmaTextConfig, DiffusionGemmaDecoderModel (full layers use keys as values)",
    keys={
        **GEMMA4_TEXT.keys, "k_eq_v": key("attention_k_eq_v", True), "shared": key((), 0),
        "double_wide": key((), False),
        "per_layer_width": key((), 0), "per_layer_vocab": key((), 0), "moe": key((), True),
    },
)
#: The encoder's weights are the decoder's; its biases and scalars are its own.
DIFFUSION_GEMMA_ENCODER: Final = replace(
    DIFFUSION_GEMMA_TEXT,
    id="diffusion_gemma_encoder",
    body=tuple(
        s for s in DIFFUSION_GEMMA_TEXT.body
        if s.name.startswith("layers.") and s.name.endswith((".bias", ".layer_scalar"))
    ),
    heads={},
)
DIFFUSION_GEMMA: Final = Family(
    id="diffusion_gemma",
    source="transformers 5.24 DiffusionGemmaConfig, DiffusionGemmaForBlockDiffusion (the encoder is tied to the "
    "decoder)",
    base="model",
    keys={"tie": key("tie_word_embeddings", True)},
    body=slots(
        under(
            "decoder.self_conditioning.",
            norm("pre_norm", "other-norm", "text.hidden"), gated_mlp("", "text.ffn", "other", cols="text.hidden"),
        ),
        tensor("encoder.embed_vision.embedding_projection.weight", "projector", "text.hidden, vision.hidden"),
    ),
    heads={"ForBlockDiffusion": lm_head("lm_head", "text.vocab", "text.hidden")},
    head="ForBlockDiffusion",
    parts=(
        Part("text", "text_config", "diffusion_gemma_text", "model.decoder.", main=True, fixed=True),
        Part(
            "encoder", "text_config", "diffusion_gemma_encoder", "model.encoder.language_model.", fixed=True, when="tie"
        ),
        Part(
            "untied", "text_config", "diffusion_gemma_text", "model.encoder.language_model.", fixed=True, when="not tie"
        ),
        Part("vision", "vision_config", "gemma4_vision", "model.encoder.vision_tower.", role="vision"),
    ),
)

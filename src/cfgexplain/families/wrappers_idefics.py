"""IDEFICS 1 and 2, Granite Docling and DeepSeek-OCR 2: what stands between tower and decoder is a model in itself.

Facts from transformers 5.24, ``models/{idefics,idefics2,granite_docling,deepseek_ocr2}``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.llama import ATTN, GRANITE, LLAMA, MLP, PRE_NORMS, decoder
from cfgexplain.families.moe_blocks import correction, mixed, moe_keys, router, split_or_stacked
from cfgexplain.families.schema import (
    E,
    Family,
    Part,
    Slots,
    attention,
    gated_mlp,
    linear,
    lm_head,
    norm,
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.vision import IDEFICS_VISION, tower_keys
from cfgexplain.families.wrappers import wrapper

# --- IDEFICS 2: a perceiver between tower and decoder ---

IDEFICS2: Final = wrapper(
    "idefics2", "transformers 5.24 Idefics2Config, Idefics2Connector (the perceiver takes the decoder's width)",
    text="mistral", vision="idefics2_vision", tower="vision_model.", decoder="text_model.", fixed=True,
    text_absent=(("max_position_embeddings", 32768), ("rms_norm_eps", 1e-5)),
    more={
        "latents": key("perceiver_config.resampler_n_latents", 64), "depth": key("perceiver_config.resampler_depth", 3),
        "heads": key("perceiver_config.resampler_n_heads", 16),
        "head_dim": key("perceiver_config.resampler_head_dim", 96),
        "kv_heads": key("perceiver_config.num_key_value_heads", 4),
    },
    connector=under(
        "connector.",
        linear("modality_projection.gate_proj", "projector", "", "text.ffn", "vision.hidden"),
        linear("modality_projection.up_proj", "projector", "", "text.ffn", "vision.hidden"),
        linear("modality_projection.down_proj", "projector", "", "text.hidden", "text.ffn"),
        under(
            "perceiver_resampler.",
            tensor("latents", "projector", "latents, text.hidden"),
            under(
                "layers.{i}.",
                norm("input_latents_norm", "projector", "text.hidden"),
                norm("input_context_norm", "projector", "text.hidden"),
                attention(hidden="text.hidden", role="projector"),
                norm("post_attention_layernorm", "projector", "text.hidden"),
                gated_mlp("mlp.", "4*text.hidden", "projector", cols="text.hidden"),
                layers="depth",
            ),
            norm("norm", "projector", "text.hidden"),
        ),
    ),
)

# --- IDEFICS: cross-attention blocks between the decoder's own ---

_VIEW: Final = "vision.hidden"
IDEFICS: Final = replace(
    LLAMA,
    id="idefics",
    source="transformers 5.24 IdeficsConfig, IdeficsGatedCrossAttentionLayer, IdeficsPerceiverResampler",
    keys=decoder_keys(
        hidden=4096, ffn=11008, layers=32, heads=32, vocab=32000, eps=1e-6, added=key("additional_vocab_size", 0),
        every=key("cross_layer_interval", 1, low=1), qk_norm=key("qk_layer_norms", False),
        alpha=key("alpha_type", "float"), resampler=key("use_resampler", False),
        latents=key("perceiver_config.resampler_n_latents", 64), depth=key("perceiver_config.resampler_depth", 6),
        p_heads=key("perceiver_config.resampler_n_heads", 16), p_dim=key("perceiver_config.resampler_head_dim", 96),
        p_norm=key("perceiver_config.qk_layer_norms_perceiver", False),
    ) | {"kv_heads": key((), E("heads")), "head_dim": key((), E("hidden // heads"))},
    body=slots(
        decoder(attention(), gated_mlp(), PRE_NORMS),
        tensor("embed_tokens.additional_embedding.weight", "embedding", "added, hidden", cond="added"),
        under(
            "gated_cross_attn_layers.{i}.",
            tensor("alpha_cross_attn", "other", "1", cond="alpha == 'float'"),
            tensor("alpha_dense", "other", "1", cond="alpha == 'float'"),
            tensor("alpha_cross_attn", "other", "1, 1, hidden", cond="alpha == 'vector'"),
            tensor("alpha_dense", "other", "1, 1, hidden", cond="alpha == 'vector'"),
            linear("cross_attn.q_proj", "cross-attention", "q", "hidden", "hidden"),
            linear("cross_attn.k_proj", "cross-attention", "k", "hidden", _VIEW),
            linear("cross_attn.v_proj", "cross-attention", "v", "hidden", _VIEW),
            linear("cross_attn.o_proj", "cross-attention", "o", "hidden", "hidden"),
            when(
                "qk_norm",
                norm("cross_attn.q_layer_norm", "attention-norm", "head_dim"),
                norm("cross_attn.k_layer_norm", "attention-norm", "head_dim"),
            ),
            gated_mlp(), PRE_NORMS,
            layers="layers // every",
        ),
        when(
            "resampler",
            under(
                "perceiver_resampler.",
                tensor("latents", "projector", f"latents, {_VIEW}"),
                under(
                    "blocks.{i}.",
                    norm("0.context_layer_norm", "projector", _VIEW, "1"),
                    norm("0.latents_layer_norm", "projector", _VIEW, "1"),
                    when(
                        "p_norm", norm("0.q_layer_norm", "projector", "p_dim", "1"),
                        norm("0.k_layer_norm", "projector", "p_dim", "1"),
                    ),
                    *(linear(f"0.{m}_proj", "projector", "", "p_heads*p_dim", _VIEW) for m in "qkv"),
                    linear("0.output_proj", "projector", "", _VIEW, "p_heads*p_dim"),
                    norm("1.ln", "projector", _VIEW, "1"), linear("1.fc", "projector", "", f"4*{_VIEW}", _VIEW),
                    linear("1.c_proj", "projector", "", _VIEW, f"4*{_VIEW}"),
                    layers="depth",
                ),
                norm("layer_norm", "projector", _VIEW, "1"),
            ),
        ),
    ),
    heads={
        "ForVisionText2Text": slots(
            lm_head(),
            tensor("lm_head.additional_fc.weight", "lm-head", "added, hidden", cond="added and not tie"),
            tensor("lm_head.additional_fc.weight", "lm-head", "added, hidden", cond="added and tie", kind="tied"),
        ),
    },
    head="ForVisionText2Text",
    parts=(Part("vision", "vision_config", "idefics_vision", "model.vision_model.", role="vision", fixed=True),),
)

# --- DeepSeek-OCR 2: SAM, then a Qwen 2 that reads its features and two sets of queries ---

DEEPSEEK_OCR2_TEXT: Final = replace(
    LLAMA,
    id="deepseek_ocr2_text",
    source="transformers 5.24 DeepseekOcr2TextConfig, DeepseekOcr2TextMoe",
    keys={
        **decoder_keys(hidden=4096, ffn=11008, layers=32, heads=32, vocab=102400, eps=1e-6,
                       attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False)),
        **moe_keys(experts=64, top_k=None, moe_ffn=1407, shared=2),
        "head_dim": key((), E("hidden // heads")), "mlp_types": key("mlp_layer_types", None, "list"),
        "first_dense": key("first_k_dense_replace", 1),
    },
    lets={"sparse": "mlp_types[i] == 'sparse' if mlp_types else i >= first_dense"},
    body=decoder(
        ATTN,
        mixed(
            "sparse",
            slots(
                router(), correction(), split_or_stacked(),
                when("shared_ffn", gated_mlp("mlp.shared_experts.", "shared_ffn", "shared-experts", "mlp_bias")),
            ),
            MLP,
        ),
        PRE_NORMS,
    ),
    unread=("head_dim",),
)
DEEPSEEK_OCR2: Final = Family(
    id="deepseek_ocr2",
    source="transformers 5.24 DeepseekOcr2Config, DeepseekOcr2VisionModel, DeepseekOcr2Model; names as published",
    base="",
    keys={"tie": key("tie_word_embeddings", False)},
    body=slots(
        linear("model.projector.layers", "projector", "", "text.hidden", "encoder.hidden", "1"),
        tensor("model.view_seperator", "projector", "text.hidden"),
        tensor("model.qwen2_model.query_768.weight", "projector", "144, encoder.hidden"),
        tensor("model.qwen2_model.query_1024.weight", "projector", "256, encoder.hidden"),
    ),
    heads={"ForConditionalGeneration": lm_head("lm_head", "text.vocab", "text.hidden")},
    head="ForConditionalGeneration",
    parts=(
        Part("text", "text_config", "deepseek_ocr2_text", "model.", main=True, fixed=True),
        Part(
            "sam", "vision_config.sam_config", "deepseek_ocr2_sam_published", "model.sam_model.", role="vision",
            fixed=True,
        ),
        Part(
            "encoder", "vision_config.encoder_config", "deepseek_ocr2_encoder", "model.qwen2_model.model.model.",
            role="vision",
            fixed=True,
        ),
    ),
)

# --- Granite Docling: the connector is part of the tower ---

GRANITE_DOCLING_TEXT: Final = replace(
    GRANITE,
    id="granite_docling_text",
    source="transformers 5.24 GraniteDoclingTextConfig, GraniteDoclingTextModel",
    keys=decoder_keys(
        hidden=1024, ffn=2048, layers=28, heads=16, kv_heads=4, vocab=133800, eps=1e-5, tie=True, max_pos=32768,
        attention_bias=key("attention_bias", False), mlp_bias=key("mlp_bias", False),
    ),
)


def _path(name: str, factor: str) -> Slots:
    """One way of joining patches, coarse or fine."""
    wide = f"hidden*({factor})**2"
    return under(
        f"connector.{name}.",
        linear("projection", "projector", "", "out", wide),
        under(
            "deepstack_mergers.{i}.",
            norm("layer_norm", "projector", wide, "1"),
            linear("linear_1", "projector", "", "out", wide, "1"),
            linear("linear_2", "projector", "", "out", "out", "1"),
            layers="len(fed)",
        ),
    )


GRANITE_DOCLING_VISION: Final = replace(
    IDEFICS_VISION,
    id="granite_docling_vision",
    source="transformers 5.24 GraniteDoclingVisionConfig, GraniteDoclingConnector (fixed positions)",
    keys={
        **tower_keys(image=512), "pool": key((), False), "out": key("out_hidden_size", 1024),
        "factor": key("scale_factor", 4), "fine": key("use_fine_route", True),
        "fed": key("deepstack_visual_indexes", (3, 7, 10), null=E("(3, 7, 10)")),
    },
    body=slots(
        IDEFICS_VISION.body,
        norm("connector.ln_in", "projector", "hidden", "1"), _path("coarse", "factor"),
        when("fine", _path("fine", "factor // 2")),
        norm("connector.ln_mid", "projector", "out", "1"), linear("connector.mlp_fc2", "projector", "", "out", "out"),
        norm("connector.ln_out", "projector", "out", "1"),
    ),
)
GRANITE_DOCLING: Final = wrapper(
    "granite_docling", "transformers 5.24 GraniteDoclingConfig, GraniteDoclingDensityRouter",
    text="granite_docling_text", vision="granite_docling_vision", tower="vision_model.", decoder="text_model.",
    tie=True,
    fixed=True, text_fixed=True,
    more={"routed": key("density_router_hidden_size", None, "int")},
    connector=when(
        "routed is not None",
        under(
            "density_router.",
            linear("att", "projector", "", "1", "vision.hidden", "1"), norm("norm", "projector", "vision.hidden", "1"),
            linear("fc1", "projector", "", "routed", "vision.hidden", "1"),
            linear("fc2", "projector", "", "1", "routed", "1"),
        ),
    ),
)

"""Encoder-decoders that put two models together: any two families, and T5Gemma's pairs of Gemma stacks.

Facts from transformers 5.23, ``models/encoder_decoder``, ``vision_encoder_decoder``, ``vit``,
    ``t5gemma`` and ``t5gemma2``.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import LABELS, decoder_keys, key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Part,
    Slot,
    Slots,
    attention,
    embedding,
    gated_mlp,
    linear,
    norm,
    plain_mlp,
    replace,
    slots,
    tensor,
    under,
    when,
)

# --- two families in one ---

_DECODER: Final = Part("decoder", "decoder", "bert", "decoder.{base}", head="decoder.", main=True, cls="ForCausalLM")
ENCODER_DECODER: Final = Family(
    id="encoder-decoder",
    source="transformers 5.23 EncoderDecoderConfig, EncoderDecoderModel",
    base="",
    keys={},
    body=when(
        "encoder.hidden != decoder.hidden and not decoder.cross",
        linear("enc_to_dec_proj", "projector", "", "decoder.hidden", "encoder.hidden", "1"),
    ),
    head="Model",
    parts=(Part("encoder", "encoder", "bert", "encoder.", joint=True), _DECODER),
)

#: An image encoder that no table describes.
UNLISTED: Final = Family(
    id="unlisted-encoder", source="any vision model", base="", keys={"hidden": key("hidden_size", None, "int")},
        body=(),
    open=(("encoder.", "vision"),),
)
VIT: Final = Family(
    id="vit",
    source="transformers 5.23 ViTConfig, ViTModel",
    base="vit",
    keys={
        "hidden": key("hidden_size", 768), "ffn": key("intermediate_size", 3072), "layers": key("num_hidden_layers",
            12),
        "heads": key("num_attention_heads", 12), "kv_heads": key((), E("heads")),
        "head_dim": key((), E("hidden // heads")), "channels": key("num_channels", 3), "image": key("image_size", 224),
        "patch": key("patch_size", 16), "bias": key("qkv_bias", True), "pool": key("pooler_output_size", E("hidden")),
        "eps": key("layer_norm_eps", 1e-12), "act": key("hidden_act", "gelu"), "stride": key("encoder_stride", 16),
        **LABELS,
    },
    body=slots(
        tensor("embeddings.cls_token", "position-embedding", "1, 1, hidden"),
        tensor("embeddings.mask_token", "embedding", "1, 1, hidden", cond="cls == 'ForMaskedImageModeling'"),
        tensor("embeddings.position_embeddings", "position-embedding",
            "1, (image // patch)*(image // patch) + 1, hidden"),
        tensor("embeddings.patch_embeddings.projection.weight", "embedding", "hidden, channels, patch, patch"),
        tensor("embeddings.patch_embeddings.projection.bias", "embedding", "hidden"),
        under(
            "encoder.layer.{i}.",
            *(linear(f"attention.attention.{n}", "attention", n[0], "hidden", "hidden", "bias") for n in ("query",
                "key", "value")),
            linear("attention.output.dense", "attention", "o", "hidden", "hidden", "1"),
            plain_mlp("intermediate.dense", "output.dense", bias="1"),
            norm("layernorm_before", bias="1"), norm("layernorm_after", bias="1"), layers="layers",
        ),
        norm("layernorm", "final-norm", bias="1"), when("cls == 'Model'", linear("pooler.dense", "other", "", "pool",
            "hidden", "1")),
    ),
    heads={
        "ForImageClassification": linear("classifier", "other", "", "labels", "hidden", "1"),
        "ForMaskedImageModeling": slots(
            tensor("decoder.0.weight", "other", "stride*stride*channels, hidden, 1, 1"),
            tensor("decoder.0.bias", "other", "stride*stride*channels"),
        ),
    },
    head="Model",
    norm=Norm("layernorm"),
    kv="0",
)
VISION_ENCODER_DECODER: Final = replace(
    ENCODER_DECODER,
    id="vision-encoder-decoder",
    source="transformers 5.23 VisionEncoderDecoderConfig, VisionEncoderDecoderModel",
    parts=(Part("encoder", "encoder", "unlisted-encoder", "encoder.", role="vision"), _DECODER),
)

# --- T5Gemma ---

_STACK_KEYS: Final = decoder_keys(
    hidden=2304, ffn=9216, layers=26, heads=8, kv_heads=4, head_dim=256, vocab=256000, eps=1e-6, tie=True, max_pos=8192,
    attention_bias=key("attention_bias", False), window=key("sliding_window", 4096, "int"),
        layer_types=key("layer_types", None, "list"),
    cross_dim=key("cross_attention_hidden_size", E("hidden")),
) | {"act": key("hidden_activation", "gelu_pytorch_tanh")}


def _norms(*parts: str) -> Slots:
    """A norm before and after each sub-layer."""
    return slots(*(norm(f"{side}_{p}_layernorm") for p in parts for side in ("pre", "post")))


_LAYER: Final = slots(attention(bias="attention_bias"), gated_mlp(), _norms("self_attn", "feedforward"))
_CROSS: Final = slots(
    linear("cross_attn.q_proj", "cross-attention", "q", "heads*head_dim", "hidden", "attention_bias"),
    linear("cross_attn.k_proj", "cross-attention", "k", "kv_heads*head_dim", "cross_dim", "attention_bias"),
    linear("cross_attn.v_proj", "cross-attention", "v", "kv_heads*head_dim", "cross_dim", "attention_bias"),
    linear("cross_attn.o_proj", "cross-attention", "o", "hidden", "heads*head_dim", "attention_bias"),
        _norms("cross_attn"),
)
T5GEMMA_ENCODER: Final = Family(
    id="t5gemma-encoder",
    source="transformers 5.23 T5GemmaModuleConfig, T5GemmaEncoder",
    base="",
    keys=_STACK_KEYS,
    body=slots(embedding("embed_tokens"), under("layers.{i}.", _LAYER, layers="layers"), norm("norm", "final-norm")),
    head="Model",
    norm=Norm("rmsnorm", "sandwich", "1+w"),
    kv="0",
    layer_kind="kind(layer_types[i]) if layer_types else ('full' if i % 2 else 'sliding')",
)
T5GEMMA_DECODER: Final = replace(
    T5GEMMA_ENCODER,
    id="t5gemma",
    source="transformers 5.23 T5GemmaModuleConfig, T5GemmaDecoder",
    body=slots(
        embedding("embed_tokens"),
        under(
            "layers.{i}.",
            attention(bias="attention_bias"), _norms("self_attn"), _CROSS, gated_mlp(), _norms("feedforward"),
            layers="layers",
        ),
        norm("norm", "final-norm"),
    ),
    kv="2*kv_heads*head_dim",
)
_OUT: Final = slots(
    Slot("lm_head.out_proj.weight", "lm-head", "", "decoder.vocab, decoder.hidden", "tie", kind="tied"),
    Slot("lm_head.out_proj.weight", "lm-head", "", "decoder.vocab, decoder.hidden", "not tie"),
)
_SCORE: Final = linear(
    "score.out_proj", "other", "", "labels", "decoder.hidden if both else encoder.hidden", "1"
)
T5GEMMA: Final = Family(
    id="t5gemma",
    source="transformers 5.23 T5GemmaConfig, T5GemmaForConditionalGeneration (each stack has a table of its own)",
    base="model",
    keys={"tie": key("tie_word_embeddings", True), "both": key("is_encoder_decoder", True), **LABELS},
    body=(),
    heads={"ForConditionalGeneration": _OUT, "ForSequenceClassification": _SCORE, "ForTokenClassification": _SCORE},
    head="ForConditionalGeneration",
    # T5GemmaEncoderModel, and a classifier on top of it, have no decoder.
    parts=(
        Part("encoder", "encoder", "t5gemma-encoder", "model.encoder.", joint=True, fixed=True, when="both"),
        Part("alone", "encoder", "t5gemma-encoder", "model.encoder.", main=True, fixed=True, when="not both"),
        Part("decoder", "decoder", "t5gemma-decoder", "model.decoder.", main=True, fixed=True, when="both"),
    ),
)

_QK: Final = slots(*(norm(f"self_attn.{n}_norm", "attention-norm", "head_dim", part=f"{n}_norm") for n in "qk"))
_KEYS_2: Final = _STACK_KEYS | {"vocab": key("vocab_size", 262208), "max_pos": key("max_position_embeddings", 131072)}
T5GEMMA2_DECODER: Final = replace(
    T5GEMMA_ENCODER,
    id="t5gemma2",
    source="transformers 5.23 T5Gemma2DecoderConfig, T5Gemma2MergedAttention (one attention over both)",
    keys=_KEYS_2,
    body=slots(under("layers.{i}.", _LAYER, _QK, layers="layers"), norm("norm", "final-norm")),
    kv="2*kv_heads*head_dim",
    layer_kind="kind(layer_types[i]) if layer_types else ('sliding' if (i + 1) % 6 else 'full')",
)
T5GEMMA2_ENCODER: Final = replace(
    T5GEMMA2_DECODER,
    id="t5gemma2-encoder",
    source="transformers 5.23 T5Gemma2TextConfig, T5Gemma2TextEncoder (an embedding for the end of an image)",
    body=slots(embedding("embed_tokens"), tensor("embed_tokens.eoi_embedding", "embedding", "hidden"),
        T5GEMMA2_DECODER.body),
    kv="0",
)
_TABLES: Final = (("weight", "decoder.vocab, decoder.hidden"), ("eoi_embedding", "decoder.hidden"))
_SCORE_2: Final = linear("score.out_proj", "other", "", "labels", "decoder.hidden", "1")
T5GEMMA2: Final = Family(
    id="t5gemma2",
    source="transformers 5.23 T5Gemma2Config, T5Gemma2ForConditionalGeneration (the decoder uses the encoder's table)",
    base="model",
    keys={"tie": key("tie_word_embeddings", True), **LABELS},
    body=slots(
        *(Slot(f"decoder.embed_tokens.{n}", "embedding", "", shape, cond, kind=kind)
          for n, shape in _TABLES for cond, kind in (("tie", "tied"), ("not tie", "param"))),
        tensor("encoder.multi_modal_projector.mm_input_projection_weight", "projector",
            "vision.hidden, encoder.hidden"),
        tensor("encoder.multi_modal_projector.mm_soft_emb_norm.weight", "projector", "vision.hidden"),
    ),
    heads={"ForConditionalGeneration": _OUT, "ForSequenceClassification": _SCORE_2, "ForTokenClassification": _SCORE_2},
    head="ForConditionalGeneration",
    parts=(
        Part("vision", "encoder.vision_config", "siglip_vision_model", "model.encoder.vision_tower.", role="vision"),
        Part("encoder", "encoder.text_config", "t5gemma2-encoder", "model.encoder.", joint=True, fixed=True),
        Part("decoder", "decoder", "t5gemma2-decoder", "model.decoder.", main=True, fixed=True),
    ),
)

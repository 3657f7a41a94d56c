"""Neural audio codecs that language models bring along: EnCodec, Mimi, and VibeVoice's tokenizers.

Facts from transformers 5.24, ``models/{encodec,mimi,vibevoice_acoustic_tokenizer}``; names as the library saves them.
Défossez et al. 2022 (2210.13438) and 2024 (2410.00037).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import (
    E,
    Family,
    Norm,
    Slots,
    attention,
    linear,
    norm,
    plain_mlp,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.wavtokenizer import (
    EUCLIDEAN,
    SEANET_DECODER,
    SEANET_ENCODER,
    SEANET_LETS,
    codebook,
    seanet_keys,
)

#: As many code books as fit the widest band: bits a second, by frames a second, by bits a code.
_ENCODEC_BOOKS: Final = "int(1000*bands[-1] // (ceil(sampling / prod(ratios)) * ceil(log2(codes))))"
ENCODEC: Final = Family(
    id="encodec",
    source="transformers 5.24 EncodecConfig, EncodecModel (code books are buffers)",
    base="",
    keys={
        **seanet_keys(hidden=128, filters=32, ratios=(8, 5, 4, 2), last=7),
        "codes": key("codebook_size", 1024, low=2), "code": key("codebook_dim", E("hidden")),
        "bands": key("target_bandwidths", E("[1.5, 3.0, 6.0, 12.0, 24.0]"), "list"),
        "sampling": key("sampling_rate", 24000),
    },
    lets=SEANET_LETS,
    body=slots(
        under("encoder.layers.", SEANET_ENCODER), under("decoder.layers.", SEANET_DECODER),
        under("quantizer.layers.{i}.", EUCLIDEAN, layers=_ENCODEC_BOOKS),
    ),
    norm=Norm("other", "none", eps=1e-5, final=False),
    head="Model",
    kv="0",
)

# --- Mimi ---


def _transformer(name: str) -> Slots:
    """Blocks of half the codec; what they add is scaled."""
    return under(
        f"{name}.layers.{{i}}.",
        attention(bias="attention_bias"), plain_mlp("mlp.fc1", "mlp.fc2"),
        norm("input_layernorm", bias="1"), norm("post_attention_layernorm", bias="1"),
        tensor("self_attn_layer_scale.scale", "other", "hidden"), tensor("mlp_layer_scale.scale", "other", "hidden"),
        layers="layers",
    )


def _quantizer(name: str, count: str) -> Slots:
    """Code books, between matrices where their width is another one."""
    return under(
        f"quantizer.{name}_residual_vector_quantizer.",
        when(
            "inside != hidden", tensor("input_proj.weight", "audio", "inside, hidden, 1"),
            tensor("output_proj.weight", "audio", "hidden, inside, 1"),
        ),
        under(
            "layers.{i}.",
            codebook(("cluster_usage", "codes"), ("embed_sum", "codes, code"), ("initialized", "1")),
            layers=count,
        ),
    )


MIMI: Final = Family(
    id="mimi",
    source="transformers 5.24 MimiConfig, MimiModel (a null encoder_config or decoder_config drops that half)",
    base="",
    keys={
        **seanet_keys(hidden=512, filters=64, ratios=(8, 6, 5, 4), last=3, norm_type=None, shortcut=False),
        "layers": key("num_hidden_layers", 8),
        "ffn": key("intermediate_size", 2048), "heads": key("num_attention_heads", 8),
        "kv_heads": key("num_key_value_heads", 8),
        "head_dim": key("head_dim", E("hidden // heads")), "eps": key("norm_eps", 1e-5),
        "attention_bias": key("attention_bias", False), "codes": key("codebook_size", 2048),
        "code": key("codebook_dim", 256, null=E("hidden")), "inside": key("vector_quantization_hidden_dimension", 256),
        "books": key("num_quantizers", 32), "semantic": key("num_semantic_quantizers", 1),
        "groups": key("upsample_groups", 512, low=1), "sampling": key("sampling_rate", 24000),
        "rate": key("frame_rate", E("sampling / (2*prod(ratios))"), "int float"),
        "hears": key("encoder_config", True, "any", null=E("False")),
        "speaks": key("decoder_config", True, "any", null=E("False")),
    },
    lets={
        **SEANET_LETS, "inner_rate": "ceil(sampling / prod(ratios))", "stride": "int(inner_rate / rate)",
    },
    body=slots(
        when(
            "hears is not False",
            under("encoder.layers.", SEANET_ENCODER), _transformer("encoder_transformer"),
            when("rate != inner_rate", tensor("downsample.conv.weight", "audio", "hidden, hidden, 2*stride")),
        ),
        when(
            "speaks is not False",
            when("rate != inner_rate", tensor("upsample.conv.weight", "audio", "hidden, hidden // groups, 2*stride")),
            _transformer("decoder_transformer"), under("decoder.layers.", SEANET_DECODER),
        ),
        _quantizer("semantic", "semantic"), _quantizer("acoustic", "books - semantic"),
    ),
    norm=Norm("layernorm", final=False),
    head="Model",
    kv="0",
)

# --- VibeVoice ---


def _convnext(prefix: str, width: str, count: str) -> Slots:
    """Blocks of a depthwise convolution and a feed-forward step, each behind a norm and scaled."""
    return under(
        f"{prefix}stage.{{e}}.",
        tensor("gamma", "audio", width), tensor("ffn_gamma", "audio", width),
        norm("norm", "audio", width), norm("ffn_norm", "audio", width),
        plain_mlp("ffn.linear1", "ffn.linear2", f"times*({width})", "audio", "1", cols=width),
        linear("mixer.conv", "audio", "", width, "1, side", "1"),
        experts=count,
    )


VIBEVOICE_ENCODER: Final = Family(
    id="vibevoice_acoustic_tokenizer_encoder",
    source="transformers 5.24 VibeVoiceAcousticTokenizerEncoderConfig, VibeVoiceAcousticTokenizerEncoderModel",
    base="",
    keys={
        "hidden": key("hidden_size", 64), "channels": key("channels", 1), "side": key("kernel_size", 7),
        "eps": key("rms_norm_eps", 1e-5), "filters": key("num_filters", 32),
        "ratios": key("downsampling_ratios", (2, 2, 4, 5, 5, 8)), "depths": key("depths", (3, 3, 3, 3, 3, 3, 8)),
        "times": key("ffn_expansion", 4), "act": key("hidden_act", "gelu"), "layers": key((), E("len(ratios)")),
    },
    lets={"width": "filters*2**(i + 1)"},
    body=slots(
        linear("stem.conv.conv", "audio", "", "filters", "channels, side", "1"),
        _convnext("stem.", "filters", "depths[0]"),
        under(
            "conv_layers.{i}.",
            linear("conv.conv", "audio", "", "width", "filters*2**i, 2*ratios[i]", "1"),
            _convnext("", "width", "depths[i + 1]"), layers="layers",
        ),
        linear("head.conv", "audio", "", "hidden", "filters*2**layers, side", "1"),
    ),
    head="Model",
    kv="0",
)

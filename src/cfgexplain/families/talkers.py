"""The voices of Qwen's Omni models: a talker that writes codes, and what turns codes into a waveform.

Facts from transformers 5.24, ``models/qwen2_5_omni`` (Qwen2_5OmniTalkerForConditionalGeneration, a diffusion
transformer and BigVGAN, Lee et al. 2022, 2206.04658) and ``models/qwen3_omni_moe`` (Qwen3OmniMoeTalker…, a predictor
of the further codes of each frame, Qwen3OmniMoeCode2Wav).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.llama import LLAMA
from cfgexplain.families.moe import QWEN2_MOE
from cfgexplain.families.moe_blocks import HEAD_NORMS, PRE_NORMS, moe_keys, router, split_or_stacked
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
    replace,
    slots,
    tensor,
    under,
    when,
)
from cfgexplain.families.wavtokenizer import at


def conv(name: str, out: str, into: str, side: str) -> Slots:
    """A convolution over time [out, into, side] with a bias; of a transposed one give its own order, bias apart."""
    return slots(tensor(f"{name}.weight", "audio", f"{out}, {into}, {side}"), tensor(f"{name}.bias", "audio", out))


def transposed(name: str, into: str, out: str, side: str) -> Slots:
    """A transposed convolution [into, out, side] with a bias [out]."""
    return slots(tensor(f"{name}.weight", "audio", f"{into}, {out}, {side}"), tensor(f"{name}.bias", "audio", out))


def snake(name: str, width: str) -> Slots:
    """An activation with two learned numbers a channel."""
    dot = f"{name}." if name else ""
    return slots(tensor(f"{dot}alpha", "audio", width), tensor(f"{dot}beta", "audio", width))


# --- Qwen2.5-Omni ---

QWEN2_5_OMNI_TALKER: Final = replace(
    LLAMA,
    id="qwen2_5_omni_talker",
    source="transformers 5.24 Qwen2_5OmniTalkerConfig, Qwen2_5OmniTalkerForConditionalGeneration",
    base="",
    keys=decoder_keys(
        hidden=3584, ffn=18944, layers=28, heads=28, kv_heads=4, head_dim=128, vocab=8448, eps=1e-6, max_pos=32768,
        theta=1e6, seen=key("embedding_size", 3584),
    ),
    body=slots(
        linear("thinker_to_talker_proj", "projector", "", "hidden", "seen", "1"),
        embedding("model.embed_tokens", cols="seen"),
        under(
            "model.layers.{i}.",
            attention(bias="1", o_bias=""), gated_mlp(), PRE_NORMS, layers="layers",
        ),
        norm("model.norm", "final-norm"),
        tensor("codec_head.weight", "lm-head", "vocab, hidden"),
    ),
    heads={},
    head="ForConditionalGeneration",
    renames=(),
)


def _tdnn(name: str, out: str, into: str, side: str) -> Slots:
    return conv(f"{name}.conv", out, into, side)


_SPEAKER: Final = under(
    "input_embed.spk_encoder.",
    at("0", "1", _tdnn("blocks.{i}", "widths[0]", "mels", "sides[0]")),
    at(
        "1", "len(widths) - 2",
        under(
            "blocks.{i}.",
            _tdnn("tdnn1", "widths[i]", "widths[i - 1]", "1"), _tdnn("tdnn2", "widths[i]", "widths[i]", "1"),
            under(
                "res2net_block.blocks.{e}.",
                conv("conv", "widths[i] // scale", "widths[i] // scale", "sides[i]"),
                experts="scale - 1",
            ),
            conv("se_block.conv1", "squeezed", "widths[i]", "1"), conv("se_block.conv2", "widths[i]", "squeezed", "1"),
        ),
    ),
    _tdnn("mfa", "widths[-1]", "widths[-1]", "sides[-1]"),
    _tdnn("asp.tdnn", "attended", "3*widths[-1]", "1"), conv("asp.conv", "widths[-1]", "attended", "1"),
    conv("fc", "speaker", "2*widths[-1]", "1"),
)
QWEN2_5_OMNI_DIT: Final = Family(
    id="qwen2_5_omni_dit",
    source="transformers 5.24 Qwen2_5OmniDiTConfig, Qwen2_5OmniToken2WavDiTModel (speaker from ECAPA-TDNN, 2005.07143)",
    base="",
    keys={
        "hidden": key("hidden_size", 1024), "layers": key("num_hidden_layers", 22),
        "heads": key("num_attention_heads", 16), "head_dim": key("head_dim", 64),
        "times": key("ff_mult", 2), "ffn": key((), E("hidden*times")), "code": key("emb_dim", 512),
        "codes": key("num_embeds", 8193), "mels": key("mel_dim", 80), "known": key("enc_emb_dim", 192),
        "speaker": key("enc_dim", 128), "widths": key("enc_channels", (256, 256, 256, 256, 768)),
        "sides": key("enc_kernel_sizes", (5, 3, 3, 3, 1)), "attended": key("enc_attention_channels", 64),
        "scale": key("enc_res2net_scale", 2, low=1), "squeezed": key("enc_se_channels", 64),
    },
    lets={"wide": "heads*head_dim"},
    body=slots(
        linear("time_embed.time_mlp.0", "audio", "", "hidden", "256", "1"),
        linear("time_embed.time_mlp.2", "audio", "", "hidden", "hidden", "1"),
        embedding("text_embed.codec_embed", "codes + 1", "code"),
        linear("input_embed.proj", "audio", "", "hidden", "mels + speaker + known + code", "1"),
        _SPEAKER,
        under(
            "transformer_blocks.{i}.",
            linear("attn_norm.linear", "audio", "", "6*hidden", "hidden", "1"),
            *(linear(f"attn.to_{n}", "attention", n, "wide", "hidden", "1") for n in "qkv"),
            linear("attn.to_out.0", "attention", "o", "hidden", "wide", "1"),
            plain_mlp("ff.ff.0", "ff.ff.3", bias="1"),
            layers="layers",
        ),
        linear("norm_out.linear", "audio", "", "2*hidden", "hidden", "1"),
        linear("proj_out", "audio", "", "mels", "hidden", "1"),
    ),
    norm=Norm("layernorm", eps=1e-6),
    head="Model",
    kv="0",
)
#: Blocks of three pairs of convolutions: each width of the kernel at each step of the upsampling.
QWEN2_5_OMNI_BIGVGAN: Final = Family(
    id="qwen2_5_omni_bigvgan",
    source="transformers 5.24 Qwen2_5OmniBigVGANConfig, Qwen2_5OmniToken2WavBigVGANModel",
    base="",
    keys={
        "hidden": key("upsample_initial_channel", 1536), "mels": key("mel_dim", 80),
        "kernels": key("resblock_kernel_sizes", (3, 7, 11)), "rates": key("upsample_rates", (5, 3, 2, 2, 2, 2)),
        "sides": key("upsample_kernel_sizes", (11, 7, 4, 4, 4, 4)), "layers": key((), E("len(rates)")),
    },
    lets={"last": "hidden // 2**layers", "width": "hidden // 2**(i // len(kernels) + 1)"},
    body=slots(
        conv("conv_pre", "hidden", "mels", "7"),
        under("ups.{i}.", transposed("0", "hidden // 2**i", "hidden // 2**(i + 1)", "sides[i]"), layers="layers"),
        under(
            "resblocks.{i}.",
            *(conv(f"{c}.{n}", "width", "width", "kernels[i % len(kernels)]") for c in ("convs1", "convs2")
              for n in range(3)),
            *(snake(f"activations.{n}.act", "width") for n in range(6)),
            layers="layers*len(kernels)",
        ),
        snake("activation_post.act", "last"), tensor("conv_post.weight", "audio", "1, last, 7"),
    ),
    norm=Norm("other", "none", eps=1e-5, final=False),
    head="Model",
    kv="0",
)
#: Behind the thinker, where the model may speak (``enable_audio_output``).
QWEN2_5_OMNI_VOICE: Final = (
    Part("talker", "talker_config", "qwen2_5_omni_talker", "talker.", role="audio", fixed=True, when="speaks"),
    Part("dit", "token2wav_config.dit_config", "qwen2_5_omni_dit", "token2wav.code2wav_dit_model.", role="audio",
         fixed=True, when="speaks"),
    Part("bigvgan", "token2wav_config.bigvgan_config", "qwen2_5_omni_bigvgan", "token2wav.code2wav_bigvgan_model.",
         role="audio", fixed=True, when="speaks"),
)

# --- Qwen3-Omni ---

_SMALL: Final = decoder_keys(
    hidden=1024, ffn=2048, layers=20, heads=16, kv_heads=2, vocab=3072, eps=1e-6, max_pos=32768,
    attention_bias=key("attention_bias", False),
)
_DENSE: Final = slots(attention(bias="attention_bias"), HEAD_NORMS, gated_mlp(), PRE_NORMS)
QWEN3_OMNI_TALKER_TEXT: Final = replace(
    QWEN2_MOE,
    id="qwen3_omni_moe_talker_text",
    source="transformers 5.24 Qwen3OmniMoeTalkerTextConfig, Qwen3OmniMoeTalkerModel (every layer has experts, and a"
    " shared one whose width the class has no default for)",
    base="",
    keys={
        **_SMALL, **moe_keys(experts=128, top_k=8, moe_ffn=384, names=("num_local_experts", "num_experts")),
        "shared_ffn": key("shared_expert_intermediate_size", None, "int"),
    },
    lets={},
    body=slots(
        under(
            "layers.{i}.",
            attention(bias="attention_bias"), HEAD_NORMS, router(), split_or_stacked(),
            gated_mlp("mlp.shared_expert.", "shared_ffn", "shared-experts"),
            tensor("mlp.shared_expert_gate.weight", "router", "1, hidden", "shared_gate"), PRE_NORMS, layers="layers",
        ),
        norm("norm", "final-norm"), embedding("codec_embedding"),
    ),
    heads={},
    head="Model",
    layer_kind="'full'",
)
QWEN3_OMNI_PREDICTOR: Final = replace(
    LLAMA,
    id="qwen3_omni_moe_talker_code_predictor",
    source="transformers 5.24 Qwen3OmniMoeTalkerCodePredictorConfig (a table and a head for each code after the first)",
    base="",
    keys=decoder_keys(
        hidden=1024, ffn=3072, layers=5, heads=16, kv_heads=8, head_dim=128, vocab=2048, eps=1e-6, max_pos=32768,
        attention_bias=key("attention_bias", False), codes=key("num_code_groups", 32),
    ),
    body=slots(
        under("model.layers.{i}.", _DENSE, layers="layers"), norm("model.norm", "final-norm"),
        under("model.codec_embedding.{i}.", tensor("weight", "embedding", "vocab, hidden"), layers="codes - 1"),
        under("lm_head.{i}.", tensor("weight", "lm-head", "vocab, hidden"), layers="codes - 1"),
    ),
    heads={},
    head="ForConditionalGeneration",
    renames=(),
)


def _resize(name: str) -> Slots:
    """From the thinker's width to the talker's."""
    return slots(
        linear(f"{name}.linear_fc1", "audio", "", "talker.ffn", "thinker", "1"),
        linear(f"{name}.linear_fc2", "audio", "", "talker.hidden", "talker.ffn", "1"),
    )


#: What stands in the talker itself, by the settings of its parts.
QWEN3_OMNI_TALKER: Final = under(
    "talker.",
    when(
        "speaks", _resize("text_projection"), _resize("hidden_projection"),
        lm_head("codec_head", "talker.vocab", "talker.hidden", tie="tied"),
    ),
)
#: One unit of a step of the upsampling: two convolutions, each behind an activation.
_UNIT: Final = slots(
    snake("act1", "half"), conv("conv1.conv", "half", "half", "7"), snake("act2", "half"),
    conv("conv2.conv", "half", "half", "1"),
)
QWEN3_OMNI_CODE2WAV: Final = replace(
    LLAMA,
    id="qwen3_omni_moe_code2wav",
    source="transformers 5.24 Qwen3OmniMoeCode2WavConfig, Qwen3OmniMoeCode2Wav",
    base="",
    keys={
        **decoder_keys(
            hidden=1024, ffn=3072, layers=8, heads=16, kv_heads=16, vocab=2048, eps=1e-5, max_pos=8000,
            attention_bias=key("attention_bias", False), window=key("sliding_window", 72),
        ),
        "vocab": key("codebook_size", 2048), "quantizers": key("num_quantizers", 16),
        "rates": key("upsample_rates", (8, 5, 4, 3)), "factors": key("upsampling_ratios", (2, 2)),
        "wide": key("decoder_dim", 1536),
    },
    lets={"steps": "len(rates)", "half": "wide // 2**i", "last": "wide // 2**steps"},
    body=slots(
        under(
            "pre_transformer.layers.{i}.",
            attention(bias="attention_bias"), gated_mlp(), PRE_NORMS,
            tensor("self_attn_layer_scale.scale", "other", "hidden"), tensor("mlp_layer_scale.scale", "other",
                "hidden"),
            layers="layers",
        ),
        norm("pre_transformer.norm", "final-norm"),
        embedding("code_embedding", "vocab*quantizers"),
        under(
            "upsample.{i}.",
            transposed("0.conv", "hidden", "hidden", "factors[i]"), tensor("1.gamma", "audio", "hidden"),
            conv("1.dwconv.conv", "hidden", "1", "7"), norm("1.norm", "audio", bias="1"),
            plain_mlp("1.pwconv1", "1.pwconv2", "4*hidden", "audio", "1"),
            layers="len(factors)",
        ),
        at("0", "1", conv("decoder.{i}.conv", "wide", "hidden", "7")),
        at(
            "1", "steps",
            under(
                "decoder.{i}.block.",
                snake("0", "wide // 2**(i - 1)"), transposed("1.conv", "wide // 2**(i - 1)", "half", "2*rates[i - 1]"),
                *(under(f"{n}.", _UNIT) for n in (2, 3, 4)),
            ),
        ),
        at("steps + 1", "1", snake("decoder.{i}", "last")),
        at("steps + 2", "1", conv("decoder.{i}.conv", "1", "last", "7")),
    ),
    heads={},
    head="Model",
    renames=(),
    layer_kind="'sliding'",
)
QWEN3_OMNI_VOICE: Final = (
    Part("talker", "talker_config.text_config", "qwen3_omni_moe_talker_text", "talker.model.", role="audio", fixed=True,
         when="speaks"),
    Part("predictor", "talker_config.code_predictor_config", "qwen3_omni_moe_talker_code_predictor",
         "talker.code_predictor.", role="audio", fixed=True, when="speaks"),
    Part("code2wav", "code2wav_config", "qwen3_omni_moe_code2wav", "code2wav.", role="audio", fixed=True,
         when="speaks"),
)

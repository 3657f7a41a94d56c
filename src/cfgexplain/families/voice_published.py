"""MiniCPM-o's ear and voice, as its publisher's own code writes them: Whisper's encoder, and ChatTTS with its codec.

Sources: openbmb/MiniCPM-o-2_6 (``configuration_minicpm.py``, ``modeling_minicpmo.py``: ConditionalChatTTS, DVAE), and
vector_quantize_pytorch's GroupedResidualFSQ.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.audio import WHISPER_ENCODER
from cfgexplain.families.common import decoder_keys, key
from cfgexplain.families.llama import LLAMA, PRE_NORMS
from cfgexplain.families.schema import (
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

MINICPMO_AUDIO: Final = replace(
    WHISPER_ENCODER,
    id="minicpmo_audio",
    source="openbmb/MiniCPM-o-2_6, MiniCPMWhisperEncoder; defaults of transformers' WhisperConfig",
    keys={
        **WHISPER_ENCODER.keys, "hidden": key("d_model", 384), "ffn": key("encoder_ffn_dim", 1536),
        "layers": key("encoder_layers", 4), "heads": key("encoder_attention_heads", 6),
        "mels": key("num_mel_bins", 80),
    },
)


def _conv(name: str, out: int, into: int, side: int, bias: bool = True) -> Slots:
    """A convolution over time [out, into, side]."""
    return linear(name, "audio", "", str(out), f"{into}, {side}", "1" if bias else "")


def _stack(name: str, out: int) -> Slots:
    """Half the codec: two convolutions, twelve blocks of 256 channels, one convolution out."""
    return under(
        f"{name}.",
        _conv("conv_in.0", 128, 512, 3), _conv("conv_in.2", 256, 128, 3),
        under(
            "decoder_block.{i}.",
            _conv("dwconv", 256, 1, 7), norm("norm", "audio", "256", "1"),
            plain_mlp("pwconv1", "pwconv2", "1024", "audio", "1", cols="256"), tensor("coef", "audio", "256"),
            layers="12",
        ),
        _conv("conv_out", out, 256, 1, bias=False),
    )


#: The codec's sizes are fixed by the code. Its code book is implicit: rounding between two matrices for each group.
_DVAE: Final = under(
    "dvae.",
    tensor("coef", "audio", "1, 100, 1"), _conv("downsample_conv.0", 512, 100, 3), _conv("downsample_conv.2", 512, 512,
        4),
    _stack("encoder", 1024), _stack("decoder", 512), _conv("out_conv", 100, 512, 3, bias=False),
    under(
        "vq_layer.quantizer.rvqs.{i}.",
        linear("project_in", "audio", "", "4", "512", "1"), linear("project_out", "audio", "", "512", "4", "1"),
        layers="2",
    ),
)
CHATTTS: Final = replace(
    LLAMA,
    id="conditional_chattts",
    source="openbmb/MiniCPM-o-2_6, ConditionalChatTTSConfig, ConditionalChatTTS (a Llama that keeps its unread table)",
    base="",
    keys={
        **decoder_keys(hidden=768, ffn=3072, layers=20, heads=12, vocab=32000, eps=1e-6, max_pos=4096),
        "vocab": key((), 32000), "seen": key("llm_dim", 2560), "mlp": key("use_mlp", True),
        "codes": key("num_audio_tokens", 626), "texts": key("num_text_tokens", 21178), "books": key("num_vq", 4),
    },
    body=slots(
        when(
            "mlp", linear("projector.linear1", "projector", "", "hidden", "seen", "1"),
            linear("projector.linear2", "projector", "", "hidden", "hidden", "1"),
        ),
        when("not mlp", linear("projector", "projector", "", "hidden", "seen")),
        under("emb_code.{i}.", tensor("weight", "embedding", "codes, hidden"), layers="books"),
        embedding("emb_text", "texts"),
        under(
            "head_code.{i}.parametrizations.weight.",
            tensor("original0", "lm-head", "codes, 1"), tensor("original1", "lm-head", "codes, hidden"),
            layers="books",
        ),
        _DVAE,
        embedding("model.embed_tokens"),
        under("model.layers.{i}.", attention(), gated_mlp(), PRE_NORMS, layers="layers"),
        norm("model.norm", "final-norm"),
    ),
    heads={},
    head="Model",
    renames=(),
)

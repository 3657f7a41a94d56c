"""WavTokenizer's encoder (SEANet, Défossez et al. 2022, 2210.13438), the audio tokenizer of Apertus 1.5.

Facts from transformers 5.24, ``models/wavtokenizer`` (WavTokenizerEncoderModel). The code book is a buffer.
"""

from __future__ import annotations

from typing import Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import E, Family, Norm, Slot, Slots, slots, tensor, under, when

_STAGES: Final = 8


def conv(name: str, out: str, into: str, side: str) -> Slots:
    """A convolution whose weight is stored as direction and length, or one with a norm over time."""
    return slots(
        tensor(f"{name}.conv.bias", "audio", out),
        when(
            "norm_type == 'weight_norm'",
            tensor(f"{name}.conv.parametrizations.weight.original0", "audio", f"{out}, 1, 1"),
            tensor(f"{name}.conv.parametrizations.weight.original1", "audio", f"{out}, {into}, {side}"),
        ),
        when(
            "norm_type != 'weight_norm'",
            tensor(f"{name}.conv.weight", "audio", f"{out}, {into}, {side}"),
            tensor(f"{name}.norm.weight", "audio", out),
            tensor(f"{name}.norm.bias", "audio", out),
        ),
    )


def _at(first: str, count: str, *groups: Slots) -> Slots:
    """Slots ``{i}.…`` at positions from ``first`` on."""
    return tuple(s._replace(layers=count, first=first) for s in slots(*groups))


def _stage(n: int) -> Slots:
    """Residual blocks, then a convolution that shortens by a ratio, counted from the last, and doubles the channels."""
    size, start = f"filters*{2**n}", f"1 + {n}*(blocks + 2)"
    return when(
        f"stages > {n}",
        _at(
            start, "blocks",
            conv("{i}.block.1", f"{size} // squeeze", size, "inner"),
            conv("{i}.block.3", size, f"{size} // squeeze", "1"),
            when("shortcut", conv("{i}.shortcut", size, size, "1")),
        ),
        _at(f"{start} + blocks + 1", "1", conv("{i}", f"2*{size}", size, f"2*ratios[stages - {n + 1}]")),
    )


_LSTM: Final = slots(
    *(
        Slot(f"{{i}}.lstm.{what}_l{{e}}", "audio", "", shape, experts="depth")
        for what, shape in (
            ("weight_ih", "4*top, top"), ("weight_hh", "4*top, top"), ("bias_ih", "4*top"), ("bias_hh", "4*top"),
        )
    )
)
WAVTOKENIZER: Final = Family(
    id="wavtokenizer_encoder",
    source="transformers 5.24 WavTokenizerEncoderConfig, WavTokenizerEncoder",
    base="",
    keys={
        "hidden": key("hidden_size", 512), "channels": key("audio_channels", 1), "filters": key("num_filters", 32),
        "ratios": key("upsampling_ratios", (6, 5, 5, 4)), "blocks": key("num_residual_layers", 1),
        "squeeze": key("compress", 2, low=1), "shortcut": key("use_conv_shortcut", True),
        "norm_type": key("norm_type", "weight_norm"), "side": key("kernel_size", 7), "last": key("last_kernel_size", 7),
        "inner": key("residual_kernel_size", 3), "depth": key("num_lstm_layers", 2),
        "codes": key("codebook_size", 4096),
        "code": key("codebook_dim", 512), "layers": key((), E("len(ratios)")),
    },
    lets={"stages": "len(ratios)", "top": "filters*2**stages", "after": "1 + stages*(blocks + 2)"},
    body=slots(
        under(
            "encoder.layers.",
            _at("0", "1", conv("{i}", "filters", "channels", "side")),
            *(_stage(n) for n in range(_STAGES)),
            _at("after", "1", _LSTM), _at("after + 2", "1", conv("{i}", "hidden", "top", "last")),
        ),
        under(
            "quantizer.codebook.",
            *(
                tensor(name, "buffer", shape, kind="buffer")
                for name, shape in (
                    ("cluster_size", "codes"), ("embed", "codes, code"), ("embed_avg", "codes, code"), ("inited", "1"),
                )
            ),
        ),
    ),
    norm=Norm("other", "none", eps=1e-5, final=False),
    head="Model",
    kv="0",
)

"""WavTokenizer's encoder, the audio tokenizer of Apertus 1.5, and SEANet's layers (Défossez et al. 2022, 2210.13438),
which EnCodec and Mimi have as well.

Facts from transformers 5.24, ``models/wavtokenizer`` (WavTokenizerEncoderModel). The code book is a buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import E, Family, Norm, Slot, Slots, form, slots, tensor, under, when

if TYPE_CHECKING:
    from cfgexplain.families.schema import Key


def conv(name: str, out: str, into: str, side: str, transposed: bool = False) -> Slots:
    """A convolution whose weight is stored as direction and length, one with a norm over time, or a plain one.

    The length comes first; before torch 2.1 the two had names of their own.
    """
    a, b = (into, out) if transposed else (out, into)
    length, weight = f"{a}, 1, 1", f"{a}, {b}, {side}"
    return slots(
        tensor(f"{name}.conv.bias", "audio", out),
        when(
            "norm_type == 'weight_norm'",
            form(
                "weight-norm/parametrized",
                tensor(f"{name}.conv.parametrizations.weight.original0", "audio", length),
                tensor(f"{name}.conv.parametrizations.weight.original1", "audio", weight),
            ),
            form(
                "weight-norm/named", tensor(f"{name}.conv.weight_g", "audio", length),
                tensor(f"{name}.conv.weight_v", "audio", weight),
            ),
        ),
        when("norm_type != 'weight_norm'", tensor(f"{name}.conv.weight", "audio", weight)),
        when(
            "norm_type == 'time_group_norm'", tensor(f"{name}.norm.weight", "audio", out),
            tensor(f"{name}.norm.bias", "audio", out),
        ),
    )


def at(first: str, count: str, *groups: Slots) -> Slots:
    """Slots ``{i}.…`` at positions from ``first`` on."""
    return tuple(s._replace(layers=count, first=first) for s in slots(*groups))


def _residual(size: str) -> Slots:
    """A block of two convolutions, the first one to fewer channels."""
    return slots(
        conv("{i}.block.1", f"{size} // squeeze", size, "inner"), conv("{i}.block.3", size, f"{size} // squeeze", "1"),
        when("shortcut", conv("{i}.shortcut", size, size, "1")),
    )


def seanet_keys(
    *, hidden: int, filters: int, ratios: tuple[int, ...], last: int, norm_type: str | None = "weight_norm",
    shortcut: bool = True,
) -> dict[str, Key]:
    """The keys of SEANet's stacks; ``norm_type`` None: the config says nothing of it, convolutions are plain."""
    return {
        "hidden": key("hidden_size", hidden), "channels": key("audio_channels", 1),
        "filters": key("num_filters", filters),
        # Null, or an empty list, is the default of the one class that allows it.
        "listed": key("upsampling_ratios", ratios, null=E(str(ratios))), "ratios": key((), E(f"listed or {ratios}")),
        "blocks": key("num_residual_layers", 1), "squeeze": key("compress", 2, low=1),
        "shortcut": key("use_conv_shortcut", shortcut),
        "norm_type": key((), "none") if norm_type is None else key("norm_type", norm_type),
        "side": key("kernel_size", 7), "last": key("last_kernel_size", last), "inner": key("residual_kernel_size", 3),
        "depth": key((), 0) if norm_type is None else key("num_lstm_layers", 2),
        "lstm": key((), 0 if norm_type is None else 1),
        "layers": key((), E("len(ratios)")),
    }


#: Each step of a stack is ``blocks`` residual blocks, an activation and a convolution that shortens or lengthens.
SEANET_LETS: Final = {
    "stages": "len(ratios)", "top": "filters*2**stages", "every": "blocks + 2", "after": "1 + stages*every",
    "step": "(i - 1) % every", "size": "filters*2**((i - 1) // every)", "ratio": "ratios[-1 - (i - 1) // every]",
    "up_step": "(i - 1 - lstm) % every", "up_size": "top // 2**((i - 1 - lstm) // every)",
    "up_half": "up_size // 2", "up_ratio": "ratios[(i - 1 - lstm) // every]",
}
_LSTM: Final = slots(
    *(
        Slot(f"{{i}}.lstm.{what}_l{{e}}", "audio", "", shape, experts="depth")
        for what, shape in (
            ("weight_ih", "4*top, top"), ("weight_hh", "4*top, top"), ("bias_ih", "4*top"), ("bias_hh", "4*top"),
        )
    )
)
SEANET_ENCODER: Final = slots(
    at("0", "1", conv("{i}", "filters", "channels", "side")),
    at(
        "1", "stages*every",
        when("step < blocks", _residual("size")), when("step > blocks", conv("{i}", "2*size", "size", "2*ratio")),
    ),
    at("after", "lstm", _LSTM), at("after + 1 + lstm", "1", conv("{i}", "hidden", "top", "last")),
)
SEANET_DECODER: Final = slots(
    at("0", "1", conv("{i}", "top", "hidden", "side")), at("1", "lstm", _LSTM),
    at(
        "1 + lstm", "stages*every",
        when("up_step == 1", conv("{i}", "up_half", "up_size", "2*up_ratio", transposed=True)),
        when("up_step > 1", _residual("up_half")),
    ),
    at("after + 1 + lstm", "1", conv("{i}", "channels", "filters", "last")),
)


def codebook(*names: tuple[str, str]) -> Slots:
    """A code book: moving averages, which are buffers."""
    return under("codebook.", *(tensor(name, "buffer", shape, kind="buffer") for name, shape in names))


EUCLIDEAN: Final = codebook(
    ("cluster_size", "codes"), ("embed", "codes, code"), ("embed_avg", "codes, code"), ("inited", "1")
)
WAVTOKENIZER: Final = Family(
    id="wavtokenizer_encoder",
    source="transformers 5.24 WavTokenizerEncoderConfig, WavTokenizerEncoder",
    base="",
    keys={
        **seanet_keys(hidden=512, filters=32, ratios=(6, 5, 5, 4), last=7),
        "codes": key("codebook_size", 4096), "code": key("codebook_dim", 512),
    },
    lets=SEANET_LETS,
    body=slots(under("encoder.layers.", SEANET_ENCODER), under("quantizer.", EUCLIDEAN)),
    norm=Norm("other", "none", eps=1e-5, final=False),
    head="Model",
    kv="0",
)

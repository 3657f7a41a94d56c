"""Where the columns of a panel lie, what its parts are about, and where call-outs may point."""

from __future__ import annotations

from typing import Final, NamedTuple


class Geo(NamedTuple):
    """Where the columns of a panel lie. ``stream`` is the x of the residual stream; ``branch`` and ``fork`` where the
    boxes beside it begin, one or several abreast."""

    width: int
    left: int
    right: int
    stream: int
    branch: int
    fork: int
    side: tuple[int, int]
    notes: tuple[int, int]
    narrow: bool


WIDE: Final = Geo(1120, 236, 640, 318, 412, 362, (684, 1096), (24, 208), False)
NARROW: Final = Geo(440, 12, 428, 92, 180, 134, (12, 428), (12, 428), True)

NORM_ASPECTS: Final = ("norm.type", "norm.gain", "norm.bias", "norm.eps", "norm.placement")
ATTENTION_ASPECTS: Final = (
    "attention.kind", "attention.heads", "attention.kv_heads", "attention.head_dim", "attention.window", "norm.qk",
    "layers.kinds", "rope.theta", "rope.scaling", "rope.fraction",
    "attention.bias",
)  # fmt: skip
FFN_ASPECTS: Final = (
    "ffn.kind", "ffn.activation", "ffn.width", "ffn.bias", "ffn.experts", "ffn.experts_per_token",
    "ffn.shared_experts", "ffn.expert_width", "ffn.layers",
)  # fmt: skip
#: Size at which bold text of 13 is measured: it is wider.
BOLD: Final = 13.9
Line = tuple[str, str]


class Anchor(NamedTuple):
    """Where something stands that a call-out or a detail belongs to. ``reach``: whether a line can get there; ``over``:
    the height at which it passes what stands between."""

    x: float
    y: float
    reach: bool = True
    over: float | None = None

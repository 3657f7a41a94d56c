"""Where the norms of the language model are, one entry for each place and not for each layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.fold import ranges

if TYPE_CHECKING:
    from cfgexplain.report import NormSiteR
    from cfgexplain.subject import Piece, Subject

ROLES: Final = ("block-norm", "attention-norm", "final-norm", "other-norm")


def sites(s: Subject) -> list[NormSiteR] | None:
    """The norms with a gain, layers folded; None where neither a table nor tensors tell.

    With a table these are the norms that the architecture has, each layer's in the order of its flow; without one,
    those that are stored. ``count`` is how many instances an entry stands for, ``size`` the width of one. A norm
    without tensors has no entry.
    """
    pieces = s.expected if s.known else s.stored
    if pieces is None:
        return None
    found: dict[tuple[str, str, str, int | None], list[Piece]] = {}
    for p in pieces:
        if (
            p.main
            and p.role in ROLES
            and not p.tensor.endswith(("bias", "beta"))
            and p.shape is not None
            and len(p.shape) == 1
        ):
            rest = p.tensor if p.layer is None else p.tensor[len(p.stack):].partition(".")[2]
            found.setdefault((p.role, p.stack, rest, p.shape[0]), []).append(p)
    return [
        {
            "tensor": _pattern(stack, rest, group),
            "role": role,
            "size": size,
            "count": sum(max(p.experts, 1) for p in group),
        }
        for (role, stack, rest, size), group in found.items()
    ]


def mixer_gains(s: Subject) -> list[str]:
    """Gains of the norms inside what takes attention's place, by their names in a layer; no entry has them."""
    pieces = (s.expected if s.known else s.stored) or ()
    return list(dict.fromkeys(
        p.tensor[len(p.stack):].partition(".")[2]
        for p in pieces
        if p.main and p.role == "mixer" and p.layer is not None and p.shape is not None and len(p.shape) == 1
        and "norm" in p.tensor and p.tensor.endswith(".weight")
    ))  # fmt: skip


def _pattern(stack: str, rest: str, group: list[Piece]) -> str:
    layers = sorted({p.layer for p in group if p.layer is not None})
    each = max(p.experts for p in group)
    rest = rest.replace("{e}", f"{{0-{each - 1}}}" if each > 1 else "0")
    if not layers:
        return rest
    one = ranges(layers)
    return f"{stack}{one if len(layers) == 1 else '{' + one + '}'}.{rest}"

"""What a width divides into: tensor-parallel ranks, kernel tiles, quantization groups; what it costs.

Widths and hidden sizes are positive and at most ``derivation.MAX_SIZE``; the caller has seen to that.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cfgexplain.facts.derivation import meta_width
from cfgexplain.families.expr import ceil_to

TP_DEGREES: Final = (1, 2, 4, 8, 16, 32, 64)
#: 8 and 16: tensor cores on 2- and 1-byte elements; 32 to 128: quantization groups; 256: the k-quants' super-block.
ALIGNMENTS: Final = (8, 16, 32, 64, 128, 256)


class GroupFit(NamedTuple):
    """How the columns of one tensor-parallel rank fall into quantization groups.

    Attributes:
        tp: number of ranks.
        per_rank: columns of one rank, or None where ``tp`` does not divide the width.
        groups: groups of one rank (21.5 where the last one is cut in half), or None likewise.
        fits: whole groups only.
    """

    tp: int
    per_rank: int | None
    groups: float | None
    fits: bool


class Cost(NamedTuple):
    """Parameters of one feed-forward layer against the 8·d² that 2/3 was chosen to keep.

    Attributes:
        gated: 3·d·width: three matrices of this width.
        plain: 2·d·4d: two matrices of width 4·d.
    """

    gated: int
    plain: int

    @property
    def extra(self) -> int:
        """What this width adds to 8·d²; negative where it saves."""
        return self.gated - self.plain

    @property
    def share(self) -> float:
        """``extra`` as a share of 8·d²."""
        return self.extra / self.plain


def tensor_parallel(width: int) -> list[int]:
    """The degrees among ``TP_DEGREES`` that divide ``width``."""
    return [tp for tp in TP_DEGREES if width % tp == 0]


def alignment(width: int) -> list[int]:
    """The tile and block sizes among ``ALIGNMENTS`` that divide ``width``."""
    return [size for size in ALIGNMENTS if width % size == 0]


def groups_per_rank(width: int, group: int, tp: int) -> GroupFit:
    """How ``width`` columns fall into groups of ``group`` on each of ``tp`` ranks (both positive)."""
    if width % tp:
        return GroupFit(tp, None, None, False)
    rank = width // tp
    # Halves, quarters … are exact in a float; only text reads it, ``fits`` does not.
    return GroupFit(tp, rank, rank / group, rank % group == 0)


def next_fit(width: int, group: int, tp: int) -> int:
    """The next width, by padding with zeros, that gives each of ``tp`` ranks whole groups."""
    return ceil_to(width, group * tp)


def rounding_cost(hidden: int, width: int) -> Cost:
    """Parameters of a gated layer [3 × d × width] against 2 × d × 4d, biases apart (``hidden`` positive)."""
    return Cost(3 * hidden * width, 8 * hidden * hidden)


def other_convention(hidden: int, width: int) -> tuple[int, int] | None:
    """(p, q) where ``width`` is p/q times the Llama rule's width for ``hidden``: another tool's way to count.

    2: gate and up together (Qwen 1: 22016 is 2 × 11008). 3: all three matrices. 2/3: the factor applied twice.
    """
    plain = meta_width(hidden)
    return next(((p, q) for p, q in ((2, 1), (3, 1), (2, 3)) if plain * p // q == width), None)

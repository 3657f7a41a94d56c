"""Roles inside the numbered blocks of an unknown model: each sub-layer is judged by all the tensors that it holds."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.infer_words import (
    ATTENTION,
    ATTENTION_PART,
    BESIDE,
    CONVOLUTION,
    CROSS,
    EXPERT,
    FFN,
    MIXER,
    NORM,
    QK_NORM,
    QUERIES,
    RECURRENCE,
    ROUTER,
    SHARED,
    SHARED_GATE,
    WAY_UP,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cfgexplain.checkpoint import Tensor

#: Words in ``layer_types`` for what mixes without softmax.
_NOT_ATTENTION: Final = ("linear", "mamba", "conv", "recurrent", "ssm", "delta")
_KNOWN: Final = (NORM, CROSS, ATTENTION, MIXER, FFN, EXPERT, ROUTER, ATTENTION_PART, BESIDE)


class Place(NamedTuple):
    """Where a name stands: the prefix of its stack, the block's index, what is left of the name."""

    stack: str
    layer: int | None
    rest: str


def place_of(name: str) -> Place:
    """The first number in a name is a block's, unless it is the last word; XLM's ``attentions.0`` keeps its word."""
    parts = name.split(".")
    for k, part in enumerate(parts):
        if part.isdecimal() and 0 < k < len(parts) - 1 and len(part) < 6:
            owner = parts[k - 1]
            rest = ".".join(parts[k + 1 :])
            return Place(".".join(parts[:k]) + ".", int(part), f"{owner}.{rest}" if _telling(owner) else rest)
    return Place("", None, name)


@lru_cache(maxsize=4096)
def _telling(word: str) -> bool:
    """Whether one word of a name says what kind of module it is."""
    return any(p.search(word) for p in _KNOWN)


@lru_cache(maxsize=16384)
def branch_of(rest: str) -> str:
    """The sub-layer's module within its block: all up to the first word that says what it is."""
    parts = rest.split(".")
    for k, part in enumerate(parts[:-1]):
        if not part.isdecimal() and _telling(part):
            return ".".join(parts[: k + 1])
    return parts[0]


class Block(NamedTuple):
    """What one block is made of: the kind of each of its branches, and what it cannot tell.

    Attributes:
        kinds: branch → "norm", "cross", "mixer", "attention", "moe", "shared", "ffn", "router", "beside" or "".
        routed: some branch holds experts.
    """

    kinds: Mapping[str, str]
    routed: bool


def block_of(members: Iterable[tuple[str, Tensor]], mixing: str | None) -> Block:
    """Judges each branch of one block.

    Args:
        members: what is left of each tensor's name, and the tensor.
        mixing: the config's word for what this layer mixes with, or None.
    """
    tails: dict[str, list[tuple[str, Tensor]]] = {}
    for rest, t in members:
        branch = branch_of(rest)
        tails.setdefault(branch, []).append((rest[len(branch) + 1 :], t))
    bert = "intermediate" in tails
    kinds = {b: _kind(b, found, mixing, bert) for b, found in tails.items()}
    return Block(kinds, "moe" in kinds.values())


def _kind(branch: str, tails: Sequence[tuple[str, Tensor]], mixing: str | None, bert: bool) -> str:
    word = branch.rpartition(".")[2]
    texts = [tail for tail, _ in tails]
    if NORM.search(word) and not any(p.search(t) for t in texts for p in (ATTENTION_PART, WAY_UP)):
        return "norm"
    if CROSS.search(word):
        return "cross"
    if BESIDE.search(word):
        return "beside"
    fed = bool(FFN.search(word)) or (bert and word == "output")
    if not fed and any(RECURRENCE.search(t) for t in (word, *texts)):
        return "mixer"
    if ATTENTION.search(word):
        return "mixer" if mixing is not None and any(w in mixing for w in _NOT_ATTENTION) else "attention"
    if (
        not fed
        and not EXPERT.search(word)
        and any(CONVOLUTION.search(tail or word) and not _pointwise(t) for tail, t in tails)
    ):
        return "mixer"
    stacked = any(len(t.shape) == 3 and min(t.shape[1:]) > 1 for _, t in tails) or any("router" in t for t in texts)
    if MIXER.search(word):
        if any(QUERIES.search(t) for t in texts):
            return "attention"
        if any(EXPERT.search(t) for t in texts):
            return "moe"
        return "ffn" if any(WAY_UP.search(t) for t in texts) else "mixer"
    if SHARED.search(word):
        return "shared"
    if fed or EXPERT.search(word):
        return "moe" if stacked or any(EXPERT.search(t) and not SHARED.search(t) for t in (word, *texts)) else "ffn"
    if ROUTER.search(word):
        return "router"
    if ATTENTION_PART.search(word) or any(QUERIES.search(t) for t in texts):
        return "attention"
    return "ffn" if any(WAY_UP.search(t) for t in texts) else ""


def _pointwise(t: Tensor) -> bool:
    """A convolution over one token, which is a linear layer."""
    return len(t.shape) == 3 and t.shape[-1] == 1 and t.shape[1] > 1


def inner_role(t: Tensor, place: Place, block: Block) -> str:
    """The role of a tensor in a block."""
    rest = place.rest
    module = rest.rpartition(".")[0] or rest
    branch = branch_of(rest)
    kind = block.kinds[branch]
    tail = rest[len(branch) + 1 :]
    if kind == "norm":
        return "attention-norm" if QK_NORM.search(branch) else "block-norm"
    if kind == "mixer":
        return "mixer"
    if NORM.search(module) and (len(t.shape) == 1 or QK_NORM.search(module)):
        return _norm_within(kind, module, rest)
    if kind == "cross":
        return "cross-attention"
    if kind == "attention":
        return "attention"
    if kind == "moe":
        return _routed(t, rest, tail)
    if kind == "shared":
        if not block.routed:
            return "ffn"
        return "router" if SHARED_GATE.search(rest) else "shared-experts"
    if kind == "router":
        return "router" if block.routed else "unclassified"
    return {"ffn": "ffn", "beside": "other"}.get(kind, "unclassified")


def _norm_within(kind: str, module: str, rest: str) -> str:
    """A norm inside a sub-layer: of its queries and keys, or of the block all the same (``output.LayerNorm``)."""
    if QK_NORM.search(module):
        return "attention-norm"
    return "other-norm" if SHARED.search(rest) and kind in ("moe", "shared") else "block-norm"


def _routed(t: Tensor, rest: str, tail: str) -> str:
    """Experts, router or shared experts, in a module that holds experts."""
    if SHARED_GATE.search(rest):
        return "router"
    if SHARED.search(rest):
        return "shared-experts"
    if EXPERT.search(rest):
        return "experts"
    if ROUTER.search(tail):
        return "router"
    # What is left is stored with the experts (a stack, a bias that all share), or is a block that is always on.
    return "experts" if len(t.shape) != 2 else "shared-experts"

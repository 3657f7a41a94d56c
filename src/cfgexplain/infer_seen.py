"""What the tensors of an unknown model show beyond their roles: its sizes, and the kind and place of its norms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.infer_words import NORM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cfgexplain.infer_blocks import Place
    from cfgexplain.logical import Row

_BLOCK: Final = frozenset({"attention", "mixer", "ffn", "experts", "shared-experts", "cross-attention"})
_MIXING: Final = frozenset({"attention", "mixer"})
_FEEDING: Final = frozenset({"ffn", "experts"})
#: The names of an attention norm and a feed-forward norm of one layer, which each stand before their sub-layer.
_PAIRS: Final = (
    (re.compile(r"^(ln|norm|layer_?norm|layernorm)_?1$"), re.compile(r"^(ln|norm|layer_?norm|layernorm)_?2$")),
    (
        re.compile(r"^(input_layernorm|(attn|attention|self_attn|operator|mixer|temporal_pre)_(layer_?)?norm)$"),
        re.compile(r"^((pre_)?(mlp|ffn|ff|feed_?forward)_(layer_?)?norm|channel_pre_norm)$"),
    ),
    (re.compile(r"^self_attn_layer_norm$"), re.compile(r"^final_layer_norm$")),
)
_LLAMA: Final = frozenset({"input_layernorm", "post_attention_layernorm"})
_OUTPUT: Final = frozenset({"post_attention_layernorm", "post_feedforward_layernorm"})
_BERT: Final = frozenset({"attention.output.LayerNorm", "output.LayerNorm"})


class Seen(NamedTuple):
    """Numbers and words that the tensors show; None where they do not.

    Attributes:
        hidden: width of the residual stream.
        layers: blocks of the language model's stack (the larger one of several).
        vocab: rows of the embedding.
        norm_type: "layernorm" or "rmsnorm".
        placement: of the block norms, in the contract's words.
    """

    hidden: int | None = None
    layers: int | None = None
    vocab: int | None = None
    norm_type: str | None = None
    placement: str | None = None


def seen(rows: Sequence[Row], places: Sequence[Place], config: Mapping[str, object], hidden: int | None) -> Seen:
    """Looks over all the rows of one model."""
    vocab = next(
        (r.shape[0] for r in rows if r.role == "embedding" and len(r.shape) == 2 and hidden in r.shape[1:]), None
    )
    placement = _placement(rows, places, config)
    return Seen(hidden, _layers(rows, places), vocab, _type(rows, config, placement), placement)


def _layers(rows: Sequence[Row], places: Sequence[Place]) -> int | None:
    size: dict[str, int] = {}
    found: dict[str, set[int]] = {}
    for r, p in zip(rows, places, strict=True):
        if r.role in _BLOCK and p.layer is not None:
            size[p.stack] = size.get(p.stack, 0) + (r.params or 0)
            found.setdefault(p.stack, set()).add(p.layer)
    return len(found[max(size, key=lambda s: size[s])]) if size else None


def _type(rows: Iterable[Row], config: Mapping[str, object], placement: str | None) -> str | None:
    """A bias makes it LayerNorm; without one it is RMSNorm where names say so, in the config or on disk.

    Blocks with a single norm are left open: LayerNorms without bias stand there, whatever the key is called.
    """
    norms = [r.name for r in rows if r.role == "block-norm"]
    if any(n.endswith("bias") for n in norms):
        return "layernorm"
    if norms and placement != "parallel" and any("rms" in n.lower() for n in (*config, *norms)):
        return "rmsnorm"
    return None


def _placement(rows: Sequence[Row], places: Sequence[Place], config: Mapping[str, object]) -> str | None:
    """Where the block norms stand, for the sets of names that have been used in one way only."""
    names: dict[tuple[str, int | None], set[str]] = {}
    roles: dict[tuple[str, int | None], set[str]] = {}
    for r, p in zip(rows, places, strict=True):
        if p.layer is None:
            continue
        roles.setdefault((p.stack, p.layer), set()).add(r.role)
        if r.role == "block-norm" and NORM.search(p.rest):
            names.setdefault((p.stack, p.layer), set()).add(p.rest.rpartition(".")[0])
    final = any(r.role == "final-norm" for r in rows)
    biased = any(r.role == "block-norm" and r.name.endswith("bias") for r in rows)
    sure = not biased and not any(v is True and "parallel" in k for k, v in config.items())
    found = {
        _of_layer(frozenset(n), final, sure, bool(roles[b] & _MIXING) and bool(roles[b] & _FEEDING))
        for b, n in names.items()
    }
    return found.pop() if len(found) == 1 else None


def _of_layer(names: frozenset[str], final: bool, sure: bool, whole: bool) -> str | None:
    """The placement in one layer.

    Args:
        names: of its block norms.
        final: there is a norm after the last layer.
        sure: nothing speaks of a parallel residual.
        whole: both sub-layers are in this layer.
    """
    post = {n for n in names if n.startswith("post_")}
    if "input_layernorm" in names and len(post - _LLAMA) >= 2:
        return "sandwich"
    if {"input_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"} <= names:
        return "sandwich"
    if names == _OUTPUT:
        return "output"
    if names == _BERT and not final:
        return "post"
    if not final:
        return None
    if names == _LLAMA:
        return "pre" if sure else None
    if names in ({"input_layernorm"}, {"ln_attn", "ln_mlp"}) and whole:
        return "parallel"
    if len(names) == 2 and any(
        {bool(a.match(n)) for n in names} == {bool(b.match(n)) for n in names} == {True, False} for a, b in _PAIRS
    ):
        return "pre"
    return None

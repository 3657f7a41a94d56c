"""Roles from names and shapes, for a model type without a table.

Names are split into words and read from the outside in: which stack of numbered blocks, which sub-layer, which
matrix. Shapes settle what names leave open (which of two matrices of a block is the way down). What neither shows
stays ``unclassified``, and the counts that depend on it stay unknown.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from cfgexplain.infer_blocks import Block, Place, block_of, inner_role, place_of
from cfgexplain.infer_parts import unsure, with_parts
from cfgexplain.infer_seen import seen
from cfgexplain.infer_words import ASIDE, EMBEDDING, FINAL, HEAD, HELD, NORM, POSITION, TOWERS
from cfgexplain.logical import Row, with_companions
from cfgexplain.match import BUFFERS, Match, wrapper_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.checkpoint import Tensor
    from cfgexplain.config import Settings
    from cfgexplain.packing import Packed, Packing


def infer(stored_tensors: Sequence[Tensor], s: Settings, complete: bool, packing: Packing | None = None) -> Match:
    """Every tensor with the role that its name and shape show; a quantized one with what it stands for."""
    tensors = stored_tensors if packing is None else logical_tensors(stored_tensors, packing)
    stored = [t.name for t in tensors]
    wrapper = wrapper_of(stored)
    names = [n[len(wrapper) :] for n in stored] if wrapper else stored
    roles: list[str] = []
    places = [_place(n) for n in names]
    hidden = _hidden(tensors, names, s)
    outside = [_outside(t, n) for t, n in zip(tensors, names, strict=True)]
    blocks = _blocks(tensors, places, outside, s)
    embedded = any(EMBEDDING.search(n) and len(t.shape) == 2 for t, n in zip(tensors, names, strict=True))
    for t, name, place, role in zip(tensors, names, places, outside, strict=True):
        if not role and place.layer is None:
            role = _outer_role(t, name, s, embedded)
        roles.append(role or inner_role(t, place, blocks[place.stack, place.layer]))
    rows = [
        Row(t, name, role, "", place.layer, None, 0 if role == "buffer" else math.prod(t.shape), t.shape)
        for t, name, place, role in zip(tensors, names, places, roles, strict=True)
    ]
    inner = [p if not o else Place("", None, "") for p, o in zip(places, outside, strict=True)]
    doubts = unsure(rows, inner, blocks)
    shown = seen(rows, inner, s.config, hidden)
    rows = with_parts(rows, places, hidden)
    if packing is not None:
        rows = [_stored(r, stored_tensors[k], packing.found.get(k)) for r, k in zip(rows, packing.main, strict=True)]
    return Match(with_companions(rows, stored_tensors, packing), (), wrapper=wrapper, unsure=doubts, seen=shown)


def logical_tensors(tensors: Sequence[Tensor], packing: Packing) -> list[Tensor]:
    """The tensors that are no companions, under their logical names and in the shapes that their headers show.

    A packed weight is taken for one in 16 bits: the integers that hold it make it no buffer.
    """
    return [
        tensors[k]._replace(name=packing.names[k], dtype="BF16", shape=packing.found[k].settle(None)[0])
        if k in packing.found
        else tensors[k]._replace(name=packing.names[k])
        for k in packing.main
    ]


def _stored(r: Row, t: Tensor, packed: Packed | None) -> Row:
    if packed is None:
        return r._replace(tensor=t)
    return r._replace(tensor=t, packed=packed, params=0 if r.role == "buffer" else packed.settle(None)[1])


def _place(name: str) -> Place:
    """Where a name stands; one of several heads or embeddings stands in no block."""
    place = place_of(name)
    if (
        place.layer is not None
        and "." not in place.rest
        and (HEAD.search(place.stack) or EMBEDDING.search(place.stack))
    ):
        return Place("", None, name)
    return place


def _hidden(tensors: Sequence[Tensor], names: Sequence[str], s: Settings) -> int | None:
    """The hidden size: declared, or the width of the embedding, or the commonest size of a 1-D tensor."""
    declared = s.int("hidden")
    if declared is not None:
        return declared
    sizes: dict[int, int] = {}
    for t, name in zip(tensors, names, strict=True):
        if len(t.shape) == 2 and EMBEDDING.search(name) and place_of(name).layer is None and t.shape[0] > t.shape[1]:
            return t.shape[1]
        if len(t.shape) == 1:
            sizes[t.shape[0]] = sizes.get(t.shape[0], 0) + 1
    return max(sizes, key=lambda n: sizes[n]) if sizes else None


def _blocks(
    tensors: Sequence[Tensor], places: Sequence[Place], outside: Sequence[str], s: Settings
) -> dict[tuple[str, int | None], Block]:
    members: dict[tuple[str, int | None], list[tuple[str, Tensor]]] = {}
    for t, place, role in zip(tensors, places, outside, strict=True):
        if not role and place.layer is not None:
            members.setdefault((place.stack, place.layer), []).append((place.rest, t))
    mixing = s.config.get("layer_types")
    words = mixing if isinstance(mixing, list) else []
    out: dict[tuple[str, int | None], Block] = {}
    for (stack, layer), found in members.items():
        word = words[layer] if layer is not None and layer < len(words) else None
        out[stack, layer] = block_of(found, word if isinstance(word, str) else None)
    return out


def tower_of(name: str) -> str | None:
    """The role of a tensor outside the language model, by the name of its branch."""
    return next((role for role, pattern in TOWERS if pattern.search(name)), None)


def _outside(t: Tensor, name: str) -> str:
    """The role of what is no parameter of the language model; "" for its own tensors."""
    # Nobody trains long integers or truth values: they are tables of indices, counters and masks.
    if BUFFERS.search(name) or HELD.search(name) or t.dtype in ("I64", "BOOL"):
        return "buffer"
    return tower_of(name) or ""


def _outer_role(t: Tensor, name: str, s: Settings, embedded: bool) -> str:
    module = name.rpartition(".")[0] or name
    if POSITION.search(name):
        return "position-embedding"
    if len(t.shape) == 1 and NORM.search(module):
        return (
            "final-norm"
            if FINAL.search(module) and not (ASIDE.search(module) and "_after" not in module)
            else "other-norm"
        )
    if HEAD.search(name) and not EMBEDDING.search(name):
        return "lm-head"
    if EMBEDDING.search(name) and len(t.shape) == 2:
        return "embedding"
    vocab = s.int("vocab")
    if vocab is not None and t.shape == (vocab, s.int("hidden")):
        return "lm-head" if embedded else "embedding"
    # A vector with an entry for each token shifts the logits.
    return "lm-head" if vocab is not None and t.shape == (vocab,) else "unclassified"


def guess(config: Mapping[str, object]) -> str | None:
    """The family that the class name in ``architectures`` points to, or None."""
    from cfgexplain.families.registry import TABLES

    classes = config.get("architectures")
    name = classes[0] if isinstance(classes, list) and classes else None
    if not isinstance(name, str):
        return None
    head = re.split(r"For[A-Z]|LMHead|Model$", name)[0].lower()
    return next((t for t in TABLES if t.replace("_", "").replace("-", "") == head), None)

"""Stored tensors → logical tensors, before anything is held against a table.

Names, dtypes and shapes decide; the quantization config only where they leave several readings. Layout sources:
the reference code named at each reader. A tensor that no layout claims is a plain tensor, whatever its name.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.packing.base import Hints, Packed, Parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.checkpoint import Tensor

#: Dtypes that no unquantized weight has; where none is seen, nothing is packed.
LOW: Final = frozenset(
    {
        "U8",
        "I8",
        "U16",
        "I16",
        "U32",
        "I32",
        "F4",
        "F6_E2M3",
        "F6_E3M2",
        "F8_E4M3",
        "F8_E5M2",
        "F8_E8M0",
        "F8_E4M3FNUZ",
        "F8_E5M2FNUZ",
    }
)
#: A weight with these kinds only is an 8-bit one with its scale: most of a large FP8 checkpoint.
SIMPLE: Final = frozenset({"weight", "scale", "scale_inv", "scale_2", "input_scale"})
#: Cache scales are one number, or one a head.
_FEW: Final = 4096


class Packing(NamedTuple):
    """How a quantized checkpoint's tensors are to be read.

    Attributes:
        names: for each stored tensor, the logical name; companions keep their own.
        found: position of a tensor that stands for a quantized weight → how it unpacks.
        companions: position of every other tensor of a quantized weight → that weight's logical name ("" for none).
        lacking: stored name of a quantized weight → names of the companions without which it cannot be unpacked.
    """

    names: tuple[str, ...]
    found: dict[int, Packed]
    companions: dict[int, str]
    lacking: Mapping[str, tuple[str, ...]]

    @property
    def main(self) -> list[int]:
        """Positions of the tensors that have a place in the architecture."""
        served = self.companions
        return [k for k in range(len(self.names)) if k not in served]


def unpack(tensors: Sequence[Tensor], hints: Hints | None) -> Packing | None:
    """The logical reading, or None where nothing is quantized (and nothing says so)."""
    if hints is None and LOW.isdisjoint({t.dtype for t in tensors}):
        return None
    from cfgexplain.packing.floats import scaled
    from cfgexplain.packing.lacking import alike, lacking
    from cfgexplain.packing.names import CACHE, MAYBE_CACHE, PRIMARY, parse

    hints = hints or Hints()
    names = [t.name for t in tensors]
    at: dict[str, dict[str, int]] = {}
    for k, name in enumerate(names):
        place = parse(name)
        if place is not None:
            at.setdefault(place[0], {})[place[1]] = k
    for k, name in enumerate(names):
        kinds = at.get(name)
        if kinds is not None:
            kinds.setdefault("weight", k)
        elif name.endswith(("weight", "_proj")) and tensors[k].dtype in LOW:
            at[name] = {"weight": k}
    found: dict[int, Packed] = {}
    companions: dict[int, str] = {}
    owner: dict[int, tuple[str, dict[str, int]]] = {}
    loose: dict[str, dict[str, int]] = {}
    seen: dict[tuple[tuple[str, str, tuple[int, ...]], ...], Packed | None] = {}
    for name, kinds in at.items():
        if len(kinds) == 1 and not PRIMARY.intersection(kinds) and tensors[next(iter(kinds.values()))].dtype not in LOW:
            continue
        if kinds.keys() <= SIMPLE:
            # Most of a large FP8 checkpoint: what it is follows from dtypes and shapes, of which there are few.
            sort = tuple([(kind, tensors[k].dtype, tensors[k].shape) for kind, k in kinds.items()])
            if sort in seen:
                p = seen[sort]
            else:
                p = scaled(Parts(name, {kind: tensors[k] for kind, k in kinds.items()}), hints)
                if p is None or not p.wrong:
                    seen[sort] = p
        else:
            p = read(Parts(name, {kind: tensors[k] for kind, k in kinds.items()}), hints)
        if p is None:
            if "weight" in kinds and tensors[kinds["weight"]].dtype in LOW:
                loose[name] = kinds
            continue
        k = kinds[p.primary]
        found[k] = p
        owner[k] = (name, kinds)
    if loose:
        whole = alike(loose, tensors, found, hints)
        found.update(whole)
        owner.update((kinds["weight"], (name, kinds)) for name, kinds in loose.items() if kinds["weight"] in whole)
    if not found:
        return None
    for k, p in found.items():
        name, kinds = owner[k]
        names[k] = name
        for kind in p.used:
            if kind != p.primary and kind in kinds:
                companions[kinds[kind]] = name
    for k, t in enumerate(tensors):
        if k in companions or k in found:
            continue
        leaf = t.name.rpartition(".")[2]
        if math.prod(t.shape) <= _FEW and (
            leaf in CACHE
            or (leaf in MAYBE_CACHE and len(t.shape) <= 1)
            or leaf.endswith((".k_bmm_quantizer._amax", "_quantizer._amax"))
        ):
            companions[k] = ""
    return Packing(tuple(names), found, companions, lacking(owner, tensors, found, hints))


def read(p: Parts, h: Hints) -> Packed | None:
    """The first layout that knows these parts."""
    from cfgexplain.packing import codebooks, floats, integers

    for layout in (
        integers.qweight,
        integers.pack_quantized,
        floats.mxfp4_blocks,
        integers.hqq,
        codebooks.aqlm,
        codebooks.vptq,
        codebooks.spqr,
        codebooks.exl2,
        codebooks.exl3,
        floats.torchao,
        floats.quanto,
        floats.bitmask,
        codebooks.higgs,
        integers.bitsandbytes,
        integers.mlx,
        integers.eetq,
        floats.scaled,
    ):
        found = layout(p, h)
        if found is not None:
            return found
    return None


__all__ = ["Hints", "Packed", "Packing", "Parts", "unpack"]

"""Quantized weights without what unpacks them: scales, zero points, absolute maxima."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.packing.base import Hints, Packed, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.checkpoint import Tensor

#: Companions that change what a weight stands for. Scales of activations and caches have defaults: not here.
NEEDED: Final = frozenset({
    "scales", "scale", "scale_inv", "scale_2", "global_scale", "qzeros", "g_idx", "zero", "zero_point", "biases",
    "qbiases", "absmax", "quant_map", "nested_absmax", "nested_quant_map", "state_nf4", "state_fp4", "SCB",
    "codebooks", "q_scale", "q_groups", "suh", "svh", "scale_and_zero", "shape",
})  # fmt: skip
#: Any one of them scales a weight.
SCALES: Final = frozenset({"scales", "scale", "scale_inv"})
#: What a layout cannot do without, and how it is spelled, where no module of the checkpoint shows it.
ALWAYS: Final[dict[str, tuple[str, str]]] = {
    "gptq": ("scales", ".scales"),
    "awq": ("scales", ".scales"),
    "mxfp4": ("scales", "_scales"),
    "mlx": ("scales", ".scales"),
}
#: A kind is the layout's custom where more than this many modules have it for each that lacks it.
CUSTOM: Final = 2


def alike(
    loose: Mapping[str, Mapping[str, int]], tensors: Sequence[Tensor], found: Mapping[int, Packed], hints: Hints
) -> dict[int, Packed]:
    """Weights in few bits that no layout claims, read as the others of their dtype are: their scales are gone.

    Args:
        loose: logical name → kind → position, for the weights in question.
        tensors: what the headers list.
        found: position → how it unpacks, for the weights that are whole.
        hints: what the config says; decides where no weight is whole.
    """
    twins = {tensors[k].dtype: (k, p) for k, p in reversed(list(found.items())) if p.primary == "weight" and p.bits}
    out: dict[int, Packed] = {}
    for kinds in loose.values():
        k = kinds["weight"]
        q = tensors[k]
        twin = twins.get(q.dtype)
        if twin is not None:
            out_of, p = tensors[twin[0]], twin[1]
            used = (p.used & kinds.keys()) | {"weight"}
            shape = p.shapes[0] if p.shapes else ()
            if len(shape) == len(out_of.shape) == len(q.shape) and all(out_of.shape):
                own = tuple(n * a // b for n, a, b in zip(q.shape, shape, out_of.shape, strict=True))
                out[k] = packed(p.layout, p.element, "weight", used, own, bits=p.bits)
            elif not shape and p.bits:
                n = int(8 * q.nbytes / p.bits)
                out[k] = packed(p.layout, p.element, "weight", used, bits=p.bits, least=n, most=n)
        elif hints.method == "bitsandbytes" and q.dtype == "I8" and len(q.shape) == 2:
            out[k] = packed("bitsandbytes", "int8", "weight", {"weight"}, q.shape, bits=8)
        elif hints.method == "bitsandbytes" and q.dtype == "U8" and q.shape[1:] == (1,):
            out[k] = packed("bitsandbytes", "4bit", "weight", {"weight"}, bits=4, least=2 * q.nbytes, most=2 * q.nbytes)
    return out


def lacking(
    at: Mapping[int, tuple[str, Mapping[str, int]]],
    tensors: Sequence[Tensor],
    found: Mapping[int, Packed],
    hints: Hints,
) -> dict[str, tuple[str, ...]]:
    """Stored name of a quantized weight → the names of the companions that it lacks.

    A companion is lacking where the other modules of the layout have it, or where none has and the layout cannot do
    without. Symmetric exports have no zero points and many have no ``g_idx``: those only where the others have them.

    Args:
        at: position of a weight → its logical name, and its tensors by kind.
        tensors: what the headers list.
        found: position → how it unpacks.
        hints: what the config says.
    """
    groups: dict[tuple[str, str, str], dict[frozenset[str], list[int]]] = {}
    for k, p in found.items():
        groups.setdefault((p.layout, p.element, p.primary), {}).setdefault(p.used, []).append(k)
    out: dict[str, tuple[str, ...]] = {}
    for (layout, element, primary), ways in groups.items():
        whole = sum(map(len, ways.values()))
        custom: dict[str, str] = {}
        for kind in (NEEDED & frozenset().union(*ways)) - {primary}:
            have = [ks for used, ks in ways.items() if kind in used]
            if (n := sum(map(len, have))) > CUSTOM * (whole - n):
                custom[kind] = _ending(*at[have[0][0]], kind, tensors)
        must = _must(layout, element, primary, hints)
        if must and must[0] not in custom and not (must[0] in SCALES and SCALES & custom.keys()):
            custom[must[0]] = next(
                (_ending(*at[ks[0]], must[0], tensors) for used, ks in ways.items() if must[0] in used), must[1]
            )
        for used, ks in ways.items():
            gone = [kind for kind in sorted(custom) if kind not in used and not (kind in SCALES and SCALES & used)]
            for k in ks if gone else ():
                base = at[k][0].removesuffix(".weight")
                out[tensors[k].name] = tuple(base + custom[kind] for kind in gone)
    return out


def _ending(name: str, kinds: Mapping[str, int], kind: str, tensors: Sequence[Tensor]) -> str:
    """What stands behind the module's name in the companion's."""
    return tensors[kinds[kind]].name.removeprefix(name.removesuffix(".weight"))


def _must(layout: str, element: str, primary: str, hints: Hints) -> tuple[str, str] | None:
    if layout == "bitsandbytes":
        return ("SCB", ".SCB") if element == "int8" else ("absmax", ".weight.absmax")
    if layout == "compressed-tensors" and primary == "packed":
        return "scale", ".weight_scale"
    if element == "fp8" and hints.block and hints.method == "fp8":
        return "scale_inv", ".weight_scale_inv"
    return ALWAYS.get(layout)


__all__ = ["alike", "lacking"]

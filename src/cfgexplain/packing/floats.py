"""Weights that keep their name and are scaled: FP8, NVFP4, MXFP4, int8, BitNet, Quark, torchao, quanto, masks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.packing.base import Hints, Packed, Parts, Shape, ceil_div, packed, wrong_shapes

if TYPE_CHECKING:
    from cfgexplain.checkpoint import Tensor

FP8: Final = frozenset({"F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"})
#: Kinds that stand beside a weight that keeps its own name.
SCALES: Final = frozenset(
    {
        "scale",
        "scale_inv",
        "scale_2",
        "global_scale",
        "zero_point",
        "shape",
        "g_idx",
        "input_scale",
        "input_zero_point",
        "input_global_scale",
        "input_scale_ub",
        "output_scale",
        "output_zero_point",
        "activation_scale",
        "pre_quant_scale",
        "scales",
        "bias_scale",
        "bias_zero_point",
    }
)


def mxfp4_blocks(p: Parts, h: Hints) -> Packed | None:
    """gpt-oss: ``…_blocks`` U8 [experts, out, in/32, 16], two values a byte, and ``…_scales`` [experts, out, in/32].

    The library's unquantized form is turned, [experts, in, out] (OCP Microscaling 1.0; transformers GptOssExperts).
    """
    q = p.t.get("blocks")
    if q is None or len(q.shape) < 3:
        return None
    *lead, blocks, size = q.shape
    inner = blocks * size * 2
    return packed(
        "mxfp4",
        "mxfp4",
        "blocks",
        {"blocks", "scales"} & set(p.t),
        (*lead, inner),
        bits=4,
        group=size * 2,
        wrong=wrong_shapes(p, {"scales": (*lead, blocks)}),
    )


def scaled(p: Parts, h: Hints) -> Packed | None:
    """``weight`` in 8 bits or fewer with a scale beside it: FP8, int8, NVFP4, MXFP4, BitNet, Quark and modelopt."""
    q = p.t.get("weight")
    if q is None:
        return None
    used = {"weight", *(SCALES & set(p.t))}
    scale = next((p.t[k] for k in ("scale", "scale_inv", "scales") if k in p.t), None)
    if q.dtype in FP8:
        return _fp8(p, h, q, scale, used)
    if scale is None or len(q.shape) < 2:
        return None
    lead, cols = q.shape[:-1], q.shape[-1]
    if q.dtype in ("U8", "I8", "F4"):
        inner = cols if q.dtype == "F4" else cols * 2
        for dtypes, group, element in ((("F8_E4M3",), 16, "nvfp4"), (("F8_E8M0", "U8"), 32, "mxfp4")):
            if scale.dtype in dtypes and (scale.shape[-1:] == (ceil_div(inner, group),) or "scale_2" in p.t):
                layout = "modelopt" if "scale_2" in p.t else _layout(h, element)
                return packed(
                    layout,
                    element,
                    "weight",
                    used,
                    (*lead, inner),
                    bits=4,
                    group=group,
                    wrong=wrong_shapes(p, {"scale": (*lead, ceil_div(inner, group))}),
                )
    if q.dtype == "U8":
        return _bytes(p, h, q, scale, used)
    if q.dtype == "I8":
        return packed(_layout(h, "int8"), "int8", "weight", used, q.shape, bits=8)
    if q.dtype in ("I32", "U32"):
        n = 32 // (h.bits if h.bits in (2, 4, 8) else 4)
        rows = q.shape[-2]
        return packed(
            _layout(h, "quark"),
            f"int{32 // n}",
            "weight",
            used,
            (*lead, cols * n),
            (*lead[:-1], cols * n, rows),
            bits=32 // n,
        )
    if q.dtype in ("BF16", "F16", "F32") and ("scale" in p.t or "zero_point" in p.t) and h.method:
        # Rounded but not packed (compressed-tensors' "frozen"): the weight is what it seems.
        return packed(
            _layout(h, "rounded"),
            q.dtype.lower(),
            "weight",
            used,
            q.shape,
            bits=float(8 * q.nbytes / max(math.prod(q.shape), 1)),
        )
    return None


def _layout(h: Hints, otherwise: str) -> str:
    return h.method or otherwise


def _fp8(p: Parts, h: Hints, q: Tensor, scale: Tensor | None, used: set[str]) -> Packed:
    """FP8 keeps the shape; block scales are one for every block of rows and columns (DeepSeek-V3)."""
    wrong: tuple[tuple[Tensor, Shape], ...] = ()
    group = None
    if scale is not None and len(q.shape) >= 2:
        rows, cols = q.shape[-2:]
        inverse = scale is p.t.get("scale_inv")
        same = len(scale.shape) == len(q.shape)
        # Only the inverse scales are always by block; others may be one a row, or one at all.
        if h.block and all(h.block) and (inverse or (same and scale.shape[-1] > 1)):
            group = h.block[1]
            kind = next(k for k, t in p.t.items() if t is scale)
            wrong = wrong_shapes(p, {kind: (*q.shape[:-2], ceil_div(rows, h.block[0]), ceil_div(cols, h.block[1]))})
        elif same and scale.shape[-1] > 1 and not cols % scale.shape[-1]:
            group = cols // scale.shape[-1]
    return packed(_layout(h, "fp8"), "fp8", "weight", used, q.shape, bits=8, group=group, wrong=wrong)


def _bytes(p: Parts, h: Hints, q: Tensor, scale: Tensor, used: set[str]) -> Packed:
    """U8 with plain scales: BitNet's four to a byte along the output, 4 bits along either axis, or 8 bits."""
    lead, (rows, cols) = q.shape[:-2], q.shape[-2:]
    four: Shape = (*lead, rows * 4, cols)
    if h.method == "bitnet" or (math.prod(scale.shape) == 1 and h.method == ""):
        return packed("bitnet", "int2", "weight", used, four, bits=2)
    tall: Shape = (*lead, rows * 2, cols)
    wide: Shape = (*lead, rows, cols * 2)
    if len(scale.shape) >= 2 and scale.shape[-2] == rows * 2:
        group = cols // scale.shape[-1] if scale.shape[-1] and not cols % scale.shape[-1] else None
        return packed(_layout(h, "int4"), "int4", "weight", used, tall, bits=4, group=group)
    if h.bits == 8:
        return packed(_layout(h, "int8"), "int8", "weight", used, q.shape, bits=8)
    return packed(_layout(h, "int4"), "int4", "weight", used, wide, tall, q.shape, bits=4)


def torchao(p: Parts, h: Hints) -> Packed | None:
    """torchao: ``_weight_qdata`` with scales; 8-bit data keeps its shape, 4 bits are two to a byte or in kernel tiles.

    torchao/prototype/safetensors: a tensor subclass is flattened into ``_<name>_<attribute>``. Int4Tensor keeps two
    weights to an I8 byte [out, in/2], its scales turned [in/group, out] and zero points like them; Int4PlainInt32Tensor
    eight to a word [out, in/8]; Int4TilePackedTo4dTensor tiles [out/8, in/128, 32, 4] over a weight that was padded to
    whole tiles of 8 outputs and 1024 inputs, so that the header shows its size only roughly.
    """
    q = p.t.get("qdata")
    if q is None:
        return None
    used = set(p.t) - {"bias", "weight"}
    n = math.prod(q.shape)
    if q.dtype in FP8:
        return packed("torchao", "fp8", "qdata", used, q.shape, bits=8)
    if q.dtype == "I8":
        turned = _turned_scales(p, q.shape)
        if turned:
            shape = (*q.shape[:-1], 2 * q.shape[-1])
            return packed("torchao", "int4", "qdata", used, shape, bits=4, group=shape[-1] // turned)
        return packed("torchao", "int8", "qdata", used, q.shape, bits=8)
    if q.dtype == "U8" and len(q.shape) == 2:
        return packed("torchao", "int4", "qdata", used, (q.shape[0], q.shape[1] * 2), q.shape, bits=4)
    if q.dtype == "I32" and len(q.shape) == 4 and q.shape[2:] == (32, 4):
        rows, cols = 8 * q.shape[0], 128 * q.shape[1]
        both = p.shape("scale_and_zero")
        group = cols // both[0] if both and len(both) == 3 and both[0] else None
        least = max(rows - 7, 0) * max(cols - 1023, 0)
        return packed("torchao", "int4", "qdata", used, bits=4, group=group, least=least, most=rows * cols)
    if q.dtype == "I32" and len(q.shape) == 2:
        return packed("torchao", "int4", "qdata", used, (q.shape[0], q.shape[1] * 8), bits=4)
    per = {"I32": 8, "U8": 2}.get(q.dtype, 1)
    return packed(
        "torchao", "int4" if per > 1 else "", "qdata", used, bits=4.0 if per > 1 else None, least=n * per, most=n * per
    )


def _turned_scales(p: Parts, shape: Shape) -> int:
    """Groups along the input where scales and zero points stand [groups, out]; 0 where they do not."""
    scale, zero = p.t.get("scale"), p.t.get("zero_point")
    if scale is None or zero is None or len(shape) < 2 or len(scale.shape) != len(shape):
        return 0
    groups, rows = scale.shape[-2:]
    whole = zero.shape == scale.shape and rows == shape[-2] != groups and groups
    return groups if whole and not 2 * shape[-1] % groups else 0


def quanto(p: Parts, h: Hints) -> Packed | None:
    """quanto: ``weight._data`` with ``weight._scale``; 8 bits keep the shape, fewer are packed along the first axis."""
    q = p.t.get("q_data")
    if q is None:
        return None
    used = set(p.t) - {"bias"}
    n = math.prod(q.shape)
    if q.dtype in FP8 or q.dtype == "I8":
        return packed("quanto", "fp8" if q.dtype in FP8 else "int8", "q_data", used, q.shape, bits=8)
    bits = h.bits if h.bits in (2, 4) else 4
    return packed("quanto", f"int{bits}", "q_data", used, bits=bits, least=n * (8 // bits), most=n * (8 // bits))


def bitmask(p: Parts, h: Hints) -> Packed | None:
    """compressed-tensors sparse-bitmask: the kept values, and a bit for every place [out, ceil(in/8)]."""
    mask = p.shape("bitmask")
    if "compressed" not in p.t or mask is None or len(mask) != 2:
        return None
    used = set(p.t) & {"compressed", "bitmask", "shape", "row_offsets"}
    rows, cols = mask[0], mask[1] * 8
    return packed(
        "sparse-bitmask", p.t["compressed"].dtype.lower(), "compressed", used, *((rows, cols - k) for k in range(8))
    )

"""Whole-number layouts with scales by group: GPTQ, AWQ, compressed-tensors, MLX, HQQ, bitsandbytes, EETQ, Quark."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cfgexplain.packing.base import Hints, Packed, Parts, Shape, ceil_div, packed, word, wrong_shapes

if TYPE_CHECKING:
    from cfgexplain.checkpoint import Tensor

GPTQ_KINDS = frozenset({"qweight", "qzeros", "scales", "g_idx", "act_scales", "qscales", "perm"})
MLX_GROUPS = (64, 32, 128, 16)
#: Bits that MLX, GPTQ and compressed-tensors pack.
WIDTHS = (4, 8, 2, 3, 6, 5)


def qweight(p: Parts, h: Hints) -> Packed | None:
    """GPTQ and AWQ (and auto-round, which writes either): ``qweight`` with ``scales`` and ``qzeros``.

    GPTQ packs the input: qweight [in*bits/32, out], scales [in/group, out], g_idx [in] (AutoGPTQ qlinear_cuda_old.py).
    AWQ packs the output: qweight [in, out*bits/32], scales [in/group, out] (AutoAWQ gemm.py); its GEMV form packs the
    input of an [out, in] matrix. Both unpack to [out, in].
    """
    q = p.t.get("qweight")
    if q is None or len(q.shape) < 2:
        return None
    used = GPTQ_KINDS & set(p.t)
    if q.dtype == "U8":
        # FP-Quant: [out, in/2], two 4-bit floats a byte.
        return packed(
            "fp_quant", "fp4", "qweight", set(p.t) - {"weight", "bias"}, (*q.shape[:-1], q.shape[-1] * 2), bits=4
        )
    (r, c), lead, w = q.shape[-2:], q.shape[:-2], word(q)
    scales, zeros, g_idx = p.shape("scales"), p.shape("qzeros"), p.shape("g_idx")
    bits = h.bits or 4
    if scales is None or len(scales) < 2 or not all(scales):
        forms: list[Shape] = [(*lead, c, r * w // bits), (*lead, c * w // bits, r)]
        layout = "awq" if h.method.startswith("awq") else "gptq"
        return packed(layout, f"int{bits}", "qweight", used, *(forms[::-1] if layout == "awq" else forms), bits=bits)
    groups, wide = scales[-2:]
    if wide > c and r >= groups:
        bits = c * w // wide or bits
        return _by_group(p, h, "awq", bits, wide, r, groups, used, {"qzeros": (*lead, groups, c)})
    if wide != c and groups == r:
        return packed("awq", f"int{bits}", "qweight", used, (*lead, r, c * w // bits), bits=bits, group=h.group)
    if wide != c:
        return packed(
            "gptq",
            f"int{bits}",
            "qweight",
            used,
            (*lead, c, r * w // bits),
            bits=bits,
            wrong=((p.t["scales"], (*lead, groups, c)),),
        )
    if g_idx and g_idx[-1] and not r * w % g_idx[-1]:
        bits = r * w // g_idx[-1]
    elif zeros and len(zeros) >= 2 and 0 < zeros[-1] * word(p.t["qzeros"]) // wide <= 8:
        bits = zeros[-1] * word(p.t["qzeros"]) // wide
    inner = r * w // bits
    return _by_group(
        p,
        h,
        "gptq",
        bits,
        wide,
        inner,
        groups,
        used,
        {"qzeros": (*lead, groups, ceil_div(wide * bits, w)), "g_idx": (inner,)},
    )


def _by_group(
    p: Parts,
    h: Hints,
    layout: str,
    bits: int,
    out: int,
    inner: int,
    groups: int,
    used: frozenset[str],
    wanted: dict[str, Shape],
) -> Packed:
    """[out, in] with ``groups`` rows of scales; wrong where the configured group gives another number of rows."""
    lead = p.t["qweight"].shape[:-2]
    group = h.group if h.group and h.group > 0 else None
    if group and ceil_div(inner, group) != groups:
        wanted = {"scales": (*lead, ceil_div(inner, group), out)}
    seen = inner if groups == 1 else inner // groups if not inner % groups else group
    return packed(
        layout, f"int{bits}", "qweight", used, (*lead, out, inner), bits=bits, group=seen, wrong=wrong_shapes(p, wanted)
    )


def pack_quantized(p: Parts, h: Hints) -> Packed | None:
    """compressed-tensors: ``weight_packed`` I32 [out, in*bits/32], or U8 [out, in/2] for NVFP4 and MXFP4.

    Integers that do not divide a word are padded: 32 // bits of them a word (compressors/pack_quantized).
    """
    q = p.t.get("packed")
    if q is None or len(q.shape) < 2:
        return None
    used = set(p.t) - {"bias"}
    out, cols, scale = q.shape[:-1], q.shape[-1], p.shape("scale")
    if "meta" in p.t:
        # marlin-24: 2:4 sparse, so a stored weight stands for two; rows and columns are shuffled tiles.
        bits = h.bits or 4
        n = math.prod(q.shape) * (32 // bits) * 2
        return packed("marlin-24", f"int{bits}", "packed", used, bits=bits, least=n, most=n)
    if q.dtype in ("U8", "I8", "F4"):
        inner = cols * (1 if q.dtype == "F4" else 2)
        nv = "scale" in p.t and p.t["scale"].dtype == "F8_E4M3"
        wanted: dict[str, Shape] = {"scale": (*out, ceil_div(inner, 16 if nv else 32))}
        return packed(
            "compressed-tensors",
            "nvfp4" if nv else "mxfp4",
            "packed",
            used,
            (*out, inner),
            bits=4,
            group=16 if nv else 32,
            wrong=wrong_shapes(p, wanted),
        )
    shapes: list[Shape] = []
    first = h.bits
    for width in dict.fromkeys((h.bits, *WIDTHS)):
        if not width or width > 16:
            continue
        inner = cols * (32 // width)
        if (
            h.group
            and h.group > 0
            and scale
            and len(scale) == len(q.shape)
            and 0 <= inner - scale[-1] * h.group < 32 // width
        ):
            inner = scale[-1] * h.group
            first = width
            shapes.insert(0, (*out, inner))
        shapes.append((*out, inner))
    bits = first or 4
    inner = shapes[0][-1]
    columns = scale[-1] if scale and len(scale) == len(q.shape) else 1
    group = inner // columns if columns > 1 and not inner % columns else None
    wrong: tuple[tuple[Tensor, Shape], ...] = ()
    if h.bits and h.group and h.group > 0 and scale:
        wrong = wrong_shapes(p, {"scale": (*out, ceil_div(inner, h.group))})
    return packed("compressed-tensors", f"int{bits}", "packed", used, *shapes, bits=bits, group=group, wrong=wrong)


def mlx(p: Parts, h: Hints) -> Packed | None:
    """MLX: ``weight`` U32 [..., in*bits/32], ``scales`` [..., in/group], and ``biases`` of that shape in affine mode.

    These biases are the offsets of the groups, not a layer's bias (mlx.core.quantize). A module may have bits and group
    of its own, under its name in the config's ``quantization``.
    """
    q, scales = p.t.get("weight"), p.t.get("scales")
    if (
        q is None
        or scales is None
        or q.dtype not in ("U32", "I32")
        or not scales.shape
        or len(q.shape) != len(scales.shape)
    ):
        return None
    own = h.modules.get(p.module, {})
    bits, group = _count(own.get("bits")) or h.bits, _count(own.get("group_size")) or h.group
    affine = "biases" in p.t or "qbiases" in p.t
    lead, stored, columns = q.shape[:-1], q.shape[-1] * 32, scales.shape[-1]
    shapes: list[Shape] = []
    for width in dict.fromkeys((bits, *WIDTHS)):
        inner = stored // width if width else 0
        if (
            width
            and columns
            and not stored % width
            and not inner % columns
            and inner // columns in (group, *MLX_GROUPS)
        ):
            shapes.append((*lead, inner))
    if bits and (not shapes or stored // bits != shapes[0][-1]):
        shapes.insert(0, (*lead, stored // bits))
    if not shapes:
        return None
    inner = shapes[0][-1]
    wide = bits or stored // inner
    seen = inner // columns if columns and not inner % columns else None
    wanted: dict[str, Shape] = {k: (*lead, ceil_div(inner, group)) for k in ("scales", "biases") if group}
    element = f"int{wide}" if affine else f"mxfp{wide}" if seen == 32 else f"nvfp{wide}" if seen == 16 else f"fp{wide}"
    return packed(
        "mlx",
        element,
        "weight",
        set(p.t) & {"weight", "scales", "biases", "qbiases"},
        *shapes,
        bits=wide,
        group=seen,
        wrong=wrong_shapes(p, wanted),
    )


def hqq(p: Parts, h: Hints) -> Packed | None:
    """HQQ: ``W_q`` packs the weight reshaped by groups, so only the number of weights shows (hqq/core/bitpack.py).

    U8 holds 8 // bits weights; 3 bits are ten to an I32, padded along the first axis.
    """
    q = p.t.get("W_q")
    if q is None:
        return None
    bits = h.bits or (3 if q.dtype == "I32" else 4)
    if q.dtype == "I32":
        rows, rest = (q.shape[0], math.prod(q.shape[1:])) if q.shape else (1, 1)
        least, most = max(rows * 10 - 9, 0) * rest, rows * 10 * rest
    else:
        least = most = math.prod(q.shape) * (8 // bits if bits <= 8 else 1)
    groups = math.prod(p.t["scale"].shape) if "scale" in p.t else 0
    if h.group and least <= groups * h.group <= most:
        # One scale a group: that settles what the padding leaves open.
        least = most = groups * h.group
    group = h.group or (least // groups if groups and not least % groups else None)
    return packed(
        "hqq", f"int{bits}", "W_q", set(p.t) - {"bias", "weight"}, bits=bits, group=group, least=least, most=most
    )


def bitsandbytes(p: Parts, h: Hints) -> Packed | None:
    """bitsandbytes: 4 bits as a flat U8 [n/2, 1] (or the same bytes as another dtype); 8 bits as I8 with ``SCB``."""
    q = p.t.get("weight")
    if q is None:
        return None
    if "SCB" in p.t:
        return packed(
            "bitsandbytes",
            "int8",
            "weight",
            {"weight", "SCB", "weight_format"} & set(p.t),
            q.shape,
            bits=8,
            wrong=wrong_shapes(p, {"SCB": q.shape[:1]}),
        )
    if "absmax" not in p.t:
        return None
    element = "fp4" if "state_fp4" in p.t else "nf4"
    n = 2 * q.nbytes
    blocks = math.prod(p.t["absmax"].shape)
    group = next((b for b in (64, 128, 256, 512, 1024, 2048, 4096, 32) if ceil_div(n, b) == blocks), None)
    used = {
        k
        for k in p.t
        if k in ("weight", "absmax", "quant_map", "nested_absmax", "nested_quant_map") or k.startswith("state_")
    }
    return packed("bitsandbytes", element, "weight", used, bits=4, group=group, least=n, most=n)


def eetq(p: Parts, h: Hints) -> Packed | None:
    """EETQ: ``weight`` I8 [in, out] with ``weight_scales`` [out] (transformers integrations/eetq.py)."""
    q, scales = p.t.get("weight"), p.shape("scales")
    if q is None or q.dtype != "I8" or scales is None or len(q.shape) != 2 or len(scales) != 1:
        return None
    return packed("eetq", "int8", "weight", {"weight", "scales"}, (q.shape[1], q.shape[0]), bits=8)


def _count(x: object) -> int | None:
    return x if isinstance(x, int) and not isinstance(x, bool) and 0 < x <= 1 << 20 else None

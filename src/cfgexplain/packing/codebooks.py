"""Codebooks, trellises and sparse outliers: AQLM, VPTQ, SpQR, EXL2, EXL3, HIGGS."""

from __future__ import annotations

import math

from cfgexplain.packing.base import Hints, Packed, Parts, Shape, packed


def aqlm(p: Parts, h: Hints) -> Packed | None:
    """AQLM: codes [out/og, in/ig, books], codebooks [books, size, og, ig] (aqlm/inference.py)."""
    codes, books = p.shape("codes"), p.shape("codebooks")
    if codes is None or books is None or len(codes) != 3 or len(books) != 4:
        return None
    size, og, ig = books[1:]
    bits = codes[2] * max(size - 1, 1).bit_length() / max(og * ig, 1)
    used = {"codes", "codebooks", "scales"} & set(p.t)
    return packed(
        "aqlm", f"{codes[2]}x{max(size - 1, 1).bit_length()}", "codes", used, (codes[0] * og, codes[1] * ig), bits=bits
    )


def vptq(p: Parts, h: Hints) -> Packed | None:
    """VPTQ: packed ``indices`` into ``centroids``; the sizes stand in the config's ``config_for_layers`` or nowhere."""
    if "indices" not in p.t or "centroids" not in p.t:
        return None
    used = set(p.t) - {"bias", "weight"}
    own = h.modules.get(p.module, {})
    out, inner = own.get("out_features"), own.get("in_features")
    if isinstance(out, int) and isinstance(inner, int) and 0 < out < 1 << 31 and 0 < inner < 1 << 31:
        n = out * inner
        stored = 8 * sum(t.nbytes for k, t in p.t.items() if "indices" in k)
        return packed("vptq", "", "indices", used, (out, inner), bits=stored / n)
    return packed("vptq", "", "indices", used)


def spqr(p: Parts, h: Hints) -> Packed | None:
    """SpQR: dense tiles with sparse outliers; the sizes stand nowhere in the header."""
    if "dense_weights" not in p.t:
        return None
    return packed("spqr", f"int{h.bits or 3}", "dense_weights", set(p.t) - {"bias", "weight"}, bits=h.bits or 3)


def exl2(p: Parts, h: Hints) -> Packed | None:
    """EXL2: ``q_weight`` [packed rows, out], a permutation of the input, groups of mixed bits (exllamav2)."""
    q, order = p.shape("q_weight"), p.shape("q_invperm") or p.shape("q_perm")
    if q is None or len(q) != 2:
        return None
    used = set(p.t) - {"bias", "weight"}
    if order is None or len(order) != 1 or not order[0]:
        return packed("exl2", "", "q_weight", used)
    bits = q[0] * 32 / order[0]
    return packed("exl2", f"int{bits:.2f}".rstrip("0").rstrip("."), "q_weight", used, (q[1], order[0]), bits=bits)


def exl3(p: Parts, h: Hints) -> Packed | None:
    """EXL3: ``trellis`` I16 [in/16, out/16, 16*bits] in tiles, with sign vectors for either side (exllamav3)."""
    q = p.shape("trellis")
    if q is None or len(q) != 3:
        return None
    used = set(p.t) & {"trellis", "suh", "svh", "su", "sv", "mcg", "mul1"}
    return packed("exl3", f"trellis{q[2] // 16}", "trellis", used, (q[1] * 16, q[0] * 16), bits=q[2] / 16)


def higgs(p: Parts, h: Hints) -> Packed | None:
    """HIGGS: grid indices with lookup tables; packing depends on the kernel, so only the bytes are sure."""
    q = p.t.get("weight")
    if q is None or "tables" not in p.t:
        return None
    bits = h.bits or 4
    n = math.prod(q.shape) * (8 * q.nbytes // max(math.prod(q.shape), 1)) // bits
    shapes: tuple[Shape, ...] = ()
    return packed(
        "higgs",
        f"int{bits}",
        "weight",
        set(p.t) & {"weight", "scales", "tables", "tables2"},
        *shapes,
        bits=bits,
        least=0,
        most=max(n, 1),
    )

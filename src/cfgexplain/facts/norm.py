"""The block norms and the final norm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.facts.norm_sites import sites

if TYPE_CHECKING:
    from cfgexplain.report import EpsR, FinalNormR, NormR
    from cfgexplain.subject import Subject


def norm(s: Subject) -> NormR:
    """What the block norms compute, where they stand, and whether the last one is there."""
    table = s.main.family.norm
    shown = s.match.seen if s.match is not None else None
    pieces = [p for p in s.pieces if p.main and p.role == "block-norm"]
    bias: bool | None = any(p.tensor.endswith("bias") for p in pieces) if pieces else (False if s.known else None)
    qk = s.main.literal(table.qk)
    if qk is None and (s.known or s.pieces):
        qk = any(p.main and p.role == "attention-norm" for p in s.pieces)
    return {
        "type": _word(s, table.type) or (shown.norm_type if shown else None),
        "placement": _word(s, table.placement) or (shown.placement if shown else None),
        "eps": eps(s),
        "gain": _word(s, table.gain),
        "bias": bias,
        "qk_norm": bool(qk) if qk is not None else None,
        "final_norm": final_norm(s),
        "sites": sites(s),
    }


def _word(s: Subject, value: object) -> str | None:
    found = s.main.literal(value)
    return found if isinstance(found, str) and found else None


def eps(s: Subject) -> EpsR:
    """The number inside the root of the block norms, its key, and where it came from."""
    named = s.main.literal(s.main.family.norm.eps)
    if isinstance(named, (int, float)) and not isinstance(named, bool):
        return {"value": float(named), "key": None, "source": "hardcoded"}
    if not isinstance(named, str) or named not in s.main.family.keys:
        return {"value": None, "key": None, "source": None}
    found = s.main.value(named)
    if found is None or not isinstance(found.value, (int, float)):
        return {"value": None, "key": None, "source": None}
    path = s.main.dotted(found.key)
    source = "config" if found.origin == "config" else "default"
    try:
        number = float(found.value)
    except OverflowError:
        return {"value": None, "key": path, "source": source}
    return {"value": number, "key": path, "source": source}


def final_norm(s: Subject) -> FinalNormR:
    """Whether the last layer's output is normalised before the head, and the tensor that does it."""
    expected = s.main.literal(s.main.family.norm.final)
    expected = expected if expected is None or isinstance(expected, bool) else bool(expected)
    names = [p.tensor for p in s.expected if p.main and p.role == "final-norm" and p.tensor.endswith("weight")]
    if s.match is None or s.stored is None:
        return {"expected": expected, "present": None, "tensor": names[-1] if names else None}
    stored = [r for r in s.match.rows if r.role == "final-norm" and (r.item is None or r.item.main)]
    weights = [r for r in stored if r.name.endswith("weight")] or stored
    if weights:
        # Of an encoder-decoder's two, the decoder's: the last one in the table, whatever the order on disk.
        last = next((r for r in weights if names and r.item is not None and r.item.name == names[-1]), weights[-1])
        return {"expected": expected if s.known else True, "present": True, "tensor": last.tensor.name}
    shown = s.match.seen
    if shown is not None and shown.placement == "post":
        # Norms after the sums, and none after the last layer: each layer's output is normalised already.
        return {"expected": False, "present": None, "tensor": None}
    if not names and s.known:
        return {"expected": expected, "present": None, "tensor": None}
    listed = [n for n in names if n in s.match.listed]
    present = None if listed or not s.known else False
    return {"expected": expected, "present": present, "tensor": names[-1] if names else None}

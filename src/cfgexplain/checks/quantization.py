"""Quantization: groups that fit, a config that tells the truth, a declared total that can be one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.checks.base import Check, Context, Problem
from cfgexplain.config import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.match import Row

#: Layouts whose kernels want whole groups along the input. FP8 blocks may end in a part of one (DeepSeek-V3 does).
WHOLE_GROUPS: Final = frozenset({"gptq", "awq", "compressed-tensors", "mlx", "auto-round", "auto_round"})
#: Layouts whose stored bytes show the bits of a weight.
PLAIN_BITS: Final = frozenset({"gptq", "awq", "compressed-tensors", "mlx", "bitsandbytes", "fp8", "modelopt", "mxfp4"})
#: Padding of odd bit widths stays within this share of the declared bits.
PADDING: Final = 0.1
#: A declared total that differs by more is none: other ways of counting (tied heads, buffers) differ by less.
ABSURD: Final = (0.8, 1.25)


def _packed(c: Context) -> list[Row]:
    m = c.subject.match
    return [r for r in m.rows if r.packed is not None] if m else []


def _at(c: Context, key: str = "") -> str | None:
    said = c.subject.declared
    if said is None or said.file:
        return None
    return pointer(said.path, key) if key and key in said.raw else pointer(said.path)


def group_mismatch(c: Context) -> Iterable[Problem]:
    """The group does not divide an input, or scales and zero points have another shape than weight and group give."""
    said, rows = c.subject.declared, _packed(c)
    group = said.group if said and said.group and said.group > 0 and said.block is None else None
    if said and group and c.subject.match is None and (said.method or "").lower() in WHOLE_GROUPS:
        yield from _by_config(c, group)
    broken: list[tuple[Row, int]] = []
    for r in rows:
        shapes = r.packed.shapes if r.packed else ()
        inner = next((s[-1] for s in shapes if s and math.prod(s) == r.params), None)
        if group and inner and r.packed and r.packed.layout in WHOLE_GROUPS and inner % group:
            broken.append((r, inner))
    if broken:
        first, inner = broken[0]
        yield Problem(
            "quantization-group-mismatch",
            "divide",
            {
                "group": group,
                "inner": inner,
                "rest": inner % (group or 1),
                "tensor": first.tensor.name,
                "count": len(broken),
            },
            pointer=_at(c, "group_size"),
            tensors=tuple(r.tensor.name for r, _ in broken),
        )
    gone = {r.tensor.name for r, _ in broken}
    wrong = [(r, t, shape) for r in rows if r.packed and r.tensor.name not in gone for t, shape in r.packed.wrong]
    if wrong:
        r, t, shape = wrong[0]
        yield Problem(
            "quantization-group-mismatch",
            "shape" if group or (said and said.block) else "shape-alone",
            {
                "tensor": t.name,
                "stored_shape": list(t.shape),
                "expected_shape": list(shape),
                "count": len(wrong),
                "weight": r.tensor.name,
                "weight_shape": list(r.shape),
                "group": group or " × ".join(map(str, said.block if said and said.block else ())),
            },
            tensors=tuple(t.name for _, t, _ in wrong),
        )


def lacking(c: Context) -> Iterable[Problem]:
    """Quantized weights without their scales, zero points or absolute maxima: nothing can unpack them."""
    s = c.subject
    if s.packing is None or s.match is None or not s.checkpoint.complete or s.match.listed:
        return
    rows = [
        r
        for r in _packed(c)
        if r.tensor.name in s.packing.lacking and (r.item is None or (r.packed and r.packed.fits(r.item.shape)))
    ]
    if rows:
        gone = [n for r in rows for n in s.packing.lacking[r.tensor.name]]
        first = rows[0]
        yield Problem(
            "missing-tensor",
            "companion",
            {"count": len(gone), "format": first.packed.layout if first.packed else "", "weights": len(rows)},
            tensors=tuple(gone),
        )


def _by_config(c: Context, group: int) -> Iterable[Problem]:
    m = c.subject.main
    for name in ("hidden", "ffn", "moe_ffn"):
        value = m.value(name) if name in m.family.keys else None
        if value and value.origin == "config" and isinstance(value.value, int) and value.value % group:
            yield Problem(
                "quantization-group-mismatch",
                "config",
                {"group": group, "key": value.key, "value": value.value, "rest": value.value % group},
                pointer=pointer(m.path, value.key),
            )


def config_mismatch(c: Context) -> Iterable[Problem]:
    """The config calls the weights quantized and none is, or the other way round; or with other bits."""
    s = c.subject
    if s.match is None or s.checkpoint.config is None or not s.match.rows:
        return
    said, rows = s.declared, _packed(c)
    if said is not None and said.bits is not None and not rows:
        if s.checkpoint.complete and not s.match.listed:
            yield Problem(
                "quantization-config-mismatch",
                "nothing",
                {"method": said.method or "", "key": said.path or said.file},
                pointer=_at(c),
            )
        return
    scaled = [r for r in rows if r.packed and len(r.packed.used) > 1]
    if said is None and scaled:
        first = min(scaled, key=lambda r: r.tensor.name)
        yield Problem(
            "quantization-config-mismatch",
            "undeclared",
            {"count": len(scaled), "format": first.packed.format if first.packed else "", "tensor": first.tensor.name},
            tensors=tuple(r.tensor.name for r in scaled),
        )
    elif said is not None and said.bits:
        yield from _bits(c, said.bits, rows)


def _bits(c: Context, declared: float, rows: list[Row]) -> Iterable[Problem]:
    """Stored bits of every weight whose shape the architecture confirms, against the declared ones."""
    seen: dict[float, list[str]] = {}
    for r in rows:
        if (
            r.packed is None
            or r.packed.layout not in PLAIN_BITS
            or r.item is None
            or r.shape != r.item.shape
            or not r.params
        ):
            continue
        bits = 8 * r.tensor.nbytes / r.params
        if abs(bits - declared) <= PADDING * declared:
            return
        seen.setdefault(round(bits, 2), []).append(r.tensor.name)
    if seen:
        most = max(seen, key=lambda b: len(seen[b]))
        yield Problem(
            "quantization-config-mismatch",
            "bits",
            {"declared": f"{declared:g}", "stored": f"{most:g}", "count": len(seen[most])},
            pointer=_at(c, "bits"),
            tensors=tuple(seen[most]),
        )


def total_parameters(c: Context) -> Iterable[Problem]:
    """The index declares a number of parameters that the tensors cannot be."""
    index, counted = c.subject.checkpoint.index, c.report["params"]
    raw = index.metadata.get("total_parameters") if index else None
    if index is None or counted is None or counted["by_role"] is None or not c.subject.checkpoint.complete:
        return
    if not isinstance(raw, (int, float)) or isinstance(raw, bool):
        return
    # Whoever wrote it may have counted prediction heads and adapters too.
    most, least = sum(counted["by_role"].values()), counted["total"] or 0
    if least and not ABSURD[0] * least <= raw <= ABSURD[1] * most:
        stored = counted["stored_elements"] or 0
        key = "stored" if stored != most and stored and abs(raw - stored) <= 0.02 * stored else "differs"
        yield Problem(
            "index-total-parameters", key, {"declared": raw, "counted": least, "elements": stored}, file=index.file
        )


CHECKS = (
    Check("quantization-group-mismatch", "error", group_mismatch),
    Check("quantization-config-mismatch", "error", config_mismatch),
    Check("index-total-parameters", "warning", total_parameters),
)

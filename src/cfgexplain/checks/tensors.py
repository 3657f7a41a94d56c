"""Tensors as a whole: absent, strange, misshapen, wrapped, of another dtype than declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.checks import quantization
from cfgexplain.checks.base import Check, Context, Problem, sorted_out
from cfgexplain.config import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

#: torch's names of dtypes → the header's.
TORCH_DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "float64": "F64", "float": "F32", "half": "F16"}


def missing(c: Context) -> Iterable[Problem]:
    """Tensors that the architecture needs, and companions without which a quantized one cannot be read."""
    yield from c.faults.get("missing-tensor", ())
    yield from quantization.lacking(c)


def wrapped_names(c: Context) -> Iterable[Problem]:
    """All names carry a tool's prefix: nothing loads by name until it is taken off."""
    m = c.subject.match
    # An adapter's own tensors are published under PEFT's prefix, and load by it.
    if m is not None and m.wrapper and not all(".lora_" in r.tensor.name for r in m.rows):
        values: dict[str, object] = {"prefix": m.wrapper, "count": len(m.rows)}
        yield Problem("wrapped-names", "all", values, tensors=(m.rows[0].tensor.name,))


def dtype_mismatch(c: Context) -> Iterable[Problem]:
    """The declared dtype is not the one that most weights are stored in."""
    s = c.subject
    for key in ("dtype", "torch_dtype"):
        declared = s.top.config.get(key)
        if not isinstance(declared, str) or s.match is None or c.report["quantization"] is not None:
            continue
        word = TORCH_DTYPES.get(declared.removeprefix("torch."))
        counts: dict[str, int] = {}
        tensors: dict[str, int] = {}
        for r in s.match.rows:
            if r.params and r.tensor.dtype in TORCH_DTYPES.values():
                counts[r.tensor.dtype] = counts.get(r.tensor.dtype, 0) + r.params
                tensors[r.tensor.dtype] = tensors.get(r.tensor.dtype, 0) + 1
        if word and counts and word not in counts:
            most = max(counts, key=lambda d: counts[d])
            yield Problem(
                "dtype-mismatch", "stored", {"key": key, "declared": declared, "stored": most, "count": tensors[most]},
                pointer=pointer(key),
            )
        return


CHECKS = (
    Check("missing-tensor", "error", missing),
    sorted_out("unexpected-tensor", "warning"),
    sorted_out("shape-mismatch", "error"),
    Check("wrapped-names", "warning", wrapped_names),
    Check("dtype-mismatch", "note", dtype_mismatch),
)

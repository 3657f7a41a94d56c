"""What the report says of attention and other mixers, in the form that drawings need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.remarked import has

if TYPE_CHECKING:
    from cfgexplain.render.diagram_parts import Mixing
    from cfgexplain.report import MatrixR, Report

#: Kinds of layers whose attention could rotate queries and keys.
ROTATING: Final = frozenset({"full", "sliding", "chunked", "hybrid", "attention"})
#: Kinds of attention whose projections follow from heads alone.
PLAIN: Final = frozenset({"mha", "gqa", "mqa"})


def attending(report: Report) -> int:
    """Layers whose attention could rotate queries and keys."""
    kinds = (report["layers"]["kinds"] if report["layers"] else None) or []
    return sum(k["last"] - k["first"] + 1 for k in kinds if k["attention"] in ROTATING)


def stored(report: Report, m: Mixing) -> list[MatrixR]:
    """The tensors of the first kind of layer behind a sub-layer."""
    layers = report["layers"]
    found = (layers["matrices"] if layers else None) or {}
    return next((found[kind] for kind, _ in m.words if kind in found), [])


def straight(report: Report, m: Mixing) -> bool:
    """Whether query, key, value and output are one matrix each, of the widths that the heads imply."""
    n = report["model"]
    if n is None or n["attention"] not in PLAIN or has(report, "low-rank-output"):
        return False
    q, size, d = n["num_attention_heads"], n["head_dim"], n["hidden_size"]
    if not (d and q and n["num_key_value_heads"] and size):
        return False
    seen = [x["shape"] for x in stored(report, m) if x["name"].endswith(("q_proj.weight", "o_proj.weight"))]
    return all(set(s) <= {d, q * size} for s in seen)


def sizes(report: Report, m: Mixing) -> list[tuple[str, str]]:
    """Name and shape of what is stored: what reads the stream first, what writes to it last."""
    d = report["model"]["hidden_size"] if report["model"] else None
    found = stored(report, m)
    rows = sorted(found, key=lambda r: 0 if r["shape"][-1] == d else 2 if r["shape"][0] == d else 1)
    out: list[tuple[str, str]] = []
    for r in rows:
        shape = r["shape"]
        through = len(shape) == 2 and d in shape
        text = f"{shape[1]:,} → {shape[0]:,}" if through else " × ".join(f"{n:,}" for n in shape if n != 1)
        out.append((r["name"].removesuffix(".weight").rpartition(".")[2], text))
    return out

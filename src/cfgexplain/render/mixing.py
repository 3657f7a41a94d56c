"""What the report says of attention and other mixers, in the form that drawings need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.remarked import has

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.render.diagram_parts import Mixing
    from cfgexplain.report import MatrixR, Report

#: Kinds of layers whose attention could rotate queries and keys.
ROTATING: Final = frozenset({"full", "sliding", "chunked", "hybrid", "attention", "compressed", "compressed-sparse"})
#: Kinds of layers with a window.
CAPPED: Final = frozenset({"sliding", "chunked"})
#: Kinds of attention whose projections follow from heads alone.
PLAIN: Final = frozenset({"mha", "gqa", "mqa"})


def attending(report: Report) -> int:
    """Layers whose attention could rotate queries and keys."""
    kinds = (report["layers"]["kinds"] if report["layers"] else None) or []
    return sum(k["last"] - k["first"] + 1 for k in kinds if k["attention"] in ROTATING)


class Rotation(NamedTuple):
    """Rotary positions of some kinds of layers; what is local is None where no layer among them has a window."""

    theta: float | None
    local_theta: float | None
    fraction: float | None
    local_fraction: float | None
    scaling: str | None
    apart: bool


def rotation(report: Report, words: list[str]) -> Rotation:
    """What layers of these kinds do; of all kinds where none is named.

    Raises:
        ValueError: the report is of an error.
    """
    model = report["model"]
    if model is None:
        raise ValueError("a report of an error has no positions")
    p = model["positions"]
    windows, rest = CAPPED.intersection(words), set(words) - CAPPED
    scaled = None if p["local_scaling"] in (None, "default") else p["local_scaling"]
    if windows and not rest:
        own = p["local_theta"] if p["local_theta"] is not None else p["theta"]
        share = p["local_fraction"] if p["local_fraction"] is not None else p["fraction"]
        return Rotation(own, None, share, None, p["scaling"] if p["local_scaling"] is None else scaled, False)
    if words and not windows:
        return Rotation(p["theta"], None, p["fraction"], None, p["scaling"], False)
    apart = p["local_scaling"] is not None
    return Rotation(p["theta"], p["local_theta"], p["fraction"], p["local_fraction"], p["scaling"], apart)


def turning(report: Report, seen: Rotation) -> Iterator[tuple[str, dict[str, object]]]:
    """What is said of a rotation after its bases: the end of a text's key, and what the text is filled with."""
    model = report["model"]
    share, local = (None if x is None else f"{100 * x:.4g}%" for x in (seen.fraction, seen.local_fraction))
    if local:
        yield "fraction.apart", {"share": share or "100%", "local": local}
    elif share and seen.fraction != 1:
        yield "fraction", {"share": share}
    turn, total = (model["positions"]["layers"] if model else None), attending(report)
    if turn is not None and turn < total:
        yield "layers", {"n": turn, "total": total}
    elif turn is None and model and model["family_known"]:
        yield "layers-unknown", {}
    if seen.scaling:
        yield "scaling.full" if seen.apart else "scaling", {"kind": seen.scaling}


def stored(report: Report, m: Mixing) -> list[MatrixR]:
    """The tensors of the first kind of layer behind a sub-layer."""
    return next(iter(by_kind(report, m).values()), [])


def by_kind(report: Report, m: Mixing) -> dict[str, list[MatrixR]]:
    """The tensors of each kind of layer behind a sub-layer, of attention alone where it is that."""
    layers = report["layers"]
    found = (layers["matrices"] if layers else None) or {}
    return {
        kind: [x for x in found[kind] if m.kind != "attention" or x["role"] == "attention"]
        for kind, _ in m.words
        if kind in found
    }


def straight(report: Report, m: Mixing) -> bool:
    """Whether query, key, value and output are one matrix each, of the widths that the heads imply."""
    n = report["model"]
    if n is None or n["attention"] not in PLAIN or has(report, "low-rank-output"):
        return False
    q, size, d = n["num_attention_heads"], n["head_dim"], n["hidden_size"]
    if not (d and q and n["num_key_value_heads"] and size):
        return False
    seen = [x["shape"] for x in stored(report, m) if x["name"].endswith(("q_proj.weight", "o_proj.weight"))]
    return all(set(s) == {d, q * size} for s in seen)


def others(report: Report, m: Mixing) -> dict[str, list[tuple[str, str]]]:
    """Kind of layer → ``sizes`` of its own, where they are not those of the first kind."""
    first, *rest = by_kind(report, m).items() or [("", [])]
    shapes = [(x["name"], x["shape"]) for x in first[1]]
    apart = {kind: rows for kind, rows in rest if [(x["name"], x["shape"]) for x in rows] != shapes}
    return {kind: sizes(report, rows) for kind, rows in apart.items()}


def sizes(report: Report, found: list[MatrixR]) -> list[tuple[str, str]]:
    """Name and shape of what is stored: what reads the stream first, what writes to it last."""
    d = report["model"]["hidden_size"] if report["model"] else None
    rows = sorted(found, key=lambda r: 0 if r["shape"][-1] == d else 2 if r["shape"][0] == d else 1)
    out: list[tuple[str, str]] = []
    parts = [r["name"].removesuffix(".weight").split(".") for r in rows]
    last = [p[-1] for p in parts]
    for r, name in zip(rows, parts, strict=True):
        shape = r["shape"]
        # A linear layer's weight is stored as [out, in].
        through = len(shape) == 2 and (d in shape or r["name"].endswith(".weight"))
        text = f"{shape[1]:,} → {shape[0]:,}" if through else " × ".join(f"{n:,}" for n in shape if n != 1)
        # Two of one name are told apart by the module that they are in.
        out.append((".".join(name[-2:]) if last.count(name[-1]) > 1 else name[-1], text))
    return out

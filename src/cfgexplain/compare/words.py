"""Differences in words: each with its consequence, tensors folded. Names from files are escaped here, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.compare.base import ORDER, KeyChange, Reshaped, TensorInfo
from cfgexplain.compare.remarks import ASPECT as REMARKS
from cfgexplain.compare.remarks import remark_change
from cfgexplain.compare.structure import ASPECT_OF
from cfgexplain.compare.tensors import CODES
from cfgexplain.dtypes import BITS
from cfgexplain.fold import fold
from cfgexplain.lang import catalogue
from cfgexplain.subject import TOWERS
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfgexplain.compare.base import Change, Count, Differences, Gravity, Side, TensorChanges
    from cfgexplain.compare.report import CountR, DiffR, FormR, GroupR, KeyR, TensorsR
    from cfgexplain.lang import Catalogue

_NORMS = frozenset({"block-norm", "attention-norm", "final-norm", "other-norm"})


def in_words(d: Differences, a: Side, b: Side, lang: str) -> DiffR:
    """The whole comparison for renderers."""
    from cfgexplain.inspect import target

    t = catalogue(lang)
    totals = {c.name: _count(c) for c in d.params}
    nothing: CountR = {"a": None, "b": None, "change": None}
    aspects = {c.aspect for c in d.structure}
    told = remark_change(a, b, aspects - {REMARKS})
    remarked = told.keys if told else frozenset[str]()
    return {
        "a": target(a.subject.checkpoint),
        "b": target(b.subject.checkpoint),
        "same": d.same,
        "related": d.related,
        "config": [_key(c, aspects, remarked, t if d.related else None) for c in d.config],
        "structure": [
            {
                "aspect": c.aspect,
                "title": t.text(f"diff.title.{c.aspect}"),
                "a": _safe(c.a),
                "b": _safe(c.b),
                "gravity": c.gravity,
                "text": t.text(_text_of(c)) if d.related else "",
            }
            for c in d.structure
        ],
        "tensors": None if d.tensors is None else _tensors(d.tensors, t, _family(a) == _family(b)),
        "params": {
            "total": totals.get("total", nothing),
            "active": totals.get("active", nothing),
            "bytes": totals.get("bytes", nothing),
            "by_role": {c.name: _count(c) for c in d.roles},
        },
    }


def _family(x: Side) -> str:
    return x.subject.main.family.id


def _text_of(c: Change) -> str:
    """Which text tells what a difference in structure means; some depend on what stands on the two sides."""
    both = {c.a, c.b} if isinstance(c.a, str) and isinstance(c.b, str) else set[str]()
    special = {
        "norm.type": both - {"rmsnorm", "layernorm"},
        "norm.gain": both - {"w", "1+w"},
        "attention.kind": both - {"mha", "gqa", "mqa"},
    }.get(c.aspect)
    return f"diff.{c.aspect}.other" if special else f"diff.{c.aspect}"


def _count(c: Count) -> CountR:
    return {"a": c.a, "b": c.b, "change": None if c.a is None or c.b is None else c.b - c.a}


def _safe(value: object) -> object:
    """A value from a config, with names escaped at any depth."""
    if isinstance(value, str):
        return clean(value, 200)
    if isinstance(value, dict):
        return {clean(str(k), 200): _safe(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_safe(v) for v in value]
    return value


def _key(c: KeyChange, aspects: set[str], remarked: frozenset[str], t: Catalogue | None) -> KeyR:
    """``t`` is None where what a difference means cannot be said: the models are of different kinds."""
    aspect = ASPECT_OF.get(c.canonical.partition(".")[0] if c.canonical.startswith("rope") else c.canonical)
    if aspect is None and c.key in remarked:
        aspect = REMARKS
    return {
        "key": clean(c.key, 200),
        "canonical": c.canonical or None,
        "aspect": aspect if aspect in aspects else None,
        "a": _safe(c.a),
        "b": _safe(c.b),
        "a_source": c.a_source,
        "b_source": c.b_source,
        "gravity": c.gravity,
        "text": t.text(c.text) if t else "",
    }


# --- tensors ---


def _tensors(d: TensorChanges, t: Catalogue, alike: bool) -> TensorsR:
    """``alike``: one family, so that what only one side has is known to be lost or added."""
    return {
        "compared": d.compared,
        "renamed": d.renamed,
        "added": _one_sided(d.added, "added", d.only_b, t, alike),
        "removed": _one_sided(d.removed, "removed", d.only_a, t, alike),
        "reshaped": _two_sided(d.reshaped, t),
        "retyped": _retyped(d.retyped, t),
        "regrouped": [
            {
                "group": r.group,
                "a_form": r.a_form,
                "b_form": r.b_form,
                "a_tensors": _patterns(r.a),
                "b_tensors": _patterns(r.b),
                "gravity": "usage",
                "text": t.text("diff.tensor.regrouped"),
            }
            for r in d.regrouped
        ],
    }


def _patterns(tensors: Iterable[TensorInfo]) -> list[str]:
    return [clean(p) for p in fold(x.stored for x in tensors)]


def _sum(tensors: Iterable[TensorInfo]) -> int | None:
    total = 0
    for x in tensors:
        if x.params is None:
            return None
        total += x.params
    return total


def kind_of(x: TensorInfo) -> tuple[str, Gravity]:
    """Which text tells what it means to have this tensor on one side only."""
    if x.role in TOWERS:
        return "tower", "function"
    if x.role == "attention-norm" and not x.weight:
        return "inner-norm", "function"
    if x.role in _NORMS and not x.weight:
        return "norm", "function"
    if x.weight:
        return "bias", "function"
    if x.role == "lm-head":
        return "head", "function"
    if x.role in ("adapter", "mtp"):
        return x.role, "usage"
    return "other", "function"


def _one_sided(
    tensors: Sequence[TensorInfo], which: str, layers: frozenset[tuple[str, int | None]], t: Catalogue, alike: bool
) -> list[GroupR]:
    groups: dict[tuple[str, Gravity, str | None, tuple[int, ...] | None, str], list[TensorInfo]] = {}
    for x in tensors:
        kind, gravity = kind_of(x)
        if x.place[1] is not None and x.place in layers and kind not in ("tower", "mtp"):
            kind, gravity = "layer", "loading"
        if not alike and kind in ("norm", "inner-norm", "bias"):
            # Another family may have the same thing in another place or under another name.
            kind = "foreign"
        # Whole layers and towers are one difference each, whatever they consist of.
        whole = kind in ("layer", "tower", "mtp")
        groups.setdefault(
            (kind, gravity, None if kind == "layer" else x.role, None if whole else x.shape, x.dtype), []
        ).append(x)
    out: list[GroupR] = []
    for (kind, gravity, role, shape, _), found in groups.items():
        form = _form(found[0], shape is not None)
        out.append(
            {
                "tensors": _patterns(found),
                "count": len(found),
                "role": role,
                "params": _sum(found),
                "a": form if which == "removed" else None,
                "b": form if which == "added" else None,
                "gravity": gravity,
                "text": t.text(f"diff.tensor.{which}.{kind}"),
            }
        )
    return sorted(out, key=lambda g: ORDER[g["gravity"]])


def _form(x: TensorInfo, shape: bool = True) -> FormR:
    return {"shape": list(x.shape) if shape and x.shape is not None else None, "dtype": x.dtype or None}


def _two_sided(pairs: Sequence[Reshaped], t: Catalogue) -> list[GroupR]:
    groups: dict[tuple[str, object, object], list[Reshaped]] = {}
    for p in pairs:
        groups.setdefault(
            ("vocab" if p.b.role in ("embedding", "lm-head") else "other", p.a.shape, p.b.shape), []
        ).append(p)
    return [
        {
            "tensors": _patterns(p.b for p in found),
            "count": len(found),
            "role": _role(found),
            "params": _sum([p.b for p in found]),
            "a": _form(found[0].a),
            "b": _form(found[0].b),
            "gravity": "loading",
            "text": t.text(f"diff.tensor.reshaped.{kind}"),
        }
        for (kind, _, _), found in groups.items()
    ]


def _role(pairs: Sequence[Reshaped]) -> str | None:
    return pairs[0].b.role if len({p.b.role for p in pairs}) == 1 else None


def _retyped(pairs: Sequence[Reshaped], t: Catalogue) -> list[GroupR]:
    groups: dict[tuple[str, str], list[Reshaped]] = {}
    for p in pairs:
        groups.setdefault((p.a.dtype, p.b.dtype), []).append(p)
    return [
        {
            "tensors": _patterns(p.b for p in found),
            "count": len(found),
            "role": _role(found),
            "params": _sum([p.b for p in found]),
            "a": _form(found[0].a, False),
            "b": _form(found[0].b, False),
            "gravity": "usage",
            "text": t.text(f"diff.tensor.retyped.{_change_of(a, b)}"),
        }
        for (a, b), found in groups.items()
    ]


def _change_of(a: str, b: str) -> str:
    if a in CODES or b in CODES:
        return "codes"
    x, y = BITS.get(a, 0), BITS.get(b, 0)
    return "unknown" if not x or not y else "narrower" if y < x else "wider" if y > x else "range"


__all__ = ["in_words", "kind_of"]

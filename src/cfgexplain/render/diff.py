"""What the ways to show a comparison have in common: values, tensors and counts as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.compare.remarks import ASPECT as REMARKS
from cfgexplain.render.remarks import phrase
from cfgexplain.render.text_facts import role_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.compare.report import DiffR, FormR, GroupR
    from cfgexplain.lang import Catalogue

#: What is shown of a long list or text.
_MOST = 60


def _keys(prefix: str, words: str) -> dict[str, str]:
    return {w: prefix + w for w in words.split()}


_NONE: Final = {"none": "diff.none", "mixed": "diff.word.mixed"}
_LAYERS: Final = _keys(
    "text.draw.kind.", "full sliding chunked linear ssm conv recurrent hybrid cross lsh fourier none"
)
#: Aspect → its words in the report → key of the catalogue.
WORDS: Final[dict[str, dict[str, str]]] = {
    "norm.type": _keys("text.value.type.", "rmsnorm layernorm other") | _NONE,
    "norm.placement": _keys("text.value.place.", "pre post output sandwich parallel mixed none"),
    "norm.gain": _NONE,
    "ffn.kind": _keys("text.draw.ffn.", "swiglu geglu reglu glu other-gated mlp") | _NONE,
    "ffn.width": _NONE, "ffn.expert_width": _NONE, "attention.bias": _NONE, "head.tied": {"none": "diff.word.no-head"},
    "ffn.layers": _keys("svg.strip.", "dense moe none"),
    "attention.kind": _keys("svg.attention.", "mha gqa mqa mla") | _NONE,
    "positions.kind": _keys("svg.positions.", "learned sinusoidal alibi relative none") | {"rope": "svg.rope"},
    "layers.kinds": _LAYERS,
    "rope.scaling": {"default": "diff.word.unscaled"},
}


def of_aspect(aspect: str, v: object, t: Catalogue) -> str:
    """A value of an aspect in words: what the report calls ``pre`` or ``full`` as the other outputs say it."""
    words = WORDS.get(aspect, {})
    if isinstance(v, str) and v in words:
        return t.text(words[v])
    if aspect == "rope.fraction" and isinstance(v, (int, float)):
        return f"{100 * v:.4g}%"
    if not isinstance(v, dict) or not v:
        return value(v, t)
    if aspect == REMARKS:
        return t.text("join.groups").join(phrase(name, x, t) for name, x in v.items())
    if aspect in ("layers.kinds", "ffn.layers"):
        pairs = [(t.text(words[k]) if k in words else str(k), str(x).replace(",", ", ")) for k, x in v.items()]
    elif aspect.startswith("rope.") and all(str(k).endswith("_attention") for k in v):
        # Apart for each kind of layer.
        kinds = [(str(k).removesuffix("_attention"), x) for k, x in v.items()]
        pairs = [(t.text(_LAYERS[k]) if k in _LAYERS else k, of_aspect(aspect, x, t)) for k, x in kinds]
    elif v.get("type") == "default" and len(v) == 1:
        return of_aspect(aspect, "default", t)
    else:
        return value(v, t)
    return t.text("join.groups").join(t.text("diff.pair").format(name=a, value=b) for a, b in pairs)


def value(v: object, t: Catalogue) -> str:
    """A value from a config or of an aspect: 11,008, 1e-05, yes, "linear, factor 2"."""
    if v is None:
        return t.text("diff.none")
    if isinstance(v, bool):
        return t.text("diff.yes" if v else "diff.no")
    if isinstance(v, int):
        return f"{v:,}"
    if isinstance(v, float):
        return f"{int(v):,}" if v.is_integer() and abs(v) < 1e15 else repr(v)
    if isinstance(v, dict):
        return _mapping(v, t)
    if isinstance(v, list):
        text = "[" + ", ".join(value(x, t) for x in v[:24]) + (", …" if len(v) > 24 else "") + "]"
        return text if len(text) <= 2 * _MOST else text[: 2 * _MOST] + "…]"
    text = str(v)
    return text if len(text) <= 2 * _MOST else text[: 2 * _MOST] + "…"


def _mapping(v: dict[object, object], t: Catalogue) -> str:
    if not v:
        return t.text("diff.none")
    parts: list[str] = []
    for k, x in v.items():
        if x is None:
            continue
        parts.append(value(x, t) if k in ("type", "method") else f"{k} {value(x, t)}")
    return t.text("join.list").join(parts)


def key_value(v: object, source: str | None, t: Catalogue) -> str:
    """A config's value as the file writes it, with where it came from where that is not the config."""
    if source is None:
        return t.text("diff.absent")
    shown = "null" if v is None else _as_written(v)
    return shown if source == "config" else t.text(f"diff.{source}").format(value=shown)


def _as_written(v: object) -> str:
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, dict):
        text = "{" + ", ".join(f"{k}: {_as_written(x)}" for k, x in v.items()) + "}"
    elif isinstance(v, list):
        text = "[" + ", ".join(_as_written(x) for x in v[:24]) + (", …" if len(v) > 24 else "") + "]"
    else:
        text = str(v)
    return text if len(text) <= 2 * _MOST else text[: 2 * _MOST] + "…"


def form(f: FormR | None) -> str:
    """``[4096, 4096] BF16``."""
    if f is None:
        return ""
    shape = "[" + ", ".join(str(n) for n in f["shape"]) + "]" if f["shape"] is not None else ""
    return " ".join(x for x in (shape, f["dtype"] or "") if x)


def forms(g: GroupR, t: Catalogue) -> str:
    """The tensor's shape and dtype, or what they became; what stays the same is said once."""
    a, b = g["a"], g["b"]
    if a is None or b is None:
        return form(a or b)
    if a["shape"] != b["shape"] and a["dtype"] != b["dtype"]:
        return t.text("diff.arrow").format(a=form(a), b=form(b))
    if a["shape"] != b["shape"]:
        short: Callable[[FormR], FormR] = lambda f: {"shape": f["shape"], "dtype": None}  # noqa: E731
        return t.text("diff.arrow").format(a=form(short(a)), b=form(b))
    return t.text("diff.arrow").format(a=a["dtype"] or "", b=b["dtype"] or "")


def grouped(d: DiffR) -> list[tuple[str, list[GroupR]]]:
    """Kinds of difference between tensors, those that there are."""
    tensors = d["tensors"]
    if tensors is None:
        return []
    found = [
        ("removed", tensors["removed"]),
        ("added", tensors["added"]),
        ("reshaped", tensors["reshaped"]),
        ("retyped", tensors["retyped"]),
    ]
    return [(k, v) for k, v in found if v]


def rows(d: DiffR, t: Catalogue) -> list[tuple[str, str, str, str]]:
    """(name, A, B, change) of every count that differs; the totals where anything does."""
    p = d["params"]
    found = [(t.text(f"diff.count.{n}"), p[n]) for n in ("total", "active")]
    if p["active"] == p["total"]:
        found = found[:1]
    found += [(role_label(role, t), count) for role, count in p["by_role"].items()]
    found.append((t.text("diff.count.bytes"), p["bytes"]))
    unknown = t.text("diff.unknown")

    def number(n: int | None) -> str:
        return unknown if n is None else f"{n:,}"

    return [
        (name, number(c["a"]), number(c["b"]), "" if not c["change"] else f"{c['change']:+,}")
        for name, c in found
        if c["change"] or (c["a"] is None) != (c["b"] is None)
    ]


def count_of(d: DiffR) -> int:
    """How many differences there are: aspects, keys that decide none of them, groups of tensors."""
    if not d["related"]:
        return len(d["structure"])
    tensors = sum(len(v) for _, v in grouped(d)) + (len(d["tensors"]["regrouped"]) if d["tensors"] else 0)
    return (
        len(d["structure"]) + sum(k["aspect"] is None and k["gravity"] != "bookkeeping" for k in d["config"]) + tensors
    )

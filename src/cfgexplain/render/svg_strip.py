"""Every layer as a cell, and every parameter in one bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.render.diagram import ATTENTION
from cfgexplain.render.svg_paper import esc, fit, measure
from cfgexplain.render.text_facts import APART, human, role_label

if TYPE_CHECKING:
    from cfgexplain.render.svg_paper import Paper
    from cfgexplain.render.svg_words import Words

#: More layers than this are drawn in runs.
MOST_CELLS: Final = 256
#: Role → kind of part, which is its colour.
COLOR: Final[dict[str, str]] = {
    "embedding": "ends", "position-embedding": "ends", "lm-head": "ends", "attention": "attention",
    "cross-attention": "attention", "block-norm": "norm", "attention-norm": "norm", "final-norm": "norm",
    "other-norm": "norm", "ffn": "ffn", "experts": "ffn", "shared-experts": "router", "router": "router",
    "mixer": "mixer", "vision": "tower", "audio": "tower", "projector": "tower",
}  # fmt: skip


class Run(NamedTuple):
    """Layers that are alike: what mixes their tokens, and their feed-forward block. None where unknown."""

    first: int
    last: int
    mixing: str | None
    ffn: str | None


def runs(w: Words) -> list[Run]:
    """Runs of equal layers; one unknown run where nothing is known of them."""
    count = w.model["num_layers"]
    kinds = (w.report["layers"]["kinds"] if w.report["layers"] else None) or []
    groups = w.ffn["layers"] or []
    if kinds:
        return [Run(k["first"], k["last"], k["attention"], k["ffn"]) for k in kinds]
    if groups:
        return [Run(g["first"], g["last"], None, g["kind"]) for g in groups]
    return [Run(0, count - 1, None, None)] if count else []


def layers(p: Paper, x: float, y: float, w: float, words: Words) -> float:
    """Full attention is a tall cell, a window a low one; below, dense blocks or mixtures. Returns the height."""
    found = runs(words)
    if not found:
        return 0
    total = found[-1].last + 1
    pitch = w / total
    top = y
    p.open("strip")
    for r in found:
        spans = [(r.first, r.last)] if total > MOST_CELLS else [(i, i) for i in range(r.first, r.last + 1)]
        for first, last in spans:
            wide = max(0.6, (last - first + 1) * pitch - (1.5 if pitch > 4 else 0))
            what = words.listed([v for v in (_mixing(r, words), _ffn(r, words)) if v])
            label = str(first) if first == last else f"{first}–{last}"
            tip = esc(words.say("strip.layer", n=label, what=what))
            cells = [(_class(r.mixing), *_extent(r.mixing))]
            cells.append(({"dense": "ffn", "moe": "ffn-on", "none": "paper"}.get(r.ffn or "", "unknown"), 34, 14))
            p.out.append(f"<g><title>{tip}</title>")
            for cls, dy, h in cells:
                p.cell(x + first * pitch, y + dy, wide, h, cls, 0)
            p.out.append("</g>")
    y += 52
    step = next(s for s in (1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 200, 500, 1000) if total / s <= 13 or s == 1000)
    for i in range(0, total, step):
        p.text(x + (i + 0.5) * pitch, y + 10, i, "s")
    y += 28
    y = _legend(p, x, y, w, _entries(found, words))
    p.close()
    return y - top


def _extent(kind: str | None) -> tuple[float, float]:
    """Top and height of a cell: as tall as the layer sees far."""
    return (16, 16) if kind in ("sliding", "chunked") else (0, 32)


def _class(kind: str | None) -> str:
    if kind is None:
        return "unknown"
    if kind in ATTENTION or kind == "attention":
        return "attention" if kind in ("sliding", "chunked") else "attention-on"
    return "off" if kind == "none" else "tower" if kind in ("hybrid", "cross") else "mixer-on"


def _mixing(r: Run, words: Words) -> str:
    return words.kind(r.mixing) if r.mixing else words.say("strip.unknown")


def _ffn(r: Run, words: Words) -> str:
    return words.say(f"strip.{r.ffn}") if r.ffn in ("dense", "moe", "none") else ""


def _entries(found: list[Run], words: Words) -> list[tuple[str, str]]:
    counts: dict[tuple[str, str], int] = {}
    for r in found:
        for key in ((_class(r.mixing), _mixing(r, words)), _ffn_key(r, words)):
            if key[1]:
                counts[key] = counts.get(key, 0) + r.last - r.first + 1
    order = sorted(counts, key=lambda k: k[0].startswith("ffn"))
    return [(cls, words.t.text("text.draw.count").format(count=counts[cls, text], what=text)) for cls, text in order]


def _ffn_key(r: Run, words: Words) -> tuple[str, str]:
    return ({"dense": "ffn", "moe": "ffn-on"}.get(r.ffn or "", "unknown"), "" if r.ffn == "none" else _ffn(r, words))


def _legend(p: Paper, x: float, y: float, w: float, items: list[tuple[str, str]]) -> float:
    cx = x
    for cls, text in items:
        shown = fit(text, w - 30, 11.5)
        wide = 32 + measure(shown, 11.5)
        if cx > x and cx + wide > x + w:
            cx = x
            y += 18
        p.cell(cx, y, 11, 11, cls, 2)
        p.text(cx + 16, y + 10, shown, "s", "start")
        cx += wide
    return y + 20


def parameters(p: Paper, x: float, y: float, w: float, words: Words) -> float:
    """One bar of all parameters by role, with a legend of those that can be seen. Returns the height."""
    roles, total = words.params["by_role"], words.params["total"]
    if not roles or not total:
        return 0
    shown = sorted(((r, n) for r, n in roles.items() if n and r not in APART), key=lambda i: -i[1])
    at, top = x, y
    p.open("parameters")
    for role, n in shown:
        wide = n / total * w
        label = role_label(role, words.t)
        tip = esc(f"{label}: {n:,} ({n / total:.1%})")
        p.out.append(
            f'<g><title>{tip}</title><rect x="{at:.2f}" y="{y:g}" width="{max(0.4, wide - 1):.2f}" height="30" '
            f'class="cell {COLOR.get(role, "other")}"/></g>'
        )
        text = f"{label} {n / total:.0%}"
        if measure(text, 14.5) + 10 < wide:
            p.text(at + wide / 2, y + 20, text, "b")
        at += wide
    listed = [(COLOR.get(r, "other"), f"{role_label(r, words.t)} {human(n)}") for r, n in shown]
    y = _legend(p, x, y + 42, w, listed)
    p.close()
    return y - top

"""A feed-forward block opened up: router and experts, gate, activation, product, down, with their widths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.remarks import special
from cfgexplain.render.svg_paper import broken, fit, measure, tails
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.render.diagram import Ffn
    from cfgexplain.render.svg_paper import Paper
    from cfgexplain.render.svg_words import Words

#: More experts than this are told, not drawn one by one.
MOST_CELLS: Final = 1024
HEIGHT: Final = 60


def opened(p: Paper, x: float, y: float, w: float, f: Ffn, words: Words) -> float:
    """Draws the block in a card of width ``w``; returns the card's height."""
    top = y
    card = len(p.out)
    p.out.append("")
    p.open("ffn", kind=f.kind, gated={True: "yes", False: "no", None: "unknown"}[words.ffn["gated"]])
    p.text(x + 16, y + 26, fit(words.ffn_kind(f), w - 32, 15), "h", "start")
    y += 38
    if f.kind == "unknown":
        p.text(x + 16, y + 10, words.say("ffn.unknown.why"), "s", "start")
        y += 22
    else:
        if f.kind == "moe":
            y = _experts(p, x, y, w, f, words)
        y = _flow(p, x, y, w, f, words)
    p.close()
    p.out[card] = f'<rect x="{x:g}" y="{top:g}" width="{w:g}" height="{y - top:g}" rx="10" class="card"/>'
    return y - top


def _experts(p: Paper, x: float, y: float, w: float, f: Ffn, words: Words) -> float:
    """The router, and a cell for each expert; those that one token meets are filled, at places made up."""
    h = 30.0
    text = (
        words.say("router") if f.per_token is None else words.say("router.picks", k=f.per_token, n=words.n(f.experts))
    )
    p.box(x + 16, y, w - 32, h, "router", ("ffn.experts", "ffn.experts_per_token"), part="router")
    p.text(x + w / 2, y + 20, fit(text, w - 48, 13), "b")
    y += h + 12
    n, k = f.experts or 0, f.per_token or 0
    if 0 < n <= MOST_CELLS:
        row, pitch = _grid(n, w - 32)
        # Spread evenly and off the grid, so that they do not look like the first ones of each row.
        chosen = (
            {(j * n // k + (j * 7 + 3) % max(1, n // k)) % n for j in range(k)}
            if 0 < k < n
            else set(range(n if k else 0))
        )
        for e in range(n):
            cx, cy = x + 16 + e % row * pitch, y + e // row * pitch
            cls = "ffn-on" if e in chosen else "ffn"
            p.cell(cx, cy, pitch - 2, pitch - 2, cls)
        y += -(-n // row) * pitch + 4
    if f.shared:
        for s in range(min(f.shared, 24)):
            p.cell(x + 16 + s * 14, y + 2, 12, 12, "router-on", 2)
        said = words.say("experts.always", n=f.shared)
        p.text(x + 22 + min(f.shared, 24) * 14, y + 12.5, fit(said, w - 60, 11.5), "s", "start")
        y += 20
    p.text(x + 16, y + 14, words.say("expert.one"), "b", "start")
    return y + 24


def _grid(n: int, room: float) -> tuple[int, float]:
    """Cells in a row, and their pitch: as large as may be, in whole rows where the number allows it."""
    sizes = (14, 13, 12, 11, 10, 9, 8, 7, 6.5, 6, 5.5, 5)
    if n * sizes[0] <= room:
        return n, sizes[0]
    for pitch in sizes:
        most = int(room / pitch)
        for row in range(most, int(0.7 * most), -1):
            if n % row == 0 and n // row <= 8:
                return row, pitch
    pitch = next((s for s in sizes if -(-n // int(room / s)) <= 8), 5)
    return int(room / pitch), pitch


def _flow(p: Paper, x: float, y: float, w: float, f: Ffn, words: Words) -> float:
    """From the input's width to the block's and back."""
    d, gated = words.model["hidden_size"], words.ffn["gated"]
    mid = x + w / 2
    ratio = f.width / d if f.width and d else 1.6
    wide = min(176.0, w * 0.43)
    slim = max(112.0, min(wide, wide / ratio)) if ratio >= 1 else max(112.0, wide * ratio)
    into, out = (slim, wide) if ratio >= 1 else (wide, slim)
    ds, fs = words.n(d), words.n(f.width)
    act, odd = clean(words.ffn["activation"] or "?", 40), special(words.report)
    if gated is not None:
        formula = words.say("flow.gated" if gated else "flow.plain", act=clean(act, 24))
        if odd:
            act, formula = "f", f"f = {clean(odd, 120)}"
        for line in broken(formula, w - 32, 11, True):
            p.text(x + 16, y + 8, line, "mono soft", "start")
            y += 14
        if words.ffn["bias"]:
            p.text(x + 16, y + 8, words.say("flow.bias"), "s", "start")
            y += 14
        y += 6
    p.text(mid, y + 12, words.say("flow.in", d=ds), "s")
    y += 18
    if gated is None:
        p.wire([(mid, y), (mid, y + 16)], True)
        p.box(mid - wide / 2, y + 16, wide, 40, "unknown", ("ffn.kind",), "box dash")
        p.text(mid, y + 41, f"{ds} → {fs} → {ds}", "mono")
        return y + 72
    fused = bool(gated and f.names[0] and f.names[0] == f.names[1])
    ins = (w * 0.62, w * 0.82) if fused else (into, out)
    names = tails(f.names, [_room(*ins), _room(*ins), _room(out, into)], 11)
    if not gated:
        p.wire([(mid, y), (mid, y + 16)], True)
        y = _matrix(p, mid, y + 16, into, out, words.say("matrix.up"), f"{ds} → {fs}", names[1], f.names[1])
        p.wire([(mid, y), (mid, y + 14)], True)
        y = _activation(p, mid, y + 14, act)
    else:
        left, right = x + w * 0.27, x + w * 0.73
        if fused:
            p.wire([(mid, y), (mid, y + 16)], True)
            label = words.say("matrix.fused")
            y = _matrix(p, mid, y + 16, *ins, label, f"{ds} → 2 × {fs}", names[0], f.names[0])
            p.text(left + 10, y + 12, words.say("matrix.gate"), "s", "start")
            p.text(right - 10, y + 12, words.say("matrix.up"), "s", "end")
        else:
            for at in (left, right):
                p.wire([(mid, y), (mid, y + 8), (at, y + 8), (at, y + 22)], True)
            _matrix(p, right, y + 22, into, out, words.say("matrix.up"), f"{ds} → {fs}", names[1], f.names[1])
            y = _matrix(p, left, y + 22, into, out, words.say("matrix.gate"), f"{ds} → {fs}", names[0], f.names[0])
        if odd:
            # What it makes of gate and up is one function of both.
            p.wire([(left, y), (left, y + 18), (mid - 38, y + 18)], True)
            p.wire([(right, y), (right, y + 18), (mid + 38, y + 18)], True)
            y = _activation(p, mid, y + 5, act) - 9
        else:
            start, drop = y, 24 if fused else 16  # below the word on the wire
            p.wire([(left, y), (left, y + drop)], True)
            y = _activation(p, left, y + drop, act)
            p.wire([(left, y), (left, y + 18), (mid - 9, y + 18)], True)
            p.wire([(right, start), (right, y + 18), (mid + 9, y + 18)], True)
            y += 18
            p.plus(mid, y, "×")
        p.text(mid + 16, y + 24, words.say("ffn.width", n=fs) if odd else words.say("flow.product", f=fs), "s", "start")
        y += 9
    p.wire([(mid, y), (mid, y + 22)], True)
    y = _matrix(p, mid, y + 22, out, into, words.say("matrix.down"), f"{fs} → {ds}", names[2], f.names[2])
    p.wire([(mid, y), (mid, y + 14)], True)
    p.text(mid, y + 28, words.say("flow.out", d=ds), "s")
    return y + 42


def _room(top: float, bottom: float) -> float:
    """What a matrix's name may take, low in its shape."""
    return top + (bottom - top) * 47 / HEIGHT - 12


def _matrix(
    p: Paper, mid: float, y: float, top: float, bottom: float, label: str, sizes: str, name: str, full: str
) -> float:
    """A matrix as wide above as its input and below as its output. Returns where it ends."""
    p.shape(
        [(mid - top / 2, y), (mid + top / 2, y), (mid + bottom / 2, y + HEIGHT), (mid - bottom / 2, y + HEIGHT)],
        "ffn", ("ffn.width", "ffn.expert_width", "ffn.bias"),
    )  # fmt: skip
    p.text(mid, y + 20, fit(label, min(top, bottom) + 20, 13), "b")
    p.text(mid, y + 36, sizes, "mono")
    if name:
        p.text(mid, y + 51, name, "mono soft", full=full)
    return y + HEIGHT


def _activation(p: Paper, mid: float, y: float, act: str) -> float:
    wide = max(72.0, min(180.0, measure(act, 14) + 30))
    p.box(mid - wide / 2, y, wide, 26, "act", ("ffn.activation",), r=13, part="activation", value=act)
    p.text(mid, y + 17.5, fit(act, wide - 14, 14), "b", full=act)
    return y + 26

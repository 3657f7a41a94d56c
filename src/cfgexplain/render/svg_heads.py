"""Attention opened up: a cell for each head over the keys and values that it reads, projections, positions, windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.mixing import PLAIN, others, sizes, stored, straight
from cfgexplain.render.svg_paper import broken, fit, measure
from cfgexplain.render.text_facts import human

if TYPE_CHECKING:
    from cfgexplain.render.diagram import Mixing
    from cfgexplain.render.svg_paper import Paper
    from cfgexplain.render.svg_words import Words

#: Tensors of a sub-layer; more are counted.
MOST_MATRICES: Final = 10
#: Rows of heads; more are told, not drawn.
MOST_ROWS: Final = 5


def opened(p: Paper, x: float, y: float, w: float, m: Mixing, words: Words) -> float:
    """Draws the sub-layer in a card of width ``w``; returns the card's height."""
    top = y
    card = len(p.out)
    p.out.append("")
    p.open("mixing", kind=m.kind)
    said: list[str] = []
    if m.kind == "mixer":
        title = words.listed([words.kind(k) for k, _ in m.words])
        p.text(x + 16, y + 26, fit(title[:1].upper() + title[1:], w - 32, 15), "h", "start")
        y += 40
        y = _matrices(p, x, y, w, m, words)
        state = words.memory["constant_state_bytes"] if words.memory else None
        if state:
            said.append(words.say("mixer.state", size=human(state, "B")))
        elif words.model["family_known"]:
            said.append(words.say("mixer.plain"))
    elif m.kind == "unknown":
        p.text(x + 16, y + 26, words.say("mixing.unknown"), "h", "start")
        y += 40
        said.append(words.say("mixing.unknown.why"))
    else:
        p.text(x + 16, y + 26, words.attention(m.kind == "cross-attention"), "h", "start")
        y += 40
        if words.model["attention"] == "mla":
            y = _latent(p, x, y, w, words)
        else:
            y = _heads(p, x, y, w, words)
        if m.kind == "attention" and not straight(words.report, m):
            y = _matrices(p, x, y + 2, w, m, words)
        else:
            y = _projections(p, x, y, words)
        for kind, rows in others(words.report, m).items() if m.kind == "attention" else ():
            p.text(x + 16, y + 8, words.kind(kind), "s", "start")
            y = _matrices(p, x, y + 17, w, m, words, rows)
        y = _chips(p, x, y + 2, w, _facts(m, words))
        if m.kind == "cross-attention":
            said.append(words.say("encoder.keys"))
    for text in said:
        for line in broken(text, w - 32, 11.5):
            p.text(x + 16, y + 8, line, "s", "start")
            y += 16
    y += 8
    p.close()
    p.out[card] = f'<rect x="{x:g}" y="{top:g}" width="{w:g}" height="{y - top:g}" rx="10" class="card"/>'
    return y - top


def _heads(p: Paper, x: float, y: float, w: float, words: Words) -> float:
    """Query heads in groups, each over its key-value head."""
    m = words.model
    q, kv = m["num_attention_heads"], m["num_key_value_heads"]
    if q and kv and q % kv == 0:
        share = q // kv
        room = w - 32
        gap = 5.0 if share > 1 else 0.0
        pitch = 0.0
        for c in (16, 14, 12, 10, 8, 6.5, 5, 4):
            abreast = int((room + gap) / (share * c + gap))
            if abreast and -(-kv // abreast) <= (2 if c > 10 else MOST_ROWS):
                pitch = c
                break
        if pitch:
            row = min(kv, int((room + gap) / (share * pitch + gap)))
            row = -(-kv // -(-kv // row))
            high = max(8.0, min(12.0, pitch))
            for g in range(kv):
                gx = x + 16 + g % row * (share * pitch + gap)
                gy = y + g // row * (2 * high + 11)
                for k in range(share):
                    p.cell(gx + k * pitch, gy, pitch - 1.6, high, "attention-on")
                p.cell(gx, gy + high + 2, share * pitch - 1.6, high, "attention")
            y += -(-kv // row) * (2 * high + 11) + 6
            cx = x + 16.0
            for cls, text in (
                ("attention-on", words.say("heads.query", n=q)),
                ("attention", words.say("heads.kv" if kv > 1 else "heads.kv.one", n=kv)),
            ):
                p.cell(cx, y, 10, 10, cls)
                p.text(cx + 15, y + 9, text, "s", "start")
                cx += 30 + measure(text, 11.5)
            y += 26
    return y


def _projections(p: Paper, x: float, y: float, words: Words) -> float:
    """Widths of the projections, in heads."""
    m = words.model
    q, kv, size, d = m["num_attention_heads"], m["num_key_value_heads"], m["head_dim"], m["hidden_size"]
    if d and q and kv and size and m["attention"] in PLAIN:
        lines = [
            ("q", f"{d:,} → {q} × {size} = {q * size:,}"), ("k, v", f"{d:,} → {kv} × {size} = {kv * size:,}"),
            ("o", f"{q * size:,} → {d:,}"),
        ]  # fmt: skip
        for name, text in lines:
            p.text(x + 16, y + 8, name, "b", "start")
            p.text(x + 56, y + 8, text, "mono", "start")
            y += 18
    return y + 4


def _matrices(
    p: Paper, x: float, y: float, w: float, m: Mixing, words: Words, rows: list[tuple[str, str]] | None = None
) -> float:
    """What is stored for it: what reads the stream first, what writes to it last."""
    rows = sizes(words.report, stored(words.report, m)) if rows is None else rows
    for name, text in rows[:MOST_MATRICES]:
        p.text(x + 16, y + 8, fit(name, w * 0.44, 11, True), "mono", "start", name)
        p.text(x + 24 + w * 0.44, y + 8, text, "mono", "start")
        y += 17
    if len(rows) > MOST_MATRICES:
        p.text(x + 16, y + 8, words.say("more", n=len(rows) - MOST_MATRICES), "s", "start")
        y += 17
    return y + 4 if rows else y


def _latent(p: Paper, x: float, y: float, w: float, words: Words) -> float:
    """MLA: what is cached is one narrow latent, from which every head's keys and values are made."""
    m = words.model
    sizes: dict[str, int | None] = {"kv_a": None, "q_a": None}
    for site in words.norm["sites"] or []:
        for key in sizes:
            if site["role"] == "attention-norm" and key in site["tensor"]:
                sizes[key] = site["size"]
    third = (w - 32 - 44) / 3
    boxes = [
        ("ends", words.say("latent.hidden"), words.n(m["hidden_size"])),
        ("router", words.say("latent"), words.n(sizes["kv_a"])),
        ("attention", words.say("latent.heads"), words.n(m["num_attention_heads"])),
    ]
    for k, (kind, label, size) in enumerate(boxes):
        bx = x + 16 + k * (third + 22)
        p.box(bx, y, third, 46, kind)
        p.text(bx + third / 2, y + 19, fit(label, third - 8, 11.5), "s")
        p.text(bx + third / 2, y + 37, size, "b")
        if k:
            p.wire([(bx - 22, y + 23), (bx, y + 23)], True)
    y += 62
    p.text(x + 16, y + 4, fit(words.say("latent.cached"), w - 32, 11.5), "s", "start")
    if sizes["q_a"]:
        y += 16
        p.text(x + 16, y + 4, words.say("latent.query", n=words.n(sizes["q_a"])), "s", "start")
    return y + 16


def _facts(m: Mixing, words: Words) -> list[tuple[str, tuple[str, ...]]]:
    """What else is true of this attention, each with the aspects that it shows."""
    out: list[tuple[str, tuple[str, ...]]] = []
    if m.kind == "attention":
        aspects = ("rope.theta", "rope.scaling", "rope.fraction")
        out += [(text, aspects) for text in words.positions([k for k, _ in m.words])]
    if words.norm["qk_norm"]:
        out.append((words.say("norm.latent" if words.model["attention"] == "mla" else "norm.inside"), ("norm.qk",)))
    out += [(text, ("bias",)) for text in _biases(m, words)]
    layers = words.report["layers"]
    capped = sum(n for k, n in m.words if k in ("sliding", "chunked"))
    if capped:
        window = layers["window"] if layers else None
        total = words.model["num_layers"] or sum(n for _, n in m.words)
        word = "chunks" if {k for k, _ in m.words} & {"sliding", "chunked"} == {"chunked"} else "window"
        key = f"{word}.unknown" if not window else f"{word}.all" if capped == total else word
        out.append((words.say(key, n=words.n(window), count=capped, total=total), ("attention.window", "layers.kinds")))
    return out


def _biases(m: Mixing, words: Words) -> list[str]:
    """Which of the projections have a bias."""
    names = [x["name"].removesuffix(".weight") for x in stored(words.report, m) if x["name"].endswith(".weight")]
    biased = [x["name"].removesuffix(".weight") for x in stored(words.report, m) if x["bias"]]
    if not biased:
        return []
    if len(biased) == len(names):
        return [words.say("bias.all")]
    return [words.say("bias.some", names=words.listed([n.rpartition(".")[2] for n in biased]))]


def _chips(p: Paper, x: float, y: float, w: float, items: list[tuple[str, tuple[str, ...]]]) -> float:
    """Short facts in pills, as many in a row as fit."""
    cx = x + 16
    for text, aspects in items:
        shown = fit(text, w - 60, 11.5)
        wide = measure(shown, 11.5) + 20
        if cx + wide > x + w - 16 and cx > x + 16:
            cx = x + 16
            y += 32
        p.box(cx, y, wide, 24, "ends", aspects, r=12, part="chip")
        p.text(cx + wide / 2, y + 16, shown, "s", full=text)
        cx += wide + 8
    return y + 32 if items else y

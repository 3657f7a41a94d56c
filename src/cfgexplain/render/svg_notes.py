"""The call-outs of a panel: the numbers that people look for first, each beside what it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.render.svg_paper import broken, fit
from cfgexplain.render.text_facts import human

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.render.svg_geometry import Anchor
    from cfgexplain.render.svg_paper import Paper
    from cfgexplain.render.svg_words import Words

GAP: Final = 12


class Note(NamedTuple):
    """A call-out. ``anchor`` is what it points to ("" for nothing); ``known`` is False where there is no number."""

    label: str
    value: str
    more: str
    anchor: str
    aspects: tuple[str, ...]
    known: bool = True


def notes(w: Words) -> Iterator[Note]:
    """The call-outs in the order of the flow."""
    m, memory = w.model, w.memory

    def note(
        key: str, n: int | None, more: str, anchor: str, *aspects: str, shown: str = "", always: bool = True
    ) -> Iterator[Note]:
        if n is not None:
            yield Note(w.say(f"note.{key}"), shown or w.n(n), more, anchor, aspects)
        elif always:
            yield Note(w.say(f"note.{key}"), w.say("unknown"), "", anchor, aspects, False)

    total, active = w.params["total"], w.params["active"]
    more = w.say("note.active", n=human(active)) if active and active != total else ""
    yield from note("params", total, more, "", "params", shown=human(total) if total else "")
    yield from note("vocab", m["vocab_size"], "", "embedding", "size.vocab")
    yield from note("hidden", m["hidden_size"], w.say("note.hidden.more"), "stream", "size.hidden")
    eps = w.norm["eps"]["value"]
    if w.norm["type"] is not None and eps is not None:
        yield Note(w.say("note.eps"), repr(eps), w.norm_kind(), "norm", ("norm.eps", "norm.type"))
    if memory and memory["kv_cache_bytes_per_token"] is not None:
        n, full = memory["kv_cache_bytes_per_token"], memory["kv_cache_bytes_at_context"]
        said = w.say("note.cache.full", size=human(full, "B")) if full else ""
        if not n and not memory["constant_state_bytes"]:
            said = w.say("note.cache.none")
        yield Note(w.say("note.cache"), human(n, "B") if n else "0", said, "attention", ("attention.kv_heads",))
    else:
        yield Note(w.say("note.cache"), w.say("unknown"), "", "attention", (), False)
    width = w.ffn["intermediate_size"]
    moe = [g for g in w.ffn["layers"] or () if g["kind"] == "moe"]
    if moe and all(g["kind"] in ("moe", "none") for g in w.ffn["layers"] or ()):
        g = moe[-1]
        said = w.say("note.expert.more", k=w.n(g["experts_per_token"]), n=w.n(g["experts"]))
        yield from note("expert", g["intermediate_size"], said, "ffn-moe", "ffn.expert_width", "ffn.experts")
    else:
        said = w.t.text("text.value.ratio").format(ratio=f"{width['ratio']:.4g}") if width["ratio"] else ""
        used = {g["intermediate_size"] for g in w.ffn["layers"] or () if g["kind"] == "dense"}
        one = used.pop() if len(used) == 1 else None
        # What the layers have, not what a key of the config counts (gate and up together, a list).
        yield from note("width", one or width["value"], said, "ffn-dense", "ffn.width", always=w.ffn["kind"] != "none")

    yield from note("layers", m["num_layers"], w.layer_mix(), "", "size.layers", "layers.kinds")
    context = m["max_position_embeddings"]
    rows, usable = m["positions"]["table"], m["positions"]["usable"]
    more = w.say("note.context.usable", rows=w.n(rows)) if usable else w.positions()[0]
    yield from note("context", usable or context, more, "", "size.context", "rope.theta", always=context is not None
                    or m["attention"] != "none")  # fmt: skip


def differing(a: Words, b: Words) -> set[str]:
    """Aspects of the call-outs that are not alike on both sides."""
    ours, theirs = ({n.label: n for n in notes(x)} for x in (a, b))
    return {
        f"note.{label}"
        for label in ours.keys() | theirs.keys()
        if label not in ours or label not in theirs or ours[label][1:3] != theirs[label][1:3]
    }


def height(n: Note, w: float) -> float:
    """How high a call-out is."""
    return 52 + 15 * (len(broken(n.more, w - 24, 11.5)) if n.more else 0)


def card(p: Paper, n: Note, x: float, y: float, w: float, high: float = 0) -> float:
    """Draws one; returns its height."""
    h = max(high, height(n, w))
    aspects = (*n.aspects, f"note.{n.label}")
    p.box(x, y, w, h, "card" if n.known else "unknown", aspects, "box" if n.known else "box dash", part="note")
    p.text(x + 12, y + 20, fit(n.label, w - 24, 11.5), "s", "start")
    p.text(x + 12, y + 41, fit(n.value, w - 24, 19), "v" if n.known else "b soft", "start", n.value)
    if n.more:
        for k, line in enumerate(broken(n.more, w - 24, 11.5)):
            p.text(x + 12, y + 58 + 15 * k, fit(line, w - 20, 11.5), "s", "start")
    return h


def beside(p: Paper, found: list[Note], x: float, y: float, w: float, anchors: dict[str, Anchor]) -> float:
    """One under the other, as near as may be to what they belong to, with a dotted line there. Returns the end."""
    sizes = [height(n, w) for n in found]
    # Where each would like to begin, then pushed down so that none covers another.
    wish = [anchors[n.anchor].y - 30 if n.anchor in anchors else y for n in found]
    at: list[float] = []
    for k, size in enumerate(sizes):
        at.append(max(y, wish[k], at[-1] + sizes[k - 1] + GAP if k else y))
        del size
    for n, size, top in zip(found, sizes, at, strict=True):
        card(p, n, x, top, w)
        anchor = anchors.get(n.anchor)
        if anchor is not None and anchor.reach:
            # Each further right than the one before: all of them lead up, and so none crosses another.
            lane = x + w + 5 + 3.5 * found.index(n)
            middle = top + min(size / 2, 30)
            p.wire([(x + w, middle), (lane, middle), (lane, anchor.y), (anchor.x, anchor.y)], cls="lead")
    return at[-1] + sizes[-1] if at else y


def grid(p: Paper, found: list[Note], x: float, y: float, w: float) -> float:
    """Two abreast. Returns the end."""
    half = (w - GAP) / 2
    for k in range(0, len(found), 2):
        pair = found[k : k + 2]
        high = max(height(n, half) for n in pair)
        for j, n in enumerate(pair):
            card(p, n, x + j * (half + GAP), y, half, high)
        y += high + GAP
    return y

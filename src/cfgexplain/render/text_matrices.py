"""A feed-forward block opened up: its matrices under each other, and the way through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.render.remarks import special
from cfgexplain.render.text_layout import indented, pad, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.diagram import Ffn
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import Report


def matrices(x: Ffn, report: Report, ink: Ink, room: int) -> list[str]:
    """The matrices under each other, with the way through them, in lines of ``room`` columns where that is possible."""
    ffn, model = report["ffn"], report["model"]
    gated = ffn["gated"] if ffn else None
    act = (ffn["activation"] if ffn else None) or "?"
    d, f = _size(x.reads or (model["hidden_size"] if model else None)), _size(x.width)
    gate, up, down = (ink.name(every_expert(n, x.experts) if x.kind == "moe" else n) for n in x.names)
    act = ink.name(act)
    odd = special(report)
    below = [f"f = {odd}"] if odd else []
    if gated and gate and gate == up:
        between = "f" if odd else f"{act}(gate) × up"
        rows = [("gate+up", gate, f"{d} → 2 × {f}", between), ("down", down, f"{f} → {d}", "")]
    elif gated:
        first, second = ("", "f") if odd else (act, "×")
        rows = [("gate", gate, f"{d} → {f}", first), ("up", up, f"{d} → {f}", second), ("down", down, f"{f} → {d}", "")]
    elif gated is False:
        rows = [("up", up, f"{d} → {f}", act), ("down", down, f"{f} → {d}", "")]
    else:
        return [ink.text(f"? {d} → {f} → {d}")]
    cells = [tuple(ink.text(c) for c in r) for r in rows]
    wide = [max(width_of(r[k]) for r in cells) for k in range(3)]
    heads = ["  ".join(pad(r[k], wide[k]) for k in range(3) if wide[k]) for r in cells]
    joint = "f" if odd else "×"
    tails = [ink.text("── " + r[3] + " " if r[3] and (k == 0 or r[3] != joint) else "") for k, r in enumerate(rows)]
    reach = max(width_of(t) for t in tails) + 1
    if room < max(map(width_of, heads)) + 2 + reach:
        # Too wide for arrows: what happens between the matrices gets a line of its own.
        under = " " * (wide[0] + 2)
        lines = [[head.rstrip(), under + ink.text(r[3])] for head, r in zip(heads, rows, strict=True)]
        if room < max(map(width_of, heads)):
            lines = [[f"{pad(r[0], wide[0])}  {r[1]}", under + r[2], under + r[3]] for r in cells]
        return [x for pair in lines for x in pair if x.strip()] + [ink.text(x) for x in below]
    out: list[str] = []
    for k, (head, tail) in enumerate(zip(heads, tails, strict=True)):
        dash = ink.text("─")
        if k == len(heads) - 1:
            out.append(head + " " + ink.text("◀") + dash * (reach - 1) + ink.text("┘"))
        elif k == 0:
            out.append(head + " " + tail + dash * (reach - width_of(tail)) + ink.text("┐"))
        else:
            out.append(head + " " + dash * reach + ink.text(joint))
    return out + [ink.text(x) for x in below]


def every_expert(name: str, experts: int | None) -> str:
    """``experts.{0-7}.w1`` for ``experts.0.w1``: the report names the first expert's matrices for all of them."""
    parts = name.split(".")
    if not experts or experts < 2 or parts.count("0") != 1:
        return name
    return ".".join(f"{{0-{experts - 1}}}" if p == "0" else p for p in parts)


def legend(r: Report, ink: Ink, t: Catalogue) -> Iterator[str]:
    """What the signs of the drawing mean."""
    gated = r["ffn"] is not None and r["ffn"]["gated"]
    text = ink.text(t.text("text.draw.legend.gated" if gated else "text.draw.legend"))
    yield from indented((ink.paint(x, "dim") for x in wrap(text, ink.width - 2)), "  ")


def _size(n: int | None) -> str:
    return "?" if n is None else f"{n:,}"

"""The blocks of a panel: how sub-layers read the residual stream and write to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.render.diagram import Ffn, NormStep
from cfgexplain.render.svg_geometry import ATTENTION_ASPECTS, BOLD, FFN_ASPECTS, NORM_ASPECTS, Anchor
from cfgexplain.render.svg_paper import broken, fit, measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfgexplain.render.diagram import Block, Branch, Mixing
    from cfgexplain.render.svg_geometry import Geo, Line
    from cfgexplain.render.svg_paper import Paper
    from cfgexplain.render.svg_words import Words

    #: Norms before, sub-layer, norms after.
    Way = tuple[tuple[NormStep, ...], Mixing | Ffn, tuple[NormStep, ...]]


class Blocks:
    """What draws the blocks.

    Attributes:
        anchors: what call-outs point to.
        subs: sub-layers to be opened.
        encoder: where another stack's output comes down to those that read it, or None.
    """

    __slots__ = ("anchors", "encoder", "geo", "paper", "subs", "words")

    def __init__(self, paper: Paper, words: Words, geo: Geo) -> None:
        self.paper = paper
        self.words = words
        self.geo = geo
        self.anchors: dict[str, Anchor] = {}
        self.encoder: tuple[float, float] | None = None
        self.subs: list[tuple[Mixing | Ffn, Anchor]] = []

    def lines_box(
        self,
        x: float,
        y: float,
        w: float,
        lines: Sequence[Line],
        kind: str,
        aspects: Sequence[str] = (),
        dashed: bool = False,
        part: str = "",
        value: str = "",
    ) -> float:
        """A box with centred lines of text, as high as they need. Returns its height."""
        height = 11 + 17 * len(lines)
        self.paper.box(x, y, w, height, kind, aspects, "box dash" if dashed else "box", part=part, value=value)
        for k, (s, cls) in enumerate(lines):
            mono = "mono" in cls
            shown = fit(s, w - 12, 11 if mono else 11.5 if cls == "s" else BOLD, mono)
            self.paper.text(x + w / 2, y + 20 + 17 * k, shown, cls, full=s)
        return height

    def stream(self, y0: float, y1: float, at: int | None = None, faint: bool = False) -> None:
        """A stretch of the stream; ``at`` puts it below what was drawn since."""
        s = self.geo.stream
        line = f'<path d="M{s} {y0:g}V{y1:g}" class="main{" dash" if faint else ""}"/>'
        if at is None:
            self.paper.out.append(line)
        else:
            self.paper.out[at] = line

    def block(self, b: Block, y: float, several: bool) -> float:
        """The layers of one make-up in a frame."""
        g, p, w = self.geo, self.paper, self.words
        top = y
        p.open("block", layers=b.layers or "?", parallel="yes" if b.parallel else "no")
        frame = len(p.out)
        p.out += ["", ""]
        count = w.t.text("text.draw.times").format(count=w.n(b.size))
        # Beside the line that comes down from an encoder.
        edge = 12 if self.encoder is None else 26
        p.text(g.right - edge, y + 24, count, "x", "end")
        if several and b.layers:
            key = "layer" if b.layers.isdecimal() else "layers"
            which = w.t.text(f"text.draw.{key}").format(layers=b.layers.replace(",", ", ").replace("-", "–"))
            lines = broken(which, g.right - g.stream - 40 - edge - measure(count, 18), 11.5)
            if len(lines) > 3:
                lines = [*lines[:2], lines[2] + " …"]
            for k, line in enumerate(lines):
                p.text(g.stream + 16, y + 22 + 15 * k, line, "s", "start", which)
            y += 15 * (len(lines) - 1)
        y += 30
        unknown = w.norm["placement"] is None
        if b.parallel:
            y = self.parallel(b, y)
        else:
            for x in b.branches:
                y = self.branch(x, y, unknown)
        if b.loose:
            y = self.loose(b, y)
        y += 16
        hit = bool(p.marks & {"size.layers"}) and not several
        p.out[frame] = (
            f'<rect x="{g.left}" y="{top:g}" width="{g.right - g.left}" height="{y - top:g}" rx="12" '
            f'class="frame{" hit" if hit else ""}"/>'
        )
        self.stream(top, y, frame + 1)
        if hit:
            p.flag(g.right, top)
        p.close()
        return y

    def loose(self, b: Block, y: float) -> float:
        """Norms whose place nobody knows."""
        g, w = self.geo, self.words
        why = "norm.mixed" if w.norm["placement"] == "mixed" else "norm.loose"
        placed = b.shared_norms or any(x.before or x.after or x.on_stream for x in b.branches)
        lines: list[Line] = [(w.t.text("text.draw.loose") if placed else w.say(why), "s")]
        room = g.right - 16 - g.branch
        shown = [fit(n, room - 12, 11, True) for n in b.loose[:6]]
        lines += [(n, "mono") for n in shown]
        if len(b.loose) > 6:
            lines.append((w.say("more", n=len(b.loose) - 6), "s"))
        y += 12
        return y + self.lines_box(g.branch, y, room, lines, "unknown", NORM_ASPECTS, True, "loose")

    def branch(self, x: Branch, y: float, unknown: bool) -> float:
        """One way off the stream and back."""
        g, p = self.geo, self.paper
        left, wide = g.branch, g.right - 16 - g.branch
        mid = left + wide / 2
        y += 10
        p.open("branch")
        for n in x.stream_before:
            p.tip((g.stream, y), (g.stream, y + 12), 9)
            y += 12
            y += self.norm(n, g.left + 10, y, 2 * (g.stream - g.left - 10), "on-stream") + 12
        p.out.append(f'<circle cx="{g.stream}" cy="{y:g}" r="4" class="tip"/>')
        if not x.sides:
            p.wire([(g.stream, y), (mid, y), (mid, y + 16)], True)
        y += 16
        if unknown:
            text = self.words.t.text("text.draw.norm-unknown")
            y += self.lines_box(left, y, wide, [(text, "s")], "unknown", NORM_ASPECTS, True, "norm-unknown")
            p.wire([(mid, y), (mid, y + 14)], True)
            y += 14
        for step in x.lead:
            if isinstance(step, str):
                said: list[Line] = [(self.words.t.text(f"text.draw.lead.{step}"), "s")]
                y += self.lines_box(left, y, wide, said, "ends", part=f"lead-{step}")
            elif isinstance(step, NormStep):
                y += self.norm(step, left, y, wide, "before")
            else:
                y += self.sub(step, left, y, wide)
            p.wire([(mid, y), (mid, y + 14)], True)
            y += 14
        for n in x.before:
            y += self.norm(n, left, y, wide, "before")
            p.wire([(mid, y), (mid, y + 14)], True)
            y += 14
        y = self.sides(x, y - 16) if x.sides else y + self.sub(x.sub, left, y, wide)
        for n in x.after:
            p.wire([(mid, y), (mid, y + 14)], True)
            y += 14
            y += self.norm(n, left, y, wide, "after")
        p.wire([(mid, y), (mid, y + 18), (g.stream + 9, y + 18)], True)
        p.plus(g.stream, y + 18)
        y += 28
        for n in x.on_stream:
            p.tip((g.stream, y), (g.stream, y + 12), 9)
            y += 12
            y += self.norm(n, g.left + 10, y, 2 * (g.stream - g.left - 10), "on-stream") + 4
        p.close()
        return y

    def norm(self, n: NormStep, x: float, y: float, w: float, place: str) -> float:
        """A norm by its own name; without tensor where it has none."""
        name: Line = (n.name, "mono") if n.name else (self.words.say(self.nameless()), "s")
        kind = self.words.norm["type"]
        lines = [(self.words.norm_kind(), "b"), name]
        h = self.lines_box(x, y, w, lines, "norm", NORM_ASPECTS, part=f"norm-{place}", value=kind or "unknown")
        self.anchors.setdefault("norm", Anchor(x, y + h / 2))
        return h

    def nameless(self) -> str:
        """Why a norm has no name: it has no tensor, or which of the names is its own is not known."""
        return "norm.bare" if self.words.norm["gain"] == "none" else "norm.nameless"

    def sub(self, x: Mixing | Ffn, left: float, y: float, wide: float) -> float:
        """Attention, mixer or feed-forward block. Returns its height."""
        w = self.words
        ffn = isinstance(x, Ffn)
        lines: list[Line]
        aspects: tuple[str, ...]
        if isinstance(x, Ffn):
            lines = [(w.ffn_kind(x), "b"), *([(w.ffn_sizes(x, wide < 160), "s")] if x.kind != "unknown" else [])]
            if x.kind == "moe":
                own = x.shared and x.shared_width is not None and x.shared_width != x.width
                key = "experts.width.shared" if own else "experts.width"
                lines.append((w.say(key, width=w.n(x.width), shared=w.n(x.shared_width)), "s"))
            kind, aspects = "ffn", FFN_ASPECTS
        elif x.kind == "unknown":
            lines = [(w.say("mixing.unknown"), "s"), (w.say("unknown"), "b")]
            kind, aspects = "unknown", ATTENTION_ASPECTS
        elif x.kind == "mixer":
            named = [k for k, _ in x.words]
            lines = [(w.listed([w.kind(k) for k in named]), "b")]
            lines += [(w.t.text("text.draw.mixer"), "s")] if named != ["mixer"] else []
            kind, aspects = "mixer", ("layers.kinds",)
        else:
            cross = x.kind == "cross-attention"
            lines = [(w.attention(cross), "b"), (w.say("encoder.keys") if cross else w.heads(), "s")]
            mix = w.mix(x)
            lines += [(part, "s") for part in (mix.split(w.t.text("join.list")) if mix and not cross else ())]
            kind, aspects = "attention", ATTENTION_ASPECTS
        lines = [(part, c) for s, c in lines for part in broken(s, wide - 12, BOLD if c == "b" else 11.5)]
        if x.kind == "unknown":
            kind = "unknown"
        h = self.lines_box(left, y, wide, lines, kind, aspects, x.kind == "unknown", f"sub-{kind}", x.kind)
        if x.kind == "cross-attention" and self.encoder is not None:
            ex, ey = self.encoder
            self.paper.wire([(ex, ey), (ex, y + h - 10), (left + wide, y + h - 10)], True)
        at = Anchor(left + wide, y + h / 2, left + wide > self.geo.right - 40)
        self.subs.append((x, at))
        name = f"ffn-{x.kind}" if ffn else x.kind
        self.anchors.setdefault(name, Anchor(left, y + h / 2, left <= self.geo.branch))
        return h

    def columns(self, ways: Sequence[Way], mids: Sequence[float], wide: float, y: float) -> list[float]:
        """Sub-layers abreast, each between norms of its own. Returns where each ends."""
        ends: list[float] = []
        for mid, (before, sub, after) in zip(mids, ways, strict=True):
            at, x0 = y, mid - wide / 2
            for s in before:
                at += self.norm(s, x0, at, wide, "before")
                self.paper.wire([(mid, at), (mid, at + 14)], True)
                at += 14
            top = at
            at += self.sub(sub, x0, at, wide)
            anchor = self.subs[-1][1]
            if not anchor.reach and len({len(w[0]) for w in ways}) == 1:
                # The boxes beside it begin at the same height.
                self.subs[-1] = (sub, anchor._replace(reach=True, over=top - 8))
            for s in after:
                self.paper.wire([(mid, at), (mid, at + 14)], True)
                at += 14 + self.norm(s, x0, at + 14, wide, "after")
            ends.append(at)
        return ends

    def sides(self, x: Branch, y: float) -> float:
        """What is added up before it goes back to the stream together. Returns where the sum ends."""
        g, p = self.geo, self.paper
        n, gap, left = len(x.sides), 12.0, g.fork
        wide = (g.right - 14 - left - gap * (n - 1)) / n
        mids = [left + k * (wide + gap) + wide / 2 for k in range(n)]
        centre = g.branch + (g.right - 16 - g.branch) / 2
        for mid in mids:
            p.wire([(g.stream, y), (mid, y), (mid, y + 16)], True)
        ends = self.columns(x.sides, mids, wide, y + 16)
        at = max(ends) + 18
        for mid, end in zip(mids, ends, strict=True):
            p.wire([(mid, end), (mid, at), (centre + (9 if mid > centre else -9), at)], True)
        p.plus(centre, at)
        return at + 9

    def parallel(self, b: Block, y: float) -> float:
        """Branches that read the same input, abreast."""
        g, p = self.geo, self.paper
        n = max(1, len(b.branches))
        left, gap = g.fork, 12.0
        wide = (g.right - 14 - left - gap * (n - 1)) / n
        mids = [left + k * (wide + gap) + wide / 2 for k in range(n)]
        y += 10
        p.open("branch", together="yes")
        p.out.append(f'<circle cx="{g.stream}" cy="{y:g}" r="4" class="tip"/>')
        if b.shared_norms:
            centre = (left + g.right - 14) / 2
            p.wire([(g.stream, y), (centre, y), (centre, y + 16)], True)
            y += 16
            for s in b.shared_norms:
                y += self.norm(s, left, y, g.right - 14 - left, "before")
            for mid in mids:
                p.wire([(mid, y), (mid, y + 16)], True)
            y += 16
        else:
            for mid in mids:
                p.wire([(g.stream, y), (mid, y), (mid, y + 16)], True)
            y += 16
        ends = self.columns([(x.before, x.sub, x.after) for x in b.branches], mids, wide, y)
        deepest = max(ends, default=y)
        for mid, at in zip(mids, ends, strict=True):
            p.wire([(mid, at), (mid, deepest + 18), (g.stream + 9, deepest + 18)], mid == mids[0])
        p.plus(g.stream, deepest + 18)
        p.text(g.stream + 16, deepest + 40, self.words.t.text("text.draw.parallel"), "s", "start")
        p.close()
        return deepest + 40

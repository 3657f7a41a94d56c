"""The middle of a panel: the residual stream from the tokens to the head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.remarked import has
from cfgexplain.render.diagram import NormStep, placement_of
from cfgexplain.render.remarks import beside
from cfgexplain.render.svg_block import Blocks
from cfgexplain.render.svg_geometry import NORM_ASPECTS, Anchor
from cfgexplain.render.svg_paper import broken, fit, measure
from cfgexplain.render.text_facts import human
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.render.diagram import Diagram
    from cfgexplain.render.svg_geometry import Geo
    from cfgexplain.render.svg_paper import Paper
    from cfgexplain.render.svg_words import Words


class Column(Blocks):
    """One model's stream in the making."""

    __slots__ = ("d",)

    def __init__(self, paper: Paper, d: Diagram, words: Words, geo: Geo) -> None:
        super().__init__(paper, words, geo)
        self.d = d

    def run(self, y: float) -> float:
        """Draws everything from ``y`` on; returns where it ends."""
        p, d = self.paper, self.d
        norm = self.words.norm["type"] or "unknown"
        p.open("stream", placement=placement_of(d) or "unknown", norm=norm, ffn=self.words.ffn["kind"] or "unknown")
        y = self.start(y)
        if d.interleaved:
            text, start = self.words.t.text("text.draw.interleaved"), y
            for line in broken(text, self.geo.right - self.geo.stream - (24 if self.encoder is None else 40), 11.5):
                p.text(self.geo.stream + 16, y + 8, line, "s", "start")
                y += 15
            self.stream(start, y + 6)
            y += 6
        for k, b in enumerate(d.blocks):
            if k:
                self.stream(y, y + 18, faint=d.interleaved)
                y += 18
            y = self.block(b, y, len(d.blocks) > 1)
        y = self.end(y)
        p.close()
        return y

    def start(self, y: float) -> float:
        """Tokens, embedding, learned positions, and what else feeds the stream."""
        g, p, w = self.geo, self.paper, self.words
        roles = w.params["by_role"] or {}
        towers = [(role, roles[role]) for role in ("vision", "audio") if roles.get(role)]
        reads = any(x.sub.kind == "cross-attention" for b in self.d.blocks for x in b.branches)
        encoder = self.d.others[0].rstrip(".") if self.d.others and reads else ""
        right = g.stream + 92 if towers or encoder else g.right
        p.text(g.stream, y + 12, w.t.text("text.draw.tokens" if self.d.embedded else "text.draw.input"), "b")
        p.wire([(g.stream, y + 18), (g.stream, y + 34)], True)
        y += 34
        lines = [(w.t.text("text.draw.embedding"), "b"), (w.embedding(self.d.projected_last), "mono")]
        aspects = ("size.vocab", "size.hidden")
        patch = None if self.d.embedded else w.model["input_patch"]
        if patch:
            sizes = " × ".join(map(str, patch)) + f" → {w.n(w.model['hidden_size'])}"
            lines = [(w.t.text("text.draw.patches"), "b"), (sizes, "mono")]
        elif not self.d.embedded:
            lines = [(w.say("input"), "s"), (w.say("unknown"), "b")]
        sure = self.d.embedded or bool(patch)
        kind = "ends" if sure else "unknown"
        h = self.lines_box(g.left, y, right - g.left, lines, kind, aspects, not sure, "embedding")
        self.anchors["embedding"] = Anchor(g.left, y + h / 2)
        # What cross-attention reads is not in the stream: down between boxes and frame, to every block that has some.
        if encoder:
            lines = [(w.say("encoder"), "b"), (encoder, "mono")]
            room, differs = g.right - right - 14, ("layers.encoder",)
            for role, n in towers:
                told = w.t.text(f"text.draw.encoder-front.{role}").format(n=human(n))
                lines += [(line, "s") for line in broken(told, room - 12, 11.5)]
            tall = self.lines_box(right + 14, y, room, lines, "ends", differs, True, "encoder")
            self.encoder = (g.right - 8, y + tall)
            own, h = h, max(h, tall) if len(lines) > 2 else h
            self.stream(y + own, y + h)
        elif towers:
            apart = reads or has(w.report, "towers-apart")
            self.towers(towers, right + 14, y, None if apart else y + h + 20)
            if reads:
                self.encoder = (g.right - 7, y + h)
        y += h
        joins = bool(towers) and self.encoder is None and not has(w.report, "towers-apart")
        joints = 40 * (joins + self.d.positions) or 26
        self.stream(y, y + joints)
        if self.d.positions:
            at = y + joints - 20
            text = w.say("positions.table", n=w.n(w.model["max_position_embeddings"] or w.model["positions"]["table"]))
            if w.model["positions"]["kind"] == "sinusoidal":
                text = w.say("positions.sinusoidal")
            p.plus(g.stream, at)
            box = min(g.right - g.stream - 56, measure(text, 13) + 24)
            p.box(g.stream + 40, at - 14, box, 28, "ends", ("size.context", "positions.kind"), part="positions")
            p.text(g.stream + 40 + box / 2, at + 4.5, fit(text, box - 8, 13))
            p.wire([(g.stream + 40, at), (g.stream + 10, at)], True)
        if not self.d.projected_last:
            self.anchors["stream"] = Anchor(g.stream - 4, y + joints - 8)
        y += joints
        if self.d.embedding_norm:
            y += self.norm(NormStep(self.d.embedding_norm), g.left, y, right - g.left, "embedding")
            self.stream(y, y + 16)
            y += 16
        if self.d.projected_last:
            sizes = f"{w.n(self.d.embedding)} → {w.n(w.model['hidden_size'])}"
            said = [(w.t.text("text.draw.projection"), "b"), (sizes, "mono")]
            y += self.lines_box(g.left, y, right - g.left, said, "ends", part="projection")
            self.stream(y, y + 16)
            self.anchors["stream"] = Anchor(g.stream - 4, y + 8)
            y += 16
        return y

    def towers(self, found: list[tuple[str, int]], x: float, y: float, joint: float | None) -> None:
        """Encoders of other senses, abreast; what they see joins the stream at ``joint``, or does not."""
        g, w = self.geo, self.words
        room = (g.right - x - 8 * (len(found) - 1)) / len(found)
        for k, (role, n) in enumerate(found):
            left = x + k * (room + 8)
            name = w.say(f"tower.{role}" if len(found) == 1 else f"tower.{role}.short")
            h = self.lines_box(left, y, room, [(name, "b"), (human(n), "s")], "tower", part=role)
            if joint is not None:
                ways = [(left + room / 2, y + h), (left + room / 2, joint), (g.stream + 8, joint)]
                self.paper.wire(ways, True)

    def end(self, y: float) -> float:
        """Final norm, head, and what comes after the last layer."""
        g, p, w, d = self.geo, self.paper, self.words, self.d
        wide = g.right - g.left
        self.stream(y, y + 22)
        y += 22
        if d.final_norm is None:
            text = w.t.text("text.draw.final-unknown")
            y += self.lines_box(
                g.left, y, wide, [(text, "s")], "unknown", ("norm.final",), True, "final-norm", "unknown"
            )
        elif d.final_norm:
            self.anchors["final"] = Anchor(g.left, y + 20)
            name = d.final_name or w.say(self.nameless())
            lines = [(w.say("norm.final", norm=w.norm_kind()), "b"), (name, "mono" if d.final_name else "s")]
            if d.final_missing:
                lines.append((w.say("norm.missing"), "b"))
            y += self.lines_box(
                g.left, y, wide, lines, "norm", ("norm.final", *NORM_ASPECTS), d.final_missing, "final-norm", "yes"
            )
        if d.final_norm is not False:
            p.wire([(g.stream, y), (g.stream, y + 16)], True)
            y += 16
        if d.head in ("own", "tied", "open"):
            sizes = w.head()
            lines = [(w.say("head"), "b"), (sizes, "mono"), (w.t.text(f"text.draw.head.{d.head}"), "s")]
            aspects = ("size.vocab", "head.tied", "size.hidden")
            dashed = d.head == "open"
            y += self.lines_box(g.left, y, wide, lines, "ends", aspects, dashed, "head", d.head)
            p.wire([(g.stream, y), (g.stream, y + 16)], True)
            p.text(g.stream + 12, y + 18, w.say("logits"), "b", "start")
            y += 20
        elif d.head == "unknown":
            text = w.t.text("text.draw.head-unknown")
            y += self.lines_box(g.left, y, wide, [(text, "s")], "unknown", ("head.tied",), True, "head", "unknown")
        elif d.task:
            sizes = " → ".join(f"{n:,}" for n in (d.task["input"], d.task["output"]) if n is not None)
            lines = [(w.t.text("text.draw.task-head"), "b"), (clean(d.task["name"]), "mono"), (sizes, "mono")]
            y += self.lines_box(g.left, y, wide, [x for x in lines if x[0]], "ends", (), part="head", value="task")
        else:
            p.text(g.stream + 12, y + 4, w.t.text("text.draw.no-head"), "b", "start", part="head")
            y += 8
        return self.notes(y)

    def notes(self, y: float) -> float:
        """What is part of the model and not of the drawing."""
        g, w = self.geo, self.words
        said = [
            w.t.text("text.draw.not-drawn").format(stack=s.rstrip("."))
            for s in self.d.others[self.encoder is not None :]
        ]
        extra = (w.params["by_role"] or {}).get("mtp")
        if extra:
            said.append(w.say("mtp", n=human(extra)))
        told = beside(w.report, w.t, self.d)
        if told:
            said += [w.t.text("text.draw.beside"), *(f"· {clean(x)}" for x in told)]
        for text in said:
            for line in broken(text, g.right - g.left - 8, 11.5):
                y += 16
                self.paper.text(g.left + 4, y + 4, line, "s", "start")
        return y

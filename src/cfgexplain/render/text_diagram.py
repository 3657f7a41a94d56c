"""The model drawn for a terminal: the residual stream on the left, sub-layers to its right. No right-hand border, so
that a long name breaks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.diagram import Ffn, Mixing, NormStep
from cfgexplain.render.remarks import beside
from cfgexplain.render.text_attention import Attention
from cfgexplain.render.text_layout import indented, pad, width_of, wrap
from cfgexplain.render.text_matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.diagram import Block, Branch, Diagram
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import Report

#: Column of the stream, and where a step's label and its details begin.
STREAM: Final = 5
LABEL: Final = STREAM + 5
DETAIL: Final = LABEL + 12
#: Lists of layers longer than this do not go into a block's title.
SHORT: Final = 40


class Drawing(Attention):
    """One model's drawing in the making."""

    __slots__ = ("rail",)

    def __init__(self, report: Report, ink: Ink, texts: Catalogue) -> None:
        model = report["model"]
        if model is None:
            raise ValueError("a report of an error has no drawing")
        super().__init__(report, model, ink, texts)
        #: What runs down on the left inside a block: the stream, and the copy that parallel branches read.
        self.rail = "│"

    def row(self, mark: str, label: str, detail: str = "", role: str = "", inside: bool = False) -> Iterator[str]:
        """A line of the drawing: the stream's mark, a label, details that wrap under themselves."""
        ink = self.ink
        mark = ink.text((" │" if inside else "  ") + " " * (STREAM - 2) + mark)
        gap = max(DETAIL, LABEL + width_of(label) + 2)
        lines = wrap(detail, max(20, ink.width - gap)) if detail else [""]
        head = pad(mark, LABEL)
        painted = ink.paint(label, role) if role else label
        yield (head + painted + " " * (gap - LABEL - width_of(label)) + lines[0]).rstrip()
        under = pad(
            ink.text(
                (" │" if inside else "  ") + " " * (STREAM - 2) + (self.rail if inside else "│" if mark.strip() else "")
            ),
            gap,
        )
        for line in lines[1:]:
            yield under + line

    def whole(self, d: Diagram) -> Iterator[str]:
        """All lines."""
        model = self.model
        if d.encoder:
            yield from self.encoder(d)
        yield from self.row(" ", self.word("tokens" if d.embedded else "input"))
        yield from self.row("│", "")
        patch = model["input_patch"]
        if patch and not d.embedded:
            cut = " × ".join(map(str, patch)) + f" → {self.size(model['hidden_size'])}"
            yield from self.row("▼", self.word("patches"), self.ink.text(cut))
        elif not d.embedded:
            yield from self.row("?", self.word("input-unknown"))
        rows = model["embedding_rows"] or model["vocab_size"]
        sizes = f"{self.size(rows)} × {self.size(d.embedding or model['hidden_size'])}"
        projected = f"{self.size(d.embedding)} → {self.size(model['hidden_size'])}" if d.embedding else ""
        if projected and not d.projected_last:
            sizes += f", {projected}"
        if d.embedded:
            yield from self.row("▼", self.word("embedding"), self.ink.text(sizes))
        if d.embedding_norm and not d.positions:
            yield from self.row("▼", self.norm_word(), self.ink.name(d.embedding_norm), "norm")
        kind = model["positions"]["kind"]
        if d.positions:
            word = self.word(f"positions.{kind}") if kind in ("learned", "sinusoidal") else ""
            rows = model["max_position_embeddings"] or model["positions"]["table"]
            length = self.size(rows) if rows else ""
            yield from self.row("⊕", self.word("positions"), " ".join(x for x in (length, word) if x))
        if d.embedding_norm and d.positions:
            yield from self.row("▼", self.norm_word(), self.ink.name(d.embedding_norm), "norm")
        if d.projected_last:
            yield from self.row("▼", self.word("projection"), self.ink.text(projected))
        yield from self.row("│", "")
        if d.interleaved:
            yield from self.row("│", self.word("interleaved"))
        for k, block in enumerate(d.blocks):
            if k:
                yield from self.row("│", "")
            yield from self.block(block, len(d.blocks) > 1)
        yield from self.row("│", "")
        yield from self.tail(d)
        for stack in d.others[bool(d.encoder):]:
            yield self.ink.text("  ") + self.word("not-drawn", stack=self.ink.name(stack.rstrip(".")))
        told = beside(self.report, self.t, d)
        if told:
            yield "  " + self.word("beside")
            for text in told:
                yield from indented(
                    wrap(self.ink.text(self.ink.name(text)), self.ink.width - 6), f"    {self.ink.dot} ", "      "
                )

    def encoder(self, d: Diagram) -> Iterator[str]:
        """The encoder's layers, and where their output goes."""
        yield from self.row(" ", self.word("encoder-input"))
        roles = (self.report["params"]["by_role"] if self.report["params"] else None) or {}
        for role in ("vision", "audio"):
            if roles.get(role):
                yield from self.row("▼", self.word(f"encoder-front.{role}", n=self.size(roles[role])))
        yield from self.row("│", "")
        for k, block in enumerate(d.encoder):
            if k:
                yield from self.row("│", "")
            yield from self.block(block, len(d.encoder) > 1, self.word("encoder"))
        if d.encoder_norm:
            yield from self.row("▼", self.norm_word(), self.ink.name(d.encoder_norm), "norm")
        yield from self.row("▼", self.word("encoder-output"))
        yield ""

    def tail(self, d: Diagram) -> Iterator[str]:
        """Final norm and head."""
        model = self.model
        if d.final_norm is None:
            yield from self.row("?", self.word("final-unknown"))
        elif d.final_norm:
            missing = " " + self.word("missing") if d.final_missing else ""
            yield from self.row("▼", self.norm_word(), self.ink.name(d.final_name) + missing, "norm")
        if d.head == "unknown":
            yield from self.row("?", self.word("head-unknown"))
        elif d.head == "none" and d.task:
            what = " → ".join(self.size(n) for n in (d.task["input"], d.task["output"]) if n is not None)
            yield from self.row("▼", self.word("task-head"), f"{self.ink.name(d.task['name'])}  {what}".rstrip())
        elif d.head == "none":
            yield from self.row("▼", self.word("no-head"))
        else:
            steps = [model["hidden_size"], *([d.embedding] if d.embedding else []), model["vocab_size"]]
            sizes = " → ".join(self.size(n) for n in steps)
            what = self.word(f"head.{d.head}")
            yield from self.row("▼", self.word("head"), self.word("head.row", sizes=sizes, what=what))

    def norm_word(self) -> str:
        """RMSNorm or LayerNorm."""
        norm = self.report["norm"]
        kind = norm["type"] if norm else None
        return self.word(f"norm.{kind}") if kind in ("rmsnorm", "layernorm") else self.word("norm.unknown")

    def block(self, b: Block, several: bool, name: str = "") -> Iterator[str]:
        """The layers of one make-up in a bracket."""
        ink = self.ink
        count = self.word("times", count=self.size(b.size))
        title, below = f"{count} {name}".rstrip(), ""
        if several and b.layers:
            key = "layer" if b.layers.isdecimal() else "layers"
            which = self.word(key, layers=b.layers.replace(",", ", "))
            if width_of(which) <= SHORT:
                title += " " + which
            else:
                below = which
        rule = ink.text("─" * max(3, min(ink.width, 72) - STREAM - width_of(title) - 6))
        yield ink.text(" ┌" + "─" * (STREAM - 2) + "┼─ ") + ink.paint(title, "title") + " " + rule
        if below:
            yield from self.row("│", "", below, "", True)
        unknown = self.report["norm"] is None or self.report["norm"]["placement"] is None
        if b.parallel:
            yield from self.parallel(b)
        else:
            for x in b.branches:
                yield from self.branch(x, unknown)
        if b.loose:
            mixed = self.report["norm"] is not None and self.report["norm"]["placement"] == "mixed"
            placed = b.shared_norms or any(x.before or x.after or x.on_stream for x in b.branches)
            yield from self.row(
                "│",
                self.word("loose" if placed else "loose-mixed" if mixed else "loose-alone"),
                ", ".join(ink.name(n) for n in b.loose),
                "norm",
                True,
            )
        yield ink.text(" └" + "─" * (STREAM - 2) + "┼" + "─" * max(3, min(ink.width, 72) - STREAM - 2))

    def branch(self, x: Branch, unknown: bool) -> Iterator[str]:
        """One way off the stream and back."""
        for n in x.stream_before:
            yield from self.norm("▼", n)
        mark = "├─▶"
        if unknown:
            yield from self.row(mark, self.word("norm-unknown"), "", "norm", True)
            mark = "│"
        for n in x.before:
            yield from self.norm(mark, n)
            mark = "│"
        for step in x.lead:
            if isinstance(step, str):
                yield from self.row(mark, "+" if step == "add" else "", self.word(f"lead.{step}"), "", True)
            elif isinstance(step, NormStep):
                yield from self.norm(mark, step)
            else:
                yield from self.sub(mark, step)
            mark = "│"
        for s in x.sides:
            mark = "├─▶"
            for n in s.before:
                yield from self.norm(mark, n)
                mark = "│"
            yield from self.sub(mark, s.sub)
            for n in s.after:
                yield from self.norm("│", n)
        if x.sides:
            yield from self.row("│", "+", self.word("sides"), "", True)
        else:
            yield from self.sub(mark, x.sub)
        for n in x.after:
            yield from self.norm("│", n)
        yield self.ink.text(" │" + " " * (STREAM - 2) + "⊕◀──┘")
        for n in x.on_stream:
            yield from self.norm("▼", n)

    def parallel(self, b: Block) -> Iterator[str]:
        """Branches that read the same input."""
        for n in b.shared_norms:
            yield from self.norm("├─▶", n)
        for x in b.branches:
            for n in x.before:
                yield from self.norm("├─▶", n)
            self.rail = "│ │" if b.shared_norms else "│"
            yield from self.sub("│ ├▶" if b.shared_norms else "│" if x.before else "├─▶", x.sub)
        self.rail = "│"
        yield self.ink.text(" │" + " " * (STREAM - 2) + ("⊕◀┘  " if b.shared_norms else "⊕◀──┘ ")) + self.word(
            "parallel"
        )

    def norm(self, mark: str, n: NormStep) -> Iterator[str]:
        """A norm by its own name."""
        yield from self.row(mark, self.norm_word(), self.ink.name(n.name) if n.name else "", "norm", True)

    def sub(self, mark: str, x: Mixing | Ffn) -> Iterator[str]:
        """Attention, mixer or feed-forward block."""
        if isinstance(x, Ffn):
            yield from self.ffn(mark, x)
            return
        if x.kind == "unknown":
            yield from self.row(mark, "?", self.word("mixing-unknown"), "attention", True)
            return
        counts = self.words(x)
        own = x.kind == "attention"
        words = [w for w, _ in x.words]
        lines: list[str] = []
        if x.kind == "mixer":
            yield from self.row(mark, self.word("mixer"), counts, "attention", True)
            lines += [self.projections(x), *([self.heads(), self.positions(words)] if "hybrid" in words else [])]
        else:
            yield from self.row(mark, self.word(x.kind), self.heads(), "attention", True)
            lines += [self.projections(x), *self.apart(x, self.kind)] if own else []
            lines.append(counts if words and words not in (["full"], ["attention"], ["hybrid"]) else "")
            lines.append(self.positions(words) if own else "")
        for line in lines:
            if line:
                yield from self.row(self.rail, "", line, "", True)

    def kind(self, word: str) -> str:
        """A kind of layer in the reader's words."""
        return self.word(f"kind.{word}") if word in KINDS else self.ink.name(word)

    def words(self, x: Mixing) -> str:
        """``13 full, 13 sliding``; a single kind without its number."""
        named = [(self.kind(w), n) for w, n in x.words]
        if len(named) == 1:
            return named[0][0]
        return self.t.text("join.list").join(self.word("count", count=n, what=w) for w, n in named)

    def ffn(self, mark: str, x: Ffn) -> Iterator[str]:
        """A feed-forward block, opened up."""
        if x.kind == "unknown":
            yield from self.row(mark, "?", self.word("ffn-unknown"), "ffn", True)
            return
        if x.kind == "moe":
            key = "moe" if x.per_token is not None else "moe-unknown"
            text = self.word(key, experts=self.size(x.experts), k=x.per_token)
            if x.shared:
                key = "shared.width" if x.shared_width else "shared"
                text += " " + self.word(key, count=x.shared, width=self.size(x.shared_width))
            yield from self.row(mark, self.word("experts"), text, "ffn", True)
        else:
            ffn = self.report["ffn"]
            kind = (ffn["kind"] if ffn else None) or ""
            yield from self.row(
                mark, self.word(f"ffn.{kind}") if kind in FFN_KINDS else self.word("ffn.none"), "", "ffn", True
            )
        for line in matrices(x, self.report, self.ink, self.ink.width - LABEL - 2):
            yield (
                self.ink.text(" │" + " " * (STREAM - 2) + self.rail)
                + " " * (LABEL + 2 - STREAM - len(self.rail))
                + line
            )


KINDS: Final = frozenset({
    "attention", "mixer", "full", "sliding", "chunked", "linear", "ssm", "conv", "recurrent", "hybrid", "cross", "lsh",
    "fourier", "none", "compressed", "compressed-sparse",
})  # fmt: skip
FFN_KINDS: Final = frozenset({"swiglu", "geglu", "reglu", "glu", "other-gated", "mlp", "mixed"})

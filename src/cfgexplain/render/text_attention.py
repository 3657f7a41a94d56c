"""What the drawing for a terminal says of attention: heads, widths, positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.render.mixing import PLAIN, others, rotation, sizes, stored, straight, turning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.diagram import Mixing
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import ModelR, Report


class Attention:
    """One model's attention in words."""

    __slots__ = ("ink", "model", "report", "t")

    def __init__(self, report: Report, model: ModelR, ink: Ink, texts: Catalogue) -> None:
        self.report = report
        self.model = model
        self.ink = ink
        self.t = texts

    def word(self, name: str, /, **values: object) -> str:
        """A text of the drawing, in signs that the output has."""
        return self.ink.text(self.t.text(f"text.draw.{name}").format(**values))

    def size(self, n: int | None) -> str:
        """A size, or what stands for an unknown one."""
        return "?" if n is None else f"{n:,}"

    def heads(self) -> str:
        """Kind of attention with its heads."""
        m = self.model
        kind, q, kv, size = m["attention"], m["num_attention_heads"], m["num_key_value_heads"], m["head_dim"]
        if q is None:
            return ""
        if kind == "mla":
            return self.word("heads.mla", heads=q)
        if kind == "mqa" and kv == 1:
            return self.word("heads.mqa", heads=q, size=self.size(size))
        if kind in ("gqa", "mqa", "mixed") and kv and kv != q:
            return self.word("heads.gqa", kind=kind.upper(), heads=q, kv=kv, size=self.size(size))
        return self.word("heads.mha" if kind == "mha" else "heads.any", heads=q, size=self.size(size))

    def positions(self, words: list[str]) -> str:
        """How attention knows the order of tokens in layers of these kinds, where it does so itself."""
        p = self.model["positions"]
        if p["kind"] in ("alibi", "relative"):
            return self.word(f"positions.{p['kind']}")
        if p["kind"] != "rope":
            return ""
        if p["theta"] is None:
            return self.word("positions.rope-plain")
        seen = rotation(self.report, words)
        parts = [self.word("positions.rope", theta=f"{seen.theta:,.10g}")]
        if seen.local_theta is not None:
            parts.append(self.word("positions.local", theta=f"{seen.local_theta:,.10g}"))
        for key, values in turning(self.report, seen):
            safe = {k: self.ink.name(v) if isinstance(v, str) else v for k, v in values.items()}
            parts.append(self.word(f"positions.{key}", **safe))
        return self.t.text("join.list").join(parts)

    def projections(self, x: Mixing) -> str:
        """Widths of the projections; as stored, where they are not those that the heads imply."""
        m = self.model
        d, q, kv, size = m["hidden_size"], m["num_attention_heads"], m["num_key_value_heads"], m["head_dim"]
        if x.kind == "attention" and d and q and kv and size and straight(self.report, x):
            parts = [("q", f"{d:,} → {q * size:,}"), ("k, v", f"{d:,} → {kv * size:,}"), ("o", f"{q * size:,} → {d:,}")]
        elif x.kind == "attention" and m["attention"] not in (*PLAIN, "mla"):
            return ""
        else:
            parts = [(self.ink.name(name), text) for name, text in sizes(self.report, stored(self.report, x))]
        return "; ".join(self.ink.text(f"{name} {text}").replace(" ", "\u00a0") for name, text in parts)

    def apart(self, x: Mixing, names: Callable[[str], str]) -> Iterator[str]:
        """What other kinds of layers behind the same sub-layer store, where it is of other widths."""
        for kind, rows in others(self.report, x).items():
            told = "; ".join(self.ink.text(f"{self.ink.name(n)} {text}").replace(" ", "\u00a0") for n, text in rows)
            yield self.word("apart", kind=names(kind), told=told)

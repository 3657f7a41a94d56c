"""What a panel says, in the reader's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.mixing import rotation, turning
from cfgexplain.render.text_diagram import FFN_KINDS, KINDS
from cfgexplain.render.text_facts import human

if TYPE_CHECKING:
    from cfgexplain.lang import Catalogue
    from cfgexplain.render.diagram import Ffn, Mixing
    from cfgexplain.report import MemoryR, ModelR, NormR, ParamsR, Report
    from cfgexplain.report_ffn import FfnR

ATTENTIONS: Final = frozenset({"mha", "gqa", "mqa", "mla"})
POSITIONS: Final = frozenset({"learned", "sinusoidal", "alibi", "relative", "none"})


def known(report: Report) -> tuple[ModelR, NormR, FfnR, ParamsR]:
    """The sections of a report that is no error.

    Raises:
        ValueError: it is one.
    """
    model, norm, ffn, params = report["model"], report["norm"], report["ffn"], report["params"]
    if model is None or norm is None or ffn is None or params is None:
        raise ValueError("a report of an error has no panel")
    return model, norm, ffn, params


class Words:
    """One report's labels. Values from files are as they are: whoever puts them down escapes them."""

    __slots__ = ("ffn", "memory", "model", "norm", "params", "report", "t")

    def __init__(self, report: Report, t: Catalogue) -> None:
        self.report = report
        self.t = t
        self.model, self.norm, self.ffn, self.params = known(report)
        self.memory: MemoryR | None = report["memory"]

    def say(self, name: str, /, **values: object) -> str:
        """A text of the panel."""
        return self.t.text(f"svg.{name}").format(**values)

    def n(self, n: float | None) -> str:
        """A number, or what stands for an unknown one."""
        return "?" if n is None else f"{n:,.0f}" if n == int(n) else f"{n:g}"

    def listed(self, items: list[str]) -> str:
        """Several things after each other."""
        return self.t.text("join.list").join(items)

    @property
    def title(self) -> str:
        """The model's name: its target without the part that says where it is."""
        target = self.report["target"]
        return target["repo_id"] or target["input"].removeprefix("example:")

    def subtitle(self) -> str:
        """Family, class, parameters, dtypes."""
        m, parts = self.model, []
        if m["family_known"] and m["family"]:
            parts.append(m["family"])
        elif m["model_type"]:
            parts.append(self.say("unknown-type", type=m["model_type"]))
        else:
            parts.append(self.t.text("text.no-type"))
        parts += (m["architectures"] or [])[:1]
        if self.params["total"]:
            parts.append(self.t.text("text.params-short").format(count=human(self.params["total"])))
        dtypes = self.params["by_dtype"] or {}
        if dtypes:
            parts.append(" + ".join(sorted(dtypes, key=lambda d: -dtypes[d])[:3]))
        quant = self.report["quantization"]
        if quant and quant["method"]:
            parts.append(quant["method"])
        return " · ".join(parts)

    def embedding(self, projected_last: bool = False) -> str:
        """Rows and columns of the embedding: 50,272 × 1,024, or narrower than the stream, 50,272 × 512 → 1,024."""
        d, narrow = self.model["hidden_size"], self.narrow()
        rows = self.n(self.model["embedding_rows"] or self.model["vocab_size"])
        if narrow and projected_last:
            return f"{rows} × {narrow:,}"
        return f"{rows} × {f'{narrow:,} → ' if narrow else ''}{self.n(d)}"

    def head(self) -> str:
        """4,096 → 32,000, by way of the embedding's width where that is another."""
        d, narrow = self.model["hidden_size"], self.narrow()
        return f"{self.n(d)} → {f'{narrow:,} → ' if narrow else ''}{self.n(self.model['vocab_size'])}"

    def narrow(self) -> int | None:
        """The embedding's width where it is another than the stream's."""
        d, width = self.model["hidden_size"], self.model["embedding_size"]
        return width if d and width and width != d else None

    def norm_kind(self) -> str:
        """RMSNorm or LayerNorm."""
        kind = self.norm["type"]
        return self.t.text(f"text.draw.norm.{kind if kind in ('rmsnorm', 'layernorm') else 'unknown'}")

    def attention(self, cross: bool = False) -> str:
        """What attention is called, by its heads."""
        if cross:
            return self.say("attention.cross")
        kind = self.model["attention"]
        return self.say(f"attention.{kind if kind in ATTENTIONS else 'any'}")

    def heads(self) -> str:
        """32 heads of 128, 8 for keys and values."""
        m = self.model
        q, kv = m["num_attention_heads"], m["num_key_value_heads"]
        if q is None:
            return self.say("heads.unknown")
        if m["attention"] == "mla":
            return self.say("heads.latent", q=q)
        if kv is None or kv == q:
            return self.say("heads", q=q, size=self.n(m["head_dim"]))
        return self.say("heads.shared" if kv > 1 else "heads.shared.one", q=q, kv=kv, size=self.n(m["head_dim"]))

    def kind(self, word: str) -> str:
        """A kind of layer."""
        return self.t.text(f"text.draw.kind.{word}") if word in KINDS else word

    def mix(self, x: Mixing) -> str:
        """26 × sliding window, 26 × full attention; "" where all layers have full attention."""
        if len(x.words) == 1:
            if x.kind == "attention" and x.words[0][0] == "hybrid":
                return ""
            return "" if x.words[0][0] in ("full", "attention", "?") else self.kind(x.words[0][0])
        return self.listed([self.t.text("text.draw.count").format(count=n, what=self.kind(w)) for w, n in x.words])

    def ffn_kind(self, x: Ffn) -> str:
        """What a feed-forward block is called."""
        if x.kind == "unknown":
            return self.say("ffn.unknown")
        if x.kind == "moe":
            return self.say("ffn.moe")
        kind = self.ffn["kind"] or ""
        if kind == "mlp":
            return self.say("ffn.mlp")
        if kind not in FFN_KINDS:
            return self.say("ffn.any")
        said = self.say("ffn", kind=self.t.text(f"text.draw.ffn.{kind}"))
        return said[:1].upper() + said[1:]

    def ffn_sizes(self, x: Ffn, short: bool = False) -> str:
        """4,096 → 14,336 → 4,096, or how many experts run."""
        if x.kind == "moe":
            key = "experts.shared" if x.shared else "experts"
            return self.say(key, k=self.n(x.per_token), n=self.n(x.experts), shared=x.shared)
        if short:
            return self.say("ffn.width", n=self.n(x.width))
        d = self.n(self.model["hidden_size"])
        return f"{d} → {self.n(x.width)} → {d}"

    def positions(self, kinds: list[str] | None = None) -> list[str]:
        """What tells the order of tokens in layers of these kinds: RoPE with its base first, then what else is true."""
        p = self.model["positions"]
        if p["kind"] != "rope":
            return [self.say(f"positions.{p['kind'] if p['kind'] in POSITIONS else 'unknown'}")]
        seen = rotation(self.report, kinds or [])
        parts = [self.say("rope.theta", theta=self.n(seen.theta)) if seen.theta else self.say("rope")]
        if seen.local_theta:
            parts.append(self.say("rope.local", theta=self.n(seen.local_theta)))
        parts += [self.say(f"rope.{key}", **values) for key, values in turning(self.report, seen)]
        return parts

    def layer_mix(self) -> str:
        """28 state space, 4 full attention; "" where all are alike."""
        mix = (self.report["layers"]["mix"] if self.report["layers"] else None) or {}
        if not mix or list(mix) == ["full"]:
            return ""
        return self.listed([self.t.text("text.value.mix").format(count=n, kind=self.kind(k)) for k, n in mix.items()])

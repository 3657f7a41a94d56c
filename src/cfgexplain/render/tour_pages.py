"""The pages of the tour: from a report to plain text, page by page, only what this model has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.render.text_facts import bars, human
from cfgexplain.render.text_layout import aligned, indented, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import Report

#: Keys of a config that the first page shows, in whatever spelling, up to so many.
SHOWN: Final = 16
PLAIN: Final = (int, float, str, bool)
#: Keys that say nothing to a beginner.
DULL: Final = frozenset(
    {"_name_or_path", "transformers_version", "torch_dtype", "dtype", "use_cache", "pretraining_tp"}
)


class Page(NamedTuple):
    """One page: its title in the catalogue, and its lines."""

    title: str
    lines: list[str]


class Guide:
    """Writes pages of one report in one language."""

    __slots__ = ("_lines", "config", "ink", "r", "t")

    def __init__(self, r: Report, config: Mapping[str, object], ink: Ink, t: Catalogue) -> None:
        self.r = r
        self.config = config
        self.ink = ink
        self.t = t
        self._lines: list[str] = []

    def say(self, key: str, /, **values: object) -> None:
        """Adds a paragraph."""
        safe = {k: self.ink.name(v, 100) if isinstance(v, str) else v for k, v in values.items()}
        if self._lines:
            self._lines.append("")
        self._lines.extend(wrap(self.ink.text(self.t.text(f"tour.{key}").format(**safe)), min(self.ink.width, 80)))

    def show(self, lines: Iterable[str]) -> None:
        """Adds lines as they are, set off."""
        self._lines.append("")
        self._lines.extend(lines)

    def page(self, title: str) -> Iterator[Page]:
        """The page so far, if anything is on it."""
        if self._lines:
            yield Page(title, self._lines)
        self._lines = []

    def pages(self) -> Iterator[Page]:
        """Every page that this model has something for."""
        for title, write in (
            ("start", self.start), ("tokens", self.tokens), ("layers", self.layers), ("norm", self.norm),
            ("attention", self.attention), ("ffn", self.ffn), ("experts", self.experts), ("head", self.head),
            ("sum", self.sum), ("faults", self.faults), ("next", self.next),
        ):  # fmt: skip
            write()
            yield from self.page(title)

    def start(self) -> None:
        """What is on disk, and the config's own words."""
        params = self.r["params"]
        self.say("start.hello", name=self.r["target"]["input"])
        self.say("start.files")
        if params and params["total"]:
            self.say("start.tensors", params=params["total"])
        keys = [(k, v) for k, v in self.config.items() if isinstance(v, PLAIN) and k not in DULL]
        if not keys:
            self.say("start.none")
            return
        self.say("start.config")
        room = max(len(self.ink.name(k, 40)) for k, _ in keys[:SHOWN])
        self.show(f"    {self.ink.name(k, 40):{room}}  {self.ink.name(_json(v), 60)}" for k, v in keys[:SHOWN])
        self.say("start.promise")

    def tokens(self) -> None:
        """The embedding."""
        m = self.r["model"]
        if m and m["vocab_size"] and m["hidden_size"]:
            vocab, hidden = m["vocab_size"], m["hidden_size"]
            self.say("tokens.text", vocab=vocab, hidden=hidden)
            self.show([self.ink.text(f"    {vocab:,} × {hidden:,} = {vocab * hidden:,}")])
            self.say("tokens.stream", hidden=hidden)

    def layers(self) -> None:
        """The drawing."""
        from cfgexplain.render.diagram import describe
        from cfgexplain.render.text_diagram import Drawing

        m = self.r["model"]
        if not m or not m["num_layers"]:
            return
        found = describe(self.r)
        if found is None:
            self.say("layers.plain", layers=m["num_layers"])
            return
        params = self.r["params"]
        crossed = "cross-attention" in ((params["by_role"] if params else None) or {})
        self.say("layers.crossed" if crossed else "layers.text", layers=m["num_layers"])
        self.show(Drawing(self.r, self.ink, self.t).whole(found))
        self.say("layers.plus")

    def norm(self) -> None:
        """What a norm does, where it is, and ε."""
        n = self.r["norm"]
        if not n or n["type"] not in ("rmsnorm", "layernorm"):
            return
        self.say("norm.why")
        self.say(f"norm.{n['type']}")
        if n["gain"] is not None:
            self.say("norm.plain" if n["gain"] == "none" else "norm.shift" if n["bias"] else "norm.gain")
        if n["placement"] in ("pre", "post", "output", "sandwich", "parallel", "mixed"):
            self.say(f"norm.{n['placement']}")
        if n["placement"] == "pre" and n["final_norm"]["expected"]:
            self.say("norm.last")
        if n["eps"]["value"] is not None:
            self.say("norm.eps", eps=repr(n["eps"]["value"]))

    def attention(self) -> None:
        """Heads and the cache; or what stands in their place."""
        m, memory, layers = self.r["model"], self.r["memory"], self.r["layers"]
        if not m or m["attention"] is None:
            return
        if m["attention"] == "none":
            self.say("attention.none")
            return
        heads, kv, size = m["num_attention_heads"], m["num_key_value_heads"], m["head_dim"]
        if heads:
            self.say("attention.text", heads=heads)
            if size and m["attention"] != "mla":
                self.say("attention.size", heads=heads, size=size, wide=heads * size)
        if m["attention"] in ("mha", "mqa", "mla"):
            self.say(f"attention.{m['attention']}")
        elif m["attention"] == "gqa" and heads and kv:
            self.say("attention.gqa", each=heads // kv, kv=kv)
        if memory and memory["kv_cache_bytes_per_token"]:
            kept = "attention.cache-latent" if m["attention"] == "mla" else "attention.cache"
            self.say(kept, bytes=memory["kv_cache_bytes_per_token"])
            full, context = memory["kv_cache_bytes_at_context"], m["max_position_embeddings"]
            if full and context:
                self.say("attention.cache-full", context=context, full=human(full, "B"))
        mix = (layers["mix"] if layers else None) or {}
        if len(mix) > 1:
            words = [f"{n} {self.t.text(f'text.draw.kind.{k}')}" for k, n in mix.items() if k in KINDS]
            if len(words) == len(mix):
                self.say("attention.mix", mix=self.t.text("join.list").join(words))

    def ffn(self) -> None:
        """The block, and where its width comes from."""
        f, m = self.r["ffn"], self.r["model"]
        width = f["intermediate_size"]["value"] if f else None
        if not f or not m or not width or not m["hidden_size"] or f["gated"] is None or f["kind"] == "none":
            return
        act = f["activation"] or "?"
        key = f["intermediate_size"]["key"] or "intermediate_size"
        sparse = [g for g in f["layers"] or () if g["kind"] == "moe"]
        only = bool(sparse) and all(g["kind"] != "dense" for g in f["layers"] or ())
        if only:
            # No layer has the config's dense width: what a token meets are experts.
            width, key = sparse[0]["intermediate_size"] or width, self.t.text("tour.ffn.expert")
        self.say("ffn.gated" if f["gated"] else "ffn.plain", hidden=m["hidden_size"], width=width, act=act, key=key)
        chosen = f["derivation"]["chosen"] if f["derivation"] else None
        if only:
            pass
        elif chosen and chosen["name"] == "llama_rule" and chosen["value"] == width:
            self.say("ffn.rule", width=width)
            self.show(f"    {x}" for x in aligned([self.ink.text(s) for s in chosen["steps"]], self.ink.width - 4))
            self.say("ffn.rule-why")
        elif width == 4 * m["hidden_size"]:
            self.say("ffn.four-gated" if f["gated"] else "ffn.four", width=width, hidden=m["hidden_size"])
        elif not f["derivation"] or not f["derivation"]["candidates"]:
            self.say("ffn.choice", width=width, ratio=width / m["hidden_size"])
        if f["params"]["share_of_model"]:
            self.say("ffn.share", share=f["params"]["share_of_model"])
        if f["gated"]:
            self.say("ffn.gate-why")

    def experts(self) -> None:
        """A mixture, where there is one."""
        f, params = self.r["ffn"], self.r["params"]
        moe = [g for g in (f["layers"] if f else None) or () if g["kind"] == "moe"]
        if not moe:
            return
        g = moe[0]
        count = sum(x["last"] - x["first"] + 1 for x in moe)
        experts, k, width = g["experts"], g["experts_per_token"], g["intermediate_size"]
        if experts and k and width:
            self.say("experts.text", layers=count, experts=experts, width=width, k=k)
        if self._lines and params and params["active"] and params["total"]:
            self.say("experts.active", active=params["active"], total=params["total"])

    def head(self) -> None:
        """The last norm and the scores."""
        m, n, params = self.r["model"], self.r["norm"], self.r["params"]
        if not m or not m["vocab_size"] or not m["hidden_size"] or not params:
            return
        kind = m["head"] or "none"
        if kind != "none":
            self.say("head.final" if n and n["final_norm"]["expected"] else "head.nofinal")
        self.say(f"head.{kind}", vocab=m["vocab_size"], hidden=m["hidden_size"])
        memory = self.r["memory"]
        if kind != "none" and memory and memory["kv_cache_bytes_per_token"]:
            self.say("head.next")

    def sum(self) -> None:
        """Bars, and bytes."""
        params = self.r["params"]
        lines = list(bars(self.r, self.ink._replace(width=min(self.ink.width, 80)), self.t))
        if not lines:
            return
        self.say("sum.text")
        self.show(lines)
        if params and params["bytes"]:
            self.say("sum.bytes", bytes=human(params["bytes"], "B"))

    def faults(self) -> None:
        """Loud and silent ones, and this model's."""
        self.say("faults.loud")
        self.say("faults.silent")
        found = self.r["findings"] or []
        self.say("faults.some" if found else "faults.none")
        for f in found[:5]:
            self.show(indented(wrap(f"{f['name']}: {self.ink.name(f['message'])}", 76), "    "))

    def next(self) -> None:
        """Commands to try."""
        name = self.ink.name(self.r["target"]["input"], 100)
        self.say("next.text")
        self.show([
            f"    cfgexplain {name}", f"    cfgexplain {name} --key {self._asked()}", "    cfgexplain key rope_theta",
            "    cfgexplain ./my-model", "    cfgexplain check ./my-model",
        ])  # fmt: skip

    def _asked(self) -> str:
        """A key of this very model to ask for."""
        n, f = self.r["norm"], self.r["ffn"]
        found = (n["eps"]["key"] if n else None) or (f["intermediate_size"]["key"] if f else None) or "hidden_size"
        return self.ink.name(found.rpartition(".")[2], 40)


KINDS: Final = frozenset(
    {"full", "sliding", "chunked", "linear", "ssm", "conv", "recurrent", "hybrid", "cross", "none"}
)


def _json(v: object) -> str:
    import json

    return json.dumps(v, ensure_ascii=False)

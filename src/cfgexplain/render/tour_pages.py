"""The pages of the tour: from a report to plain text, page by page, only what this model has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.render.mixing import attending
from cfgexplain.render.remarks import special
from cfgexplain.render.text_facts import bars
from cfgexplain.render.text_layout import aligned, indented, wrap
from cfgexplain.render.tour_keys import Keys, commands, met, short, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import Report

#: Columns that text is wrapped to, where there are more.
WIDE: Final = 80


class Page(NamedTuple):
    """One page: its title in the catalogue, and its lines."""

    title: str
    lines: list[str]


class Guide:
    """Writes pages of one report in one language."""

    __slots__ = ("_lines", "ink", "keys", "r", "t")

    def __init__(self, r: Report, config: Mapping[str, object], ink: Ink, t: Catalogue) -> None:
        self.r = r
        self.keys = Keys(config, r["model"]["text_config_path"] if r["model"] else None, ink)
        self.ink = ink
        self.t = t
        self._lines: list[str] = []

    def say(self, *names: str, **values: object) -> None:
        """Adds a paragraph: one text, or several that follow each other."""
        safe = {k: self.ink.name(v, 100) if isinstance(v, str) else v for k, v in values.items()}
        if self._lines:
            self._lines.append("")
        text = self.t.text("join.sentence").join(self.t.text(f"tour.{name}").format(**safe) for name in names)
        self._lines.extend(wrap(self.ink.text(text), min(self.ink.width, WIDE)))

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
        """Every page that this model has something for. The first is written last: it lists the keys of the others."""
        told: list[Page] = []
        for title, write in (
            ("tokens", self.tokens), ("layers", self.layers), ("norm", self.norm), ("attention", self.attention),
            ("ffn", self.ffn), ("experts", self.experts), ("head", self.head), ("sum", self.sum),
            ("faults", self.faults), ("next", self.next),
        ):  # fmt: skip
            write()
            told.extend(self.page(title))
        self.start()
        yield from self.page("start")
        yield from told

    def start(self) -> None:
        """What is on disk, and the config's own words."""
        params = self.r["params"]
        self.say("start.hello", name=self.r["target"]["input"])
        self.say("start.files")
        if params and params["total"]:
            self.say("start.tensors", params=params["total"])
        found = self.keys.told()
        if not found:
            if not self.keys.config:
                self.say("start.none")
            return
        self.say("start.config")
        room = max(len(k) for k, _ in found)
        self.show(f"    {k:{room}}  {v}" for k, v in found)
        self.say("start.promise")

    def tokens(self) -> None:
        """The embedding."""
        m = self.r["model"]
        if m and m["vocab_size"] and m["hidden_size"]:
            vocab, hidden = m["vocab_size"], m["hidden_size"]
            self.say(
                "tokens.text", vocab=vocab, hidden=hidden,
                vocab_key=self.keys.name("vocab_size"), hidden_key=self.keys.name("hidden_size"),
            )
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
            self.say("layers.plain", layers=m["num_layers"], key=self.keys.name("num_hidden_layers"))
            return
        params = self.r["params"]
        crossed = "cross-attention" in ((params["by_role"] if params else None) or {})
        self.say(
            "layers.crossed" if crossed else "layers.text",
            layers=m["num_layers"], key=self.keys.name("num_hidden_layers"),
        )
        self.show(Drawing(self.r, self.ink, self.t).whole(found))
        self.say("layers.plus")
        wide, width = m["hidden_size"], met(self.r)[0]
        if wide and width:
            self.say("layers.table", a=wide, b=width)

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
            last = n["placement"] == "pre" and n["final_norm"]["expected"]
            self.say(f"norm.{n['placement']}", *(("norm.last",) if last else ()))
        eps, key = n["eps"]["value"], n["eps"]["key"]
        if eps is not None and n["eps"]["source"] == "hardcoded":
            self.say("norm.eps-code", eps=repr(eps))
        elif eps is not None:
            self.say("norm.eps", eps=repr(eps), key=self.keys.path(key) if key else "ε")

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
            self.say("attention.text", heads=heads, key=self.keys.name("num_attention_heads"))
            if size and m["attention"] != "mla":
                self.say(
                    "attention.size", heads=heads, size=size, wide=heads * size, key=self.keys.name("head_dim")
                )
        if m["attention"] in ("mha", "mqa", "mla"):
            self.say(f"attention.{m['attention']}")
        elif m["attention"] == "gqa" and heads and kv:
            self.say("attention.gqa", each=heads // kv, kv=kv, key=self.keys.name("num_key_value_heads"))
        self._positions()
        if memory and memory["kv_cache_bytes_per_token"]:
            kept = "attention.cache-latent" if m["attention"] == "mla" else "attention.cache"
            self.say(kept, bytes=memory["kv_cache_bytes_per_token"])
            full, context = memory["kv_cache_bytes_at_context"], m["max_position_embeddings"]
            if full and context:
                key = self.keys.name("max_position_embeddings")
                self.say("attention.cache-full", context=context, full=short(full), key=key)
        mix = (layers["mix"] if layers else None) or {}
        if len(mix) > 1:
            one = self.t.text("tour.attention.layers")
            from cfgexplain.render.text_diagram import KINDS

            words = [one.format(count=n, kind=self.t.text(f"text.draw.kind.{k}")) for k, n in mix.items() if k in KINDS]
            if len(words) == len(mix):
                self.say("attention.mix", mix=self.t.text("join.list").join(words))

    def _positions(self) -> None:
        """How attention comes to know where a token stands; nothing where that is not known."""
        p = self.r["model"]["positions"] if self.r["model"] else None
        if p is None or p["kind"] not in ("rope", "learned", "sinusoidal", "alibi", "relative", "none"):
            return
        total = attending(self.r)
        if p["kind"] == "rope" and p["layers"] is not None and p["layers"] < total:
            self.say("attention.where", "attention.where.rope-some", count=p["layers"])
        else:
            self.say("attention.where", f"attention.where.{p['kind']}")
        if p["kind"] == "rope" and p["theta"] is not None:
            self.say("attention.where.theta", theta=f"{p['theta']:,.10g}", key=self.keys.name("rope_theta"))

    def _act(self, name: str | None) -> str:
        """The function inside the block, with its key where the config has one."""
        key = self.keys.name("hidden_act", "")
        if name and key:
            return self.t.text("tour.ffn.act").format(act=self.ink.name(name, 60), key=key)
        return name or self.t.text("tour.ffn.unknown")

    def ffn(self) -> None:
        """The block, and where its width comes from."""
        f, m = self.r["ffn"], self.r["model"]
        width, named = met(self.r)
        if not f or not m or not width or not m["hidden_size"]:
            return
        stated = f["intermediate_size"]["key"]
        key = self.keys.name(named) if named else self.keys.path(stated) if stated else "intermediate_size"
        sparse = [g for g in f["layers"] or () if g["kind"] == "moe"]
        only = bool(sparse) and all(g["kind"] != "dense" for g in f["layers"] or ())
        if only:
            key = self.t.text("tour.ffn.expert").format(key=key)
        odd = special(self.r)
        self.say(
            "ffn.special" if odd else "ffn.gated" if f["gated"] else "ffn.plain",
            hidden=(sparse[0]["input_size"] if only else None) or m["hidden_size"], width=width, key=key,
            act=odd or self._act(f["activation"]),
        )
        counted = f["intermediate_size"]["value"]
        if not only and counted and counted != width and stated:
            self.say("ffn.both", key=key, value=counted)
        chosen = f["derivation"]["chosen"] if f["derivation"] else None
        if only:
            pass
        elif chosen and chosen["name"] == "llama_rule" and chosen["value"] == width:
            self.say("ffn.rule-exact" if 3 * width == 8 * m["hidden_size"] else "ffn.rule", width=width)
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
        total = sum(x["last"] - x["first"] + 1 for x in (f["layers"] if f else None) or ())
        experts, k, width = g["experts"], g["experts_per_token"], g["intermediate_size"]
        if experts and k and width:
            where = "experts.all" if count == total else "experts.some"
            self.say(where, layers=count, all=total, experts=experts, width=width, key=self.keys.name("num_experts"))
            self.say(
                "experts.text", *(("experts.shared",) if g["shared_experts"] else ()),
                k=k, key=self.keys.name("num_experts_per_tok"),
            )
        if self._lines and params and params["active"] and params["total"]:
            self.say("experts.active", active=params["active"], total=params["total"])

    def head(self) -> None:
        """The last norm and the scores."""
        m, n, params = self.r["model"], self.r["norm"], self.r["params"]
        if not m or not m["vocab_size"] or not m["hidden_size"] or not params:
            return
        kind, task = m["head"] or "none", m["task_head"]
        if task:
            self.say("head.task", name=self.ink.name(task["name"]))
            return
        after = "head.final" if n and n["final_norm"]["expected"] else "head.nofinal"
        self.say(
            *((after, f"head.{kind}") if kind != "none" else ("head.none",)),
            vocab=m["vocab_size"], hidden=m["hidden_size"],
            key=self.keys.name("tie_word_embeddings") if kind != "none" else "",
        )
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
        found = stored(params) if params else None
        if found:
            self.say(found[0], **found[1])

    def faults(self) -> None:
        """Loud and silent ones, and this model's."""
        self.say("faults.loud")
        self.say("faults.silent")
        found = self.r["findings"] or []
        self.say("faults.some" if found else "faults.none")
        for f in found[:5]:
            text = f"{f['name']}: {self.ink.name(f['message'])}"
            self.show(indented(wrap(text, min(self.ink.width, WIDE) - 4), "    "))

    def next(self) -> None:
        """Commands to try."""
        name = self.ink.name(self.r["target"]["input"], 100)
        self.say("next.text")
        self.show(commands(name, self._asked(), self.ink, self.t))

    def _asked(self) -> str:
        """A key of this very model to ask for."""
        n, f = self.r["norm"], self.r["ffn"]
        found = (n["eps"]["key"] if n else None) or (f["intermediate_size"]["key"] if f else None) or "hidden_size"
        return self.ink.name(found.rpartition(".")[2], 40)


"""The feed-forward width: where it comes from, what it costs.

Vaswani et al. 2017 (1706.03762), Shazeer 2020 (2002.05202), Touvron et al. 2023 (2302.13971).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer, closure
from cfgexplain.explain.fit import fit
from cfgexplain.facts.derivation import derive, fraction
from cfgexplain.facts.ffn_layers import is_bias
from cfgexplain.facts.widths import other_convention, rounding_cost
from cfgexplain.families.schema import E
from cfgexplain.remarked import has
from cfgexplain.subject import FFN_ROLES

if TYPE_CHECKING:
    from cfgexplain.config import Value
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR
    from cfgexplain.report_ffn import DerivationR, FfnR, RuleR

#: Candidates that one sentence names; the report's JSON has all of them.
MOST: Final = 8
PUBLISHED: Final = "params.json of "


def intermediate_size(c: Scope) -> ExplanationR | None:
    """The width of the feed-forward block, in steps, or that no rule fits."""
    ffn, model = c.report["ffn"], c.report["model"]
    if ffn is None or model is None or not ffn["intermediate_size"]["value"] or ffn["kind"] == "none":
        return None
    size = ffn["intermediate_size"]
    value, key = size["value"] or 0, size["key"]
    width = value // c.subject.main.family.ffn_of_config
    w = Writer(c, "width")
    named = None if key else named_width(c, value)
    if named:
        key = c.subject.main.dotted(named.key)
    origin = named.origin if named else _origin(c)
    w.say(f"source.{origin}", key=key or "", value=value, family=c.subject.main.family.id)
    beside = has(c.report, "dense-beside-experts")
    if not (c.subject.known and _unused(c, w, width)):
        if width != value:
            w.say("doubled", value=value, width=width, family=c.subject.main.family.id)
        if size["from_tensors"] is not None and size["from_tensors"] != width:
            w.say("differs", width=size["from_tensors"])
        if model["hidden_size"] and (beside or not _experts_alone(c)):
            _derivation(w, ffn, model["hidden_size"], width)
        elif model["hidden_size"]:
            # Rules for the width of a dense block, and comparisons with one, mean nothing for a single expert.
            w.say("ratio.expert", ratio=width / model["hidden_size"], width=width, d=model["hidden_size"])
        w.paragraph()
        fit(c, w, width, model["hidden_size"], _down(c, width) or ffn["names"]["down"])
    return w.done(
        key or "ffn.intermediate_size", value, size["source"] or "derived", key=key or w.words("nameless"), value=value
    )


def _experts_alone(c: Scope) -> bool:
    """Whether the width is an expert's and no dense block's; the config's words decide where no block is known."""
    roles = {p.role for p in c.subject.pieces if p.main and p.role in FFN_ROLES}
    m = c.subject.main
    return "ffn" not in roles if roles else bool(m.int("experts")) and not m.int("moe_ffn")


def named_width(c: Scope, value: int) -> Value | None:
    """Of the keys that a width without a key of its own is chosen from, the one that says it (Granite's hybrids)."""
    m = c.subject.main
    rule = m.family.keys["ffn"].default if "ffn" in m.family.keys else None
    if not isinstance(rule, E):
        return None
    found = (m.value(n) for n in m.family.keys if "ffn" in n and n in closure(m.family, rule))
    return next((v for v in found if v is not None and v.key and v.value == value), None)


def _down(c: Scope, width: int) -> str | None:
    """The matrix that leads down from a block of this width, by its module within the layer."""
    found = (
        p for role in FFN_ROLES for p in c.subject.pieces
        if p.main and p.role == role and p.part == "down" and p.width == width and not is_bias(p.tensor)
    )  # fmt: skip
    one = next(found, None)
    if one is None:
        return None
    name = one.tensor[len(one.stack) :].partition(".")[2] if one.stack else one.tensor
    return name.removesuffix(".weight").replace("{e}", "0")


def _origin(c: Scope) -> str:
    """config, default, derived, or tensors where no key states a width."""
    found = c.subject.main.value("ffn") if "ffn" in c.subject.main.family.keys else None
    if found is None:
        return "tensors"
    return found.origin if found.key else "derived-nameless"


def _unused(c: Scope, w: Writer, width: int) -> bool:
    """Says which layers the width is for; True where it is for none."""
    pieces = [p for p in c.subject.pieces if p.main and p.role in FFN_ROLES]
    if not pieces or any(p.role == "ffn" for p in pieces):
        return False
    seen = {p.width for p in pieces if p.width is not None}
    if not seen:
        return False
    if width not in seen:
        w.say("unused", widths=w.listed(f"{n:,}" for n in sorted(seen)))
        return True
    if has(c.report, "dense-beside-experts") and any(p.role == "shared-experts" and p.width == width for p in pieces):
        w.say("beside")
    else:
        w.say("per-expert" if any(p.role == "experts" and p.width == width for p in pieces) else "shared")
    return False


def _derivation(w: Writer, ffn: FfnR, d: int, width: int) -> None:
    found: DerivationR | None = ffn["derivation"]
    if found is None or found["llama_rule"] is None:
        return
    chosen, llama = found["chosen"], found["llama_rule"]
    w.paragraph()
    if chosen is not None:
        for step in chosen["steps"]:
            w.formula(step)
        word = "llama" if chosen["name"] == "llama_rule" else "four" if chosen["name"] == "4·d" else "recipe"
        word = f"{word}.exact" if word == "llama" and 3 * width == 8 * d else word
        w.say(
            f"rule.{word}",
            d=d,
            width=width,
            exact=llama["exact"],
            multiple=llama["multiple_of"],
            name=chosen["name"],
            reference=chosen["reference"],
            value=chosen["value"],
        )
        if not chosen["matches"]:
            w.say("rule.stated-differs", value=chosen["value"], width=width)
        w.refer("vaswani2017" if word == "four" else "touvron2023")
    else:
        _no_choice(w, ffn, found, d, width)
    if chosen is not None and chosen["name"] == "llama_rule":
        others = [r for r in found["candidates"] if r["multiplier"] is not None and r["name"] != "llama_rule"]
        usual = llama["multiple_of"]
        if len(others) == 1 and others[0]["multiplier"] == 1:
            w.say("candidates.also-one", multiple=others[0]["multiple_of"], usual=usual, width=width)
        elif others:
            w.say("candidates.also", names=w.listed(_pair(r) for r in others[:MOST]), usual=usual, width=width)
    _cost(w, ffn, d, width, llama["matches"])


def _no_choice(w: Writer, ffn: FfnR, found: DerivationR, d: int, width: int) -> None:
    """The Llama rule's own result, and whatever else reaches the width."""
    llama = found["llama_rule"]
    if llama is None:
        return
    if ffn["gated"] is not False:
        rule = derive(d, llama["value"], True)["chosen"]
        if rule:
            # Steps of a rule that is not this model's come under its name, or they read as its own.
            w.formula(w.words("rule.label"))
        for step in rule["steps"] if rule else ():
            w.formula(step)
        w.say("rule.not-llama", value=llama["value"], width=width, exact=llama["exact"], multiple=llama["multiple_of"])
        w.refer("touvron2023")
    ratio = fraction(width, d)
    # Meta's rule cuts the width for a third matrix; it says nothing of a block of two.
    meta = [r for r in found["candidates"] if r["multiplier"] is not None and ffn["gated"] is not False]
    simple = next((r for r in found["candidates"] if r["multiplier"] is None), None)
    if simple is not None:
        w.say("ratio.four-gated" if ratio == "4" and ffn["gated"] else "ratio.simple", ratio=ratio, width=width, d=d)
    if meta:
        w.say("candidates.some" if len(meta) > 1 else "candidates.one", count=len(meta), width=width,
              names=w.listed(_pair(r) for r in meta[:MOST]))
        if len(meta) > MOST:
            w.say("candidates.more", count=len(meta) - MOST)
        for r in meta:
            if PUBLISHED in r["reference"]:
                w.say(
                    "candidates.published",
                    multiplier=r["multiplier"],
                    multiple=r["multiple_of"],
                    model=r["reference"].partition(PUBLISHED)[2],
                )
    if not meta and simple is None:
        w.say("rule.none", width=width, d=d, ratio=width / d, four=4 * d)
        if ffn["gated"] is True and (other := other_convention(d, width)):
            w.say("rule.convention", width=width, ratio=fraction(*other), plain=llama["value"])


def _pair(rule: RuleR) -> str:
    return f"({rule['multiplier']:g}, {rule['multiple_of']})"


def _cost(w: Writer, ffn: FfnR, d: int, width: int, matches: bool) -> None:
    if not ffn["gated"]:
        return
    cost = rounding_cost(d, width)
    values: dict[str, object] = {
        "gated": cost.gated,
        "plain": cost.plain,
        "extra": abs(cost.extra),
        "share": abs(cost.share),
        "d": d,
        "width": width,
    }
    w.paragraph()
    w.say("why-three")
    if cost.extra == 0:
        w.say("cost.equal", **values)
    elif matches:
        w.say("cost.rounding", **values)
    else:
        w.say("cost.more" if cost.extra > 0 else "cost.less", **values)
    w.say("shazeer")
    w.refer("shazeer2020")

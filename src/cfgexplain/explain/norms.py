"""The norms: what they compute, where they stand, and the one after the last layer.

Xiong et al. 2020 (2002.04745) for pre- and post-norm; OLMo 2 (2501.00656), Gemma 2 (2408.00118).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer
from cfgexplain.facts.norm_sites import mixer_gains
from cfgexplain.remarked import has

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR, ModelR

PLACEMENT_REFERENCES: Final = {
    "pre": ("xiong2020",),
    "post": ("vaswani2017", "xiong2020"),
    "output": ("olmo2",),
    "sandwich": ("gemma2", "ding2021"),
    "parallel": ("gptj", "palm"),
}


def kind(c: Scope) -> ExplanationR | None:
    """RMSNorm or LayerNorm, its gain, its bias, norms inside attention."""
    norm = c.report["norm"]
    if norm is None or norm["type"] not in ("rmsnorm", "layernorm"):
        return None
    w = Writer(c, "norm-type")
    w.say(norm["type"])
    if norm["gain"]:
        w.say(f"gain.{norm['gain']}")
        plain = mixer_gains(c.subject) if norm["gain"] == "1+w" and c.subject.known else []
        if plain:
            w.say("gain.mixers", norms=w.listed(plain))
    if norm["bias"] is not None and norm["gain"] != "none":
        w.say(f"bias.{norm['type']}.{'yes' if norm['bias'] else 'no'}")
    inner = [n for n in norm["sites"] or [] if n["role"] == "attention-norm"]
    found: dict[str, list[str]] = {}
    if norm["qk_norm"] and inner:
        model = c.report["model"]
        words = {n["tensor"]: _inner(n["tensor"], model) for n in inner}
        # A norm on queries alone stands on what they are made from, or meets keys of another model.
        both = any(word == "named" and _last(tensor).startswith("k") for tensor, word in words.items())
        for n in inner:
            word = "inner" if words[n["tensor"]] == "named" and not both else words[n["tensor"]]
            found.setdefault(word, []).append(f"{n['tensor']} [{n['size']}]")
        for word, norms in found.items():
            w.say(f"qk.{word}", norms=w.listed(norms))
    elif norm["qk_norm"]:
        w.say("qk.unnamed")
    on_both = norm["qk_norm"] and (not inner or "named" in found)
    w.refer("zhang2019" if norm["type"] == "rmsnorm" else "ba2016", *(("henry2020",) if on_both else ()))
    return w.done("norm.type", norm["type"], "derived", name=w.words(f"name.{norm['type']}"))


def _inner(tensor: str, model: ModelR | None) -> str:
    """What a norm inside attention stands on: queries and keys, a latent, an indexer's vectors, or something else."""
    if "index" in tensor:
        return "indexer"
    last = _last(tensor)
    if (model is not None and model["attention"] == "mla") or any(x in last for x in ("q_a", "kv_a", "latent")):
        return "latent"
    return "named" if last.startswith(("q", "k")) or "norms" in tensor else "inner"


def _last(tensor: str) -> str:
    """The norm's own name: ``q_norm``; of a list of norms, the list's."""
    return module(tensor).partition(".norms.")[0].rpartition(".")[2]


def placement(c: Scope) -> ExplanationR | None:
    """Where the norms stand on the way through a layer; where only their names say so, the fact has to do."""
    norm = c.report["norm"]
    if norm is None or not c.subject.known or not norm["placement"] or norm["placement"] == "none":
        return None
    place = norm["placement"]
    w = Writer(c, "placement")
    normed = has(c.report, "residual-normed")
    if normed:
        w.say("normed")
        w.formula("x ← norm(x);  x ← α · x + β · f(x)" if has(c.report, "residual-alphas") else NORMED)
    else:
        w.say(place)
        if place in FLOWS:
            w.formula(_flow(c, place))
    names = list(dict.fromkeys(module(n["tensor"]) for n in norm["sites"] or [] if n["role"] == "block-norm"))
    if names:
        w.say("names", norms=w.listed(names), family=c.subject.main.family.id)
    if not normed:
        w.refer(*PLACEMENT_REFERENCES.get(place, ()))
    return w.done("norm.placement", place, "derived", name=w.words(f"name.{place}"))


#: One sub-layer's way: x the stream, f attention or FFN.
FLOWS: Final = {
    "pre": "x ← x + f(norm(x))",
    "post": "x ← norm(x + f(x))",
    "output": "x ← x + norm(f(x))",
    "sandwich": "x ← x + norm(f(norm(x)))",
    "parallel": "x ← x + attention(norm(x)) + ffn(norm(x))",
}


NORMED: Final = "x ← norm(x);  x ← x + f(x)"
#: Remarks on what a sub-layer adds → the sign that stands for the factor.
FACTORS: Final = {"residual-times": "{value}", "residual-depth": "({value} / √layers)"}


def _flow(c: Scope, place: str) -> str:
    """The way through a sub-layer, with the factor that the config puts on what is added."""
    model = c.report["model"]
    for r in (model["remarks"] if model else None) or ():
        if r["name"] in FACTORS and place in ("pre", "output", "sandwich"):
            return FLOWS[place].replace("x + ", "x + " + FACTORS[r["name"]].format(value=r["value"]) + " · ", 1)
    return FLOWS[place]


def final_norm(c: Scope) -> ExplanationR | None:
    """The norm between the last layer and the head."""
    norm = c.report["norm"]
    if norm is None or norm["final_norm"]["expected"] is None:
        return None
    last = norm["final_norm"]
    w = Writer(c, "final-norm")
    if not last["expected"]:
        w.say("none.post" if norm["placement"] == "post" else "none")
    else:
        tensor = last["tensor"]
        state = {True: "present", False: "absent", None: "unseen"}[last["present"]] if tensor else "parameterless"
        w.say(state, tensor=tensor or "")
        if norm["placement"] in ("pre", "parallel"):
            w.say("why.pre")
            w.refer("xiong2020")
        elif norm["placement"] in ("output", "sandwich"):
            w.say("why.output")
        w.say("without")
    return w.done("norm.final_norm", last["tensor"], "derived")


def module(pattern: str) -> str:
    """A norm's name within its layer: ``model.layers.{0-31}.input_layernorm.weight`` → ``input_layernorm``."""
    _, mark, rest = pattern.partition("}.")
    if not mark:
        parts = pattern.split(".")
        at = next((k for k, part in enumerate(parts) if part.isdecimal()), -1)
        rest = ".".join(parts[at + 1:])
    return rest.removesuffix(".weight")

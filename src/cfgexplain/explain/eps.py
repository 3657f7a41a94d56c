"""ε, the number beside the mean of squares.

Zhang & Sennrich 2019 (1910.07467), eq. 4 with ε as in the reference code; Ba et al. 2016 (1607.06450).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer, number
from cfgexplain.facts.norm_sites import mixer_gains
from cfgexplain.facts.numerics import F16_SQUARE_LIMIT, FORMATS, eps_facts, short

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.facts.numerics import Rounded
    from cfgexplain.report import ExplanationR, NormR, NormSiteR

#: Lineage → (context length, vocabulary, published ε, sentence): a config of that shape points to a release whose ε
#: is known. Source: Meta's params.json of Llama 1 (1e-06, 2048 tokens) and Llama 2 (1e-05, 4096 tokens).
POINTERS: Final = {"llama": ((4096, 32000, 1e-05, "pointer.llama2"),)}
#: ε of the norms on multi-head latent attention's latents, fixed in the reference code whatever the config says.
LATENT_EPS: Final = 1e-06
LATENT_NORMS: Final = ("q_a_layernorm", "kv_a_layernorm")


def epsilon(c: Scope) -> ExplanationR | None:
    """ε of the block norms; None where it is not known, or the norm is of a kind without one."""
    norm = c.report["norm"]
    if norm is None or norm["eps"]["value"] is None:
        return None
    eps, key = norm["eps"]["value"], norm["eps"]["key"]
    if not (math.isfinite(eps) and eps > 0):
        return None
    w = Writer(c, "eps")
    source = norm["eps"]["source"] or "default"
    w.say(f"source.{source}", value=number(eps), key=key or "", family=c.subject.main.family.id)
    if norm["type"] == "rmsnorm" and source == "config" and key and key.rpartition(".")[2] != "rms_norm_eps":
        w.say("other-key", key=key.rpartition(".")[2])
    _sites(c, w, norm["sites"] or [], eps)
    _meaning(c, w, norm, eps)
    _numbers(c, w, norm, eps)
    w.paragraph()
    w.say("fixed")
    if c.subject.main.family.eps_used:
        w.say(f"used.{c.subject.main.family.eps_used}")
    _pointers(c, w, eps)
    return w.done(
        key or "norm.eps", eps, "default" if source == "hardcoded" else source, key=key or w.words("nameless"),
        value=number(eps),
    )


def _sites(c: Scope, w: Writer, sites: list[NormSiteR], eps: float) -> None:
    """Which norms it is for, and those that have another ε."""
    blocks = sum(n["count"] for n in sites if n["role"] == "block-norm")
    last = sum(n["count"] for n in sites if n["role"] == "final-norm")
    layers = c.report["model"]["num_layers"] if c.report["model"] else None
    if (
        c.subject.known
        and blocks
        and layers
        and blocks % layers == 0
        and len({s["size"] for s in sites if s["role"] == "block-norm"}) == 1
        # Two stacks, or layers between those that are counted, may have other numbers of norms.
        and len({p.stack for p in c.subject.pieces if p.main and p.role == "block-norm"}) == 1
    ):
        key = "sites.layers" if last else "sites.layers.only"
        w.say(key, each=blocks // layers, layers=layers, last=last, total=blocks + last)
    elif blocks:
        w.say("sites.total" if last else "sites.total.only", blocks=blocks, last=last, total=blocks + last)
    others = sorted({n["role"] for n in sites} & {"attention-norm", "other-norm"})
    if (others or mixer_gains(c.subject)) and blocks:
        w.say("sites.others")
    latent = [n for n in sites if n["role"] == "attention-norm" and any(x in n["tensor"] for x in LATENT_NORMS)]
    if latent and eps != LATENT_EPS:
        w.say("latent", norms=w.listed(f"{n['tensor']} [{n['size']}]" for n in latent), value=number(LATENT_EPS))


def _meaning(c: Scope, w: Writer, norm: NormR, eps: float) -> None:
    """The formula with this model's width, and √ε in units of x."""
    hidden = c.report["model"]["hidden_size"] if c.report["model"] else None
    d = str(hidden) if hidden else "d"
    gain = {"w": " · w_i", "1+w": " · (1 + w_i)"}.get(norm["gain"] or "", "")
    shift = " + b_i" if norm["bias"] and gain else ""
    root = short(math.sqrt(eps))
    if norm["type"] == "rmsnorm":
        w.formula(f"y_i = x_i / sqrt((x_1² + … + x_{d}²) / {d} + {number(eps)}){gain}{shift}")
    elif norm["type"] == "layernorm":
        w.formula(f"y_i = (x_i − μ) / sqrt(σ² + {number(eps)}){gain}{shift}")
        w.formula(f"μ = (x_1 + … + x_{d}) / {d},  σ² = ((x_1 − μ)² + … + (x_{d} − μ)²) / {d}")
    else:
        w.paragraph()
        w.say("type-unknown", root=root)
        return
    w.formula(f"sqrt({number(eps)}) = {root}")
    w.paragraph()
    w.say(f"inside.{norm['type']}", root=root)
    w.say(f"half.{norm['type']}", root=root)
    if norm["type"] == "rmsnorm":
        w.say("zeros.bias" if norm["bias"] else "zeros")
    else:
        w.say("equal.bias" if norm["bias"] else "equal")
    if norm["gain"] == "1+w":
        w.say("one-plus")
    if norm["type"] == "rmsnorm":
        w.say("against-layernorm")
        w.refer("zhang2019", "ba2016")
    else:
        w.refer("ba2016")


def _numbers(c: Scope, w: Writer, norm: NormR, eps: float) -> None:
    """ε in the checkpoint's own dtype, where that has fewer bits than the float32 that norms run in."""
    dtype = stored_dtype(c)
    facts = eps_facts(eps)
    if dtype == "F16":
        w.paragraph()
        w.say(
            f"f16.{_word(facts.f16)}",
            value=number(eps),
            rounded=f"{facts.f16.value:.4e}",
            normal=short(FORMATS["F16"].smallest_normal),
            least=short(FORMATS["F16"].smallest_subnormal),
        )
        w.say("f16.square", limit=short(F16_SQUARE_LIMIT))
    elif dtype == "BF16":
        w.paragraph()
        w.say(f"bf16.{_word(facts.bf16)}", value=number(eps), rounded=f"{facts.bf16.value:.4e}")
        w.say("bf16.square", limit=short(F16_SQUARE_LIMIT))
    if dtype in ("F16", "BF16") and norm["type"] == "rmsnorm":
        w.say("upcast")


def _word(r: Rounded) -> str:
    return "zero" if r.zero else "subnormal" if r.subnormal else "normal"


def stored_dtype(c: Scope) -> str | None:
    """F16, BF16 or F32: what most of the floating-point elements are stored as, else what the config declares."""
    params, model = c.report["params"], c.report["model"]
    by_dtype = (params["by_dtype"] if params else None) or {}
    floats = {d: n for d, n in by_dtype.items() if d in ("F16", "BF16", "F32") and n}
    if floats:
        return max(floats, key=lambda d: floats[d])
    declared = ((model["dtype"] if model else None) or "").removeprefix("torch.")
    return (
        {"float16": "F16", "half": "F16", "bfloat16": "BF16", "float32": "F32"}.get(declared) if not by_dtype else None
    )


def _pointers(c: Scope, w: Writer, eps: float) -> None:
    model = c.report["model"]
    for context, vocab, published, key in POINTERS.get(c.subject.main.family.eps_used, ()):
        if model and model["max_position_embeddings"] == context and model["vocab_size"] == vocab and eps != published:
            w.say(key, context=context, value=number(eps), published=number(published))

"""Experts: how many there are, how wide each is, how many a token visits (Shazeer et al. 2017, 1701.06538)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.explain.base import Writer
from cfgexplain.explain.fit import fit
from cfgexplain.explain.width import named_width

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR


def idle_experts(c: Scope) -> int:
    """Experts that the router can pick and that hand their input on unchanged: they have no tensors."""
    return c.subject.main.int("zero_experts") or 0


def expert_width(c: Scope) -> ExplanationR | None:
    """The width of one expert against what a token goes through; None without a mixture of experts."""
    ffn, model = c.report["ffn"], c.report["model"]
    if ffn is None or model is None or not ffn["layers"]:
        return None
    moe = [g for g in ffn["layers"] if g["kind"] == "moe"]
    widths = {g["intermediate_size"] for g in moe}
    if not moe or len(widths) != 1:
        return None
    first = moe[0]
    width, experts, k = first["intermediate_size"], first["experts"], first["experts_per_token"]
    if not width or not experts:
        return None
    w = Writer(c, "experts")
    count = sum(g["last"] - g["first"] + 1 for g in moe)
    total = sum(g["last"] - g["first"] + 1 for g in ffn["layers"])
    w.say("all" if count == total else "some", experts=experts, width=width, layers=count, all=total)
    dense = {g["intermediate_size"] for g in ffn["layers"] if g["kind"] == "dense"} - {None}
    if dense:
        w.say("dense", widths=w.listed(f"{n:,}" for n in sorted(n for n in dense if n)))
    shared = {p.width for p in c.subject.pieces if p.main and p.role == "shared-experts" and p.width}
    extra = next(iter(shared)) if len(shared) == 1 else 0
    if extra:
        w.say("shared", count=first["shared_experts"], width=extra)
    if k:
        idle = idle_experts(c)
        word = "visited.idle" if idle else "visited.shared" if extra else "visited"
        w.say(word, k=k, experts=experts + idle, idle=idle, active=k * width + extra)
        w.formula(f"{k} × {width} + {extra} = {k * width + extra}" if extra else f"{k} × {width} = {k * width}")
    else:
        w.say("visited-unknown")
    if ffn["params"]["router"]:
        w.say("router", params=ffn["params"]["router"])
    w.refer("shazeer2017")
    value = c.subject.main.value("moe_ffn") if "moe_ffn" in c.subject.main.family.keys else None
    key = value.key if value and value.key and value.value == width else None
    path = c.subject.main.path
    named = named_width(c, width)
    if key is None or key not in ((ffn["intermediate_size"]["key"] or "").rpartition(".")[2], named and named.key):
        w.paragraph()
        fit(c, w, width, None, None)
    return w.done(
        (f"{path}.{key}" if path and key else key) or "ffn.layers", width, value.origin if value and key else "derived",
        key=key or w.words("nameless"), value=width,
    )

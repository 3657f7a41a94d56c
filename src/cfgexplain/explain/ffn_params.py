"""How many parameters the feed-forward blocks have, matrix by matrix, and which matrix is which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR
    from cfgexplain.report_ffn import FfnLayersR, FfnNamesR, FfnR
    from cfgexplain.subject import Piece

#: Layers of different make-up that the formula spells out.
MOST: Final = 4
PART_ORDER: Final = ("gate", "up", "gate_up", "down")
ROLE_ORDER: Final = ("ffn", "experts", "shared-experts")


def parameters(c: Scope) -> ExplanationR | None:
    """Per matrix, per layer, in all, and as a share of the model."""
    ffn, params = c.report["ffn"], c.report["params"]
    if ffn is None or params is None or not ffn["params"]["total"]:
        return None
    counts = ffn["params"]
    total = counts["total"] or 0
    w = Writer(c, "ffn-params")
    _lines(c, w, ffn)
    if params["total"] and counts["share_of_model"] is not None:
        w.say("total", total=total, share=counts["share_of_model"], model=params["total"])
        w.formula(f"{total:,} / {params['total']:,} = {counts['share_of_model']:.4f}")
    else:
        w.say("total-alone", total=total)
    if counts["active"] is not None and counts["active"] != total:
        w.say("active", active=counts["active"], share=counts["active"] / total)
    _agreement(w, counts["from_config"], counts["from_tensors"])
    _names(c, w, ffn)
    return w.done("ffn.params.total", total, "derived", total=total)


def _agreement(w: Writer, config: int | None, tensors: int | None) -> None:
    if config is not None and tensors is not None:
        w.say(
            "agree" if config == tensors else "differ", config=config, tensors=tensors, difference=abs(config - tensors)
        )
    elif tensors is not None:
        w.say("tensors-only")
    elif config is not None:
        w.say("config-only")


def _names(c: Scope, w: Writer, ffn: FfnR) -> None:
    """Which name is the gate, and what no header shows."""
    names: FfnNamesR = ffn["names"]
    gate, up, down = names["gate"], names["up"], names["down"]
    if not (ffn["gated"] and gate and up and down):
        return
    act = ffn["activation"] or w.words("activation")
    w.paragraph()
    usual = ffn["formula"] in (None, f"{ffn['activation']}(gate) × up")
    if usual:
        w.refer("shazeer2020")
    else:
        w.formula(f"y = down({ffn['formula']})")
        w.say("special", down=down, gate=gate, up=up, family=c.subject.main.family.id)
    if gate == up:
        w.say("fused" if usual else "fused-plain", both=gate, down=down, act=act)
        if c.subject.known:
            w.say(
                "interleaved" if c.subject.main.family.interleaved else "concatenated", family=c.subject.main.family.id
            )
        w.say("layout-unseen")
        return
    if usual:
        w.say("names", gate=gate, up=up, down=down, act=act)
    leaves = {n.rpartition(".")[2] for n in (gate, up, down)}
    if leaves & {"w1", "w2", "w3"}:
        w.say("numbered")
    w.say("swap-unseen")


def _lines(c: Scope, w: Writer, ffn: FfnR) -> None:
    """A line for each kind of block: layers × experts × (matrix + matrix + …)."""
    groups: dict[tuple[object, ...], tuple[FfnLayersR, int]] = {}
    for g in ffn["layers"] or ():
        if g["kind"] != "none" and g["params"] is not None:
            key = (g["kind"], g["intermediate_size"], g["experts"], g["params"])
            first, count = groups.get(key, (g, 0))
            groups[key] = (first, count + g["last"] - g["first"] + 1)
    if not 0 < len(groups) <= MOST:
        return
    stacks = {p.stack for p in c.subject.pieces if p.main and p.role in ROLE_ORDER and p.layer is not None}
    if len(stacks) != 1:
        return
    layers: dict[int, list[Piece]] = {g["first"]: [] for g, _ in groups.values()}
    for p in c.subject.pieces:
        if p.main and p.role in ROLE_ORDER and p.layer in layers:
            layers[p.layer].append(p)
    for g, count in groups.values():
        for role in ROLE_ORDER:
            _line(
                w,
                [p for p in layers[g["first"]] if p.role == role],
                count,
                (g["experts"] or 1) if role == "experts" else 1,
            )


def _line(w: Writer, pieces: list[Piece], layers: int, experts: int) -> None:
    sums: dict[tuple[str, bool], int] = {}
    for p in pieces:
        if p.elements is None:
            return
        bias = p.tensor.endswith(("bias", "biases"))
        # A matrix that is neither gate, up nor down is called by its own name.
        part = p.part or p.tensor.removesuffix(".weight").removesuffix(".bias").rpartition(".")[2]
        sums[(part, bias)] = sums.get((part, bias), 0) + p.elements
    if not sums or any(n % experts for n in sums.values()):
        return
    order = sorted(sums, key=lambda k: (PART_ORDER.index(k[0]) if k[0] in PART_ORDER else 9, k[1]))
    terms = [f"{part}{'.bias' if bias else ''} {sums[(part, bias)] // experts:,}" for part, bias in order]
    inner = " + ".join(terms)
    factor = f"{layers} × {experts} × " if experts > 1 else f"{layers} × "
    w.formula(f"{factor}({inner}) = {layers * sum(sums.values()):,}")

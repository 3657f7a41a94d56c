"""A model as its residual stream runs: a description that every drawing is made from, and that a test can read.

Made from the report alone. What the report does not know is in here as unknown, never as a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cfgexplain.fold import ranges
from cfgexplain.remarked import has
from cfgexplain.render.diagram_parts import (
    EMBEDDING_NORMS,
    Block,
    Branch,
    Diagram,
    Ffn,
    Mixing,
    NormStep,
    Side,
    block,
    led,
    placement_of,
)

if TYPE_CHECKING:
    from cfgexplain.report import LayerKindR, NormR, NormSiteR, Report
    from cfgexplain.report_ffn import FfnLayersR, FfnNamesR, FfnR

#: Blocks of more kinds than this differ in their width only and are drawn as one.
MOST_BLOCKS: Final = 6
ATTENTION: Final = frozenset({"full", "sliding", "chunked", "lsh", "compressed", "compressed-sparse"})
#: Roles that make a drawing from tokens to a head worth the claim; a voice detector has none of them.
LANGUAGE: Final = frozenset({"embedding", "attention", "ffn", "experts", "mixer"})


def worth_drawing(report: Report) -> bool:
    """Whether anything shows a language model at all, so that tokens and a head are no mere claim."""
    model, params = report["model"], report["params"]
    if model is None or params is None:
        return False
    return model["family_known"] or params["by_role"] is None or bool(LANGUAGE & params["by_role"].keys())


def describe(report: Report) -> Diagram | None:
    """The description of a report's model; None where the report is an error."""
    model, norm, ffn, params = report["model"], report["norm"], report["ffn"], report["params"]
    if model is None or norm is None or ffn is None or params is None:
        return None
    roles = params["by_role"]
    last = norm["final_norm"]
    stacks = _stacks(norm["sites"] or [])
    head: Literal["own", "tied", "none", "open", "unknown"] = "open" if model["has_head"] else "unknown"
    if model["head"] in ("own", "tied", "none"):
        head = model["head"]  # type: ignore[assignment]
    elif model["tie_word_embeddings"] and not model["has_head"]:
        head = "tied"
    cross = bool(roles and roles.get("cross-attention"))
    kinds = report["layers"]["kinds"] if report["layers"] else None
    # Layers that cross over to another model's output stand beside the decoder's own, and are not it.
    main = next((x for x in reversed(stacks) if "cross" not in x), stacks[-1] if stacks else "")
    mine = _Stack(main, ffn["layers"], ffn["names"], kinds, model["num_layers"], cross)
    theirs = ffn["encoder_layers"]
    others = tuple(x for x in stacks if x != main and x.rstrip("."))
    reads = next((x for x in others if "encoder" in x), "") if theirs else ""
    embedded = model["embedding_size"]
    early = _embedding_norm(norm["sites"] or [], mine.prefix)
    return Diagram(
        placement=norm["placement"],
        positions=(bool(model["positions"]["table"]) and model["positions"]["kind"] != "rope")
        or model["positions"]["kind"] == "sinusoidal",
        blocks=_known(_blocks(report, norm, ffn, mine), others),
        encoder=_blocks(report, norm, ffn, _Stack(reads, theirs, ffn["encoder_names"])) if reads else (),
        embedding=embedded if embedded != model["hidden_size"] else None,
        final_norm=last["expected"],
        final_name=(last["tensor"] or "").removesuffix(".weight"),
        final_missing=last["present"] is False,
        head=head,
        others=others,
        embedding_norm=early,
        projected_last=embedded not in (None, model["hidden_size"])
        and _size_of(norm["sites"] or [], early) == embedded,
        encoder_norm=_encoder_norm(norm["sites"] or [], reads),
        embedded=model["vocab_size"] is not None
        and (bool(roles.get("embedding")) if roles is not None else model["family_known"]),
        task=model["task_head"],
    )


def _size_of(sites: list[NormSiteR], name: str) -> int | None:
    """The width that a norm works on."""
    return next((n["size"] for n in sites if name and n["tensor"].removesuffix(".weight") == name), None)


def _encoder_norm(sites: list[NormSiteR], stack: str) -> str:
    """The norm outside the layers of a stack that is not the one that it is fed through (T5's encoder)."""
    head = stack.removesuffix(".").rpartition(".")[0] + "."
    for n in sites if stack else ():
        name = n["tensor"].removesuffix(".weight")
        inside = name.startswith(head) and "." not in name.removeprefix(head)
        if inside and n["role"] in ("final-norm", "other-norm") and not any(w in name.lower() for w in EMBEDDING_NORMS):
            return name
    return ""


def _known(blocks: tuple[Block, ...], others: tuple[str, ...]) -> tuple[Block, ...]:
    """Without the layers that nothing is known of, where they are those of another stack that is named beside."""
    kept = tuple(b for b in blocks if not any(isinstance(x.sub, Ffn) and x.sub.kind == "unknown" for x in b.branches))
    return kept if kept and others else blocks


def _embedding_norm(sites: list[NormSiteR], stack: str) -> str:
    """The norm between the embedding and the first layer: of an encoder-decoder's two, the one of this stack."""
    found = [
        n["tensor"].removesuffix(".weight")
        for n in sites
        if n["role"] == "other-norm" and any(word in n["tensor"].lower() for word in EMBEDDING_NORMS)
    ]
    near = [x for x in found if stack and x.partition(".")[0] == stack.partition(".")[0]]
    return (near or found or [""])[-1]


def _split(tensor: str) -> tuple[str, str]:
    """``model.layers.{0-31}.input_layernorm.weight`` → (``model.layers.``, ``input_layernorm``).

    A list of norms (``transformer.layer_norm1.{0-11}.weight``) is called by the list's own name.
    """
    head, mark, rest = tensor.partition(".{")
    if mark:
        name = rest.partition("}.")[2].removesuffix("weight").rstrip(".")
    else:
        parts = tensor.split(".")
        at = next((k for k, part in enumerate(parts) if part.isdecimal()), None)
        if at is None:
            return "", tensor.removesuffix(".weight")
        head, name = ".".join(parts[:at]), ".".join(parts[at + 1:]).removesuffix("weight").rstrip(".")
    if not name:
        head, _, name = head.rpartition(".")
    return head + ".", name


def _stacks(sites: list[NormSiteR]) -> list[str]:
    return list(dict.fromkeys(_split(n["tensor"])[0] for n in sites if n["role"] == "block-norm"))


def _members(tensor: str) -> set[int] | None:
    """The layers that a pattern stands for; None where it names none."""
    _, mark, rest = tensor.partition(".{")
    if not mark:
        number = next((p for p in tensor.split(".") if p.isdecimal()), None)
        return None if number is None else {int(number)}
    found: set[int] = set()
    for span in rest.partition("}")[0].split(","):
        low, dash, high = span.partition("-")
        found.update(range(int(low), int(high if dash else low) + 1))
    return found


class _Stack(NamedTuple):
    """One stack of layers: its prefix and what the report says of it."""

    prefix: str
    groups: list[FfnLayersR] | None
    names: FfnNamesR | None
    kinds: list[LayerKindR] | None = None
    size: int | None = None
    cross: bool = False


def _blocks(report: Report, norm: NormR, ffn: FfnR, stack: _Stack) -> tuple[Block, ...]:
    kinds, groups, count = stack.kinds, stack.groups, stack.size
    if count is None and groups:
        count = groups[-1]["last"] + 1
    sites = [(*_split(n["tensor"]), _members(n["tensor"])) for n in norm["sites"] or [] if n["role"] == "block-norm"]
    sites = [x for x in sites if x[0] == stack.prefix]
    if not count or not (kinds or groups):
        return (block(report, norm, "", count, [Mixing("unknown"), Ffn("unknown")], [x[1] for x in sites]),)
    found: dict[tuple[str, tuple[object, ...], tuple[str, ...]], list[int]] = {}
    words: dict[int, str] = {i: k["attention"] or "?" for k in kinds or () for i in range(k["first"], k["last"] + 1)}
    blocks: dict[int, FfnLayersR] = {i: g for g in groups or () for i in range(g["first"], g["last"] + 1)}
    varied = len({(g["kind"], g["intermediate_size"], g["experts"]) for g in groups or ()}) > MOST_BLOCKS
    # Layers that use each other's weights are like the ones that store them.
    stored = len(blocks) if has(report, "shared-layers") and 0 < len(blocks) < count else count
    # Blocks that hybrid layers share are stored with the first of them.
    lent = next((i for i in words if words[i] == "hybrid"), None) if has(report, "zamba-shared") else None
    for i in range(min(count, 4096)):
        word = words.get(i, "?")
        mixer = "attention" if word in ATTENTION else word
        at = lent if lent is not None and word == "hybrid" else i * stored // count
        g = blocks.get(at)
        width = None if g is None or varied else g["intermediate_size"]
        key = () if g is None else (g["kind"], width, g["experts"], g["experts_per_token"])
        names = tuple(name for _, name, members in sites if members is None or at in members)
        found.setdefault((mixer, key, names), []).append(i)
    out: list[Block] = []
    for (mixer, _, names), layers in found.items():
        counts: dict[str, int] = {}
        for i in layers:
            counts[words.get(i, "?")] = counts.get(words.get(i, "?"), 0) + 1
        # Cross-attention has a norm of its own; without a third one it belongs to other layers than these.
        first = lent if lent is not None and mixer == "hybrid" else layers[0] * stored // count
        g, cross = blocks.get(first), stack.cross and len(names) > 2
        subs = _subs(report, ffn, stack.names, mixer, counts, g, cross, varied)
        if mixer == "hybrid" and lent is not None:
            one = led(subs, list(names), len(layers))
            around = (one,) if one else tuple(Branch((), s) for s in subs)
            out.append(Block(ranges(layers), len(layers), around, loose=() if one else names))
            continue
        out.append(block(report, norm, ranges(layers), len(layers), subs, list(names)))
    return tuple(out)


def _subs(report: Report, ffn: FfnR, dense: FfnNamesR | None, mixer: str, counts: dict[str, int],
          g: FfnLayersR | None, cross: bool, varied: bool) -> list[Mixing | Ffn]:
    subs: list[Mixing | Ffn] = []
    if mixer == "none" and has(report, "fourier"):
        mixer, counts = "fourier", {"fourier": sum(counts.values())}
    if mixer == "attention":
        subs.append(Mixing("attention", tuple(counts.items())))
    elif mixer == "?":
        roles = (report["params"]["by_role"] if report["params"] else None) or {}
        subs.append(Mixing("attention") if roles.get("attention") and not roles.get("mixer") else Mixing("unknown"))
    elif mixer == "cross":
        subs.append(Mixing("cross-attention"))
    elif mixer != "none":
        subs.append(Mixing("mixer", tuple(counts.items())))
    if cross:
        subs.append(Mixing("cross-attention"))
    if g is None:
        subs.append(Ffn("unknown"))
    elif g["kind"] != "none":
        moe = g["kind"] == "moe"
        # Without a dense block of its own the report names the experts' matrices in both places.
        known = ffn["expert_names"] if moe else None if dense == ffn["expert_names"] else dense
        names = (known["gate"] or "", known["up"] or "", known["down"] or "") if known else ("", "", "")
        hidden = report["model"]["hidden_size"] if report["model"] else None
        subs.append(Ffn(
            "moe" if moe else "dense", None if varied else g["intermediate_size"], g["experts"], g["experts_per_token"],
            g["shared_experts"] or 0, names, g["shared_intermediate_size"] if moe else None,
            g["input_size"] if g["input_size"] != hidden else None,
        ))
    return subs


__all__ = ["Block", "Branch", "Diagram", "Ffn", "Mixing", "NormStep", "Side", "describe", "placement_of"]

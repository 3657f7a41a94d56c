"""The feed-forward blocks layer by layer: which stack of layers they are in, how wide, of how many experts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from cfgexplain.subject import FFN_ROLES

if TYPE_CHECKING:
    from cfgexplain.report_ffn import FfnLayersR
    from cfgexplain.subject import Piece, Subject

_LAYER_ROLES: Final = frozenset({*FFN_ROLES, "block-norm", "attention", "cross-attention", "mixer"})


def is_bias(name: str) -> bool:
    """Whether it is a bias by its name (``biases``: of all experts together)."""
    return name.endswith(("bias", "biases"))


def stacks(s: Subject) -> tuple[str, str]:
    """The stack of layers that the report is about, and the encoder's in an encoder-decoder; "" where there is none.

    The last stack of the table is the decoder's. One without feed-forward blocks may hold norms or tables beside
    another (XLM, UDOP).
    """
    there = {p.stack for p in s.pieces if p.main}
    of: dict[str, set[str]] = {}
    for p in s.expected or s.pieces:
        if p.main and p.stack in there and p.stack and p.role in _LAYER_ROLES:
            of.setdefault(p.stack, set()).add(p.role)
    if not of:
        return "", ""
    fed = [x for x in of if not of[x].isdisjoint(FFN_ROLES)]
    # Layers that cross over to another model's output stand beside the decoder's own (IDEFICS).
    fed = [x for x in fed if "cross" not in x] or fed
    last = fed[-1] if fed else next(reversed(of))
    crossed = any("cross-attention" in of[x] for x in of if x == last)
    return last, next((x for x in fed if crossed and x != last and "encoder" in x and "decoder" in last), "")


def layer_groups(s: Subject) -> list[FfnLayersR] | None:
    """Runs of layers whose feed-forward block is the same."""
    stack, _ = stacks(s)
    return groups_of(s, stack) if stack else None


def groups_of(s: Subject, stack: str) -> list[FfnLayersR]:
    """The same for one stack, whatever its place in the model."""
    per_layer: dict[int, dict[str, list[Piece]]] = {}
    for p in s.pieces:
        if p.main and p.stack == stack and p.layer is not None and p.role != "mtp":
            found = per_layer.setdefault(p.layer, {})
            if p.role in FFN_ROLES:
                found.setdefault(p.role, []).append(p)
    out: list[FfnLayersR] = []
    for i in sorted(per_layer):
        one = _one_layer(s, i, per_layer[i])
        last = out[-1] if out else None
        if last and last["last"] == i - 1 and {**last, "first": i, "last": i} == one:
            last["last"] = i
        else:
            out.append(one)
    return out


def _one_layer(s: Subject, i: int, found: dict[str, list[Piece]]) -> FfnLayersR:
    experts, shared = found.get("experts", []), found.get("shared-experts", [])
    block = experts or found.get("ffn", []) or shared
    sizes = [p.elements for ps in found.values() for p in ps]
    top_k = visited(s, i) if experts else None
    return {
        "first": i,
        "last": i,
        "kind": "moe" if experts else ("dense" if found.get("ffn") or shared else "none"),
        "intermediate_size": _one_width(block),
        "experts": (expert_count(s, experts) or None) if experts else None,
        "experts_per_token": top_k,
        "shared_experts": (s.main.int("n_shared") or 1) if shared else (0 if experts else None),
        "shared_intermediate_size": _one_width(shared),
        "input_size": _input(block),
        "params": None if None in sizes else sum(n for n in sizes if n is not None),
    }


def _one_width(pieces: list[Piece]) -> int | None:
    """The width that these matrices agree on; else the one of the first ones: the last may be split (SqueezeBERT)."""
    widths = {p.width for p in pieces if p.width is not None}
    if len(widths) > 1:
        widths = {p.width for p in pieces if p.width is not None and p.part != "down"}
    return widths.pop() if len(widths) == 1 else None


def _input(pieces: list[Piece]) -> int | None:
    """What the block reads: mostly the hidden size; a latent (Nemotron 3's experts), a bottleneck (MobileBERT)."""
    for p in pieces:
        if p.width and p.shape and len(p.shape) >= 2 and p.part != "down" and not is_bias(p.tensor):
            rows, columns = p.shape[-2:]
            found = rows * columns // (2 * p.width if p.part == "gate_up" else p.width)
            return found if found in (rows, columns) else None
    return None


def visited(s: Subject, i: int) -> int | None:
    """Experts that one token visits in layer ``i``."""
    rule = s.main.family.active
    k = s.main.known(rule, i) if rule.isidentifier() else s.main.maybe(rule, i)
    return k if isinstance(k, int) and not isinstance(k, bool) else None


def expert_count(s: Subject, pieces: list[Piece]) -> int:
    """Experts of one layer: from the first axis, from the names, or from the config (DBRX stores one tall matrix).

    0 where a config alone does not say.
    """
    most = max((p.experts for p in pieces), default=0)
    if most > 1:
        return most
    numbers = {expert_number(p.tensor) for p in pieces} - {""}
    return len(numbers) or s.main.int("experts") or (0 if s.match is None else most)


@lru_cache(maxsize=1 << 17)
def expert_number(name: str) -> str:
    """The number behind ``experts.`` or ``experts.expert_``; "" where there is none. Asked very often."""
    at = name.find("experts.") + 8
    if at < 8:
        return ""
    number = name[at : name.find(".", at) % (len(name) + 1)].removeprefix("expert_")
    return number if number.isdecimal() else ""

"""The feed-forward blocks: kind, width, parameters.

Shazeer 2020, "GLU Variants Improve Transformer" (2002.05202) for the names of the gated kinds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cfgexplain.facts.derivation import RECIPES, RecipeHint, derive, factorize
from cfgexplain.facts.ffn_layers import expert_count, expert_number, groups_of, is_bias, stacks, visited
from cfgexplain.facts.remarks import formula
from cfgexplain.subject import FFN_ROLES

if TYPE_CHECKING:
    from cfgexplain.report_ffn import DerivationR, FfnLayersR, FfnNamesR, FfnParamsR, FfnR, WidthR
    from cfgexplain.subject import Piece, Subject

#: Activation → name of the gated block that uses it.
GATED_KINDS: Final[dict[str, str]] = {
    "gelu": "geglu",
    "gelu_10": "geglu",
    "gelu_fast": "geglu",
    "gelu_new": "geglu",
    "gelu_python": "geglu",
    "gelu_python_tanh": "geglu",
    "gelu_pytorch_tanh": "geglu",
    "quick_gelu": "geglu",
    "relu": "reglu",
    "sigmoid": "glu",
    "silu": "swiglu",
    "swish": "swiglu",
    "swiglu": "swiglu",
    "geglu": "geglu",
}


_MATRICES: Final = frozenset({"gate", "up", "down", "gate_up"})
_NAMELESS: Final[FfnNamesR] = {"gate": None, "up": None, "down": None}


def ffn(
    s: Subject, total: int | None, blocks: dict[str, int] | None, groups: list[FfnLayersR] | None
) -> FfnR:
    """Everything about the feed-forward blocks of the language model: with the model's total, ``sums`` of what there
    is, and ``layer_groups``."""
    pieces = [p for p in s.pieces if p.role in FFN_ROLES and p.main]
    gated = _gated(s, pieces)
    activation = _activation(s)
    width = _width(s, pieces)
    unseen = not pieces and not s.known
    decoder, encoder = stacks(s)
    mine = [p for p in pieces if p.stack == decoder] or pieces
    theirs = [p for p in pieces if encoder and p.stack == encoder]
    return {
        "kind": None if unseen else _kind(pieces, gated, activation),
        "gated": gated,
        "activation": activation,
        "formula": formula(s, gated, activation) if pieces else None,
        "bias": None if not pieces else any(is_bias(p.tensor) for p in pieces),
        "fused_gate_up": None if not pieces or gated is None else any(p.part == "gate_up" for p in pieces),
        "names": next((n for role in FFN_ROLES if (n := _names(mine, role))), _NAMELESS),
        "expert_names": _names(mine, "experts"),
        "encoder_names": next((n for role in FFN_ROLES if (n := _names(theirs, role))), None),
        "intermediate_size": width,
        "derivation": _derivation(s, width, gated),
        "layers": groups,
        "encoder_layers": groups_of(s, encoder) if encoder else None,
        "params": _params(s, total, blocks),
    }


def _gated(s: Subject, pieces: list[Piece]) -> bool | None:
    if s.main.family.gated is not None:
        return s.main.family.gated
    if not pieces:
        return None
    parts = {p.part for p in pieces}
    if parts & {"gate", "gate_up"}:
        return True
    return False if "down" in parts and "up" in parts else None


def _activation(s: Subject) -> str | None:
    value = s.main.value("act") if "act" in s.main.family.keys else None
    return value.value if value and isinstance(value.value, str) else None


def _kind(pieces: list[Piece], gated: bool | None, activation: str | None) -> str | None:
    if not pieces:
        return "none"
    if gated is None:
        return None
    if not gated:
        return "mlp"
    if activation is None:
        return None
    return GATED_KINDS.get(activation, "other-gated")


def _names(pieces: list[Piece], role: str) -> FfnNamesR | None:
    """The matrices of one kind of block, by their module within a layer; of many experts, the first one's."""
    found: dict[str, str] = {}
    for p in pieces:
        if p.role == role and p.part in _MATRICES and p.part not in found and not is_bias(p.tensor):
            name = p.tensor[len(p.stack) :].partition(".")[2] if p.stack else p.tensor
            found[p.part] = name.removesuffix(".weight").replace("{e}", "0")
            if "down" in found and ("gate_up" in found or {"gate", "up"} <= found.keys()):
                break
    if not found:
        return None
    both = found.get("gate_up")
    return {"gate": found.get("gate", both), "up": found.get("up", both), "down": found.get("down")}


def _width(s: Subject, pieces: list[Piece]) -> WidthR:
    value = s.main.value("ffn") if "ffn" in s.main.family.keys else None
    number = value.value if value and isinstance(value.value, int) else None
    seen = sorted({p.width for p in pieces if p.width is not None and p.role == "ffn"}) if s.stored is not None else []
    if not seen and s.stored is not None and "moe_ffn" not in s.main.family.keys:
        seen = sorted({p.width for p in pieces if p.width is not None and p.role == "experts"})
    from_tensors = seen[0] if len(seen) == 1 else (number if number in seen else None)
    if number is None and value is None and from_tensors is not None:
        number = from_tensors
    factor = s.main.family.ffn_of_config
    effective = number // factor if number and factor > 1 else number
    hidden = s.main.int("hidden")
    key = None
    if value is not None:
        key = f"{s.main.path}.{value.key}" if s.main.path and value.key else value.key or None
    return {
        "value": number,
        "key": key,
        "source": value.origin
        if value is not None and number is not None
        else ("derived" if number is not None else None),
        "ratio": effective / hidden if effective and hidden else None,
        "from_tensors": from_tensors,
        "factors": factorize(effective) if effective else None,
    }


def _derivation(s: Subject, width: WidthR, gated: bool | None) -> DerivationR | None:
    hidden, value = s.main.int("hidden"), width["value"]
    if not hidden or not value:
        return None
    return derive(hidden, value // s.main.family.ffn_of_config, gated, _recipe(s))


def _recipe(s: Subject) -> RecipeHint | None:
    """The published recipe: the family's, or what the file itself states."""
    if s.main.family.recipe != "stated":
        return RECIPES.get(s.main.family.recipe)
    multiplier, multiple = s.main.known("multiplier"), s.main.int("multiple_of")
    if multiple is None or not isinstance(multiplier, (int, float, type(None))):
        return None
    return RecipeHint(multiplier, multiple, "params.json", stated=True)


@dataclass(slots=True)
class _Experts:
    """Parameters of one layer's routed experts: those of one expert each, and those that all share (JetMoE's bias)."""

    apart: int = 0
    joint: int = 0
    members: list[Piece] = field(default_factory=list)


def sums(pieces: tuple[Piece, ...], s: Subject) -> dict[str, int] | None:
    """Parameters of the feed-forward blocks by kind, and what one token goes through; None where one is unknown."""
    out = {"dense": 0, "experts": 0, "shared_experts": 0, "router": 0, "active": 0}
    names = {"ffn": "dense", "experts": "experts", "shared-experts": "shared_experts", "router": "router"}
    expert_sums: dict[tuple[str, int | None], _Experts] = {}
    for p in pieces:
        if not p.main or p.role not in names:
            continue
        if p.elements is None:
            return None
        out[names[p.role]] += p.elements
        if p.role == "experts":
            layer_sum = expert_sums.setdefault((p.stack, p.layer), _Experts())
            if len(p.shape or ()) == 1 and p.experts <= 1 and not expert_number(p.tensor):
                layer_sum.joint += p.elements
            else:
                layer_sum.apart += p.elements
            layer_sum.members.append(p)
        elif p.role != "router":
            out["active"] += p.elements
    for (_, layer), found in expert_sums.items():
        n = expert_count(s, found.members)
        k = visited(s, layer if layer is not None else -1)
        if k is None or not n:
            out["active"] = -1
            break
        out["active"] += found.apart * min(k, n) // n + found.joint
    return out


def _params(s: Subject, total: int | None, blocks: dict[str, int] | None) -> FfnParamsR:
    whole = s.known and s.expansion.whole
    seen = blocks if s.stored is not None else None
    planned = None if not s.known else blocks if s.stored is None else sums(s.expected, s)
    best = seen if s.stored is not None else planned

    def all_of(x: dict[str, int] | None) -> int | None:
        return None if x is None else x["dense"] + x["experts"] + x["shared_experts"]

    open_ = s.match.unsure if s.match is not None else frozenset()
    # Which of two kinds a block is does not change their sum.
    mine = None if open_ - {"dense", "shared_experts"} else all_of(best)
    return {
        "dense": best["dense"] if best and "dense" not in open_ else None,
        "experts": best["experts"] if best and "experts" not in open_ else None,
        "shared_experts": best["shared_experts"] if best and "shared_experts" not in open_ else None,
        "router": best["router"] if best and "router" not in open_ else None,
        "total": mine,
        "active": None if best is None or best["active"] < 0 or mine is None else best["active"],
        "share_of_model": mine / total if mine is not None and total else None,
        "from_config": all_of(planned) if whole or planned else None,
        "from_tensors": all_of(seen) if mine is not None else None,
    }

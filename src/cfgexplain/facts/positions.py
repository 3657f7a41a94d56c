"""How the model knows the order of its tokens, and how far its windows reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.config import walk
from cfgexplain.facts.rope import ropes
from cfgexplain.families.positions import ALIBI_KEYS, INTERVALS, POSITIONS, WINDOWS_ONLY, WORDS

if TYPE_CHECKING:
    from cfgexplain.facts.rope import Rope
    from cfgexplain.report import PositionsR
    from cfgexplain.subject import Subject


def positions(s: Subject, kinds: list[str] | None) -> PositionsR:
    """Kind of positions and, for rotary ones, their base, their share of a head and their scaling.

    ``layers`` counts those that rotate. Where layers differ, ``theta`` is that of full
    attention and ``local_theta`` that of the windows; ``fraction`` and ``local_fraction`` likewise.
    """
    found = ropes(s.main)
    kind = _kind(s, bool(found))
    whole = found.get("full_attention") or found.get("") or (next(iter(found.values())) if found else None)
    local = found.get("sliding_attention")
    rotary = kind == "rope" and whole is not None
    scaling = str(whole.scaling.get("type")) if whole is not None and rotary else None
    return {
        "kind": kind,
        "theta": whole.theta if whole is not None and rotary else None,
        "local_theta": local.theta if local is not None and rotary and whole and local.theta != whole.theta else None,
        "fraction": whole.fraction if whole is not None and rotary else None,
        "local_fraction": _differs(local, whole) if rotary else None,
        "scaling": None if scaling == "default" else scaling,
        "layers": _rotating(s, kinds) if kind == "rope" else None,
    }


def _differs(local: Rope | None, whole: Rope | None) -> float | int | None:
    """The share of a head that turns in layers with a window, where it is another than in full attention."""
    if local is None or whole is None:
        return None
    ours, theirs = (1.0 if x.fraction is None else x.fraction for x in (local, whole))
    return ours if ours != theirs else None


def _kind(s: Subject, rotary: bool) -> str | None:
    m = s.main
    for path in ALIBI_KEYS:
        if walk(m.config, path) is True:
            return "alibi"
    if "alibi" in m.family.keys and m.known("alibi") is True:
        return "alibi"
    if s.known and m.family.id in POSITIONS:
        return POSITIONS[m.family.id]
    word = walk(m.config, "position_embedding_type")
    if isinstance(word, str) and word in WORDS:
        return WORDS[word]
    if rotary:
        return "rope"
    if any(p.role == "position-embedding" and p.main for p in s.pieces):
        return "learned"
    return None


def _rotating(s: Subject, kinds: list[str] | None) -> int | None:
    """Layers of attention that rotate their queries and keys; None where the layers are not known."""
    if kinds is None:
        return None
    attending = [k in ("full", "sliding", "chunked", "hybrid") for k in kinds]
    if s.main.family.id in INTERVALS:
        given = walk(s.main.config, "no_rope_layers")
        if isinstance(given, list) and len(given) == len(kinds):
            return sum(bool(x) and a for x, a in zip(given, attending, strict=True))
        every = walk(s.main.config, "no_rope_layer_interval")
        step = every if isinstance(every, int) and every > 0 else INTERVALS[s.main.family.id]
        return sum(a and (i + 1) % step != 0 for i, a in enumerate(attending))
    if s.main.family.id in WINDOWS_ONLY and "sliding" in kinds:
        return kinds.count("sliding")
    return sum(attending)


def window(s: Subject, kinds: list[str] | None) -> int | None:
    """Tokens that a layer with a window looks back to; None without such layers, or where it is unknown or varies."""
    if kinds is None:
        return None
    found = {s.main.known("window", i) for i, kind in enumerate(kinds) if kind in ("sliding", "chunked")}
    one = found.pop() if len(found) == 1 else None
    return one if isinstance(one, int) and not isinstance(one, bool) and one > 0 else None

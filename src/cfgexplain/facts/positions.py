"""How the model knows the order of its tokens, and how far its windows reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.facts.rope import ropes
from cfgexplain.families.positions import (
    ALIBI_KEYS,
    INTERVALS,
    PADDED,
    PADDED_ALWAYS,
    POSITIONS,
    SWITCHED,
    WINDOWS_ONLY,
    WORDS,
)

if TYPE_CHECKING:
    from cfgexplain.facts.rope import Rope
    from cfgexplain.report import PositionsR
    from cfgexplain.subject import Subject

#: Words in the names of tables that have the role of positions and are of something else, or are added elsewhere.
OTHER_TABLES: Final = (
    "type_embed", "rel_", "relative", "segment", "lang_embed", "cell_2d", "tile", "cls_token", "embed_global",
    "x_position", "y_position", "h_position", "w_position",
)  # fmt: skip


def positions(s: Subject, kinds: list[str] | None) -> PositionsR:
    """Kind of positions and, for rotary ones, their base, their share of a head and their scaling.

    ``layers`` counts those that rotate. Where layers differ, ``theta`` is that of full attention and ``local_theta``
    that of the windows; ``fraction`` and ``scaling`` likewise. ``table``: rows of a table that is added to the stream;
    ``usable``: tokens that have a row, where the first rows are never theirs.
    """
    found = ropes(s.main)
    kind = _kind(s, bool(found))
    if kind == "rope" and _rotating(s, kinds) == 0:
        kind = "none"  # a hybrid without a layer of attention
    whole = found.get("full_attention") or found.get("") or (next(iter(found.values())) if found else None)
    # What windows do is of no model without windows.
    windowed = kinds is None or not {"sliding", "chunked"}.isdisjoint(kinds)
    local = found.get("sliding_attention") if windowed else None
    rotary = kind == "rope" and whole is not None
    scaling = str(whole.scaling.get("type")) if whole is not None and rotary else None
    apart = str(local.scaling.get("type")) if local is not None and rotary else scaling
    rows = _table(s)
    return {
        "kind": kind,
        "table": rows,
        "usable": _usable(s, rows) if rows and kind != "rope" else None,
        "theta": whole.theta if whole is not None and rotary else None,
        "local_theta": local.theta if local is not None and rotary and whole and local.theta != whole.theta else None,
        "fraction": whole.fraction if whole is not None and rotary else None,
        "local_fraction": _differs(local, whole) if rotary else None,
        "scaling": None if scaling == "default" else scaling,
        "local_scaling": None if apart == scaling else apart,
        "layers": _rotating(s, kinds) if kind == "rope" else None,
    }


def _table(s: Subject) -> int | None:
    """Rows of the table of positions that stands beside the embedding; None where there is none."""
    for p in s.pieces:
        name = p.tensor.lower()
        if p.role != "position-embedding" or not p.main or not p.shape or any(word in name for word in OTHER_TABLES):
            continue
        if p.layer is not None:
            return s.main.int("max_pos")  # one of several, whose rows are combined (Reformer)
        if len(p.shape) > 1:
            return p.shape[-2]
    return None


def _usable(s: Subject, rows: int) -> int | None:
    """Rows that tokens can have, where counting begins after the padding's; None where it begins at the first row."""
    family = s.main.family.id
    if not s.known or family not in PADDED:
        return None
    found = None if family in PADDED_ALWAYS else walk(s.main.config, "pad_token_id")
    index = found if isinstance(found, int) and not isinstance(found, bool) else PADDED[family]
    return rows - index - 1 if index is not None and 0 <= index < rows - 1 else None


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
    if s.known and m.family.id in SWITCHED:
        path, default, by_value, otherwise = SWITCHED[m.family.id]
        value = walk(m.config, path)
        value = value if isinstance(value, (bool, str)) else default
        return otherwise if value is None else by_value.get(value, otherwise)
    if s.known and m.family.id in POSITIONS:
        return POSITIONS[m.family.id]
    word = walk(m.config, "position_embedding_type")
    if isinstance(word, str) and word in WORDS:
        return WORDS[word]
    if rotary:
        return "rope"
    return "learned" if _table(s) else None


def _rotating(s: Subject, kinds: list[str] | None) -> int | None:
    """Layers of attention that rotate their queries and keys; None where the layers are not known."""
    if kinds is None:
        return None
    attending = [k in ("full", "sliding", "chunked", "hybrid", "compressed", "compressed-sparse") for k in kinds]
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

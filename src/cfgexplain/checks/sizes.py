"""Sizes: widths, heads, layers and vocabulary, in the config alone and against the tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checks import ranks
from cfgexplain.checks.base import Check, Context, Problem, sorted_out
from cfgexplain.facts.widths import other_convention

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.config import Settings

#: GPU matrix units work in tiles of 64; quantization groups and tensor parallelism want multiples of it too.
TILE = 64

#: (hidden size, width) of published models whose width is twice the rule's by choice, not by another convention:
#: Qwen2.5-32B (2412.15115, table 1), and OLMo 2 32B and Olmo 3 32B, which took its shape (2501.00656).
CHOSEN: Final = frozenset({(5120, 27648)})


def head_mismatch(c: Context) -> Iterable[Problem]:
    """Head counts that do not divide, or do not fit the projections."""
    m = c.subject.main
    heads, hidden = m.int("heads"), m.int("hidden")
    for many, few in sorted(_groups(m)):
        if many % few:
            yield Problem("head-mismatch", "groups", {"heads": many, "kv_heads": few}, pointer=_at(c, "kv_heads"))
    dim = m.value("head_dim") if "head_dim" in m.family.keys else None
    if heads and hidden and hidden % heads and dim is not None and dim.origin == "derived" and not _floored(m):
        yield Problem("head-mismatch", "divide", {"heads": heads, "hidden": hidden}, pointer=_at(c, "heads"))
    yield from ranks.heads(c)
    yield from c.faults.get("head-mismatch", ())


def _floored(m: Settings) -> bool:
    """Whether the family makes do with heads that fill less than the hidden size; an odd width has no pairs to turn."""
    from cfgexplain.families.heads import FLOORED  # few configs need it

    width = m.int("head_dim")
    return m.family.id in FLOORED and width is not None and width % 2 == 0


def _groups(m: Settings) -> set[tuple[int, int]]:
    """(query heads, key-value heads) of every layer; a table whose layers differ has ``my_heads`` or ``my_kv``."""
    pairs = (("my_heads", "heads"), ("my_kv", "kv_heads"))
    names = tuple(own if own in m.family.lets else plain for own, plain in pairs)
    layers = min(m.int("layers") or 1, 4096) if names != ("heads", "kv_heads") else 1
    found = ((m.known(names[0], i), m.known(names[1], i)) for i in range(layers))
    return {(a, b) for a, b in found if isinstance(a, int) and isinstance(b, int) and a and b}


def convention(c: Context) -> Iterable[Problem]:
    """A width that is twice, three times or two thirds of the rule's, with no tensors to settle it."""
    s = c.subject
    if s.match is not None or not s.known or s.main.family.ffn_of_config != 1 or not c.report["ffn"]:
        return
    width = s.main.value("ffn") if "ffn" in s.main.family.keys else None
    hidden = s.main.int("hidden")
    if width is None or width.origin != "config" or not isinstance(width.value, int) or not hidden:
        return
    derivation = c.report["ffn"]["derivation"]
    if c.report["ffn"]["gated"] is not True or derivation is None or derivation["chosen"] or derivation["candidates"]:
        return
    if (hidden, width.value) not in CHOSEN and (found := other_convention(hidden, width.value)):
        p, q = found
        ratio = f"{p}/{q}" if q > 1 else str(p)
        yield Problem(
            "intermediate-size-convention", "ratio",
            {"value": width.value, "plain": width.value * q // p, "ratio": ratio, "hidden": hidden},
            pointer=_at(c, "ffn"),
        )  # fmt: skip


def alignment(c: Context) -> Iterable[Problem]:
    """A width that is no multiple of the tile, or that the ranks asked for cannot share."""
    s = c.subject
    yield from ranks.widths(c)
    seen: set[str] = set()
    for name in ("ffn", "moe_ffn"):
        width = s.main.int(name)
        if width and width % TILE and (v := s.main.value(name)) and v.origin == "config" and v.key not in seen:
            # Where all blocks are experts, both names stand for one key.
            seen.add(v.key)
            values: dict[str, object] = {"key": v.key, "value": width, "tile": TILE, "next": -(-width // TILE) * TILE}
            yield Problem("intermediate-size-alignment", "tile", values, pointer=_at(c, name))


def _at(c: Context, name: str) -> str | None:
    return ranks.place(c.subject.main, name)


CHECKS = (
    Check("head-mismatch", "error", head_mismatch),
    sorted_out("layer-count-mismatch", "error"),
    sorted_out("vocab-size-mismatch", "error"),
    sorted_out("intermediate-size-mismatch", "error"),
    sorted_out("incomplete-ffn", "error"),
    Check("intermediate-size-convention", "warning", convention),
    Check("intermediate-size-alignment", "note", alignment, {"ranks": "error", "rank-groups": "error"}),
)

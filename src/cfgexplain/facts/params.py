"""Parameters by role, what one token goes through, what is stored."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from cfgexplain.subject import APART, TOWERS, pieces_of_items

if TYPE_CHECKING:
    from cfgexplain.report import ParamsR, StoredR
    from cfgexplain.subject import Piece, Subject


def params(s: Subject, blocks: dict[str, int] | None) -> ParamsR:
    """The counts of the contract: each logical parameter once, buffers never, a tied head once.

    ``blocks``: the sums of the feed-forward blocks (``facts.ffn.sums``).
    """
    by_role = None if s.stored is None and not (s.known and s.expansion.whole) else _by_role((*s.pieces, *_unsaved(s)))
    total = None if by_role is None else sum(n for r, n in by_role.items() if r not in APART)
    active, bare = _active(blocks, by_role, total, _beside(s))
    dtypes: dict[str, int] | None = None
    stored: dict[str, StoredR] | None = None
    elements = size = None
    if s.match is not None:
        dtypes, stored, elements, size = {}, {}, 0, 0
        # Of a hundred thousand tensors few are of a sort of their own.
        sorts = Counter((r.role, r.tensor.dtype, r.tensor.shape, r.tensor.nbytes) for r in s.match.rows)
        for (role, dtype, shape, nbytes), count in sorts.items():
            n = math.prod(shape) * count
            dtypes[dtype] = dtypes.get(dtype, 0) + n
            kept = stored.setdefault(role, {"elements": 0, "bytes": 0})
            kept["elements"] += n
            kept["bytes"] += nbytes * count
            elements += n
            size += nbytes * count
    return {
        "total": total,
        "active": active,
        "active_without_embeddings": bare,
        "by_role": by_role,
        "by_dtype": dtypes,
        "stored_elements": elements,
        "bytes": size,
        "stored_by_role": stored,
    }


def _unsaved(s: Subject) -> tuple[Piece, ...]:
    """Parameters that the reference implementation has and never writes, where the tensors were read."""
    if s.match is None or not any(e.slot.kind == "unsaved" for e in s.match.items):
        return ()
    there = {r.name for r in s.match.rows}
    return pieces_of_items(e for e in s.match.items if e.slot.kind == "unsaved" and e.name not in there)


def _by_role(pieces: tuple[Piece, ...]) -> dict[str, int] | None:
    found: dict[str, int] = {}
    for p in pieces:
        if p.elements is None:
            return None
        found[p.role] = found.get(p.role, 0) + p.elements
    return found


def _beside(s: Subject) -> int:
    """Parameters of towers for images and sound and of what leads from them, which a token of text does not pass.

    Nothing is beside a model that reads no tokens (a ViT), or that pairs encoders and continues no text (CLIP).
    """
    m = s.main.family
    if (m.kv == "0" and not m.state) or not any(p.main and p.role == "embedding" for p in s.pieces):
        return 0
    found = (p for p in s.pieces if p.role in TOWERS and not (s.known and p.main and p.role != "projector"))
    return sum(p.elements or 0 for p in found)


def _active(
    ffn: dict[str, int] | None, by_role: dict[str, int] | None, total: int | None, beside: int
) -> tuple[int | None, int | None]:
    """Total without the experts that a token does not visit and without towers; the same without embeddings, head."""
    if by_role is None or total is None:
        return None, None
    if ffn is None or ffn["active"] < 0:
        return None, None
    idle = ffn["dense"] + ffn["experts"] + ffn["shared_experts"] - ffn["active"]
    outside = sum(by_role.get(r, 0) for r in ("embedding", "position-embedding", "lm-head"))
    return total - idle - beside, total - idle - beside - outside

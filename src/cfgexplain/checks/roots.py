"""One wrong number behind many shapes: which key, with which value, makes all of them follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.checks.faults import closure
from cfgexplain.config import Settings, UnknownValue, Value
from cfgexplain.subject import axes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfgexplain.expand import Expected
    from cfgexplain.match import Match, Row

#: Values that are tried, the ones that most shapes point to first.
TRIES: Final = 16


class Root(NamedTuple):
    """A key of the config and the value under which every shape that was read follows.

    Attributes:
        name: canonical name of the key.
        value: what the config gives.
        right: what the tensors show.
    """

    name: str
    value: int
    right: int


def root(m: Match, owner: Settings, mismatched: Sequence[Row]) -> Root | None:
    """The one key whose change explains all misshapen tensors of a model and breaks none of its others."""
    scores: dict[Root, int] = {}
    for r in mismatched:
        for found in _candidates(r):
            scores[found] = scores.get(found, 0) + 1
    wrong = {r.tensor.name for r in mismatched}
    mine = [r for r in m.rows if r.item is not None and r.item.owner is owner and r.item.slot.kind != "buffer"]
    for found in sorted(scores, key=lambda c: -scores[c])[:TRIES]:
        other = Settings(owner.family, owner.config, owner.path, owner.cls)
        other.parts = owner.parts
        known = owner.value(found.name)
        other._values[found.name] = Value(found.right, known.key if known else "", "config")
        if _explains(other, mine, wrong):
            return found
    return None


def _candidates(r: Row) -> set[Root]:
    """Keys on the axes that differ, each with a value that makes the axis fit if it goes up, or down, with the key."""
    e = r.item
    if e is None or e.shape is None or len(r.shape) != len(e.shape):
        return set()
    texts = axes_of(e.slot.shape)
    out: set[Root] = set()
    for text, stored, wanted in zip(texts, r.shape, e.shape, strict=False):
        if stored == wanted or not stored or not wanted or len(texts) != len(e.shape):
            continue
        for name in closure(e.owner, text) & e.owner.family.keys.keys():
            v = e.owner.value(name)
            if v is None or v.origin != "config" or not isinstance(v.value, int) or isinstance(v.value, bool):
                continue
            for up, down in ((stored, wanted), (wanted, stored)):
                if not v.value * up % down:
                    out.add(Root(name, v.value, v.value * up // down))
    return out


def _explains(s: Settings, rows: Sequence[Row], wrong: set[str]) -> bool:
    shapes: dict[tuple[str, int | None], object] = {}
    for r in rows:
        e: Expected | None = r.item
        if e is None or e.shape is None:
            continue
        at = (e.slot.shape, e.layer if s.varies(_text(e)) else None)
        if at not in shapes:
            shapes[at] = _shape(s, e)
        new = shapes[at]
        # A packed tensor may stand for either shape.
        was, fits = r.tensor.name not in wrong, new == r.shape or (r.packed is not None and _fits(r, new))
        if not fits and not (was and new == e.shape):
            return False
    return True


def _fits(r: Row, shape: object) -> bool:
    return r.packed is not None and isinstance(shape, tuple) and r.packed.fits(shape)


def _text(e: Expected) -> str:
    return f"({e.slot.shape},)" if e.slot.shape else "()"


def _shape(s: Settings, e: Expected) -> object:
    try:
        found = s.evaluate(_text(e), -1 if e.layer is None else e.layer)
    except (UnknownValue, ArithmeticError, TypeError, IndexError):
        return None
    return tuple(found) if isinstance(found, (tuple, list)) else None


__all__ = ["Root", "root"]

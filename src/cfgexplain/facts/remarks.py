"""What a model computes beside what its drawing shows, with the numbers of its config."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.families.remarks import AXES, FORMULAS, REMARKS, SEEN, SIZED, Remark
from cfgexplain.fold import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfgexplain.report import RemarkR
    from cfgexplain.subject import Subject

#: The longest word of a config that a remark repeats.
LONGEST: Final = 40
#: Layers looked at, and numbers of layers in a list before it is shortened.
MOST: Final = 4096
FEW: Final = 4
#: Words in the names of a head's tensors that say it is more than one matrix.
TRANSFORMS: Final = ("transform.", ".dense.weight", "vocab_transform.weight", "predictions_dense")


def remarks(s: Subject) -> list[RemarkR] | None:
    """The remarks of the family that hold under this config; None without a table."""
    if not s.known:
        return None
    m = s.main
    out = [found for r in REMARKS.get(m.family.id, ()) if (found := _one(s, r)) is not None]
    words = {word for slot in m.family.body for word in SEEN if word in slot.name}
    names = {SEEN[w] for w in words if any(p.main and p.role != "buffer" and w in p.tensor for p in s.expected)}
    if any(r["name"].startswith("indexer-") for r in out):  # which says more
        names.discard("indexer")
    out += [_told(n, value=_rows(s, n) if n in SIZED else None) for n in dict.fromkeys(SEEN.values()) if n in names]
    out += _of_images(s)
    head = m.family.heads.get(m.cls, ())
    if any(x.role == "lm-head" for x in head) and any(
        x.role == "other" and any(t in x.name for t in TRANSFORMS) for x in head
    ):
        out.append(_told("head-transform"))
    return out


def _of_images(s: Subject) -> Iterator[RemarkR]:
    """What the wrapper of a language model does with an image's tokens in it."""
    if not AXES.isdisjoint(x.family.id.removesuffix("_text") for x in (s.top, s.main)):
        for name in ("rope_parameters", "rope_scaling"):
            given = walk(s.main.config, f"{name}.mrope_section")
            if isinstance(given, list) and given and all(type(n) is int for n in given):
                yield _told("axes", s.main.dotted(f"{name}.mrope_section"), ", ".join(map(str, given[:FEW])))
                break
    todo = [s.top]
    while todo:
        x = todo.pop()
        todo += x.parts.values()
        fed = x.value("deepstack") if "deepstack" in x.family.keys else None
        if fed is not None and isinstance(fed.value, (list, tuple)) and fed.value:
            layers = ", ".join(str(n) for n in fed.value[:MOST])[:LONGEST]
            yield _told("deepstack", ".".join(n for n in (x.path, fed.key) if n), layers)


def _rows(s: Subject, name: str) -> str:
    """Rows of the tables that a remark is about, one number for each of them."""
    words = [w for w, found in SEEN.items() if found == name]
    sizes = [p.shape[0] for p in s.expected if p.main and p.shape and any(w in p.tensor for w in words)]
    return ", ".join(f"{n:,}" for n in sizes[:MOST]) or "?"


def _told(name: str, key: str | None = None, value: float | str | bool | None = None) -> RemarkR:
    return {"name": name, "key": key, "value": value}


def _one(s: Subject, r: Remark) -> RemarkR | None:
    m = s.main
    if r.when and not m.maybe(r.when):
        return None
    if r.each:
        return _of_layers(s, r)
    if r.rule:
        value = m.maybe(r.rule)
        if not isinstance(value, (int, float, str)) or value in r.off:
            return None
        given = r.key and isinstance(walk(m.config, r.key), (int, float))
        return _told(r.name, s.main.dotted(r.key) if given else None, value) if _finite(value) else None
    if not r.key:
        return _told(r.name)
    value = walk(m.config, r.key)
    value = value if isinstance(value, (int, float, str, bool, type(None))) else _list(value, r.default)
    if isinstance(value, str):
        value = value[:LONGEST]
    if value in r.off and not (isinstance(value, bool) and not any(value is x for x in r.off)):
        return None
    if r.usual and isinstance(value, (int, float)):
        usual = m.maybe(r.usual)
        if isinstance(usual, (int, float)) and math.isclose(value, usual):
            return None
    return _told(r.name, s.main.dotted(r.key), value) if _finite(value) else None


def _finite(value: float | str | bool | None) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _of_layers(s: Subject, r: Remark) -> RemarkR | None:
    """A remark of some layers: its value is what the rule gives in them, or which ones they are."""
    m = s.main
    here = [i for i in range(min(m.int("layers") or 0, MOST)) if m.maybe(r.each, i)]
    if not here:
        return None
    if not r.rule:
        return _told(r.name, None, listed(here))
    values = {str(m.maybe(r.rule, i)) for i in here}
    value = m.maybe(r.rule, here[0]) if len(values) == 1 else ", ".join(sorted(values)[:FEW])
    return _told(r.name, None, value) if isinstance(value, (int, float, str)) else None


def listed(layers: list[int]) -> str:
    """Numbers of layers in short: ``3-59``, or ``2, 4, …, 40`` for many at one distance from each other."""
    steps = {b - a for a, b in pairwise(layers)}
    if len(layers) > FEW and len(steps) == 1 and steps != {1}:
        return f"{layers[0]}, {layers[1]}, …, {layers[-1]}"
    shown = ranges(layers).split(",")
    return ", ".join(shown if len(shown) <= 2 * FEW else [*shown[: 2 * FEW - 1], "…", shown[-1]])


def _list(value: object, default: float | str | bool | None) -> float | str | bool | None:
    """A key that is absent has its default; of a list only that it is there."""
    if isinstance(value, list):
        return True if any(value) else None
    return None if isinstance(value, dict) else default


def formula(s: Subject, gated: bool | None, activation: str | None) -> str | None:
    """What stands between a feed-forward block's matrices; None where it is not known."""
    if gated is None:
        return None
    act = (activation or "")[:LONGEST]
    special = FORMULAS.get(s.main.family.id) if s.known and gated else None
    if special is None:
        return None if not act else f"{act}(gate) × up" if gated else f"{act}(up)"
    text, keys = special
    values: dict[str, object] = {"act": act or "act"}
    for name, default in keys:
        found = walk(s.main.config, name)
        number = default if not isinstance(found, (int, float)) or isinstance(found, bool) else found
        values[name.rpartition("_")[2]] = f"{number:g}"
    return text.format(**values)


__all__ = ["formula", "remarks"]

"""What a model computes beside what its drawing shows, with the numbers of its config."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.families.remarks import FORMULAS, REMARKS, SEEN, Remark

if TYPE_CHECKING:
    from cfgexplain.report import RemarkR
    from cfgexplain.subject import Subject

#: The longest word of a config that a remark repeats.
LONGEST: Final = 40
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
    out += [_told(name) for name in dict.fromkeys(SEEN.values()) if name in names]
    head = m.family.heads.get(m.cls, ())
    if any(x.role == "lm-head" for x in head) and any(
        x.role == "other" and any(t in x.name for t in TRANSFORMS) for x in head
    ):
        out.append(_told("head-transform"))
    return out


def _told(name: str, key: str | None = None, value: float | str | bool | None = None) -> RemarkR:
    return {"name": name, "key": key, "value": value}


def _one(s: Subject, r: Remark) -> RemarkR | None:
    m = s.main
    if r.when and not m.maybe(r.when):
        return None
    if r.rule:
        value = m.maybe(r.rule)
        return _told(r.name, None, value) if isinstance(value, (int, float)) and math.isfinite(value) else None
    if not r.key:
        return _told(r.name)
    value = walk(m.config, r.key)
    value = value if isinstance(value, (int, float, str, bool, type(None))) else _list(value, r.default)
    if isinstance(value, str):
        value = value[:LONGEST]
    if value in r.off and not (isinstance(value, bool) and not any(value is x for x in r.off)):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _told(r.name, f"{m.path}.{r.key}" if m.path else r.key, value)


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

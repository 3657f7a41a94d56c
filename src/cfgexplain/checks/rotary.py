"""Rotary positions that the reference library refuses, or that turn other than the model learned.

Source: transformers 5.24, ``modeling_rope_utils.py``, RotaryEmbeddingConfigMixin and ROPE_INIT_FUNCTIONS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Listed, Problem
from cfgexplain.checks.faults import as_shown, invalid
from cfgexplain.config import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.config import Settings

#: Kind of scaling → the keys that it cannot do without. What the library fills in by itself is not among them.
REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "default": (),
    "axial": (),
    "proportional": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": ("factor",),
    "longrope": ("short_factor", "long_factor"),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
}
#: Words of older configs, or of one family's own code.
OLDER: Final = frozenset({"su", "mrope", "none", "ntk", "xpos", "original", "deepseek_yarn", "2d", "3d", "interleaved"})
#: Heads of test checkpoints, which the library lets pass.
TINY: Final = 4


def faults(m: Settings) -> Iterator[Problem]:
    """Faults of ``rope_parameters`` and ``rope_scaling`` for ``invalid-config``."""
    if "auto_map" in m.config:
        # Code of the model's own may have kinds and keys of its own.
        return
    for name in ("rope_parameters", "rope_scaling"):
        given = m.config.get(name)
        if given is None:
            continue
        if not isinstance(given, dict):
            if not any(p.pointer == pointer(m.path, name) for p in m.problems):
                yield invalid(m, "type", name, {"value": as_shown(given), "kind": "dict"})
            continue
        nested = [k for k, v in given.items() if isinstance(v, dict)]
        for key in nested:
            yield from _one(m, given[key], f"{name}.{key}")
        if not nested:
            yield from _one(m, given, name)
    yield from _odd(m)


def _one(m: Settings, rope: Mapping[str, object], path: str) -> Iterator[Problem]:
    if not rope:
        return
    word = "rope_type" if "rope_type" in rope else "type"
    kind = rope.get(word)
    if kind is None:
        kind = "default"
    if not isinstance(kind, str):
        yield invalid(m, "type", f"{path}.{word}", {"value": as_shown(kind), "kind": "str"})
        return
    if kind in OLDER or ("yarn" in kind and kind != "yarn"):
        return
    if kind not in REQUIRED:
        import difflib

        near = difflib.get_close_matches(kind.lower(), sorted(REQUIRED), 1)
        known = Listed(sorted(REQUIRED))
        values: dict[str, object] = {"value": kind, "known": known, "near": near[0] if near else ""}
        yield invalid(m, "rope-type-near" if near else "rope-type", f"{path}.{word}", values)
        return
    gone = [k for k in REQUIRED[kind] if rope.get(k) is None]
    if gone:
        yield invalid(m, "rope-keys", path, {"kind": kind, "gone": Listed(gone)})
    factor = rope.get("factor")
    if factor is None or kind not in REQUIRED or kind == "default":
        return
    if isinstance(factor, str):
        yield _string(m, f"{path}.factor", factor)
    elif not isinstance(factor, (int, float)) or isinstance(factor, bool):
        yield invalid(m, "type", f"{path}.factor", {"value": as_shown(factor), "kind": "float"})
    elif 0 < factor < 1:
        yield invalid(m, "rope-factor", f"{path}.factor", {"value": factor})


def _string(m: Settings, path: str, value: str) -> Problem:
    try:
        number = float(value[:40])
    except ValueError:
        return invalid(m, "type", path, {"value": as_shown(value), "kind": "float"})
    values: dict[str, object] = {"key": m.dotted(path), "value": value, "number": number}
    return Problem("numeric-string", "number", values, pointer=pointer(m.path, path))


def _odd(m: Settings) -> Iterator[Problem]:
    """Rotary positions turn pairs: a head of an odd size has none for its last number."""
    if "head_dim" not in m.family.keys or "theta" not in m.family.keys:
        return
    dim, given = m.value("head_dim"), m.config.get("rope_parameters")
    share = m.config.get("partial_rotary_factor")
    if isinstance(given, dict):
        share = given.get("partial_rotary_factor", share)
    if dim is None or dim.origin != "config":
        return
    size = dim.value
    if isinstance(size, int) and size > TINY and size % 2 and share in (None, 1):
        yield invalid(m, "odd-head", dim.key, {"value": size})


__all__ = ["faults"]

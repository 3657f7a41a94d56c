"""Bias tensors: which are there, which belong there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.fold import fold

if TYPE_CHECKING:
    from cfgexplain.report import BiasR
    from cfgexplain.subject import Subject


def biases(s: Subject) -> BiasR:
    """Folded names of the language model's biases; None where nothing was read or no table says what belongs."""
    m = s.match
    present = None if m is None else [r.tensor.name for r in m.rows if _bias(r.name) and r.params]
    if not s.known:
        return {
            "present": None if present is None else fold(present),
            "expected": None,
            "unexpected": None,
            "missing": None,
        }
    expected = [
        n for e in (m.items if m else s.expansion.items) if e.slot.kind == "param" and _bias(e.name) for n in e.names()
    ]
    return {
        "present": None if present is None else fold(present),
        "expected": fold(expected),
        "unexpected": None if m is None else fold(r.tensor.name for r in m.unexpected if _bias(r.name)),
        "missing": None if m is None else fold(n for e, names in m.missing if _bias(e.name) for n in names),
    }


def _bias(name: str) -> bool:
    return name.endswith("bias")

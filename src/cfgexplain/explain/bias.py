"""Bias vectors: which belong to the architecture, which flags ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.config import walk
from cfgexplain.explain.base import Writer
from cfgexplain.fold import fold

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR

#: Patterns of names that one sentence lists.
MOST: Final = 6


def biases(c: Scope) -> ExplanationR | None:
    """What is expected by the table, and what the config's switches say."""
    found = c.report["bias"]
    if found is None:
        return None
    w = Writer(c, "bias")
    expected = found["expected"]
    if expected:
        kept = _own(c)
        others, expected = len(kept) < len(expected), kept
    else:
        others = False
    if expected is None:
        if found["present"] is None:
            return None
        w.say("inferred", count=len(found["present"]))
    elif not expected:
        w.say("none", family=c.subject.main.family.id)
    else:
        w.say("some", family=c.subject.main.family.id, where=w.listed(expected[:MOST]))
        if len(expected) > MOST:
            w.say("more", count=len(expected) - MOST)
    if others:
        w.say("others")
    flags = _flags(c, w)
    if flags:
        w.say("flags", flags=w.listed(flags))
    elif expected is not None:
        w.say("no-flags", family=c.subject.main.family.id)
    return w.done("bias", bool(expected) if expected is not None else None, "config" if flags else "derived")


def _own(c: Scope) -> list[str]:
    """Patterns of the language model's biases: not a tower's, and not a state space's step, called dt_bias."""
    s = c.subject
    items = s.match.items if s.match else s.expansion.items
    return fold(
        n
        for e in items
        if e.main and e.slot.kind == "param" and e.name.endswith("bias") and not e.name.endswith("dt_bias")
        for n in e.names()
    )


def _flags(c: Scope, w: Writer) -> list[str]:
    """The keys that switch biases on in this family, with their values: ``attention_bias = false``."""
    m = c.subject.main
    out: list[str] = []
    for name, key in m.family.keys.items():
        words = key.names[0] if key.names else ""
        if "bias" not in words.split("_"):  # position_biased_input is another matter
            continue
        value = m.value(name)
        if value is not None and isinstance(value.value, bool):
            given = next((n for n in key.names if isinstance(walk(m.config, n), bool)), None)
            word = "true" if value.value else "false"
            out.append(w.words("flag.config" if given else "flag.default", key=given or words, value=word))
    return out

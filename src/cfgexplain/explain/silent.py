"""What no header shows: the parts of the trained function that leave no trace in names and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import Writer, number

if TYPE_CHECKING:
    from cfgexplain.explain.base import Scope
    from cfgexplain.report import ExplanationR

#: Canonical names, in this order, that are told by their config keys where the family reads them.
KEYS: Final = ("theta", "window")


def unseen(c: Scope) -> ExplanationR | None:
    """The values that have to be right without anything to check them by."""
    norm, ffn, model = c.report["norm"], c.report["ffn"], c.report["model"]
    if norm is None or ffn is None or model is None or not c.subject.known:
        return None
    w = Writer(c, "unseen")
    names: list[str] = []
    eps = norm["eps"]
    if eps["value"] is not None and eps["key"]:
        names.append(f"{eps['key'].rpartition('.')[2]} = {number(eps['value'])}")
    m = c.subject.main
    rotary = model["positions"]["kind"] == "rope"
    mix = (c.report["layers"]["mix"] if c.report["layers"] else None) or {}
    windowed = "sliding" in mix or "chunked" in mix
    for name in KEYS:
        if not (rotary if name == "theta" else windowed):
            continue
        value = m.value(name) if name in m.family.keys else None
        if value is not None and value.key and isinstance(value.value, (int, float)):
            names.append(f"{value.key.rpartition('.')[2]} = {value.value}")
    act = m.value("act") if "act" in m.family.keys else None
    if act is not None and act.key and ffn["activation"]:
        names.append(f"{act.key.rpartition('.')[2]} = {ffn['activation']}")
    if not names:
        return None
    w.say("values", names=w.listed(names))
    if rotary:
        w.say("rotary")
    if ffn["gated"]:
        w.say("gate")
    if norm["gain"] == "1+w":
        w.say("offset")
    w.say("quiet")
    return w.done("unseen", None, "derived")

"""ε: positive, finite, of a usual size, given once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cfgexplain.checks.base import Check, Context, Problem
from cfgexplain.config import pointer, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Published models lie well inside: 1e-12 (BERT) to 1e-5 and a few at 1e-3.
USUAL = (1e-13, 1e-3)
#: Names of ε in one family or another: a value under the wrong one is not read, and nothing says so.
UNREAD = (
    "rms_norm_eps",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "norm_eps",
    "norm_epsilon",
    "rms_norm_epsilon",
    "layernorm_epsilon",
    "layernorm_eps",
    "rmsnorm_eps",
    "eps",
    "epsilon",
)
#: Half the smallest fp16 subnormal, 2^-24: what is below rounds to zero.
FP16_ZERO = 2.0**-25


def missing(c: Context) -> Iterable[Problem]:
    """The family reads a key that the config lacks, so the library's default applies."""
    s = c.subject
    key = s.main.family.norm.eps
    name = s.main.literal(key)
    if not s.known or s.checkpoint.config is None or not isinstance(name, str) or name not in s.main.family.keys:
        return
    v = s.main.value(name)
    if v is not None and v.origin != "config" and v.key and isinstance(v.value, (int, float)):
        path = s.main.dotted(v.key)
        values: dict[str, object] = {"key": path, "value": v.value, "family": s.main.family.id}
        known = {n for k in s.main.family.keys.values() for n in k.names}
        unread = next(
            (
                (k, x)
                for k in UNREAD
                if k not in known and isinstance(x := s.main.config.get(k), (int, float)) and not isinstance(x, bool)
            ),
            None,
        )
        if unread is None:
            yield Problem("eps-missing", "default", values)
        else:
            values |= {"other": unread[0], "given": unread[1]}
            yield Problem("eps-missing", "unread", values, pointer=pointer(s.main.path, unread[0]))


def _value(c: Context) -> tuple[float, str | None] | None:
    eps = c.report["norm"]["eps"] if c.report["norm"] else None
    if eps is None or eps["value"] is None or eps["source"] != "config" or eps["key"] is None:
        return None
    return eps["value"], eps["key"]


def invalid(c: Context) -> Iterable[Problem]:
    """Not a positive finite number."""
    yield from (p for p in c.subject.problems if p.check == "eps-invalid")
    found = _value(c)
    if found and not (math.isfinite(found[0]) and found[0] > 0):
        yield Problem("eps-invalid", "value", {"key": found[1], "value": found[0]}, pointer=pointer(found[1] or ""))


def unusual(c: Context) -> Iterable[Problem]:
    """Valid, but outside what models use."""
    found = _value(c)
    if found and math.isfinite(found[0]) and found[0] > 0 and not USUAL[0] <= found[0] <= USUAL[1]:
        yield Problem(
            "eps-unusual",
            "range",
            {"key": found[1], "value": found[0], "low": USUAL[0], "high": USUAL[1]},
            pointer=pointer(found[1] or ""),
        )


def conflict(c: Context) -> Iterable[Problem]:
    """Two keys that this family takes for ε, with different values."""
    m = c.subject.main
    name = m.literal(m.family.norm.eps)
    if not isinstance(name, str) or name not in m.family.keys:
        return
    given = [(k, v) for k in m.family.keys[name].names if isinstance(v := walk(m.config, k), (int, float))]
    if len({v for _, v in given}) > 1:
        yield Problem(
            "eps-conflict",
            "keys",
            {"first": given[0][0], "value": given[0][1], "second": given[1][0], "other": given[1][1]},
            pointer=pointer(m.path, given[1][0]),
        )


def underflow(c: Context) -> Iterable[Problem]:
    """Becomes zero where a kernel rounds it to the checkpoint's own dtype."""
    found = _value(c)
    model = c.report["model"]
    if not found or model is None or not 0 < found[0] <= FP16_ZERO:
        return
    stored = (
        {r.tensor.dtype for r in c.subject.match.rows if r.params and r.packed is None} if c.subject.match else set()
    )
    declared = (model["dtype"] or "").removeprefix("torch.")
    if stored == {"F16"} or (not stored and declared in ("float16", "half")):
        yield Problem("eps-underflow", "fp16", {"key": found[1], "value": found[0]}, pointer=pointer(found[1] or ""))


CHECKS = (
    Check("eps-missing", "note", missing),
    Check("eps-invalid", "error", invalid),
    Check("eps-unusual", "warning", unusual),
    Check("eps-conflict", "warning", conflict),
    Check("eps-underflow", "warning", underflow),
)

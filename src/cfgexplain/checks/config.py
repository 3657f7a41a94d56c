"""The config's own values and types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.checks import values
from cfgexplain.checks.base import Check, Context, Problem, while_reading
from cfgexplain.config import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable


def invalid_config(c: Context) -> Iterable[Problem]:
    """Known keys with impossible values, alone or together."""
    yield from (p for p in c.subject.problems if p.check == "invalid-config")
    yield from values.impossible(c)
    m = c.subject.main
    layers = m.int("layers")
    # A wrong layer count would be said twice.
    for name in ("layer_types", "ffn") if "layer-count-mismatch" not in c.faults else ():
        v = m.value(name) if name in m.family.keys else None
        if v and v.origin == "config" and isinstance(v.value, list) and layers is not None and len(v.value) != layers:
            counts: dict[str, object] = {"key": v.key, "length": len(v.value), "layers": layers}
            yield Problem("invalid-config", "length", counts, pointer=pointer(m.path, v.key))
    experts, top_k = m.int("experts"), m.int("top_k")
    if experts and top_k and top_k > experts:
        v = m.value("top_k")
        yield Problem(
            "invalid-config", "top-k", {"key": v.key if v else "", "top_k": top_k, "experts": experts},
            pointer=pointer(m.path, v.key) if v and v.origin == "config" else None,
        )


def unknown_family(c: Context) -> Iterable[Problem]:
    """No table for this model type."""
    s = c.subject
    if not s.top.family.listed:
        names: dict[str, object] = {"model_type": str(s.top.config.get("model_type")), "family": s.main.family.id}
        yield Problem(
            "unknown-family", "wrapper", names,
            pointer=pointer("model_type") if "model_type" in s.top.config else None,
        )
    if s.known:
        return
    declared = s.top.config.get("model_type")
    if isinstance(declared, str):
        near = _near(declared)
        key = f"type{'-near' if near else ''}{'' if s.match else '-config'}"
        yield Problem("unknown-family", key, {"model_type": declared, "near": near}, pointer=pointer("model_type"))
    elif s.checkpoint.config is not None:
        yield Problem("unknown-family", "guess" if s.guess else "none", {"guess": s.guess})
    else:
        yield Problem("unknown-family", "no-config", {})


def _near(declared: str) -> str:
    """The known model type that was probably meant, or ""."""
    import difflib

    from cfgexplain.families.registry import TABLES

    word = declared[:64].strip().lower().replace("-", "_")
    if word in TABLES:
        return word
    plain = word.replace("_", "")
    same = next((k for k in TABLES if k.replace("_", "") == plain), "")
    return same or next(iter(difflib.get_close_matches(word, TABLES, 1, 0.85)), "")


CHECKS = (
    Check("invalid-config", "error", invalid_config, {"rope-factor": "warning"}),
    while_reading("numeric-string", "error"),
    while_reading("non-finite-number", "warning"),
    while_reading("duplicate-key", "warning"),
    Check("unknown-family", "note", unknown_family),
)

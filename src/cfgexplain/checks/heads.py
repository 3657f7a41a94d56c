"""The output head: its own, or the embedding's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.checks.base import Check, Context, Problem, sorted_out

if TYPE_CHECKING:
    from collections.abc import Iterable


def tied_head_stored(c: Context) -> Iterable[Problem]:
    """A head that the config ties, stored beside the embedding all the same."""
    m = c.subject.match
    if m is None:
        return
    stored = [r for r in m.rows if r.role == "lm-head" and r.item is not None and r.item.slot.kind == "tied"]
    if stored and any(r.role == "embedding" for r in m.rows):
        elements = sum(r.shape[0] * r.shape[1] for r in stored if len(r.shape) == 2)
        yield Problem("tied-head-stored", "both", {"elements": elements}, tensors=tuple(r.tensor.name for r in stored))


CHECKS = (
    sorted_out("tied-head-conflict", "warning"),
    Check("tied-head-stored", "note", tied_head_stored),
)

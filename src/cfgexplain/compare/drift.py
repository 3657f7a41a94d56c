"""A model against the one that it came from: what the drift checks look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfgexplain.compare.base import TensorChanges
from cfgexplain.compare.config import config_changes
from cfgexplain.compare.structure import structure_changes
from cfgexplain.compare.tensors import Table, between

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.compare.base import Change, KeyChange, Side, TensorInfo


class Drift(NamedTuple):
    """The differences, A being the base.

    Attributes:
        base: the base as it was named.
        tensors: of what is stored, or of what the config implies for a side that was read without weights.
        stored: whether both sides' tensors were read.
        quiet: ids of tensors that are a finding already, and no drift.
    """

    base: str
    config: tuple[KeyChange, ...]
    structure: tuple[Change, ...]
    tensors: TensorChanges
    stored: bool
    quiet: frozenset[str]

    def added(self) -> Iterator[TensorInfo]:
        """Tensors that the base does not have, though it has their layer and their weight."""
        return self._own(self.tensors.added, self.tensors.only_b)

    def removed(self) -> Iterator[TensorInfo]:
        """Tensors that only the base has, though their layer and their weight are there."""
        return self._own(self.tensors.removed, self.tensors.only_a)

    def _own(self, tensors: Iterable[TensorInfo], gone: frozenset[tuple[str, int | None]]) -> Iterator[TensorInfo]:
        found = [x for x in tensors if x.main]
        ids = {x.id for x in found}
        for x in found:
            if not (x.place[1] is not None and x.place in gone) and x.weight not in ids and x.id not in self.quiet:
                yield x


def drift(base: Side, x: Side) -> Drift:
    """Everything in which ``x`` differs from its base."""
    matches = (base.subject.match, x.subject.match)
    if any(m is not None and m.misfit for m in matches):
        # Names of another layout: that is the finding.
        tensors = TensorChanges()
    else:
        tensors = between(Table(base), Table(x))
    return Drift(
        base.subject.checkpoint.target.input,
        tuple(config_changes(base, x)),
        tuple(structure_changes(base, x)),
        tensors,
        None not in matches,
        _quiet(x, tensors),
    )


def _quiet(x: Side, tensors: TensorChanges) -> frozenset[str]:
    """Biases that an exporter of quantized models wrote, where the architecture has no place for them."""
    m = x.subject.match
    if m is None or x.report["quantization"] is None:
        return frozenset()
    strange = {r.tensor.name for r in m.unexpected}
    return frozenset(t.id for t in tensors.added if t.weight and t.stored in strange)


__all__ = ["Drift", "drift"]

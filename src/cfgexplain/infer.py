"""Roles from names and shapes, for a model type without a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cfgexplain.match import Match, Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfgexplain.checkpoint import Tensor
    from cfgexplain.config import Settings


def infer(tensors: Sequence[Tensor], s: Settings, complete: bool) -> Match:
    """Every tensor with the role that its name and shape show."""
    return Match(tuple(Row(t, t.name, "unclassified", "", None, None, math.prod(t.shape), t.shape) for t in tensors), ())


def guess(config: Mapping[str, object]) -> str | None:
    """The family that the class name in ``architectures`` points to, or None."""
    return None

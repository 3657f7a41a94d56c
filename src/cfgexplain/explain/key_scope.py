"""What the functions that add a model's numbers to a key's text get: the key, its owner, and numbers by spelling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from cfgexplain.config import LARGEST, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.config import Settings
    from cfgexplain.explain.base import Scope, Writer

    #: Adds sentences and formula lines where the numbers that they need are known.
    Numbers = Callable[["KeyScope", "Writer"], None]


class KeyScope(NamedTuple):
    """One key of one model.

    Attributes:
        scope: the model, its report, the language.
        owner: settings of the model (or tower) whose config holds the key.
        path: dotted path in the whole config.
        value: what it is, whether from the config or not; None where unknown.
    """

    scope: Scope
    owner: Settings
    path: str
    value: object

    @property
    def main(self) -> bool:
        """Whether it belongs to the language model that the report is about."""
        return self.owner is self.scope.subject.main

    @property
    def leaf(self) -> str:
        """The key's own name, without its place."""
        return self.path.rpartition(".")[2]

    def find(self, *spellings: str) -> object | None:
        """A value by any of its spellings: through the family's table with its default, else from the config itself."""
        keys = self.owner.family.keys
        for spelling in spellings:
            name = next((n for n, k in keys.items() if spelling in k.names), None)
            if name is not None:
                return self.owner.known(name)
            raw = walk(self.owner.config, spelling)
            if isinstance(raw, (int, float, str, bool, list, dict)):
                return raw
        return None

    def number(self, *spellings: str) -> float | None:
        """A positive number by its spellings, or None."""
        return positive(self.find(*spellings))

    def whole(self, *spellings: str) -> int | None:
        """A positive whole number by its spellings, or None."""
        found = positive(self.find(*spellings))
        return int(found) if found is not None and found == int(found) else None

    def known(self, name: str) -> int | None:
        """A positive whole number by the family's own canonical name, or None."""
        found = self.owner.int(name)
        return found if found is not None and found > 0 else None


def positive(x: object) -> float | None:
    """A finite number above zero and of a sensible size, or None."""
    if isinstance(x, bool) or not isinstance(x, (int, float)) or not 0 < x < LARGEST:
        return None
    return x if isinstance(x, int) or math.isfinite(x) else None


def short(x: float) -> str:
    """A number in at most six digits: 0.0884, 1.5e-07, 62,832."""
    if abs(x) >= 1e15:
        return f"{x:.3e}"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.4g}"

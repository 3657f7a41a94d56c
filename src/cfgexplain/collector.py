"""Python's cycle collector, out of the way while many small objects are made that hold no cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: With fewer tensors than this the collector has little to walk over.
MANY: Final = 20_000


@contextmanager
def paused(kept: bool = False) -> Iterator[None]:
    """No collection within: over a tree of a million new objects the collector would walk again and again in vain.

    ``kept``: what was made stays for as long as the process has anything to do, so that it is not walked after either.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if kept:
            gc.freeze()
        if collecting:
            gc.enable()

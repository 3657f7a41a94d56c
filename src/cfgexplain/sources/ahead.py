"""Hub models read ahead: while one is explained, the next ones are asked for, a few at once.

All share the transport's client and its pool of requests; the threads here only wait for those.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from cfgexplain.sources.pool import Pool, Progress, terminal, wait

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future

    from cfgexplain.checkpoint import Checkpoint
    from cfgexplain.sources.options import Options
    from cfgexplain.sources.spec import Spec

#: Models at once. What they hold in memory is bounded by this.
_AT_ONCE: Final = 8


class Ahead:
    """The models of one command, read in the order in which they are named."""

    def __init__(self, specs: Iterable[Spec], options: Options) -> None:
        self._options = options
        self._pool = Pool(_AT_ONCE, "cfgexplain-model")
        self._queue = deque(specs)
        self._futures: dict[str, Future[Checkpoint]] = {}
        from cfgexplain.lang import catalogue

        template = catalogue(options.lang).finding("note", "progress-models")[0]
        self._progress = Progress(terminal() if options.progress else None, template)
        for _ in self._queue:
            self._progress.ask()
        self._more()

    def _more(self) -> None:
        from cfgexplain.sources.hub import load_hub

        while self._queue and len(self._futures) < _AT_ONCE:
            spec = self._queue.popleft()
            future = self._pool.submit(load_hub, spec, self._options._replace(progress=False))
            future.add_done_callback(lambda _: self._progress.answer())
            self._futures[spec.input] = future

    def take(self, text: str, options: Options) -> Checkpoint | None:
        """The model of a target, waited for; None where it was not read ahead. Raises what its reading raised."""
        future = self._futures.pop(text, None) if options == self._options else None
        if future is None:
            return None
        self._more()
        try:
            return wait(future, self._progress)
        finally:
            self._progress.clear()

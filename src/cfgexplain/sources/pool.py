"""Threads that ask the hub, and the wait for what they bring.

Daemon threads: an interrupted run ends at once, however long a server keeps one of them waiting.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

P = ParamSpec("P")
T = TypeVar("T")

#: Work that takes longer than this many seconds is shown on a terminal.
_PATIENCE: Final = 1.0
#: Seconds between two looks. On Windows a wait without end would not hear ctrl-C.
_LOOK: Final = 0.1
#: Threads beyond ``size`` that may stand in for ones that a server holds.
_MOST_LOST: Final = 256


class Pool:
    """At most ``size`` calls at once, in the order in which they came.

    Args:
        size: threads at most; each is started when there is work for it.
        name: of the threads.
    """

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._open = 0
        self._lost = 0

    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Has ``call`` run on a thread of the pool."""
        future: Future[T] = Future()
        with self._lock:
            self._open += 1
            start = self._threads < min(self._open, self._size + self._lost)
            self._threads += start
        self._queue.put((future, partial(call, *args, **kwargs)))
        if start:
            try:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
            except RuntimeError:  # no more threads in this system: those that are there do the work
                with self._lock:
                    self._threads -= 1
                    alone = not self._threads
                if alone:
                    raise
        return future

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        return not self._open

    def abandon(self, future: Future[Any]) -> None:
        """Nobody waits for this one any more: its thread, if a server holds it, no longer counts."""
        if not future.cancel() and not future.done():
            with self._lock:
                self._lost = min(self._lost + 1, _MOST_LOST)

    def _work(self) -> None:
        while True:
            future, call = self._queue.get()
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as e:  # noqa: BLE001 - handed to whoever waits, as it is
                    future.set_exception(e)
                else:
                    future.set_result(result)
                    del result
            with self._lock:
                self._open -= 1
            del future, call


class Progress:
    """One line on standard error: how much of the work is done. Only on a terminal, only after a second."""

    def __init__(self, stream: TextIO | None, template: str) -> None:
        """``template`` takes ``done`` and ``asked``. ``stream`` None, or no terminal, shows nothing."""
        self._stream = stream if stream is not None and stream.isatty() else None
        self._template = template
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._shown = ""
        self._asked = 0
        self._done = 0

    def ask(self) -> None:
        with self._lock:
            self._asked += 1

    def answer(self) -> None:
        with self._lock:
            self._done += 1

    def look(self) -> None:
        """Shows the line anew where it has changed. For the main thread."""
        if self._stream is None or time.monotonic() - self._began < _PATIENCE:
            return
        line = self._template.format(done=self._done, asked=self._asked)
        if line != self._shown:
            self._write("\r" + line.ljust(len(self._shown)))
            self._shown = line

    def clear(self) -> None:
        """Takes the line away."""
        if self._shown:
            self._write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""

    def _write(self, text: str) -> None:
        try:
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()
        except (OSError, ValueError):
            self._stream = None


def wait(future: Future[T], progress: Progress | None = None, seconds: float | None = None) -> T:
    """The result of a future. Raises what it raised, and TimeoutError after ``seconds``."""
    end = None if seconds is None else time.monotonic() + seconds
    if threading.current_thread() is not threading.main_thread():
        return future.result(seconds)
    while True:
        left = _LOOK if end is None else min(_LOOK, end - time.monotonic())
        try:
            return future.result(max(left, 0.0))
        except TimeoutError:
            if future.done():
                return future.result()  # just now, or the call itself raised TimeoutError
            if end is not None and time.monotonic() >= end:
                raise
            if progress is not None:
                progress.look()


def terminal() -> TextIO | None:
    """Standard error, where progress may be shown: a terminal that can go back to the start of its line."""
    import os

    return sys.stderr if os.environ.get("TERM") != "dumb" else None

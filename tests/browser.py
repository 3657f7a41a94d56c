"""Headless Chromium, spoken to through its debugging pipe (file descriptors 3 and 4; messages end with a NUL)."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip
SECONDS = 60.0


def found() -> str | None:
    """The browser's path, or None where none is installed."""
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Seen(NamedTuple):
    """What happened while a page was open: lines on its console, faults, addresses that it asked for."""

    console: list[str]
    requests: list[str]


class Browser:
    """One running browser with one page."""

    def __init__(self, profile: Path) -> None:
        path = found()
        assert path
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def wire() -> None:
            # Out of the way first: one of the two may already be 3 or 4.
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self._process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=wire,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._count = 0
        self._events: list[dict[str, Any]] = []
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """Ends the browser."""
        self._process.terminate()
        self._process.wait(20)
        os.close(self._to)
        os.close(self._from)

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._from, 1 << 20)
            assert data, "the browser has gone"
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        return message

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A command and its answer; events on the way are kept."""
        self._count += 1
        command: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._to, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            m = self._message(until)
            if m.get("id") == self._count:
                assert "error" not in m, m
                result: dict[str, Any] = m["result"]
                return result
            self._events.append(m)

    def open(self, url: str, width: int, dark: bool = False) -> Seen:
        """Shows a page at a width and waits until it has loaded."""
        self._events.clear()
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[theme])
        self.call("Page.navigate", url=url)
        until = time.monotonic() + SECONDS
        while not any(e.get("method") == "Page.loadEventFired" for e in self._events):
            self._events.append(self._message(until))
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(1), 50)))")
        console: list[str] = []
        requests: list[str] = []
        for e in self._events:
            kind, p = e.get("method"), e.get("params", {})
            if kind == "Log.entryAdded":
                console.append(p["entry"]["text"])
            elif kind == "Runtime.consoleAPICalled":
                console.append(str(p["args"]))
            elif kind == "Runtime.exceptionThrown":
                console.append(p["exceptionDetails"]["text"])
            elif kind == "Network.requestWillBeSent":
                requests.append(p["request"]["url"])
        return Seen(console, requests)

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

"""The environment of every test: no token, no proxy, no colour, no cache of the user's; no network but loopback."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hub_fixtures import hub, servers  # noqa: F401 - fixtures

_SCRUBBED = (
    "HF_",
    "HUGGING",
    "CFGEXPLAIN_",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "COLUMNS",
    "LANG",
    "LC_",
    "GITHUB_",
    "TERM",
)


@pytest.fixture(autouse=True)
def scrubbed(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing of the machine's own settings reaches a test."""
    for name in list(os.environ):
        if name.startswith(_SCRUBBED) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "HF_HOME"):
        monkeypatch.setenv(name, str(home))


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anywhere but this machine is a fault of the test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and str(address[0]) not in (
            "127.0.0.1",
            "::1",
            "localhost",
        ):
            raise AssertionError(f"a test connects to {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)

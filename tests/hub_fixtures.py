"""A fresh emulator for each test that asks for ``hub``, and ways to read from it within bounds."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources import Options
from cfgexplain.sources.client import connect
from cfgexplain.sources.hub import load_hub
from cfgexplain.sources.spec import parse_target
from cfgexplain.sources.transport import Transport
from hub_server import Hub, Repo, hub_servers
from weights import sharded, single

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cfgexplain.checkpoint import Checkpoint

SECRET = "hf_good"  # noqa: S105 - the emulator's own


@pytest.fixture(scope="session")
def servers() -> Iterator[Hub]:
    with hub_servers() as hub:
        yield hub


@pytest.fixture
def hub(servers: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A fresh hub, and an environment in which the hub library knows no other."""
    for name in list(os.environ):
        if name.startswith(("HF_", "HUGGING", "TRANSFORMERS_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("CFGEXPLAIN_CACHE", str(tmp_path / "own"))
    use(servers.endpoint, monkeypatch)
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    servers.reset()
    servers.repos = {"org/one": Repo(single()), "org/many": Repo(sharded(3))}
    yield servers
    # Requests that a test gave up on must not reach the next one.
    servers.reset()
    until = time.monotonic() + 1.0
    with suppress(CfgexplainError):  # a test may have left settings that cannot be used
        while not connect(Options().jobs)[1].is_idle and time.monotonic() < until:
            time.sleep(0.005)


def use(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the hub library, which reads its environment once, know this endpoint."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "ENDPOINT", endpoint.rstrip("/"))
    template = endpoint.rstrip("/") + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def load(text: str, **options: object) -> Checkpoint:
    """Reads a target, with tries that do not wait."""
    o = Options(**options)  # type: ignore[arg-type]
    spec = parse_target(text, revision=o.revision, subfolder=o.subfolder, exists=lambda _: False)
    return load_hub(spec, o, None if o.offline else Transport(o.token, o.timeout, sleep=lambda _: None))


def error(text: str, **options: object) -> CfgexplainError:
    with pytest.raises(CfgexplainError) as caught:
        load(text, **options)
    e = caught.value
    assert (e.message + e.hint).isprintable()
    assert SECRET not in e.message + e.hint
    assert len(e.message) < 400
    return e


class Bound(NamedTuple):
    seconds: float
    body_bytes: int
    requests: int


@contextmanager
def bounded(hub: Hub, seconds: float = 3.0, body_bytes: int = 300_000, requests: int = 24) -> Iterator[Bound]:
    """Fails where what is within takes longer, has more bytes sent, or asks more often.

    Twice the seconds are allowed, for a machine that is busy with other things.
    """
    hub.forget()
    began = time.monotonic()
    yield Bound(seconds, body_bytes, requests)
    took = time.monotonic() - began
    sent = sum(s.body_bytes for s in hub.seen)
    assert took < 2 * seconds, f"{took:.1f} s"
    assert sent <= body_bytes, f"{sent:,} bytes"
    assert len(hub.seen) <= requests, [s.path for s in hub.seen]

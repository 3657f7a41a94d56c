"""Against olah, a mirror of the hub that others wrote: serving a git repo of its own, and standing before the emulator.

Skipped where ``olah-cli`` is not installed; OLAH_CLI names it where it is not on the PATH.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from hub_fixtures import load, use
from hub_server import Hub, Repo
from weights import layer, sharded, single, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLAH = os.environ.get("OLAH_CLI") or shutil.which("olah-cli")
pytestmark = pytest.mark.skipif(OLAH is None, reason="olah is not installed")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def git(folder: Path, *words: str) -> str:
    names = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "init.defaultBranch=main"]
    found = shutil.which("git") or "git"
    words = (found, *names, *words)
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(params=[True, False], ids=["alone", "before a hub"])
def mirror(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[dict[str, str]]:
    """olah with git repos of its own (org/git-one, org/git-many); where it is not alone, it asks the emulator."""
    hub.repos["org/git-one"] = Repo(single())
    hub.repos["org/git-many"] = Repo(sharded(3))  # it serves its own, but asks whether they are there
    commits = {}
    for name, files in (("git-one", single()), ("git-many", sharded(3))):
        folder = write(tmp_path / "mirrors" / "models" / "org" / name, files)
        git(folder, "init")
        git(folder, "add", ".")
        git(folder, "commit", "-m", "x")
        commits[name] = git(folder, "rev-parse", "HEAD")
    port = free_port()
    settings = tmp_path / "olah.toml"
    settings.write_text(
        f'[basic]\nhost = "127.0.0.1"\nport = {port}\nrepos-path = "{tmp_path / "repos"}"\n'
        f'mirrors-path = ["{tmp_path / "mirrors"}"]\nhf-scheme = "http"\nhf-netloc = "{hub.endpoint[7:]}"\n'
        f'hf-lfs-netloc = "{hub.cdn[7:]}"\nmirror-scheme = "http"\nmirror-netloc = "127.0.0.1:{port}"\n'
        f'mirror-lfs-netloc = "127.0.0.1:{port}"\n[accessibility]\noffline = {str(request.param).lower()}\n',
        encoding="utf-8",
    )
    assert OLAH is not None
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    log = (tmp_path / "olah.log").open("wb")
    process = subprocess.Popen(
        [OLAH, "--config", str(settings), "--log-path", str(tmp_path / "logs")],
        cwd=tmp_path, env=env, stdout=log, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        for _ in range(200):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (tmp_path / "olah.log").read_text(encoding="utf-8")[-2000:]
            time.sleep(0.1)
        use(f"http://127.0.0.1:{port}", monkeypatch)
        yield commits
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def test_olah_serves_its_own_git_repo(hub: Hub, mirror: dict[str, str]) -> None:
    for name, count in (("git-one", 6), ("git-many", 9)):
        for target in (f"org/{name}", f"org/{name}@{mirror[name]}"):
            c = load(target, no_cache=True)
            assert (len(c.tensors or ()), c.problems, c.complete) == (count, (), True)
            assert c.target.commit in (None, mirror[name])


@pytest.mark.parametrize("mirror", [False], indirect=True)
def test_olah_stands_before_a_hub(hub: Hub, mirror: dict[str, str]) -> None:
    hub.lists_headers = True
    hub.repos["org/wide"] = Repo(sharded(9))
    for target, count in (("org/one", 6), ("org/many", 9), ("org/wide", 27)):
        for _ in range(2):
            c = load(target, no_cache=True)
            assert (len(c.tensors or ()), c.problems, c.complete, c.target.commit) == (count, (), True, "a" * 40)
        load(target)
        assert load(target).tensors == c.tensors
    assert layer(0).keys() <= {t.name for t in c.tensors or ()}

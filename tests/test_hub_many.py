"""Many targets at once, progress on a terminal, and ctrl-C."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cfgexplain.sources import Options, open_target, read_ahead, store
from cfgexplain.sources.pool import Pool, Progress, wait
from cli import run
from hub_server import Hub, Repo
from weights import sharded, single, write

if TYPE_CHECKING:
    from hub_wire import Reply, Request


def test_many_targets_are_read_at_once_and_told_in_order(hub: Hub, tmp_path: Path) -> None:
    names = [f"org/m{k}" for k in range(12)]
    hub.repos |= {name: Repo(single() if k % 2 else sharded(3), commit=f"{k:040x}") for k, name in enumerate(names)}
    hub.wire.latency = 0.3
    here = str(write(tmp_path / "here", single()))
    targets = [*names[:6], here, "org/absent", "no such path/x.json", *names[6:]]
    began = time.monotonic()
    outcome = run(*targets, "--format", "jsonl")
    took = time.monotonic() - began
    reports = [json.loads(line) for line in outcome.out.splitlines()]
    assert [r["target"]["input"] for r in reports] == targets
    assert [r["error"] and r["error"]["kind"] for r in reports if r["error"]] == ["not-found", "not-found"]
    assert [r["target"]["commit"] for r in reports if r["target"]["repo_id"]] == [f"{k:040x}" for k in range(12)]
    assert outcome.code == 3
    assert took < 12 * 0.6 * 0.8, "one after the other"


def test_targets_from_a_list_share_the_connections(hub: Hub, tmp_path: Path) -> None:
    names = [f"org/m{k}" for k in range(30)]
    hub.repos |= {name: Repo(single()) for name in names}
    (tmp_path / "list").write_text("\n".join(names), encoding="utf-8")
    outcome = run("check", "--targets-from", str(tmp_path / "list"), "--format", "jsonl", "--fail-on", "never")
    assert (outcome.code, len(outcome.out.splitlines())) == (0, 30)
    assert len([s for s in hub.seen if s.server == "cdn"]) == 30


def test_both_sides_of_a_diff_are_read_at_once(hub: Hub) -> None:
    hub.wire.latency = 0.1
    outcome = run("diff", "org/one", "org/many", "--json")
    assert json.loads(outcome.out)["diff"] is not None
    firsts = [e for e in hub.wire.log if e.request.path.endswith("config.json")]
    assert abs(firsts[0].came - firsts[1].came) < 0.2
    assert json.loads(run("diff", "org/one", "org/one", "--json").out)["diff"]["same"]


def test_read_ahead_is_bounded_and_forgets(hub: Hub) -> None:
    names = [f"org/m{k}" for k in range(40)]
    hub.repos |= {name: Repo(single()) for name in names}
    read_ahead(names, Options(no_cache=True))
    time.sleep(0.5)
    asked = {s.path.split("/")[2] for s in hub.seen if "resolve" in s.path}
    assert len(asked) <= 8, asked
    for name in names:
        assert open_target(name, Options(no_cache=True)).target.input == name
    hub.forget()
    assert open_target(names[0], Options(no_cache=True)).target.input == names[0]
    assert hub.seen, "a model that was handed out once is handed out again"
    read_ahead([], Options())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_a_terminal_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        now[0] = 0.0
        p = Progress(stream, "{done} of {asked}")
        for _ in range(3):
            p.ask()
        p.answer()
        p.look()
        assert stream.getvalue() == ""
        now[0] = 1.1
        p.look()
        p.look()
        p.answer()
        p.look()
        p.clear()
    assert terminal.getvalue() == "\r1 of 3\r2 of 3\r      \r"
    assert pipe.getvalue() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
def test_progress_in_a_real_terminal(hub: Hub) -> None:
    import pty

    hub.wire.latency = 0.8
    main_end, end = pty.openpty()
    command = [sys.executable, "-m", "cfgexplain", "org/many", "--format", "jsonl"]
    env = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=end) as p:
        os.close(end)
        shown = b""
        while True:
            try:
                piece = os.read(main_end, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        out = p.stdout.read() if p.stdout else b""
    os.close(main_end)
    assert json.loads(out)["error"] is None
    assert b"answers from the hub" in shown
    assert shown.endswith(b" \r"), "the line is left behind"
    assert b"\x1b" not in shown


def test_no_progress_without_a_terminal(hub: Hub) -> None:
    hub.wire.latency = 0.5
    command = [sys.executable, "-m", "cfgexplain", "org/many", "--format", "jsonl"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("targets", [["org/one"], ["org/one", "org/many", "org/m3"]])
def test_ctrl_c_ends_at_once_and_leaves_nothing(hub: Hub, tmp_path: Path, targets: list[str]) -> None:
    def hook(word: str, request: Request, reply: Reply) -> Reply:
        reply.delay = 60.0 if word == "cdn" else 0.0
        return reply

    hub.repos["org/m3"] = Repo(single())
    hub.faults.hook = hook
    out = tmp_path / "out"
    out.mkdir()
    command = [sys.executable, "-m", "cfgexplain", *targets, "--format", "json", "-o", str(out / "report.json")]
    env = {**os.environ, "TMPDIR": str(out)}
    p = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 20
    while not hub.paths("cdn") and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.1)
    began = time.monotonic()
    p.send_signal(signal.SIGINT)
    stdout, stderr = p.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert p.returncode == 130, stderr
    assert b"Traceback" not in stderr
    assert b"interrupted" in stderr
    assert stdout == b""
    assert list(out.iterdir()) == []
    assert not Path(store.folder()).exists() or not [f for f in os.listdir(store.folder()) if f.endswith(".tmp")]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_at_any_moment(hub: Hub) -> None:
    """Also while the cache is written, and while Python starts or ends: never half a file."""
    hub.repos["org/wide"] = Repo(sharded(40))
    for k in range(5):
        command = [sys.executable, "-m", "cfgexplain", "org/wide", "--format", "jsonl"]
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.45 + 0.2 * k)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=20)
        if Path(store.folder()).exists():
            left = os.listdir(store.folder())
            assert not [f for f in left if f.endswith(".tmp")], left


def test_a_pool_runs_so_many_at_once_and_outlives_errors() -> None:
    pool = Pool(3, "test")
    running, most = [0], [0]
    lock = threading.Lock()

    def work(k: int) -> int:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        if k % 5 == 0:
            raise ValueError(k)
        return k

    futures = [pool.submit(work, k) for k in range(30)]
    for k, f in enumerate(futures):
        if k % 5 == 0:
            with pytest.raises(ValueError, match=str(k)):
                wait(f)
        else:
            assert wait(f) == k
    assert most[0] == 3


def test_a_pool_gets_over_threads_that_never_come_back() -> None:
    pool = Pool(2, "test")
    hold = threading.Event()
    stuck = [pool.submit(hold.wait, 20) for _ in range(2)]
    queued = pool.submit(hold.wait, 20)
    with pytest.raises(TimeoutError):
        wait(queued, seconds=0.05)
    for f in (*stuck, queued):
        pool.abandon(f)
    assert wait(pool.submit(lambda: 5), seconds=5) == 5
    hold.set()
    assert [wait(f) for f in stuck] == [True, True]
    assert queued.cancelled()


def test_a_result_that_comes_as_the_look_ends_is_no_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import Future

    future: Future[int] = Future()
    looks = []

    def result(seconds: float | None = None) -> int:
        looks.append(seconds)
        if len(looks) == 1:
            future.set_result(7)  # between the end of the look and what is made of it
            raise TimeoutError
        return 7

    monkeypatch.setattr(future, "result", result)
    assert wait(future, seconds=5) == 7

    def late() -> int:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        wait(Pool(1, "test").submit(late), seconds=5)

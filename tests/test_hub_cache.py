"""What is kept of hub models: few requests the second time, nothing broken is believed, and a bound on its size."""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources import store
from cfgexplain.sources.store import Entries, Kept, Store
from cli import run
from hub_fixtures import SECRET, load
from hub_server import Hub, Repo
from weights import CONFIG, layer, safetensors, sharded

if TYPE_CHECKING:
    from cfgexplain.checkpoint import Checkpoint


def settled() -> None:
    """Waits until the cache is written."""
    for t in threading.enumerate():
        if t.name == "cfgexplain-cache":
            t.join(10)


def again(hub: Hub, target: str, **options: object) -> Checkpoint:
    """The same target, after the cache was written and the requests forgotten."""
    settled()
    hub.forget()
    c = load(target, **options)
    settled()
    return c


def files(hub: Hub) -> list[Path]:
    where = Path(store.folder())
    return sorted(where.iterdir()) if where.is_dir() else []


@pytest.mark.parametrize("target", ["org/many", "org/one"])
@pytest.mark.parametrize("lists", [False, True])
def test_a_second_run_asks_once_and_a_commit_not_at_all(hub: Hub, target: str, lists: bool) -> None:
    hub.lists_headers = lists
    first = load(target)
    second = again(hub, target)
    assert [s.path for s in hub.seen] == [f"/{target}/resolve/main/config.json"]
    third = again(hub, f"{target}@{'a' * 40}")
    assert hub.seen == []
    for c in (second, third):
        assert c.tensors == first.tensors
        assert (c.config, c.index, c.weight_files) == (first.config, first.index, first.weight_files)
        assert (c.problems, c.complete, c.target.commit) == (first.problems, first.complete, "a" * 40)


def test_a_push_is_seen(hub: Hub) -> None:
    load("org/one")
    repo = hub.repos["org/one"]
    repo.commit = "b" * 40
    repo.files = {**repo.files, "model.safetensors": safetensors(layer(0))}
    c = again(hub, "org/one")
    assert (c.target.commit, len(c.tensors or ())) == ("b" * 40, 3)
    assert len(again(hub, "org/one").tensors or ()) == 3
    assert len(hub.seen) == 1


def test_access_that_was_taken_away_is_seen(hub: Hub) -> None:
    hub.repos["org/one"].gated = True
    hub.allowed = (SECRET,)
    load("org/one", token=SECRET)
    settled()
    with pytest.raises(CfgexplainError, match="gated"):
        load("org/one")


def test_a_repo_without_a_usual_name_and_one_without_a_shard(hub: Hub) -> None:
    hub.repos["org/mistral"] = Repo({"params.json": b'{"dim": 4}', "consolidated.safetensors": safetensors(layer(0))})
    gone = sharded(3)
    del gone["model-00002-of-00003.safetensors"]
    hub.repos["org/gone"] = Repo(gone)
    for target in ("org/mistral", "org/gone"):
        first = load(target)
        second = again(hub, target)
        assert len(hub.seen) == 1
        assert (second.tensors, second.problems, second.config) == (first.tensors, first.problems, first.config)


def test_a_mirror_without_commits_is_known_by_its_etags(hub: Hub) -> None:
    hub.faults.no_commit = True
    first = load("org/many")
    assert first.target.commit is None
    second = again(hub, "org/many")
    assert second.tensors == first.tensors
    assert not any("-of-" in p for p in hub.paths()), "shards are asked for again"
    hub.repos["org/many"] = Repo(sharded(2))
    assert len(again(hub, "org/many").tensors or ()) == 6
    hub.faults.no_headers = True
    load("org/one")
    again(hub, "org/one")
    assert len(hub.paths("cdn")) == 1, "kept without anything that says what it is"


def test_another_folder_endpoint_or_repo_is_another_model(hub: Hub) -> None:
    places = [("e", "r", ""), ("e", "r", "x/"), ("e2", "r", ""), ("e", "r2", ""), ("er", "", "")]
    for k, place in enumerate(places):
        Store(*place).write("k", Entries(None, {"f": Kept("file", k, b"")}))
    for k, place in enumerate(places):
        found = Store(*place).read("k")
        assert found is not None
        assert found.files["f"].size == k


def test_no_cache_leaves_no_trace_and_reads_none(hub: Hub) -> None:
    load("org/one", no_cache=True)
    assert files(hub) == []
    load("org/one")
    settled()
    hub.forget()
    load("org/one", no_cache=True)
    assert len(hub.paths("cdn")) == 1


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "other", "longer", "place", "kind", "number"])
def test_what_is_broken_is_absent_and_goes(hub: Hub, damage: str) -> None:
    load("org/many")
    settled()
    [path] = files(hub)
    data = path.read_bytes()
    if damage in ("place", "kind", "number"):
        import zlib

        packed = {"place": (b"org/many", b"org/mony"), "kind": (b'"file"', b'"five"'), "number": (b"[[", b"[{")}
        plain = zlib.decompress(data[len(store._MAGIC) :]).replace(*packed[damage], 1)
        changed = store._MAGIC + zlib.compress(plain)
    else:
        middle = len(data) // 2
        changed = {
            "cut": data[:-9],
            "flip": data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :],
            "empty": b"",
            "other": b"something else\n" + data,
            "longer": data[: len(store._MAGIC)] + b"\xff" * 500,
        }[damage]
    path.write_bytes(changed)
    hub.forget()
    assert len(load("org/many").tensors or ()) == 9
    assert len(hub.seen) > 1
    settled()
    assert path.read_bytes() == data, "it was not written anew"


def test_a_bomb_in_the_cache_is_bounded(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    import zlib

    monkeypatch.setattr(store, "_MAX_ENTRY", 20_000_000)

    load("org/one")
    settled()
    [path] = files(hub)
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(30)) + packer.flush()
    path.write_bytes(store._MAGIC + bomb)
    assert len(load("org/one").tensors or ()) == 6
    settled()


def test_its_size_is_bounded_and_the_oldest_go(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(store.folder())
    monkeypatch.setattr(store, "MAX_BYTES", 40_000)
    for k in range(8):
        Store("e", f"r{k}").write("c", Entries(None, {"f": Kept("file", None, os.urandom(9_000))}))
        for p in place.iterdir():
            os.utime(p, (k + p.stat().st_mtime - 1000, p.stat().st_mtime - 1000))
    assert sum(p.stat().st_size for p in place.iterdir()) <= 40_000
    assert Store("e", "r7").read("c") is not None
    assert Store("e", "r0").read("c") is None
    Store("e", "big").write("c", Entries(None, {"f": Kept("file", None, os.urandom(30_000))}))
    assert Store("e", "big").read("c") is None, "one entry takes more than half of it"
    assert Store("e", "r7").read("c") is not None


def test_runs_at_once_do_no_harm(hub: Hub) -> None:
    for _ in range(3):
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: load("org/many"), range(16)))
        assert {c.tensors for c in found} == {found[0].tensors}
        store.clear()
    settled()
    assert not [p for p in files(hub) if p.suffix == ".tmp"]


def test_processes_at_once_and_a_cache_that_is_emptied_meanwhile(hub: Hub) -> None:
    import subprocess

    command = [sys.executable, "-m", "cfgexplain", "org/many", "org/one", "--format", "jsonl"]
    env = {**os.environ, "HF_ENDPOINT": hub.endpoint}
    running = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    while any(p.poll() is None for p in running):
        store.clear()
    for p in running:
        out, err = p.communicate()
        assert (p.returncode, err) == (0, b"")
        assert [json.loads(line)["params"]["stored_elements"] for line in out.splitlines()] == [288, 192]
    assert not [p for p in files(hub) if p.suffix == ".tmp"]


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_cache_that_cannot_be_written_is_none(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        monkeypatch.setenv("CFGEXPLAIN_CACHE", str(place))
        assert len(again(hub, "org/one").tensors or ()) == 6
        assert store.clear().files == 0


def test_its_folder_is_the_users_own(hub: Hub) -> None:
    load("org/one")
    settled()
    if sys.platform != "win32":
        assert Path(store.folder()).stat().st_mode & 0o077 == 0
        assert files(hub)[0].stat().st_mode & 0o077 == 0
    assert SECRET.encode() not in b"".join(p.read_bytes() for p in files(hub))


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CFGEXPLAIN_CACHE", raising=False)
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setattr(os.path, "expanduser", lambda p: p.replace("~", "/home/u"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert store.folder() == os.path.join("/x", "cfgexplain")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert store.folder() == os.path.join("/home/u", ".cache", "cfgexplain")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert store.folder() == os.path.join("/home/u", "Library", "Caches", "cfgexplain")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert store.folder() == os.path.join("/local", "cfgexplain", "Cache")
    monkeypatch.setenv("CFGEXPLAIN_CACHE", str(tmp_path))
    assert store.folder() == str(tmp_path)


def test_the_command_shows_and_empties_it(hub: Hub) -> None:
    load("org/one")
    settled()
    Path(store.folder(), "note.txt").write_text("not ours", encoding="utf-8")
    assert "1 models" in run("cache").out
    assert store.folder() in run("cache", "show").out
    assert "removed 1 models" in run("cache", "clear").out
    assert [p.name for p in files(hub)] == ["note.txt"]
    assert run("cache", "burn").code == 2


# The hub library's own.


def test_the_librarys_cache_is_read_first(hub: Hub) -> None:
    from huggingface_hub import snapshot_download

    snapshot_download("org/many", endpoint=hub.endpoint)
    hub.forget()
    c = load("org/many")
    assert (len(c.tensors or ()), c.problems, c.complete) == (9, (), True)
    assert hub.paths("cdn") == []
    assert len(again(hub, "org/many").tensors or ()) == 9
    assert len(hub.seen) == 1
    store.clear()
    load(f"org/many@{'a' * 40}", config_only=True)
    hub.forget()
    assert load(f"org/many@{'a' * 40}").tensors == c.tensors
    assert len(hub.seen) <= 1, "only whether a lone file is beside the index"


def test_a_part_of_the_files_in_the_librarys_cache(hub: Hub) -> None:
    from huggingface_hub import hf_hub_download

    hf_hub_download("org/many", "model.safetensors.index.json", endpoint=hub.endpoint)
    hf_hub_download("org/many", "model-00001-of-00003.safetensors", endpoint=hub.endpoint)
    hub.forget()
    c = load("org/many")
    assert (len(c.tensors or ()), c.problems, c.complete) == (9, (), True)
    assert len(hub.paths("cdn")) == 2
    hub.repos["org/many"].commit = "b" * 40
    hub.repos["org/many"].files = sharded(2)
    assert len(again(hub, "org/many").tensors or ()) == 6, "an older commit was taken from the library's cache"


def test_a_revision_that_is_a_path_is_none_in_the_librarys_cache(hub: Hub, tmp_path: Path) -> None:
    secret = tmp_path / "cache" / "models--org--one" / "secret"
    secret.mkdir(parents=True)
    (secret / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    for revision in ("../secret", "a/../../secret", "..\\secret"):
        with pytest.raises(CfgexplainError):
            load("org/one", revision=revision)
        with pytest.raises(CfgexplainError):
            load("org/one", revision=revision, offline=True)



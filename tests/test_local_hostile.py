"""Files that change while they are read, names that are no text, and a disk that refuses."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, BinaryIO

import pytest

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources import Options, files, open_target
from cli import run, shell
from weights import index, layer, safetensors, sharded, single, write

if TYPE_CHECKING:
    from pathlib import Path

    from cfgexplain.checkpoint import Checkpoint

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="names and links of POSIX")


def load(path: Path) -> Checkpoint:
    return open_target(str(path), Options())


def error(path: Path) -> CfgexplainError:
    with pytest.raises(CfgexplainError) as caught:
        load(path)
    assert (caught.value.message + caught.value.hint).isprintable()
    return caught.value


@pytest.mark.parametrize("left", [0, 4, 8, 100])
def test_a_weight_file_that_shrinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    folder = write(tmp_path / "m", single())
    opened = files.open_regular

    def shrinking(path: str, name: str) -> tuple[BinaryIO, int]:
        file, size = opened(path, name)
        if name.endswith(".safetensors"):
            os.truncate(path, left)
        return file, size

    monkeypatch.setattr(files, "open_regular", shrinking)
    assert error(folder).kind in ("unreadable", "invalid-header")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors.index.json"])
def test_a_json_file_that_shrinks_or_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = write(tmp_path / "m", sharded(2))
    opened = files.open_regular
    for size in (20, 300_000_000):

        def changing(path: str, given: str, size: int = size) -> tuple[BinaryIO, int]:
            file, told = opened(path, given)
            if given == name:
                os.truncate(path, size)
            return file, told

        monkeypatch.setattr(files, "open_regular", changing)
        assert error(folder).kind in ("unreadable", "invalid-config", "invalid-index")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ELOOP, errno.EMFILE, errno.ESTALE, errno.ENXIO])
def test_a_disk_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    folder = write(tmp_path / "m", single())
    real = os.open

    def refusing(path: str, *args: int, **kwargs: object) -> int:
        if str(path).startswith(str(folder)):
            raise OSError(code, os.strerror(code))
        return real(path, *args)

    monkeypatch.setattr(os, "open", refusing)
    e = error(folder)
    assert e.kind == "unreadable"
    assert "config.json" in e.message


def test_a_read_that_fails_half_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "m", single())
    opened = files.open_regular

    class Failing:
        def __init__(self, file: BinaryIO) -> None:
            self.file = file

        def __enter__(self) -> Failing:
            return self

        def __exit__(self, *args: object) -> None:
            self.file.close()

        def read(self, count: int = -1) -> bytes:
            raise OSError(errno.EIO, "Input/output error")

    for name in ("config.json", "model.safetensors"):

        def failing(path: str, given: str, name: str = name) -> tuple[object, int]:
            file, size = opened(path, given)
            return (Failing(file) if given == name else file), size

        monkeypatch.setattr(files, "open_regular", failing)
        e = error(folder)
        assert (e.kind, name in e.message) == ("unreadable", True)


@needs_posix
@pytest.mark.skipif(sys.platform == "darwin", reason="its file system takes UTF-8 only")
def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/m\xff\xfe"
    os.mkdir(folder)
    for name, data in single().items():
        with open(folder + b"/" + name.encode(), "wb") as f:
            f.write(data)
    with open(folder + b"/odd-\xe9.safetensors", "wb") as f:
        f.write(safetensors(layer(3)))
    text = os.fsdecode(folder)
    assert len(open_target(text, Options()).tensors or ()) == 6
    for form in ("text", "json", "jsonl"):
        outcome = shell(text, "--format", form)
        assert (outcome.code, "Traceback" in outcome.err) == (0, False), outcome.err
    outcome = shell(os.fsdecode(folder + b"/odd-\xe9.safetensors"), "--format", "jsonl")
    assert outcome.code in (0, 3)
    assert "Traceback" not in outcome.err
    outcome = shell(text + "/absent-\udcff.json")
    assert (outcome.code, "Traceback" in outcome.err) == (3, False)
    os.rename(folder + b"/model.safetensors", folder + b"/model-\xff.safetensors")
    outcome = shell(text, "--format", "json")
    assert "Traceback" not in outcome.err


@needs_posix
def test_an_index_that_names_what_is_no_utf_8(tmp_path: Path) -> None:
    files_ = {"config.json": b"{}", "model.safetensors.index.json": index({"w": "odd-\udcff.safetensors"})}
    c = load(write(tmp_path / "m", files_))
    assert [p.check for p in c.problems] == ["unsafe-shard-path"]


@needs_posix
def test_links_in_circles(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", {"config.json": b"{}"})
    (folder / "model.safetensors").symlink_to(folder / "model.safetensors")
    assert error(folder).kind in ("unreadable", "not-found")
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to(folder)
    assert error(folder).kind in ("unreadable", "no-config")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert error(loop).kind in ("unreadable", "not-found")


@needs_posix
def test_shards_that_are_links_out_of_the_folder_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = write(tmp_path / "outside", {"secret.safetensors": safetensors(layer(0))})
    inside = write(tmp_path / "m", sharded(2))
    shard = inside / "model-00001-of-00002.safetensors"
    shard.unlink()
    shard.symlink_to(outside / "secret.safetensors")
    opened: list[str] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *args, **kw: opened.append(str(path)) or real(path, *args, **kw))
    c = load(inside)
    assert [(p.check, p.key) for p in c.problems] == [("unsafe-shard-path", "link")]
    assert not any("model-00001" in path or "secret" in path for path in opened)


@needs_posix
@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="Linux")
def test_files_of_the_kernel(tmp_path: Path) -> None:
    for path in ("/proc/self/mem", "/proc/self/environ", "/dev/null", "/dev/tty", "/proc", "/sys"):
        outcome = run(path)
        assert outcome.code == 3, path
        assert "Traceback" not in outcome.err



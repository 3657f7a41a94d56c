"""Where output goes: files, links, pipes, devices, and streams whose encoding is not UTF-8."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

import cli as command
from cfgexplain.errors import CfgexplainError
from cfgexplain.output import write_bytes
from cfgexplain.text import readable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLE = ("example:gpt2", "--format", "jsonl")


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    assert command.run(*EXAMPLE, "-o", str(tmp_path / "link")).code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text().startswith("{")


def test_a_link_to_nothing_yet_stays_too(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("new")
    write_bytes(tmp_path / "link", [b"x"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_bytes() == b"x"


def test_links_in_a_circle_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    out = command.run(*EXAMPLE, "-o", str(tmp_path / "loop"))
    assert (out.code, (tmp_path / "loop").is_symlink()) == (2, True)
    assert "Traceback" not in out.err


def test_a_pipe_with_a_name_is_written_to(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    write_bytes(fifo, [b"a", b"b"])
    reader.join(10)
    assert (got, fifo.is_fifo()) == ([b"ab"], True)


def test_a_device_is_written_to() -> None:
    before = os.stat(os.devnull)
    assert command.run(*EXAMPLE, "-o", os.devnull).code == 0
    assert os.stat(os.devnull).st_rdev == before.st_rdev


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "private"
    file.touch(0o600)
    write_bytes(file, [b"x"])
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise CfgexplainError("network", "gone")

    file = tmp_path / "file"
    file.write_text("old")
    with pytest.raises(CfgexplainError, match="gone"):
        write_bytes(file, broken())
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["file"])


def test_a_dash_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.run(*EXAMPLE, "-o", "-").out.startswith("{")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("words", [EXAMPLE, ("--help",), ("rule",), (*EXAMPLE, "-o", "/dev/full")])
def test_a_full_disk_is_told_without_a_traceback(words: tuple[str, ...]) -> None:
    import subprocess
    import sys

    with open("/dev/full", "wb") as full:
        p = subprocess.run(
            [sys.executable, "-m", "cfgexplain", *words], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert p.returncode == 3
    assert b"No space left" in p.stderr
    assert b"Traceback" not in p.stderr
    assert b"Exception ignored" not in p.stderr


@pytest.mark.parametrize("format", ["svg", "html", "junit"])
def test_what_declares_utf8_is_utf8_in_every_locale(format: str) -> None:  # noqa: A002
    import subprocess
    import sys

    words = [sys.executable, "-m", "cfgexplain", "example:gpt2", "--format", format, "--lang", "zh-Hant"]
    latin, utf8 = (
        subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": e}).stdout
        for e in ("latin-1", "utf-8")
    )
    assert latin == utf8
    assert latin.decode("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("name", ["", "check", "diff", "skeleton"])
def test_help_needs_no_more_than_ascii(encoding: str, name: str) -> None:
    out = command.shell(*([name] if name else []), "--help", env={"PYTHONIOENCODING": encoding})
    assert out.code == 0
    assert out.out.isascii()


def test_a_word_in_another_encoding_is_shown_as_typed() -> None:
    assert readable("mod\udcc3\udca8le") == "modèle"
    assert readable("mod\udce8le") == "mod\\xe8le"
    assert readable("a\ud800") == "a\ud800"


@pytest.mark.parametrize(
    ("closed", "code"),
    [("example:gpt2 >&-", 0), ("example:gpt2 2>&-", 0), ("example:gpt2 <&- >&- 2>&-", 0), ("- <&-", 3)],
)
def test_a_stream_that_the_shell_closed_is_no_bug(closed: str, code: int) -> None:
    import subprocess
    import sys

    line = f'"{sys.executable}" -m cfgexplain check {closed}'
    p = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=False)
    assert (p.returncode, b"Traceback" in p.stderr) == (code, False)

"""A baseline accepts what was there, and nothing new."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import cli as command
from corpus import cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory."""
    monkeypatch.chdir(tmp_path)


def model(folder: Path, indent: int = 1, **changes: object) -> str:
    """A folder with the Llama case's config, changed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(
        json.dumps({**cases()["llama"]["config"], "intermediate_size": 192, **changes}, indent=indent)
    )
    return str(folder)


def names(out: command.Outcome) -> list[str]:
    """The checks of all findings printed as JSON lines."""
    return [f["name"] for line in out.out.splitlines() for f in json.loads(line)["findings"]]


def test_only_new_findings_are_reported(tmp_path: Path) -> None:
    model(tmp_path / "m", rms_norm_eps=0)
    first = command.run("check", "m", "--write-baseline", "base.json", "--format", "jsonl")
    assert first.code == 0
    assert names(first) == ["eps-invalid"]
    again = command.run("check", "m", "--baseline", "base.json", "--format", "jsonl")
    assert again.code == 0
    assert names(again) == []
    model(tmp_path / "m", indent=4, rms_norm_eps=0, num_key_value_heads=3)
    worse = command.run("check", "m", "--baseline", "base.json", "--format", "jsonl")
    assert worse.code == 1
    assert names(worse) == ["head-mismatch"]


def test_it_holds_for_one_model_only(tmp_path: Path) -> None:
    model(tmp_path / "a", rms_norm_eps=0)
    model(tmp_path / "b", rms_norm_eps=0)
    command.run("check", "a", "--write-baseline", "base.json")
    out = command.run("check", "a", "b", "--baseline", "base.json", "--format", "jsonl")
    assert [len(json.loads(line)["findings"]) for line in out.out.splitlines()] == [0, 1]


def test_it_holds_whatever_the_working_directory_severity_and_way_to_name_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model(tmp_path / "m", rms_norm_eps=1.0)
    command.run("check", "m", "--write-baseline", "base.json")
    (tmp_path / "cfgexplain.toml").write_text('[severity]\neps-unusual = "error"')
    monkeypatch.chdir(tmp_path / "m")
    words = ("check", "config.json", "--settings", "../cfgexplain.toml")
    assert command.run(*words).code == 1
    assert command.run(*words, "--baseline", "../base.json").code == 0


def test_writing_takes_all_of_todays_findings(tmp_path: Path) -> None:
    model(tmp_path / "m", rms_norm_eps=0)
    command.run("check", "m", "--write-baseline", "base.json")
    model(tmp_path / "m", rms_norm_eps=0, num_key_value_heads=3)
    both = command.run("check", "m", "--baseline", "base.json", "--write-baseline", "base.json", "-f", "jsonl")
    assert names(both) == ["head-mismatch"]
    rows = json.loads((tmp_path / "base.json").read_text())["findings"]
    assert [(r["check"], r["target"], r["pointer"]) for r in rows] == [
        ("eps-invalid", "m", "/rms_norm_eps"), ("head-mismatch", "m", "/num_key_value_heads"),
    ]  # fmt: skip
    assert "severity" not in rows[0]
    assert "message" not in rows[0]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"cfgexplain_baseline": 2, "findings": []}', '{"cfgexplain_baseline": 1, "findings": [1]}'],
)
def test_a_file_that_is_no_baseline(tmp_path: Path, text: str) -> None:
    (tmp_path / "base.json").write_text(text)
    out = command.run("check", "example:gpt2", "--baseline", "base.json")
    assert out.code == 2
    assert "no baseline" in out.err


def test_a_baseline_that_is_not_there() -> None:
    out = command.run("check", "example:gpt2", "--baseline", "nowhere.json")
    assert out.code == 2
    assert "--write-baseline" in out.err

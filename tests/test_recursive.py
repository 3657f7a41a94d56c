"""Folders of models, what is left out of them, and files handed over one by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import cli as command
from corpus import cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three models, an adapter, a hidden folder, and a link that leads back up."""
    monkeypatch.chdir(tmp_path)
    text = json.dumps(cases()["llama"]["config"])
    for folder in ("r/a", "r/b/deep/est", "r/old/c", "r/.git/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "config.json").write_text(text)
    (tmp_path / "r/adapter").mkdir()
    (tmp_path / "r/adapter/adapter_config.json").write_text("{}")
    (tmp_path / "r/adapter/adapter_model.safetensors").write_bytes(b"")
    (tmp_path / "r/a/loop").symlink_to(tmp_path / "r", target_is_directory=True)


def inputs(*words: str) -> list[str]:
    """The targets of a run, in order."""
    out = command.run("check", *words, "--format", "jsonl")
    return [json.loads(line)["target"]["input"].replace("\\", "/") for line in out.out.splitlines()]


def test_every_model_below_in_a_fixed_order() -> None:
    assert inputs("-r", "r") == ["r/a/config.json", "r/b/deep/est/config.json", "r/old/c/config.json"]


@pytest.mark.parametrize("glob", ["old", "old/*", "old/c", "*/c", "old/c/config.json", "r/old", "r/old/"])
def test_exclude(glob: str) -> None:
    assert inputs("--recursive", "r", "--exclude", glob) == ["r/a/config.json", "r/b/deep/est/config.json"]


def test_exclude_holds_for_files_handed_over_too() -> None:
    assert inputs("r/a/config.json", "r/old/c/config.json", "--exclude", "old") == ["r/a/config.json"]


def test_all_excluded_is_no_fault() -> None:
    out = command.run("check", "r/a/config.json", "--exclude", "r", "--format", "jsonl")
    assert (out.code, out.out) == (0, "")


def test_a_folder_without_models_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    out = command.run("check", "-r", "empty")
    assert out.code == 3
    assert "no model in it or below" in out.err


def test_models_that_are_only_weights_are_found(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    raw = b'{"model.embed_tokens.weight":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}}'
    (tmp_path / "w/model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(4))
    assert inputs("-r", "w") == ["w/model.safetensors"]


def test_files_of_one_model_are_one_target(tmp_path: Path) -> None:
    (tmp_path / "r/a/model.safetensors.index.json").write_text('{"weight_map": {}}')
    assert inputs("r/a/config.json", "r/a", "r/a/model.safetensors.index.json") == ["r/a/config.json"]


def test_other_words_are_taken_as_they_are() -> None:
    assert inputs("-r", "example:gpt2", "r/a/config.json") == ["example:gpt2", "r/a/config.json"]

"""Settings found above the target, and what the command line says over them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import cli as command
from corpus import cases

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = {"rms_norm_eps": 0, "intermediate_size": 177}


def model(folder: Path, **changes: object) -> str:
    """A folder with the Llama case's config, changed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**cases()["llama"]["config"], **changes}, indent=1))
    return str(folder)


def findings(*words: str) -> list[tuple[str, str]]:
    """(check, severity) of one target's findings."""
    report = json.loads(command.run("check", *words, "--format", "jsonl").out)
    return [(f["name"], f["severity"]) for f in report["findings"]]


def settings(folder: Path, text: str, name: str = "cfgexplain.toml") -> None:
    """Writes a file of settings."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_without_settings(tmp_path: Path) -> None:
    assert findings(model(tmp_path, **BROKEN)) == [("eps-invalid", "error"), ("intermediate-size-alignment", "note")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('select = ["eps-*"]', [("eps-invalid", "error")]),
        ('ignore = ["eps-invalid"]', [("intermediate-size-alignment", "note")]),
        (
            '[severity]\nintermediate-size-alignment = "error"\neps-invalid = "note"',
            [("intermediate-size-alignment", "error"), ("eps-invalid", "note")],
        ),
        ('[per-path-ignores]\n"models/*" = ["eps-*"]', [("intermediate-size-alignment", "note")]),
        ('[per-path-ignores]\n"models" = ["eps-*"]', [("intermediate-size-alignment", "note")]),
        ('[per-path-ignores]\n"other/*" = ["*"]', [("eps-invalid", "error"), ("intermediate-size-alignment", "note")]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("file", ["cfgexplain.toml", "pyproject.toml"])
def test_found_above_the_target(tmp_path: Path, file: str, text: str, left: list[tuple[str, str]]) -> None:
    if file == "pyproject.toml":
        text = (
            "[tool.cfgexplain]\n" + text.replace("\n[", "\n[tool.cfgexplain.")
            if not text.startswith("[")
            else ("[tool.cfgexplain." + text[1:])
        )
    settings(tmp_path, text, file)
    assert findings(model(tmp_path / "models" / "a", **BROKEN)) == left


def test_the_nearest_file_holds(tmp_path: Path) -> None:
    settings(tmp_path, 'ignore = ["*"]')
    settings(tmp_path / "m", 'ignore = ["eps-invalid"]')
    assert findings(model(tmp_path / "m", **BROKEN)) == [("intermediate-size-alignment", "note")]


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    settings(tmp_path, 'ignore = ["eps-invalid"]')
    settings(tmp_path / "m", '[project]\nname = "cfgexplain"\n[tool]\nother = 1', "pyproject.toml")
    assert findings(model(tmp_path / "m", **BROKEN)) == [("intermediate-size-alignment", "note")]


def test_the_command_line_wins(tmp_path: Path) -> None:
    settings(tmp_path, 'ignore = ["eps-invalid"]\nfail-on = "never"')
    target = model(tmp_path, **BROKEN)
    assert command.run("check", target).code == 0
    assert command.run("check", target, "--fail-on", "note").code == 1
    assert findings(target, "--select", "eps-invalid") == [("eps-invalid", "error")]
    assert findings(target, "--ignore", "intermediate-*") == [("eps-invalid", "error")]
    assert len(findings(target, "--no-settings")) == 2
    assert command.run("check", target, "--no-settings").code == 1


def test_a_file_named_holds_for_every_target(tmp_path: Path) -> None:
    settings(tmp_path, 'ignore = ["*"]')
    settings(tmp_path / "other", 'ignore = ["eps-invalid"]', "mine.toml")
    named = str(tmp_path / "other" / "mine.toml")
    assert findings(model(tmp_path / "m", **BROKEN), "--settings", named) == [("intermediate-size-alignment", "note")]


def test_fail_on_of_a_severity_that_was_changed(tmp_path: Path) -> None:
    settings(tmp_path, '[severity]\neps-invalid = "note"')
    assert command.run("check", model(tmp_path, rms_norm_eps=0)).code == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("selct = []", "Did you mean select?"),
        ('ignore = ["eps-invald"]', "Did you mean eps-invalid?"),
        ('ignore = ["zzz-*"]', "no check is called zzz-*"),
        ('[severity]\neps-unusal = "note"', "Did you mean eps-unusual?"),
        ('[severity]\neps-unusual = "fatal"', "error, warning or note"),
        ('fail-on = "errors"', "error, warning, note or never"),
        ("select = 1", "no list of texts"),
        ("severity = 1", "no table"),
        ('[per-path-ignores]\n"*" = ["eps"]', "no check is called eps"),
        ("tensor-parallel = 0", "how many ranks"),
        ("tensor-parallel = true", "how many ranks"),
        ("expect = {a = 2020-01-01}", "is a date"),
        ("select = [", "not TOML"),
        ("a = " + "[" * 5000, "not TOML"),
        ('"\\u001b[31m" = 1', "no setting is called \\x1b"),
    ],
)  # fmt: skip
def test_a_fault_in_settings_is_told_before_any_work(tmp_path: Path, text: str, says: str) -> None:
    settings(tmp_path, text)
    out = command.run("check", model(tmp_path))
    assert (out.code, out.out) == (2, "")
    assert says in out.err
    assert "cfgexplain.toml" in out.err
    assert "\x1b" not in out.err


def test_expected_values(tmp_path: Path) -> None:
    settings(tmp_path, "[expect]\nrms_norm_eps = 1e-5\nvocab_size = 160\nhidden_act = 'silu'\n")
    report = json.loads(command.run("check", model(tmp_path, rms_norm_eps=1e-6), "--format", "jsonl").out)
    found = [f for f in report["findings"] if f["name"] == "unexpected-value"]
    assert [(f["severity"], f["pointer"]) for f in found] == [("error", "/rms_norm_eps")]
    assert "1e-06" in found[0]["message"]
    assert "1e-05" in found[0]["message"]


@pytest.mark.parametrize(
    ("expect", "config", "fires"),
    [
        ("tie_word_embeddings = true", {"tie_word_embeddings": 1}, True),
        ("rms_norm_eps = 1e-5", {"rms_norm_eps": 0.00001}, False),
        ("eos_token_id = [1, 2]", {"eos_token_id": [1, 2]}, False),
        ("eos_token_id = [1, 2]", {"eos_token_id": [2, 1]}, True),
        ('dtype = "bfloat16"', {"dtype": None}, True),
        ("made_up = 1", {}, True),
        ("layer_norm_epsilon = 1e-5", {}, False),  # a Llama has no such key
        ("rope_scaling.factor = 8", {"rope_scaling": {"factor": 8.0}}, False),
        ("rope_scaling.factor = 8", {"rope_scaling": {"factor": 4.0}}, True),
    ],
)  # fmt: skip
def test_what_counts_as_expected(tmp_path: Path, expect: str, config: dict[str, object], fires: bool) -> None:
    settings(tmp_path, f"[expect]\n{expect}")
    assert ("unexpected-value" in {n for n, _ in findings(model(tmp_path, **config))}) is fires


def test_an_absent_key_whose_default_is_expected_is_silent(tmp_path: Path) -> None:
    settings(tmp_path, "[expect]\nrms_norm_eps = 1e-6")
    config = {k: v for k, v in cases()["llama"]["config"].items() if k != "rms_norm_eps"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert "unexpected-value" not in {n for n, _ in findings(str(tmp_path))}


def test_settings_of_the_working_directory_hold_for_what_is_in_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path, "[expect]\nvocab_size = 1")
    monkeypatch.chdir(tmp_path)
    assert ("unexpected-value", "error") in findings("example:gpt2")


def test_an_expected_key_that_is_misspelt_points_to_the_one_meant(tmp_path: Path) -> None:
    settings(tmp_path, "[expect]\nhidden_sise = 64\nzzz = 1")
    rows = json.loads(command.run("check", model(tmp_path), "--format", "jsonl").out)["findings"]
    hints = {f["message"].split()[0]: f["hint"] for f in rows if f["name"] == "unexpected-value"}
    assert hints["hidden_sise"] == "Do the settings mean hidden_size?"
    assert hints["zzz"].startswith("Write it into the config")

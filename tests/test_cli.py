"""The command line: words, exit codes, streams, broken input. None of it ends in a traceback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import cli as command
from corpus import cases

if TYPE_CHECKING:
    from pathlib import Path


def config(**changes: object) -> str:
    """The text of the Llama case's config, changed."""
    return json.dumps({**cases()["llama"]["config"], **changes})


def write(folder: Path, text: str | bytes, name: str = "config.json") -> str:
    """Writes a file, returns its path as a target."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return str(path)


# --- words ---


def test_help_shows_a_target_first() -> None:
    out = command.run("--help").out
    assert out.splitlines()[0].startswith("Usage: cfgexplain")
    assert out.index("TARGET") < out.index("Commands:")
    assert "cfgexplain example:llama-2-7b" in out


def test_version() -> None:
    out = command.run("--version")
    assert (out.code, out.out.split()[0]) == (0, "cfgexplain")


def test_a_first_word_that_is_no_command_is_a_target() -> None:
    assert json.loads(command.run("example:gpt2", "--json").out)["reports"][0]["model"]["model_type"] == "gpt2"


def test_options_may_stand_before_the_command() -> None:
    out = command.run("--format", "jsonl", "check", "example:gpt2")
    assert out.code == 0
    assert json.loads(out.out)["model"]["model_type"] == "gpt2"


@pytest.mark.parametrize("words", [("./check",), ("explain", "./check")])
def test_a_folder_called_check_can_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (tmp_path / "check").mkdir()
    write(tmp_path / "check", config())
    monkeypatch.chdir(tmp_path)
    assert command.run(*words, "--format", "jsonl").code == 0


def test_several_targets_keep_their_order_and_the_gravest_code() -> None:
    out = command.run("check", "example:gpt2", "./nowhere", "example:llama-3-8b", "--format", "jsonl")
    rows = [json.loads(line) for line in out.out.splitlines()]
    assert [r["target"]["input"] for r in rows] == ["example:gpt2", "./nowhere", "example:llama-3-8b"]
    assert rows[1]["error"]["kind"] == "not-found"
    assert rows[1]["model"] is None
    assert out.code == 3


def test_targets_from_a_file(tmp_path: Path) -> None:
    listed = write(tmp_path, "# two models\nexample:gpt2\n\nexample:mistral-7b\n", "list.txt")
    out = command.run("--targets-from", listed, "--format", "jsonl")
    assert len(out.out.splitlines()) == 2


def test_config_on_standard_input() -> None:
    out = command.run("-", "--format", "jsonl", stdin=config().encode())
    report = json.loads(out.out)
    assert out.code == 0
    assert report["target"]["kind"] == "stdin"
    assert report["params"]["total"] == 177600


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "yaml", "example:gpt2"), "yaml"),
        (("check", "example:gpt2", "--select", "missing-final-nrm"), "missing-final-norm"),
        (("--nonsense", "example:gpt2"), "--nonsense"),
        (("check",), "no target"),
        (("rule", "unexpected-bia"), "unexpected-bias"),
    ],
)
def test_a_wrong_command_line_is_2(words: tuple[str, ...], says: str) -> None:
    out = command.run(*words)
    assert out.code == 2
    assert says in out.err
    assert out.out == ""


def test_a_plain_run_builds_only_the_options_that_it_uses() -> None:
    from inspect import signature

    from cfgexplain.cli import _narrowed, reading

    plain = signature(_narrowed(reading.explain, ["example:gpt2", "--format", "jsonl", "-q"]))
    assert set(plain.parameters) == {"targets", "format", "quiet"}
    assert _narrowed(reading.explain, ["example:gpt2", "--nonsense"]) is reading.explain


# --- check ---


def test_fail_on_decides_the_code(tmp_path: Path) -> None:
    text = config()
    target = write(tmp_path, text.replace("1e-06", "0.5"))
    assert command.run("check", target, "--config-only").code == 0
    assert command.run("check", target, "--config-only", "--fail-on", "warning").code == 1
    assert command.run("check", target, "--config-only", "--fail-on", "warning", "--ignore", "eps-unusual").code == 0
    assert command.run("check", target, "--config-only", "--fail-on", "never").code == 0


def test_rule_lists_and_explains_every_check() -> None:
    from cfgexplain.checks import NAMES

    listed = command.run("rule").out
    for name in NAMES:
        assert name in listed
        page = command.run("rule", name)
        assert page.code == 0
        assert page.out.startswith(name)


# --- output ---


def test_output_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    assert command.run("example:gpt2", "--json", "-o", str(target)).code == 0
    assert json.loads(target.read_text())["schema_version"] == 1
    assert command.run("example:gpt2", "--json", "-o", str(tmp_path / "none" / "x.json")).code == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.json"]


@pytest.mark.parametrize("words", [("--help",), ("check", "--help"), ("example:llama-2-7b",), ("--nonsense",)])
@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1", "GITHUB_ACTIONS": "true"}, {"TERM": "dumb"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}]
)
def test_no_escape_code(words: tuple[str, ...], env: dict[str, str]) -> None:
    out = command.shell(*words, env=env)
    assert "\x1b" not in out.out + out.err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_any_encoding(encoding: str) -> None:
    out = command.shell("example:llama-2-7b", env={"PYTHONIOENCODING": encoding})
    assert out.code == 0
    assert out.err == ""
    assert "\\u" not in out.out


def test_a_reader_that_goes_away_is_no_error() -> None:
    import subprocess
    import sys

    p = subprocess.Popen(
        [sys.executable, "-m", "cfgexplain", "example:llama-2-70b", "--tensors", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert p.stdout is not None
    assert p.stderr is not None
    p.stdout.read(10)
    p.stdout.close()
    assert p.stderr.read() == b""
    p.stderr.close()
    p.wait()


# --- broken input ---


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (b"", 3, "empty"),
        (b"[]", 3, "object"),
        (b'{"a": 1,}', 3, "line 1"),
        (b"\x80\x02]q\xa5", 3, "UTF-8"),
        (b"{" * 100_000, 3, "config.json"),
        (b'{"a": ' + b"9" * 10_000 + b"}", 3, "config.json"),
        (b"junk" * 3_000_000, 3, "config.json"),
    ],
    ids=["empty", "list", "trailing-comma", "not-text", "deep", "long-number", "12-MB-of-junk"],
)
def test_a_file_that_is_no_config(tmp_path: Path, text: bytes, code: int, says: str) -> None:
    out = command.run("check", write(tmp_path, text), "--format", "jsonl")
    report = json.loads(out.out)
    assert out.code == code
    assert report["error"]["kind"] in ("invalid-config", "unreadable")
    assert says in report["error"]["message"]
    assert "Traceback" not in out.err


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"rms_norm_eps": "1e-05"}, "numeric-string"),
        ({"intermediate_size": "176"}, "numeric-string"),
        ({"rms_norm_eps": None}, "eps-invalid"),
        ({"rms_norm_eps": True}, "eps-invalid"),
        ({"rms_norm_eps": 0}, "eps-invalid"),
        ({"rms_norm_eps": -1e-5}, "eps-invalid"),
        ({"rms_norm_eps": [1e-5]}, "eps-invalid"),
        ({"hidden_size": None}, "invalid-config"),
        ({"hidden_size": 0}, "invalid-config"),
        ({"hidden_size": -4}, "invalid-config"),
        ({"hidden_size": 1e300}, "invalid-config"),
        ({"hidden_size": 10**18}, "invalid-config"),
        ({"num_hidden_layers": 10**12}, "invalid-config"),
        ({"num_attention_heads": 7, "num_key_value_heads": 2}, "head-mismatch"),
        ({"attention_bias": "yes"}, "invalid-config"),
        ({"num_hidden_layers": {"a": 1}}, "invalid-config"),
    ],
)
def test_an_impossible_value_is_a_finding(tmp_path: Path, changes: dict[str, object], finding: str) -> None:
    out = command.run("check", write(tmp_path, config(**changes)), "--format", "jsonl")
    report = json.loads(out.out)
    assert report["error"] is None
    assert out.code == 1
    assert finding in [f["name"] for f in report["findings"]]
    assert "Traceback" not in out.err


@pytest.mark.parametrize(
    "text", ["{}", "\ufeff{}", '{"model_type": null}', '{"model_type": 7}', '{"model_type": "llama", "x": NaN}']
)
def test_little_is_still_something(tmp_path: Path, text: str) -> None:
    out = command.run(write(tmp_path, text), "--format", "jsonl")
    assert out.code == 0
    assert json.loads(out.out)["error"] is None


def test_names_from_files_are_escaped(tmp_path: Path) -> None:
    target = write(tmp_path, json.dumps({"model_type": "evil\x1b[31m\u202e[bold]", "architectures": ["\x07"]}))
    for words in ((target,), ("check", target)):
        out = command.run(*words)
        assert "\x1b" not in out.out
        assert "\u202e" not in out.out
        assert "\x07" not in out.out


def test_an_empty_folder(tmp_path: Path) -> None:
    out = command.run(str(tmp_path))
    assert out.code == 3
    assert "Traceback" not in out.err


def test_nothing_of_a_model_is_run(tmp_path: Path) -> None:
    (tmp_path / "modeling_evil.py").write_text("raise SystemExit('run')\n")
    target = write(tmp_path, config(auto_map={"AutoModel": "modeling_evil.Evil"}))
    assert command.run(target, "--format", "jsonl").code == 0


# --- what the examples must say ---

TOTALS = {
    "llama-2-7b": 6_738_415_616,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3.2-1b": 1_235_814_400,
    "tinyllama-1.1b": 1_100_048_384,
    "mistral-7b": 7_241_732_096,
    "qwen2.5-7b": 7_615_616_512,
    "qwen3-8b": 8_190_735_360,
    "gemma-2-9b": 9_241_705_984,
    "olmo-2-7b": 7_298_617_344,
    "phi-3-mini": 3_821_079_552,
    "gpt2": 124_439_808,
    "mixtral-8x7b": 46_702_792_704,
    "qwen3-30b-a3b": 30_532_122_624,
    "jamba-v0.1": 51_570_323_328,
    "gemma-3-4b": 4_300_079_472,
    "olmo-1b": 1_176_764_416,
    "opt-350m": 331_196_416,
    "bert-base": 109_514_298,
    "t5-small": 60_506_624,
    "command-r": 34_980_831_232,
    "falcon-7b": 6_921_720_704,
    "deepseek-v3": 671_026_404_352,
    "gpt-oss-20b": 20_914_757_184,
}


@pytest.mark.parametrize("name", sorted(TOTALS))
def test_examples_have_the_published_totals(name: str) -> None:
    report = json.loads(command.run("check", f"example:{name}", "--format", "jsonl").out)
    assert report["params"]["total"] == TOTALS[name]
    assert [f for f in report["findings"] if f["severity"] != "note"] == []
    alone = json.loads(command.run("check", f"example:{name}", "--config-only", "--format", "jsonl").out)
    assert alone["params"]["total"] == TOTALS[name]


def test_llama_2_7b_says_what_the_paper_says() -> None:
    r = json.loads(command.run("example:llama-2-7b", "--format", "jsonl").out)
    assert r["norm"]["eps"] == {"value": 1e-05, "key": "rms_norm_eps", "source": "config"}
    assert r["ffn"]["derivation"]["llama_rule"] == {
        "exact": "32768/3",
        "multiple_of": 256,
        "value": 11008,
        "matches": True,
    }
    assert (r["ffn"]["params"]["total"], r["params"]["total"]) == (4_328_521_728, 6_738_415_616)
    assert r["norm"]["final_norm"] == {"expected": True, "present": True, "tensor": "model.norm.weight"}
    assert r["bias"]["unexpected"] == []


# --- words that were meant otherwise ---


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("chek", "check"),
        ("exampels", "examples"),
        ("rules", "rule"),
        ("explian", "explain"),
        ("Check", "check"),
        ("dif", "diff"),
        ("help", "--help"),
    ],
)
def test_a_first_word_near_a_command_is_pointed_out_before_the_hub_is_asked(
    word: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    out = command.run(word, "example:gpt2")
    assert out.code == 2
    assert f"Did you mean cfgexplain {meant}?" in out.err
    assert command.run("--format", "json", word).code == 2


@pytest.mark.parametrize("word", ["gpt2", "bert-base-uncased", "ctrl", "distilgpt2", "roberta-base", "t5-small"])
def test_a_model_with_a_bare_name_is_no_misspelt_command(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", "/nowhere")
    out = command.run(word, "--offline")
    assert out.code == 3
    assert f"{word} is no path on this machine, so it was taken as a hub id." in out.err


def test_a_folder_named_nearly_like_a_command_is_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chek").mkdir()
    write(tmp_path / "chek", config())
    monkeypatch.chdir(tmp_path)
    assert command.run("chek", "--format", "jsonl").code == 0


def test_a_command_without_an_option_that_it_needs_is_a_usage_error() -> None:
    out = command.run("skeleton", "example:gpt2")
    assert out.code == 2
    assert "--output" in out.err


@pytest.mark.parametrize("format", ["text", "json"])
def test_of_several_targets_each_error_names_its_own(tmp_path: Path, format: str) -> None:  # noqa: A002
    a, b = tmp_path / "a", tmp_path / "b"
    for folder in (a, b):
        folder.mkdir()
        write(folder, "{")
    lines = [
        x for x in command.run(str(a), str(b), "--format", format).err.splitlines() if x.startswith("cfgexplain: error")
    ]
    assert len(lines) == 2
    assert all(str(folder) in line for folder, line in zip((a, b), lines, strict=True))


# --- words that contradict one another, or say nothing ---


def test_standard_input_is_not_read_twice() -> None:
    out = command.run("check", "-", "--targets-from", "-", stdin=b"")
    assert (out.code, "both a target and the list" in out.err) == (2, True)


def test_behind_two_dashes_every_word_is_a_target() -> None:
    out = command.run("--", "--help")
    assert (out.code, out.out) == (2, "")
    assert "--help" in out.err


def test_a_revision_of_a_folder_is_remarked_on(tmp_path: Path) -> None:
    out = command.run(write(tmp_path, config()), "--revision", "main", "--json")
    assert (out.code, "--revision is for the hub" in out.err) == (0, True)


def test_a_skeleton_has_a_name_by_which_it_is_found_again(tmp_path: Path) -> None:
    out = command.run("skeleton", "example:gpt2", "-o", str(tmp_path / "s.txt"))
    assert (out.code, list(tmp_path.iterdir())) == (2, [])
    assert ".json.gz" in out.err
    assert command.run("skeleton", "example:gpt2", "-o", str(tmp_path / "S.JSON.GZ")).code == 0
    assert (tmp_path / "S.JSON.GZ").read_bytes()[:2] == b"\x1f\x8b"


def test_a_skeleton_on_standard_output() -> None:
    out = command.shell("skeleton", "example:gpt2", "-o", "-")
    assert (out.code, "cfgexplain_skeleton" in json.loads(out.out)) == (0, True)


def test_a_skeleton_without_content_says_what_it_should_hold(tmp_path: Path) -> None:
    out = command.run(write(tmp_path, '{"cfgexplain_skeleton": 1}', "s.json"))
    assert out.code == 3
    assert '"config", "tensors" or both' in out.err


def test_a_baseline_that_is_no_json_says_so(tmp_path: Path) -> None:
    target, base = write(tmp_path, config()), write(tmp_path, "{", "b.json")
    out = command.run("check", target, "--baseline", base)
    assert (out.code, "it is not JSON (" in out.err) == (2, True)


def test_expected_values_are_shown_as_json_writes_them(tmp_path: Path) -> None:
    target = write(tmp_path, config(tie_word_embeddings=True, vocab_size=160, hidden_act="silu"))
    write(
        tmp_path,
        '[expect]\nvocab_size = "160"\ntie_word_embeddings = false\nhidden_act = ""\n',
        "cfgexplain.toml",
    )
    rows = json.loads(command.run("check", target, "--format", "jsonl").out)["findings"]
    said = [f["message"] for f in rows if f["name"] == "unexpected-value"]
    assert any('vocab_size is 160, where "160" is' in m for m in said)
    assert any("is true, where false is" in m for m in said)
    assert any('silu, where "" is' in m for m in said)


@pytest.mark.parametrize("env", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "C.UTF-8"}])
def test_a_path_beyond_ascii_is_found_and_shown_in_every_locale(tmp_path: Path, env: dict[str, str]) -> None:
    target = write(tmp_path, config(), "modèle.json")
    out = command.shell("check", target, str(tmp_path / "gâteau"), "--format", "json", env=env)
    first, second = json.loads(out.out)["reports"]
    assert first["target"]["input"] == target
    assert first["findings"] is not None
    assert second["target"]["input"].endswith("gâteau")
    assert second["error"]["kind"] == "not-found"
    assert "gâteau" in second["error"]["message"]
    bare = command.shell("gâteau", env=env)
    assert (bare.code, "control characters" in bare.err) == (2, False)
    assert "\\udc" not in bare.err

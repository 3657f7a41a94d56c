"""SARIF, GitHub annotations, JUnit and Markdown: places, escapes, and targets that could not be read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

import cli as command
from cfgexplain.lang import catalogue
from cfgexplain.render.markdown import plain
from cfgexplain.render.text_facts import role_label
from corpus import cases

FORMATS = ("text", "json", "jsonl", "markdown", "sarif", "github", "junit")
CONFIG = """\
{
  "model_type": "llama",
  "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 3,
  "intermediate_size": 177,
  "num_hidden_layers": 2,
  "vocab_size": 160,
    "rms_norm_eps": "1e-05"
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a faulty model in ``m``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text(CONFIG)
    return tmp_path


def sarif(*words: str) -> dict[str, object]:
    """The one run of a SARIF log."""
    log = json.loads(command.run("check", *words, "-f", "sarif").out)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    [run] = log["runs"]
    return run  # type: ignore[no-any-return]


def adapter(folder: Path) -> None:
    """A LoRA adapter as PEFT saves it."""
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
    write(folder, {}, {name: {"dtype": "F32", "shape": [2, 2]}})
    (folder / "config.json").rename(folder / "adapter_config.json")
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")


def test_an_adapters_names_are_its_own(folder: Path) -> None:
    adapter(folder / "m")
    out = command.run("check", "m/adapter_model.safetensors", "-f", "jsonl")
    assert [f["name"] for f in json.loads(out.out)["findings"]] == ["unknown-family"]


# --- all formats ---


@pytest.mark.parametrize("form", FORMATS)
def test_the_exit_code_is_the_same_in_every_format(folder: Path, form: str) -> None:
    assert command.run("check", "m", "-f", form).code == 1
    assert command.run("check", "example:gpt2", "-f", form).code == 0
    assert command.run("check", "m", "./nowhere", "-f", form).code == 3
    assert command.run("check", "m", "--fail-on", "never", "-f", form).code == 0


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_names_stay_text(folder: Path, form: str) -> None:
    name = "x\x1b[31m\u202e|`<img src=x>](http://e.x)@you %0A::error::\n"
    config = {**cases()["llama"]["config"], "model_type": name, "rms_norm_eps": 0}
    (folder / "m" / "config.json").write_text(json.dumps(config))
    out = command.run("check", "m", "-f", form).out
    assert "\x1b" not in out
    assert "\u202e" not in out
    if form == "github":
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in out.splitlines())
        assert "%0A::" not in out.replace("%250A", "")
    elif form == "markdown":
        rows = [line for line in out.splitlines() if line.startswith("| ")]
        assert len(rows) >= 3
        assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
        assert "<img" not in out
        assert "http://" not in out
        assert not re.search(r"@\w", out)
        assert "`" not in out
    elif form == "junit":
        ElementTree.fromstring(out)  # noqa: S314


# --- SARIF ---


def test_sarif_points_at_line_and_column(folder: Path) -> None:
    run = sarif("m")
    found = {r["ruleId"]: r for r in run["results"]}  # type: ignore[attr-defined]
    assert list(found) == ["numeric-string", "head-mismatch", "intermediate-size-alignment"]
    place = found["numeric-string"]["locations"][0]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "m/config.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 7, "startColumn": 5},
    }
    assert place["logicalLocations"] == [{"fullyQualifiedName": "/rms_norm_eps", "kind": "property"}]
    assert found["head-mismatch"]["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 48}
    assert [r["level"] for r in found.values()] == ["error", "error", "note"]


def test_sarif_lists_every_check_with_help() -> None:
    from cfgexplain.checks import NAMES

    rules = sarif("example:gpt2")["tool"]["driver"]["rules"]  # type: ignore[index]
    assert tuple(r["id"] for r in rules) == NAMES
    assert all(r["help"]["text"] and r["help"]["markdown"] and r["helpUri"].endswith(r["id"]) for r in rules)


def test_sarif_places_tensors_in_their_file(folder: Path) -> None:
    case = cases()["llama"]
    header = {n: t for n, t in case["header"].items() if n != "model.norm.weight"}
    header["model.layers.0.mlp.up_proj.bias"] = {"dtype": "BF16", "shape": [176]}
    write(folder / "m", case["config"], header)
    found = {r["ruleId"]: r["locations"][0] for r in sarif("m")["results"]}  # type: ignore[attr-defined]
    assert set(found) == {"unexpected-bias", "missing-final-norm", "intermediate-size-alignment"}
    for name, tensor in (
        ("unexpected-bias", "model.layers.0.mlp.up_proj.bias"), ("missing-final-norm", "model.norm.weight"),
    ):  # fmt: skip
        assert found[name]["physicalLocation"]["artifactLocation"]["uri"] == "m/model.safetensors"
        assert found[name]["logicalLocations"] == [{"fullyQualifiedName": tensor, "kind": "tensor"}]


def write(folder: Path, config: object, header: dict[str, dict[str, object]]) -> None:
    """A checkpoint whose data is a hole in the file."""
    import math
    import struct

    from cfgexplain.dtypes import BITS

    (folder / "config.json").write_text(json.dumps(config, indent=1))
    head: dict[str, object] = {}
    at = 0
    for name, t in header.items():
        size = math.prod(t["shape"]) * BITS[str(t["dtype"])] // 8  # type: ignore[arg-type]
        head[name] = {**t, "data_offsets": [at, at + size]}
        at += size
    raw = json.dumps(head).encode()
    with (folder / "model.safetensors").open("wb") as f:
        f.write(struct.pack("<Q", len(raw)) + raw)
        f.truncate(8 + len(raw) + at)


def test_a_fingerprint_outlives_line_wording_and_severity(folder: Path) -> None:
    def prints(*words: str) -> dict[str, dict[str, str]]:
        return {r["ruleId"]: r["partialFingerprints"] for r in sarif("m", *words)["results"]}  # type: ignore[attr-defined]

    before = prints()
    assert len({f["cfgexplain/v1"] for f in before.values()}) == len(before)
    (folder / "m" / "config.json").write_text("\n\n" + CONFIG.replace("177", "179"))
    (folder / "cfgexplain.toml").write_text('[severity]\nnumeric-string = "note"')
    assert prints("--settings", "cfgexplain.toml") == before
    assert prints("--settings", "cfgexplain.toml", "--config-only") == before


def test_a_model_named_by_its_config_has_the_same_fingerprints(folder: Path) -> None:
    by_folder, by_file = sarif("m")["results"], sarif("m/config.json")["results"]
    assert by_folder == by_file
    assert by_folder


def test_sarif_says_which_targets_were_not_read(folder: Path) -> None:
    (folder / "n").mkdir()
    (folder / "n" / "config.json").write_text("{,}")
    [invocation] = sarif("n", "m", "./nowhere")["invocations"]  # type: ignore[misc]
    assert invocation["executionSuccessful"] is False
    first, second = invocation["toolExecutionNotifications"]
    assert first["descriptor"]["id"] == "invalid-config"
    assert second["descriptor"]["id"] == "not-found"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "n/config.json"
    assert place["region"] == {"startLine": 1, "startColumn": 2}
    [good] = sarif("m")["invocations"]  # type: ignore[misc]
    assert good == {"executionSuccessful": True, "toolExecutionNotifications": []}


@pytest.mark.parametrize(
    ("target", "uri", "base"),
    [
        ("a b%#?ü", "a%20b%25%23%3F%C3%BC/config.json", "%SRCROOT%"),
        ("-", "stdin:config.json", None),
        ("a:b", "a%3Ab/config.json", "%SRCROOT%"),
    ],
)  # fmt: skip
def test_uris(folder: Path, target: str, uri: str, base: str | None) -> None:
    if target != "-":
        (folder / "m").rename(folder / target)
    out = command.run("check", target if target == "-" else f"./{target}", "-f", "sarif", stdin=CONFIG.encode()).out
    places = {
        json.dumps(r["locations"][0]["physicalLocation"]["artifactLocation"])
        for r in json.loads(out)["runs"][0]["results"]
    }
    assert [json.loads(p) for p in places] == [{"uri": uri, **({"uriBaseId": base} if base else {})}]


def test_a_path_outside_the_working_directory_is_absolute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "w").mkdir()
    monkeypatch.chdir(folder / "w")
    artifact = sarif("../m")["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]  # type: ignore[index]
    assert set(artifact) == {"uri"}
    assert artifact["uri"].startswith("file:///")
    assert unquote(artifact["uri"]).endswith("/m/config.json")
    assert ".." not in artifact["uri"]


# --- GitHub ---


def test_github_annotations(folder: Path) -> None:
    lines = command.run("check", "m", "./nowhere", "example:gpt2", "-f", "github").out.splitlines()
    assert [line.partition("::")[2].partition("::")[0] for line in lines] == [
        "error file=m/config.json,line=7,col=5,title=cfgexplain%3A numeric-string",
        "error file=m/config.json,line=3,col=48,title=cfgexplain%3A head-mismatch",
        "notice file=m/config.json,line=4,col=3,title=cfgexplain%3A intermediate-size-alignment",
        "error title=cfgexplain%3A not-found",
    ]
    assert lines[-1].endswith("::./nowhere: no such file or directory: ./nowhere. "
                              "Check the spelling; the hub is asked for targets like org/name only.")  # fmt: skip


# --- JUnit ---


def test_junit_fails_what_check_fails(folder: Path) -> None:
    out = command.run("check", "m", "./nowhere", "example:gpt2", "-f", "junit").out
    suites = ElementTree.fromstring(out)  # noqa: S314
    counts = [(s.get("name"), s.get("tests"), s.get("failures"), s.get("errors")) for s in suites]
    assert counts == [("m", "3", "2", "0"), ("./nowhere", "1", "0", "1"), ("example:gpt2", "1", "0", "0")]
    assert [c.get("name") for c in suites[0]] == [
        "numeric-string /rms_norm_eps", "head-mismatch /num_key_value_heads",
        "intermediate-size-alignment /intermediate_size",
    ]  # fmt: skip
    assert [[x.tag for x in c] for c in suites[0]] == [["failure"], ["failure"], ["system-out"]]
    strict = ElementTree.fromstring(command.run("check", "m", "--fail-on", "note", "-f", "junit").out)  # noqa: S314
    assert strict[0].get("failures") == "3"


# --- Markdown ---


def test_markdown(folder: Path) -> None:
    lines = command.run("check", "m", "./nowhere", "example:gpt2", "-f", "markdown").out.splitlines()
    assert lines[0] == "### cfgexplain"
    assert lines[2] == "| severity | check | where | what |"
    assert lines[4].startswith("| error | numeric-string | m/config.json:7 | rms_norm_eps is the string ")
    assert lines[7].startswith("| not read | not-found | ./nowhere | no such file")
    assert lines[-1] == "2 errors, 1 note, 1 not read in 3 models."
    sound = command.run("check", "example:gpt2", "-f", "markdown").out
    assert sound == "### cfgexplain\n\n1 model checked: no problems.\n"


def test_markdown_of_explain_has_the_facts_and_the_reasons() -> None:
    """The same facts and explanations as the JSON: a format is a way to show a report, not another report."""
    report = json.loads(command.run("example:llama-2-7b", "--json").out)["reports"][0]
    out = command.run("example:llama-2-7b", "-f", "markdown").out
    assert "#### example:llama-2-7b" in out
    assert "11008" in out
    assert len(report["explanations"]) > 3
    assert out.count("\n**") == len(report["explanations"])
    t = catalogue("en")
    for role, count in report["params"]["by_role"].items():
        assert not count or f"| {role_label(role, t)} | {count:,} | " in out
    for table in re.findall(r"(?:^\|.*\n)+", out, re.MULTILINE):
        rows = table.splitlines()
        assert len({line.count("|") for line in rows}) == 1, table
        assert re.search(r"\w", rows[0]), table
    assert "####" not in command.run("check", "example:llama-2-7b", "-f", "markdown").out


def test_markdown_has_every_part_of_the_text_report() -> None:
    out = command.run("example:deepseek-v3", "-f", "markdown").out
    for heading in ("How a token runs through it", "Parameters", "Quantization", "Memory"):
        assert f"\n##### {heading}\n" in out
    assert "| cache per token | 70,272 bytes | = 61 layers · (512 latent + 64 rotary) · 2 bytes |" in out
    assert "| weights | ×87 | ×58 |" in out
    assert "     ┌───┼─ × 3 layers 0-2" in out
    assert "| predicting further tokens | 13,463,426,048 | &#42; |" in out
    quiet = command.run("example:deepseek-v3", "-q", "-f", "markdown").out
    assert "How a token runs" not in quiet
    assert "##### Memory" in quiet


def test_markdown_is_in_the_language(folder: Path) -> None:
    command.run("check", "m", "./nowhere", "--lang", "zh-Hant", "-f", "markdown", "-o", "out.md")
    lines = Path("out.md").read_text(encoding="utf-8").splitlines()
    assert lines[2] == "| 嚴重程度 | 檢查 | 位置 | 說明 |"
    assert lines[4].startswith("| 錯誤 | numeric-string | m/config.json:7 | ")
    assert lines[-1] == "2 個模型：2 個錯誤、1 則附註、1 個未能讀取。"


def test_what_and_what_to_do_stand_under_each_other_in_markdown(folder: Path) -> None:
    finding = json.loads(command.run("check", "m", "--json").out)["reports"][0]["findings"][0]
    out = command.run("check", "m", "-f", "markdown").out
    assert f"{plain(finding['message'])}<br>→ {plain(finding['hint'])} |" in out


def test_markdown_of_one_key_is_about_that_key() -> None:
    out = command.run("example:llama-2-7b", "--key", "rms_norm_eps", "-f", "markdown").out
    assert "rms_norm_eps" in out
    assert "#####" not in out


def test_hostile_names_stay_text_in_explanations_as_well(folder: Path) -> None:
    name = "x\x1b[31m\u202e|<img src=x>](http://e.x)@you\n# head"
    (folder / "m" / "config.json").write_text(json.dumps({**cases()["llama"]["config"], "hidden_act": name, name: 1}))
    lines = command.run("m", "-f", "markdown", "--all-keys").out.splitlines()
    shown = [line for line in lines if not line.startswith("    ")]
    assert not [line for line in lines if "\x1b" in line or "\u202e" in line]
    assert not [line for line in shown if "<img" in line or "http://" in line or line.startswith("# ")]

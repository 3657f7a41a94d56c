"""The script of the GitHub action: what it writes where, and that inputs stay arguments."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corpus import cases

ROOT = Path(__file__).resolve().parent.parent
BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None or os.name == "nt", reason="the script wants a POSIX bash")


class Step:
    """A runner's folder with a model in ``models/m``."""

    def __init__(self, folder: Path, **changes: object) -> None:
        self.folder = folder
        (folder / "models/m").mkdir(parents=True)
        config = {**cases()["llama"]["config"], "intermediate_size": 192, **changes}
        (folder / "models/m/config.json").write_text(json.dumps(config, indent=1))
        (folder / "temp/cfgexplain/bin").mkdir(parents=True)
        program = folder / "temp/cfgexplain/bin/cfgexplain"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cfgexplain "$@"\n')
        program.chmod(0o755)

    def run(self, **inputs: str) -> tuple[str, dict[str, str], str]:
        """(standard output, outputs of the step, summary)."""
        given = {
            "TARGETS": ".", "RECURSIVE": "true", "EXCLUDE": "", "FAIL_ON": "", "TENSOR_PARALLEL": "", "BASELINE": "",
            "ARGS": "", "SUMMARY": "true", "ANNOTATIONS": "true", **inputs,
        }  # fmt: skip
        env = {
            **os.environ, **{f"INPUT_{k}": v for k, v in given.items()}, "HF_TOKEN": "",
            "PYTHONPATH": str(ROOT / "src"),
            "RUNNER_TEMP": str(self.folder / "temp"), "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }  # fmt: skip
        (self.folder / "output").write_text("")
        done = subprocess.run(
            [str(BASH), str(ROOT / "tools/action.sh")],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs = dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())
        summary = self.folder / "summary"
        return done.stdout, outputs, summary.read_text() if summary.exists() else ""


def test_findings(tmp_path: Path) -> None:
    out, outputs, summary = Step(tmp_path, rms_norm_eps=0).run()
    assert outputs["exit-code"] == "1"
    results = json.loads(Path(outputs["sarif"]).read_text())["runs"][0]["results"]
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "models/m/config.json"
    assert out.startswith("::error file=models/m/config.json,line=")
    assert "| error | eps-invalid |" in summary


def test_a_sound_model(tmp_path: Path) -> None:
    out, outputs, summary = Step(tmp_path).run()
    assert (out, outputs["exit-code"]) == ("", "0")
    assert summary.endswith("1 model checked: no problems.\n")


def test_options(tmp_path: Path) -> None:
    step = Step(tmp_path, rms_norm_eps=0)
    assert step.run(FAIL_ON="never")[1]["exit-code"] == "0"
    assert step.run(ARGS="--ignore\neps-invalid\n")[1]["exit-code"] == "0"
    assert step.run(TARGETS="models/m\nexample:gpt2", EXCLUDE="m\n")[1]["exit-code"] == "0"
    assert step.run(TARGETS="example:gpt2", TENSOR_PARALLEL="5")[1]["exit-code"] == "1"
    assert step.run(FAIL_ON="sometimes")[1]["exit-code"] == "2"


def test_inputs_are_never_commands(tmp_path: Path) -> None:
    step = Step(tmp_path)
    evil = '$(touch hacked)`touch hacked`;touch hacked\n"; touch hacked #'
    _, outputs, _ = step.run(TARGETS=evil, EXCLUDE=evil, ARGS=evil, BASELINE=evil, FAIL_ON=evil, TENSOR_PARALLEL=evil)
    assert outputs["exit-code"] == "2"
    assert not (tmp_path / "hacked").exists()

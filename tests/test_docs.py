"""Checks, their texts, their manual pages and docs/checks.md are the same ones."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cli as command
from cfgexplain.checks import CHECKS, NAMES
from cfgexplain.lang import catalogue
from cfgexplain.lang.en import FINDINGS
from cfgexplain.lang.en_rules import RULES

ROOT = Path(__file__).resolve().parent.parent


def test_the_page_is_what_the_checks_say() -> None:
    p = subprocess.run(
        [sys.executable, ROOT / "tools/make_docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert p.returncode == 0, p.stdout + p.stderr


def test_every_check_has_one_page_and_every_page_a_check() -> None:
    assert set(RULES) == set(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    assert all(page["says"] and page["why"] and page["example"] for page in RULES.values())


def test_every_text_of_a_finding_belongs_to_a_check() -> None:
    assert {k.partition(".")[0] for k in FINDINGS} - {"note"} <= set(NAMES)
    assert {k.partition(".")[0] for k in FINDINGS} >= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_rule_prints_the_page(name: str) -> None:
    out = command.run("rule", name)
    page = catalogue("en").rule(name)
    assert out.code == 0
    flat = " ".join(out.out.split())  # it is wrapped
    assert page["says"] in flat
    assert page["example"] in flat


def test_graver_texts_exist() -> None:
    assert all(f"{c.name}.{key}" in FINDINGS for c in CHECKS for key in c.graver)


def test_the_hook_and_the_action_name_options_that_exist() -> None:
    known = set(re.findall(r"--[a-z][a-z-]+", command.run("check", "--help").out))
    used = set(re.findall(r"--[a-z][a-z-]+", (ROOT / "tools/action.sh").read_text(encoding="utf-8")))
    used |= set(re.findall(r"--[a-z][a-z-]+", (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")))
    assert used
    assert used <= known


def test_options_with_a_value_are_known_to_the_search_for_the_first_word() -> None:
    from cfgexplain.cli import VALUED

    source = (ROOT / "src/cfgexplain/cli/options.py").read_text(encoding="utf-8")
    valued: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Assign) or "typer.Option" not in ast.unparse(node.value):
            continue
        text = ast.unparse(node.value)
        if not text.startswith("Annotated[bool"):
            valued |= set(re.findall(r"'(--?[a-z][a-z-]*)'", text))
    assert valued
    assert valued <= VALUED


def test_the_page_on_json_names_every_key() -> None:
    from cfgexplain.schema import DEFS

    text = (ROOT / "docs/json.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]+)`", text) + re.findall(r"^## (.+)$", text, re.M))))
    for name, definition in DEFS.items():
        keys = definition["properties"]
        assert isinstance(keys, dict)
        assert set(keys) <= words, (name, set(keys) - words)

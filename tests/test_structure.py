"""Who may import whom: nothing flows back, and a local run pays for nothing it does not use."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "src" / "cfgexplain"
FILES = {p.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): p for p in ROOT.rglob("*.py")}

#: package → prefixes it must not import (at run time).
FORBIDDEN = {
    "sources": ("families", "facts", "checks", "explain", "render", "inspect", "match", "infer", "cli", "run"),
    "families": (
        "sources",
        "facts",
        "checks",
        "explain",
        "render",
        "inspect",
        "match",
        "infer",
        "cli",
        "run",
        "config",
        "expand",
    ),
    "facts": ("sources", "checks", "explain", "render", "inspect", "cli", "run"),
    "checks": ("sources", "explain", "render", "cli", "run"),
    "compare": ("checks", "explain", "cli", "run"),
    "explain": ("sources", "checks", "render", "cli", "run"),
    "render": ("sources", "families", "facts", "checks.", "inspect", "match", "infer", "cli", "run"),
}


#: module → the one module it may read all the same: which keys have a page is asked of the table of pages itself.
ALLOWED = {"compare.keys": "cfgexplain.explain.key_topics"}


def imports(path: Path) -> set[str]:
    """Modules of this package that a file imports outside TYPE_CHECKING."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {
        id(n)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for n in ast.walk(block)
    }
    found: set[str] = set()
    for n in ast.walk(tree):
        if id(n) in guarded:
            continue
        if isinstance(n, ast.ImportFrom) and n.module and not n.level:
            found.add(n.module)
            found |= {f"{n.module}.{a.name}" for a in n.names}
        elif isinstance(n, ast.Import):
            found |= {a.name for a in n.names}
    return found


@pytest.mark.parametrize("name", sorted(FILES))
def test_nothing_flows_back(name: str) -> None:
    bad = FORBIDDEN.get(name.partition(".")[0], ()) if "." in name else ()
    hits = {i for i in imports(FILES[name]) for b in bad if i.startswith(f"cfgexplain.{b}")}
    assert not {i for i in hits if not i.startswith(ALLOWED.get(name, "-"))}


@pytest.mark.parametrize(
    ("library", "allowed"), [("typer", {"cli"}), ("rich", {"render", "cli"}), ("huggingface_hub", {"sources"})]
)
def test_one_place_for_each_library(library: str, allowed: set[str]) -> None:
    users = {name for name, path in FILES.items() if any(i.partition(".")[0] == library for i in imports(path))}
    assert {u.partition(".")[0] for u in users} <= allowed


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_can_be_read_at_one_sitting(name: str) -> None:
    if name.startswith(("lang.", "families.")):
        limit = 700
    else:
        limit = 320
    assert len(FILES[name].read_text(encoding="utf-8").splitlines()) <= limit


def test_a_local_run_imports_only_what_it_needs() -> None:
    code = (
        "import sys; sys.argv = ['cfgexplain', 'example:llama-2-7b', '--format', 'jsonl']\n"
        "from cfgexplain.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(' '.join(sorted(sys.modules)), file=sys.stderr)\n"
    )
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(p.stderr.split())
    assert not loaded & {"huggingface_hub", "numpy", "httpx", "httpx2", "torch", "rich", "tomllib"}
    tables = {m for m in loaded if m.startswith("cfgexplain.families.")}
    expected = ("absent", "common", "expr", "llama", "positions", "registry", "remarks", "schema")
    assert tables == {f"cfgexplain.families.{m}" for m in expected}

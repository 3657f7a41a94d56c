#!/usr/bin/env python3
"""Writes docs/checks.md from the checks and their manual pages, and docs/texts.md from the texts that explain.

    python tools/make_docs.py [--check]

--check writes nothing, and exits with 1 where a file is not what it would write.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import _texts
from _texts import escaped

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

HEAD: Final = """\
# Checks

<!-- Made by tools/make_docs.py from the checks and the language catalogue. Do not edit. -->

`cfgexplain rule NAME` prints the same pages. A name is never reused for another meaning; its severity is a default that
settings change (see [ci.md](ci.md)).
"""


def checks() -> str:
    """The page of the checks: a table of all checks, then the page of each."""
    from cfgexplain.checks import CHECKS
    from cfgexplain.lang import catalogue

    texts = catalogue("en")
    rows = [f"| [`{c.name}`](#{c.name}) | {c.severity} | {_cell(texts.rule(c.name)['says'])} |" for c in CHECKS]
    parts = [HEAD, "\n".join(["| check | severity | says |", "| --- | --- | --- |", *rows]) + "\n"]
    for c in CHECKS:
        rule = texts.rule(c.name)
        lines = [f"## {c.name}", f"*{c.severity}*", escaped(rule["says"]), escaped(rule["why"])]
        lines.append(f"Example: {escaped(rule['example'])}")
        if rule["references"]:
            lines.append(f"References: {escaped(rule['references'])}")
        parts.append("\n\n".join(lines) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return escaped(text).replace("|", "\\|")


PAGES: Final[dict[str, Callable[[], str]]] = {"checks.md": checks, "texts.md": _texts.page}


def main() -> int:
    """Writes the files, or compares them."""
    old = 0
    for name, page in PAGES.items():
        file, text = ROOT / "docs" / name, page()
        if "--check" not in sys.argv[1:]:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"docs/{name} is old: run tools/make_docs.py")
            old = 1
    return old


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes docs/checks.md from the checks and their manual pages.

    python tools/make_docs.py [--check]

--check writes nothing, and exits with 1 where the file is not what it would write.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))
FILE = ROOT / "docs" / "checks.md"

HEAD = """\
# Checks

<!-- Made by tools/make_docs.py from the checks and the language catalogue. Do not edit. -->

`cfgexplain rule NAME` prints the same pages. A name is never reused for another meaning; its severity is a default that
settings change (see [ci.md](ci.md)).
"""


def page() -> str:
    """The whole file: a table of all checks, then the page of each."""
    from cfgexplain.checks import CHECKS
    from cfgexplain.lang import catalogue

    texts = catalogue("en")
    rows = [f"| [`{c.name}`](#{c.name}) | {c.severity} | {_cell(texts.rule(c.name)['says'])} |" for c in CHECKS]
    parts = [HEAD, "\n".join(["| check | severity | says |", "| --- | --- | --- |", *rows]) + "\n"]
    for c in CHECKS:
        rule = texts.rule(c.name)
        lines = [f"## {c.name}", f"*{c.severity}*", _text(rule["says"]), _text(rule["why"])]
        lines.append(f"Example: {_text(rule['example'])}")
        if rule["references"]:
            lines.append(f"References: {_text(rule['references'])}")
        parts.append("\n\n".join(lines) + "\n")
    return "\n".join(parts)


def _text(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def main() -> int:
    """Writes the file, or compares it."""
    text = page()
    if "--check" in sys.argv[1:]:
        same = FILE.exists() and FILE.read_text(encoding="utf-8") == text
        if not same:
            print(f"{FILE.relative_to(ROOT)} is old: run tools/make_docs.py")
        return int(not same)
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

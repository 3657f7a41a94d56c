"""The small commands: manual pages, the list of examples, saving a skeleton, reading a list of targets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from cfgexplain.errors import CfgexplainError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cfgexplain.sources.options import Options

#: A list of targets longer than this is a mistake.
LONGEST_LIST: Final = 10_000_000


def rules(name: str | None, lang: str) -> Iterator[str]:
    """The manual page of one check, or one line for each."""
    from cfgexplain.checks import CHECKS, NAMES
    from cfgexplain.lang import catalogue

    texts = catalogue(lang)
    if name is None:
        for c in CHECKS:
            yield f"{c.name:30}{c.severity:9}{texts.rule(c.name)['says']}\n"
        return
    found = next((c for c in CHECKS if c.name == name), None)
    if found is None:
        from cfgexplain.run import nearest

        raise CfgexplainError(
            "usage", f"no check is called {name}", nearest(name, NAMES) or "`cfgexplain rule` lists them."
        )
    page = texts.rule(found.name)
    example = texts.text("text.rule.example").format(example=page["example"])
    parts = [f"{found.name} ({found.severity})", page["says"], page["why"], example, page.get("references", "")]
    yield "\n\n".join(clean_lines(p) for p in parts if p) + "\n"


def key_page(name: str | None, lang: str) -> Iterator[str]:
    """The page of one key, or one line for each that a text explains."""
    from cfgexplain.explain.key_page import listed, page

    if name is None:
        for key, words in listed(lang):
            yield f"{key:34}{words}\n"
        return
    yield "\n\n".join(clean_lines(p) for p in page(name, lang)) + "\n"


def clean_lines(text: str) -> str:
    """A paragraph wrapped at 100 columns; its lines that begin with spaces keep them."""
    from cfgexplain.render.text_layout import wrap
    from cfgexplain.text import clean

    out: list[str] = []
    for line in text.split("\n"):
        room = line[: len(line) - len(line.lstrip(" "))]
        hang = room + "  " if room else ""
        for k, part in enumerate(wrap(clean(line.strip()), 100 - len(hang))):
            out.append((hang if k else room) + part)
    return "\n".join(out)


def examples() -> Iterator[str]:
    """One line for each model that ships inside the package."""
    from cfgexplain.sources import list_examples

    for name in list_examples():
        yield f"example:{name}\n"


def save_skeleton(target: str, options: Options, output: Path) -> int:
    """Writes config and headers of a target as one file; compressed where the name ends in .gz."""
    import gzip

    from cfgexplain.output import write_bytes, write_out_bytes
    from cfgexplain.run import DONE
    from cfgexplain.sources import open_target
    from cfgexplain.sources.skeleton import dump_skeleton

    if not output.name.lower().endswith((".json", ".json.gz")) and str(output) != "-" and _new(output):
        raise CfgexplainError(
            "usage", f"{output}: the name of a skeleton ends in .json or .json.gz", "By that it is found again."
        )
    text = dump_skeleton(open_target(target, options)).encode("utf-8", "surrogatepass")
    if str(output) == "-":
        write_out_bytes([text])
    else:
        write_bytes(output, [gzip.compress(text, mtime=0) if output.name.lower().endswith(".gz") else text])
    return DONE


def _new(path: Path) -> bool:
    """Whether a file would be made there, or is: a device or a pipe may have any name."""
    return path.is_file() or not path.exists()


def select_targets(named: Sequence[str], recursive: bool, exclude: Sequence[str]) -> Iterator[str]:
    """The targets named, without those excluded; for folders, where ``recursive``, the models in them and below.

    A list that ends up empty is no error: a hook may be handed files that are all excluded.
    """
    import os

    from cfgexplain.sources.discover import excluded, models_below

    for text in named:
        path = os.path.expanduser(text) if text.startswith("~") else text
        if recursive and os.path.isdir(path):
            found = False
            for model in models_below(path, exclude):
                found = True
                yield model
            if not found and not exclude:
                raise CfgexplainError(
                    "not-found", f"{path}: no model in it or below", "Name a folder that holds config.json files."
                )
        elif not (exclude and excluded(os.path.normpath(text), exclude)):
            yield text


def read_targets(name: str) -> list[str]:
    """Targets from a file or from standard input, one a line; empty lines and lines with # are passed over."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LONGEST_LIST + 1)
        else:
            with open(name, "rb") as f:
                data = f.read(LONGEST_LIST + 1)
    except OSError as e:
        raise CfgexplainError(
            "usage", f"{name}: cannot be read ({e.strerror})", "Name a text file with one target a line."
        ) from None
    if len(data) > LONGEST_LIST:
        raise CfgexplainError(
            "usage", f"{name}: more than {LONGEST_LIST:,} bytes", "Name a text file with one target a line."
        )
    lines = data.decode("utf-8-sig", "replace").splitlines()
    return [t for line in lines if (t := line.strip()) and not t.startswith("#")]

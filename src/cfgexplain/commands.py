"""The small commands: manual pages, the list of examples, saving a skeleton, reading a list of targets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from cfgexplain.errors import CfgexplainError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from cfgexplain.lang import Catalogue
    from cfgexplain.sources.options import Options

#: A list of targets longer than this is a mistake.
LONGEST_LIST: Final = 10_000_000


def rules(name: str | None, lang: str, columns: int = 0, listing: int = 0) -> Iterator[str]:
    """The manual page of one check, or one line for each.

    Args:
        columns: of a page; 0 is the widest.
        listing: columns of the list, which is wrapped on a terminal; 0 keeps one line for each.
    """
    from cfgexplain.checks import CHECKS, NAMES
    from cfgexplain.lang import catalogue

    texts = catalogue(lang)
    if name is None:
        words = {s: texts.text(f"text.severity.{s}") for s in ("error", "warning", "note")}
        yield from _listed(((c.name, words[c.severity], texts.rule(c.name)["says"]) for c in CHECKS), (30, 9), listing)
        return
    found = next((c for c in CHECKS if c.name == name), None)
    if found is None:
        raise CfgexplainError("usage", f"no check is called {name}", _meant(name, NAMES))
    page = texts.rule(found.name)
    example = texts.text("text.rule.example").format(example=page["example"])
    severity = texts.text(f"text.severity.{found.severity}")
    effect = texts.text(f"page.rule.severity.{found.severity}")
    steps = [texts.text("page.rule.todo"), *(f"  {x}" for x in advice(found.name, texts))]
    parts = [f"{found.name} ({severity})", page["says"], page["why"], example, "\n".join(steps), effect]
    parts.append(page.get("references", ""))
    yield "\n\n".join(clean_lines(p, columns) for p in parts if p) + "\n"


class _Blank(dict[str, object]):
    """Stands for the values of a template: each by its own name, as manual pages write it."""

    def __missing__(self, key: str) -> _Named:
        return _Named(f"<{key}>")


class _Named(str):
    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return str(self)


def advice(check: str, texts: Catalogue, most: int = 4) -> list[str]:
    """What the findings of a check advise, each way once; those that name no value of a model first."""
    found = dict.fromkeys(texts.hints(check))
    return [x.format_map(_Blank()) for x in sorted(found, key=lambda x: "{" in x.replace("{{", ""))[:most]]


def _meant(name: str, names: Sequence[str]) -> str:
    """The name that was meant: spelled nearly so, or made of the same words in another order."""
    from cfgexplain.run import nearest

    words = set(name.replace("_", "-").lower().split("-"))
    shared = {n: len(words & set(n.split("-"))) for n in names}
    best = max(names, key=lambda n: (shared[n], -len(n)))
    if words == set(best.split("-")):
        return f"Did you mean {best}?"
    hint = nearest(name, names)
    if not hint and shared[best] >= max(2, len(words) / 2):
        hint = f"Did you mean {best}?"
    return hint or "`cfgexplain rule` lists them."


def _listed(rows: Iterable[tuple[str, ...]], sizes: tuple[int, ...], columns: int) -> Iterator[str]:
    """Rows of fixed columns with a text behind them, which wraps under itself where there are columns for it."""
    from cfgexplain.render.text_layout import indented, pad, wrap

    for row in rows:
        head = "".join(pad(x, size) for x, size in zip(row, sizes, strict=False))
        if columns and columns - sum(sizes) < 30:
            yield head.rstrip() + "\n"
            yield from (f"    {x}\n" for x in wrap(row[-1], columns - 4))
        elif columns:
            yield from (f"{x}\n" for x in indented(wrap(row[-1], columns - sum(sizes)), head, " " * sum(sizes)))
        else:
            yield f"{head}{row[-1]}\n"


def key_page(
    name: str | None, lang: str, columns: int = 0, listing: int = 0, everything: bool = False
) -> Iterator[str]:
    """The page of one key or word, or one line for each key that a text explains; columns as in ``rules``."""
    from cfgexplain.explain.key_page import listed, page

    if name is None:
        yield from _listed(listed(lang), (34,), listing)
        return
    yield "\n\n".join(clean_lines(p, columns) for p in page(name, lang, everything)) + "\n"


def clean_lines(text: str, columns: int = 0) -> str:
    """A paragraph wrapped at the columns given, at most 100; its lines that begin with spaces keep them."""
    from cfgexplain.render.text_layout import wrap
    from cfgexplain.text import clean

    most = min(columns or 100, 100)
    out: list[str] = []
    for line in text.split("\n"):
        room = line[: len(line) - len(line.lstrip(" "))]
        hang = room + "  " if room else ""
        for k, part in enumerate(wrap(clean(line.strip()), most - len(hang))):
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

"""The models below a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.layout import CONFIG_NAMES, is_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Deeper than any tree of models.
DEEPEST: Final = 60


def models_below(folder: str, exclude: Sequence[str] = ()) -> Iterator[str]:
    """Paths of the models in a folder and all folders below it, in a fixed order.

    A folder with a config is a model, named by that config; one without is named by its index, or by each of its
    weight files. Hidden folders and links to folders are passed over, and adapters, which are no models.

    Args:
        folder: where to begin.
        exclude: shell patterns; what matches is not entered and not read (``excluded`` says against what).
    """
    yield from _walk(folder, folder, exclude, 0)


def _walk(folder: str, top: str, exclude: Sequence[str], depth: int) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda e: e.name)
    except OSError as e:
        if depth:
            return  # a folder below that may not be read holds nothing of ours
        hint = "--recursive wants a folder that can be read."
        raise CfgexplainError("not-found", f"{folder}: cannot be listed ({e.strerror})", hint) from None
    kept = [e for e in entries if not _left_out(e.path, top, exclude)] if exclude else entries
    names = {e.name for e in kept if not e.is_dir()}
    yield from (os.path.join(folder, n) for n in _models(names))
    if depth < DEEPEST:
        for entry in kept:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from _walk(entry.path, top, exclude, depth + 1)


def _left_out(path: str, top: str, exclude: Sequence[str]) -> bool:
    """Patterns hold for the path below ``top``, and for the path as the user would write it from where they are."""
    below = excluded(os.path.relpath(path, top), exclude)
    return below or (not os.path.isabs(path) and excluded(os.path.normpath(path), exclude))


def _models(names: set[str]) -> list[str]:
    config = next((c for c in CONFIG_NAMES if c in names), None)
    if config is not None:
        return [config]
    if "adapter_config.json" in names:
        return []
    index = sorted(n for n in names if is_index(n))
    return index[:1] or sorted(n for n in names if n.endswith(".safetensors"))


def excluded(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern fits a path, one of the folders above it, or the name of either (``old``, ``*/draft``)."""
    from fnmatch import fnmatchcase

    parts = path.replace(os.sep, "/").split("/")
    wanted = {*parts, *("/".join(parts[:k]) for k in range(1, len(parts) + 1))}
    return any(fnmatchcase(p, pattern.rstrip("/")) for pattern in patterns for p in wanted)

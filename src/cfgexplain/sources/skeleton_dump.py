"""Writes a checkpoint as a skeleton; ``skeleton.py`` reads it and describes the format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cfgexplain.fold import fold, natural_key
from cfgexplain.sources.skeleton import VERSION, data_bytes
from cfgexplain.sources.skeleton_problems import dump_problems, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.checkpoint import Checkpoint, Tensor


def dump_skeleton(checkpoint: Checkpoint) -> str:
    """The skeleton of a checkpoint, the same text for the same checkpoint. ``tensors`` None becomes null."""
    target = checkpoint.target
    named = {"repo_id": target.repo_id, "revision": target.revision, "commit": target.commit}
    source = {k: v for k, v in named.items() if v is not None}
    config = checkpoint.config
    lines = ["{", f'"cfgexplain_skeleton": {VERSION},', f'"source": {_json(source)},']
    lines.append(f'"config_file": {_json(config.name if config is not None else None)},')
    if config is None:
        lines.append('"config": null,')
    else:
        lines += _block("config", "{}", [f"{_json(k)}: {_json(v)}" for k, v in config.value.items()])
    if checkpoint.extra:
        lines += _block("extra", "{}", [f"{_json(k)}: {_json(v)}" for k, v in sorted(checkpoint.extra.items())])
    if checkpoint.index is not None:
        index = checkpoint.index
        value: dict[str, object] = {
            "file": index.file,
            "total_size": index.total_size,
            "metadata": dict(index.metadata),
        }
        if lost := listed(checkpoint):
            value["listed"] = lost
        lines.append(f'"index": {_json(value)},')
    if not checkpoint.complete:
        lines.append('"complete": false,')
    if checkpoint.problems:
        lines += _block("problems", "[]", dump_problems(checkpoint.problems))
    position = {f.name: i for i, f in enumerate(checkpoint.weight_files)}
    files = [_json([f.name, f.bytes, f.header_bytes]) for f in checkpoint.weight_files]
    lines += _block("files", "[]", files)
    if checkpoint.tensors is None:
        lines.append('"tensors": null')
    else:
        lines += _block("tensors", "{}", _tensor_lines(checkpoint.tensors, position))
        lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}", ""])


def _tensor_lines(tensors: tuple[Tensor, ...], position: Mapping[str, int]) -> list[str]:
    groups: dict[tuple[str, tuple[int, ...], int, int | None], list[str]] = {}
    for t in tensors:
        size = None if t.nbytes == data_bytes(t.dtype, t.shape) else t.nbytes
        groups.setdefault((t.dtype, t.shape, position.get(t.file, 0), size), []).append(t.name)
    rows: list[tuple[str, str]] = []
    for (dtype, shape, file, size), names in groups.items():
        value: list[object] = [dtype, list(shape)]
        if file or size is not None:
            value.append(file)
        if size is not None:
            value.append(size)
        text = json.dumps(value, separators=(",", ":"))
        rows += [(pattern, f"{_json(pattern)}: {text}") for pattern in fold(names)]
    rows.sort(key=lambda row: natural_key(row[0]))
    return [line for _, line in rows]


def _block(key: str, brackets: str, rows: list[str]) -> list[str]:
    return [f'"{key}": {brackets[0]}', *(row + "," for row in rows[:-1]), *rows[-1:], brackets[1] + ","]


def _json(value: object) -> str:
    return json.dumps(value)

"""Skeletons: a model's config and the table of its tensors, without weights, as one small text file.

The format is JSON with one config key and one tensor pattern a line, so that a person can diff it::

    {
    "cfgexplain_skeleton": 1,
    "source": {"repo_id": "org/name", "commit": "…"},
    "config_file": "config.json",
    "config": {
    "hidden_size": 4096,
    …
    },
    "files": [
    ["model-00001-of-00002.safetensors", 9976576152, 35432],
    …
    ],
    "tensors": {
    "model.layers.{0-23}.mlp.down_proj.weight": ["F16",[4096,11008]],
    "model.layers.{24-31}.mlp.down_proj.weight": ["F16",[4096,11008],1],
    …
    }
    }

``files``: name, bytes of the file, bytes of its header (null where unknown). ``tensors``: dtype, shape, then, where
they differ from the rule, the file's position (0) and the bytes of data (elements times the dtype's width).
Optional: ``extra`` (other small JSON files by name), ``index`` (file, total_size, metadata, and what it lists in files
that were not read), ``complete`` false, ``problems`` (what was wrong with the files, ``skeleton_problems.py``).
"""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Final, NoReturn

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Index, Target, Tensor, WeightFile
from cfgexplain.collector import paused
from cfgexplain.dtypes import BITS
from cfgexplain.errors import CfgexplainError
from cfgexplain.fold import unfold
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfgexplain.checkpoint import Problem

VERSION: Final = 1
#: Bytes of a skeleton on disk, and of one unpacked.
MAX_PACKED_BYTES: Final = 50_000_000
MAX_TEXT_BYTES: Final = 200_000_000
MAX_TENSORS: Final = 5_000_000
_MAX_RANK: Final = 64
_MAX_SIZE: Final = 1 << 63
_MAX_FILES: Final = 20_000
_MAX_NAME: Final = 4096
_MARK: Final = b'"cfgexplain_skeleton"'


def is_skeleton(data: bytes) -> bool:
    """Whether a JSON text says, near its start, that it is a skeleton."""
    return _MARK in data[:512]


def data_bytes(dtype: str, shape: tuple[int, ...]) -> int | None:
    """Bytes of a tensor's data, or None for a dtype that this version does not know."""
    bits = BITS.get(dtype)
    return None if bits is None else (prod(shape) * bits + 7) // 8


def dump_skeleton(checkpoint: Checkpoint) -> str:
    """The skeleton of a checkpoint as text (``skeleton_dump.py``)."""
    from cfgexplain.sources.skeleton_dump import dump_skeleton as dump

    return dump(checkpoint)


def load_skeleton(data: bytes, name: str, target: Target, *, config_only: bool = False) -> Checkpoint:
    """Reads a skeleton, packed by gzip or not.

    ``target.kind`` is kept; repo and commit come from the file. Raises CfgexplainError "unreadable" for what breaks
    the format or one of its limits: bytes packed and unpacked, tensors, files, rank.
    """
    with paused():
        return _Reader(clean(name, 300)).read(data, target, config_only)


class _Reader:
    """One skeleton file. Keeps its name for messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fail(self, message: str) -> NoReturn:
        raise CfgexplainError("unreadable", f"{self.name}: {message}", "Write it anew with: cfgexplain skeleton.")

    def text(self, data: bytes) -> str:
        if data.startswith(b"\x1f\x8b"):
            import zlib

            unpacker = zlib.decompressobj(wbits=31)
            try:
                data = unpacker.decompress(data, MAX_TEXT_BYTES + 1)
            except zlib.error:
                self.fail("is no valid gzip file")
            if len(data) <= MAX_TEXT_BYTES and not unpacker.eof:
                self.fail("is a gzip file that ends too early")
        if len(data) > MAX_TEXT_BYTES:
            self.fail(f"is larger than {MAX_TEXT_BYTES:,} bytes")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as e:
            self.fail(f"is not UTF-8 (byte {e.start:,})")

    def read(self, data: bytes, target: Target, config_only: bool) -> Checkpoint:
        try:
            value: object = json.loads(self.text(data))
        except json.JSONDecodeError as e:
            self.fail(f"is not JSON: {e.msg} at line {e.lineno}, column {e.colno}")
        except (ValueError, RecursionError):
            self.fail("is JSON that cannot be read (nesting, or numbers)")
        if not isinstance(value, dict) or "cfgexplain_skeleton" not in value:
            self.fail("is no skeleton")
        version = value["cfgexplain_skeleton"]
        if type(version) is not int or version < 1:
            self.fail("has no valid version")
        if version > VERSION:
            message = f"{self.name} is a skeleton of version {version}; this cfgexplain reads version {VERSION}"
            raise CfgexplainError("unsupported", message, "Install a newer cfgexplain.")
        source = self.mapping(value, "source")
        config = self.config(value)
        target = Target(
            target.input,
            target.kind,
            repo_id=self.word(source, "repo_id"),
            revision=self.word(source, "revision"),
            commit=self.word(source, "commit"),
        )
        extra = self.mapping(value, "extra")
        problems = self.problems(value, config_only)
        if config_only:
            return Checkpoint(target, config, extra=extra, problems=problems)
        files = self.files(value)
        tensors = self.tensors(value, files)
        counts: dict[str, int] = {}
        for t in tensors or ():
            counts[t.file] = counts.get(t.file, 0) + 1
        weight_files = tuple(
            WeightFile(n, size, header, counts.get(n, 0) if header is not None or n in counts else None)
            for n, size, header in files
        )
        return Checkpoint(
            target=target,
            config=config,
            tensors=tensors,
            weight_files=weight_files,
            index=self.index(value, tensors),
            extra=extra,
            problems=problems,
            complete=value.get("complete") is not False,
        )

    def mapping(self, value: Mapping[str, object], key: str) -> dict[str, object]:
        found = value.get(key)
        if found is not None and not isinstance(found, dict):
            self.fail(f'"{key}" is no object')
        return found or {}

    def word(self, value: Mapping[str, object], key: str) -> str | None:
        found = value.get(key)
        if found is not None and (not isinstance(found, str) or len(found) > _MAX_NAME):
            self.fail(f'"{key}" is no name')
        return found

    def config(self, value: Mapping[str, object]) -> ConfigFile | None:
        found = value.get("config")
        if found is None:
            return None
        if not isinstance(found, dict):
            self.fail('"config" is no object')
        return ConfigFile(self.word(value, "config_file") or "config.json", "", found)

    def problems(self, value: Mapping[str, object], config_only: bool) -> tuple[Problem, ...]:
        if "problems" not in value:
            return ()
        from cfgexplain.sources.skeleton_problems import load_problems

        try:
            return load_problems(value["problems"], MAX_TENSORS, config_only)
        except ValueError as e:
            self.fail(clean(str(e), 300))

    def size(self, value: object, what: str) -> int | None:
        if value is not None and (type(value) is not int or not 0 <= value < _MAX_SIZE):
            self.fail(f"{what} has no valid size")
        return value

    def files(self, value: Mapping[str, object]) -> list[tuple[str, int | None, int | None]]:
        found = value.get("files") or ["model.safetensors"]
        if not isinstance(found, list) or len(found) > _MAX_FILES:
            self.fail(f'"files" is no list of at most {_MAX_FILES:,} files')
        out: list[tuple[str, int | None, int | None]] = []
        for item in found:
            row = [item] if isinstance(item, str) else item
            if not isinstance(row, list) or not 1 <= len(row) <= 3 or not isinstance(row[0], str):
                self.fail(f'"files" holds something else than [name, bytes, header bytes]: {clean(repr(item), 80)}')
            name, size, header = [*row, None, None][:3]
            out.append((name, self.size(size, "a file"), self.size(header, "a header")))
        return out

    def tensors(
        self, value: Mapping[str, object], files: list[tuple[str, int | None, int | None]]
    ) -> tuple[Tensor, ...] | None:
        found = value.get("tensors")
        if found is None:
            return None
        if not isinstance(found, dict):
            self.fail('"tensors" is no object')
        out: list[Tensor] = []
        for pattern, row in found.items():
            if not isinstance(row, list) or not 2 <= len(row) <= 4:
                self.fail(f"the tensor {clean(pattern, 200)} is no [dtype, shape, file, bytes]")
            dtype, shape = row[0], self.shape(row[1], pattern)
            if not isinstance(dtype, str) or len(dtype) > 64:
                self.fail(f"the tensor {clean(pattern, 200)} has no valid dtype")
            file = row[2] if len(row) > 2 else 0
            if type(file) is not int or not 0 <= file < len(files):
                self.fail(f"the tensor {clean(pattern, 200)} is in no file of the list")
            size = self.size(row[3], clean(pattern, 200)) if len(row) > 3 else data_bytes(dtype, shape)
            try:
                names = unfold(pattern, MAX_TENSORS - len(out))
            except ValueError as e:
                self.fail(clean(str(e), 300))
            name = files[file][0]
            out += [Tensor(n, dtype, shape, size or 0, name) for n in names]
        if len({t.name for t in out}) != len(out):
            self.fail("lists a tensor twice")
        return tuple(out)

    def shape(self, value: object, pattern: str) -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) > _MAX_RANK:
            self.fail(f"the tensor {clean(pattern, 200)} has no valid shape")
        for n in value:
            if type(n) is not int or not 0 <= n < _MAX_SIZE:
                self.fail(f"the tensor {clean(pattern, 200)} has no valid shape")
        return tuple(value)

    def index(self, value: Mapping[str, object], tensors: tuple[Tensor, ...] | None) -> Index | None:
        found = self.mapping(value, "index")
        file = self.word(found, "file")
        if file is None or (tensors is None and "listed" not in found):
            return None
        total = self.size(found.get("total_size"), '"index"')
        index = Index(file, {t.name: t.file for t in tensors or ()}, total, self.mapping(found, "metadata"))
        if "listed" not in found:
            return index
        from cfgexplain.sources.skeleton_problems import with_listed

        try:
            return with_listed(index, found["listed"], MAX_TENSORS)
        except ValueError as e:
            self.fail(clean(str(e), 300))

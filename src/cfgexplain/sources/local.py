"""A directory or a file on disk to a Checkpoint."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import Checkpoint, ConfigFile, Index, Note, Problem, Target
from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.assemble import Gathered, assemble
from cfgexplain.sources.configs import LFS_MAGIC, read_config, read_extra, refuse_by_name
from cfgexplain.sources.files import (
    MAX_CONFIG_BYTES,
    WeightRead,
    file_error,
    list_folder,
    list_subfolders,
    read_file,
    read_weights,
    stays_inside,
)
from cfgexplain.sources.index import MAX_INDEX_BYTES, parse_index
from cfgexplain.sources.layout import (
    CONFIG_NAMES,
    EXTRA_NAMES,
    Layout,
    choose,
    config_error,
    is_index,
    shown,
    weights_error,
)
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfgexplain.sources.options import Options

_GZIP_MAGIC: Final = b"\x1f\x8b"
#: Where the hub library keeps downloads that are not finished, in a folder that it filled.
_PARTIAL: Final = os.path.join(".cache", "huggingface", "download")


def load_local(path: str, options: Options, shown_as: str | None = None) -> Checkpoint:
    """Reads a directory, config, params file, weight file, index or skeleton.

    Args:
        path: where it is, ``~`` expanded.
        options: ``subfolder`` and ``config_only`` bear on it.
        shown_as: the target as the user wrote it; ``path`` where None.

    Raises CfgexplainError (HeaderError for a header that cannot be listed).
    """
    target = Target(path if shown_as is None else shown_as, "directory")
    if options.subfolder is not None:
        path = os.path.join(path, *options.subfolder.split("/"))
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as e:
        raise file_error(e, path) from None
    if stat.S_ISDIR(mode):
        return load_folder(path, options, target)
    folder, name = os.path.split(path)
    folder = folder or os.curdir
    if name.endswith(".safetensors"):
        return _load_weight_file(folder, name, options, target)
    if is_index(name):
        return load_folder(folder, options, target, prefer=name, named="index")
    return _load_json(folder, name, path, options, target)


def _load_weight_file(folder: str, name: str, options: Options, target: Target) -> Checkpoint:
    names = list_folder(folder)
    if any(c in names for c in CONFIG_NAMES):
        return load_folder(folder, options, target, prefer=name)
    index = choose(names, prefer=name).index_file if any(is_index(n) for n in names) else None
    if index is not None and _names_shard(os.path.join(folder, index), index, name):
        return load_folder(folder, options, target, prefer=name, named="index")
    if options.config_only:
        raise CfgexplainError("no-config", f"{clean(name)} has no config.json beside it", "Leave --config-only out.")
    read = read_weights(os.path.join(folder, name), name)
    target = Target(target.input, "file")
    return assemble(Gathered(target, None, Layout(None, weights=(name,)), reads=(read,), names=names))


def _names_shard(path: str, index: str, name: str) -> bool:
    try:
        return name in parse_index(read_file(path, index, MAX_INDEX_BYTES), index)[0].weight_map.values()
    except CfgexplainError:
        return True  # its own fault is what the user should read


def _load_json(folder: str, name: str, path: str, options: Options, target: Target) -> Checkpoint:
    """A JSON file goes by its content: skeleton, index, or config."""
    from cfgexplain.sources.skeleton import MAX_PACKED_BYTES, is_skeleton, load_skeleton

    cap = MAX_PACKED_BYTES if name.endswith((".json", ".gz")) and name not in CONFIG_NAMES else MAX_CONFIG_BYTES
    data = read_file(path, name, cap)
    if data.startswith(_GZIP_MAGIC) or is_skeleton(data):
        return load_skeleton(data, name, Target(target.input, "skeleton"), config_only=options.config_only)
    refuse_by_name(name)
    if name in CONFIG_NAMES:
        return load_folder(folder, options, target, named="config", config_name=name)
    if b'"weight_map"' in data[:4096] or b'"weight_map"' in data[-4096:]:
        return load_folder(folder, options, target, prefer=name, named="index")
    if not name.lower().endswith(".json"):
        _refuse_foreign(data, name)
    if len(data) > MAX_CONFIG_BYTES:
        message = f"{clean(name, 300)} is larger than the {MAX_CONFIG_BYTES:,} bytes that a config may have"
        raise CfgexplainError("unreadable", message, "Is this the right file?")
    config, problems = read_config(data, name)
    return Checkpoint(Target(target.input, "file"), config, problems=tuple(problems))


def _refuse_foreign(data: bytes, name: str) -> None:
    """A weight file of another format, or any other file, is told as such, not as broken JSON."""
    from cfgexplain.header import diagnose

    if data.lstrip()[:1] == b"{":
        return
    found = diagnose(data[:512], None, name)
    message = found.message if found is not None else f"{clean(name, 300)} is no file that cfgexplain reads"
    raise CfgexplainError("unsupported", message, "Give a config.json, a .safetensors file or a directory.")


def load_folder(
    folder: str,
    options: Options,
    target: Target,
    *,
    prefer: str | None = None,
    named: str = "folder",
    config_name: str | None = None,
    cached: bool = False,
) -> Checkpoint:
    """Reads the model in one folder.

    Args:
        folder: the folder itself, subfolder applied.
        options: ``config_only`` bears on it.
        target: as asked for; its kind becomes "file" where a config turns out to stand alone.
        prefer: a file of the folder that the user named, where several sets of weights are there.
        named: what the user named. "folder": it must hold a config. "config": weights that cannot be read are a
            remark, not an error. "index": there may be no config.
        config_name: the config that the user named.
        cached: the folder is a snapshot in the hub library's cache, where absent files mean "not downloaded".
    """
    names = list_folder(folder)
    where = clean(target.repo_id or target.input, 300)
    notes: list[Note] = []
    config_name = config_name or next((c for c in CONFIG_NAMES if c in names), None)
    if config_name is None and named != "index":
        nested = list_subfolders(folder, frozenset(CONFIG_NAMES))
        raise config_error(names | nested, where, _base_model(folder, names))
    config: ConfigFile | None = None
    problems: list[Problem] = []
    if config_name is not None:
        data = read_file(os.path.join(folder, config_name), config_name, MAX_CONFIG_BYTES)
        config, problems = read_config(data, config_name)
    extra = _extras(folder, names, notes)
    if named == "config" and target.kind == "directory":
        target = target if not options.config_only else Target(target.input, "file")
    if options.config_only:
        return Checkpoint(target, config, extra=extra, problems=tuple(problems), notes=tuple(notes))
    try:
        layout = choose(names, prefer)
    except CfgexplainError as e:
        if named != "config":
            raise
        layout, notes = Layout(config_name), [*notes, Note("weights-skipped", {"reason": e.message})]
    if not layout.has_weights:
        fault = weights_error(names, where, required=False)
        if fault is not None and named != "config" and not cached:
            raise fault
        if cached:
            notes.append(Note("cache-no-weights", {}))
        elif fault is not None:
            notes.append(Note("weights-skipped", {"reason": fault.message}))
        if target.kind == "directory" and named == "config":
            target = Target(target.input, "file")
        return Checkpoint(target, config, extra=extra, problems=tuple(problems), notes=tuple(notes))
    if layout.variant is not None:
        notes.append(Note("variant", {"variant": layout.variant}))
    index, reads, missing = _read_weights(folder, layout, problems, notes)
    names |= _partial_downloads(folder)
    return assemble(
        Gathered(target, config, layout, index, reads, missing, names, cached, problems, notes, extra)
    )  # fmt: skip


def _read_weights(
    folder: str, layout: Layout, problems: list[Problem], notes: list[Note]
) -> tuple[Index | None, list[WeightRead], Sequence[str]]:
    """Reads the headers of a layout. Appends what is wrong with its index to ``problems``."""
    if layout.index_file is None:
        return None, [read_weights(os.path.join(folder, w), w) for w in layout.weights], layout.absent
    data = read_file(os.path.join(folder, layout.index_file), layout.index_file, MAX_INDEX_BYTES)
    if data.startswith(LFS_MAGIC):
        return None, [WeightRead(layout.index_file, len(data), None)], ()
    index, faults = parse_index(data, layout.index_file)
    problems += faults
    if index.total_size is None and all(p.check != "index-total-size" for p in faults):
        notes.append(Note("index-no-total-size", {"file": index.file}))
    reads: list[WeightRead] = []
    missing: list[str] = []
    outside: list[str] = []
    for shard in sorted(set(index.weight_map.values())):
        path = os.path.join(folder, *shard.split("/"))
        if not os.path.exists(path):
            missing.append(shard)
        elif not stays_inside(folder, shard):
            outside.append(shard)
        else:
            reads.append(read_weights(path, shard))
    if outside:
        values = {"count": len(outside), "paths": shown(outside)}
        problems.append(Problem("unsafe-shard-path", "link", values, file=index.file))
        barred = frozenset(outside)
        weight_map = {k: v for k, v in index.weight_map.items() if v not in barred}
        index = Index(index.file, weight_map, index.total_size, index.metadata)
    return index, reads, missing


def _extras(folder: str, names: frozenset[str], notes: list[Note]) -> dict[str, object]:
    out: dict[str, object] = {}
    for name in (*EXTRA_NAMES, "adapter_config.json"):
        if name in names:
            try:
                data = read_file(os.path.join(folder, name), name, MAX_CONFIG_BYTES)
            except CfgexplainError as e:
                notes.append(Note("extra-unreadable", {"file": name, "reason": e.message}))
                continue
            value, remarks = read_extra(data, name)
            notes += remarks
            if not remarks:
                out[name] = value
    return out


def _base_model(folder: str, names: frozenset[str]) -> str | None:
    """What an adapter says that it adapts, for the hint."""
    if "adapter_config.json" not in names:
        return None
    value = _extras(folder, frozenset({"adapter_config.json"}), []).get("adapter_config.json")
    base = value.get("base_model_name_or_path") if isinstance(value, dict) else None
    return clean(base, 200) if isinstance(base, str) and base else None


def _partial_downloads(folder: str) -> frozenset[str]:
    path = os.path.join(folder, _PARTIAL)
    if not os.path.isdir(path):
        return frozenset()
    return frozenset(n for n in list_folder(path) if n.endswith(".incomplete"))

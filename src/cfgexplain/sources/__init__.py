"""Where models come from: a TARGET in, a Checkpoint out.

Everything but the spec is imported when it is needed: a local target never pays for the hub.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.options import Options
from cfgexplain.sources.spec import Spec, exists_on_disk, parse_target, without_userinfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfgexplain.checkpoint import Checkpoint
    from cfgexplain.sources.ahead import Ahead

__all__ = ["Options", "Spec", "dedupe_targets", "list_examples", "open_target", "parse_target", "read_ahead"]


_ahead: Ahead | None = None


def read_ahead(texts: Sequence[str], options: Options) -> None:
    """Says which targets ``open_target`` will be asked for next, so that hub models are read several at once."""
    global _ahead
    _ahead = None
    specs = [spec for text in texts if (spec := _hub_spec(text, options)) is not None] if len(texts) > 1 else []
    if len(specs) > 1:
        from cfgexplain.sources.ahead import Ahead

        _ahead = Ahead(specs, options)


def _hub_spec(text: str, options: Options) -> Spec | None:
    try:
        spec = parse_target(text, revision=options.revision, subfolder=options.subfolder)
    except CfgexplainError:
        return None  # told when its turn comes
    return spec if spec.kind == "hub" else None


def open_target(text: str, options: Options) -> Checkpoint:
    """Reads one TARGET. Raises CfgexplainError; its kind "usage" means that the text can be no target."""
    try:
        return _opened(text, options)
    except CfgexplainError as e:
        word = text.strip()
        if e.kind in ("usage", "internal") or "/" in word or _kind(text) != "hub":
            raise
        hint = f"{word} is no path on this machine, so it was taken as a hub id. {e.hint}".rstrip()
        raise CfgexplainError(e.kind, e.message, hint, e.at) from e


def _kind(text: str) -> str:
    try:
        return parse_target(text).kind
    except CfgexplainError:
        return ""


def _opened(text: str, options: Options) -> Checkpoint:
    found = _ahead.take(text, options) if _ahead is not None else None
    if found is not None:
        return found
    spec = parse_target(text, revision=options.revision, subfolder=options.subfolder)
    if spec.kind == "stdin":
        return _load_stdin(options)
    if spec.kind == "example":
        from cfgexplain.sources.examples import load_example

        return load_example(spec.path, spec.input, config_only=options.config_only)
    if spec.kind == "path":
        from cfgexplain.sources.local import load_local

        return load_local(spec.path, options._replace(subfolder=spec.subfolder), spec.input)
    from cfgexplain.sources.hub import load_hub

    return load_hub(spec, options)


def _load_stdin(options: Options) -> Checkpoint:
    import sys

    from cfgexplain.checkpoint import Checkpoint, Target
    from cfgexplain.sources.configs import read_config
    from cfgexplain.sources.files import MAX_CONFIG_BYTES
    from cfgexplain.sources.skeleton import MAX_PACKED_BYTES, is_skeleton, load_skeleton

    data = sys.stdin.buffer.read(MAX_PACKED_BYTES + 1)
    target = Target("-", "stdin")
    if data.startswith(b"\x1f\x8b") or is_skeleton(data):
        return load_skeleton(data, "<stdin>", target, config_only=options.config_only)
    if len(data) > MAX_CONFIG_BYTES:
        message = f"standard input is larger than the {MAX_CONFIG_BYTES:,} bytes that a config may have"
        raise CfgexplainError("unreadable", message, "Pipe one config.json.")
    config, problems = read_config(data, "<stdin>")
    return Checkpoint(target, config, problems=tuple(problems))


def list_examples() -> list[str]:
    """Names of the skeletons that ship inside the package."""
    from cfgexplain.sources.examples import list_examples as listed

    return listed()


def dedupe_targets(targets: Iterable[str]) -> list[str]:
    """Leaves out targets that would be read again: files of one model's folder, and the folder itself.

    The first one named stays, as it was written. Equal texts count once. Reads folders' names only.
    """
    seen: set[str] = set()
    out: list[str] = []
    for given in targets:
        text = without_userinfo(given)
        key = _same(text)
        if key not in seen:
            seen.add(key)
            out.append(text)
    return out


def _same(text: str) -> str:
    """Equal for targets that are the same model, as far as paths tell."""
    path = os.path.expanduser(text) if text.startswith("~") else text
    if text == "-" or text.startswith("example:") or not exists_on_disk(path):
        return "target:" + text
    real = os.path.realpath(path)
    if os.path.isdir(path):
        return "folder:" + real
    folder, name = os.path.split(os.path.abspath(path))
    from cfgexplain.sources.layout import CONFIG_NAMES, is_index

    has_config = any(os.path.isfile(os.path.join(folder, c)) for c in CONFIG_NAMES)
    if name in CONFIG_NAMES or is_index(name) or (name.endswith(".safetensors") and (has_config or _has_index(folder))):
        return "folder:" + os.path.realpath(folder)
    return "file:" + real


def _has_index(folder: str) -> bool:
    from cfgexplain.sources.layout import is_index

    try:
        return any(is_index(n) for n in os.listdir(folder))
    except OSError:
        return False

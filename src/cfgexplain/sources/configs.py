"""Bytes to ConfigFile, and to the small JSON files beside it. The same for disk, hub and standard input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.checkpoint import ConfigFile, Note
from cfgexplain.errors import CfgexplainError
from cfgexplain.jsonpos import parse_config
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.checkpoint import Problem

LFS_MAGIC: Final = b"version https://git-lfs"
#: Names that are taken for a config, and what they are.
_OTHER_CONFIGS: Final = {
    "adapter_config.json": "the config of an adapter, not of a whole model",
    "model_index.json": "the index of a diffusers pipeline, not the config of a model",
    "tokenizer_config.json": "the config of a tokenizer, not of a model",
    "generation_config.json": "the config of text generation, not of a model",
    "preprocessor_config.json": "the config of a preprocessor, not of a model",
}


def refuse_by_name(name: str) -> None:
    """Raises "unsupported" for a JSON file that is known to be something else than a config."""
    what = _OTHER_CONFIGS.get(name)
    if what is not None:
        raise CfgexplainError("unsupported", f"{name} is {what}", "Give the config.json, or the folder that holds it.")


def read_config(data: bytes, name: str) -> tuple[ConfigFile, list[Problem]]:
    """A config from its bytes. Raises "invalid-config" for what is no JSON object, "unreadable" for an LFS pointer."""
    if data.startswith(LFS_MAGIC):
        raise CfgexplainError("unreadable", f"{clean(name, 300)} is a Git LFS pointer, not the file", "git lfs pull.")
    parsed = parse_config(data, name)
    if not isinstance(parsed.value, dict):
        raise CfgexplainError("invalid-config", f"{clean(name, 300)} is JSON, but no object", "A config is {…}.")
    return ConfigFile(name, parsed.text, parsed.value), list(parsed.problems)


def read_extra(data: bytes, name: str) -> tuple[object, list[Note]]:
    """A small JSON file beside the config. One that cannot be read is a remark, and its value None."""
    try:
        return parse_config(data, name).value, []
    except CfgexplainError as e:
        return None, [Note("extra-unreadable", {"file": name, "reason": e.message})]

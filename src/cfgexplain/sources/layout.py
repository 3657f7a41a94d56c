"""Which of a folder's files are the model, decided from their names alone: the same for disk and hub."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import CfgexplainError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

CONFIG_NAMES: Final = ("config.json", "params.json")
#: Small files beside the config that bear on it, where they are there.
EXTRA_NAMES: Final = ("hf_quant_config.json", "quantize_config.json", "quant_config.json")

_ST: Final = ".safetensors"
#: Stems in the order in which they are looked for: transformers', Mistral's and Meta's, diffusers'.
_STEMS: Final = ("model", "consolidated", "diffusion_pytorch_model")
_SHARD: Final = re.compile(r"(?P<stem>.+?)-(?P<k>[0-9]{1,6})-of-(?P<n>[0-9]{1,6})(?:\.(?P<variant>\w+))?")
_INDEX: Final = re.compile(r"(?P<stem>.+)\.safetensors\.index(?:\.(?P<variant>[\w-]+))?\.json")
_PICKLE_SUFFIXES: Final = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
#: Pickles that training leaves behind: no weights of the model.
_NOT_WEIGHTS: Final = ("training_args", "optimizer", "scheduler", "rng_state", "scaler", "adapter_", "tokenizer")
_OTHER_SUFFIXES: Final = (".h5", ".msgpack", ".onnx", ".tflite", ".ot", ".nemo", ".mlmodel", ".engine")
_SHOWN: Final = 4


class Layout(NamedTuple):
    """The files of one model in one folder.

    Attributes:
        config: name of the config, or None.
        index_file: the index to follow, or None.
        weights: the weight files where there is no index; with ``index_file`` the index tells.
        absent: members of a numbered set (…-of-N) that are not there.
        variant: ``fp16`` and the like where only a variant's files exist, or None.
        others: every other ``.safetensors`` file, adapters apart. With ``index_file``: all of them.
    """

    config: str | None
    index_file: str | None = None
    weights: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    variant: str | None = None
    others: tuple[str, ...] = ()

    @property
    def has_weights(self) -> bool:
        return self.index_file is not None or bool(self.weights)


def is_index(name: str) -> bool:
    return _INDEX.fullmatch(name) is not None


def shard_of(name: str) -> tuple[str, str | None, int, int] | None:
    """(stem, variant, k, N) of ``stem-0000k-of-0000N.safetensors``, or None."""
    found = _SHARD.fullmatch(name.removesuffix(_ST)) if name.endswith(_ST) else None
    if found is None:
        return None
    stem, dot, variant = found["stem"].partition(".")
    if found["variant"] is None and dot and stem in _STEMS:
        return stem, variant, int(found["k"]), int(found["n"])
    return found["stem"], found["variant"], int(found["k"]), int(found["n"])


def shown(names: Sequence[str]) -> str:
    """A few names in words: ``a, b and 7 more``."""
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[: _SHOWN - 1])} and {len(names) - _SHOWN + 1} more"


class _Choice(NamedTuple):
    index_file: str | None
    weights: tuple[str, ...]
    absent: tuple[str, ...] = ()
    variant: str | None = None

    def holds(self, name: str | None) -> bool:
        return name is not None and (name == self.index_file or name in self.weights)


def choose(names: Collection[str], prefer: str | None = None) -> Layout:
    """Picks config and weights among the names of one folder; names in subfolders are passed over.

    ``prefer`` is a file that the user named: it decides where nothing else does. Raises "unsupported" where
    several sets of weights are there and nothing says which is meant.
    """
    top = sorted(n for n in names if "/" not in n)
    config = next((c for c in CONFIG_NAMES if c in top), None)
    files = [n for n in top if n.endswith(_ST) and not n.startswith("adapter_")]
    indexes = [n for n in top if is_index(n)]
    if prefer in indexes:
        return Layout(config, index_file=prefer, others=tuple(files))
    for stem in (*_STEMS, None):
        choices = _choices(stem, files, indexes)
        if len(choices) > 1:
            choices = [c for c in choices if c.holds(prefer)] or choices
        if len(choices) > 1:
            raise CfgexplainError(
                "unsupported",
                "several sets of weights and nothing that says which is meant: "
                + shown([c.index_file or c.weights[0] for c in choices]),
                "Name the one file to read, or pass --config-only.",
            )
        if choices:
            c = choices[0]
            others = tuple(f for f in files if f not in c.weights)
            return Layout(config, c.index_file, c.weights, c.absent, c.variant, others)
    return Layout(config, others=tuple(files))


def _choices(stem: str | None, files: list[str], indexes: list[str]) -> list[_Choice]:
    """The sets of weights under one stem (None: any other); one that has no rival by rule comes alone."""
    if stem is None:
        by_index = [_Choice(i, ()) for i in indexes]
        if by_index:
            return by_index
        single = [_Choice(None, (f,)) for f in files if shard_of(f) is None]
        return single + [c for c in _splits(files) if c not in single]
    if f"{stem}{_ST}.index.json" in indexes:
        return [_Choice(f"{stem}{_ST}.index.json", ())]
    if f"{stem}{_ST}" in files:
        return [_Choice(None, (f"{stem}{_ST}",))]
    mine = [f for f in files if (s := shard_of(f)) is not None and s[0] == stem]
    plain = [c for c in _splits(mine) if c.variant is None]
    if plain:
        return plain
    found = {c.variant: c for c in _splits(mine)}
    middles = {f: f[len(stem) + 1 : -len(_ST)] for f in files if f.startswith(stem + ".") and shard_of(f) is None}
    numbered = tuple(f for f, middle in middles.items() if middle.isdigit())
    if numbered:  # consolidated.00.safetensors, …
        return [_Choice(None, numbered)]
    found |= {middle: _Choice(None, (f,), variant=middle) for f, middle in middles.items()}
    for i in indexes:
        match = _INDEX.fullmatch(i)
        if match is not None and match["variant"] and match["stem"] == stem:
            found[match["variant"]] = _Choice(i, (), variant=match["variant"])
    return [found[v] for v in sorted(found, key=str)]


def _splits(files: list[str]) -> list[_Choice]:
    """Numbered sets without an index, each with the members that are absent."""
    sets: dict[tuple[str, str | None, int], dict[int, str]] = {}
    for f in files:
        shard = shard_of(f)
        if shard is not None:
            stem, variant, k, n = shard
            sets.setdefault((stem, variant, n), {})[k] = f
    out = []
    for (_, variant, n), members in sets.items():
        first = next(iter(members))
        # A set of 900,000 shards of which one is there names no more of them than it has.
        missing = [_sibling(members[first], first, k) for k in range(1, min(n, 10_000) + 1) if k not in members]
        out.append(_Choice(None, tuple(members[k] for k in sorted(members)), tuple(missing), variant))
    return out


def _sibling(name: str, k: int, other: int) -> str:
    width = len(name[: name.rindex("-of-")]) - name[: name.rindex("-of-")].rindex("-") - 1
    return name.replace(f"-{k:0{width}d}-of-", f"-{other:0{width}d}-of-")


def other_formats(names: Collection[str]) -> tuple[str, list[str]] | None:
    """What the weights of a folder without safetensors are: a word for the format, and the files."""
    top = sorted(n for n in names if "/" not in n)
    gguf = [n for n in top if n.lower().endswith(".gguf")]
    if gguf:
        return "GGUF", gguf
    pickles = [n for n in top if n.lower().endswith(_PICKLE_SUFFIXES) and not n.startswith(_NOT_WEIGHTS)]
    if pickles:
        return "pickle", pickles
    others = [n for n in top if n.lower().endswith(_OTHER_SUFFIXES)]
    return ("other", others) if others else None


def weights_error(names: Collection[str], where: str, *, required: bool) -> CfgexplainError | None:
    """Why a folder with a config has no weights to read. None where that is no fault (``required`` False)."""
    hint = "Pass --config-only to explain the config alone."
    found = other_formats(names)
    if found is not None:
        word, files = found
        if word == "GGUF":
            return CfgexplainError("unsupported", f"{where} holds GGUF weights only ({shown(files)})", hint)
        if word == "pickle":
            return CfgexplainError(
                "unsupported",
                f"{where} holds its weights as pickle files only ({shown(files)}), which cfgexplain does not open",
                "Convert them to safetensors, or pass --config-only to explain the config alone.",
            )
        return CfgexplainError("no-weights", f"{where} holds no safetensors weights ({shown(files)})", hint)
    return CfgexplainError("no-weights", f"{where} holds no safetensors weights", hint) if required else None


def config_error(
    names: Collection[str], where: str, base_model: str | None = None, *, on_disk: bool = True
) -> CfgexplainError:
    """Why a folder without a config is not a model that can be explained.

    ``names`` may list files of subfolders (``text_encoder/config.json``): they become the hint.
    """
    folders = sorted(n.rpartition("/")[0] for n in names if n.rpartition("/")[2] in CONFIG_NAMES and "/" in n)
    if not names:
        return CfgexplainError("no-config", f"{where} is empty", "Give a folder that holds a config.json.")
    if "adapter_config.json" in names:
        base = f"Explain its base model: {base_model}" if base_model else "Explain its base model."
        return CfgexplainError("unsupported", f"{where} holds an adapter only, not a whole model", base)
    if "model_index.json" in names:
        parts = f" with the parts {shown(folders)}" if folders else ""
        hint = f"Pick one: --subfolder {folders[0]}" if folders else "Pick a part of it with --subfolder."
        return CfgexplainError("unsupported", f"{where} is a diffusers pipeline{parts}", hint)
    safetensors = sorted(n for n in names if n.endswith(_ST) and "/" not in n)
    found = None if safetensors else other_formats(names)
    if found is not None and found[0] in ("GGUF", "pickle"):
        return CfgexplainError(
            "unsupported",
            f"{where} holds {found[0]} weights only ({shown(found[1])}) and no config.json",
            "Cfgexplain reads config.json and safetensors; look for the repo that these were made from.",
        )
    if folders:
        return CfgexplainError(
            "no-config",
            f"{where} has no config.json of its own; folders with one: {shown(folders)}",
            f"Pick one: --subfolder {folders[0]}",
        )
    hint = "Give a folder that holds a config.json."
    if safetensors:
        how = "Name the file" if on_disk else "Download the file and name it"
        hint = f"{how} to explain its header alone: {safetensors[0]}"
    return CfgexplainError("no-config", f"{where} has no config.json", hint)

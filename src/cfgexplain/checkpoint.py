"""What a source hands over: a config's text and a table of tensors. Frozen, and without I/O.

Sources build these; everything after them reads them and never asks where they came from.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TargetKind = Literal["hub", "directory", "file", "skeleton", "example", "stdin"]


class Tensor(NamedTuple):
    """One tensor as a header lists it.

    Attributes:
        name: as stored, unescaped.
        dtype: the header's word (``BF16``, ``F8_E4M3``, …); may be one that this version does not know.
        shape: the logical shape, in elements (F4 and F6 count elements too, not bytes).
        nbytes: bytes of data, from the offsets.
        file: name of the weight file, relative to the model's folder, with forward slashes.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    file: str


class WeightFile(NamedTuple):
    """One weight file: its size and what its header said. None where it is not known."""

    name: str
    bytes: int | None
    header_bytes: int | None
    tensors: int | None


class Listed(tuple[str, ...]):
    """Several names in a value of a problem, to be joined as the reader's language does."""

    __slots__ = ()


class Problem(NamedTuple):
    """A fault that a source saw while reading: it becomes a finding of the same ``check`` name.

    ``key`` names the catalogue text (``finding.<check>.<key>``), ``values`` fills its placeholders.
    ``pointer`` is a JSON pointer into the config, or None. ``tensors`` are names as stored, never folded: whoever
    shows them folds them.
    """

    check: str
    key: str
    values: Mapping[str, object]
    file: str | None = None
    pointer: str | None = None
    tensors: tuple[str, ...] = ()


class Note(NamedTuple):
    """A remark about how a target was read, for standard error. ``note.<key>`` is its text in the catalogue."""

    key: str
    values: Mapping[str, object]


class Index(NamedTuple):
    """A ``*.safetensors.index.json``: which tensor is in which shard.

    Attributes:
        file: the index's own name.
        weight_map: tensor name to shard name, only shards whose path is safe.
        total_size: ``metadata.total_size`` in bytes, or None where absent or not a number.
        metadata: the rest of ``metadata`` as it stands, an empty mapping where absent or null.
    """

    file: str
    weight_map: Mapping[str, str]
    total_size: int | None
    metadata: Mapping[str, object]


class ConfigFile(NamedTuple):
    """A config's text and its value.

    Attributes:
        name: file name (``config.json``, ``params.json``), as shown in findings.
        text: the text as read, for positions; "" for a config that a skeleton or example holds.
        value: the JSON object. Duplicate keys: the last one wins.
    """

    name: str
    text: str
    value: Mapping[str, object]


class Target(NamedTuple):
    """What was asked for, and where it was found."""

    input: str
    kind: TargetKind
    repo_id: str | None = None
    revision: str | None = None
    commit: str | None = None


class Checkpoint(NamedTuple):
    """Everything that is known of one target before any of it is interpreted.

    Attributes:
        target: what was asked for.
        config: the config, or None (a lone ``.safetensors`` file has none).
        tensors: every tensor of every readable weight file, in file order; None where weights were not
            looked at (``--config-only``) or the target has none.
        weight_files: the files behind ``tensors``, unreadable and missing ones too.
        index: the index that was followed, or None.
        extra: other small JSON files that bear on the model, by name (``hf_quant_config.json``,
            ``quantize_config.json``, ``adapter_config.json``).
        problems: faults seen while reading.
        notes: remarks about how the target was read, for standard error.
        complete: False when a shard is missing, unreadable, truncated, or an LFS pointer, so that an absent
            tensor proves nothing.
    """

    target: Target
    config: ConfigFile | None
    tensors: tuple[Tensor, ...] | None = None
    weight_files: tuple[WeightFile, ...] = ()
    index: Index | None = None  # type: ignore[assignment]  # tuple.index, which nobody calls on it
    extra: Mapping[str, object] = MappingProxyType({})
    problems: tuple[Problem, ...] = ()
    complete: bool = True
    notes: tuple[Note, ...] = ()

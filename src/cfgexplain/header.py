"""The header of a safetensors file: bytes in, a table of tensors out. Never reads weights, never runs anything.

The format (safetensors README, "Format"): eight bytes of little-endian length N, N bytes of JSON, then the data.
The JSON maps each tensor's name to ``{"dtype", "shape", "data_offsets": [begin, end]}``, offsets counting from the
end of the header; ``__metadata__`` maps strings to strings. The data has no holes and no overlaps, and ends with
the file. A rule that leaves the tensors listable is a :class:`~cfgexplain.checkpoint.Problem`; any other is a
:class:`~cfgexplain.errors.HeaderError`.

Oracle: the safetensors library, 0.8 (``SafeTensors::read_metadata``). Both refuse the same files, except:

* Duplicate keys. The library refuses ``__metadata__`` or a tensor's field given twice, but lets the last of two
  tensors of one name win, and of two equal metadata keys, and of two unknown fields. Here each is a problem:
  one of the two values is lost, and readers differ in which.
* Blanks before the first ``{``. The library reads on; the format says that the header MUST begin with ``{``, and
  a reader may rely on it. A problem here.
* A tensor written as ``["F32", [1], [0, 4]]``, or a dtype as ``{"F32": null}``. The library's JSON layer takes them
  for structs and enums; the format has no such thing. An error here.
* A dtype that this version does not know. The library refuses the file; here it is only an ``unknown-dtype``, since
  a newer library may read it: the offsets still say how many bytes it has.
* Offsets that sum up to 2**64 or more. The library's last addition may wrap around; here they are beyond the file.
* More than a megabyte of header of which every eighth character opens an array. Refused here, whatever it is.
* ``file_size`` None: what only the file's size can tell is not judged.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.checkpoint import Problem, Tensor
from cfgexplain.collector import paused
from cfgexplain.header_json import LIMIT, BadField, Pairs, Row, decode, judge, judge_offsets, named, refuse
from cfgexplain.header_layout import DataSizes, Faults, check_file_size, check_layout
from cfgexplain.header_start import LENGTH_BYTES, LfsPointer, diagnose, parse_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LENGTH_BYTES", "HeaderTable", "LfsPointer", "diagnose", "parse_header", "parse_length"]

#: Nested arrays and objects below an unknown field of a tensor: serde_json stops at 128 in all.
_MAX_DEPTH: Final = 125
#: Largest double: serde_json refuses integers beyond it, wherever they stand.
_MAX_NUMBER: Final = int(sys.float_info.max)
_FIELDS: Final = ("dtype", "shape", "data_offsets")


class HeaderTable(NamedTuple):
    """What a header says.

    Attributes:
        tensors: in the order of their data.
        metadata: ``__metadata__``, empty where absent or null; values that are no strings are left out.
        header_bytes: bytes of JSON, the length N without its own eight bytes.
        data_bytes: largest end offset, 0 without tensors.
        problems: broken rules, ``invalid-header``, ``unknown-dtype`` or ``truncated-file``.
    """

    tensors: tuple[Tensor, ...]
    metadata: Mapping[str, str]
    header_bytes: int
    data_bytes: int
    problems: tuple[Problem, ...]


def parse_header(raw: bytes, file: str, file_size: int | None) -> HeaderTable:
    """Read the N bytes of JSON between the length and the data.

    Args:
        raw: the header, without the eight length bytes.
        file: the weight file's name, for tensors and messages.
        file_size: bytes of the whole file, or None where that is not known.

    Raises:
        HeaderError: the tensors cannot be listed; ``rule`` and ``tensor`` say why.
    """
    with paused():
        return _Reader(file).read(raw, file_size)


class _Reader:
    """One header on its way from JSON to a table."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults = Faults(file)

    def read(self, raw: bytes, file_size: int | None) -> HeaderTable:
        listed = decode(raw, self.file, self.faults)
        entries = self.unique(listed, None)
        complete = len(entries) == len(listed)
        metadata = self.metadata(entries.pop("__metadata__", None))
        tensors: list[Tensor] = []
        rows: list[Row] = []
        new, file = tuple.__new__, self.file  # the class's own __new__ is a Python function, and takes twice as long
        position, in_order, sized = 0, True, True
        for name, value in entries.items():
            row = value if type(value) is tuple else self.row(name, value)
            dtype, shape, needed, begin, end = row
            size = end - begin
            if begin != position:
                in_order = False
            if size != needed:
                sized = False
            position = end
            tensors.append(new(Tensor, (name, dtype, shape, size, file)))
            rows.append(row)
        data_bytes = position
        problems: list[Problem] = []
        if not (in_order and sized) or position >= LIMIT:
            data_bytes = self.check_range(entries, rows)
            tensors, problems = check_layout(tensors, rows, self.faults, contiguous=complete, sized=sized)
        if file_size is not None:
            sizes = DataSizes(LENGTH_BYTES + len(raw), data_bytes, file_size)
            cut = check_file_size(sizes, entries, rows, file, self.faults)
            problems += [] if cut is None else [cut]
        return HeaderTable(tuple(tensors), metadata, len(raw), data_bytes, (*self.faults.problems(), *problems))

    def unique(self, pairs: Pairs, tensor: str | None) -> dict[str, object]:
        """The last value of each key, and a problem for each key that came again."""
        last = dict(pairs)
        if len(last) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen and tensor is None:
                    self.faults.add("duplicate-key", key, name=key)
                elif key in seen:
                    self.faults.add("duplicate-field", tensor, name=key)
                seen.add(key)
        return last

    def metadata(self, value: object) -> dict[str, str]:
        if value is None:
            return {}
        if not isinstance(value, Pairs):
            self.faults.add("metadata-type", None, given=named(value))
            return {}
        words = self.unique(value, "__metadata__")
        for key, word in words.items():
            if not isinstance(word, str):
                self.faults.add("metadata-value", None, name=key, given=named(word))
        return {key: word for key, word in words.items() if isinstance(word, str)}

    def row(self, name: str, value: object) -> Row:
        """A tensor that is out of the ordinary: fields in another order, unknown fields, or a fault to name."""
        if not isinstance(value, Pairs):
            refuse(self.file, "tensor-not-object", f"it is {named(value)}, not an object", name)
        fields = self.unique(value, name)
        for field in _FIELDS:
            if field not in fields:
                refuse(self.file, "missing-field", f"it has no {field}", name)
        dtype, shape, offsets = (fields.pop(field) for field in _FIELDS)
        if fields:
            self.check_unknown(name, list(fields.values()))
        try:
            return judge(dtype, shape, offsets)
        except BadField as error:
            refuse(self.file, error.rule, str(error), name)

    def check_unknown(self, name: str, level: list[object]) -> None:
        """Unknown fields are for others to read; what no JSON parser need take is refused, as the library does."""
        for _ in range(_MAX_DEPTH):
            if any(isinstance(value, int) and abs(value) > _MAX_NUMBER for value in level):
                refuse(self.file, "number", "it holds a number that is too large", name)
            arrays = [value for value in level if type(value) is list]
            objects = [self.unique(value, name) for value in level if isinstance(value, Pairs)]
            rows = sum(type(value) is tuple for value in level)
            level = [*chain.from_iterable(arrays), *chain.from_iterable(fields.values() for fields in objects)]
            level += [[]] * rows  # a tensor's shape
            if not level:
                return
        if any(isinstance(value, (list, tuple)) for value in level):
            refuse(self.file, "depth", "it is nested too deep", name)

    def check_range(self, names: Iterable[str], rows: list[Row]) -> int:
        """The largest end offset, where all offsets are in range."""
        begins, ends = [row[3] for row in rows], [row[4] for row in rows]
        largest = max(ends)
        if min(begins) < 0 or min(ends) < 0 or max(begins) >= LIMIT or largest >= LIMIT:
            for name, begin, end in zip(names, begins, ends, strict=True):
                try:
                    judge_offsets([begin, end])
                except BadField as error:
                    refuse(self.file, error.rule, str(error), name)
        return largest

"""Where a header says that its data lies: sizes against shapes, holes, overlaps, and the file's own size.

Every rule here leaves the tensors listable, so that each break is a problem and none an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.checkpoint import Problem, Tensor
from cfgexplain.dtypes import BITS
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.header_json import Row

#: Breaks of one rule that are told one by one; the rest are counted. A hostile header breaks one a million times.
SHOWN: Final = 5


class Faults:
    """The broken rules of one header, capped by rule."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._shown: list[Problem] = []
        self._names: dict[str, list[str]] = {}

    def add(self, key: str, tensor: str | None, **values: object) -> None:
        """One break of ``invalid-header``, told as ``finding.invalid-header.<key>``; texts in values are cleaned."""
        names = self._names.setdefault(key, [])
        names.append(tensor or "")
        if len(names) > SHOWN:
            return
        safe = {word: clean(value, 200) if isinstance(value, str) else value for word, value in values.items()}
        about = {"file": clean(self._file), "tensor": clean(tensor or "", 200), **safe}
        tensors = () if tensor is None else (tensor,)
        self._shown.append(Problem("invalid-header", key, about, self._file, None, tensors))

    def problems(self) -> list[Problem]:
        """All that was added, in order, and a line for each rule that was broken more often than is shown."""
        more = []
        for key, names in self._names.items():
            rest = tuple(name for name in names[SHOWN:] if name)
            if len(names) > SHOWN:
                values = {"file": clean(self._file), "count": len(names) - SHOWN, "rule": key}
                more.append(Problem("invalid-header", "more", values, self._file, None, rest))
        return self._shown + more


class DataSizes(NamedTuple):
    """Three sizes in bytes: offset 0's place in the file (8 + N), the largest end offset, the whole file."""

    start: int
    data: int
    file: int


def check_layout(
    tensors: list[Tensor], rows: list[Row], faults: Faults, *, contiguous: bool, sized: bool
) -> tuple[list[Tensor], list[Problem]]:
    """Hold sizes against shapes, and ranges against each other.

    Args:
        tensors: in the header's order; ``nbytes`` = end - begin, which may be below 0.
        rows: what the header says of each.
        faults: where ``invalid-header`` breaks go.
        contiguous: whether holes and overlaps mean anything (not where a duplicate name hid a range).
        sized: whether each tensor's offsets are known to fit its shape.

    Returns:
        The tensors in the order of their data, negative sizes made 0, and an ``unknown-dtype`` for each such dtype.
    """
    begins, ends = [row[3] for row in rows], [row[4] for row in rows]
    order = sorted(range(len(rows)), key=begins.__getitem__)
    if contiguous and sized:
        # Sound but for its order, as written by name: nothing to tell, and the tensors only change places.
        ends_in_order = [ends[i] for i in order]
        if sorted(begins) == [0, *ends_in_order[:-1]]:
            return [tensors[i] for i in order], []
    # By begin, then by end: stable sorts of plain integers are faster than one of pairs.
    order = sorted(range(len(rows)), key=ends.__getitem__)
    order.sort(key=begins.__getitem__)
    ordered = [tensors[i] for i in order]
    unknown: dict[str, list[str]] = {}
    position, last = 0, ""
    for at, i in enumerate(order):
        _, _, needed, begin, end = rows[i]
        if end - begin != needed:
            tensor = ordered[at]
            if end < begin:
                faults.add("reversed", tensor.name, begin=begin, end=end)
                ordered[at] = tensor._replace(nbytes=0)
            elif needed is not None or tensor.dtype in BITS:
                _wrong_size(tensor, needed, faults)
            else:
                unknown.setdefault(tensor.dtype, []).append(tensor.name)
        if begin != position and contiguous:
            name = ordered[at].name
            if begin < position:
                faults.add("overlap", name, begin=begin, other=last, other_end=position)
            elif last or at:
                faults.add("hole", name, begin=begin, other=last, other_end=position, hole=begin - position)
            else:
                faults.add("start-offset", name, begin=begin)
        if end >= position:
            position, last = end, ordered[at].name
    return ordered, [_unknown(dtype, names, ordered[0].file) for dtype, names in unknown.items()]


def _wrong_size(tensor: Tensor, needed: int | None, faults: Faults) -> None:
    name, dtype, shape, size, _ = tensor
    if needed is None:
        faults.add("sub-byte", name, dtype=dtype, shape=str(list(shape)), bits=BITS[dtype])
    else:
        faults.add("size", name, dtype=dtype, shape=str(list(shape)), needed=needed, given=size)


def check_file_size(
    sizes: DataSizes, names: Iterable[str], rows: list[Row], file: str, faults: Faults
) -> Problem | None:
    """Hold the end of the data against the end of the file.

    Args:
        sizes: what the header says, and what there is.
        names: of the tensors.
        rows: what the header says of each.
        file: its name.
        faults: where bytes behind the data go: the library refuses them.

    Returns:
        ``truncated-file`` where the file ends before its data does; ``tensors`` are those that are cut or gone.
    """
    needed = sizes.start + sizes.data
    if sizes.file >= needed:
        if sizes.file > needed:
            faults.add("trailing-bytes", None, size=sizes.file, needed=needed, extra=sizes.file - needed)
        return None
    lost = tuple(name for name, row in zip(names, rows, strict=True) if row[4] > sizes.file - sizes.start)
    values = {"file": clean(file), "size": sizes.file, "needed": needed, "missing": needed - sizes.file}
    return Problem("truncated-file", "data", {**values, "count": len(lost)}, file, None, lost)


def _unknown(dtype: str, names: list[str], file: str) -> Problem:
    values = {"file": clean(file), "dtype": clean(dtype, 80), "count": len(names), "tensor": clean(names[0], 200)}
    return Problem("unknown-dtype", "dtype", values, file, None, tuple(names))

"""English texts of what is found while a file is read: header, config text.

``finding.<check>.<key>`` → (message, hint), for ``str.format`` with the values of the problem.
"""

from __future__ import annotations

from typing import Final

_REWRITE = "Write the file again with the safetensors library; readers differ in what they make of it."
_NOT_LOADED = "The safetensors library refuses this file. Write it again, or report it to whoever made it."
_DOWNLOAD = "The download or copy stopped early: fetch the file again."

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "finding.invalid-header.blank-start": (
        "{file}: its header begins with blanks; the format demands '{{' as the first character.",
        _REWRITE,
    ),
    "finding.invalid-header.duplicate-key": (
        "{file}: duplicate key '{name}' in its header; one of the two tensors cannot be reached.",
        _REWRITE,
    ),
    "finding.invalid-header.duplicate-field": (
        "{file}: '{name}' is given twice in '{tensor}' of its header.",
        _REWRITE,
    ),
    "finding.invalid-header.metadata-type": (
        "{file}: __metadata__ is {given}, not an object of texts.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.metadata-value": (
        "{file}: metadata value '{name}' is {given}, not a string; the safetensors library refuses this file.",
        "Write metadata values as strings: json.dumps() makes one of anything.",
    ),
    "finding.invalid-header.reversed": (
        "{file}: tensor '{tensor}' ends at byte {end:,} of the data, before it begins at {begin:,}.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.size": (
        "{file}: tensor '{tensor}', {dtype} {shape}, needs {needed:,} bytes; its offsets give {given:,}.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.sub-byte": (
        "{file}: tensor '{tensor}', {dtype} {shape}, has {bits} bits an element and ends inside a byte.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.start-offset": (
        "{file}: its first tensor '{tensor}' begins at byte {begin:,} of the data, not at 0.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.hole": (
        "{file}: {hole:,} bytes of data belong to no tensor: '{other}' ends at {other_end:,}, "
        "'{tensor}' begins at {begin:,}.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.overlap": (
        "{file}: tensor '{tensor}' begins at byte {begin:,} of the data, before '{other}' ends at {other_end:,}.",
        _NOT_LOADED,
    ),
    "finding.invalid-header.trailing-bytes": (
        "{file} has {size:,} bytes, {extra:,} more than its header accounts for ({needed:,}).",
        _NOT_LOADED,
    ),
    "finding.invalid-header.more": (
        "{file}: more breaks of the same rule ({rule}): {count:,}.",
        _NOT_LOADED,
    ),
    "finding.unknown-dtype.dtype": (
        "{file}: dtype {dtype} is not known to this version; tensors that have it: {count:,}, '{tensor}' first. "
        "Elements are counted by shape, bytes by offsets.",
        "A newer cfgexplain may know it, and so may a newer safetensors.",
    ),
    "finding.truncated-file.data": (
        "{file} has {size:,} bytes and should have {needed:,}: {missing:,} are missing, "
        "and the tensors with them ({count:,}).",
        _DOWNLOAD,
    ),
    "finding.duplicate-key.config": (
        "{file}: the key '{value}' is given twice ({where}); the last one counts.",
        "Remove the one that is not meant.",
    ),
    "finding.duplicate-key.more": (
        "{file}: more keys that are given twice: {count:,}.",
        "Remove those that are not meant.",
    ),
    "finding.non-finite-number.config": (
        "{file}: {where} is {value}, which JSON does not know; readers other than Python's refuse the file.",
        'Write a number, or {{"__float__": "{value}"}} as transformers does.',
    ),
    "finding.non-finite-number.more": (
        "{file}: more numbers that are NaN or Infinity: {count:,}.",
        'Write numbers, or {{"__float__": "Infinity"}} as transformers does.',
    ),
}

"""The first bytes of a weight file: the length of its header, or what the file is instead.

A file is judged only where its first eight bytes cannot be a safetensors length: 640 is ``80 02 00 …``, and so
begins a pickle. Limit: 100,000,000 bytes of header, as the safetensors library has it (``MAX_HEADER_SIZE``).
"""

from __future__ import annotations

from typing import Final

from cfgexplain.errors import HeaderError
from cfgexplain.text import clean

LENGTH_BYTES: Final = 8
MAX_HEADER_BYTES: Final = 100_000_000

_CONVERT = "Convert it to safetensors, or point cfgexplain at the safetensors files of the same model."
#: First bytes of formats that are taken for safetensors, what they are, and what to do.
_MAGIC: Final = (
    (b"GGUF", "a GGUF file", "cfgexplain reads safetensors; GGUF keeps its own metadata."),
    (b"PK\x03\x04", "a zip archive (PyTorch saves .bin and .pt files so)", _CONVERT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file (Keras saves so)", _CONVERT),
    (b"\x93NUMPY", "a NumPy array", _CONVERT),
    (b"\x1f\x8b", "a gzip archive", "Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", "Unpack it first."),
)
_DOWNLOAD_AGAIN = "Download it again, and look at what the server answers: a login page or a missing file look so."
_LFS: Final = b"version https://git-lfs"


class LfsPointer(HeaderError):
    """A Git LFS pointer where weights should be.

    Attributes:
        oid: the object's SHA-256 in hexadecimal, or "" where the pointer was not seen whole.
        size: bytes of the real file, or None likewise.
    """

    def __init__(self, file: str, oid: str, size: int | None) -> None:
        weighs = "" if size is None else f"; the real file has {size:,} bytes"
        super().__init__("git-lfs-pointer", f"{clean(file)} is a Git LFS pointer, not weights{weighs}", "git lfs pull")
        self.oid = oid
        self.size = size


def diagnose(first_bytes: bytes, file_size: int | None, file: str) -> HeaderError | None:
    """What is wrong with a file that begins so, or None where it may be safetensors.

    Args:
        first_bytes: the start of the file. Eight bytes decide; 512 make the diagnosis better.
        file_size: bytes of the whole file, or None where that is not known.
        file: its name, for the message.

    Returns:
        An error to raise, an :class:`LfsPointer` for a pointer; not raised here.
    """
    size = len(first_bytes) if file_size is None else file_size
    name = clean(file)
    if size == 0:
        return HeaderError("empty-file", f"{name} is empty", _DOWNLOAD_AGAIN)
    length = None
    if len(first_bytes) >= LENGTH_BYTES:
        length = int.from_bytes(first_bytes[:LENGTH_BYTES], "little")
        if length <= MAX_HEADER_BYTES and (file_size is None or LENGTH_BYTES + length <= file_size):
            return None
    foreign = _foreign(first_bytes, name)
    if foreign is not None:
        return foreign
    if length is None:
        message = f"{name} has {size:,} bytes; the shortest safetensors file has 10"
        return HeaderError("file-too-small", message, _DOWNLOAD_AGAIN)
    return _bad_length(length, first_bytes, file_size, name)


def parse_length(first8: bytes, file_size: int | None, file: str) -> int:
    """Bytes of JSON that follow the eight length bytes, at most 100,000,000.

    Args:
        first8: the file's first eight bytes. More may be given: they make the diagnosis of a foreign file better.
        file_size: bytes of the whole file, or None where that is not known.
        file: its name, for the message.

    Raises:
        HeaderError: the file is no safetensors file, its length is over the cap, or it ends inside its header.
        LfsPointer: it is a Git LFS pointer.
    """
    error = diagnose(first8, file_size, file)
    if error is not None:
        raise error
    return int.from_bytes(first8[:LENGTH_BYTES], "little")


def _foreign(first: bytes, name: str) -> HeaderError | None:
    if first.startswith(_LFS) or first == b"version ":
        return _lfs_pointer(first, name)
    for magic, what, hint in _MAGIC:
        if first.startswith(magic):
            return HeaderError("foreign-format", f"{name} is {what}, not safetensors", hint)
    if first[:1] == b"\x80" and first[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return HeaderError("foreign-format", f"{name} is a pickle, not safetensors; it was not opened", _CONVERT)
    text = first[3:] if first.startswith(b"\xef\xbb\xbf") else first
    text = text.lstrip()
    shown = clean(" ".join(text[:60].decode("utf-8", "replace").split()), 48)
    if text[:1] == b"<":
        return HeaderError("foreign-format", f"{name} is HTML or XML, not safetensors: {shown}", _DOWNLOAD_AGAIN)
    if text[:1] in (b"{", b"["):
        return HeaderError("foreign-format", f"{name} is JSON text, not safetensors: {shown}", _DOWNLOAD_AGAIN)
    if first and all(32 <= byte < 127 or byte in (9, 10, 13) for byte in first[:64]):
        return HeaderError("foreign-format", f"{name} is text, not safetensors: {shown}", _DOWNLOAD_AGAIN)
    return None


def _lfs_pointer(first: bytes, name: str) -> LfsPointer:
    oid, size = "", None
    for line in first[:1024].decode("ascii", "replace").split("\n"):
        word, _, value = line.strip().partition(" ")
        if word == "oid":
            digest = value.removeprefix("sha256:")
            if len(digest) == 64 and all(char in "0123456789abcdef" for char in digest):
                oid = digest
        elif word == "size" and value.isascii() and value.isdigit() and len(value) < 20:
            size = int(value)
    return LfsPointer(name, oid, size)


def _bad_length(length: int, first: bytes, file_size: int | None, name: str) -> HeaderError:
    if first[LENGTH_BYTES : LENGTH_BYTES + 1] in (b"{", b"") and length <= MAX_HEADER_BYTES:
        message = f"{name} ends inside its header: that has {length:,} bytes, the whole file {file_size:,}"
        return HeaderError("length-beyond-file", message, "The download stopped early: fetch the file again.")
    # Nobody has published a header near a gigabyte; beyond that the eight bytes are no length at all.
    if length < 1 << 30 and (file_size is None or length < file_size):
        message = f"{name}: its header has {length:,} bytes, over the format's limit of {MAX_HEADER_BYTES:,}"
        hint = "The safetensors library refuses it as well: write the model as several files with fewer tensors each."
        return HeaderError("length-cap", message, hint)
    than = "" if file_size is None else f", and it has {file_size:,}"
    message = f"{name} is not a safetensors file: its first 8 bytes say a header of {length:,} bytes{than}"
    return HeaderError("length-absurd", message, _DOWNLOAD_AGAIN)

"""Reading of local files: regular files only, bounded, never waiting, every failure an error with a name in it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

if TYPE_CHECKING:
    from typing import BinaryIO

    from cfgexplain.header import HeaderTable

MAX_CONFIG_BYTES: Final = 10_000_000
#: Directory entries that are looked at. A model has a few hundred.
_MAX_ENTRIES: Final = 100_000
#: O_NONBLOCK: a FIFO put in place between the look and the opening does not hang us.
_FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
)  # fmt: skip


class WeightRead(NamedTuple):
    """One weight file as read.

    Attributes:
        name: relative to the model's folder, forward slashes.
        bytes: size of the file, or None where unknown.
        table: its header, or None where the file is a Git LFS pointer.
        pointer_bytes: of a pointer: the size that it declares, or None.
        listed: the header came as JSON alone, so that its length in the file is not known.
    """

    name: str
    bytes: int | None
    table: HeaderTable | None
    pointer_bytes: int | None = None
    listed: bool = False


def file_error(error: OSError | ValueError, name: str) -> CfgexplainError:
    """An operating system's refusal in our words."""
    name = clean(name, 300)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return CfgexplainError("not-found", f"no such file or directory: {name}", "Check the spelling.")
    if isinstance(error, PermissionError):
        return CfgexplainError(
            "unreadable", f"no permission to read {name}", "Check the permissions of file and folder."
        )
    reason = (isinstance(error, OSError) and error.strerror) or "not a path of this system"
    return CfgexplainError("unreadable", f"cannot read {name}: {clean(reason)}")


def open_regular(path: str, name: str) -> tuple[BinaryIO, int]:
    """Opens a regular file and tells its size. Anything else (FIFO, device, folder) raises "unreadable"."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _not_regular(name)
        fd = os.open(path, _FLAGS)
    except (OSError, ValueError) as e:
        raise file_error(e, name) from None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise _not_regular(name)
        return open(fd, "rb"), info.st_size
    except BaseException:
        os.close(fd)
        raise


def _not_regular(name: str) -> CfgexplainError:
    return CfgexplainError("unreadable", f"{clean(name, 300)} is no regular file", "Give a file or a directory.")


def read_file(path: str, name: str, cap: int) -> bytes:
    """A whole file of at most ``cap`` bytes. Larger raises "unreadable"."""
    file, size = open_regular(path, name)
    with file:
        try:
            data = file.read(cap + 1) if size <= cap else None
        except OSError as e:
            raise file_error(e, name) from None
    if data is None or len(data) > cap:
        raise CfgexplainError(
            "unreadable", f"{clean(name, 300)} is larger than the {cap:,} bytes that are read of such a file",
            "Is this the right file?",
        )  # fmt: skip
    return data


def read_weights(path: str, name: str) -> WeightRead:
    """Reads one header, and nothing behind it. Raises HeaderError for one that cannot be listed."""
    # Here, so that a skeleton does not pay for the header reader.
    from cfgexplain.header import LENGTH_BYTES, LfsPointer, parse_header, parse_length

    file, size = open_regular(path, name)
    with file:
        try:
            first = file.read(512)
            try:
                length = parse_length(first, size, name)
            except LfsPointer as pointer:
                return WeightRead(name, size, None, pointer.size)
            raw = first[LENGTH_BYTES : LENGTH_BYTES + length]
            raw += file.read(length - len(raw))
        except OSError as e:
            raise file_error(e, name) from None
    if len(raw) < length:
        raise CfgexplainError("unreadable", f"{clean(name, 300)} shrank while it was read", "Wait until it is written.")
    return WeightRead(name, size, parse_header(raw, name, size))


def list_folder(path: str) -> frozenset[str]:
    """Names of the files in a folder, without those in its subfolders. Raises "unreadable", "not-found"."""
    try:
        with os.scandir(path) as entries:
            out: list[str] = []
            for entry in entries:
                if len(out) >= _MAX_ENTRIES:
                    message = f"{clean(path, 300)} has more than {_MAX_ENTRIES:,} entries"
                    raise CfgexplainError("unreadable", message, "Give the folder of one model.")
                if not _is_folder(entry):
                    out.append(entry.name)
            return frozenset(out)
    except (OSError, ValueError) as e:
        raise file_error(e, path) from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def list_subfolders(path: str, wanted: frozenset[str], limit: int = 200) -> frozenset[str]:
    """``folder/name`` for each wanted name one level down. What cannot be read is passed over."""
    out: set[str] = set()
    try:
        with os.scandir(path) as entries:
            folders = sorted(e.name for e, _ in zip(entries, range(_MAX_ENTRIES), strict=False) if _is_folder(e))
    except OSError:
        return frozenset()
    for folder in folders[:limit]:
        out.update(f"{folder}/{n}" for n in wanted if os.path.isfile(os.path.join(path, folder, n)))
    return frozenset(out)


def stays_inside(folder: str, name: str) -> bool:
    """Whether ``folder/name``, links followed, is a file of this folder.

    The hub library's cache is allowed for: ``models--X/snapshots/COMMIT/name`` links to ``models--X/blobs/HASH``.
    """
    root = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(root, *name.split("/")))
    if real.startswith(root.rstrip(os.sep) + os.sep):
        return True
    parts = root.split(os.sep)
    for i, part in enumerate(parts[:-1]):
        if part.startswith("models--") and parts[i + 1] == "snapshots":
            blobs = os.sep.join([*parts[: i + 1], "blobs"])
            if os.path.dirname(real) == blobs:
                return True
    return False

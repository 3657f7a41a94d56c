"""To standard output, standard error and files: whatever the encoding, and whole or not at all."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, BinaryIO, Final

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean, readable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: ``-o`` with this name is standard output.
STANDARD: Final = "-"
#: Where the names of streams and devices are. What is there is written to, never replaced or cut.
_STREAMS: Final = ("/dev/", "/proc/")


def complain(e: CfgexplainError, target: str = "") -> None:
    """An error in two lines on standard error: what happened (to which target, where that is named), what to do."""
    message = e.message if not target or target in e.message else f"{target}: {e.message}"
    say(f"cfgexplain: error: {clean(readable(message))}")
    if e.hint:
        say(f"  {clean(readable(e.hint))}")


def say(line: str) -> None:
    """One line on standard error, whatever its encoding. Where standard error cannot be written, nobody is told."""
    encoding = sys.stderr.encoding or "ascii"
    try:
        sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    except OSError:
        _discard(sys.stderr.fileno())


def write_out(chunks: Iterable[str], utf8: bool = False) -> None:
    """To standard output; a reader that goes away early is no error.

    Args:
        chunks: the text.
        utf8: the text says itself that it is UTF-8 (XML, HTML), or its readers do: the locale changes nothing in it.

    Raises:
        CfgexplainError: "unreadable": it cannot be written, as where the disk is full.
    """
    stream = sys.stdout
    encoding = stream.encoding or "ascii"
    buffer: BinaryIO | None = getattr(stream, "buffer", None) if utf8 else None

    def put(chunk: str) -> None:
        if buffer is not None:
            buffer.write(chunk.encode("utf-8", "backslashreplace"))
            return
        try:
            stream.write(chunk)
        except UnicodeEncodeError:
            stream.write(chunk.encode(encoding, "backslashreplace").decode(encoding))

    for chunk in chunks:
        try:
            put(chunk)
        except OSError as e:
            return _lost(e)
    try:
        stream.flush()
    except OSError as e:
        return _lost(e)


def write_out_bytes(data: Iterable[bytes]) -> None:
    """The same for what is no text."""
    try:
        for chunk in data:
            sys.stdout.buffer.write(chunk)
        sys.stdout.flush()
    except OSError as e:
        _lost(e)


def _lost(e: OSError) -> None:
    _discard(sys.stdout.fileno())
    if not isinstance(e, BrokenPipeError):
        raise unwritable("standard output", e) from None


def _discard(descriptor: int) -> None:
    # Python would try to flush again at exit and complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def unwritable(name: str, e: OSError) -> CfgexplainError:
    """The error of what cannot be written: a wrong name is the command line's fault, a full disk is not."""
    import errno

    named = {errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EISDIR, errno.ENOTDIR, errno.EEXIST}
    if e.errno in named or e.errno in (errno.ELOOP, errno.ENAMETOOLONG):
        return CfgexplainError(
            "usage", f"{name}: cannot be written ({e.strerror})", "Name a file in a folder that you may write to."
        )
    return CfgexplainError("unreadable", f"{name}: cannot be written ({e.strerror})", "Make room, or write elsewhere.")


def write_file(path: Path, chunks: Iterable[str]) -> None:
    """Writes text, the whole file or none."""
    write_bytes(path, (chunk.encode("utf-8", "backslashreplace") for chunk in chunks))


def write_bytes(path: Path, data: Iterable[bytes]) -> None:
    """Writes the whole file or none: beside it first, then in its place.

    A link stays, and what it points to is written. Devices and pipes are written to as they are.

    Raises:
        CfgexplainError: it cannot be written.
    """
    try:
        mode = _mode(path)
        if mode is None:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND)
            with os.fdopen(handle, "wb") as f:
                for chunk in data:
                    f.write(chunk)
        else:
            _replace(os.path.realpath(path), mode, data)
    except OSError as e:
        raise unwritable(str(path), e) from None


def _mode(path: Path) -> int | None:
    """The permissions that the file shall have, or None for what is no regular file. Raises OSError."""
    import stat

    if str(path).startswith(_STREAMS) and path.exists():
        return None
    try:
        found = os.stat(path).st_mode
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    if not stat.S_ISREG(found):
        return None
    if not os.access(path, os.W_OK):
        import errno

        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return stat.S_IMODE(found)


def _replace(path: str, mode: int, data: Iterable[bytes]) -> None:
    import tempfile

    folder, name = os.path.split(path)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=name[:40] + ".", dir=folder)
        with os.fdopen(handle, "wb") as f:
            for chunk in data:
                f.write(chunk)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
        temporary = None
    finally:
        if temporary is not None:
            os.unlink(temporary)

"""To standard output, standard error and files: whatever the encoding, and whole or not at all."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def complain(e: CfgexplainError) -> None:
    """An error in two lines on standard error: what happened, what to do."""
    say(f"cfgexplain: error: {clean(e.message)}")
    if e.hint:
        say(f"  {clean(e.hint)}")


def say(line: str) -> None:
    """One line on standard error, whatever its encoding."""
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_out(chunks: Iterable[str]) -> None:
    """To standard output; a reader that goes away early is no error."""
    stream = sys.stdout
    encoding = stream.encoding or "ascii"
    try:
        for chunk in chunks:
            try:
                stream.write(chunk)
            except UnicodeEncodeError:
                stream.write(chunk.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Python would try to flush again at exit and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_file(path: Path, chunks: Iterable[str]) -> None:
    """Writes text, the whole file or none."""
    write_bytes(path, (chunk.encode("utf-8", "backslashreplace") for chunk in chunks))


def write_bytes(path: Path, data: Iterable[bytes]) -> None:
    """Writes the whole file or none: beside it first, then in its place.

    Raises:
        CfgexplainError: it cannot be written.
    """
    import tempfile

    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=path.name[:40] + ".", dir=path.parent)
        with os.fdopen(handle, "wb") as f:
            for chunk in data:
                f.write(chunk)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
        temporary = None
    except OSError as e:
        raise CfgexplainError(
            "usage", f"{path}: cannot be written ({e.strerror})", "Name a file in a folder that you may write to."
        ) from None
    finally:
        if temporary is not None:
            os.unlink(temporary)

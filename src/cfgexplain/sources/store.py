"""What was read of hub models before: configs, indexes and headers, one file for each model and commit.

A commit never changes, so that nothing in here grows old. Files are written whole or not at all, and read with a
checksum: several runs at once do no harm, and what is broken is as good as absent.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import sys
import threading
import zlib
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAGIC: Final = b"cfgexplain hub cache 1\n"
_SUFFIX: Final = ".hub"
#: All files together; the ones that were not used for longest go first.
MAX_BYTES: Final = 256_000_000
#: One file, unpacked. A model of a million tensors has about 300 MB of headers and index.
_MAX_ENTRY: Final = 512_000_000
_MAX_DIRECTORY: Final = 50_000_000

Kind = Literal["file", "start", "listed", "absent"]


class Kept(NamedTuple):
    """One file of a model, as far as it was read.

    Attributes:
        kind: "file": all of it. "start": a weight file's length and header. "listed": a weight file's header as
            JSON, as the hub lists it. "absent": it is not there.
        size: bytes of the whole file, or None where that was not told.
        data: what was read.
    """

    kind: Kind
    size: int | None = None
    data: bytes = b""


class Entries(NamedTuple):
    """All that was read of one model at one commit."""

    commit: str | None
    files: Mapping[str, Kept]


def folder() -> str:
    """Where the cache is: CFGEXPLAIN_CACHE, or where this platform keeps caches."""
    named = os.environ.get("CFGEXPLAIN_CACHE")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
        return os.path.join(base, "cfgexplain", "Cache")
    if sys.platform == "darwin":
        return os.path.join(os.path.expanduser("~"), "Library", "Caches", "cfgexplain")
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the specification: a relative path is to be ignored
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "cfgexplain")


class Store:
    """The cache's files of one model.

    Args:
        place: endpoint, repo and folder, in any form that is the same for the same model.
    """

    def __init__(self, *place: str) -> None:
        self._place = "\0".join(place)
        self._folder = folder()
        self._stem = hashlib.sha256(self._place.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _path(self, key: str) -> str:
        return os.path.join(self._folder, f"{self._stem}-{key}{_SUFFIX}")

    def knows_any(self) -> bool:
        """Whether any commit of this model is here."""
        try:
            return any(n.startswith(self._stem) and n.endswith(_SUFFIX) for n in os.listdir(self._folder))
        except OSError:
            return False

    def read(self, key: str) -> Entries | None:
        """What is kept under a commit or another key. None where nothing is, or nothing sound."""
        path = self._path(key)
        try:
            with open(path, "rb") as f:
                data = f.read(MAX_BYTES + 1)
        except OSError:
            return None
        entries = _unpack(data, self._place)
        try:
            if entries is None:
                os.unlink(path)
            else:
                os.utime(path)  # used now: among the last to go
        except OSError:
            pass
        return entries

    def write(self, key: str, entries: Entries) -> None:
        """Keeps all that was read. Never fails: a cache that cannot be written is none."""
        import tempfile

        data = _pack(entries, self._place)
        if len(data) > MAX_BYTES // 2:
            return
        temporary: str | None = None
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=self._folder)
            with os.fdopen(handle, "wb") as f:
                f.write(data)
            os.replace(temporary, self._path(key))
            temporary = None
            _prune(self._folder, MAX_BYTES)
        except OSError:
            pass
        finally:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    def write_later(self, key: str, entries: Entries) -> None:
        """The same while the run goes on. A run that ends, or is interrupted, first ends what it is writing."""
        thread = threading.Thread(target=self.write, args=(key, entries), name="cfgexplain-cache", daemon=True)
        atexit.register(thread.join, 5)
        thread.start()


def _pack(entries: Entries, place: str) -> bytes:
    files = sorted(entries.files.items())
    rows = [[name, k.kind, k.size, len(k.data)] for name, k in files]
    directory = json.dumps({"place": place, "commit": entries.commit, "files": rows}).encode()
    packer = zlib.compressobj(1)
    parts = [_MAGIC, packer.compress(len(directory).to_bytes(4, "little") + directory)]
    parts += [packer.compress(k.data) for _, k in files]
    return b"".join([*parts, packer.flush()])


def _unpack(data: bytes, place: str) -> Entries | None:
    if not data.startswith(_MAGIC):
        return None
    unpacker = zlib.decompressobj()
    try:
        plain = unpacker.decompress(memoryview(data)[len(_MAGIC) :], _MAX_ENTRY)
    except zlib.error:
        return None
    length = int.from_bytes(plain[:4], "little")
    if not unpacker.eof or length > _MAX_DIRECTORY:
        return None
    try:
        value = json.loads(plain[4 : 4 + length])
        if value["place"] != place or not isinstance(value["commit"], str | None):
            return None
        files: dict[str, Kept] = {}
        at = 4 + length
        for name, kind, size, count in value["files"]:
            if kind not in ("file", "start", "listed", "absent") or count < 0 or at + count > len(plain):
                return None
            files[str(name)] = Kept(kind, None if size is None else int(size), plain[at : at + count])
            at += count
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return Entries(value["commit"], files)


class Usage(NamedTuple):
    """How much a cache holds."""

    folder: str
    files: int
    bytes: int


def usage() -> Usage:
    """What the cache holds now."""
    found = _list(folder())
    return Usage(folder(), len(found), sum(size for _, size, _ in found))


def clear() -> Usage:
    """Empties the cache; the folder stays. Returns what was in it and is gone."""
    where = folder()
    files = size = 0
    for _, bytes_, path in _list(where):
        try:
            os.unlink(path)
        except OSError:
            continue
        files, size = files + 1, size + bytes_
    return Usage(where, files, size)


def _list(where: str) -> list[tuple[float, int, str]]:
    """Time of use, bytes and path of each of our files, oldest first."""
    out: list[tuple[float, int, str]] = []
    try:
        with os.scandir(where) as found:
            for entry in found:
                if entry.name.endswith((_SUFFIX, ".tmp")):
                    try:
                        info = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    out.append((info.st_mtime, info.st_size, entry.path))
    except OSError:
        return []
    return sorted(out)


def _prune(where: str, limit: int) -> None:
    """Removes what was not used for longest, until the rest fits."""
    found = _list(where)
    total = sum(size for _, size, _ in found)
    for _, size, path in found:
        if total <= limit:
            return
        os.unlink(path)
        total -= size

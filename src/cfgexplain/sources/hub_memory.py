"""What is known of one repo without a request: from our own cache, and from the hub library's."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import TYPE_CHECKING, Final

from cfgexplain.sources.store import Entries, Kept, Store

if TYPE_CHECKING:
    from cfgexplain.sources.http_body import Answer

#: What is asked for first. Where no answer names a commit, the etags of these stand for one.
_FIRST: Final = frozenset({"config.json", "model.safetensors.index.json", "model.safetensors"})
_HEX: Final = frozenset("0123456789abcdef")


def is_commit(text: str | None) -> bool:
    return text is not None and len(text) == 40 and _HEX.issuperset(text)


class Memory:
    """Files of one folder of a repo that were read before, and those that are read now. Safe to use from threads.

    Args:
        endpoint: of the hub.
        repo_id: ``org/name`` or a legacy name.
        folder: within the repo, with a slash at its end, or "".
        revision: as asked for.
        on: whether any cache may be used.
    """

    def __init__(self, endpoint: str, repo_id: str, folder: str, revision: str | None, *, on: bool) -> None:
        self._id = repo_id
        self._folder = folder
        self._revision = revision or "main"
        self._on = on
        self._store = Store(endpoint, repo_id, folder)
        self._kept: dict[str, Kept] = {}
        self._new: dict[str, Kept] = {}
        self._etags: dict[str, str] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Kept | None:
        return self._kept.get(name)

    def is_known(self) -> bool:
        """Whether some commit of this model is in a cache, so that one answer may be all that is needed."""
        names = ("model.safetensors.index.json", "model.safetensors")
        return self._on and (
            self._store.knows_any() or any(self.library_path(n, self._revision) is not None for n in names)
        )

    def recall(self, commit: str | None) -> None:
        """Takes what our cache has of a commit, or of files with the same etags where a mirror names none."""
        key = commit or self._etag_key()
        found = self._store.read(key) if self._on and key is not None else None
        if found is not None:
            self._kept = dict(found.files)

    def remember(self, commit: str | None) -> None:
        """Keeps what was read, for the next run."""
        key = commit or self._etag_key()
        if self._on and key is not None and self._new:
            self._store.write_later(key, Entries(commit, {**self._kept, **self._new}))

    def keep(self, name: str, kept: Kept, answer: Answer | None = None) -> None:
        """Notes what was read now. ``answer``: which it came from, for its etag."""
        with self._lock:
            self._new[name] = kept
            if answer is not None and name in _FIRST:
                self._etags[name] = answer.first.get("x-linked-etag") or answer.first.get("etag") or ""

    def _etag_key(self) -> str | None:
        if not self._etags or not all(self._etags.values()):
            return None
        text = "\n".join(f"{name}\0{etag}" for name, etag in sorted(self._etags.items()))
        return "etag-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]

    def library_path(self, name: str, revision: str | None) -> str | None:
        """Where the hub library's cache has a file, or None."""
        from huggingface_hub import constants, try_to_load_from_cache

        parts = (revision or "").split("/")
        if revision is None or any(p in ("", ".", "..") for p in parts) or "\\" in revision or "\0" in revision:
            return None
        folder = os.path.join(constants.HF_HUB_CACHE, "models--" + self._id.replace("/", "--"))
        if not self._on or not os.path.isdir(folder):
            return None
        try:
            found = try_to_load_from_cache(self._id, self._folder + name, revision=revision)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, str) else None

"""One repo on the hub at one commit: its files from the caches, or by as few requests as there can be."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar
from urllib.parse import quote

from cfgexplain.checkpoint import Problem
from cfgexplain.errors import CfgexplainError
from cfgexplain.header import LENGTH_BYTES, LfsPointer, parse_header, parse_length
from cfgexplain.sources import hub_api
from cfgexplain.sources.files import WeightRead, read_file, read_weights
from cfgexplain.sources.hub_errors import error_code, is_missing_file, status_error
from cfgexplain.sources.hub_memory import Memory, is_commit
from cfgexplain.sources.pool import Progress, terminal, wait
from cfgexplain.sources.store import Kept
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from cfgexplain.header import HeaderTable
    from cfgexplain.sources.http_body import Answer
    from cfgexplain.sources.options import Options
    from cfgexplain.sources.spec import Spec
    from cfgexplain.sources.transport import Transport

P = ParamSpec("P")
T = TypeVar("T")

#: Bytes of headers of one model. A million tensors have about 130 MB.
_MAX_HEADERS: Final = 256_000_000
#: One model takes at most so many time-outs, however slowly each of its answers comes.
_PATIENCE: Final = 15
#: Reads of one header at most: a server may send less than was asked for.
_MAX_READS: Final = 8
#: Where the list of a repo's files is kept: no file has such a name.
_NAMES: Final = "/names"


class HubRepo:
    """Files of one folder of a repo. The first answer pins the commit; every later one must be of it.

    Safe to use from the threads of the transport's pool.
    """

    def __init__(self, spec: Spec, options: Options, transport: Transport) -> None:
        self.id = spec.repo_id or ""
        self.asked = spec.revision
        self.folder = f"{spec.subfolder}/" if spec.subfolder else ""
        self.where = self.id if spec.subfolder is None else f"{self.id}/{spec.subfolder}"
        self.transport = transport
        self.commit = spec.revision if is_commit(spec.revision) else None
        self._memory = Memory(transport.endpoint, self.id, self.folder, self.asked, on=not options.no_cache)
        self.is_known = self._memory.is_known
        self._lock = threading.Lock()
        self._room = _MAX_HEADERS
        self._end = time.monotonic() + _PATIENCE * transport.timeout
        self._futures: list[Future[Any]] = []
        self._progress = Progress(terminal() if options.progress else None, _progress_text(options.lang))
        self._bases: dict[str | None, str] = {}
        self._public: bool | None = None
        self._listing = threading.Lock()
        self._listed: frozenset[str] | None = None

    # Work on threads.

    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Has ``call`` run on the pool; ``wait`` for its result."""
        self._progress.ask()
        future = self.transport.pool.submit(call, *args, **kwargs)
        future.add_done_callback(lambda _: self._progress.answer())
        self._futures.append(future)
        return future

    def wait(self, future: Future[T], seconds: float | None = None) -> T:
        """Its result. Raises TimeoutError after ``seconds``, "network" once the model has taken too long in all."""
        left = max(self._end - time.monotonic(), 0.0)
        try:
            return wait(future, self._progress, left if seconds is None else min(left, seconds))
        except TimeoutError:
            if seconds is not None and time.monotonic() < self._end:
                raise
            message = f"{self.where} took more than {_PATIENCE * self.transport.timeout:g} s in all"
            raise CfgexplainError("network", message, "Try again, or raise --timeout.") from None

    def close(self) -> None:
        """Nobody waits any more. Keeps nothing running that has not begun."""
        for future in self._futures:
            self.transport.pool.abandon(future)
        self._progress.clear()

    # The caches.

    def has(self, name: str) -> bool:
        """Whether a file of the pinned commit, or that it is not there, is known without a request."""
        if self._memory[name] is not None:
            return True
        return self.commit is not None and self._memory.library_path(name, self.commit) is not None

    def recall(self) -> None:
        """Takes what the cache has of the pinned commit."""
        self._memory.recall(self.commit)

    def remember(self) -> None:
        """Keeps what was read, for the next run."""
        self._memory.remember(self.commit)

    def keep_listed(self, name: str, raw: bytes, size: int | None) -> None:
        """Keeps a header that came with all others."""
        self._memory.keep(name, Kept("listed", size, raw))

    # Files.

    def whole(self, name: str, cap: int) -> bytes | None:
        """A file of the folder, or None where it is not there."""
        kept = self._memory[name]
        if kept is not None and kept.kind in ("file", "absent"):
            return kept.data if kept.kind == "file" else None
        path = self._memory.library_path(name, self.commit)
        if path is not None:
            return read_file(path, name, cap)
        answer = self._fetch(name, cap)
        if answer is None:
            self._memory.keep(name, Kept("absent"))
            return None
        self._memory.keep(name, Kept("file", answer.size, answer.body), answer)
        return answer.body

    def header(self, name: str, first: int) -> WeightRead | None:
        """The header of a weight file, or None where the file is not there. ``first``: bytes to ask for at once."""
        kept = self._memory[name]
        if kept is not None and kept.kind == "absent":
            return None
        if kept is not None and kept.kind == "listed":
            return listed(name, kept.data, parse_header(kept.data, name, None), kept.size)
        if kept is not None and kept.kind == "start":
            return _parse(name, kept.data, kept.size)
        path = self._memory.library_path(name, self.commit)
        if path is not None:
            return read_weights(path, name)
        answer = self._fetch(name, 0, (0, first - 1))
        if answer is None:
            self._memory.keep(name, Kept("absent"))
            return None
        body, size = (b"", 0) if answer.status == 416 else (answer.body, answer.size)
        try:
            end = LENGTH_BYTES + parse_length(body, size, name)
        except LfsPointer:
            end = len(body)
        self._take(max(end, len(body)))
        for _ in range(_MAX_READS):
            rest = self._rest(name, answer, (len(body), end - 1)) if len(body) < end else b""
            body += rest
            if not rest:
                break
        if len(body) < end:
            raise CfgexplainError("network", f"the header of {clean(name)} came incomplete", "Try again.")
        body = body[:end]
        read = _parse(name, body, size)
        self._memory.keep(name, Kept("start", size, body), answer)
        return read

    def _rest(self, name: str, answer: Answer, span: tuple[int, int]) -> bytes:
        """More of a file, from where the hub sent us: one hop less. From the hub again where that has expired."""
        again: Answer | None = self.transport.get(answer.url, span=span, cap=0)
        if again is not None and again.status not in (200, 206):
            again = self._fetch(name, 0, span)
        return b"" if again is None or again.status == 416 else again.body

    def _take(self, count: int) -> None:
        with self._lock:
            self._room -= count
            if self._room < 0:
                message = f"the headers of {self.where} have more than {_MAX_HEADERS:,} bytes in all"
                raise CfgexplainError("unsupported", message, "Pass --config-only to explain the config alone.")

    # Requests.

    def _fetch(self, name: str, cap: int, span: tuple[int, int] | None = None) -> Answer | None:
        for _ in range(2):
            url = self._url(name)
            answer = self.transport.get(url, span=span, cap=cap)
            missing = is_missing_file(answer)
            if answer.status >= 500 and self._is_unlisted(name):
                return None
            if not missing and answer.status not in (200, 206) and (answer.status != 416 or span is None):
                raise status_error(answer, self.transport, self.id, self.asked, public=self._is_public(answer, url))
            if self.pin(answer):
                return None if missing else answer
        message = f"{self.where} changed while it was read: answers of two commits came"
        raise CfgexplainError("network", message, "Try again in a minute, or name a commit with --revision.")

    def pin(self, answer: Answer) -> bool:
        """The first answer says which commit all others must be of; mirrors do not say. False for another commit."""
        commit = answer.first.get("x-repo-commit")
        if commit is None or not is_commit(commit):
            return True
        with self._lock:
            if self.commit is None:
                self.commit = commit
            return self.commit == commit

    def _url(self, name: str) -> str:
        """Where the hub library would look for a file. Its function checks its arguments each time: asked once."""
        revision = self.commit or self.asked
        if revision not in self._bases:
            from huggingface_hub import hf_hub_url

            self._bases[revision] = hf_hub_url(self.id, "x", revision=revision)[:-1]
        return self._bases[revision] + quote(self.folder + name)

    def _is_unlisted(self, name: str) -> bool:
        """Whether the repo's list of files lacks a name. Some mirrors fail over a file that is not there."""
        with self._listing:
            if self._listed is None:
                try:
                    self._listed = self.names()
                except CfgexplainError:
                    self._listed = frozenset()
            return bool(self._listed) and name not in self._listed

    def _is_public(self, answer: Answer, url: str) -> bool:
        """Whether a repo that is missing with the token is there without: then the token is at fault."""
        if answer.status not in (401, 404) or not self.transport.has_token or error_code(answer) != "RepoNotFound":
            return False
        with self._lock:
            if self._public is None:
                try:
                    bare = self.transport.get(url, span=(0, 0), cap=0, tries=1, anonymous=True)
                    self._public = bare.status in (200, 206) or is_missing_file(bare)
                except CfgexplainError:
                    self._public = False
            return self._public

    @property
    def _revision(self) -> str:
        return self.commit or self.asked or "main"

    def all_headers(self, index: str) -> Answer | None:
        """The hub's answer with every header of its default branch. None where it has none; never an error."""
        return hub_api.all_headers(self.transport, self.id, self.folder + index)

    def names(self) -> frozenset[str]:
        """All files below the folder. Raises what is wrong with repo or revision."""
        kept = self._memory[_NAMES]
        if kept is not None:
            files = json.loads(kept.data)
        else:
            files = hub_api.names(self.transport, self.id, self._revision)
        self._memory.keep(_NAMES, Kept("file", None, json.dumps(files).encode()))
        return frozenset(f[len(self.folder) :] for f in files if f.startswith(self.folder))

    def sizes(self) -> dict[str, int]:
        """Bytes of the folder's files, as far as one answer tells. Never an error."""
        return hub_api.sizes(self.transport, self.id, self._revision, self.folder)


def _parse(name: str, start: bytes, size: int | None) -> WeightRead:
    """A weight file from its length and header."""
    try:
        length = parse_length(start, size, name)
    except LfsPointer as pointer:
        return WeightRead(name, size, None, pointer.size)
    return WeightRead(name, size, parse_header(start[LENGTH_BYTES : LENGTH_BYTES + length], name, size))


def listed(name: str, raw: bytes, table: HeaderTable, size: int | None) -> WeightRead:
    """A weight file from its header as the hub lists it: how long it is in the file is not known.

    It has no fewer bytes there than its JSON without blanks, where no character is escaped.
    """
    shortest = 2 if b"\\" in raw else len(raw.translate(None, b" \t\r\n"))
    needed = LENGTH_BYTES + shortest + table.data_bytes
    if size is not None and size < needed:
        lost = {"file": clean(name), "size": size, "needed": needed, "missing": needed - size, "count": 1}
        tensors = (table.tensors[-1].name,) if table.tensors else ()
        problem = Problem("truncated-file", "data", lost, name, None, tensors)
        table = table._replace(problems=(*table.problems, problem))
    return WeightRead(name, size, table, listed=True)


def _progress_text(lang: str) -> str:
    from cfgexplain.lang import catalogue

    return catalogue(lang).finding("note", "progress")[0]

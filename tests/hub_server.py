"""A hub on loopback: two servers, as the real one has it. The first knows repos and redirects to the second for
large files; the second (the CDN) serves ranges and must never see a token. Faults are switches.

Checked against the hub library's own client in test_hub_emulator.py.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from hub_wire import Reply, Wire

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

    from hub_wire import Request


class Big(NamedTuple):
    """A file of which only the start is kept; zeros follow."""

    head: bytes
    size: int

    def cut(self, begin: int, end: int) -> bytes:
        return self.head[begin:end].ljust(end - begin, b"\0")


File = bytes | Big


class Seen(NamedTuple):
    """One request as it came in. ``server`` is "hub" or "cdn"."""

    server: str
    method: str
    path: str
    headers: dict[str, str]
    body_bytes: int


@dataclass
class Repo:
    """One model repo with one commit."""

    files: dict[str, File]
    commit: str = "a" * 40
    revisions: tuple[str, ...] = ("main",)
    gated: bool = False
    private: bool = False


@dataclass
class Faults:
    """What the servers do otherwise than the hub and its CDN."""

    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # first answers of the hub, in order
    ignore_range: bool = False  # 200 with the whole file
    no_content_range: bool = False
    no_headers: bool = False  # a mirror: no X-…, no ETag
    no_commit: bool = False  # a mirror: no X-Repo-Commit
    no_linked: bool = False  # a mirror: no X-Linked-…
    direct: bool = False  # a mirror: large files come from the hub itself
    wrong_range: bool = False
    slice_as_whole: bool = False  # 200 with the right slice and its length
    short: int = 0  # 206 with at most so many bytes
    html: bool = False
    location: str | None = None  # every large file redirects there
    cut: int = 0  # the CDN ends a body so many bytes early
    xet: bool = False
    compress: bool = False  # JSON comes as gzip to those who take it
    #: Changes any reply: server, request and reply in, reply out.
    hook: Callable[[str, Request, Reply], Reply] | None = None


@dataclass
class Hub:
    """The state that both servers share, and where they are."""

    wire: Wire
    repos: dict[str, Repo] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    tokens: tuple[str, ...] = ("hf_good",)
    allowed: tuple[str, ...] = ()  # tokens with access to gated repos
    lists_headers: bool = False  # the endpoint with all headers of a model
    faults: Faults = field(default_factory=Faults)
    endpoint: str = ""
    cdn: str = ""
    digests: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def seen(self) -> list[Seen]:
        return [Seen(e.server, *e.request[:3], e.body_bytes) for e in self.wire.log]

    def forget(self) -> None:
        self.wire.log.clear()

    def paths(self, server: str = "hub") -> list[str]:
        return [s.path for s in self.seen if s.server == server]

    def reset(self) -> None:
        """As after the start, on the same ports."""
        self.repos, self.renames, self.allowed, self.faults, self.digests = {}, {}, (), Faults(), {}
        self.lists_headers, self.wire.latency = False, 0.0
        self.forget()

    def digest(self, repo_id: str, name: str) -> str:
        data = self.repos[repo_id].files[name]
        if isinstance(data, bytes):
            return hashlib.sha256(data).hexdigest()
        return hashlib.sha256(data.head + str(data.size).encode()).hexdigest()


@contextmanager
def hub_servers(tls: ssl.SSLContext | None = None) -> Iterator[Hub]:
    """Starts both servers on free ports and stops them."""
    hub = Hub(Wire())
    scheme = "https" if tls is not None else "http"
    hub.endpoint = f"{scheme}://127.0.0.1:{hub.wire.serve('hub', _Hub(hub).answer, tls)}"
    hub.cdn = f"{scheme}://127.0.0.1:{hub.wire.serve('cdn', _Cdn(hub).answer, tls)}"
    try:
        yield hub
    finally:
        hub.wire.close()


def size_of(data: File) -> int:
    return data.size if isinstance(data, Big) else len(data)


class _Server:
    word = ""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def answer(self, request: Request) -> Reply:
        reply = self.reply(request)
        if self.hub.faults.hook is not None:
            reply = self.hub.faults.hook(self.word, request, reply)
        return reply

    def reply(self, request: Request) -> Reply:
        raise NotImplementedError

    def ranged(self, data: File, request: Request, headers: dict[str, str]) -> Reply:
        faults = self.hub.faults
        total = size_of(data)
        asked = request.headers.get("range")
        whole = data if isinstance(data, bytes) else data.cut(0, min(data.size, 1_000_000))
        if asked is None or faults.ignore_range:
            return Reply(200, whole, headers, length=str(total))
        first, _, last = asked.removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last or total), total - 1)
        if begin >= total:
            return Reply(416, b"", {"Content-Range": f"bytes */{total}"})
        end = min(end, begin + faults.short - 1) if faults.short else end
        begin += faults.wrong_range
        body = data[begin : end + 1] if isinstance(data, bytes) else data.cut(begin, end + 1)
        if faults.slice_as_whole:
            return Reply(200, body, headers)
        if not faults.no_content_range:
            headers = {**headers, "Content-Range": f"bytes {begin}-{end}/{total}"}
        return Reply(206, body, headers, cut=faults.cut)


class _Hub(_Server):
    word = "hub"

    def reply(self, request: Request) -> Reply:
        faults = self.hub.faults
        if faults.statuses:
            status, headers = faults.statuses.pop(0)
            return Reply(status, b"", headers)
        path = urlsplit(request.path).path.removeprefix("/mirror/hf")
        parts = [unquote(p) for p in path.strip("/").split("/")]
        if parts[:2] == ["api", "models"]:
            return self.api(parts[2:], request)
        word = next((w for w in ("resolve", "raw") if w in parts), None)  # raw: what git has, of a large file a pointer
        if word is not None:
            at = parts.index(word)
            return self.resolve("/".join(parts[:at]), parts[at + 1], "/".join(parts[at + 2 :]), request)
        return self.error(404, "")

    def error(self, status: int, code: str, message: str = "") -> Reply:
        headers = {"X-Error-Code": code, "X-Error-Message": message} if code else {}
        return Reply(status, b"", {} if self.hub.faults.no_headers else headers)

    def repo(self, repo_id: str, revision: str, request: Request, *, files: bool) -> Repo | Reply:
        """The repo, or the refusal."""
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if given and given not in self.hub.tokens:
            return self.error(401, "RepoNotFound", "Invalid credentials in Authorization header")
        repo = self.hub.repos.get(repo_id)
        if repo is None or (repo.private and not given):
            return self.error(404 if given else 401, "RepoNotFound", "Repository not found")
        if repo.gated and files and given not in self.hub.allowed:
            return self.error(403 if given else 401, "GatedRepo", "Access to model is restricted")
        if revision not in (*repo.revisions, repo.commit):
            return self.error(404, "RevisionNotFound", "Invalid rev id")
        return repo

    def json(self, value: object, request: Request, headers: dict[str, str] | None = None) -> Reply:
        return self.packed(json.dumps(value).encode(), request, {"Content-Type": "application/json", **(headers or {})})

    def packed(self, body: bytes, request: Request, headers: dict[str, str]) -> Reply:
        if self.hub.faults.compress and "gzip" in request.headers.get("accept-encoding", ""):
            return Reply(200, gzip.compress(body, 6), {**headers, "Content-Encoding": "gzip"})
        return Reply(200, body, headers)

    def api(self, parts: list[str], request: Request) -> Reply:
        word = next((w for w in ("revision", "tree", "paths-info", "safetensors-metadata") if w in parts), "")
        at = parts.index(word) if word else len(parts)
        repo_id, rest = "/".join(parts[:at]), parts[at + 1 :]
        if word == "safetensors-metadata":
            return self.all_headers(repo_id, "/".join(rest), request)
        repo = self.repo(repo_id, rest[0] if rest else "main", request, files=False)
        if isinstance(repo, Reply):
            return repo
        if word == "paths-info":
            asked = parse_qs(request.body.decode()).get("paths", [])
            asked = asked or json.loads(request.body or b"{}").get("paths", [])
            return self.json([self.entry(repo_id, n) for n in asked if n in repo.files], request)
        if word == "tree":
            under = "/".join([*rest[1:], ""]) if len(rest) > 1 else ""
            return self.json([self.entry(repo_id, n) for n in sorted(repo.files) if n.startswith(under)], request)
        siblings = [{"rfilename": name} for name in sorted(repo.files)]
        return self.json(
            {"_id": "0", "id": repo_id, "modelId": repo_id, "sha": repo.commit, "siblings": siblings}, request
        )

    def entry(self, repo_id: str, name: str) -> dict[str, object]:
        size, digest = size_of(self.hub.repos[repo_id].files[name]), self.hub.digest(repo_id, name)
        value: dict[str, object] = {"type": "file", "path": name, "size": size, "oid": digest[:40]}
        lfs = {"oid": digest, "size": size, "pointerSize": 134}
        return value | ({"lfs": lfs} if name.endswith(".safetensors") else {})

    def all_headers(self, repo_id: str, index: str, request: Request) -> Reply:
        if not self.hub.lists_headers:
            return Reply(404)
        repo = self.repo(repo_id, "main", request, files=True)
        if isinstance(repo, Reply):
            return repo
        data = repo.files.get(index)
        if not isinstance(data, bytes):
            return self.error(404, "EntryNotFound")
        value = json.loads(data)
        headers = {}
        for shard in sorted(set(value["weight_map"].values())):
            file = repo.files[shard]
            head = file.head if isinstance(file, Big) else file
            headers[shard] = json.loads(head[8 : 8 + int.from_bytes(head[:8], "little")])
        return self.json({"index": {"metadata": value.get("metadata")}, "headers": headers}, request)

    def resolve(self, repo_id: str, revision: str, name: str, request: Request) -> Reply:
        if repo_id in self.hub.renames:
            return Reply(307, b"", {"Location": f"/{self.hub.renames[repo_id]}/resolve/{revision}/{name}"})
        repo = self.repo(repo_id, revision, request, files=True)
        if isinstance(repo, Reply):
            return repo
        faults = self.hub.faults
        data = repo.files.get(name)
        commit = {} if faults.no_headers or faults.no_commit else {"X-Repo-Commit": repo.commit}
        if data is None:
            reply = self.error(404, "EntryNotFound", "Entry not found")
            reply.headers |= commit
            return reply
        if faults.html:
            return Reply(200, b"<!DOCTYPE html><title>Log in</title>")
        digest = self.hub.digest(repo_id, name)
        headers = {} if faults.no_headers else {**commit, "ETag": f'"{digest[:40]}"'}
        large = name.endswith(".safetensors") or size_of(data) > 10_000_000
        if not large and isinstance(data, bytes):
            if "range" in request.headers:
                return self.ranged(data, request, headers)
            return self.packed(data, request, headers)
        if not (faults.no_headers or faults.no_linked):
            headers |= {"X-Linked-Size": str(size_of(data)), "X-Linked-ETag": f'"{digest}"', "Accept-Ranges": "bytes"}
        if faults.xet:
            headers |= {
                "X-Xet-Hash": digest,
                "Link": f'<{self.hub.endpoint}/api/models/{repo_id}/xet-read-token/{repo.commit}>; rel="xet-auth"',
            }
        if faults.direct:
            return self.ranged(data, request, headers)
        location = faults.location or f"{self.hub.cdn}/{digest}/{repo_id}/{name}"
        return Reply(302, b"Found", {**headers, "Location": location})


class _Cdn(_Server):
    word = "cdn"

    def reply(self, request: Request) -> Reply:
        _, digest, *rest = urlsplit(request.path).path.split("/")
        repo_id, name = "/".join(rest[:2]), unquote("/".join(rest[2:]))
        repo = self.hub.repos.get(repo_id)
        if repo is None or name not in repo.files:
            return Reply(403)
        return self.ranged(repo.files[name], request, {"ETag": f'"{digest}"'})

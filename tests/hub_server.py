"""A hub on loopback: two servers, as the real one has it. The first knows repos and redirects to the second for
large files; the second (the CDN) serves ranges and must never see a token. Faults are switches.

Checked against the hub library's own client in test_hub.py.
"""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator


class Seen(NamedTuple):
    """One request as it came in. ``server`` is "hub" or "cdn"."""

    server: str
    method: str
    path: str
    headers: dict[str, str]


@dataclass
class Repo:
    """One model repo with one commit."""

    files: dict[str, bytes]
    commit: str = "a" * 40
    revisions: tuple[str, ...] = ("main",)
    gated: bool = False
    private: bool = False


@dataclass
class Faults:
    """What the servers do wrong."""

    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # first answers of the hub, in order
    ignore_range: bool = False  # 200 with the whole file
    no_content_range: bool = False
    no_headers: bool = False  # a mirror: no X-…, no ETag
    wrong_range: bool = False
    html: bool = False
    location: str | None = None  # every large file redirects there
    cut: int = 0  # the CDN ends a body so many bytes early


@dataclass
class Hub:
    """The state that both servers share, and where they are."""

    repos: dict[str, Repo] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    tokens: tuple[str, ...] = ("hf_good",)
    allowed: tuple[str, ...] = ()  # tokens with access to gated repos
    faults: Faults = field(default_factory=Faults)
    seen: list[Seen] = field(default_factory=list)
    endpoint: str = ""
    cdn: str = ""

    def paths(self, server: str = "hub") -> list[str]:
        return [s.path for s in self.seen if s.server == server]


@contextmanager
def hub_servers() -> Iterator[Hub]:
    """Starts both servers on free ports and stops them."""
    hub = Hub()
    handlers = [type("HubHandler", (_HubHandler,), {"hub": hub}), type("CdnHandler", (_CdnHandler,), {"hub": hub})]
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), h) for h in handlers]
    hub.endpoint, hub.cdn = (f"http://127.0.0.1:{s.server_address[1]}" for s in servers)
    threads = [threading.Thread(target=s.serve_forever, args=(0.02,), daemon=True) for s in servers]
    for t in threads:
        t.start()
    try:
        yield hub
    finally:
        for s in servers:
            s.shutdown()
            s.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    hub: Hub
    server_word = ""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass

    def do_HEAD(self) -> None:
        self.handle_one()

    def do_GET(self) -> None:
        self.handle_one()

    def handle_one(self) -> None:
        headers = {k.lower(): v for k, v in self.headers.items()}
        self.hub.seen.append(Seen(self.server_word, self.command, self.path, headers))
        try:
            self.serve(urlsplit(self.path).path)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has read enough

    def serve(self, path: str) -> None:
        raise NotImplementedError

    def reply(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None, cut: int = 0) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) - cut])
        if cut:
            self.close_connection = True


class _HubHandler(_Handler):
    server_word = "hub"

    def serve(self, path: str) -> None:
        faults = self.hub.faults
        if faults.statuses:
            status, headers = faults.statuses.pop(0)
            self.reply(status, b"", headers)
            return
        parts = [unquote(p) for p in path.strip("/").split("/")]
        if parts[:2] == ["api", "models"]:
            word = next((w for w in ("revision", "tree") if w in parts), "")
            at = parts.index(word) if word else len(parts)
            self.listing("/".join(parts[2:at]), parts[at + 1] if word else "main", tree=word == "tree")
        elif "resolve" in parts:
            at = parts.index("resolve")
            self.resolve("/".join(parts[:at]), parts[at + 1], "/".join(parts[at + 2 :]))
        else:
            self.error(404, "")

    def error(self, status: int, code: str, message: str = "") -> None:
        headers = {"X-Error-Code": code, "X-Error-Message": message} if code else {}
        self.reply(status, b"", {} if self.hub.faults.no_headers else headers)

    def repo(self, repo_id: str, revision: str, *, files: bool) -> Repo | None:
        """The repo, or None after an error was sent."""
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if given and given not in self.hub.tokens:
            self.error(401, "RepoNotFound", "Invalid credentials in Authorization header")
            return None
        repo = self.hub.repos.get(repo_id)
        if repo is None or (repo.private and not given):
            self.error(404 if given else 401, "RepoNotFound", "Repository not found")
            return None
        if repo.gated and files and given not in self.hub.allowed:
            self.error(403 if given else 401, "GatedRepo", "Access to model is restricted")
            return None
        if revision not in (*repo.revisions, repo.commit):
            self.error(404, "RevisionNotFound", "Invalid rev id")
            return None
        return repo

    def listing(self, repo_id: str, revision: str, *, tree: bool) -> None:
        repo = self.repo(repo_id, revision, files=False)
        if repo is not None and tree:
            entries = [
                {"type": "file", "path": n, "size": len(d), "oid": hashlib.sha256(d).hexdigest()[:40]}
                for n, d in sorted(repo.files.items())
            ]
            self.reply(200, json.dumps(entries).encode(), {"Content-Type": "application/json"})
        elif repo is not None:
            siblings = [{"rfilename": name} for name in sorted(repo.files)]
            value = {"_id": "0", "id": repo_id, "modelId": repo_id, "sha": repo.commit, "siblings": siblings}
            self.reply(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def resolve(self, repo_id: str, revision: str, name: str) -> None:
        if repo_id in self.hub.renames:
            location = f"/{self.hub.renames[repo_id]}/resolve/{revision}/{name}"
            self.reply(307, b"", {"Location": location})
            return
        repo = self.repo(repo_id, revision, files=True)
        if repo is None:
            return
        faults = self.hub.faults
        data = repo.files.get(name)
        if data is None:
            self.error(404, "EntryNotFound", "Entry not found")
            return
        if faults.html:
            self.reply(200, b"<!DOCTYPE html><title>Log in</title>")
            return
        digest = hashlib.sha256(data).hexdigest()
        headers = {} if faults.no_headers else {"X-Repo-Commit": repo.commit, "ETag": f'"{digest[:40]}"'}
        if not name.endswith(".safetensors"):
            self.reply(200, data, headers)
            return
        if not faults.no_headers:
            headers |= {"X-Linked-Size": str(len(data)), "X-Linked-ETag": f'"{digest}"', "Accept-Ranges": "bytes"}
        self.reply(
            302, b"Found", {**headers, "Location": faults.location or f"{self.hub.cdn}/{digest}/{repo_id}/{name}"}
        )


class _CdnHandler(_Handler):
    server_word = "cdn"

    def serve(self, path: str) -> None:
        faults = self.hub.faults
        _, digest, *rest = path.split("/")
        repo_id, name = "/".join(rest[:2]), unquote("/".join(rest[2:]))
        data = self.hub.repos[repo_id].files[name]
        assert hashlib.sha256(data).hexdigest() == digest
        asked = self.headers.get("Range")
        if asked is None or faults.ignore_range:
            self.reply(200, data, {"ETag": f'"{digest}"'})
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last or len(data)), len(data) - 1)
        if begin >= len(data):
            self.reply(416, b"", {"Content-Range": f"bytes */{len(data)}"})
            return
        if faults.wrong_range:
            begin += 1
        content_range = {} if faults.no_content_range else {"Content-Range": f"bytes {begin}-{end}/{len(data)}"}
        self.reply(206, data[begin : end + 1], content_range, cut=faults.cut)

"""Servers that are broken or hostile: a short right error or a right result, in few seconds and few bytes."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

import pytest

from cfgexplain.sources.transport import Transport
from hub_fixtures import SECRET, bounded, error, load, use
from hub_server import Faults, Hub, Repo
from weights import CONFIG, index, safetensors, single

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hub_wire import Reply, Request

    Hook = Callable[[str, Request, Reply], Reply]

#: For time-outs: long enough for a busy machine's loopback, short enough to wait for.
SHORT = 0.4
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9953362604\n"


def on(part: str, change: Callable[[Reply], object], server: str | None = None) -> Hook:
    """Changes the replies for paths that end in a file's name, or contain another part."""

    def hook(word: str, request: Request, reply: Reply) -> Reply:
        fits = request.path.endswith(part) if part.endswith((".json", ".safetensors")) else part in request.path
        if fits and server in (None, word):
            change(reply)
        return reply

    return hook


def setting(**values: object) -> Callable[[Reply], object]:
    return lambda reply: [setattr(reply, k, v) for k, v in values.items()]


# Statuses.


@pytest.mark.parametrize(
    ("status", "code", "kind", "word"),
    [
        (401, "", "not-found", "missing, private or gated"),
        (403, "", "unauthorized", "forbids"),
        (403, "GatedRepo", "gated", "gated"),
        (400, "", "network", "400"),
        (410, "", "network", "410"),
        (416, "", "network", "416"),
        (418, "", "network", "418"),
        (451, "", "network", "451"),
        (500, "", "network", "500"),
        (502, "", "network", "502"),
        (503, "", "network", "503"),
        (504, "", "network", "504"),
        (304, "", "network", "304"),
        (204, "", "network", "204"),
        (999, "", "network", "999"),
    ],
)
def test_any_status_of_the_config(hub: Hub, status: int, code: str, kind: str, word: str) -> None:
    headers = {"X-Error-Code": code} if code else {}
    hub.faults.hook = on("config.json", setting(status=status, body=b"", headers=headers))
    with bounded(hub):
        e = error("org/one")
    assert (e.kind, word in e.message) == (kind, True), e.message
    assert e.hint


def test_a_mirror_that_fails_over_files_that_are_not_there(hub: Hub) -> None:
    hub.faults.hook = lambda word, request, reply: reply if reply.status != 404 else type(reply)(500)
    fine(hub, "org/many")
    fine(hub, "org/one")


def test_a_bad_token_makes_a_public_repo_look_missing(hub: Hub) -> None:
    with bounded(hub):
        e = error("org/one", token="hf_stale")  # noqa: S106
    assert e.kind == "unauthorized"
    assert "does not accept the token" in e.message
    assert "public" in e.message
    assert "hf_stale" not in e.message + e.hint
    hub.faults.hook = on("resolve", lambda r: setattr(r, "status", 404) if r.status == 401 else None)
    assert error("org/one", token="hf_stale").kind == "unauthorized"  # noqa: S106
    anonymous = [s for s in hub.seen if "authorization" not in s.headers]
    assert anonymous
    assert error("org/absent", token=SECRET).kind == "not-found"


def test_a_gated_repo_names_its_page(hub: Hub) -> None:
    hub.repos["org/gated"] = Repo(single(), gated=True)
    assert f"{hub.endpoint}/org/gated" in error("org/gated").hint
    assert f"{hub.endpoint}/org/gated" in error("org/gated", token=SECRET).hint


def test_a_range_that_cannot_be_satisfied_is_an_empty_file(hub: Hub) -> None:
    hub.repos["org/one"].files["model.safetensors"] = b""
    with bounded(hub):
        e = error("org/one")
    assert e.kind == "invalid-header"
    assert "is empty" in e.message


def waits(hub: Hub) -> list[float]:
    out: list[float] = []
    t = Transport(None, 3.0, sleep=out.append)
    t.get(f"{hub.endpoint}/org/one/resolve/main/config.json", cap=1000)
    return out


def test_a_hub_that_asks_to_wait_is_waited_for(hub: Hub) -> None:
    for headers in ({"Retry-After": "2"}, {"RateLimit": '"api";r=0;t=2'}):
        hub.faults.statuses = [(429, headers)]
        assert 2 <= waits(hub)[0] < 2.5
    hub.faults.statuses = [(503, {}), (503, {})]
    found = waits(hub)
    assert all(0.3 <= w <= 0.9 for w in found)
    assert len(found) == 2
    assert found[0] != found[1], "no jitter"


@pytest.mark.parametrize("headers", [{"Retry-After": "3600"}, {"RateLimit": '"resolvers";r=0;t=158'}])
def test_a_wait_beyond_reason_is_told(hub: Hub, headers: dict[str, str]) -> None:
    hub.faults.hook = on("resolve", setting(status=429, body=b"", headers=headers))
    with bounded(hub):
        e = error("org/many")
    assert e.kind == "rate-limited"
    assert any(w in e.hint for w in ("3600", "158"))


def test_one_request_that_is_told_to_wait_holds_the_others(hub: Hub) -> None:
    slept: list[float] = []
    t = Transport(None, 3.0, sleep=slept.append)
    hub.faults.statuses = [(429, {"Retry-After": "5"})]
    t.get(f"{hub.endpoint}/org/one/resolve/main/config.json", cap=1000)
    t.get(f"{hub.endpoint}/org/one/resolve/main/config.json", cap=1000)
    assert len(slept) >= 3
    assert 4 < slept[-1] < 6


# Connections.


def test_resets_are_tried_again_a_few_times(hub: Hub) -> None:
    left = [2]

    def hook(word: str, request: Request, reply: Reply) -> Reply:
        if "config.json" in request.path and left[0]:
            left[0] -= 1
            reply.reset = 0
        return reply

    hub.faults.hook = hook
    assert load("org/one", config_only=True).config is not None
    hub.faults.hook = on("config.json", setting(reset=0))
    with bounded(hub):
        assert error("org/one", config_only=True).kind == "network"
    assert len(hub.seen) == 3


@pytest.mark.parametrize("where", ["config.json", "index.json", "model-0000"])
@pytest.mark.parametrize(
    "fault",
    [
        {"reset": 40},
        {"cut": 30},
        {"raw": b"SSH-2.0-OpenSSH_9.9\r\n"},
        {"raw": b"\x16\x03\x01\x00\xa5"},
        {"raw": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"},
        {"raw": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"},
        {"raw": b"HTTP/1.1 200 OK\r\n" + b"X-Pad: " + b"x" * 200_000 + b"\r\n\r\n"},
        {"raw": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n{"},
        {"length": "99999"},
    ],
)
def test_answers_that_are_none(hub: Hub, where: str, fault: dict[str, object]) -> None:
    hub.faults.hook = on(where, setting(**fault))
    with bounded(hub, seconds=4, body_bytes=1_000_000, requests=40):
        e = error("org/many", timeout=SHORT)
    assert e.kind in ("network", "invalid-index", "not-found"), e.message


def test_truncated_json_without_a_length(hub: Hub) -> None:
    for name, kind in (("config.json", "invalid-config"), ("index.json", "invalid-index")):
        hub.faults.hook = on(name, lambda r: [setattr(r, "length", ""), setattr(r, "body", r.body[:30])])
        with bounded(hub):
            assert error("org/many").kind == kind


def test_time_outs_of_connection_headers_and_body(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.faults.hook = on("config.json", setting(delay=30.0))
    with bounded(hub, seconds=2):
        e = error("org/one", timeout=SHORT)
    assert "did not answer within 0.4 s" in e.message
    hub.faults.hook = on("config.json", setting(drip_body=0.2, body=b" " * 1000))
    with bounded(hub, seconds=3):
        assert "too slowly" in error("org/one", timeout=SHORT).message
    with socket.socket() as full:  # accepts nothing: its queue is full
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        fillers = [socket.socket() for _ in range(8)]
        for f in fillers:
            f.setblocking(False)
            f.connect_ex(address)
        use(f"http://127.0.0.1:{address[1]}", monkeypatch)
        with bounded(hub, seconds=3):
            e = error("org/one", timeout=SHORT)
        for f in fillers:
            f.close()
    assert e.kind == "network"


def test_headers_that_drip_forever_end_with_the_models_time(hub: Hub) -> None:
    hub.faults.hook = on("config.json", setting(drip=0.1))
    with bounded(hub, seconds=5):
        e = error("org/one", timeout=0.2)
    assert "in all" in e.message
    hub.faults.hook = None
    assert len(load("org/one").tensors or ()) == 6, "the pool has lost its threads"


def test_no_such_host(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    use("https://no-such-host.invalid", monkeypatch)
    with bounded(hub, seconds=10):
        e = error("org/one")
    assert "cannot connect to no-such-host.invalid" in e.message


# Proxies and TLS.


@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 Who are you\r\n\r\n", b"HTTP/1.1 503 X\r\n\r\n", b""])
def test_a_proxy_that_refuses(hub: Hub, monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    from hub_wire import Reply

    port = hub.wire.serve("proxy", lambda _: Reply(raw=answer))
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:secret@127.0.0.1:{port}")
    use("https://hub.example", monkeypatch)
    with bounded(hub):
        e = error("org/one")
    assert e.kind == "network"
    assert "secret" not in e.message + e.hint
    if answer:
        assert "proxy" in e.message


@pytest.mark.parametrize("proxy", ["ftp://x", "socks5://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used(hub: Hub, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    use("https://hub.example", monkeypatch)
    with bounded(hub):
        e = error("org/one")
    assert e.kind == "network"
    assert "proxy" in e.message


def test_certificates_that_cannot_be_read(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    e = error("org/one")
    assert "certificates" in e.message
    assert "SSL_CERT_FILE" in e.hint


@pytest.fixture(scope="module")
def tls_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, str]]:
    """The emulator behind a certificate of its own making."""
    import ssl
    import subprocess

    from hub_server import hub_servers

    folder = tmp_path_factory.mktemp("tls")
    key, cert = str(folder / "key.pem"), str(folder / "cert.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert]
    command += ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no openssl to make a certificate with")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with hub_servers(context) as hub:
        yield hub, cert


def test_a_certificate_that_nobody_vouches_for(
    hub: Hub, tls_hub: tuple[Hub, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secure, cert = tls_hub
    secure.repos = {"org/one": Repo(single())}
    use(secure.endpoint, monkeypatch)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    with bounded(hub):
        e = error("org/one", timeout=3.0)
    assert "TLS" in e.message
    assert "SSL_CERT_FILE" in e.hint
    assert secure.seen == []
    monkeypatch.setenv("SSL_CERT_FILE", cert)
    assert len(load("org/one").tensors or ()) == 6
    assert all(("authorization" in s.headers) == (s.server == "hub") for s in secure.seen)
    secure.faults.location = hub.cdn
    e = error("org/one", no_cache=True)
    assert "from https to http" in e.message


def test_plain_http_where_tls_is_expected(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    use(hub.endpoint.replace("http:", "https:"), monkeypatch)
    with bounded(hub):
        assert error("org/one", timeout=2.0).kind == "network"


# Redirects.


@pytest.mark.parametrize(
    "location",
    ["ftp://x/y", "file:///etc/passwd", "gopher://x", "javascript:alert(1)", "http://", "http://[bad", "//",
     "http://\x00x/", "http://h:99999/", "http://h:x/", "data:,x"],
)  # fmt: skip
def test_redirects_to_nowhere(hub: Hub, location: str) -> None:
    hub.faults.location = location
    with bounded(hub):
        assert error("org/one").kind in ("network", "invalid-header")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "localhost", "10.0.0.5", "192.168.1.1", "172.16.0.9", "169.254.169.254", "[::1]", "[fe80::1]",
     "[::ffff:127.0.0.1]", "0.0.0.0",  # noqa: S104 - nothing binds to it
     "2130706433", "0x7f.1", "127.1", "100.64.0.1", "printer.local", "a.localhost."],
)  # fmt: skip
def test_a_public_hub_may_not_lead_into_a_private_network(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    t = Transport(None, 1.0)
    with pytest.raises(Exception, match="private network"):
        t.next_url("https://93.184.215.14/org/one", f"https://{address}/x")
    assert t.next_url("https://93.184.215.14/a", "https://93.184.215.15/x")
    assert t.next_url("http://10.0.0.1/a", f"http://{address}/x"), "a private mirror may do so"


def test_a_name_that_resolves_into_a_private_network(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from cfgexplain.sources.addresses import is_private

    addresses = {"hub.example": "93.184.215.14", "cdn.example": "93.184.215.20", "evil.example": "10.1.2.3"}

    def resolve(host: str, *args: object, **kwargs: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", ("93.184.215.14", 0)), (2, 1, 6, "", (addresses[host], 0))]

    is_private.cache_clear()
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    t = Transport(None, 1.0)
    assert t.next_url("https://hub.example/a", "https://cdn.example/x") == "https://cdn.example/x"
    with pytest.raises(Exception, match="private network"):
        t.next_url("https://hub.example/a", "https://evil.example/x")
    is_private.cache_clear()


@pytest.mark.parametrize(
    "location", ["\xff\xfe", "", "?", "#", "http:///x", "/\xe9/%zz", "//127.0.0.1:1/x", "..//..//", "x" * 60_000]
)
def test_redirects_to_odd_places_end_cleanly(hub: Hub, location: str) -> None:
    hub.faults.hook = on("config.json", setting(status=302, headers={"Location": location}))
    with bounded(hub):
        assert error("org/one", config_only=True).kind in ("network", "no-config", "not-found")


def test_loops_and_chains_end(hub: Hub) -> None:
    hub.faults.location = "/org/one/resolve/main/model.safetensors"
    with bounded(hub, requests=12):
        assert "loop" in error("org/one").message

    def longer(word: str, request: Request, reply: Reply) -> Reply:
        reply.status, reply.headers = 302, {"Location": request.path + "x"}
        return reply

    hub.faults.hook = longer
    with bounded(hub, requests=30):
        assert "loop" in error("org/one").message


def test_the_token_follows_no_redirect_to_another_host_or_port(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from hub_wire import Reply

    thief: list[dict[str, str]] = []

    def steal(request: Request) -> Reply:
        thief.append(request.headers)
        return Reply(401, b"", {"WWW-Authenticate": "Bearer", "Set-Cookie": "a=b"})

    port = hub.wire.serve("thief", steal)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    for status in (301, 302, 303, 307, 308):
        location = {"Location": f"http://localhost:{port}/x"}
        hub.faults.hook = on("config.json", setting(status=status, headers=location), "hub")
        error("org/one", config_only=True)
    assert len(thief) >= 5
    assert not any(SECRET in str(headers) for headers in thief)
    assert all("authorization" not in h and "cookie" not in h for h in thief)


def test_the_token_is_in_no_message_even_if_the_server_repeats_it(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    echoes: list[Callable[[Reply], object]] = [
        setting(status=403, headers={"X-Error-Message": f"no access for Bearer {SECRET}"}),
        setting(status=302, headers={"Location": f"http://{SECRET}.invalid/"}),
        setting(status=302, headers={"Location": f"{SECRET}://x"}),
        setting(headers={"Content-Encoding": SECRET}),
        setting(raw=f"HTTP/1.1 200 {SECRET}\r\nbad {SECRET}\r\n\r\n".encode()),
    ]
    for echo in echoes:
        hub.faults.hook = on("config.json", echo)
        error("org/one", token=SECRET, timeout=2.0)  # error() looks for it


# Bodies.


def fine(hub: Hub, target: str = "org/many") -> None:
    c = load(target, no_cache=True)
    assert (len(c.tensors or ()), c.problems, c.complete) == (9 if target == "org/many" else 6, (), True)


@pytest.mark.parametrize("server", ["cdn", "hub"])
def test_ranges_that_are_ignored_stop_after_the_header(hub: Hub, server: str) -> None:
    hub.faults = Faults(ignore_range=True, direct=server == "hub")
    big = safetensors({"w": ("BF16", [1000, 1000])}) + safetensors({})
    hub.repos["org/big"] = Repo({"config.json": b"{}", "model.safetensors": big[:2_000_000]})
    fine(hub)
    hub.faults.hook = on("model.safetensors", setting(endless=True), server)
    with bounded(hub, body_bytes=20_000_000):
        assert len(load("org/one").tensors or ()) == 6
    hub.faults.hook = None
    c = load("org/big")
    assert [t.name for t in c.tensors or ()] == ["w"]


@pytest.mark.parametrize(
    "faults",
    [{"no_content_range": True}, {"slice_as_whole": True}, {"short": 70}, {"direct": True}, {"no_headers": True},
     {"no_linked": True}, {"no_commit": True}, {"xet": True}],
)  # fmt: skip
def test_odd_servers_that_send_the_right_bytes(hub: Hub, faults: dict[str, object]) -> None:
    for name, value in faults.items():
        setattr(hub.faults, name, value)
    for target in ("org/many", "org/one"):
        with bounded(hub, requests=60):
            fine(hub, target)
    assert not any("xet" in s.path for s in hub.seen)


def test_a_slice_called_the_whole_of_a_long_header(hub: Hub) -> None:
    tensors = {f"model.layers.{i}.a_rather_long_name_to_fill_the_header": ("F32", [1]) for i in range(3000)}
    hub.repos["org/long"] = Repo({"config.json": b"{}", "model.safetensors": safetensors(tensors)})
    for faults in (Faults(slice_as_whole=True), Faults(slice_as_whole=True, no_headers=True)):
        hub.faults = faults
        c = load("org/long", no_cache=True)
        assert (len(c.tensors or ()), c.problems) == (3000, ())


def test_wrong_bytes_are_never_parsed(hub: Hub) -> None:
    hub.faults.wrong_range = True
    with bounded(hub):
        assert "other bytes" in error("org/one").message
    hub.faults = Faults(hook=on("/", lambda r: r.headers.update({"Content-Type": "multipart/byteranges"}), "cdn"))
    with bounded(hub):
        assert "several ranges" in error("org/one").message
    hub.faults = Faults(cut=50)
    with bounded(hub, requests=30):
        assert error("org/one").kind == "network"
    # A server that never sends more than a byte of a longer header.
    hub.faults = Faults(short=1)
    with bounded(hub, requests=60):
        assert error("org/one").kind in ("network", "invalid-header")


@pytest.mark.parametrize("name", ["config.json", "index.json", "model-0000"])
@pytest.mark.parametrize("page", [b"<!DOCTYPE html><title>Log in</title>", b"\n <html>", b'{"error": "sorry"}'])
def test_pages_in_place_of_files(hub: Hub, name: str, page: bytes) -> None:
    hub.faults.hook = on(name, setting(status=200, body=page, headers={"Content-Type": "text/html"}))
    with bounded(hub):
        if name == "config.json" and page.startswith(b"{"):
            assert load("org/many").config is not None  # an object without a model_type
        else:
            assert error("org/many").kind in ("network", "invalid-index", "invalid-header")


@pytest.mark.parametrize("name", ["config.json", "index.json"])
def test_gzip_bombs(hub: Hub, name: str) -> None:
    bomb = gzip.compress(b" " * 300_000_000, 1)
    hub.faults.hook = on(name, lambda r: [setattr(r, "body", bomb), r.headers.update({"Content-Encoding": "gzip"})])
    with bounded(hub, seconds=6, body_bytes=3_000_000):
        e = error("org/many")
    assert e.kind == "unreadable"
    assert "larger than" in e.message


def test_compression_that_never_says_anything_is_bounded(hub: Hub) -> None:
    body = gzip.compress(b"")[:10] + b"\x00\x00\x00\xff\xff" * 20_000
    change = setting(body=body, endless=True, headers={"Content-Encoding": "gzip"})
    hub.faults.hook = on("config.json", change)
    with bounded(hub, seconds=5, body_bytes=80_000_000):
        assert error("org/one", timeout=1.0).kind == "network"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip"])
def test_encodings_that_were_not_asked_for_or_are_none(hub: Hub, encoding: str) -> None:
    hub.faults.hook = on("config.json", lambda r: r.headers.update({"Content-Encoding": encoding}))
    with bounded(hub):
        assert error("org/one").kind == "network"


def test_compressed_answers_are_unpacked(hub: Hub) -> None:
    hub.faults.compress = True
    fine(hub)


def test_bodies_without_end(hub: Hub) -> None:
    for name, room in (("config.json", 30_000_000), ("model.safetensors", 8_000_000)):
        hub.faults.hook = on(name, setting(status=200, body=b"{" + b" " * 99_999, endless=True, headers={}))
        with bounded(hub, seconds=6, body_bytes=room):
            assert error("org/one", config_only=name == "config.json").kind in ("unreadable", "invalid-header")
    hub.faults.hook = on("config.json", setting(status=404, body=b"x" * 100_000, endless=True))
    with bounded(hub, seconds=3, body_bytes=10_000_000):
        assert error("org/one", config_only=True).kind in ("no-config", "not-found")


# Headers and indexes.


@pytest.mark.parametrize(
    ("length", "word"),
    [(2**63, "not a safetensors"), (2**64 - 1, "not a safetensors"), (100_000_001, "limit"), (132_095_296, "limit")],
)
def test_lengths_beyond_reason(hub: Hub, length: int, word: str) -> None:
    hub.repos["org/one"].files["model.safetensors"] = struct.pack("<Q", length) + b"{}" + b" " * 100
    hub.faults.no_linked = hub.faults.no_content_range = True
    with bounded(hub):
        e = error("org/one")
    assert e.kind == "invalid-header"
    assert word in e.message


def test_a_header_of_100_megabytes_that_is_not_there(hub: Hub) -> None:
    hub.repos["org/one"].files["model.safetensors"] = struct.pack("<Q", 100_000_000) + b"{" + b" " * 70_000
    with bounded(hub):
        assert "ends inside its header" in error("org/one").message
    hub.faults = Faults(no_linked=True, no_content_range=True)
    with bounded(hub, requests=30):
        assert error("org/one").kind == "network"


def test_headers_of_too_many_bytes_in_all(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from cfgexplain.sources import hub_repo

    monkeypatch.setattr(hub_repo, "_MAX_HEADERS", 1500)
    with bounded(hub):
        e = error("org/many")
    assert "in all" in e.message


def test_a_hundred_thousand_shards(hub: Hub) -> None:
    weight_map = {f"w{i}": f"s{i}.safetensors" for i in range(100_000)}
    hub.repos["org/wide"] = Repo({"config.json": b"{}", "model.safetensors.index.json": index(weight_map)})
    with bounded(hub, seconds=5, body_bytes=8_000_000, requests=8):
        e = error("org/wide")
    assert e.kind in ("unsupported", "invalid-index")
    few = {f"w{i}": f"s{i}.safetensors" for i in range(5000)}
    hub.repos["org/wide"] = Repo({"config.json": b"{}", "model.safetensors.index.json": index(few)})
    with bounded(hub, seconds=5, requests=8):
        assert "5,000 files" in error("org/wide").message


@pytest.mark.parametrize(
    "path",
    ["../../../../org/private/resolve/main/model.safetensors", "/etc/passwd", "http://evil/x.safetensors", "a/../../x",
     "..\\..\\x", "C:\\x.safetensors", "a//b", "", ".", "x\x00y", "x\ny", "%2e%2e/%2e%2e/x", "x?y=z", "x#y"],
)  # fmt: skip
def test_a_hostile_weight_map(hub: Hub, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    hub.repos["org/evil"] = Repo({"config.json": b"{}", "model.safetensors.index.json": index({"w": path})})
    with bounded(hub, requests=10):
        c = load("org/evil")
    assert c.problems, path
    assert {p.check for p in c.problems} <= {"unsafe-shard-path", "index-missing-shard"}
    asked = [s.path for s in hub.seen if "/resolve/" in s.path]
    assert all(p.startswith(("/org/evil/resolve/main/", f"/org/evil/resolve/{'a' * 40}/")) for p in asked), asked
    assert not any(".." in p or "?" in p or "#" in p for p in asked), asked


def test_a_million_tensors(hub: Hub) -> None:
    """Each costs the header 60 bytes at least: within the format's 100 MB, and read in seconds."""
    entries = ",".join(f'"{i:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(1_000_000))
    raw = b"{" + entries.encode() + b"}"
    hub.repos["org/one"].files["model.safetensors"] = struct.pack("<Q", len(raw)) + raw
    with bounded(hub, seconds=30, body_bytes=2 * len(raw)):
        c = load("org/one", no_cache=True)
    assert len(c.tensors or ()) == 1_000_000


def test_lfs_pointers_served_as_files(hub: Hub) -> None:
    hub.repos["org/one"].files["model.safetensors"] = LFS
    c = load("org/one", no_cache=True)
    assert [p.check for p in c.problems] == ["weights-not-fetched"]
    assert (c.weight_files[0].bytes, c.complete) == (9953362604, False)
    for name in ("config.json", "model.safetensors.index.json"):
        hub.repos["org/lfs"] = Repo({"config.json": json.dumps(CONFIG).encode(), name: LFS})
        with bounded(hub):
            assert "LFS pointer" in error("org/lfs").message


def test_an_endpoint_with_a_path_or_a_slash(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    for end in ("/", "/mirror/hf", "/mirror/hf/", "//"):
        use(hub.endpoint + end, monkeypatch)
        fine(hub)
    use(f"http://user:sesame@{hub.endpoint[7:]}", monkeypatch)
    monkeypatch.setattr(hub, "tokens", ("Basic dXNlcjpzZXNhbWU=",))
    fine(hub)
    e = error("org/absent", no_cache=True)
    assert "sesame" not in e.message + e.hint
    for bad in ("ftp://x", "", "hub", "http://", "http://[x"):
        use(bad, monkeypatch)
        assert error("org/one").kind in ("usage", "network")


def test_a_push_between_two_answers(hub: Hub) -> None:
    commits = iter(["a" * 40, "b" * 40, "a" * 40, "b" * 40] * 20)

    def hook(word: str, request: Request, reply: Reply) -> Reply:
        if word == "hub" and "X-Repo-Commit" in reply.headers:
            asked = request.path.split("/")[4]
            reply.headers["X-Repo-Commit"] = next(commits) if asked == "main" else asked
        return reply

    hub.repos["org/many"].revisions = ("main", "b" * 40)
    hub.faults.hook = hook
    with bounded(hub):
        c = load("org/many")
    assert c.target.commit in ("a" * 40, "b" * 40)

    def always(word: str, request: Request, reply: Reply) -> Reply:
        if word == "hub" and "X-Repo-Commit" in reply.headers:
            reply.headers["X-Repo-Commit"] = next(commits)
        return reply

    hub.faults.hook = always
    with bounded(hub):
        e = error("org/many", no_cache=True)
    assert "two commits" in e.message


def test_nothing_is_left_waiting(hub: Hub) -> None:
    """After all that, no thread of ours that still works."""
    time.sleep(0.1)
    names = [t.name for t in threading.enumerate() if t.name == "cfgexplain-cache"]
    assert names == []

"""An answer's body: the part that was asked for and no more, whatever the server sends."""

from __future__ import annotations

import time
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.http_words import number, origin, range_begin, range_total
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx2

#: Bytes kept of an answer that is an error, and of a redirect's body.
ERROR_BYTES: Final = 65_536
#: A body that comes slower than this many bytes a second is given up, beside the time-out between two pieces.
_SLOWEST: Final = 16_384
_CHUNK: Final = 65_536


class Answer(NamedTuple):
    """What came back.

    Attributes:
        status: HTTP status of the last hop.
        headers: of the last hop.
        first: of the first hop, which on the hub carries the commit and the size.
        body: what was asked for; with a span, the bytes from its start.
        size: bytes of the whole file, or None where no header told.
        url: of the last hop.
    """

    status: int
    headers: Mapping[str, str]
    first: Mapping[str, str]
    body: bytes
    size: int | None
    url: str = ""


class Broken(Exception):
    """A failed try, before it is known whether there is another."""

    def __init__(self, message: str, hint: str, retry: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retry = retry


def host_of(url: str) -> str:
    return shown_host(origin(url)[1])


def shown_host(host: str) -> str:
    return clean(host, 100) or "the server"


def read_answer(
    response: httpx2.Response,
    first: Mapping[str, str],
    url: str,
    span: tuple[int, int] | None,
    cap: int,
    timeout: float,
) -> Answer:
    """Reads the last hop's body.

    Args:
        response: its headers read, its body not yet.
        first: headers of the first hop.
        url: of the last hop.
        span: first and last byte that were asked for, or None for all.
        cap: most bytes of all.
        timeout: seconds between two pieces.

    Raises Broken, and CfgexplainError "unreadable" for a file over the cap.
    """
    headers = {k.lower(): v for k, v in response.headers.items()}
    status = response.status_code
    total = range_total(headers.get("content-range"))
    if status not in (200, 206):
        return Answer(status, headers, first, read_body(response, ERROR_BYTES, timeout), total, url)
    length = number(headers.get("content-length"))
    size = number(first.get("x-linked-size"))
    if span is None:
        body = read_body(response, cap + 1, timeout)
        if len(body) > cap:
            name = clean(response.url.path.rpartition("/")[2]) or "the answer"
            raise CfgexplainError("unreadable", f"{name} is larger than {cap:,} bytes", "Is it the right file?")
        return Answer(status, headers, first, body, size if size is not None else length, url)
    begin, last = span
    if headers.get("content-type", "").startswith("multipart/"):
        raise Broken(f"{host_of(url)} sent several ranges where one was asked for", "Try again.")
    if status == 206 or "content-range" in headers:
        told = range_begin(headers.get("content-range"))
        if told is not None and told != begin:
            raise Broken(f"{host_of(url)} sent other bytes than were asked for", "Try again.")
        body = read_body(response, last - begin + 1, timeout)
        return Answer(206, headers, first, body, size if total is None else total, url)
    # A server that knows no ranges sends the whole file; some send the slice and call it the whole.
    slice_only = length == last - begin + 1
    if slice_only and begin:
        return Answer(206, headers, first, read_body(response, last - begin + 1, timeout), size, url)
    whole = read_body(response, last + 1, timeout)
    return Answer(status, headers, first, whole[begin:], size if size is not None or slice_only else length, url)


def read_body(response: httpx2.Response, limit: int, timeout: float) -> bytes:
    """At most ``limit`` bytes of a body, unpacked; the rest is not read."""
    name = host_of(str(response.url))
    encoding = response.headers.get("content-encoding", "identity").lower().strip()
    unpack = None
    if encoding in ("gzip", "x-gzip", "deflate"):
        unpack = zlib.decompressobj(wbits=47)
    elif encoding not in ("", "identity"):
        raise Broken(f"{name} sent {clean(encoding, 40)}, which was not asked for", "Check HF_ENDPOINT.")
    parts: list[bytes] = []
    have = packed = 0
    began = time.monotonic()
    for raw in response.iter_raw():  # as it comes: a chunk size would wait for a chunk that drips
        packed += len(raw)
        if unpack is not None:
            try:
                raw = unpack.decompress(raw, limit - have)
            except zlib.error:
                raise Broken(f"the compression of {name}'s answer is broken", "Try again.", retry=True) from None
        parts.append(raw[: limit - have])
        have += len(parts[-1])
        if have >= limit:
            break
        if packed > limit + _CHUNK:
            raise Broken(f"{name} sent more than it says", "Check HF_ENDPOINT.")
        if time.monotonic() - began > timeout + have / _SLOWEST:
            raise Broken(f"the answer of {name} comes too slowly", "Try again, or raise --timeout.")
    if unpack is not None and packed and have < limit and not unpack.eof:
        raise Broken(f"{name} broke off inside its answer", "Try again.", retry=True)
    return b"".join(parts)

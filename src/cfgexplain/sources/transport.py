"""One GET to the hub: redirects by hand, the token to the hub's origin only, bounded bytes, seconds and retries.

Session, proxies, certificates and token are the hub library's own, so that they behave as its users know them.
"""

from __future__ import annotations

import os
import random
import time
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urljoin

from cfgexplain import __version__
from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.http_words import asked_wait, origin, range_begin, range_total
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx2

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_HOPS: Final = 6
_RETRIED: Final = frozenset({429, 500, 502, 503, 504})
_TRIES: Final = 3
#: Longest wait that a server may ask for before we give up and say so.
_MAX_WAIT: Final = 30.0
#: Bytes kept of an answer that is an error, and of a redirect's body.
_ERROR_BYTES: Final = 65_536
#: A body that comes slower than this is given up, beside the time-out between two pieces.
_SLOWEST: Final = 16_384
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Answer(NamedTuple):
    """What came back.

    Attributes:
        status: HTTP status of the last hop.
        headers: of the last hop.
        first: of the first hop, which on the hub carries the commit and the size.
        body: what was asked for; with a span, the bytes from its start.
        size: bytes of the whole file, or None where no header told.
    """

    status: int
    headers: Mapping[str, str]
    first: Mapping[str, str]
    body: bytes
    size: int | None


class Transport:
    """Asks one hub. Safe to share between threads.

    Args:
        token: a token given by hand; None is whatever the hub library finds.
        timeout: seconds to connect, and between two pieces of an answer.
        sleep: how to wait between tries.
    """

    def __init__(self, token: str | None, timeout: float, sleep: Callable[[float], object] = time.sleep) -> None:
        # Read when the library is first imported: spares its own daily request to the hub.
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        from huggingface_hub import constants, get_session
        from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # public, not in __all__

        if token is not None and not (token.isascii() and token.isprintable() and token.strip()):
            raise CfgexplainError("usage", "the token holds characters that no token has", "Copy it again.")
        self.endpoint: str = constants.ENDPOINT
        self.origin = origin(self.endpoint)
        headers = build_hf_headers(token=token, library_name="cfgexplain", library_version=__version__)
        self._authorization: str | None = headers.pop("authorization", None)
        self._headers = {**headers, "accept-encoding": "identity"}
        # In clear over a network only where a user says so by --token.
        self.withheld = (
            self._authorization is not None
            and token is None
            and self.origin[0] != "https"
            and self.origin[1] not in _LOOPBACK
        )
        if self.withheld:
            self._authorization = None
        self._session: httpx2.Client = get_session()
        self._timeout = timeout
        self._sleep = sleep

    @property
    def has_token(self) -> bool:
        return self._authorization is not None

    def get(self, url: str, *, span: tuple[int, int] | None = None, cap: int) -> Answer:
        """Fetches a file, or the bytes ``span`` (first, last) of it; fewer where it ends before.

        Args:
            url: on the hub.
            span: both ends inclusive, as in HTTP. A server that ignores it is read up to its end and no further.
            cap: most bytes of a whole file; a larger one raises "unreadable".

        Returns the answer whatever its status, after bounded retries of 429 and 5xx. Raises "network", and
        "rate-limited" where the server asks for a longer wait than we do.
        """
        for last in (False,) * (_TRIES - 1) + (True,):
            wait: float | None = None
            try:
                answer = self._once(url, span, cap)
            except _Broken as e:
                if last or not e.retry:
                    raise CfgexplainError("network", e.message, e.hint) from None
            else:
                if answer.status not in _RETRIED:
                    return answer
                wait = asked_wait(answer.headers)
                if last or (wait is not None and wait > _MAX_WAIT):
                    return answer
            self._sleep(wait if wait is not None else random.uniform(0.3, 0.9))  # noqa: S311 - jitter is no secret
        raise AssertionError("unreachable")

    def _once(self, url: str, span: tuple[int, int] | None, cap: int) -> Answer:
        import httpx2
        from huggingface_hub.errors import OfflineModeIsEnabled

        headers = dict(self._headers)
        if span is not None:
            headers["range"] = f"bytes={span[0]}-{span[1]}"
        first: Mapping[str, str] | None = None
        host = self.origin[1]
        try:
            for _ in range(_MAX_HOPS):
                here = origin(url)
                host = here[1]
                send = dict(headers)
                if self._authorization is not None and here == self.origin:
                    send["authorization"] = self._authorization
                request = self._session.build_request("GET", url, headers=send, timeout=self._timeout)
                response = self._session.send(request, stream=True, follow_redirects=False)
                try:
                    seen = {k.lower(): v for k, v in response.headers.items()}
                    first = seen if first is None else first
                    if response.status_code not in _REDIRECTS or "location" not in seen:
                        return self._answer(response, seen, first, span, cap)
                    self._read(response, _ERROR_BYTES)  # so that the connection can be used again
                finally:
                    response.close()
                url = self._next(url, seen["location"])
        except httpx2.TimeoutException:
            raise _Broken(
                f"{_host(host)} did not answer within {self._timeout:g} s", "Try again, or raise --timeout."
            ) from None
        except httpx2.ProxyError:
            raise _Broken(f"the proxy refused the way to {_host(host)}", "Check HTTPS_PROXY and NO_PROXY.") from None
        except httpx2.ConnectError as e:
            raise _Broken(
                f"cannot connect to {_host(host)}: {self._reason(e)}", "Check the network and HF_ENDPOINT."
            ) from None
        except httpx2.TransportError as e:
            raise _Broken(f"{_host(host)} broke off: {self._reason(e)}", "Try again.", retry=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, UnicodeError) as e:
            raise _Broken(f"{_host(host)} gave an answer that is no HTTP: {self._reason(e)}", "Try again.") from None
        except OfflineModeIsEnabled:
            raise _Broken("the hub library is offline", "Unset HF_HUB_OFFLINE.") from None
        raise _Broken(f"{_host(host)} redirects in a loop", "Check HF_ENDPOINT.")

    def _reason(self, error: Exception) -> str:
        """An exception's words, bounded, and never with a token in them."""
        text = str(error) or type(error).__name__
        if self._authorization is not None:
            text = text.replace(self._authorization.removeprefix("Bearer "), "***")
        return clean(text, 120)

    def _next(self, url: str, location: str) -> str:
        """Where a redirect leads. Seam for stricter rules: only https after https, only http(s) at all."""
        try:
            target = urljoin(url, location)
            scheme, host, _ = origin(target)
        except ValueError:
            raise _Broken(f"{_host(origin(url)[1])} redirects to no URL", "Check HF_ENDPOINT.") from None
        if scheme not in ("http", "https") or not host:
            raise _Broken(f"{_host(origin(url)[1])} redirects to no web address", "Check HF_ENDPOINT.")
        if scheme == "http" and origin(url)[0] == "https":
            raise _Broken(
                f"{_host(origin(url)[1])} redirects from https to http, which is not followed", "Check HF_ENDPOINT."
            )
        return target

    def _answer(
        self,
        response: httpx2.Response,
        headers: Mapping[str, str],
        first: Mapping[str, str],
        span: tuple[int, int] | None,
        cap: int,
    ) -> Answer:
        status = response.status_code
        if status not in (200, 206):
            return Answer(
                status, headers, first, self._read(response, _ERROR_BYTES), range_total(headers.get("content-range"))
            )
        length = headers.get("content-length", "")
        size = int(length) if status == 200 and length.isdigit() and len(length) < 19 else None
        linked = first.get("x-linked-size", "")
        if size is None and linked.isdigit() and len(linked) < 19:
            size = int(linked)
        if span is None:
            body = self._read(response, cap + 1)
            if len(body) > cap:
                raise CfgexplainError(
                    "unreadable", f"{clean(_name(response))} is larger than {cap:,} bytes", "Is it the right file?"
                )
            return Answer(status, headers, first, body, size)
        wanted = span[1] - span[0] + 1
        content_range = headers.get("content-range")
        if status == 206 or content_range is not None:
            begin = range_begin(content_range)
            if begin is not None and begin != span[0]:
                raise _Broken(
                    f"{_host(origin(str(response.url))[1])} sent other bytes than were asked for", "Try again."
                )
            total = range_total(content_range)
            return Answer(206, headers, first, self._read(response, wanted), total if total is not None else size)
        return Answer(status, headers, first, self._read(response, span[1] + 1)[span[0] :], size)

    def _read(self, response: httpx2.Response, limit: int) -> bytes:
        """At most ``limit`` bytes of a body, unpacked; the rest is not read."""
        encoding = response.headers.get("content-encoding", "identity").lower().strip()
        unpack = None
        if encoding in ("gzip", "x-gzip", "deflate"):
            unpack = zlib.decompressobj(wbits=47)
        elif encoding not in ("", "identity"):
            raise _Broken(
                f"{_host(origin(str(response.url))[1])} sent {clean(encoding, 40)}, which was not asked for", ""
            )
        parts: list[bytes] = []
        have = 0
        began = time.monotonic()
        for raw in response.iter_raw(65_536):
            if unpack is not None:
                try:
                    raw = unpack.decompress(raw, limit - have)
                except zlib.error:
                    raise _Broken("the answer's compression is broken", "Try again.", retry=True) from None
            parts.append(raw[: limit - have])
            have += len(parts[-1])
            if have >= limit:
                break
            if time.monotonic() - began > self._timeout + have / _SLOWEST:
                raise _Broken("the answer comes too slowly", "Try again, or raise --timeout.")
        return b"".join(parts)


class _Broken(Exception):
    """A failed try, before it is known whether there is another."""

    def __init__(self, message: str, hint: str, retry: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retry = retry


def _host(host: str) -> str:
    return clean(host, 100) or "the server"


def _name(response: httpx2.Response) -> str:
    return response.url.path.rpartition("/")[2] or "the answer"

"""One GET to the hub: redirects by hand, the token to the hub's origin only, bounded bytes, seconds and retries."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.client import connect, identity, through_proxy
from cfgexplain.sources.http_body import ERROR_BYTES, Answer, Broken, read_answer, read_body, shown_host
from cfgexplain.sources.http_words import asked_wait, origin
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_HOPS: Final = 6
_RETRIED: Final = frozenset({429, 500, 502, 503, 504})
_TRIES: Final = 3
#: Longest wait that a server may ask for before we give up and say so.
_MAX_WAIT: Final = 30.0
_HUB: Final = ("https", "huggingface.co", 443)


class Transport:
    """Asks one hub. Safe to share between threads.

    Args:
        token: a token given by hand; None is whatever the hub library finds.
        timeout: seconds to connect, and between two pieces of an answer.
        sleep: how to wait between tries.
        jobs: requests at once.
    """

    def __init__(
        self, token: str | None, timeout: float, sleep: Callable[[float], object] = time.sleep, jobs: int = 168
    ) -> None:
        who = identity(token)
        self.endpoint = who.endpoint
        self.origin = who.origin
        self.withheld = who.withheld
        self._token = who.token
        self._headers = {**who.headers, "accept-encoding": "identity"}
        self.client, self.pool = connect(jobs)
        self._proxied = through_proxy()
        self.timeout = timeout
        self._sleep = sleep
        self._lock = threading.Lock()
        self._not_before = 0.0
        #: Whether this hub has the endpoint for all headers of a model; None before it is known.
        self.lists_headers: bool | None = True if self.origin == _HUB else None

    @property
    def has_token(self) -> bool:
        return self._token is not None

    def scrub(self, text: str) -> str:
        """A text that a server may have chosen, without the token."""
        return text if self._token is None else text.replace(self._token, "***")

    def get(
        self, url: str, *, span: tuple[int, int] | None = None, cap: int, tries: int = _TRIES, anonymous: bool = False
    ) -> Answer:
        """Fetches a file, or the bytes ``span`` (first, last) of it; fewer where it ends before.

        Args:
            url: on the hub, or where the hub sent us before.
            span: both ends inclusive, as in HTTP. A server that ignores it is read up to its end and no further.
            cap: most bytes of a whole file; a larger one raises "unreadable".
            tries: requests at most.
            anonymous: without the token.

        Returns the answer whatever its status, after bounded retries of 429 and 5xx. Raises "network", and
        "rate-limited" where the server asks for a longer wait than we do.
        """
        failed: Answer | None = None
        for left in range(tries - 1, -1, -1):
            self._hold()
            try:
                answer = self._once(url, span, cap, anonymous)
            except CfgexplainError as e:
                raise CfgexplainError(e.kind, self.scrub(e.message), e.hint) from None
            except Broken as e:
                if failed is not None and not left:
                    return failed  # a server that failed and then broke off says more by the first
                if not left or not e.retry:
                    raise CfgexplainError("network", self.scrub(e.message), self.scrub(e.hint)) from None
                wait = None
            else:
                if answer.status not in _RETRIED:
                    return answer
                failed = answer
                wait = asked_wait(answer.headers)
                if not left or (wait is not None and wait > _MAX_WAIT):
                    return answer
            # Jitter, so that threads that failed together do not come back together.
            pause = random.uniform(0.3, 0.9) if wait is None else wait + random.uniform(0.0, 0.3)  # noqa: S311
            if wait is not None:
                with self._lock:
                    self._not_before = max(self._not_before, time.monotonic() + wait)
            self._sleep(pause)
        raise AssertionError("unreachable")

    def _hold(self) -> None:
        """A hub that asked one thread to wait means all of them."""
        wait = min(self._not_before - time.monotonic(), _MAX_WAIT)
        if wait > 0:
            self._sleep(wait + random.uniform(0.0, 0.3))  # noqa: S311 - jitter is no secret

    def _once(self, url: str, span: tuple[int, int] | None, cap: int, anonymous: bool) -> Answer:
        import httpx2

        headers = dict(self._headers)
        if span is not None:
            headers["range"] = f"bytes={span[0]}-{span[1]}"
        else:
            headers["accept-encoding"] = "gzip"
        first: Mapping[str, str] | None = None
        host = self.origin[1]
        try:
            for _ in range(_MAX_HOPS):
                here = origin(url)
                host = here[1]
                send = dict(headers)
                if self._token is not None and here == self.origin and not anonymous:
                    send["authorization"] = f"Bearer {self._token}"
                request = self.client.build_request("GET", url, headers=send, timeout=self.timeout)
                response = self.client.send(request, stream=True)
                try:
                    seen = {k.lower(): v for k, v in response.headers.items()}
                    first = seen if first is None else first
                    if response.status_code not in _REDIRECTS or "location" not in seen:
                        return read_answer(response, first, url, span, cap, self.timeout)
                    read_body(response, ERROR_BYTES, self.timeout)  # so that the connection can be used again
                finally:
                    response.close()
                url = self.next_url(url, seen["location"])
        except httpx2.TimeoutException:
            hint = "Try again, or raise --timeout."
            raise Broken(f"{shown_host(host)} did not answer within {self.timeout:g} s", hint) from None
        except httpx2.ProxyError as e:
            hint = f"It said: {clean(str(e), 80)}. Check HTTPS_PROXY and NO_PROXY."
            raise Broken(f"the proxy refused the way to {shown_host(host)}", hint) from None
        except httpx2.ConnectError as e:
            raise self._unconnected(e, host) from None
        except httpx2.TransportError as e:
            raise Broken(f"{shown_host(host)} broke off: {self._reason(e)}", "Try again.", retry=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, UnicodeError, ValueError) as e:
            message = f"{shown_host(host)} gave an answer that is no HTTP: {self._reason(e)}"
            raise Broken(message, "Try again.") from None
        raise Broken(f"{shown_host(host)} redirects in a loop", "Check HF_ENDPOINT.")

    def _unconnected(self, error: Exception, host: str) -> Broken:
        reason = self._reason(error)
        if "CERTIFICATE" in reason.upper() or "SSL" in reason.upper() or "TLS" in reason.upper():
            hint = "Is there a proxy in between? SSL_CERT_FILE names its certificate; a wrong clock looks so too."
            return Broken(f"no trusted TLS connection to {shown_host(host)}: {reason}", hint)
        proxy = ", and the proxy that is set" if self._proxied else ""
        return Broken(f"cannot connect to {shown_host(host)}: {reason}", f"Check the network and HF_ENDPOINT{proxy}.")

    def _reason(self, error: Exception) -> str:
        """An exception's words, bounded, and never with a token in them."""
        return clean(self.scrub(str(error) or type(error).__name__), 120)

    def next_url(self, url: str, location: str) -> str:
        """Where a redirect leads: only the web, only https after https, never from outside into a private network."""
        from cfgexplain.sources.addresses import is_private

        here = origin(url)
        name = shown_host(here[1])
        try:
            target = urljoin(url, location)
            there = origin(target)
        except ValueError:
            raise Broken(f"{name} redirects to no URL", "Check HF_ENDPOINT.") from None
        if there[0] not in ("http", "https") or not there[1]:
            raise Broken(f"{name} redirects to no web address", "Check HF_ENDPOINT.")
        if there[0] == "http" and here[0] == "https":
            raise Broken(f"{name} redirects from https to http, which is not followed", "Check HF_ENDPOINT.")
        look_up = not self._proxied
        if there[1] != here[1] and is_private(there[1], look_up=look_up) and not is_private(here[1], look_up=look_up):
            message = f"{name} redirects into a private network ({shown_host(there[1])}), which is not followed"
            raise Broken(message, "Check HF_ENDPOINT: no public hub does so.")
        return target

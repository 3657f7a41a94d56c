"""The HTTP client that all requests of a run share, and the headers that they carry.

Token, endpoint and user agent are the hub library's, proxies and certificates its HTTP library's, so that they are
what its users know. The client is our own: the library's keeps 20 connections at most, and has no HTTP/2.
"""

from __future__ import annotations

import atexit
import gc
import os
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.request import getproxies

from cfgexplain import __version__
from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.http_words import Origin, origin
from cfgexplain.sources.pool import Pool
from cfgexplain.text import clean

if TYPE_CHECKING:
    import httpx2

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_TLS_FILES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class Identity(NamedTuple):
    """Who asks which hub.

    Attributes:
        endpoint: where the hub is, without a slash at its end.
        origin: its scheme, host and port: the only ones that get the token.
        headers: of every request, without the token.
        token: to send, or None.
        withheld: a token is there, and was kept back because the endpoint is plain http over a network.
    """

    endpoint: str
    origin: Origin
    headers: dict[str, str]
    token: str | None
    withheld: bool


def identity(token: str | None) -> Identity:
    """Reads endpoint and token as the hub library does.

    Args:
        token: given by hand; None is whatever the library finds.

    Raises "usage" for a token or an endpoint that none can be, "unauthorized" where the library cannot get its own.
    """
    import platform

    from huggingface_hub import __version__ as library_version
    from huggingface_hub import constants, get_token
    from huggingface_hub.errors import HfHubHTTPError

    found = token
    if token is not None:
        _check_token(token, "the token")
    elif not constants.HF_HUB_DISABLE_IMPLICIT_TOKEN:
        try:
            found = get_token()
        except (HfHubHTTPError, ValueError, OSError) as e:
            message = f"the hub library cannot get its token ({type(e).__name__})"
            hint = "Log in again with `hf auth login`, or pass --token."
            raise CfgexplainError("unauthorized", message, hint) from None
        if found is not None:
            _check_token(found, "the token that `hf auth login` or HF_TOKEN set")
    # By hand: the library's own function also asks the hub once a day for a list of agents to count users by.
    agent = f"cfgexplain/{__version__}; hf_hub/{library_version}; python/{platform.python_version()}"
    headers = {"user-agent": agent}
    try:
        where = origin(constants.ENDPOINT)
    except ValueError:
        where = ("", "", 0)
    if where[0] not in ("http", "https") or not where[1]:
        shown = clean(constants.ENDPOINT, 100)
        raise CfgexplainError("usage", f"HF_ENDPOINT is no web address: {shown}", "It has the form https://host.")
    withheld = found is not None and token is None and where[0] != "https" and where[1] not in _LOOPBACK
    return Identity(constants.ENDPOINT, where, headers, None if withheld else found, withheld)


def _check_token(token: str, what: str) -> None:
    if not (token.isascii() and token.isprintable() and token.strip() == token and token):
        raise CfgexplainError("usage", f"{what} holds characters that no token has", "Copy it again.")


def connect(jobs: int) -> tuple[httpx2.Client, Pool]:
    """The client and the threads of this process, the same for all targets. Raises "network" for unusable settings."""
    return _connect(jobs, tuple(sorted(getproxies().items())), tuple(map(os.environ.get, _TLS_FILES)))


@cache  # a client that went out of use would have to be closed
def _connect(
    jobs: int, proxies: tuple[tuple[str, str], ...], tls: tuple[str | None, ...]
) -> tuple[httpx2.Client, Pool]:
    from importlib.util import find_spec

    import httpx2

    limits = httpx2.Limits(max_connections=jobs, max_keepalive_connections=jobs, keepalive_expiry=30)
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    http2 = find_spec("h2") is not None
    try:
        client = httpx2.Client(limits=limits, cookies=no_cookies, http2=http2, follow_redirects=False)
    except (ValueError, ImportError, httpx2.InvalidURL):
        raise CfgexplainError("network", "the proxy that is set cannot be used", "Check HTTPS_PROXY.") from None
    except OSError:
        hint = f"Check {' and '.join(_TLS_FILES)}."
        raise CfgexplainError("network", "the TLS certificates that are set cannot be read", hint) from None
    atexit.register(client.close)
    gc.freeze()  # all that was imported stays: the collector need not walk it at every thousandth tensor
    return client, Pool(jobs, "cfgexplain-hub")


def through_proxy() -> bool:
    """Whether any proxy is set, so that names may be known to it alone."""
    return bool({"http", "https", "all"} & getproxies().keys())

"""Small words of HTTP: origins, ranges and waits, from text that a server chose."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Scheme, host, port: what a token is bound to.
Origin = tuple[str, str, int]


def origin(url: str) -> Origin:
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: ``Retry-After``, or ``t`` of the hub's ``RateLimit`` with ``r=0``."""
    after = headers.get("retry-after", "").strip()
    if after.isascii() and after.isdigit() and len(after) < 10:
        return float(after)
    fields = [f.strip().partition("=") for f in headers.get("ratelimit", "").split(";")]
    values = {name: value.strip() for name, _, value in fields}
    t = values.get("t", "")
    return float(t) if values.get("r") == "0" and t.isascii() and t.isdigit() and len(t) < 10 else None


def number(text: str | None) -> int | None:
    """A length in bytes, or None for what is none."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 19 else None


def range_begin(content_range: str | None) -> int | None:
    """``bytes 0-99/1234`` → 0."""
    begin = (content_range or "").removeprefix("bytes").strip().partition("-")[0]
    return int(begin) if begin.isascii() and begin.isdigit() and len(begin) < 20 else None


def range_total(content_range: str | None) -> int | None:
    """``bytes 0-99/1234`` → 1234."""
    total = (content_range or "").rpartition("/")[2].strip()
    return int(total) if total.isascii() and total.isdigit() and len(total) < 20 else None

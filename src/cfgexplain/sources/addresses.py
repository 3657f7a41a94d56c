"""Which hosts are of a private network: what a public server names must not lead there."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache


def _is_private(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or ip.sixtofour or ip
    return not ip.is_global or ip.is_multicast


@lru_cache(maxsize=256)
def is_private(host: str, *, look_up: bool = True) -> bool | None:
    """Whether a host is this machine or of a private network.

    Args:
        host: a name or an address, without brackets.
        look_up: ask for the addresses of a name; where a proxy is in between, only it can.

    Returns None for a name whose addresses are not known. A name with any private address is private: which one a
    connection takes is the server's choice.
    """
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal", ".localdomain")):
        return True
    try:
        return _is_private(host)
    except ValueError:
        pass
    try:  # 127.1, 0x7f000001 and 2130706433 are addresses to a resolver
        return _is_private(socket.inet_ntoa(socket.inet_aton(host)))
    except (OSError, UnicodeError):
        pass
    if not look_up:
        return None
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return None
    return any(_is_private(a) for a in found)

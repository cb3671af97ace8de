"""Addresses of services: what people may see of them, and which are on this machine."""

import ipaddress
from urllib.parse import urlsplit, urlunsplit


def shown_url(url: str) -> str:
    """Give an address without what may be secret: user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def is_loopback(url: str) -> bool:
    """Tell whether an address is on this machine."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified

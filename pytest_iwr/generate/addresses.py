"""Addresses of services, as people and files may see them."""

from urllib.parse import urlsplit, urlunsplit


def shown_url(url: str) -> str:
    """Give an address without what may be secret: user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))

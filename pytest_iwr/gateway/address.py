"""Addresses of endpoints."""

from urllib.parse import parse_qsl, urlsplit

from pytest_iwr.gateway.secrets import SECRET_NAMES, fold

_CALL = "/chat/completions"


def address_fault(base_url: str) -> str | None:
    """Say what is wrong with the address of an endpoint, or None.

    The address itself is not shown, since it may hold a password.
    """
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is no address: {error}. Write one such as https://api.openai.com/v1"
    if parts.scheme not in {"http", "https"} or not host or " " in base_url:
        return "is no address. Write one such as https://api.openai.com/v1"
    if parts.username is not None:
        return "holds a name or a password. Remove what stands before the `@`"
    if SECRET_NAMES & {fold(name) for name, _ in parse_qsl(parts.query)}:
        return "holds a key after the `?`. Remove it, and write `key_env`"
    if parts.path.rstrip("/").endswith(_CALL):
        return f"is the address of one call. Remove `{_CALL}` from its end"
    return None

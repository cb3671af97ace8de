"""Keys taken out of whatever comes back from an endpoint."""

import json
from collections.abc import Iterable

_STAND_IN = "***"
_SHORT = 16
"""Characters from which on a key is never an ordinary word of a page."""


class Scrub:
    """Knows the values of all keys, and tells nobody."""

    def __init__(self, keys: Iterable[str]) -> None:
        """Longest first, so that no key hides a part of another."""
        known = {key.strip() for key in keys}
        self._keys = sorted((k for k in known if len(k) > 3), key=len, reverse=True)  # noqa: PLR2004 - shorter ones are stand-ins
        forms = {form for key in self._keys if _is_secret(key) for form in _forms(key)}
        self._forms = sorted(forms, key=len, reverse=True)

    def words(self, text: str) -> str:
        """Give a message without any key."""
        for key in self._keys:
            text = text.replace(key, _STAND_IN)
        return text

    def answer(self, body: bytes) -> bytes:
        """Give a model's answer without keys.

        A key that could be a word of a page (`EMPTY`, `password`, as local servers
        take them) is none that must be kept secret, and stays.
        """
        for form in self._forms:
            body = body.replace(form, _STAND_IN.encode())
        return body

    def __repr__(self) -> str:
        """Give no key away."""
        return f"Scrub({len(self._keys)} keys)"


def _is_secret(key: str) -> bool:
    return len(key) >= _SHORT or (
        any(c.isdigit() for c in key) and len(key) > _SHORT / 2
    )


def _forms(key: str) -> Iterable[bytes]:
    """Give a key as it may stand in JSON: as it is, and escaped."""
    yield key.encode()
    yield json.dumps(key)[1:-1].encode()
    yield json.dumps(key, ensure_ascii=False)[1:-1].encode()

"""Tokens that a request may take, before it is sent."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

_CHARACTERS = 3.0
"""Of a token, in text; languages written in letters have more."""
_PICTURE = 1600
"""Tokens of a picture: the most that Claude takes, and more than a Gemini tile."""
_VIDEO = 60_000
"""Tokens of a video: some three minutes at Gemini's 300 a second."""
_OUTPUT = 16_384
"""Tokens of an answer without a limit of its own."""


def estimate_tokens(body: Mapping[str, JsonValue]) -> tuple[int, int]:
    """Give the tokens of a request and, at most, of its answer.

    The first is a rough guess, rather too high: a third of the characters, and 1600 a
    picture.
    """
    asked = sum(_tokens(part) for part in _parts(body.get("messages")))
    for name in ("tools", "response_format"):
        asked += int(len(json.dumps(body.get(name) or "")) / _CHARACTERS)
    limits = [body.get(name) for name in ("max_tokens", "max_completion_tokens")]
    known = [n for n in limits if isinstance(n, int) and not isinstance(n, bool)]
    return asked, max(known, default=_OUTPUT)


def _parts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _parts(item)
        case dict():
            for item in value.values():
                yield from _parts(item)
        case _:
            return


def _tokens(text: str) -> int:
    if text.startswith("data:video/"):
        return _VIDEO
    if text.startswith(("data:image/", "https://", "http://")):
        return _PICTURE
    return int(len(text) / _CHARACTERS) + 1

"""A request as a mock endpoint has seen it."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue


@dataclass(frozen=True)
class Seen:
    """A request, and what became of it."""

    nth: int
    """Of all requests, in the order in which they came, from 1."""
    attempt: int
    """How often these messages have come, with this request, from 1."""
    path: str
    headers: Mapping[str, str]
    """Names in lower case; with the key, if one was sent."""
    body: dict[str, JsonValue] | None
    """`None`: no JSON object."""
    digest: str
    """SHA-256 of the messages, in hex."""
    text: str
    """All text of the messages, a part a line."""
    images: int
    """In the messages."""
    at_s: float = field(default_factory=time.monotonic)
    """When it was there as a whole, by `time.monotonic`."""
    ended_s: float | None = None
    """When all of its answer had been handed over; `None`: not (yet)."""
    status: int | None = None
    """Of the answer; `None`: none was begun (yet)."""

    @property
    def model(self) -> str:
        """The model that was asked for; empty where none was."""
        return str((self.body or {}).get("model") or "")


def parse(raw: bytes) -> dict[str, JsonValue] | None:
    """Give the body of a request, or None where it is no JSON object."""
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def digest(body: Mapping[str, JsonValue] | None) -> str:
    """Give the SHA-256 of a request's messages, in hex."""
    messages = json.dumps((body or {}).get("messages"), sort_keys=True)
    return hashlib.sha256(messages.encode()).hexdigest()


def texts(body: Mapping[str, JsonValue] | None) -> Iterator[str]:
    """Give all texts of a request's messages."""
    for part in _parts(body):
        text = part.get("text")
        if isinstance(text, str):
            yield text


def count_images(body: Mapping[str, JsonValue] | None) -> int:
    """Count the pictures in a request's messages."""
    return sum(part.get("type") == "image_url" for part in _parts(body))


def without_images(node: JsonValue) -> JsonValue:
    """Put digests in the place of pictures and videos that stand in a request."""
    match node:
        case dict():
            return {key: without_images(inner) for key, inner in node.items()}
        case list():
            return [without_images(inner) for inner in node]
        case str() if node.startswith("data:"):
            kind, _, data = node.partition(",")
            return f"{kind},sha256:{hashlib.sha256(data.encode()).hexdigest()}"
        case _:
            return node


def _parts(body: Mapping[str, JsonValue] | None) -> Iterator[dict[str, JsonValue]]:
    messages = (body or {}).get("messages")
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            yield {"type": "text", "text": content}
        elif isinstance(content, list):
            yield from (part for part in content if isinstance(part, dict))

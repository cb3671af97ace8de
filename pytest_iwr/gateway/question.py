"""What is asked of a model: the body that goes out, and the key of its answer."""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from pydantic import JsonValue

from pytest_iwr.records import ModelConfig, Purpose

_DATA_URL = re.compile(r"data:([^,]{0,200}?)(;base64)?,", re.IGNORECASE)
_LONG = 100_000
"""Characters from which on a string of a summary is given by its hash."""
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Question:
    """One request to one model, before anything is adapted to its endpoint."""

    config: ModelConfig
    body: Mapping[str, JsonValue]
    """As it is sent."""
    key: str
    """SHA-256 in hex of endpoint, body, purpose, epoch and sample."""
    summary: Mapping[str, JsonValue]
    """What the key was made of; pictures and videos by their hash."""
    purpose: Purpose = "generate"
    epoch: int = 1
    sample: int = 0
    label: str = ""
    is_fresh: bool = False
    """It is asked anew, whatever the cache holds; no part of the key."""


def question(  # noqa: PLR0913 - the parts of the key, each by its name
    config: ModelConfig,
    body: Mapping[str, JsonValue],
    *,
    purpose: Purpose = "generate",
    epoch: int = 1,
    sample: int = 0,
    label: str = "",
    is_fresh: bool = False,
) -> Question:
    """Give the request that `body` becomes for a model, with the key of its answer.

    The model's own name, its limits and its further fields are filled in where the
    body does not hold them.
    """
    sent = _filled(config, body)
    summary: dict[str, JsonValue] = {
        "endpoint": shown_url(config.base_url),
        "endpoint_sha256": _sha256(config.base_url.rstrip("/").encode()),
        "body": _digest(sent),
        "purpose": purpose,
        "epoch": epoch,
        "sample": sample,
    }
    key = _sha256(canonical(summary))
    return Question(config, sent, key, summary, purpose, epoch, sample, label, is_fresh)


def canonical(value: JsonValue) -> bytes:
    """Give the one JSON text of a value: sorted, without blanks, in ASCII."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode("ascii")


def shown_url(url: str) -> str:
    """Give a base URL without what may be secret: user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def _filled(config: ModelConfig, body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    sent: dict[str, JsonValue] = {**config.extra_body, **body, "model": config.model}
    if config.max_tokens is not None and not any(name in sent for name in _LIMITS):
        sent["max_tokens"] = config.max_tokens
    if config.temperature is not None:
        sent.setdefault("temperature", config.temperature)
    if config.reasoning_effort is not None:
        sent.setdefault("reasoning_effort", config.reasoning_effort)
    return sent


def _digest(value: JsonValue) -> JsonValue:
    """Put hashes for long data, and one number for 0 and 0.0."""
    match value:
        case dict():
            return {name: _digest(item) for name, item in value.items()}
        case list():
            return [_digest(item) for item in value]
        case str():
            return _short(value)
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def _short(text: str) -> JsonValue:
    data_url = _DATA_URL.match(text)
    if data_url is None and len(text) < _LONG:
        return text
    mime, data = "", text.encode("utf-8", "surrogatepass")
    if data_url is not None:
        mime = data_url[1]
        if data_url[2]:
            data = _decoded(text[data_url.end() :]) or data
    return {"mime": mime, "bytes": len(data), "sha256": _sha256(data)}


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

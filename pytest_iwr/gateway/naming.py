"""What records call a model: its name, and how it is asked where that is unusual."""

import hashlib
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from pytest_iwr.gateway.missing import usual_url
from pytest_iwr.records import ModelConfig

_SHORT = 8


def full_name(config: ModelConfig) -> str:
    """Give the endpoint's name of a model, then what its answers depend on.

    That is the host, unless it is the maker's own, a temperature other than 0, the
    effort, and a checksum of `extra_body`. The alias, which is the user's, is no part.
    """
    return ", ".join((config.model, *_unusual(config)))


def _unusual(config: ModelConfig) -> Iterator[str]:
    host = urlsplit(config.base_url).hostname
    usual = usual_url(config.model)
    if usual is None or host != urlsplit(usual).hostname:
        yield f"at {host}"
    if config.temperature is None:
        yield "temperature not sent"
    elif config.temperature:
        yield f"temperature {config.temperature:g}"
    if config.reasoning_effort is not None:
        yield f"effort {config.reasoning_effort}"
    if config.extra_body:
        told = json.dumps(config.extra_body, sort_keys=True).encode()
        yield f"extra_body {hashlib.sha256(told).hexdigest()[:_SHORT]}"

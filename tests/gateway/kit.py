"""The real client of OpenAI before a gateway, and what it got."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import openai
from openai.types.chat import ChatCompletion

from pytest_iwr import records as r
from pytest_iwr.gateway import Gateway, Patience
from pytest_iwr.gateway.mock import MockEndpoint

KEY = "sk-live-0123456789abcdef"
QUICK = Patience(first_s=0.001, most_s=0.002)


Serve = Callable[..., MockEndpoint]
"""Starts an endpoint: `serve(answer)` or `serve(script=)`."""


class Reply(NamedTuple):
    """What a client got from the gateway."""

    status: int
    cache: str | None
    asked: r.Asked | None
    body: bytes
    code: str | None
    message: str
    completion: ChatCompletion | None


class Opener(Protocol):
    """Starts a gateway for the test."""

    def __call__(self, mock: MockEndpoint, **settings: Any) -> Gateway:
        """Give a running gateway with one model, `m`, served by `mock`."""
        ...


def ask(
    gateway: Gateway,
    prompt: str = "Make a page.",
    *,
    headers: Mapping[str, str] | None = None,
    model: str = "m",
    token: str | None = None,
    **body: Any,
) -> Reply:
    """Ask through the real client; a fault is a reply, too."""
    messages = body.pop("messages", [{"role": "user", "content": prompt}])
    with openai.OpenAI(
        base_url=gateway.url, api_key=token or gateway.token, max_retries=0, timeout=60
    ) as client:
        try:
            got = client.chat.completions.with_raw_response.create(
                model=model, messages=messages, extra_headers=headers, **body
            )
        except openai.APIStatusError as error:
            said = error.response.json()["error"]
            return _reply(error.response, said["code"], said["message"], None)
        return _reply(got.http_response, None, "", got.parse())


def _reply(
    response: Any, code: str | None, message: str, completion: ChatCompletion | None
) -> Reply:
    told = response.headers.get(r.HEADER_ASKED)
    return Reply(
        response.status_code,
        response.headers.get(r.HEADER_CACHE),
        None if told is None else r.Asked.model_validate_json(told),
        response.content,
        code,
        message,
        completion,
    )


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; fails after half a minute."""
    gate, end = threading.Event(), time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        gate.wait(0.01)

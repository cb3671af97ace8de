"""How tests ask a mock endpoint."""

from collections.abc import Callable

import httpx2
import openai
from openai.types.chat import ChatCompletionMessageParam

from pytest_iwr.gateway.mock import MockEndpoint, Rule, Script

Raw = Callable[..., httpx2.Response]

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def client(mock: MockEndpoint, timeout: float = 20) -> openai.OpenAI:
    """Give a client that asks once."""
    return openai.OpenAI(
        base_url=mock.url, api_key="mock", max_retries=0, timeout=timeout
    )


def ask(mock: MockEndpoint, text: str = "Hello", **more: object) -> str | None:
    """Ask and give the message's text."""
    message: ChatCompletionMessageParam = {"role": "user", "content": text}
    with client(mock) as asking:
        made = asking.chat.completions.create(
            model="m", messages=[message], extra_body=more
        )
    return made.choices[0].message.content


def scripted(*rules: Rule, seed: int = 0, latency_s: float = 0.0) -> MockEndpoint:
    """Give an endpoint with these rules."""
    return MockEndpoint(Script(rules=rules, seed=seed, latency_s=latency_s))

"""A gateway before a scripted endpoint."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pytest_iwr import records as r
from pytest_iwr.gateway import Gateway
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.gateway.kit import KEY, QUICK, Opener, Serve
from tests.gateway.mock_kit import Raw


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Give an opener of endpoints: `serve(answer)` or `serve(script=)`."""
    with ExitStack() as stack:

        def open_(
            answer: Callable[[Seen], Answer | None] | None = None, **more: Any
        ) -> MockEndpoint:
            return stack.enter_context(MockEndpoint(answer=answer, **more))

        yield open_


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Opener]:
    """Give an opener of gateways; `config=` changes fields of the model `m`."""
    with ExitStack() as stack:

        def open_(
            mock: MockEndpoint,
            *,
            config: Mapping[str, Any] | None = None,
            **settings: Any,
        ) -> Gateway:
            fields: dict[str, Any] = {
                "alias": "m",
                "model": "the-model",
                "base_url": mock.url,
                "key_env": "THE_KEY",
                "price": r.Price(input=1, output=2),
            }
            model = r.ModelConfig(**{**fields, **(config or {})})
            defaults: dict[str, Any] = {
                "keys": {"THE_KEY": KEY},
                "cache_dir": tmp_path / "cache",
                "ledger": tmp_path / "ledger.jsonl",
                "patience": QUICK,
            }
            gateway = Gateway({model.alias: model}, **defaults | settings)
            return stack.enter_context(gateway)

        yield open_


@pytest.fixture(scope="session")
def http() -> Iterator[httpx2.Client]:
    """Give a client without notions of its own."""
    with httpx2.Client(trust_env=False) as opened:
        yield opened


@pytest.fixture
def raw(http: httpx2.Client) -> Raw:
    """Ask, and give the answer as it is."""

    def ask_(mock: MockEndpoint, text: str = "Hello") -> httpx2.Response:
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        return http.post(f"{mock.url}/chat/completions", json=body)

    return ask_

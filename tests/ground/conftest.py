"""A real browser whose grounder asks a scripted endpoint through a real gateway."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.chat import GatewayChat
from pytest_iwr.check.engine import Engine
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.gateway import Gateway, Patience
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from pytest_iwr.ground.model import ModelGrounder
from pytest_iwr.serve import Server
from tests.drive.kit import drive_pages
from tests.ground.kit import Grounded, Relay
from tests.ground.model import ReadingModel
from tests.ground.sight import Sight

QUICK = Patience(first_s=0.001, most_s=0.002)


@pytest.fixture(scope="session")
def relay() -> Relay:
    """Give the grounder of all browsers of the session: each test says who it is."""
    return Relay()


@pytest.fixture(scope="session")
def browsers(relay: Relay) -> Iterator[dict[bool, Browser]]:
    """Give two browsers: rules first, and the model first."""
    found = find_browser(None, os.environ)
    args = tuple(default_args(is_root=os.geteuid() == 0))
    with ExitStack() as stack:
        browsers = {}
        for is_first in (False, True):
            options = BrowserOptions(
                executable=found.path,
                args=args,
                step_timeout_s=1.5,
                grounder=relay,
                grounds_first=is_first,
            )
            browsers[is_first] = browser = Browser(options)
            stack.callback(browser.close)
        yield browsers


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Give the project's own server."""
    with Server() as server:
        yield server


@pytest.fixture(scope="session")
def sight() -> Sight:
    """Give eyes with real text recognition."""
    return Sight(Engine(1))


@pytest.fixture
def eyes(sight: Sight) -> ReadingModel:
    """Give a model that answers from what it sees."""
    return ReadingModel(sight)


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Callable[..., ports.Chat]]:
    """Give a function: what an endpoint answers in, a chat with it out."""
    with ExitStack() as stack:

        def open_(answer: Callable[[Seen], Answer | None]) -> ports.Chat:
            mock = stack.enter_context(MockEndpoint(answer=answer))
            model = r.ModelConfig(alias="eyes", model="eyes", base_url=mock.url)
            gateway = Gateway(
                {"eyes": model},
                keys={},
                cache_dir=tmp_path / "cache",
                ledger=tmp_path / "ledger.jsonl",
                patience=QUICK,
            )
            stack.enter_context(gateway)
            return stack.enter_context(GatewayChat(gateway.url, gateway.token))

        yield open_


@pytest.fixture
def ground(
    browsers: dict[bool, Browser],
    server: Server,
    relay: Relay,
    chat: Callable[..., ports.Chat],
    tmp_path: Path,
) -> Grounded:
    """Give a function: an endpoint's answers, pages and steps in, trace out."""

    def run(
        answer: Callable[[Seen], Answer | None],
        pages: str | dict[str, str | bytes],
        *steps: object,
        is_first: bool = False,
        **fields: object,
    ) -> r.Trace:
        asked = chat(answer)
        relay.to = ModelGrounder(lambda: asked, "eyes")
        return drive_pages(browsers[is_first], server, tmp_path, pages, steps, **fields)

    return run

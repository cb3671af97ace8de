"""A gateway that is killed at any moment loses and repeats nothing."""

import json
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.gateway import Gateway, read_ledger
from pytest_iwr.gateway.cache import Cache, Entry
from pytest_iwr.gateway.ledger import Ledger
from pytest_iwr.gateway.mock import Answer, MockEndpoint, TokenUsage
from pytest_iwr.gateway.question import question
from pytest_iwr.records import Asked, ModelConfig, Price
from tests.gateway.kit import Opener, Serve, ask, until

QUESTIONS = 400
RUN = """
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from openai import OpenAI
from pytest_iwr.gateway import Gateway
from pytest_iwr.records import ModelConfig

config, folder = ModelConfig.model_validate_json(sys.argv[1]), Path(sys.argv[2])
with Gateway(
    {"m": config}, keys={}, cache_dir=folder / "cache", ledger=folder / "ledger.jsonl"
) as gateway, ThreadPoolExecutor(8) as pool:
    client = OpenAI(base_url=gateway.url, api_key=gateway.token, max_retries=0)
    print("ready", flush=True)
    messages = [[{"role": "user", "content": f"{nth}"}] for nth in range(400)]
    for _ in pool.map(
        lambda each: client.chat.completions.create(model="m", messages=each), messages
    ):
        pass
"""


def _config(mock: MockEndpoint) -> ModelConfig:
    price = Price(input=1, output=2)
    return ModelConfig(alias="m", model="x", base_url=mock.url, price=price)


@contextmanager
def _run(mock: MockEndpoint, folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", RUN, _config(mock).model_dump_json()]
    with subprocess.Popen(
        [*command, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_killed_at_twenty_moments(serve: Serve, tmp_path: Path) -> None:
    """No finished answer is asked for twice; each answered one is in the ledger.

    What had been published when a run was killed is never asked for again, and in the
    end the ledger has exactly one paid line for each question, with its cost.
    """
    mock = serve(
        lambda seen: Answer(
            text=seen.text,
            latency_s=0.02,
            usage=TokenUsage(prompt=1000, completion=500),
        )
    )
    cache = tmp_path / "cache"
    moment = threading.Event()
    draw = random.Random(4)  # noqa: S311 - moments, no secrets
    published: dict[str, int] = {}
    for _ in range(20):
        with _run(mock, tmp_path) as process:
            wanted = len(mock.requests) + draw.randrange(1, 4)
            until(lambda least=wanted: len(mock.requests) >= least)  # type: ignore[misc]
            moment.wait(draw.uniform(0.0, 0.06))
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        for path in cache.glob("??/*.json"):
            prompt = json.loads(path.read_bytes())["request"]["body"]["messages"][0]
            published.setdefault(prompt["content"], len(mock.requests))
    with _run(mock, tmp_path) as process:
        assert process.wait(60) == 0
    for prompt, at in published.items():
        assert prompt not in [seen.text for seen in mock.requests[at:]]
    lines = [line for line in read_ledger(tmp_path / "ledger.jsonl") if not line.is_hit]
    assert Counter(line.status for line in lines) == {"ok": QUESTIONS}
    assert len({line.key for line in lines}) == QUESTIONS
    assert {line.cost_usd for line in lines} == {0.002}
    assert not list(cache.glob("staged/*/*.json"))


@pytest.mark.parametrize("is_in_ledger", (False, True))
def test_staged_answer_is_published_by_the_next_run(
    serve: Serve, tmp_path: Path, *, is_in_ledger: bool
) -> None:
    """Killed before or after the ledger's line: one line, and the answer is a hit."""
    mock = serve()
    key = _staged(mock, tmp_path, is_in_ledger=is_in_ledger)
    with _gateway(mock, tmp_path) as gateway:
        got = ask(gateway)
    assert got.asked is not None
    assert (got.cache, got.asked.key) == ("hit", key)
    lines = read_ledger(tmp_path / "ledger.jsonl")
    assert [(line.is_hit, line.cost_usd) for line in lines] == [(False, 3.0), (True, 0)]
    assert mock.requests == ()


def test_line_goes_to_the_ledger_of_its_own_run(serve: Serve, tmp_path: Path) -> None:
    """A run with another ledger completes the one of the run that was killed."""
    mock = serve()
    _staged(mock, tmp_path, is_in_ledger=False)
    with _gateway(mock, tmp_path, ledger="other.jsonl"):
        pass
    assert len(read_ledger(tmp_path / "ledger.jsonl")) == 1
    assert read_ledger(tmp_path / "other.jsonl") == ()


def test_half_written_answer_is_dropped(serve: Serve, tmp_path: Path) -> None:
    """What was not wholly staged is asked for again."""
    mock = serve()
    _staged(mock, tmp_path, is_in_ledger=False)
    (staged,) = (tmp_path / "cache/staged").glob("*/*.json")
    staged.write_bytes(staged.read_bytes()[:-9])
    with _gateway(mock, tmp_path) as gateway:
        assert ask(gateway).cache == "miss"
    assert len(mock.requests) == 1


def test_running_gateway_keeps_what_it_stages(serve: Serve, tmp_path: Path) -> None:
    """A second run leaves alone what the first is about to publish."""
    mock = serve()
    cache = Cache(tmp_path / "cache")
    cache.open(tmp_path / "ledger.jsonl")
    staged = cache.stage(_entry(mock), {})
    with _gateway(mock, tmp_path):
        assert staged.exists()
    cache.publish(staged)
    cache.close()
    assert read_ledger(tmp_path / "ledger.jsonl") == ()


def test_torn_line_is_left_out(
    serve: Serve, gate: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A line that a killed run left half written spoils neither itself nor the next."""
    ledger = tmp_path / "ledger.jsonl"
    mock = serve()
    gateway = gate(mock)
    ask(gateway, "one")
    gateway.close()
    with ledger.open("ab") as file:
        file.write(b'{"key":"ab')
    ask(gate(mock), "two")
    assert [line.attempts for line in read_ledger(ledger)] == [1, 1]
    assert f"{ledger}:2: the line cannot be read" in caplog.text


def _entry(mock: MockEndpoint) -> Entry:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "Make a page."}]}
    key = question(_config(mock), body).key
    asked: dict[str, Any] = {"key": key, "alias": "m", "model": "x", "is_hit": False}
    asked |= {"purpose": "generate", "status": "ok", "attempts": 1, "cost_usd": 3.0}
    return Entry(b'{"choices": [{"message": {"content": "kept"}}]}', Asked(**asked))


def _staged(mock: MockEndpoint, folder: Path, *, is_in_ledger: bool) -> str:
    """Leave what a process leaves that is killed before it published an answer."""
    cache = Cache(folder / "cache")
    cache.open(folder / "ledger.jsonl")
    entry = _entry(mock)
    cache.stage(entry, {})
    ledger = Ledger(folder / "ledger.jsonl")
    if is_in_ledger:
        ledger.add(entry.asked)
    ledger.close()
    cache.close()
    return entry.asked.key


@contextmanager
def _gateway(
    mock: MockEndpoint, folder: Path, ledger: str = "ledger.jsonl"
) -> Iterator[Gateway]:
    with Gateway(
        {"m": _config(mock)},
        keys={},
        cache_dir=folder / "cache",
        ledger=folder / ledger,
    ) as gateway:
        yield gateway

"""Pages from models: the real client before a real endpoint."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr import records as r
from pytest_iwr.chat import GatewayChat
from pytest_iwr.errors import (
    BudgetError,
    EndpointError,
    IwrError,
    TaskError,
    UsageError,
)
from pytest_iwr.gateway import Gateway, Patience
from pytest_iwr.gateway.mock import Answer, ErrorBody, MockEndpoint, Seen
from pytest_iwr.generate.model import ModelGenerator, ask_through
from tests.generate.kit import PAGE, config, make_task, picture

ASKED = r.Asked(
    key="ab",
    alias="m",
    model="maker/m:free",
    purpose="generate",
    is_hit=False,
    status="ok",
    attempts=2,
    cost_usd=0.25,
)
Make = Callable[[MockEndpoint], ModelGenerator]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Give a maker of generators before an endpoint."""
    with ExitStack() as stack:

        def open_(mock: MockEndpoint) -> ModelGenerator:
            chat = stack.enter_context(GatewayChat(mock.url, "run"))
            return ModelGenerator(
                {"m": config(), "blind": config(alias="blind", vision="none")},
                ask_through(chat),
                lambda task, model, epoch: (
                    tmp_path / "pages" / model / f"{task.id}@{epoch}"
                ),
            )

        yield open_


@pytest.fixture
def task(tmp_path: Path) -> r.Task:
    """Give a task with a sheet and three frames."""
    return make_task(tmp_path / "shop", seconds=1.5, sheets=[picture(99, 99)])


def _says(answer: Answer) -> MockEndpoint:
    return MockEndpoint(answer=lambda _: answer)


def test_page_of_a_model_is_stored(tmp_path: Path, make: Make, task: r.Task) -> None:
    """With the raw answer and how it was made beside it, not in it."""
    text = f"Here:\n```html\n{PAGE}```\n"
    header = {"X-Iwr-Asked": ASKED.model_dump_json()}
    with _says(Answer(text=text, headers=header, reasoning="Hm.")) as mock:
        page = make(mock).page(task, "m", 2)
    assert isinstance(page, r.Site)
    home = tmp_path / "pages" / "m"
    assert (home / "shop@2" / "index.html").read_text("utf-8") == PAGE
    assert sorted(path.name for path in home.iterdir()) == [
        "shop@2",
        "shop@2.generation.json",
        "shop@2.reply.txt",
        "shop@2.thinking.txt",
    ]
    assert (home / "shop@2.reply.txt").read_text("utf-8") == text
    assert (home / "shop@2.thinking.txt").read_text("utf-8") == "Hm."
    held = (home / "shop@2.generation.json").read_text("utf-8")
    assert r.Generation.model_validate_json(held) == page.generation
    assert page.generation is not None
    assert page.generation.asked == ASKED
    assert (page.generation.images, page.generation.model) == (4, "maker/m:free")
    assert page.generation.reply == "../shop@2.reply.txt"
    assert (home / "shop@2" / str(page.generation.reply)).resolve().is_file()


def test_request_carries_what_the_gateway_wants(make: Make, task: r.Task) -> None:
    """The alias, the purpose, the epoch and the label; pictures first."""
    named = task.model_copy(update={"id": "läden/shop"})
    with MockEndpoint() as mock:
        make(mock).page(named, "m", 3)
        (seen,) = mock.requests
    assert (seen.model, seen.images) == ("m", 4)
    wanted = {
        "x-iwr-purpose": "generate",
        "x-iwr-epoch": "3",
        "x-iwr-sample": "0",
        "x-iwr-label": "l%C3%A4den/shop",
    }
    assert wanted.items() <= dict(seen.headers).items()


@pytest.mark.parametrize(
    ("answer", "kind"),
    (
        (Answer(refusal="No."), "refused"),
        (Answer(text="I'm sorry, I can't."), "refused"),
        (Answer(text="", finish_reason="content_filter"), "filtered"),
        (Answer(text=""), "empty"),
        (Answer(text="Done."), "no_page"),
        (Answer(text=PAGE[:50], finish_reason="length"), "cut_off"),
    ),
)
def test_model_without_a_page_has_failed(
    tmp_path: Path, make: Make, task: r.Task, answer: Answer, kind: str
) -> None:
    """It is worth zero; what it said is kept, and how it was asked."""
    with _says(answer) as mock:
        page = make(mock).page(task, "m", 1)
    assert isinstance(page, r.NoPage)
    assert page.kind == kind
    assert page.generation is not None
    home = tmp_path / "pages" / "m"
    assert (home / "shop@1.reply.txt").read_text("utf-8")
    assert (home / "shop@1.generation.json").is_file()
    assert not (home / "shop@1").exists()


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    (
        (
            Answer(status=402, error=ErrorBody(message="Spent.", code="iwr_budget")),
            BudgetError,
            "Spent.",
        ),
        (
            Answer(status=502, error=ErrorBody(message="Down.", code="iwr_endpoint")),
            EndpointError,
            "m: Down.",
        ),
        (
            Answer(status=424, error=ErrorBody(message="Not kept.")),
            EndpointError,
            "m: Not kept.",
        ),
        (Answer(status=429), EndpointError, "m: Too many requests."),
        (
            Answer(error=ErrorBody(message="Busy."), status=200),
            EndpointError,
            "'Busy.'",
        ),
        (
            Answer(body="<html>502</html>", content_type="text/html"),
            EndpointError,
            "no JSON object",
        ),
        (Answer(json_={"choices": []}), EndpointError, "no choice"),
        (Answer(drops=True), EndpointError, "the gateway does not answer"),
        (Answer(text=PAGE, cut_at=0.5), EndpointError, "the gateway does not answer"),
    ),
)
def test_endpoint_that_fails_is_an_error(
    make: Make, task: r.Task, answer: Answer, error: type[Exception], said: str
) -> None:
    """Asked once: trying again is the gateway's; the model is not blamed."""
    with _says(answer) as mock:
        with pytest.raises(error, match=said):
            make(mock).page(task, "m", 1)
        assert len(mock.requests) == 1


def test_task_that_cannot_be_shown_asks_nobody(tmp_path: Path, make: Make) -> None:
    """It is the task's error."""
    bare = make_task(tmp_path / "bare", seconds=0)
    with MockEndpoint() as mock:
        with pytest.raises(TaskError):
            make(mock).page(bare, "m", 1)
        assert isinstance(make(mock).page(bare, "blind", 1), r.Site)
        assert [seen.images for seen in mock.requests] == [0]


def test_unknown_model_is_named(make: Make, task: r.Task) -> None:
    """With those that are there."""
    with MockEndpoint() as mock, pytest.raises(UsageError, match="mean 'blind'"):
        make(mock).page(task, "blnd", 1)


def test_models_are_the_aliases(make: Make) -> None:
    """In the order of the file."""
    with MockEndpoint() as mock:
        assert make(mock).models() == ("m", "blind")


def test_prompt_is_prepared_once_for_many_askers(
    tmp_path: Path, make: Make, task: r.Task
) -> None:
    """Models with equal limits, epochs and threads share it; the video may be gone."""
    with MockEndpoint() as mock:
        generator = make(mock)
        first = generator.prepare(task, "m")
        stamp = (tmp_path / "shop" / "video.mp4").stat()
        with ThreadPoolExecutor(4) as pool:
            pages = list(pool.map(lambda n: generator.page(task, "m", n), range(1, 9)))
        sent = {json.dumps(seen.body) for seen in mock.requests}
    assert all(isinstance(page, r.Site) for page in pages)
    assert len(sent) == 1
    assert {p.generation.prompt_sha256 for p in pages if p.generation} == {first.sha256}
    assert (tmp_path / "shop" / "video.mp4").stat() == stamp


def test_many_pages_are_asked_for_at_once(make: Make, task: r.Task) -> None:
    """Threads do not wait for each other."""
    gathered = threading.Barrier(5, timeout=20)

    def answer(_: Seen) -> Answer:
        return Answer(text=PAGE, latency_s=2.0)

    with MockEndpoint(answer=answer) as mock:
        generator = make(mock)
        generator.prepare(task, "m")

        def page(epoch: int) -> r.Page:
            gathered.wait()
            return generator.page(task, "m", epoch)

        with ThreadPoolExecutor(5) as pool:
            list(pool.map(page, range(1, 6)))
        assert mock.peak == 5


def test_gateway_serves_the_second_run(tmp_path: Path, task: r.Task) -> None:
    """The same page, from the cache, and what it has cost each time."""
    pages: list[r.Page] = []
    with MockEndpoint() as mock:
        model = config(base_url=mock.url)
        for run in ("one", "two"):
            home = tmp_path / run
            with (
                Gateway(
                    {"m": model},
                    keys={},
                    cache_dir=tmp_path / "cache",
                    ledger=home / "ledger.jsonl",
                ) as gateway,
                GatewayChat(gateway.url, gateway.token) as chat,
            ):
                generator = ModelGenerator(
                    {"m": model},
                    ask_through(chat),
                    lambda task, *_, home=home: home / task.id,
                )
                pages.append(generator.page(task, "m", 1))
        (seen,) = mock.requests
    assert (seen.model, seen.images) == ("maker/m:free", 4)
    first, second = pages
    assert isinstance(first, r.Site)
    assert isinstance(second, r.Site)
    assert first.sha256 == second.sha256
    asked = [p.generation.asked for p in (first, second) if p.generation]
    assert [(a.is_hit, a.label, a.status) for a in asked if a] == [
        (False, "shop", "ok"),
        (True, "shop", "ok"),
    ]


@pytest.mark.parametrize(
    ("settings", "answer", "error"),
    (
        ({"mode": "only"}, Answer(text=PAGE), EndpointError),
        ({"max_cost_usd": 0.0}, Answer(text=PAGE), BudgetError),
        ({}, Answer(status=401), EndpointError),
        ({}, Answer(json_={"choices": []}, status=200), EndpointError),
    ),
)
def test_what_the_gateway_refuses_is_an_error(
    tmp_path: Path,
    task: r.Task,
    settings: dict[str, Any],
    answer: Answer,
    error: type[IwrError],
) -> None:
    """Its codes come out as the errors that they stand for."""
    quick = Patience(first_s=0.001, most_s=0.002)
    with _says(answer) as mock:
        model = config(base_url=mock.url, price={"input": 1, "output": 1})
        with (
            Gateway(
                {"m": model},
                keys={},
                cache_dir=tmp_path / "cache",
                ledger=tmp_path / "ledger.jsonl",
                patience=quick,
                **settings,
            ) as gateway,
            GatewayChat(gateway.url, gateway.token) as chat,
        ):
            generator = ModelGenerator(
                {"m": model}, ask_through(chat), lambda *_: tmp_path / "page"
            )
            with pytest.raises(error) as caught:
                generator.page(task, "m", 1)
    assert type(caught.value) is error
    assert re.match("m: (?!m:)", str(caught.value))

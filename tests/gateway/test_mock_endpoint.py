"""The mock endpoint, asked by the client that everybody uses."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from pytest_iwr.errors import IwrError, UsageError
from pytest_iwr.gateway.mock import (
    Answer,
    ErrorBody,
    MockEndpoint,
    Rule,
    Script,
    Seen,
    TokenUsage,
    When,
)

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


@pytest.fixture(scope="module")
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


def test_without_a_script_a_page_in_a_fence_is_answered() -> None:
    """The answer is one whole document in a fence of HTML."""
    with MockEndpoint() as mock:
        said = ask(mock) or ""
    assert re.fullmatch(r"```html\n<!DOCTYPE html>\n.*</html>\n```\n", said, re.DOTALL)


def test_same_messages_give_the_same_page_and_others_another() -> None:
    """What differs between two tasks differs in their pages."""
    with MockEndpoint() as mock:
        first, again, other = ask(mock, "a"), ask(mock, "a"), ask(mock, "b")
    assert first == again
    assert first != other


def test_requests_are_kept_as_they_came() -> None:
    """The record holds headers, body, text, pictures and counts."""
    with MockEndpoint() as mock, client(mock) as asking:
        asking.chat.completions.create(
            model="m",
            messages=[
                {"role": "system", "content": "one"},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "two"},
                        {"type": "image_url", "image_url": {"url": PIXEL}},
                    ],
                },
            ],
            temperature=0.5,
        )
        ask(mock)
        ask(mock)
    first, *others = mock.requests
    assert (first.model, first.text, first.images) == ("m", "one\ntwo", 1)
    assert first.headers["authorization"] == "Bearer mock"
    assert first.body is not None
    assert first.body["temperature"] == 0.5
    assert PIXEL in json.dumps(first.body)
    assert [(seen.nth, seen.attempt) for seen in others] == [(2, 1), (3, 2)]
    assert all(seen.ended_s and seen.ended_s >= seen.at_s for seen in mock.requests)


def test_pictures_can_be_kept_as_digests(http: httpx2.Client) -> None:
    """A run of many tasks does not fill the memory with pictures."""
    content: list[object] = [{"type": "image_url", "image_url": {"url": PIXEL}}]
    with (
        MockEndpoint(keeps_images=False) as mock,
    ):
        body = {"model": "m", "messages": [{"role": "user", "content": content}]}
        http.post(f"{mock.url}/chat/completions", json=body)
    (seen,) = mock.requests
    assert seen.images == 1
    assert "data:image/png;base64,sha256:" in json.dumps(seen.body)


def test_first_rule_that_holds_answers() -> None:
    """Rules are tried in order; where none holds, the small page comes."""
    rules = (
        Rule(when=When(text="shop"), text="SHOP"),
        Rule(when=When(model="other-*"), text="OTHER"),
        Rule(when=When(text="s"), text="S"),
    )
    with scripted(*rules) as mock:
        assert ask(mock, "the shop") == "SHOP"
        assert ask(mock, "yes") == "S"
        assert "Mock page" in (ask(mock, "hello") or "")


def test_nth_counts_what_else_holds() -> None:
    """`nth` counts the requests for which the rest of `when` is so."""
    with scripted(Rule(when=When(text="a", nth=(1, 3)), text="hit")) as mock:
        said = [ask(mock, text) == "hit" for text in ("b", "a", "aa", "b", "aaa")]
    assert said == [False, True, False, False, True]


def test_attempt_counts_the_same_messages() -> None:
    """With `attempt` every prompt fails once, whatever else is asked between."""
    with scripted(Rule(when=When(attempt=1), text="first")) as mock:
        said = [ask(mock, text) == "first" for text in ("a", "b", "a", "b", "c")]
    assert said == [True, True, False, False, True]


def test_chance_does_not_depend_on_the_order(raw: Raw) -> None:
    """The same prompts fail with one seed, in whatever order they come."""
    prompts = [f"prompt {number}" for number in range(40)]

    def failing(seed: int, order: list[str]) -> set[str]:
        with scripted(Rule(when=When(chance=0.3), status=500), seed=seed) as mock:
            return {text for text in order if raw(mock, text).status_code == 500}

    forth, back = failing(1, prompts), failing(1, prompts[::-1])
    assert forth == back
    assert 0 < len(forth) < len(prompts)
    assert failing(2, prompts) != forth


def test_parameters_are_refused_as_case_44_does() -> None:
    """A rule can refuse a field of the body, but for a value."""
    refusal = ErrorBody(message="Unsupported parameter", param="max_tokens")
    rules = (
        Rule(when=When(has="max_tokens"), status=400, error=refusal),
        Rule(when=When(has="temperature", unless={"temperature": 1}), status=400),
    )
    with scripted(*rules) as mock:
        with pytest.raises(openai.BadRequestError) as caught:
            ask(mock, max_tokens=5)
        assert caught.value.param == "max_tokens"
        with pytest.raises(openai.BadRequestError):
            ask(mock, temperature=0)
        assert ask(mock, temperature=1)
        assert ask(mock)


def test_many_images_are_refused(http: httpx2.Client) -> None:
    """A rule can hold for requests with too many pictures."""
    image = {"type": "image_url", "image_url": {"url": PIXEL}}
    with (
        scripted(Rule(when=When(more_images_than=1), status=400)) as mock,
    ):
        got = []
        for count in (1, 2):
            messages = [{"role": "user", "content": [image] * count}]
            body = {"model": "m", "messages": messages}
            got.append(http.post(f"{mock.url}/chat/completions", json=body))
    assert [response.status_code for response in got] == [200, 400]


@pytest.mark.parametrize(
    ("status", "error"),
    (
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (403, openai.PermissionDeniedError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (529, openai.InternalServerError),
    ),
)
def test_a_status_alone_is_an_error_that_clients_know(
    status: int, error: type[openai.APIStatusError]
) -> None:
    """The client raises what it raises for the real one, with a message."""
    with scripted(Rule(status=status)) as mock, pytest.raises(error) as caught:
        ask(mock)
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["message"]


def test_retry_after_has_all_forms(raw: Raw) -> None:
    """Seconds and dates are rounded up, so that nobody comes too early."""
    began = time.time()
    forms = ("seconds", "date", "ms")
    rules = [
        Rule(when=When(nth=n), status=429, retry_after_s=1.2, retry_after_as=form)
        for n, form in enumerate(forms, start=1)
    ]
    with scripted(*rules) as mock:
        seconds, date, ms = (raw(mock, form).headers for form in forms)
    assert seconds["retry-after"] == "2"
    assert ms["retry-after-ms"] == "1200"
    at = parsedate_to_datetime(date["retry-after"]).timestamp()
    assert began + 1.2 <= at <= time.time() + 2.2


def test_an_error_can_come_with_200(raw: Raw) -> None:
    """Some gateways answer errors with 200."""
    with scripted(Rule(error=ErrorBody(message="no"), status=200)) as mock:
        response = raw(mock)
    assert response.status_code == 200
    assert response.json()["error"]["message"] == "no"


def test_body_and_json_are_sent_as_they_are(raw: Raw) -> None:
    """A page of HTML or any JSON can stand in an answer's place."""
    rules = (
        Rule(when=When(text="html"), body="<h1>502</h1>", status=502),
        Rule(json_={"choices": []}),
    )
    with scripted(*rules) as mock:
        html, data = raw(mock, "html"), raw(mock)
    assert html.status_code == 502
    assert (html.headers["content-type"], html.text) == (
        "text/html; charset=utf-8",
        "<h1>502</h1>",
    )
    assert data.json() == {"choices": []}


def test_refusal_filter_reasoning_and_usage_stand_in_the_answer(raw: Raw) -> None:
    """All that a caller has to look at can be given."""
    usage = TokenUsage(prompt=10, completion=7, cached=4, reasoning=3, cost=0.25)
    rules = (
        Rule(when=When(text="refuse"), refusal="No."),
        Rule(when=When(text="filter"), text="", finish_reason="content_filter"),
        Rule(text="t", reasoning="hm", usage=usage),
    )
    with scripted(*rules) as mock:
        refused, filtered, plain = (
            raw(mock, text).json() for text in ("refuse", "filter", "x")
        )
    message = refused["choices"][0]["message"]
    assert (message["refusal"], message["content"]) == ("No.", None)
    assert filtered["choices"][0]["finish_reason"] == "content_filter"
    assert plain["choices"][0]["message"]["reasoning_content"] == "hm"
    assert plain["usage"] == {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "total_tokens": 17,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
        "cost": 0.25,
    }


def test_page_of_a_file_is_fenced(tmp_path: Path) -> None:
    """A page that holds a fence gets a longer one."""
    page = tmp_path / "page.html"
    page.write_text("<html><script>a = `\n```\n`</script></html>", encoding="utf-8")
    with scripted(Rule(page=page)) as mock:
        said = ask(mock)
    assert said == f"````html\n{page.read_text(encoding='utf-8')}\n````\n"


def test_missing_page_is_told_before_the_start(tmp_path: Path) -> None:
    """A wrong path is an error of the script, not of a request."""
    rule = Rule(page=tmp_path / "absent.html")
    with pytest.raises(UsageError, match=r"absent\.html: the page cannot be read"):
        scripted(rule)


def test_half_a_body_is_an_error_of_the_connection(raw: Raw) -> None:
    """The length is right, the connection closes before."""
    with scripted(Rule(cut_at=0.5)) as mock:
        with pytest.raises(httpx2.RemoteProtocolError, match="complete message body"):
            raw(mock)
        (seen,) = mock.requests
    assert (seen.status, seen.ended_s) == (200, None)


def test_connection_can_be_dropped() -> None:
    """The client gets nothing at all."""
    with scripted(Rule(when=When(nth=1), drops=True)) as mock:
        with pytest.raises(openai.APIConnectionError):
            ask(mock)
        assert ask(mock)


def test_hanging_request_ends_with_the_clients_patience() -> None:
    """A request that is never answered runs into the client's time-out."""
    with (
        scripted(Rule(hangs=True)) as mock,
        client(mock, timeout=0.2) as asking,
        pytest.raises(openai.APITimeoutError),
    ):
        asking.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}]
        )
    assert mock.requests[0].status is None


def test_end_does_not_wait_for_hanging_requests(raw: Raw) -> None:
    """Closing ends a request that would wait for ever."""
    with scripted(Rule(hangs=True)) as mock, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(raw, mock)
        while not mock.requests:
            threading.Event().wait(0.01)
        mock.close()
        with pytest.raises(httpx2.TransportError):
            asked.result()


def test_slow_body_comes_in_pieces(http: httpx2.Client) -> None:
    """The body is whole, but does not come at once."""
    with scripted(Rule(body="0123456789" * 10, bytes_per_s=400)) as mock:
        body = {"model": "m", "messages": []}
        with (
            http.stream("POST", f"{mock.url}/chat/completions", json=body) as response,
        ):
            pieces = list(response.iter_raw())
    assert b"".join(pieces) == b"0123456789" * 10
    assert len(pieces) > 1


def test_latency_lets_requests_wait_at_the_same_time() -> None:
    """Requests do not queue: as many are in progress as were sent."""
    count = 8
    with scripted(latency_s=0.5) as mock, ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda n: ask(mock, str(n)), range(count)))
    first, last = mock.requests[0], mock.requests[-1]
    assert mock.peak == count
    assert first.ended_s is not None
    assert first.ended_s - first.at_s >= 0.5
    assert last.at_s < first.ended_s


def test_stream_holds_the_same_words() -> None:
    """A client that asks for a stream gets one, with the usage at its end."""
    rule = Rule(text="streamed", usage=TokenUsage(completion=3))
    with scripted(rule) as mock, client(mock) as asking:
        chunks = list(
            asking.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "x"}], stream=True
            )
        )
    said = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(said) == "streamed"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 3


def test_a_function_can_answer() -> None:
    """A test can look at a request and answer from it."""

    def answer(seen: Seen) -> Answer | None:
        return Answer(text=seen.text.upper()) if seen.text == "me" else None

    with MockEndpoint(Script(rules=(Rule(text="rule"),)), answer=answer) as mock:
        assert ask(mock, "me") == "ME"
        assert ask(mock, "you") == "rule"


def test_models_are_listed_and_other_paths_are_not_there() -> None:
    """The list of models is answered, and nothing but it and completions."""
    with MockEndpoint() as mock, client(mock) as asking:
        names = [model.id for model in asking.models.list()]
        with pytest.raises(openai.NotFoundError):
            asking.embeddings.create(model="m", input="x")
    assert names == ["mock"]
    assert mock.requests == ()


def test_body_that_is_no_json_is_refused(http: httpx2.Client) -> None:
    """A broken request gets 400, and the endpoint lives on."""
    with MockEndpoint() as mock:
        response = http.post(f"{mock.url}/chat/completions", content=b"{")
        assert response.status_code == 400
        assert ask(mock)


def test_taken_port_is_named() -> None:
    """A port that somebody has is an error that names it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(IwrError, match=f"127.0.0.1:{port}: iwr-serve-mock cannot"):
            MockEndpoint(port=port).start()


def test_lines_of_the_log_hold_no_word_of_a_prompt(raw: Raw) -> None:
    """A line tells what was asked for, how often and what came of it."""
    lines: list[str] = []
    script = Script(rules=(Rule(when=When(text="secret"), status=500),))
    with MockEndpoint(script, log=lines.append) as mock:
        raw(mock, "secret words")
        raw(mock)
    failed, fine = lines
    assert re.fullmatch(
        r"#1 m: 0 images, 12 characters, attempt 1 -> 500 in \d+\.\d\d s by rule 1",
        failed,
    )
    assert " -> 200 in " in fine

"""How the mock endpoint fails, as real ones do."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime

import httpx2
import openai
import pytest

from pytest_iwr.errors import IwrError
from pytest_iwr.gateway.mock import (
    ErrorBody,
    MockEndpoint,
    Rule,
    When,
)
from tests.gateway.mock_kit import PIXEL, Raw, ask, client, scripted


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

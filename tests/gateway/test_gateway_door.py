"""Who is let in at the gateway, and with what."""

import json
import logging
import threading
from collections.abc import Mapping
from typing import Any

import httpx2
import openai
import pytest

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway import Gateway
from pytest_iwr.gateway.mock import Answer
from pytest_iwr.records import HEADER_EPOCH, HEADER_PURPOSE, HEADER_SAMPLE
from tests.gateway.kit import Opener, Serve, ask, until

MESSAGES = [{"role": "user", "content": "x"}]


def _post(
    gateway: Gateway,
    body: object,
    *,
    headers: Mapping[str, str] | None = None,
    token: str | None = None,
) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    known = {"Authorization": f"Bearer {token or gateway.token}"}
    with httpx2.Client(trust_env=False) as client:
        return client.post(
            f"{gateway.url}/chat/completions",
            content=content,
            headers={**known, **(headers or {})},
        )


@pytest.mark.parametrize("token", ("wrong", "Ünicode"))
def test_only_this_run_may_ask(serve: Serve, gate: Opener, token: str) -> None:
    """Without the run's token nothing is sent and nothing is listed."""
    mock = serve()
    gateway = gate(mock)
    sent = {b"Authorization": f"Bearer {token}".encode()}
    with httpx2.Client(trust_env=False) as client:
        got = client.post(
            f"{gateway.url}/chat/completions",
            json={"model": "m", "messages": MESSAGES},
            headers=sent,
        )
        listed = client.get(f"{gateway.url}/models", headers=sent)
    assert got.status_code == 401
    assert listed.status_code == 401
    assert mock.requests == ()


def test_wrong_token_is_named(serve: Serve, gate: Opener) -> None:
    """The client of OpenAI gets the code of its own for it."""
    got = ask(gate(serve()), token="sk-of-somebody")  # noqa: S106 - a wrong one
    assert (got.status, got.code) == (401, "iwr_token")


def test_token_is_of_one_gateway(serve: Serve, gate: Opener) -> None:
    """Two gateways have two tokens, each too long to guess."""
    mock = serve()
    one, two = gate(mock), gate(mock)
    assert one.token != two.token
    assert len(one.token) >= 40


@pytest.mark.parametrize("host", ("evil.example", "localhost.evil.example", ""))
def test_other_names_of_this_machine_are_refused(
    serve: Serve, gate: Opener, host: str
) -> None:
    """A page whose name was bound to 127.0.0.1 does not reach the gateway."""
    mock = serve()
    body = {"model": "m", "messages": MESSAGES}
    got = _post(gate(mock), body, headers={"Host": host})
    assert got.status_code == 400
    assert mock.requests == ()


def test_pages_of_a_browser_are_not_invited(serve: Serve, gate: Opener) -> None:
    """No header allows another origin to read an answer."""
    body = {"model": "m", "messages": MESSAGES}
    got = _post(gate(serve()), body, headers={"Origin": "http://evil.example"})
    assert not [name for name in got.headers if name.startswith("access-control")]


def test_models_are_listed_by_alias(serve: Serve, gate: Opener) -> None:
    """A client sees the aliases, not what stands behind them."""
    gateway = gate(serve())
    with openai.OpenAI(base_url=gateway.url, api_key=gateway.token) as client:
        assert [model.id for model in client.models.list()] == ["m"]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    (
        ({"model": "n", "messages": MESSAGES}, "iwr_unknown_model", "no model 'n'"),
        ({"messages": MESSAGES}, "iwr_unknown_model", "no model None"),
        ({"model": "m"}, "iwr_request", "messages"),
        (
            {"model": "m", "messages": MESSAGES, "stream": True},
            "iwr_request",
            "without `stream`",
        ),
        (b"{", "iwr_request", "no JSON"),
        (b"[]", "iwr_request", "no JSON object"),
        (b"\xff", "iwr_request", "no JSON"),
        (b'{"model": "m", "messages": [], "n": NaN}', "iwr_request", "NaN"),
        (b'{"model": "m", "messages": [], "n": 1e999}', "iwr_request", "as JSON"),
        (
            b'{"model": "m", "messages": [%s]}' % (b"[" * 700 + b"]" * 700),
            "iwr_request",
            "as JSON",
        ),
        (b"[" * 200_000, "iwr_request", "no JSON"),
    ),
    ids=lambda value: str(value)[:40],
)
def test_request_without_sense_is_refused(
    serve: Serve, gate: Opener, body: Any, code: str, words: str
) -> None:
    """Nothing is sent, and a sentence says what is wrong."""
    mock = serve()
    got = _post(gate(mock), body)
    assert got.status_code in (400, 404)
    error = got.json()["error"]
    assert error["code"] == code
    assert words in error["message"]
    assert mock.requests == ()


@pytest.mark.parametrize(
    ("header", "value"),
    (
        (HEADER_EPOCH, "0"),
        (HEADER_EPOCH, "one"),
        (HEADER_SAMPLE, "-1"),
        (HEADER_SAMPLE, "1.5"),
        (HEADER_PURPOSE, "fun"),
    ),
)
def test_header_without_sense_is_refused(
    serve: Serve, gate: Opener, header: str, value: str
) -> None:
    """An epoch that is none is a mistake of the caller, and is not guessed."""
    got = ask(gate(serve()), headers={header: value})
    assert (got.status, got.code) == (400, "iwr_request")
    assert header in got.message


def test_large_request_goes_through(serve: Serve, gate: Opener) -> None:
    """Twenty megabytes of pictures are a usual request."""
    url = "data:image/png;base64," + "QUJD" * 5_000_000
    content = [{"type": "image_url", "image_url": {"url": url}}]
    got = ask(gate(serve()), messages=[{"role": "user", "content": content}])
    assert got.status == 200


def test_fields_of_the_configuration_are_filled_in(serve: Serve, gate: Opener) -> None:
    """What the request does not hold comes from the model's configuration."""
    mock = serve()
    config = {
        "max_tokens": 77,
        "temperature": 0.25,
        "reasoning_effort": "low",
        "extra_body": {"provider": {"sort": "price"}, "seed": 1},
    }
    gateway = gate(mock, config=config)
    ask(gateway)
    ask(gateway, max_completion_tokens=5, temperature=1.0, seed=2)
    first, second = (seen.body or {} for seen in mock.requests)
    assert first.pop("messages") == [{"role": "user", "content": "Make a page."}]
    assert first == {
        "model": "the-model",
        "max_tokens": 77,
        "temperature": 0.25,
        "reasoning_effort": "low",
        "provider": {"sort": "price"},
        "seed": 1,
    }
    assert second["max_completion_tokens"] == 5
    assert (second["temperature"], second["seed"]) == (1.0, 2)
    assert "max_tokens" not in second


def test_endpoint_sees_its_key_and_no_other(serve: Serve, gate: Opener) -> None:
    """The run's token stays on this machine; a model without a key sends none."""
    mock = serve()
    ask(gate(mock, keys={"THE_KEY": " padded-key-1 \n", "OTHER": "other"}))
    ask(gate(mock, config={"key_env": None}), "two")
    first, second = (seen.headers for seen in mock.requests)
    assert first["authorization"] == "Bearer padded-key-1"
    assert "authorization" not in second


def test_missing_key_is_named(serve: Serve, gate: Opener) -> None:
    """Without its key a model is not asked, and the variable to set is told."""
    mock = serve()
    got = ask(gate(mock, keys={"THE_KEY": " "}))
    assert (got.code, got.asked) == ("iwr_endpoint", None)
    assert "Set the environment variable THE_KEY" in got.message
    assert mock.requests == ()


def test_end_is_told_to_those_who_wait(serve: Serve, gate: Opener) -> None:
    """Closing breaks off what is under way; its cost is unknown, and written down."""
    mock = serve(lambda _: Answer(hangs=True))
    gateway = gate(mock)
    got = []

    def wait() -> None:
        got.append(ask(gateway))

    thread = threading.Thread(target=wait)
    thread.start()
    until(lambda: len(mock.requests) == 1)
    gateway.close()
    thread.join(30)
    assert [reply.code for reply in got] == ["iwr_endpoint"]
    assert "the run ended" in got[0].message
    (asked,) = gateway.asked
    assert (asked.status, asked.attempts, asked.cost_usd) == ("failed", 1, None)
    gateway.close()


def test_nothing_is_logged_of_ordinary_requests(
    serve: Serve, gate: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    """The gateway's own requests are no news; those of others still are."""
    caplog.set_level(logging.INFO)
    gateway = gate(serve())
    caplog.clear()
    ask(gateway)
    told = [record for record in caplog.records if record.threadName == "iwr-gateway"]
    assert told == []
    assert "HTTP Request" in caplog.text


@pytest.mark.parametrize("connections", ((0, 5), (3, 2), (-1, 1)))
def test_limits_without_sense_are_refused(
    serve: Serve, gate: Opener, connections: tuple[int, int]
) -> None:
    """A least above the most is a usage error."""
    with pytest.raises(UsageError, match="MIN-MAX"):
        gate(serve(), connections=connections)


def test_folder_that_is_a_file_is_named(
    serve: Serve, gate: Opener, tmp_path: Any
) -> None:
    """A cache that cannot be opened is a usage error before the run."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        gate(serve(), cache_dir=tmp_path / "file")


def test_endpoint_of_this_machine_needs_no_proxy(
    serve: Serve, gate: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the environment is left out on the way to loopback."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    gateway = gate(serve())
    got = _post(gateway, {"model": "m", "messages": MESSAGES})
    assert got.status_code == 200


def test_proxy_that_is_none_is_named(
    serve: Serve, gate: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that cannot be used is a usage error before the run."""
    monkeypatch.setenv("HTTPS_PROXY", "gopher://127.0.0.1:9")
    with pytest.raises(UsageError, match="HTTPS_PROXY"):
        gate(serve())

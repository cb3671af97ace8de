"""Asking through the gateway: the real client, a real gateway and a real endpoint."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.chat import GatewayChat, text_of
from pytest_iwr.errors import BudgetError, EndpointError, IwrError
from pytest_iwr.gateway import Gateway
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.gateway.kit import Opener, Serve

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Is it blue?"}]


def _chat(gateway: Gateway) -> GatewayChat:
    return GatewayChat(gateway.url, gateway.token)


def _counting(seen: Seen) -> Answer:
    return Answer(text=f"answer {seen.nth}")


def _say(chat: ports.Chat, **more: Any) -> r.ChatReply:
    purpose: r.Purpose = "judge"
    return chat.ask(ASK, model="m", purpose=purpose, label="shop: step 2", **more)


def test_reply_says_who_answered_and_what_it_cost(gate: Opener, serve: Serve) -> None:
    """Text, the endpoint's own name of the model, and the ledger's line."""
    body = {
        "model": "the-model-0605",
        "system_fingerprint": "fp_1",
        "choices": [
            {"finish_reason": "stop", "message": {"content": "Yes.", "role": "a"}}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }
    gateway = gate(serve(lambda _: Answer(json_=body)))
    with _chat(gateway) as chat:
        reply = _say(chat, epoch=2, sample=3)
    assert (reply.text, reply.model) == ("Yes.", "the-model-0605")
    assert reply.fingerprint == "fp_1"
    (line,) = gateway.asked
    assert reply.asked == line
    assert (line.purpose, line.label) == ("judge", "shop: step 2")
    assert (line.epoch, line.sample, line.cost_usd) == (2, 3, 2e-05)


def test_parameters_are_sent_as_they_are(gate: Opener, serve: Serve) -> None:
    """Further fields of a request reach the endpoint."""
    mock = serve(_counting)
    with _chat(gate(mock)) as chat:
        _say(chat, parameters={"response_format": {"type": "json_object"}, "seed": 7})
    (seen,) = mock.requests
    assert seen.body is not None
    assert seen.body["response_format"] == {"type": "json_object"}
    assert seen.body["seed"] == 7


def test_samples_are_questions_of_their_own(gate: Opener, serve: Serve) -> None:
    """The same sample is answered from the cache, another one by asking."""
    with _chat(gate(serve(_counting))) as chat:
        texts = [_say(chat, sample=sample).text for sample in (0, 1, 0, 1)]
    assert texts == ["answer 1", "answer 2", "answer 1", "answer 2"]


def test_fresh_question_goes_past_the_cache(gate: Opener, serve: Serve) -> None:
    """It is asked although there is an answer, and its answer is kept from then on."""
    with _chat(gate(serve(_counting))) as chat:
        first = _say(chat)
        fresh = _say(chat, is_fresh=True)
        again = _say(chat)
    assert [reply.text for reply in (first, fresh, again)] == [
        "answer 1",
        "answer 2",
        "answer 2",
    ]
    assert again.asked
    assert again.asked.is_hit


def test_fresh_questions_at_once_are_asked_once(gate: Opener, serve: Serve) -> None:
    """What is under way already is as fresh as it can be."""
    begun, go_on = threading.Event(), threading.Event()

    def answer(seen: Seen) -> Answer:
        begun.set()
        go_on.wait(30)
        return _counting(seen)

    gateway = gate(serve(answer))
    with _chat(gateway) as chat, ThreadPoolExecutor() as pool:
        one = pool.submit(_say, chat, is_fresh=True)
        begun.wait(30)
        two = pool.submit(_say, chat, is_fresh=True)
        go_on.set()
        assert {one.result().text, two.result().text} <= {"answer 1", "answer 2"}
    assert {line.status for line in gateway.asked} == {"ok"}


def test_nothing_is_asked_fresh_with_the_cache_alone(
    gate: Opener, serve: Serve
) -> None:
    """Under `only` a fresh question is an error although the cache has an answer."""
    mock = serve(_counting)
    with _chat(gate(mock)) as chat:
        _say(chat)
    with _chat(gate(mock, mode="only")) as chat:
        assert _say(chat).text == "answer 1"
        with pytest.raises(EndpointError, match=r"shop: step 2: it is asked past the"):
            _say(chat, is_fresh=True)
    assert len(mock.requests) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    (
        (Answer(status=401), EndpointError),
        (Answer(status=500), EndpointError),
        (Answer(body="<h1>Bad gateway</h1>"), EndpointError),
    ),
)
def test_failing_endpoint_is_an_error(
    gate: Opener, serve: Serve, answer: Answer, error: type[IwrError]
) -> None:
    """What the gateway gives up on raises, and names the model once."""
    with (
        _chat(gate(serve(lambda _: answer))) as chat,
        pytest.raises(error, match=r"^m: (?!m:)"),
    ):
        _say(chat)


def test_spent_budget_is_an_error_of_its_own(gate: Opener, serve: Serve) -> None:
    """The run's maximum counts for judges and grounders as well."""
    gateway = gate(serve(_counting), max_cost_usd=0.0)
    with _chat(gateway) as chat, pytest.raises(BudgetError):
        _say(chat)


def test_gateway_that_is_gone_is_an_error(gate: Opener, serve: Serve) -> None:
    """Whoever asks later is told, and does not wait."""
    gateway = gate(serve(_counting))
    gateway.close()
    with _chat(gateway) as chat, pytest.raises(EndpointError, match="does not answer"):
        _say(chat)


def test_proxy_of_the_user_sees_nothing(
    gate: Opener, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gateway is on this machine, whatever the environment names."""
    with MockEndpoint() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        with _chat(gate(serve(_counting))) as chat:
            assert _say(chat).text == "answer 1"
        assert not proxy.requests


@pytest.mark.parametrize(
    ("message", "text"),
    (
        ({"content": "Yes"}, "Yes"),
        ({"content": None, "reasoning_content": "Hm."}, ""),
        ({"content": [{"type": "text", "text": "Ye"}, {"text": "s"}]}, "Yes"),
        ({"content": [{"type": "thinking", "thinking": "Hm."}, {"text": "No"}]}, "No"),
        ({"refusal": "I cannot."}, ""),
    ),
)
def test_text_is_what_is_said_and_not_what_is_thought(
    message: dict[str, Any], text: str
) -> None:
    """Parts are joined; thoughts and refusals are no text."""
    assert text_of({"choices": [{"message": message}]}) == text


def test_halves_of_characters_can_be_written(gate: Opener, serve: Serve) -> None:
    """A model that is cut within one, or quotes a page that is."""
    message = {"role": "assistant", "content": "a cart \ud83d"}
    body: dict[str, Any] = {"model": "m \udc00", "choices": [{"message": message}]}
    body["choices"][0]["finish_reason"] = "stop"
    answer = Answer(body=json.dumps(body), content_type="application/json")
    with _chat(gate(serve(lambda _: answer))) as chat:
        reply = _say(chat)
    assert (reply.text, reply.model) == ("a cart \ufffd", "m \ufffd")


def test_answer_without_choices_says_nothing() -> None:
    """The empty text is for whoever reads it to judge."""
    assert not text_of({"choices": []})
    assert not text_of({})


def test_chat_can_be_used_after_it_was_closed(
    gate: Opener, serve: Serve, tmp_path: Path
) -> None:
    """Closing ends connections only."""
    with _chat(gate(serve(_counting), cache_dir=tmp_path / "other")) as chat:
        _say(chat)
        chat.close()
        assert _say(chat, sample=1).text == "answer 2"

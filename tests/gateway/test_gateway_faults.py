"""Faults of an endpoint: which are asked again, which are not, and what is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.gateway import Patience, read_ledger
from pytest_iwr.gateway.mock import Answer, ErrorBody, Seen
from tests.gateway.faulty import JSON, LASTING, PASSING
from tests.gateway.kit import KEY, QUICK, Opener, Serve, ask


def _first(fault: Answer) -> Any:
    return lambda seen: fault if seen.nth == 1 else None


@pytest.mark.parametrize("name", PASSING)
def test_passing_fault_is_asked_again(serve: Serve, gate: Opener, name: str) -> None:
    """One fault, one more request, and the answer is as if nothing had been."""
    mock = serve(_first(PASSING[name]))
    gateway = gate(mock)
    got = ask(gateway)
    assert (got.status, got.cache, got.message) == (200, "miss", "")
    assert got.asked is not None
    assert (got.asked.status, got.asked.attempts) == ("ok", 2)
    assert len(mock.requests) == 2
    assert gateway.status().retries == 1


@pytest.mark.parametrize("name", LASTING)
def test_lasting_fault_is_not_asked_again(
    serve: Serve, gate: Opener, name: str
) -> None:
    """What cannot pass costs one request, and the reason is told."""
    fault, reason = LASTING[name]
    mock = serve(lambda _: fault)
    got = ask(gate(mock))
    assert (got.status, got.code) == (502, "iwr_endpoint")
    assert reason in got.message
    assert got.message.startswith("m: ")
    assert len(mock.requests) == 1
    assert got.asked is not None
    assert (got.asked.status, got.asked.attempts) == ("failed", 1)
    assert got.asked.cost_usd == (None if name == "a stream" else 0.0)


@pytest.mark.parametrize(
    "name", ("429 in seconds", "429 in milliseconds", "429 by Google", "429 in words")
)
def test_wish_is_waited_for(serve: Serve, gate: Opener, name: str) -> None:
    """The wait that an endpoint asks for is never cut short."""
    got = ask(gate(serve(_first(PASSING[name]))))
    assert got.asked is not None
    assert got.asked.waited_s >= 0.05


def test_endless_fault_is_told_after_all_attempts(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """Ten attempts, one line of the ledger, nothing cached, and no cost."""
    mock = serve(lambda _: Answer(status=500))
    gateway = gate(mock)
    got = ask(gateway)
    assert got.message == "m: HTTP 500: Something broke. (after 10 attempts)"
    assert len(mock.requests) == 10
    (line,) = read_ledger(tmp_path / "ledger.jsonl")
    assert (line.status, line.attempts, line.cost_usd) == ("failed", 10, 0.0)
    assert line.reason == "HTTP 500: Something broke. (after 10 attempts)"
    assert gateway.status().failed == 1
    ask(gateway)
    assert len(mock.requests) == 20


@pytest.mark.parametrize(
    "fault",
    (Answer(hangs=True), Answer(bytes_per_s=5.0)),
    ids=("never answers", "slow body"),
)
def test_late_answer_is_given_up(serve: Serve, gate: Opener, fault: Answer) -> None:
    """The time-out is for the whole answer; three are enough, at unknown cost."""
    mock = serve(lambda _: fault)
    got = ask(gate(mock, config={"timeout_s": 0.2}))
    assert got.code == "iwr_endpoint"
    assert "no whole answer within 0.2 s (after 3 attempts)" in got.message
    assert len(mock.requests) == 3
    assert got.asked is not None
    assert got.asked.cost_usd is None


def test_slow_answer_in_time_is_taken(serve: Serve, gate: Opener) -> None:
    """An answer that dribbles in, but in time, is an answer."""
    got = ask(gate(serve(lambda _: Answer(text="x", bytes_per_s=2000.0))))
    assert got.asked is not None
    assert (got.status, got.asked.attempts) == (200, 1)


def test_nobody_listens(serve: Serve, gate: Opener) -> None:
    """An endpoint that is not there costs nothing and is named."""
    mock = serve()
    gateway = gate(mock, patience=Patience(attempts=2, first_s=0.001))
    mock.close()
    got = ask(gateway)
    assert "it cannot be reached" in got.message
    assert got.asked is not None
    assert (got.asked.attempts, got.asked.cost_usd) == (2, 0.0)


def test_wrong_base_url_is_told_at_once(serve: Serve, gate: Opener) -> None:
    """A base URL without a scheme is a mistake, and no fault that passes."""
    got = ask(gate(serve(), config={"base_url": "localhost:1/v1"}))
    assert got.code == "iwr_endpoint"
    assert got.asked is not None
    assert got.asked.attempts == 1


def test_billed_answer_without_choices_counts(serve: Serve, gate: Opener) -> None:
    """What an unusable answer has cost is in the ledger, and three are enough."""
    body = {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 500}}
    mock = serve(lambda _: Answer(body=json.dumps(body), content_type=JSON))
    got = ask(gate(mock))
    assert len(mock.requests) == 3
    assert got.asked is not None
    assert got.asked.usage.input == 3000
    assert got.asked.cost_usd == pytest.approx(3 * (1000 + 2 * 500) / 1e6)


def test_cut_off_answer_is_passed_on_and_not_kept(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """An answer at its limit is told, paid and asked for again."""
    mock = serve(lambda _: Answer(text="<html>", finish_reason="length"))
    gateway = gate(mock)
    for cost_lines in (1, 2):
        got = ask(gateway)
        assert (got.status, got.cache) == (200, "miss")
        assert got.asked is not None
        assert got.asked.status == "cut_off"
        lines = read_ledger(tmp_path / "ledger.jsonl")
        assert len([line for line in lines if line.cost_usd]) == cost_lines
    assert len(mock.requests) == 2


@pytest.mark.parametrize(
    "answer",
    (
        Answer(refusal="I cannot help with that."),
        Answer(text="", finish_reason="content_filter"),
        Answer(
            body='{"choices": [{"message": null, "finish_reason": "content_filter"}]}',
            content_type=JSON,
        ),
        Answer(text=""),
    ),
    ids=("refused", "filtered", "filtered without a message", "empty"),
)
def test_answer_without_a_page_is_an_answer(
    serve: Serve, gate: Opener, answer: Answer
) -> None:
    """Refused, filtered and empty are the model's, and kept like any answer."""
    mock = serve(lambda _: answer)
    gateway = gate(mock)
    assert [ask(gateway).cache for _ in range(2)] == ["miss", "hit"]
    assert len(mock.requests) == 1


@pytest.mark.needs_shared
@pytest.mark.parametrize(
    ("reply", "status"),
    (
        ("apology.json", 200),
        ("error-200.json", 502),
        ("filtered.json", 200),
        ("gateway.html", 502),
        ("no-choices.json", 502),
        ("null-message.json", 502),
        ("parts.json", 200),
        ("refusal.json", 200),
    ),
)
def test_replies_of_models_and_of_proxies_are_told_apart(
    serve: Serve, gate: Opener, shared: Path, reply: str, status: int
) -> None:
    """What a model said is passed on byte for byte, anything else is a fault."""
    body = (shared / "cases/42-no-page" / reply).read_text(encoding="utf-8")
    got = ask(gate(serve(lambda _: Answer(body=body, content_type=JSON))))
    assert got.status == status
    assert status == 502 or got.body == body.encode()


@pytest.mark.needs_shared
@pytest.mark.parametrize("rule", ("error_many", "error_ctx", "error_413"))
def test_request_that_is_too_large_is_asked_once(
    serve: Serve, gate: Opener, shared: Path, rule: str
) -> None:
    """Too many pictures, too long, too large: no retry, and nothing is adapted."""
    path = shared / "cases/46-image-limits/server-rules.json"
    said = json.loads(path.read_text(encoding="utf-8"))[rule]
    body = said.get("text") or json.dumps(said["json"])
    fault = Answer(status=said["status"], body=body, content_type=JSON)
    mock = serve(lambda _: fault)
    got = ask(gate(mock))
    assert len(mock.requests) == 1
    assert got.asked is not None
    assert got.asked.adapted == ()
    assert (said.get("text") or said["json"].get("message", "")) in got.message


def test_endpoint_that_echoes_the_key_gives_nothing_away(
    serve: Serve, gate: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The key is in no message, header, file or log."""

    def echo(seen: Seen) -> Answer:
        key = seen.headers["authorization"]
        if seen.nth == 1:
            return Answer(status=401, error=ErrorBody(message=f"Wrong key: {key}"))
        return Answer(text=f"<html>{key}</html>")

    gateway = gate(serve(echo))
    caplog.set_level("DEBUG")
    replies = [ask(gateway) for _ in range(3)]
    assert [reply.status for reply in replies] == [502, 200, 200]
    assert "Wrong key: Bearer ***" in replies[0].message
    told = "".join(map(str, replies)) + caplog.text + "".join(gateway.warnings)
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 2
    assert KEY not in told
    assert all(KEY.encode() not in data for data in files)


def test_a_third_of_all_requests_fails(serve: Serve, gate: Opener) -> None:
    """Every question has its answer, and each fault is one retry."""
    faults = list(PASSING.values())

    def shaky(seen: Seen) -> Answer | None:
        return faults[seen.nth % len(faults)] if seen.nth % 3 == 1 else None

    mock = serve(shaky)
    gateway = gate(mock, patience=QUICK)
    replies = [ask(gateway, f"page {number}") for number in range(30)]
    assert {reply.status for reply in replies} == {200}
    assert gateway.status().retries == len(mock.requests) - 30


@pytest.mark.parametrize(
    ("name", "advice"),
    (
        ("wrong key", "See that THE_KEY holds a key that may use it."),
        ("no such model", "See that `model: the-model` and `base_url` are right."),
        ("not paid", "Add credit or raise the quota there, and run again."),
        ("no credit", "Add credit or raise the quota there, and run again."),
        ("too large", "Send less: set `limits` and `context_tokens` of the model."),
        ("nonsense", "HTTP 400: The request is invalid."),
    ),
)
def test_fault_says_what_to_do(
    serve: Serve, gate: Opener, name: str, advice: str
) -> None:
    """The message ends with what the user can change, where there is something."""
    fault, _ = LASTING[name]
    assert ask(gate(serve(lambda _: fault))).message.endswith(advice)


def test_dead_endpoint_is_given_up_sooner(serve: Serve, gate: Opener) -> None:
    """Once three questions in a row had no answer, three attempts are enough."""
    dead = [True]
    mock = serve(lambda _: Answer(status=500) if dead[0] else None)
    gateway = gate(mock)
    got = [ask(gateway, str(nth)).asked for nth in range(5)]
    assert [asked and asked.attempts for asked in got] == [10, 10, 10, 3, 3]
    dead[0] = False
    assert ask(gateway, "alive").status == 200
    dead[0] = True
    asked = ask(gateway, "dead again").asked
    assert asked is not None
    assert asked.attempts == 10

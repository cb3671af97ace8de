"""Parameters that an endpoint refuses: found out once, and told with each answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.gateway.adapt import Change, apply, change_for
from pytest_iwr.gateway.complaint import read_complaint
from pytest_iwr.gateway.mock import Answer, ErrorBody, Seen
from tests.gateway.kit import Opener, Serve, ask

SENT: dict[str, Any] = {
    "model": "x",
    "messages": [],
    "max_tokens": 16384,
    "temperature": 0.0,
    "top_p": 0.9,
    "seed": 1,
    "user": "me",
    "reasoning_effort": "high",
    "thinking": {"type": "enabled"},
}
LIMIT = ("max_tokens sent as max_completion_tokens",)
COLD = ("temperature left out, it was 0.0",)


def _refuse(param: str, message: str = "", code: str = "") -> Answer:
    error = ErrorBody(message=message or "No.", param=param, code=code or None)
    return Answer(status=400, error=error)


def _picky(seen: Seen) -> Answer | None:
    body = seen.body or {}
    if "max_tokens" in body:
        return _refuse("max_tokens", code="unsupported_parameter")
    if body.get("temperature", 1) != 1:
        return _refuse("temperature", code="unsupported_value")
    return None


def test_refused_parameters_are_adapted_once(serve: Serve, gate: Opener) -> None:
    """Three requests for the first question, one for each that follows."""
    mock = serve(_picky)
    gateway = gate(mock)
    replies = [ask(gateway, f"page {number}") for number in range(3)]
    assert [reply.asked and reply.asked.attempts for reply in replies] == [3, 1, 1]
    assert {reply.asked and reply.asked.adapted for reply in replies} == {LIMIT + COLD}
    assert gateway.status().retries == 0
    body = mock.requests[-1].body or {}
    assert (body["max_completion_tokens"], "temperature" in body) == (16384, False)


def test_refused_parameters_are_remembered_by_the_next_run(
    serve: Serve, gate: Opener
) -> None:
    """A second gateway on the same folder sends it right at once."""
    mock = serve(_picky)
    ask(gate(mock), "one")
    got = ask(gate(mock), "two")
    assert got.asked is not None
    assert (got.asked.attempts, got.asked.adapted) == (1, LIMIT + COLD)


def test_answer_without_a_change_forgets_none(serve: Serve, gate: Opener) -> None:
    """A question that needs no change leaves those that others need."""
    mock = serve(_picky)
    gateway = gate(mock, config={"max_tokens": None})
    ask(gateway, "one")
    ask(gateway, "two", temperature=1)
    got = ask(gateway, "three")
    assert got.asked is not None
    assert (got.asked.attempts, got.asked.adapted) == (1, COLD)


def test_adapting_leaves_the_key_alone(serve: Serve, gate: Opener) -> None:
    """An answer that was got by adapting is found under what was asked for."""
    mock = serve(_picky)
    first, second = ask(gate(mock)), ask(gate(mock))
    assert second.cache == "hit"
    assert first.asked is not None
    assert second.asked is not None
    assert (first.asked.key, first.asked.adapted) == (
        second.asked.key,
        second.asked.adapted,
    )


def test_what_did_not_help_is_not_remembered(serve: Serve, gate: Opener) -> None:
    """Only changes with which a model has answered are kept."""
    mock = serve(lambda seen: _refuse("seed") if seen.nth == 1 else Answer(status=401))
    ask(gate(mock), seed=7)
    gateway = gate(mock)
    ask(gateway, seed=7)
    assert (mock.requests[-1].body or {})["seed"] == 7


def test_endpoint_that_refuses_everything_ends(serve: Serve, gate: Opener) -> None:
    """There are no more changes than parameters, and messages are never dropped."""

    def grumpy(seen: Seen) -> Answer:
        named = [name for name in seen.body or {} if name != "model"]
        return _refuse(named[-1], code="unsupported_parameter")

    mock = serve(grumpy)
    got = ask(gate(mock), seed=7)
    assert got.code == "iwr_endpoint"
    assert len(mock.requests) == 5


@pytest.mark.needs_shared
def test_case_of_newer_models(serve: Serve, gate: Opener, shared: Path) -> None:
    """The refusals that users met: 3 requests, then 1 a call."""
    path = shared / "cases/44-parameter-400/server-script.json"
    rules = json.loads(path.read_text(encoding="utf-8"))

    def scripted(seen: Seen) -> Answer | None:
        for rule in rules:
            for name in rule.get("when_body_has", ()):
                value = (seen.body or {}).get(name)
                if value is not None and value != rule.get("unless_value"):
                    said = json.dumps(rule["json"])
                    kind = "application/json"
                    return Answer(status=rule["status"], body=said, content_type=kind)
        return None

    mock = serve(scripted)
    gateway = gate(mock)
    counts = []
    for number in range(3):
        before = len(mock.requests)
        got = ask(gateway, f"page {number}")
        assert got.asked is not None
        assert got.asked.adapted == LIMIT + COLD
        counts.append(len(mock.requests) - before)
    assert counts == [3, 1, 1]


@pytest.mark.parametrize(
    ("said", "change"),
    (
        (
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead."
            ),
            Change(param="max_tokens", to="max_completion_tokens"),
        ),
        (
            (
                "Unsupported value: 'temperature' does not support 0.0 with this model. "
                "Only the default (1) value is supported."
            ),
            Change(param="temperature"),
        ),
        ("temperature: Extra inputs are not permitted", Change(param="temperature")),
        ("`temperature` is deprecated for this model.", Change(param="temperature")),
        (
            "`temperature` may only be set to 1 when thinking is enabled.",
            Change(param="temperature"),
        ),
        (
            (
                "`temperature` and `top_p` cannot both be specified for this model. Please "
                "use only one."
            ),
            Change(param="temperature"),
        ),
        (
            'Invalid JSON payload received. Unknown name "seed": Cannot find field.',
            Change(param="seed"),
        ),
        (
            "Unrecognized request argument supplied: reasoning_effort",
            Change(param="reasoning_effort"),
        ),
        (
            "Completions.create() got an unexpected keyword argument 'reasoning_effort'",
            Change(param="reasoning_effort"),
        ),
        (
            "Argument not supported on this model: reasoning_effort",
            Change(param="reasoning_effort"),
        ),
        ("property 'seed' is unsupported", Change(param="seed")),
        (
            "invalid temperature: only 1 is allowed for this model",
            Change(param="temperature"),
        ),
        (
            "x does not support parameters: ['temperature'], for model=y",
            Change(param="temperature"),
        ),
        (
            (
                "max_tokens is too large: 16384. This model supports at most 4096 "
                "completion tokens, whereas you provided 16384."
            ),
            Change(param="max_tokens", most=4096),
        ),
        (
            (
                "max_tokens: 16384 > 8192, which is the maximum allowed number of output "
                "tokens for it"
            ),
            Change(param="max_tokens", most=8192),
        ),
        (
            "Range of max_tokens should be [1, 8192]",
            Change(param="max_tokens", most=8192),
        ),
        (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            Change(param="max_tokens", most=8192),
        ),
        (
            "`max_tokens` must be less than or equal to `8192`",
            Change(param="max_tokens", most=8192),
        ),
        ("The user did not say why this is not supported.", None),
        ("messages: unexpected role 'user'", None),
        ("model x is not supported", None),
        ("This is an unsupported country, region, or territory", None),
    ),
)
def test_refusals_of_many_providers(said: str, change: Change | None) -> None:
    """The parameter is found in each provider's own words, and only where it is."""
    complaint = read_complaint(json.dumps({"error": {"message": said}}).encode())
    assert change_for(complaint, SENT, ()) == change


@pytest.mark.parametrize(
    "body",
    (
        {
            "detail": [
                {"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
            ]
        },
        {"error": {"message": "No.", "param": "seed", "code": "unknown_parameter"}},
        {"object": "error", "message": "seed: extra fields not permitted", "code": 400},
        {"detail": "got an unexpected keyword argument 'seed'"},
    ),
    ids=str,
)
def test_refusals_of_many_shapes(body: dict[str, Any]) -> None:
    """The parameter is found wherever an endpoint names it."""
    complaint = read_complaint(json.dumps(body).encode())
    assert change_for(complaint, SENT, ()) == Change(param="seed")


def test_limit_refused_under_both_names_is_left_out() -> None:
    """Renaming goes one way only; what is refused after it is dropped."""
    renamed = Change(param="max_tokens", to="max_completion_tokens")
    sent, _ = apply((renamed,), SENT)
    complaint = read_complaint(b'{"error": "unknown field max_completion_tokens"}')
    change = change_for(complaint, sent, (renamed,))
    assert change == Change(param="max_completion_tokens")
    assert change is not None
    body, words = apply((renamed, change), SENT)
    assert "max_tokens" not in body
    assert words[-1] == "max_completion_tokens left out, it was 16384"


def test_lowered_limit_leaves_lower_ones() -> None:
    """A remembered maximum changes only what is above it."""
    lowered = (Change(param="max_tokens", most=8192),)
    assert apply(lowered, {"max_tokens": 100}) == ({"max_tokens": 100}, ())
    assert apply(lowered, {"max_tokens": 9000}) == (
        {"max_tokens": 8192},
        ("max_tokens 8192 instead of 9000",),
    )

"""The most that a run may spend."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_iwr.gateway import read_ledger
from pytest_iwr.gateway.mock import Answer, TokenUsage
from pytest_iwr.records import Price
from tests.gateway.kit import Opener, Serve, ask

# One answer may cost 0.10 dollars by its limit of tokens, and then costs 0.06.
PRICED = {"max_tokens": 100_000, "price": Price(input=0, output=1)}
ANSWER = Answer(text="x", usage=TokenUsage(prompt=10, completion=60_000))


def test_maximum_is_never_passed(serve: Serve, gate: Opener, tmp_path: Path) -> None:
    """Four of ten fit into 0.30 dollars; what is finished is kept."""
    mock = serve(lambda _: ANSWER)
    gateway = gate(mock, config=PRICED, max_cost_usd=0.30)
    got = [ask(gateway, str(nth)) for nth in range(10)]
    assert [reply.status for reply in got] == [200] * 4 + [402] * 6
    assert {reply.code for reply in got[4:]} == {"iwr_budget"}
    assert "--iwr-max-cost" in got[4].message
    assert len(mock.requests) == 4
    assert gateway.status().cost_usd == pytest.approx(0.24)
    assert len(read_ledger(tmp_path / "ledger.jsonl")) == 4
    assert ask(gateway, "0").cache == "hit"


def test_maximum_holds_for_questions_under_way(serve: Serve, gate: Opener) -> None:
    """Those at once wait for each other rather than fail, or spend too much."""
    mock = serve(lambda _: Answer(text="x", usage=ANSWER.usage, latency_s=0.05))
    gateway = gate(mock, config=PRICED, max_cost_usd=0.30)
    with ThreadPoolExecutor(10) as pool:
        got = list(pool.map(lambda nth: ask(gateway, str(nth)), range(10)))
    assert sorted(reply.status for reply in got) == [200] * 4 + [402] * 6
    assert mock.peak <= 3


def test_model_without_a_price_is_refused_under_a_maximum(
    serve: Serve, gate: Opener
) -> None:
    """What nobody can price cannot be bounded, and the way out is told."""
    mock = serve()
    gateway = gate(mock, config={"price": None}, max_cost_usd=5.0)
    assert gateway.unpriced == ("m",)
    got = ask(gateway)
    assert (got.status, got.code) == (402, "iwr_budget")
    assert "Add `price: {input: …, output: …}`" in got.message
    assert mock.requests == ()


def test_unknown_cost_is_not_nothing(serve: Serve, gate: Opener) -> None:
    """Without a price and a maximum the answer is given, and its cost is unknown."""
    gateway = gate(serve(), config={"price": None})
    got = ask(gateway)
    assert got.asked is not None
    assert (got.asked.cost_usd, got.asked.cost_source) == (None, None)
    status = gateway.status()
    assert (status.cost_usd, status.unknown_costs) == (None, 1)


def test_answer_without_usage_counts_as_dear_as_it_may_be(
    serve: Serve, gate: Opener
) -> None:
    """Under a maximum, an answer that names no tokens takes all that it might."""
    body = '{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}'
    mock = serve(lambda _: Answer(body=body, content_type="application/json"))
    gateway = gate(mock, config=PRICED, max_cost_usd=0.25)
    got = [ask(gateway, str(nth)) for nth in range(3)]
    assert [reply.status for reply in got] == [200, 200, 402]
    assert gateway.status().cost_usd is None


def test_failures_spend_nothing(serve: Serve, gate: Opener) -> None:
    """Refused requests leave the budget as it was."""
    mock = serve(lambda seen: Answer(status=404) if seen.nth < 6 else ANSWER)
    gateway = gate(mock, config=PRICED, max_cost_usd=0.11)
    assert [ask(gateway, str(nth)).status for nth in range(6)] == [502] * 5 + [200]


def test_cost_that_the_endpoint_names_comes_first(serve: Serve, gate: Opener) -> None:
    """The provider knows best what it takes."""
    usage = TokenUsage(prompt=10, completion=10, cost=0.5)
    got = ask(gate(serve(lambda _: Answer(text="x", usage=usage))))
    assert got.asked is not None
    assert (got.asked.cost_usd, got.asked.cost_source) == (0.5, "provider")


def test_attempt_that_may_be_billed_counts_against_the_maximum(
    serve: Serve, gate: Opener
) -> None:
    """Half an answer may have its price, so it is repeated only where two fit."""
    mock = serve(lambda seen: Answer(cut_at=0.5) if seen.nth < 3 else ANSWER)
    gateway = gate(mock, config=PRICED, max_cost_usd=0.21)
    got = ask(gateway)
    assert got.code == "iwr_endpoint"
    assert "asking again may cost more than the run's maximum" in got.message
    assert len(mock.requests) == 2
    assert ask(gateway, "another").code == "iwr_budget"


def test_attempt_that_is_free_does_not(serve: Serve, gate: Opener) -> None:
    """Refusals are repeated, however little is left."""
    mock = serve(lambda seen: Answer(status=500) if seen.nth < 5 else ANSWER)
    assert ask(gate(mock, config=PRICED, max_cost_usd=0.11)).status == 200

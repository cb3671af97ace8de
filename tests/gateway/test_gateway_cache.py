"""What is asked once, and what is asked again."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.gateway import read_ledger
from pytest_iwr.gateway.mock import Answer
from pytest_iwr.records import HEADER_EPOCH, HEADER_LABEL, HEADER_PURPOSE, HEADER_SAMPLE
from tests.gateway.kit import Opener, Serve, ask


def test_second_run_asks_nothing(serve: Serve, gate: Opener) -> None:
    """A second gateway on the same folder gives the same bytes for nothing."""
    mock = serve()
    first = ask(gate(mock))
    second = ask(gate(mock))
    assert (first.cache, second.cache) == ("miss", "hit")
    assert first.body == second.body
    assert len(mock.requests) == 1
    assert second.asked is not None
    assert (second.asked.cost_usd, second.asked.cost_source) == (0.0, "cache")


def test_answer_is_the_endpoints_own_bytes(serve: Serve, gate: Opener) -> None:
    """Spacing, order and escapes of the endpoint's JSON come through, also cached."""
    text = (
        '{ "choices":[{"finish_reason":"stop","message":{"content":"\\u00fc ü\\/"}}]}\n'
    )
    gateway = gate(serve(lambda _: Answer(body=text, content_type="application/json")))
    assert ask(gateway).body == text.encode()
    assert ask(gateway).body == text.encode()


@pytest.mark.parametrize(
    "change",
    (
        {"headers": {HEADER_EPOCH: "2"}},
        {"headers": {HEADER_SAMPLE: "1"}},
        {"headers": {HEADER_PURPOSE: "judge"}},
        {"prompt": "Make another page."},
        {"temperature": 0.5},
        {"max_tokens": 17},
        {"extra_body": {"seed": 1}},
    ),
    ids=lambda change: next(iter(change)),
)
def test_another_question_is_asked(
    serve: Serve, gate: Opener, change: dict[str, Any]
) -> None:
    """Epoch, sample, purpose, words and parameters are parts of the key."""
    mock = serve()
    gateway = gate(mock)
    ask(gateway)
    assert ask(gateway, **change).cache == "miss"


def test_label_is_no_part_of_the_key(serve: Serve, gate: Opener) -> None:
    """What a question is for, in words, changes nothing but the ledger."""
    gateway = gate(serve())
    ask(gateway, headers={HEADER_LABEL: "shop"})
    again = ask(gateway, headers={HEADER_LABEL: "der%20L%C3%A4den"})
    assert again.cache == "hit"
    assert again.asked is not None
    assert again.asked.label == "der Läden"


def test_equal_questions_wait_for_the_first(serve: Serve, gate: Opener) -> None:
    """Eight at a time are one request, one miss and seven hits."""
    mock = serve(lambda _: Answer(latency_s=0.3))
    gateway = gate(mock)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: ask(gateway), range(8)))
    assert len(mock.requests) == 1
    assert sorted(str(reply.cache) for reply in replies) == ["hit"] * 7 + ["miss"]
    assert len({reply.body for reply in replies}) == 1


def test_ledger_has_a_line_for_each(serve: Serve, gate: Opener, tmp_path: Path) -> None:
    """The miss has its cost, the hit has none, and both say whose they are."""
    gateway = gate(serve())
    ask(gateway)
    ask(gateway)
    lines = read_ledger(tmp_path / "ledger.jsonl")
    assert lines == gateway.asked
    assert [line.is_hit for line in lines] == [False, True]
    assert lines[0].cost_usd == pytest.approx(
        ((lines[0].usage.input or 0) + 2 * (lines[0].usage.output or 0)) / 1e6
    )

"""What is asked once, and what is asked again."""

import json
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pytest_iwr.gateway import read_ledger
from pytest_iwr.gateway.mock import Answer, Seen
from pytest_iwr.records import HEADER_EPOCH, HEADER_LABEL, HEADER_PURPOSE, HEADER_SAMPLE
from tests.gateway.kit import Opener, Serve, ask, until

BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "Make a page."}]}


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


def test_only_sends_nothing(serve: Serve, gate: Opener) -> None:
    """What the cache has is given, what it has not is refused by a code of its own."""
    mock = serve()
    ask(gate(mock), "known")
    gateway = gate(mock, mode="only", keys={})
    assert ask(gateway, "known").cache == "hit"
    got = ask(gateway, "unknown")
    assert (got.status, got.code, got.asked) == (424, "iwr_cache_miss", None)
    assert len(mock.requests) == 1


def test_refresh_asks_each_question_once_anew(serve: Serve, gate: Opener) -> None:
    """A run's own answer is a hit, an older one is not, and is written over."""
    mock = serve(lambda seen: Answer(text=f"page {seen.nth}"))
    old = ask(gate(mock))
    gateway = gate(mock, mode="refresh")
    assert not gateway.is_cached("m", BODY)
    new = [ask(gateway) for _ in range(2)]
    assert [reply.cache for reply in new] == ["miss", "hit"]
    assert old.body != new[0].body == new[1].body
    assert ask(gate(mock)).body == new[0].body


def test_off_keeps_nothing_but_asks_once(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """Within a run a question has one answer; no file of it is left."""
    mock = serve()
    ask(gate(mock))
    gateway = gate(mock, mode="off", cache_dir=tmp_path / "none")
    assert [ask(gateway).cache for _ in range(2)] == ["miss", "hit"]
    assert not (tmp_path / "none").exists()
    assert ask(gate(mock, mode="off")).cache == "miss"


@pytest.mark.parametrize(
    "damage",
    (
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"Mock", b"Mick")),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff\xfe\x00"),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text('{"sha256": 1}'),
        lambda path: (path.unlink(), path.mkdir()),
    ),
    ids=("half", "changed", "empty", "bytes", "list", "object", "folder"),
)
def test_corrupt_entry_is_a_miss(
    serve: Serve, gate: Opener, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    """It is warned of, asked for again, and written anew."""
    mock = serve()
    ask(gate(mock))
    (entry,) = (tmp_path / "cache").glob("??/*.json")
    damage(entry)
    gateway = gate(mock)
    assert [ask(gateway).cache for _ in range(2)] == ["miss", "hit"]
    (warning,) = gateway.warnings
    assert warning.startswith(str(entry))
    assert len(mock.requests) == 2


def test_entry_of_another_key_is_a_miss(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """A file under a name that is not its own is no answer to that question."""
    mock = serve()
    gateway = gate(mock)
    first, second = ask(gateway, "one"), ask(gateway, "two")
    assert first.asked is not None
    assert second.asked is not None
    place = tmp_path / "cache"
    one, two = (
        place / key[:2] / f"{key}.json" for key in (first.asked.key, second.asked.key)
    )
    two.write_bytes(one.read_bytes())
    assert ask(gateway, "two").cache == "miss"


def test_dry_run_knows_what_is_cached(serve: Serve, gate: Opener) -> None:
    """The same key function tells without a call, before and after the start."""
    mock = serve()
    gateway = gate(mock)
    assert not gateway.is_cached("m", BODY)
    ask(gateway)
    assert gateway.is_cached("m", BODY)
    assert not gateway.is_cached("m", BODY, epoch=2)
    gateway.close()
    assert gate(mock).is_cached("m", {**BODY, "temperature": 0})
    assert len(mock.requests) == 1


def test_pictures_are_no_part_of_an_entry(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """A picture is held by its hash; two ways to write its base64 are one picture."""
    url = "data:image/png;base64," + "QUJD" * 100
    picture = {"type": "image_url", "image_url": {"url": url}}
    mock = serve()
    gateway = gate(mock)
    messages = [{"role": "user", "content": [picture]}]
    got = ask(gateway, messages=messages)
    assert got.asked is not None
    (entry,) = (tmp_path / "cache").glob("??/*.json")
    assert "QUJDQUJD" not in entry.read_text()
    assert ask(gateway, messages=messages).cache == "hit"
    other = {"type": "image_url", "image_url": {"url": url + "QUJD"}}
    messages = [{"role": "user", "content": [other]}]
    assert ask(gateway, messages=messages).cache == "miss"


def test_failure_is_shared_by_those_who_wait(serve: Serve, gate: Opener) -> None:
    """Equal questions at a time fail together, after the attempts of one."""
    fault = Answer(status=401, latency_s=0.3)
    mock = serve(lambda _: fault)
    gateway = gate(mock)
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: ask(gateway), range(4)))
    (message,) = {reply.message for reply in replies}
    assert message.startswith("m: HTTP 401: The key is wrong.")
    assert len(mock.requests) == 1
    assert len(gateway.asked) == 1


def test_answer_is_kept_when_nobody_waits_any_more(serve: Serve, gate: Opener) -> None:
    """A client that goes away has been paid for: its answer is in the cache."""
    may_answer = threading.Event()

    def later(_: Seen) -> Answer:
        assert may_answer.wait(30)
        return Answer()

    mock = serve(later)
    gateway = gate(mock)
    with socket.create_connection(("127.0.0.1", urlsplit(gateway.url).port)) as wire:
        body = json.dumps({"model": "m", "messages": BODY["messages"]}).encode()
        wire.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
            % (gateway.token.encode(), len(body), body)
        )
        until(lambda: len(mock.requests) == 1)
    may_answer.set()
    until(lambda: len(gateway.asked) == 1)
    assert ask(gateway).cache == "hit"
    assert len(mock.requests) == 1


def test_cache_hides_itself_from_git(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """Its folder says itself that it is not to be committed."""
    ask(gate(serve()))
    assert (tmp_path / "cache/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize("alias", ("m", "qwen/qwen3-vl:free"))
def test_names_of_models_may_be_odd(serve: Serve, gate: Opener, alias: str) -> None:
    """A model's own name goes out, whatever is in it."""
    mock = serve()
    gateway = gate(mock, config={"alias": alias, "model": "qwen/qwen3-vl:free"})
    assert ask(gateway, model=alias).status == 200
    assert mock.requests[0].model == "qwen/qwen3-vl:free"


def test_answer_that_cannot_be_kept_is_given_all_the_same(
    serve: Serve, gate: Opener, tmp_path: Path
) -> None:
    """It is paid for: this run has it in memory, and a later one tries again."""
    mock = serve()
    first = gate(mock, cache_dir=tmp_path / "elsewhere")
    asked = ask(first).asked
    assert asked is not None
    (tmp_path / "cache").mkdir()
    in_the_way = tmp_path / "cache" / asked.key[:2]
    in_the_way.write_text("no folder")
    gateway = gate(mock)
    assert [ask(gateway).cache for _ in range(2)] == ["miss", "hit"]
    assert "not kept for now" in gateway.warnings[-1]
    gateway.close()
    assert "not kept for now" in gate(mock).warnings[-1]
    in_the_way.unlink()
    assert ask(gate(mock)).cache == "hit"
    assert len(mock.requests) == 2

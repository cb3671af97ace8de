"""How many requests are under way at an endpoint."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from pytest_iwr.gateway import Patience
from pytest_iwr.gateway.limits import Line
from pytest_iwr.gateway.mock import Answer, Seen
from tests.gateway.kit import Opener, Serve, ask, until


async def _answered(line: Line, *, times: int, busy: int = 0) -> None:
    """Let requests be under way at once, the first of them refused."""
    may_end = asyncio.Event()

    async def one(nth: int) -> None:
        async with line.turn() as turn:
            await may_end.wait()
            turn.is_busy, turn.is_good = nth < busy, nth >= busy

    tasks = [asyncio.create_task(one(nth)) for nth in range(times)]
    await asyncio.sleep(0)
    may_end.set()
    await asyncio.gather(*tasks)


def test_line_starts_at_half_and_doubles_to_the_most() -> None:
    """Of 50, one round of 25 good answers opens all."""

    async def tell() -> list[int]:
        line, limits = Line(2, 50), []
        for _ in range(2):
            limits.append(line.limit)
            await _answered(line, times=line.limit)
        return [*limits, line.limit]

    assert asyncio.run(tell()) == [25, 50, 50]


def test_busy_endpoint_halves_the_line_once_a_round() -> None:
    """Twenty refusals of the same round are one sign."""

    async def tell() -> int:
        line = Line(2, 40)
        await _answered(line, times=20, busy=20)
        return line.limit

    assert asyncio.run(tell()) == 10


def test_line_never_falls_below_the_least() -> None:
    """However busy an endpoint is, MIN requests may be under way."""

    async def tell() -> int:
        line = Line(3, 40)
        for _ in range(9):
            await _answered(line, times=line.limit, busy=line.limit)
        return line.limit

    assert asyncio.run(tell()) == 3


def test_line_grows_by_one_a_round_after_it_was_busy() -> None:
    """Growth is slow once the endpoint's limit was met."""

    async def tell() -> list[int]:
        line = Line(2, 40)
        await _answered(line, times=20, busy=20)
        limits = []
        for _ in range(3):
            await _answered(line, times=line.limit)
            limits.append(line.limit)
        return limits

    assert asyncio.run(tell()) == [11, 12, 13]


def test_few_refusals_hardly_lower_the_line() -> None:
    """One in ten of a round takes a twentieth; a limit that was met would take half."""

    async def tell() -> int:
        line = Line(2, 80)
        await _answered(line, times=40, busy=4)
        return line.limit

    assert asyncio.run(tell()) == 38


def test_line_falls_from_what_was_under_way() -> None:
    """Of ten requests, all refused, five may be under way, whatever the limit was."""

    async def tell() -> int:
        line = Line(2, 100)
        await _answered(line, times=10, busy=10)
        return line.limit

    assert asyncio.run(tell()) == 5


def test_line_that_is_not_used_does_not_grow() -> None:
    """What a few requests met says nothing of many."""

    async def tell() -> int:
        line = Line(2, 40)
        await _answered(line, times=20, busy=20)
        for _ in range(5):
            await _answered(line, times=3)
        return line.limit

    assert asyncio.run(tell()) == 10


def test_who_leaves_the_line_takes_no_turn() -> None:
    """A request that was cancelled while it waited, or when its turn came, is gone."""

    async def tell() -> tuple[int, int]:
        line = Line(1, 1)
        async with line.turn():
            waiting = [asyncio.create_task(_answered(line, times=1)) for _ in range(3)]
            await asyncio.sleep(0.01)
            waiting[1].cancel()
            await asyncio.sleep(0.01)
        waiting[0].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await _answered(line, times=2)
        return line.running, line.waiting

    assert asyncio.run(asyncio.wait_for(tell(), 30)) == (0, 0)


def test_most_are_reached_and_never_passed(serve: Serve, gate: Opener) -> None:
    """Sixty questions of an idle endpoint are soon eight at a time, and no more."""
    mock = serve(lambda _: Answer(latency_s=0.05))
    gateway = gate(mock, connections=(2, 8))
    with ThreadPoolExecutor(20) as pool:
        got = list(pool.map(lambda nth: ask(gateway, str(nth)), range(60)))
    assert {reply.status for reply in got} == {200}
    assert mock.peak == 8
    assert gateway.status()[:2] == (0, 0)


def test_endpoint_with_a_limit_is_not_driven_into_it(
    serve: Serve, gate: Opener
) -> None:
    """Who takes three at a time gets all questions, and they are all answered."""

    def few(_: Seen) -> Answer:
        # `peak` is of all times, so what is under way is counted from the record.
        open_ = sum(seen.ended_s is None for seen in mock.requests)
        return Answer(status=429) if open_ > 3 else Answer(latency_s=0.02)

    mock = serve(few)
    patience = Patience(attempts=50, first_s=0.01, most_s=0.1)
    gateway = gate(mock, connections=(1, 16), patience=patience)
    with ThreadPoolExecutor(16) as pool:
        got = list(pool.map(lambda nth: ask(gateway, str(nth)), range(40)))
    assert {reply.status for reply in got} == {200}
    assert gateway.status().limit < 8


def test_pause_holds_for_all_questions_to_a_model(serve: Serve, gate: Opener) -> None:
    """While an endpoint asks to wait, no other question is sent into its refusal."""
    mock = serve(
        lambda seen: (
            Answer(status=429, headers={"retry-after-ms": "400"})
            if seen.nth == 1
            else None
        )
    )
    gateway = gate(mock)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, gateway, "one")
        until(lambda: gateway.status().retries == 1)
        second = pool.submit(ask, gateway, "two")
        assert {first.result().status, second.result().status} == {200}
    refused, *answered = mock.requests
    assert min(seen.at_s for seen in answered) - refused.at_s >= 0.4
    assert len(answered) == 2

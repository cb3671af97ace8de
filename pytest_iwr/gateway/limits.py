"""How many requests are under way at an endpoint, found out by trying."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass
class Turn:
    """One request's place among those under way."""

    round: int
    """How often the endpoint had been busy when it began."""
    is_busy: bool = False
    """The endpoint asked for fewer requests; set by who holds the turn."""
    is_good: bool = False
    """The endpoint answered; set by who holds the turn."""


class Line:
    """Lets requests to one endpoint begin, in the order in which they came.

    Additive increase, multiplicative decrease, as TCP does it (RFC 5681): from half of
    `most` on, each good answer allows one more until the endpoint is busy for the first
    time, afterwards one more for each full round of good answers. A busy endpoint
    halves the number, once for all requests that were under way, never below `least`.
    """

    def __init__(self, least: int, most: int) -> None:
        """Both at least 1."""
        self._least, self._most = least, most
        self._limit = float(max(least, most // 2))
        self._round = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.running = 0

    @property
    def limit(self) -> int:
        """How many requests may be under way now."""
        return int(self._limit)

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn."""
        return len(self._waiting)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Wait for a turn, and hold it while the context is open."""
        await self._enter()
        turn = Turn(self._round)
        try:
            yield turn
        finally:
            self._learn(turn)
            self.running -= 1
            self._admit()

    async def _enter(self) -> None:
        if self.running < self.limit and not self._waiting:
            self.running += 1
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self.running -= 1
                self._admit()
            else:
                self._waiting.remove(mine)
            raise

    def _learn(self, turn: Turn) -> None:
        if turn.round != self._round:
            return  # it began when more were under way, and tells nothing of now
        if turn.is_busy:
            self._round += 1
            self._limit = max(float(self._least), self._limit / 2)
        elif turn.is_good:
            step = 1.0 if self._round == 0 else 1.0 / self._limit
            self._limit = min(float(self._most), self._limit + step)

    def _admit(self) -> None:
        while self._waiting and self.running < self.limit:
            self.running += 1
            self._waiting.popleft().set_result(None)

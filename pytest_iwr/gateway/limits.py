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
    """The line's round in which it began."""
    is_busy: bool = False
    """The endpoint asked for fewer requests; set by who holds the turn."""
    is_good: bool = False
    """The endpoint answered; set by who holds the turn."""


@dataclass
class _Round:
    """What the turns of one round, as many as were under way at once, have met."""

    nth: int = 0
    peak: int = 0
    """Most of all that were under way at once."""
    done: int = 0
    busy: int = 0


class Line:
    """Lets requests to one endpoint begin, in the order in which they came.

    It begins with half of `most`, and each good answer allows one more until the
    endpoint is busy for the first time. From then on the number grows by one a round
    that used it fully, and falls towards half of what was under way by the share that
    was refused: DCTCP's rule (RFC 8257, section 3.3), so that a few refusals by chance
    hardly lower it. It is never below `least`.
    """

    def __init__(self, least: int, most: int) -> None:
        """Both at least 1."""
        self._least, self._most = least, most
        self._limit = float(max(least, most // 2))
        self._is_fast = True
        self._round = _Round()
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
        self._round.peak = max(self._round.peak, self.running)
        turn = Turn(self._round.nth)
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
        now = self._round
        if turn.round != now.nth:
            return  # it began under another limit, and tells nothing of this one
        now.done += 1
        now.busy += turn.is_busy
        if turn.is_good and self._is_fast and not now.busy:
            self._limit = min(float(self._most), self._limit + 1)
        if now.done >= now.peak:
            self._end_round(now)

    def _end_round(self, now: _Round) -> None:
        if now.busy:
            self._is_fast = False
            half = min(self._limit, float(now.peak)) / 2
            fewer = self._limit - now.busy / now.done * (self._limit - half)
            self._limit = max(float(self._least), fewer)
        elif not self._is_fast and now.peak >= self.limit:
            self._limit = min(float(self._most), self._limit + 1)
        self._round = _Round(now.nth + 1, self.running - 1)

    def _admit(self) -> None:
        while self._waiting and self.running < self.limit:
            self.running += 1
            self._waiting.popleft().set_result(None)

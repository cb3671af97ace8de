"""The most that a run may spend, kept before the money is gone."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pytest_iwr.errors import BudgetError

_ROUNDING = 1e-9
"""US dollars that sums of floats may be off."""


class Budget:
    """Counts what was spent, and what the questions under way may still cost."""

    def __init__(self, max_usd: float | None) -> None:
        """`None`: there is no maximum."""
        self._max = math.inf if max_usd is None else max_usd
        self.is_bounded = max_usd is not None
        self.spent_usd = 0.0
        self._reserved = 0.0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def share(self, most_usd: float) -> AsyncIterator["Share"]:
        """Hold the share of a question that is asked once, while it is asked.

        Waits while the questions under way might still cost too much for this one.
        Raises BudgetError where it cannot be paid, even if they cost nothing.
        """
        async with self._changed:
            while self.spent_usd + self._reserved + most_usd > self._max + _ROUNDING:
                if self.spent_usd + most_usd > self._max + _ROUNDING:
                    raise BudgetError(
                        f"up to ${self.spent_usd:.2f} are spent and this request may "
                        f"cost ${most_usd:.2f}, which together is more than the run's "
                        f"maximum of ${self._max:.2f}. Raise --iwr-max-cost and run "
                        "again; what is finished is kept."
                    )
                await self._changed.wait()
            self._reserved += most_usd
        share = Share(self, most_usd)
        try:
            yield share
        finally:
            self._reserved -= share.reserved_usd
            self.spent_usd += share.spent_usd
            async with self._changed:
                self._changed.notify_all()

    def reserve(self, usd: float) -> bool:
        """Set so much aside for what is under way, where it fits; does not wait."""
        fits = self.spent_usd + self._reserved + usd <= self._max + _ROUNDING
        self._reserved += usd if fits else 0.0
        return fits


class Share:
    """What one question may cost."""

    def __init__(self, budget: Budget, most_usd: float) -> None:
        """`most_usd` is what one attempt may cost, and reserved already."""
        self._budget = budget
        self._each_usd = most_usd
        self.reserved_usd = most_usd
        self.spent_usd = 0.0
        """What it has cost, or may have; set by who holds the share."""

    def grow(self) -> bool:
        """Reserve a further attempt, where it fits; does not wait."""
        fits = self._budget.reserve(self._each_usd)
        self.reserved_usd += self._each_usd if fits else 0.0
        return fits

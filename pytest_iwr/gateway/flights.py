"""One flight for each key: its answer comes from the cache, or is asked for once."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pytest_iwr.errors import BudgetError
from pytest_iwr.gateway.advice import advise
from pytest_iwr.gateway.attempts import Attempts
from pytest_iwr.gateway.books import Books, Mode
from pytest_iwr.gateway.budget import Budget
from pytest_iwr.gateway.cache import Entry
from pytest_iwr.gateway.estimate import estimate_tokens
from pytest_iwr.gateway.faults import Answer, Fault
from pytest_iwr.gateway.prices import estimate
from pytest_iwr.gateway.question import Question
from pytest_iwr.gateway.scrub import Scrub
from pytest_iwr.gateway.tally import Tally
from pytest_iwr.records import Asked, GatewayCode

_OVER = "the run ended before there was an answer"


@dataclass(frozen=True)
class Landed:
    """How a question ended: with a body, or with a code and a message."""

    asked: Asked | None = None
    """`None`: nothing was sent."""
    body: bytes | None = None
    code: GatewayCode | None = None
    message: str = ""


@dataclass
class Flights:
    """Answers questions; equal ones that come meanwhile wait for the first."""

    attempts: Attempts
    books: Books
    budget: Budget
    scrub: Scrub
    mode: Mode
    tallies: dict[str, Tally] = field(default_factory=dict)
    """Of the questions under way, by key."""
    retries: int = 0
    """Of the questions that were settled."""
    _flying: dict[str, asyncio.Task[Landed]] = field(default_factory=dict)
    _is_over: bool = False

    @property
    def under_way(self) -> int:
        """How many questions are not settled yet."""
        return len(self._flying)

    async def ask(self, question: Question) -> Landed:
        """Give the answer; it goes on to be fetched if the caller goes away."""
        while (flying := self._flying.get(question.key)) is not None:
            landed = await asyncio.shield(flying)
            self._forget(question.key, flying)
            if not (question.is_fresh and landed.asked and landed.asked.is_hit):
                return self._shared(question, landed)
        flying = asyncio.create_task(self._fly(question))
        self._flying[question.key] = flying
        flying.add_done_callback(lambda done: self._forget(question.key, done))
        return await asyncio.shield(flying)

    def _forget(self, key: str, flown: asyncio.Task[Landed]) -> None:
        if self._flying.get(key) is flown:
            del self._flying[key]

    async def end(self) -> None:
        """Break off what is under way; answers that are there are still kept."""
        self._is_over = True
        flying = list(self._flying.values())
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)

    async def _fly(self, question: Question) -> Landed:
        try:
            if not self._is_over:
                return await self._answered(question)
        except asyncio.CancelledError:
            pass  # by `end`: whoever waits is told, with the connection in order
        return Landed(
            code="iwr_endpoint",
            message=f"{question.config.alias}: {_OVER}. Run again to ask for the rest.",
        )

    async def _answered(self, question: Question) -> Landed:
        entry = None if question.is_fresh else self.books.find(question.key)
        if entry is not None:
            return self._hit(question, entry.asked, entry.body)
        config = question.config
        if self.mode == "only":
            why = "the cache has no answer"
            if question.is_fresh:
                why = "it is asked past the cache, and nothing may be asked"
            return Landed(
                code="iwr_cache_miss",
                message=f"{config.alias}: {question.label or question.purpose}: {why}. "
                "Run with --iwr-cache=auto to ask for it.",
            )
        if config.key_env is not None and not self.attempts.keys.get(config.key_env):
            return Landed(
                code="iwr_endpoint",
                message=f"{config.alias}: there is no key. Set the environment "
                f"variable {config.key_env}.",
            )
        most_usd = estimate(config, *estimate_tokens(question.body))
        if most_usd is None and self.budget.is_bounded:
            return Landed(code="iwr_budget", message=unbounded(config.alias))
        try:
            async with self.budget.share(most_usd or 0.0) as share:
                tally = Tally(asyncio.get_running_loop().time())
                try:
                    return await self._send(question, tally, share.grow)
                finally:
                    share.spent_usd = tally.most_usd(most_usd or 0.0)
        except BudgetError as error:
            return Landed(code="iwr_budget", message=f"{config.alias}: {error}")

    async def _send(
        self, question: Question, tally: Tally, may_repeat: Callable[[], bool]
    ) -> Landed:
        self.tallies[question.key] = tally
        try:
            seen = await self.attempts.ask(question, tally, may_repeat)
        except asyncio.CancelledError:
            if tally.attempts:
                self.books.note(self._asked(question, tally, _OVER))
            raise
        finally:
            self.retries += tally.retries
            del self.tallies[question.key]
        if isinstance(seen, Fault):
            asked = self._asked(question, tally, seen.reason)
            self.books.note(asked)
            words = (asked.reason, advise(seen, question.config))
            message = f"{question.config.alias}: {' '.join(filter(None, words))}"
            return Landed(asked, code="iwr_endpoint", message=message)
        return await self._kept(question, tally, seen)

    async def _kept(self, question: Question, tally: Tally, answer: Answer) -> Landed:
        now_s = asyncio.get_running_loop().time()
        asked = tally.asked(
            question,
            "cut_off" if answer.is_cut_off else "ok",
            now_s=now_s,
            scrub=self.scrub,
        )
        body = self.scrub.answer(answer.body)
        if answer.is_cut_off:
            self.books.note(asked)
        else:
            keeping = asyncio.create_task(self.books.keep(question, Entry(body, asked)))
            await finished(keeping)
        return Landed(asked, body)

    def _asked(self, question: Question, tally: Tally, reason: str) -> Asked:
        now_s = asyncio.get_running_loop().time()
        return tally.asked(
            question, "failed", now_s=now_s, scrub=self.scrub, reason=reason
        )

    def _shared(self, question: Question, landed: Landed) -> Landed:
        """Give the answer that another has fetched; a failure is one for all."""
        if landed.asked is None or landed.body is None:
            return landed
        return self._hit(question, landed.asked, landed.body)

    def _hit(self, question: Question, asked: Asked, body: bytes) -> Landed:
        mine: Mapping[str, object] = {
            "alias": question.config.alias,
            "label": question.label,
            "is_hit": True,
            "attempts": 0,
            "cost_usd": 0.0,
            "cost_source": "cache",
            "waited_s": 0.0,
            "took_s": 0.0,
        }
        hit = asked.model_copy(update=mine)
        self.books.note(hit, is_synced=False)
        return Landed(hit, body)


async def finished(task: asyncio.Task[None]) -> None:
    """Wait for a task to its end, also when this one is cancelled meanwhile."""
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def unbounded(alias: str) -> str:
    """Say why a model without a price cannot be asked under a maximum."""
    return (
        f"{alias}: its price is unknown, so --iwr-max-cost cannot be kept. Add `price: "
        "{input: …, output: …}` in US dollars for a million tokens to the model's "
        "configuration, or drop --iwr-max-cost."
    )

"""The gateway: an OpenAI-compatible proxy on loopback that alone holds the keys."""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import JsonValue
from starlette.types import ASGIApp, Receive, Scope, Send

from pytest_iwr.errors import IwrError, UsageError
from pytest_iwr.gateway.adapt import Adapted
from pytest_iwr.gateway.attempts import Attempts
from pytest_iwr.gateway.books import Books, Mode, read_entry
from pytest_iwr.gateway.budget import Budget
from pytest_iwr.gateway.cache import Cache
from pytest_iwr.gateway.door import Door
from pytest_iwr.gateway.flights import Flights, Landed
from pytest_iwr.gateway.prices import estimate
from pytest_iwr.gateway.question import Question, question
from pytest_iwr.gateway.retry import Patience
from pytest_iwr.gateway.scrub import Scrub
from pytest_iwr.gateway.upstream import Hush, Upstream
from pytest_iwr.loopback import Loopback
from pytest_iwr.records import Asked, ModelConfig, Purpose

_LOGGER = logging.getLogger(__name__)
_THREAD = "iwr-gateway"


class Status(NamedTuple):
    """Where a run stands with its models."""

    running: int
    """Requests under way at endpoints."""
    waiting: int
    """Questions that wait for their turn, for the budget, or to be sent again."""
    asked: int
    """Questions that were settled by asking."""
    hits: int
    """Questions that were answered from the cache."""
    failed: int
    """Of those asked: without an answer."""
    retries: int
    """Requests sent again after a fault."""
    cost_usd: float | None
    """What is known of the spend; `None`: nothing is."""
    unknown_costs: int
    """Questions whose cost is not known."""
    tokens_in: int
    tokens_out: int
    limit: int
    """Requests that may be under way at once, of all endpoints together."""


class Gateway:
    """Answers OpenAI's chat completions for this run, at `url`, for those with `token`.

    It runs in a thread of its own and gives each answer once: from the cache, or by
    asking the endpoint of the model that the alias in a request's `model` names. Keys
    are in its memory only; nothing that it returns, logs or writes holds one.
    """

    def __init__(  # noqa: PLR0913 - all of a run's settings, each by its name
        self,
        models: Mapping[str, ModelConfig],
        *,
        keys: Mapping[str, str],
        cache_dir: Path,
        ledger: Path,
        mode: Mode = "auto",
        connections: tuple[int, int] = (2, 50),
        max_cost_usd: float | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Prepare; nothing is opened before `start`.

        `models` by alias; `keys` the values of environment variables by their names;
        `ledger` a file of JSON lines, appended to; `connections` least and most
        requests under way at one endpoint; `max_cost_usd` of the whole run. Raises
        UsageError for numbers that make no sense.
        """
        least, most = connections
        if not 1 <= least <= most:
            raise UsageError(
                f"{least}-{most}: these are no limits of connections. Give MIN-MAX "
                "with 1 <= MIN <= MAX."
            )
        self._models = dict(models)
        self._cache_dir, self._ledger, self._mode = cache_dir, ledger, mode
        self._connections, self._max_cost_usd = connections, max_cost_usd
        self._patience = patience or Patience()
        self._keys = {name: key.strip() for name, key in keys.items() if key.strip()}
        self._scrub = Scrub(self._keys.values())
        self._warnings: list[str] = []
        self._token = secrets.token_urlsafe(32)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loopback: Loopback | None = None
        self._open: tuple[Books, Upstream, Flights] | None = None
        self._closing = ExitStack()

    @property
    def url(self) -> str:
        """The base URL for a client of OpenAI's API; ends in `/v1`."""
        port = 0 if self._loopback is None else self._loopback.port
        return f"http://127.0.0.1:{port}/v1"

    @property
    def token(self) -> str:
        """The API key for such a client: random, and good for this gateway only."""
        return self._token

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What was settled in this run, in that order; the ledger's lines."""
        return () if self._open is None else tuple(self._open[0].asked)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know although the run goes on; also logged."""
        return tuple(self._warnings)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The aliases whose price is unknown; a maximum cost stops them at once."""
        return tuple(a for a, c in self._models.items() if estimate(c, 1, 1) is None)

    def start(self) -> None:
        """Open cache and ledger and listen; returns once requests are answered.

        Finishes what a killed run has left staged. Raises UsageError where cache or
        ledger cannot be written, IwrError where nothing can listen.
        """
        if self._open is not None:
            raise IwrError(f"{self.url}: the gateway was started. Make another one.")
        with ExitStack() as opened:
            upstream, books = Upstream(), self._books()
            opened.callback(books.close)
            opened.enter_context(Hush(_THREAD))
            self._open = books, upstream, self._flights(books, upstream)
            self._loopback = Loopback(self._app(), name=_THREAD)
            opened.enter_context(self._loopback)
            opened.callback(self._end)
            self._closing = opened.pop_all()

    def _books(self) -> Books:
        try:
            return Books(self._cache_dir, self._ledger, self._mode, self._warn)
        except OSError as error:
            raise UsageError(
                f"{error.filename or self._cache_dir}: cannot be opened: "
                f"{error.strerror}. Make the folders of cache and reports writable."
            ) from error

    def _app(self) -> ASGIApp:
        app = Door(self._token, self._models, self._ask).app()

        async def noted(scope: Scope, receive: Receive, send: Send) -> None:
            self._loop = asyncio.get_running_loop()
            await app(scope, receive, send)

        return noted

    def _flights(self, books: Books, upstream: Upstream) -> Flights:
        attempts = Attempts(
            upstream=upstream,
            keys=self._keys,
            adapted=Adapted(None if self._mode == "off" else self._cache_dir),
            connections=self._connections,
            patience=self._patience,
            warn=self._warn,
        )
        budget = Budget(self._max_cost_usd)
        return Flights(attempts, books, budget, self._scrub, self._mode)

    def close(self) -> None:
        """Break off what is under way and stop; may be called again.

        An answer that has come is kept; a request without one is a failed line of the
        ledger. `asked` and `status` still tell of the run afterwards.
        """
        self._closing.close()

    def _end(self) -> None:
        if self._open is None or self._loop is None:
            return  # nobody has ever asked, so nothing is under way
        _, upstream, flights = self._open

        async def end() -> None:
            await flights.end()
            await upstream.close()

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def status(self) -> Status:
        """Tell where the run stands; from any thread, at any time."""
        if self._open is None:
            return Status(0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0, 0)
        books, _, flights = self._open
        settled = tuple(books.asked)
        asked = [one for one in settled if not one.is_hit]
        known = [one.cost_usd for one in asked if one.cost_usd is not None]
        lines = tuple(flights.attempts.lines.values())
        running = sum(line.running for line in lines)
        under_way = tuple(flights.tallies.values())
        return Status(
            running=running,
            waiting=max(0, flights.under_way - running),
            asked=len(asked),
            hits=len(settled) - len(asked),
            failed=sum(one.status == "failed" for one in asked),
            retries=flights.retries + sum(tally.retries for tally in under_way),
            cost_usd=None if asked and not known else sum(known),
            unknown_costs=len(asked) - len(known),
            tokens_in=sum(one.usage.input or 0 for one in asked),
            tokens_out=sum(one.usage.output or 0 for one in asked),
            limit=sum(line.limit for line in lines),
        )

    def is_cached(
        self,
        alias: str,
        body: Mapping[str, JsonValue],
        purpose: Purpose = "generate",
        epoch: int = 1,
        sample: int = 0,
    ) -> bool:
        """Tell whether this run would answer a request without asking.

        `body` as a client would send it. Needs no `start`. Raises UsageError for an
        alias that is not known.
        """
        config = self._models.get(alias)
        if config is None:
            raise UsageError(f"{alias}: there is no such model. Add it to the models.")
        key = question(config, body, purpose=purpose, epoch=epoch, sample=sample).key
        if self._open is not None:
            return self._open[0].find(key) is not None
        if self._mode in ("off", "refresh"):
            return False
        return read_entry(Cache(self._cache_dir), key, self._warn) is not None

    async def _ask(self, asked: Question) -> Landed:
        assert self._open is not None  # noqa: S101 - the door opens afterwards
        return await self._open[2].ask(asked)

    def _warn(self, words: str) -> None:
        text = self._scrub.words(words)
        self._warnings.append(text)
        _LOGGER.warning("%s", text)

"""Asking until there is an answer, or until asking again makes no sense."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from pytest_iwr.gateway.adapt import Adapted, Change, apply, change_for
from pytest_iwr.gateway.faults import Answer, Fault, read
from pytest_iwr.gateway.limits import Line
from pytest_iwr.gateway.question import Question
from pytest_iwr.gateway.retry import Patience, Wish, read_wish
from pytest_iwr.gateway.tally import Tally
from pytest_iwr.gateway.upstream import Upstream
from pytest_iwr.records import ModelConfig

_CHANGES = 8
"""Most changes of parameters for one question."""


@dataclass
class _Patient:
    """How often one question was answered by a fault."""

    faults: int = 0
    late: int = 0


@dataclass
class Attempts:
    """Sends questions to their endpoints, in turn, as often as it takes."""

    upstream: Upstream
    keys: Mapping[str, str]
    adapted: Adapted
    connections: tuple[int, int]
    """Least and most requests that are under way at one endpoint."""
    patience: Patience
    warn: Callable[[str], None]
    lines: dict[str, Line] = field(default_factory=dict)
    """By base URL."""
    _paused: dict[tuple[str, str], float] = field(default_factory=dict)
    _given_up: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many questions to a model were given up since its last answer."""

    async def ask(
        self, question: Question, tally: Tally, may_repeat: Callable[[], bool]
    ) -> Answer | Fault:
        """Give the answer, or the last fault; `tally` counts meanwhile.

        `may_repeat` tells whether an attempt that may have been billed can be paid for
        once more.
        """
        config, patient = question.config, _Patient()
        known = changes = self.adapted.of(config)
        while True:
            body, tally.adapted = apply(changes, question.body)
            seen = await self._attempt(replace(question, body=body), tally)
            if isinstance(seen, Answer):
                self._given_up[_place(config)] = 0
                self._remember(config, changes)
                return seen
            change = _change(seen, replace(question, body=body), changes)
            if change is not None and len(changes) < len(known) + _CHANGES:
                changes = (*changes, change)
                continue
            wish = read_wish(seen.headers or {}, seen.complaint)
            end = self._end(config, seen, patient, wish)
            if end is None and not seen.is_free and not may_repeat():
                end = " (asking again may cost more than the run's maximum)"
            if end is not None:
                return replace(seen, reason=seen.reason + end)
            tally.retries += 1
            await self._wait(config, seen, patient.faults - 1, wish)

    async def _attempt(self, question: Question, tally: Tally) -> Answer | Fault:
        """Send it once, when neither the line nor a pause holds it back."""
        config, clock = question.config, asyncio.get_running_loop().time
        line = self.line(config.base_url)
        while True:
            await self._pass(config)
            async with line.turn() as turn:
                if self._pause_s(config) > 0:
                    continue
                tally.attempts += 1
                tally.took_s, began = 0.0, clock()
                try:
                    key = self.keys.get(config.key_env or "")
                    sent = await self.upstream.send(config, key, question.body)
                except asyncio.CancelledError:
                    tally.lost += 1
                    raise
                finally:
                    tally.took_s = clock() - began
                    tally.all_took_s += tally.took_s
                seen = sent if isinstance(sent, Fault) else read(sent)
                turn.is_good = isinstance(seen, Answer)
                turn.is_busy = isinstance(seen, Fault) and seen.kind == "busy"
            if seen.data is not None:
                tally.bill(question, seen.data)
            elif not seen.is_free:
                tally.lost += 1
            return seen

    def line(self, base_url: str) -> Line:
        """Give the line of an endpoint."""
        return self.lines.setdefault(base_url.rstrip("/"), Line(*self.connections))

    def _end(
        self, config: ModelConfig, fault: Fault, patient: _Patient, wish: Wish | None
    ) -> str | None:
        """Say why there is no further attempt, or `None` where there is one."""
        patience, place = self.patience, _place(config)
        if fault.kind in ("final", "request"):
            return ""
        patient.faults += 1
        patient.late += fault.kind == "late" or fault.data is not None
        given_up = self._given_up.get(place, 0)
        is_dead = given_up >= patience.few_attempts
        most = patience.few_attempts if is_dead else patience.attempts
        if patient.faults >= most or patient.late >= patience.late_attempts:
            self._given_up[place] = given_up + 1
            return f" (after {patient.faults} attempts)"
        if wish is not None and wish.is_firm and wish.seconds > patience.longest_wish_s:
            return (
                f" (it asks to wait {wish.seconds:.0f} s, which is more than "
                f"{patience.longest_wish_s:.0f} s)"
            )
        return None

    async def _wait(
        self, config: ModelConfig, fault: Fault, nth: int, wish: Wish | None
    ) -> None:
        delay = self.patience.delay_s(nth, wish)
        if fault.kind == "busy" and wish is not None and wish.seconds > 0:
            name, now = _place(config), asyncio.get_running_loop().time()
            self._paused[name] = max(self._paused.get(name, 0.0), now + wish.seconds)
        await asyncio.sleep(delay)

    async def _pass(self, config: ModelConfig) -> None:
        """Wait while the model's endpoint has asked everybody to wait."""
        left = self._pause_s(config)
        if left > 0:
            await asyncio.sleep(left + self.patience.draw() * min(1.0, left / 10))

    def _pause_s(self, config: ModelConfig) -> float:
        now = asyncio.get_running_loop().time()
        until = self._paused.get(_place(config), 0.0)
        return min(until - now, self.patience.longest_wish_s)

    def _remember(self, config: ModelConfig, changes: tuple[Change, ...]) -> None:
        try:
            self.adapted.remember(config, changes)
        except OSError as error:
            self.warn(f"{config.alias}: what its endpoint refuses is not kept: {error}")


def _change(
    fault: Fault, question: Question, changes: tuple[Change, ...]
) -> Change | None:
    if fault.kind != "request" or fault.complaint is None:
        return None
    return change_for(fault.complaint, question.body, changes)


def _place(config: ModelConfig) -> tuple[str, str]:
    return config.base_url.rstrip("/"), config.model

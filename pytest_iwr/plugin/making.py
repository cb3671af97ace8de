"""What a run does beside its tests while models are asked: keys, progress, the bill."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_iwr.plugin.gate import Gate
from pytest_iwr.plugin.keys import start_without
from pytest_iwr.plugin.progress import LiveLine
from pytest_iwr.plugin.workshop import Workshop

if TYPE_CHECKING:
    from pytest_iwr.gateway import Status
    from pytest_iwr.generate.product import ProductGenerator
    from pytest_iwr.plugin.desk import Counts

_MINUTE_S = 60
_QUIET = -2
"""How often `-q` is given, negative, by those who want to see nothing."""


class Overseer:
    """In the process that asks models and makes the pages: watches over it."""

    def __init__(
        self, config: pytest.Config, gate: Gate, workshop: Workshop | None
    ) -> None:
        """Know what to watch; without a workshop pages are stored."""
        self._config = config
        self._gate = gate
        self._workshop = workshop
        self._started_s = time.monotonic()
        self._line: LiveLine | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Show how far the pages are, from the first one on."""
        if self._config.option.verbose > _QUIET:
            self._line = LiveLine(self._config, self._live)
            self._config.pluginmanager.register(self._line, "iwr-live-line")
            self._line.start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Let workers start without keys."""
        start_without(specs, self._gate.secret_names)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Ask nothing more; the line makes room for the summary."""
        self._close()

    def pytest_unconfigure(self) -> None:
        """End what a run without tests has left."""
        self._close()

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Tell what asking has cost."""
        product = self._workshop.product if self._workshop else None
        for line in bill(self._gate.status, product):
            terminalreporter.write_line(line)
        for words in self._gate.warnings:
            terminalreporter.write_line(f"warning: {words}", yellow=True)

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._workshop is not None:
            self._workshop.close()
        self._gate.close()

    def _live(self) -> str:
        status = self._gate.status
        if self._workshop is not None:
            counts = self._workshop.counts
            if counts.done + counts.failed < counts.wanted:
                elapsed_s = time.monotonic() - self._started_s
                return live_line(counts, status, elapsed_s)
        return "" if status is None else asking_line(status)


def live_line(counts: Counts, status: Status | None, elapsed_s: float) -> str:
    """Say how far the pages are, in one line."""
    made = counts.done + counts.failed
    waiting = max(0, counts.wanted - made - counts.running)
    parts = [
        f"{made} of {counts.wanted} pages made",
        f"{counts.running} running",
        f"{waiting} waiting",
    ]
    if counts.failed:
        parts.append(f"{counts.failed} failed")
    if status is not None:
        if status.retries:
            parts.append(_number(status.retries, "retry", "retries"))
        parts.append(spend(status))
    parts.append(f"{made / elapsed_s * _MINUTE_S:.1f} a minute")
    return f"iwr: {', '.join(parts)}"


def spend(status: Status) -> str:
    """Say what has been spent, and of how many answers nobody knows the price."""
    unknown = status.unknown_costs
    if status.cost_usd is None:
        return "cost unknown" if unknown else "spent $0.0000"
    known = f"spent ${status.cost_usd:.4f}"
    return known + (f" + {unknown} unknown" if unknown else "")


def asking_line(status: Status) -> str:
    """Say what is being asked while no page is made; "" where nothing is."""
    if not status.running + status.waiting:
        return ""
    parts = [
        f"{status.asked} requests answered",
        f"{status.running} running",
        f"{status.waiting} waiting",
    ]
    if status.retries:
        parts.append(_number(status.retries, "retry", "retries"))
    return f"iwr: {', '.join(parts)}, {spend(status)}"


def bill(status: Status | None, product: ProductGenerator | None) -> list[str]:
    """Give the lines that tell what asking took."""
    lines = []
    if product is not None:
        cache = product.cache
        lines = [f"pages: {cache.misses} made, {cache.hits} from the cache"]
    if status is None or not status.asked + status.hits:
        return lines
    parts = [f"{status.asked} asked", f"{status.hits} from the cache"]
    if status.retries:
        parts.append(_number(status.retries, "retry", "retries"))
    if status.failed:
        parts.append(f"{status.failed} failed")
    if status.tokens_in or status.tokens_out:
        parts.append(f"{status.tokens_in:,} tokens in, {status.tokens_out:,} out")
    return [*lines, f"models: {', '.join(parts)}; {spend(status)}"]


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"

"""What a run does beside its tests while pages are made: keys, progress, the bill."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_iwr.plugin.keys import start_without
from pytest_iwr.plugin.progress import LiveLine
from pytest_iwr.plugin.workshop import Workshop

if TYPE_CHECKING:
    from pytest_iwr.gateway import Status
    from pytest_iwr.plugin.desk import Counts

_MINUTE_S = 60
_QUIET = -2
"""How often `-q` is given, negative, by those who want to see nothing."""


class Overseer:
    """In the process that makes the pages: watches over it."""

    def __init__(self, config: pytest.Config, workshop: Workshop) -> None:
        """Know what to watch."""
        self._config = config
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
        start_without(specs, self._workshop.secret_names)

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
        for line in bill(self._workshop):
            terminalreporter.write_line(line)
        gateway = self._workshop.gateway
        for words in gateway.warnings if gateway is not None else ():
            terminalreporter.write_line(f"warning: {words}", yellow=True)

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._workshop.close()

    def _live(self) -> str:
        counts = self._workshop.counts
        made = counts.done + counts.failed
        if not counts.wanted or made >= counts.wanted:
            return ""
        elapsed_s = time.monotonic() - self._started_s
        return live_line(counts, self._workshop.status, elapsed_s)


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


def bill(workshop: Workshop) -> list[str]:
    """Give the lines that tell what making the pages took."""
    if workshop.product is not None:
        cache = workshop.product.cache
        return [f"pages: {cache.misses} made, {cache.hits} from the cache"]
    status = workshop.status
    if status is None or not status.asked + status.hits:
        return []
    parts = [f"{status.asked} asked", f"{status.hits} from the cache"]
    if status.retries:
        parts.append(_number(status.retries, "retry", "retries"))
    if status.failed:
        parts.append(f"{status.failed} failed")
    if status.tokens_in or status.tokens_out:
        parts.append(f"{status.tokens_in:,} tokens in, {status.tokens_out:,} out")
    return [f"models: {', '.join(parts)}; {spend(status)}"]


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"

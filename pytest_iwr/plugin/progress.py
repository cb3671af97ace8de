"""The live line: how far the pages are, while tests wait for them.

On a terminal it stands below what pytest writes, and goes before pytest writes on. In
the log of a CI job it is a line of its own now and then.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import pytest

_TICK_S = 1.0
_LOG_EVERY_S = 30.0
_UP, _ERASE_BELOW = "\x1b[1A", "\x1b[J"


class LiveLine:
    """Shows what `tell` says until it is closed; nothing where it says ``""``."""

    def __init__(self, config: pytest.Config, tell: Callable[[], str]) -> None:
        """Take the screen before pytest captures it."""
        self._writer: Any = config.get_terminal_writer()
        self._tell = tell
        # A report may be told of within another one (a lost test is ended so).
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_shown = False
        self._last = ""
        self._screen = _screen()
        self._is_terminal = self._screen is not None and os.isatty(self._screen)

    def start(self) -> None:
        """Show it from now on."""
        if self._screen is not None and self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="iwr-progress", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Take it away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._screen is not None:
            with self._lock:
                self._erase()
            os.close(self._screen)
            self._screen = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self) -> Generator[None]:
        """Make room for what pytest says before a test."""
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self) -> Generator[None]:
        """Make room for what pytest says of a test."""
        with self._lock:
            self._erase()
            return (yield)

    def _run(self) -> None:
        every_s = _TICK_S if self._is_terminal else _LOG_EVERY_S
        while not self._ended.wait(every_s):
            text = self._tell()
            with self._lock:
                if self._is_terminal:
                    self._show(text)
                elif text and text != self._last:
                    is_inside = self._writer.width_of_current_line > 0
                    self._write(("\n" if is_inside else "") + text + "\n")
            self._last = text

    def _show(self, text: str) -> None:
        """Write it below the line that pytest is at, and go back to the place."""
        self._erase()
        if text:
            column = self._writer.width_of_current_line
            below = text[: self._writer.fullwidth - 1]
            self._write(f"\n\r{below}{_UP}\x1b[{column + 1}G")
            self._is_shown = True

    def _erase(self) -> None:
        if self._is_shown:
            self._write(_ERASE_BELOW)
            self._is_shown = False

    def _write(self, text: str) -> None:
        if self._screen is not None:
            with suppress(OSError):  # nobody reads any more
                os.write(self._screen, text.encode())


def _screen() -> int | None:
    """Give a copy of standard output that capturing does not redirect."""
    try:
        return os.dup(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return None  # it is no file, as in pytest within pytest

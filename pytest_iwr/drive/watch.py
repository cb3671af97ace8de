"""The deadline of a browser's work, kept from outside the thread that does it.

On a page that loops for ever some calls of Playwright never return, whatever time-out
they are given. The driving thread says how long it may take; another one looks, and
ends the browser when the time is over.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_iwr import records as r


class Watch:
    """How long the driving thread may go on, and why it was stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: float | None = None
        self._blame: r.Failure | None = None

    def start(self) -> None:
        """Forget the last item."""
        with self._lock:
            self._until = None
            self._blame = None

    def allow(self, seconds: float) -> None:
        """Let the work go on for so many seconds from now."""
        with self._lock:
            if self._blame is None:
                self._until = time.monotonic() + seconds

    def extend(self, seconds: float) -> None:
        """Let what is under way take so many seconds longer."""
        with self._lock:
            if self._until is not None and self._blame is None:
                self._until += seconds

    def rest(self) -> None:
        """Say that nothing is under way."""
        with self._lock:
            self._until = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let no time pass: what goes on inside is not the page's."""
        with self._lock:
            left = None if self._until is None else self._until - time.monotonic()
            if self._blame is None:
                self._until = None
        try:
            yield
        finally:
            with self._lock:
                if left is not None and self._blame is None:
                    self._until = time.monotonic() + left

    def give_up(self, blame: r.Failure) -> None:
        """Ask for the end of the browser now, for this reason."""
        with self._lock:
            self._until = 0.0
            self._blame = self._blame or blame

    def is_over(self) -> bool:
        """Tell whether the browser must be ended; the reason is kept."""
        with self._lock:
            if self._until is None or time.monotonic() < self._until:
                return False
            self._until = None
            self._blame = self._blame or r.Failure(
                kind="page_unresponsive",
                message="the page did not answer in time; it may loop for ever",
            )
            return True

    @property
    def blame(self) -> r.Failure | None:
        """Why the browser was ended; `None` when it was not."""
        with self._lock:
            return self._blame

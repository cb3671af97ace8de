"""Playwright's own trace of a drive: what its trace viewer shows, in one file."""

from contextlib import suppress
from pathlib import Path

from playwright import sync_api as pw

from pytest_iwr.drive.watch import Watch

NAME = "trace.zip"
"""In the item's folder."""
WRITE_S = 30.0
"""How long it may take to write; after that the browser is ended from outside."""


class BrowserTrace:
    """Records pictures, and the page's elements at each call, in groups by step."""

    def __init__(self, context: pw.BrowserContext, watch: Watch) -> None:
        """Record from now on."""
        self._tracing = context.tracing
        self._watch = watch
        self._has_group = False
        self._tracing.start(screenshots=True, snapshots=True)

    def mark(self, words: str) -> None:
        """Let a step begin; it holds all calls up to the next."""
        if self._has_group:
            self._tracing.group_end()
        self._tracing.group(words)
        self._has_group = True

    def keep(self, folder: Path) -> None:
        """Write the trace; there is none where the browser has ended meanwhile."""
        self._watch.allow(WRITE_S)
        with suppress(pw.Error):
            self._tracing.stop(path=folder / NAME)

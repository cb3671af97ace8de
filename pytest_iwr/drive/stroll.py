"""Walks through all that scrolls, so that what a page loads late is there."""

import time

from pytest_iwr.drive.rest import settle
from pytest_iwr.drive.windows import Windows


def stroll(windows: Windows, longest_px: int, deadline: float) -> None:
    """Scroll the page, then its parts that scroll, to their ends; end at its top.

    No further than `longest_px` (CSS pixels). Waits at each step for what comes, until
    `deadline` (monotonic seconds); the parts are left as they were.
    """
    view = windows.views.main
    for number in range(view.ask("scrollers", {"longest": longest_px})):
        while view.ask("stroll", {"number": number}):
            settle(windows, deadline)
            if time.monotonic() >= deadline:
                break
    view.ask("endStroll")
    settle(windows, deadline)

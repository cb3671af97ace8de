"""Waits until a page has come to rest: by events, with a deadline, never by a sleep."""

import time

from playwright.sync_api import Error

from pytest_iwr.drive.views import ViewLostError
from pytest_iwr.drive.windows import Windows

PATIENCE_MS = 400
"""How long a page that only keeps changing is waited for."""
PAUSE_MS = 15
LOADING = "the page is loading"
PICTURES = "pictures are loading"


def settle(windows: Windows, deadline: float) -> str:
    """Wait for the newest window; give "" or what still moved at the deadline.

    `deadline` is a time of the monotonic clock, in seconds.
    """
    while True:
        page = windows.page
        moving = _moving(windows, deadline)
        if time.monotonic() >= deadline:
            return ", ".join(sorted(moving)) or LOADING
        is_loading = windows.views.loading or LOADING in moving
        if windows.is_awaiting_pictures:
            moving.add(PICTURES)
        elif page is windows.page and not is_loading:
            return ", ".join(sorted(moving))
        windows.wait(PAUSE_MS)


def _moving(windows: Windows, deadline: float) -> set[str]:
    """Ask every document to settle; give what still moves in any of them."""
    page = windows.page
    moving: set[str] = set()
    try:
        for view in windows.views.all():
            if view.url.startswith("chrome-error:"):
                continue
            left = max(0.0, deadline - time.monotonic())
            question = {"deadline": left * 1000, "patience": PATIENCE_MS}
            moving.add(view.ask("settle", question))
    except ViewLostError:
        moving.add(LOADING)
    except Error:
        if not page.is_closed() or not windows.count:
            raise
    return moving - {""}

"""Pages of the shared cases, each driven as its notes say."""

from pathlib import Path
from typing import Any

import pytest

from tests.drive.kit import Drive, failure, result, went_well

pytestmark = pytest.mark.needs_shared

OWN = "const R=v=>document.documentElement.dataset.result=v;"
"""What the tests' pages have already."""
RIGHT: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "a list that is redrawn": (
        "01-stale-rerender",
        [
            {
                "click": "the Delete button in the row for Beta",
                "expect": [result("Beta")],
            }
        ],
    ),
    "a frame of another origin": (
        "02-sandboxed-iframe",
        [
            {"type": {"into": "the card number field", "text": "4242"}},
            {"click": "the Pay now button", "expect": [result("paid:4242")]},
        ],
    ),
    "a panel over a page": (
        "04-inner-scroll",
        [
            {
                "scroll": {"in": {"role": "dialog", "name": "Filters"}, "by": 1},
                "expect": [result("panel"), {"scroll": "top"}],
            }
        ],
    ),
    "a name in other names": (
        "06-substring-name",
        [{"click": "1 Dec 2022", "expect": [result("1 Dec 2022")]}],
    ),
    "a banner that is closed": (
        "08-overlay-covers",
        [
            {"click": "Accept in the cookie banner"},
            {"click": "the Place order button", "expect": [result("ordered")]},
        ],
    ),
    "dialogs with a plan": (
        "11-dialog-order",
        [
            {
                "click": "Rename member",
                "dialogs": ["accept", {"answer": "Bo"}, "accept"],
                "expect": [result("saved:Bo")],
            }
        ],
    ),
    "dialogs without a plan": (
        "11-dialog-order",
        [{"click": "Rename member", "expect": [result("cancelled")]}],
    ),
    "a new window": (
        "12-popup-window",
        [
            {"click": {"role": "button", "name": "Open receipt"}},
            {"click": "Mark as read", "expect": [result("printed")]},
        ],
    ),
    "a print dialog": (
        "63-dialog-traps",
        [{"click": "Print", "expect": [result("after-print")]}],
    ),
    "a guard of a draft": (
        "63-dialog-traps",
        [{"type": {"into": "the Draft field", "text": "x"}}],
    ),
    "a network that never rests": (
        "65-never-idle",
        [{"wait": {"text": "Live scores"}}],
    ),
}


def site(shared: Path, case: str, page: str = "page.html") -> dict[str, str | bytes]:
    """Give the files of a case, with the page to open first."""
    files: dict[str, str | bytes] = {
        file.name: file.read_text("utf-8").replace(OWN, "")
        for file in (shared / "cases" / case).iterdir()
        if file.suffix in {".html", ".json"}
    }
    return {**files, "index.html": files[page]}


@pytest.mark.parametrize("kind", RIGHT)
def test_page_is_driven_to_its_outcome(drive: Drive, shared: Path, kind: str) -> None:
    """What a person would reach is reached, and nothing else is touched."""
    case, steps = RIGHT[kind]
    went_well(drive(site(shared, case), *steps), len(steps))


def test_cover_is_named_and_nothing_ordered(drive: Drive, shared: Path) -> None:
    """A button under a banner is not clicked; the message names the banner."""
    trace = drive(
        site(shared, "08-overlay-covers"), {"click": "the Place order button"}
    )
    number, kind, message = failure(trace)
    assert (number, kind) == (1, "covered")
    assert "We use cookies" in message


def test_storm_leaves_a_handful_of_windows(drive: Drive, shared: Path) -> None:
    """Of 25 windows not more than six are open."""
    step = {"click": "Open everything", "timeout_s": 15}
    trace = drive(site(shared, "12-popup-window"), step)
    went_well(trace, 1)
    assert trace.steps[1].windows <= 6


def test_page_without_its_network_lists_what_it_wanted(
    drive: Drive, shared: Path
) -> None:
    """Four addresses off the machine are asked for, and none is reached."""
    trace = drive(site(shared, "47-cdn-offline"), {"wait": result("offline")})
    went_well(trace, 1)
    assert {request.url.split("/")[2] for request in trace.external} == {
        "cdn.tailwindcss.com",
        "fonts.googleapis.com",
        "unpkg.com",
        "picsum.photos",
    }
    assert trace.steps[0].duration_s < 5


@pytest.mark.parametrize(("page", "step"), (("page.html", 1), ("page-on-load.html", 0)))
def test_loop_is_ended_and_the_next_page_is_well(
    drive: Drive, shared: Path, page: str, step: int
) -> None:
    """A loop on a click fails its step, a loop on load the opening."""
    files = site(shared, "62-busy-loop", page)
    trace = drive(files, {"click": "Recalculate", "timeout_s": 1.0})
    assert failure(trace)[:2] == (step, "page_unresponsive")
    went_well(drive("<p>fine</p>", {"wait": {"text": "fine"}}), 1)


def test_endless_alerts_end_the_step(drive: Drive, shared: Path) -> None:
    """The step has failed after a number of dialogs."""
    trace = drive(site(shared, "63-dialog-traps"), {"click": "Alert forever"})
    assert failure(trace)[:2] == (1, "too_many_dialogs")

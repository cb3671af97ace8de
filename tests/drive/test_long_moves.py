"""Scrolling and swiping move what a person would move, as far as is meant."""

import pytest

from tests.drive.kit import Drive, failure, result, went_well

PHONE = {"width": 400, "height": 800, "mobile": True, "touch": True}
TALL = '<div style="height:3000px">tall</div>'


@pytest.mark.parametrize(
    "style",
    (
        "html,body{height:100%;margin:0;overflow:hidden}main{height:100%;overflow:auto}",
        "html{height:100%;overflow:hidden}body{height:100%;margin:0;overflow:auto}",
    ),
)
def test_what_scrolls_in_place_of_the_window_is_the_page(
    drive: Drive, style: str
) -> None:
    """A page whose window never scrolls has one part that does, and fills it."""
    page = f"<style>{style}</style><main>{TALL}</main>"
    step = {"scroll": {"by": 0.5}, "expect": [{"scroll": 0.5}]}
    went_well(drive(page, step), 1)


def test_window_that_is_kept_from_scrolling_does_not(drive: Drive) -> None:
    """What is cut off below the window cannot be reached by the wheel."""
    page = f"<body style='overflow:hidden'>{TALL}"
    assert failure(drive(page, {"scroll": {"by": 0.5}}))[1] == "nothing_scrolled"


ROW = """<div role="region" aria-label="Rows" style="height:200px;overflow:auto;
margin-top:900px"><div style="height:2000px">x</div><p id="t">Target row</p>
<div style="height:900px">x</div></div><script>setInterval(() => {
  const row = t.getBoundingClientRect(), box = t.parentNode.getBoundingClientRect();
  R(row.top >= box.top && row.bottom <= box.bottom && row.top > 0 &&
    row.bottom <= innerHeight ? "in" : "out"); }, 50)</script>"""


@pytest.mark.parametrize("container", ({}, {"in": {"role": "region", "name": "Rows"}}))
def test_scroll_to_a_target_turns_all_that_hides_it(
    drive: Drive, container: dict[str, object]
) -> None:
    """First the page to the part, then the part to its row."""
    step = {"scroll": {"to": "Target row", **container}, "expect": [result("in")]}
    went_well(drive(ROW, step), 1)


def test_scroll_to_a_target_in_a_frame(drive: Drive) -> None:
    """A frame scrolls as any other part does."""
    inner = TALL + "<p>Far</p>"
    page = f"<iframe srcdoc='{inner}' style='width:300px;height:200px'></iframe>"
    went_well(drive(page, {"scroll": {"to": "Far"}}), 1)


def test_swipe_moves_by_the_way_of_the_finger(drive: Drive) -> None:
    """Half a window, from where the page stands, without momentum."""
    meta = '<meta name="viewport" content="width=device-width">'
    page = f"{meta}<body style='margin:0'>{TALL}{TALL}"
    step = {"swipe": {"direction": "up"}, "expect": [{"scroll": 0.5}]}
    went_well(drive(page, step, viewport=PHONE), 1)

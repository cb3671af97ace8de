"""Masks of the reference bound what a page's own masks hide."""

from pytest_iwr.check.masks import GROWTH, bounded
from pytest_iwr.records import Box

REFERENCE = Box(x=100, y=200, width=80, height=40)


def _box(x: float, y: float, width: float, height: float) -> Box:
    return Box(x=x, y=y, width=width, height=height)


def _hidden(boxes: tuple[Box, ...]) -> set[tuple[int, int]]:
    """Give the pixels that boxes hide."""
    return {
        (x, y)
        for box in boxes
        for x in range(round(box.x), round(box.x + box.width))
        for y in range(round(box.y), round(box.y + box.height))
    }


def test_reference_counts_whatever_the_page_has() -> None:
    """A page without the masked part gains nothing by that, and loses nothing."""
    assert bounded([REFERENCE], []) == (REFERENCE,)


def test_part_that_moved_a_little_is_hidden_in_both_places() -> None:
    """A ninth of its size either way is what an honest rebuild is off by."""
    own = _box(108, 196, 80, 40)
    assert bounded([REFERENCE], [own]) == (REFERENCE, own)


def test_grown_part_hides_half_as_much_again_at_most() -> None:
    """A mask over the whole page is cut to about the reference's."""
    hidden = _hidden(bounded([REFERENCE], [_box(0, 0, 1280, 720)]))
    assert 80 * 40 < len(hidden) <= GROWTH * 80 * 40


def test_many_parts_hide_no_more_than_one() -> None:
    """What bounds a mask is the reference, not the number of the page's masks."""
    own = [_box(x, y, 40, 40) for x in range(0, 400, 20) for y in range(0, 400, 20)]
    hidden = _hidden(bounded([REFERENCE], own))
    assert len(hidden) <= GROWTH * 80 * 40


def test_part_elsewhere_hides_nothing_there() -> None:
    """A masked part that is moved over a fault leaves the fault in sight."""
    assert bounded([REFERENCE], [_box(600, 200, 80, 40)]) == (REFERENCE,)


def test_nothing_is_hidden_where_the_reference_shows_none() -> None:
    """The reference has no such part on this screen: all of it is compared."""
    assert bounded([], [_box(0, 0, 500, 500)]) == ()

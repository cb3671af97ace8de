"""Bands: what shows something, wherever it lies."""

import numpy as np
import pytest

from pytest_iwr.check.bands import MARGIN_PX, QUIET_PX, TALLEST_PX, split
from pytest_iwr.check.readings import Rect
from pytest_iwr.images import Picture

NOISE = np.random.default_rng(1).integers(0, 256, (400, 400, 3)).astype(np.uint8)


def white(height: int, width: int) -> Picture:
    """Give a white picture."""
    return np.full((height, width, 3), 255, np.uint8)


def test_one_colour_has_no_band() -> None:
    """There is nothing to look for."""
    assert list(split(white(100, 100))) == []
    assert list(split(white(1, 1))) == []


def test_band_is_what_shows_with_a_margin() -> None:
    """Rows and columns of one colour around it are left out."""
    picture = white(200, 300)
    picture[80:120, 50:90] = NOISE[:40, :40]
    m = MARGIN_PX
    assert list(split(picture)) == [Rect(50 - m, 80 - m, 90 + m, 120 + m)]


def test_content_at_the_rim_needs_no_margin() -> None:
    """A bar at the top begins at the first row."""
    picture = white(100, 100)
    picture[:20] = NOISE[:20, :100]
    (band,) = split(picture)
    assert band == Rect(0, 0, 100, 20 + MARGIN_PX)


def test_quiet_rows_part_bands() -> None:
    """A gap as high as between paragraphs parts, one inside a paragraph does not."""
    picture = white(200, 100)
    for top, bottom in ((20, 30), (30 + QUIET_PX // 2, 60), (60 + 2 * QUIET_PX, 120)):
        picture[top:bottom, 10:90] = NOISE[top:bottom, 10:90]
    assert len(list(split(picture))) == 2


def test_moved_content_gives_equal_bands() -> None:
    """Its pixels are the same, so what was read of it holds."""
    picture = white(200, 300)
    picture[40:60, 50:90] = NOISE[:20, :40]
    moved = np.roll(picture, (70, 100), axis=(0, 1))
    (one,), (two,) = split(picture), split(moved)
    assert np.array_equal(one.of(picture), two.of(moved))


def test_band_has_a_tallest() -> None:
    """A page without a quiet row is cut, so that memory has a bound."""
    tall = np.tile(NOISE, (6, 1, 1))[: 2 * TALLEST_PX + 9]
    bands = list(split(tall))
    assert [band.height for band in bands] == [TALLEST_PX, TALLEST_PX, 9]


@pytest.mark.parametrize(("thick", "count"), ((2, 2), (12, 1), (120, 2)))
def test_large_letter_is_not_cut(thick: int, count: int) -> None:
    """Equal rows through a stem part nothing; through a border or a panel they do."""
    picture = white(200, 300)
    picture[20:40, 20:200] = NOISE[:20, :180]
    picture[40:120, 60 : 60 + thick] = 0
    picture[120:140, 20:200] = NOISE[:20, :180]
    assert len(list(split(picture))) == count

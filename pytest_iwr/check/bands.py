"""Cuts a picture into the bands that show something, at rows where nothing changes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pytest_iwr.check.readings import Rect
from pytest_iwr.images import Picture

QUIET_PX = 16
"""So many equal rows part two bands; the gaps inside a paragraph are smaller."""
STEM_PX = range(4, 40)
"""Equal rows with something this wide may run through a large letter, such as I, H or
1, and part nothing. Rules and borders are thinner, panels wider."""
MARGIN_PX = QUIET_PX // 2
"""Equal rows and columns that a band keeps around what it shows."""
TALLEST_PX = 1024
"""A band without a quiet place is cut here, so that memory has a bound."""


def split(picture: Picture) -> Iterator[Rect]:
    """Give the bands from top to bottom; what they leave out is of one colour.

    A band depends on what it shows and not on where: content that only moved gives an
    equal band, which need not be read again.
    """
    width = picture.shape[1]
    for first, last in _parts(picture):
        for top in range(first, last, TALLEST_PX):
            bottom = min(top + TALLEST_PX, last)
            columns = np.flatnonzero(_steps(picture[top:bottom]).any(axis=0))
            if columns.size:
                left, right = _with_margin(columns[0], columns[-1], width)
                yield Rect(left, top, right, bottom)


def _parts(picture: Picture) -> Iterator[tuple[int, int]]:
    """Give the rows from a change to the last one before a gap, with the margin."""
    places = np.flatnonzero((picture[1:] != picture[:-1]).any(axis=(1, 2)))
    if not places.size:
        return
    length, first = picture.shape[0], places[0]
    for end in np.flatnonzero(np.diff(places) > QUIET_PX):
        last, following = places[end], places[end + 1]
        if _is_gap(picture[following]):
            yield _with_margin(first, last, length)
            first = following
    yield _with_margin(first, places[-1], length)


def _is_gap(row: Picture) -> bool:
    """Tell a row between contents from one through a letter."""
    widths = np.diff(np.flatnonzero(_steps(row[np.newaxis])[0]))
    return not ((widths >= STEM_PX.start) & (widths < STEM_PX.stop)).any()


def _steps(rows: Picture) -> NDArray[np.bool_]:
    """Tell where a pixel differs from the next one in its row."""
    return np.asarray((rows[:, 1:] != rows[:, :-1]).any(axis=2))


def _with_margin(first: np.intp, last: np.intp, length: int) -> tuple[int, int]:
    return max(0, int(first) + 1 - MARGIN_PX), min(length, int(last) + 1 + MARGIN_PX)

"""Cuts a picture into the bands that show something, at rows where nothing changes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pytest_iwr.check.readings import Rect
from pytest_iwr.images import Picture

QUIET_PX = 16
"""So many equal rows part two bands; the gaps inside a paragraph are smaller."""
MARGIN_PX = QUIET_PX // 2
"""Equal rows and columns that a band keeps around what it shows."""
TALLEST_PX = 1024
"""A band without a quiet place is cut here, so that memory has a bound."""


def split(picture: Picture) -> Iterator[Rect]:
    """Give the bands from top to bottom; what they leave out is of one colour.

    A band depends on what it shows and not on where: content that only moved gives an
    equal band, which need not be read again.
    """
    height, width = picture.shape[:2]
    for first, last in _parts((picture[1:] != picture[:-1]).any(axis=(1, 2))):
        for top in range(first, last, TALLEST_PX):
            bottom = min(top + TALLEST_PX, last)
            rows = picture[top:bottom]
            columns = np.flatnonzero((rows[:, 1:] != rows[:, :-1]).any(axis=(0, 2)))
            if columns.size:
                left, right = _with_margin(columns[0], columns[-1], width)
                yield Rect(left, top, right, min(bottom, height))


def _parts(changes: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Give where rows change, parted at quiet places; `changes[i]`: row i to i + 1."""
    places = np.flatnonzero(changes)
    if places.size:
        ends = np.flatnonzero(np.diff(places) > QUIET_PX)
        firsts = places[np.concatenate(([0], ends + 1))]
        lasts = places[np.concatenate((ends, [places.size - 1]))]
        for first, last in zip(firsts, lasts, strict=True):
            yield _with_margin(first, last, len(changes) + 1)


def _with_margin(first: np.intp, last: np.intp, length: int) -> tuple[int, int]:
    return max(0, int(first) + 1 - MARGIN_PX), min(length, int(last) + 1 + MARGIN_PX)

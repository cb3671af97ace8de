"""Structure similarity: do two pictures have the same shapes and colours in place?"""

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr.images import Picture

VERSION = "1"
CELLS_PX = (8, 16, 32)
"""Sides of the cells that pictures are looked at in, from fine to coarse."""
WINDOW_CELLS = 1.5
"""Standard deviation of the window in which a cell's surroundings are summed up."""
STRICT = 0.2
"""Share of what must lie in the very place; the rest may move within the window."""
UNSEEN = 2.0
"""Lab units: contrast that hardly counts, such as texture and smoothing."""
COLOUR = 18.0
"""Lab units: colours at this distance are 37 % alike, at half of it 78 %."""
EMPTY, FULL = 0.5, 15.0
"""Lab units: the least and the most that the edges in a cell can weigh."""
WRONG = 5.0
"""Lab units: what a cell weighs in addition where the colour is all wrong."""
_HALF = 2
"""Pixels for one pixel of what is worked with."""

_Map = NDArray[np.float32]


def similarity(reference: Picture, shot: Picture, ignored: NDArray[np.bool_]) -> float:
    """Give how alike layout and colour are, 0..1; equal pictures give 1.0.

    In cells of three sizes, over the three Lab channels: how alike the local edges
    are, in strength and direction, mixed with the structure term of SSIM (Wang et al.
    2004), times how alike the local mean colours are. A cell weighs what its edges
    weigh on the side that has more of them; so two pages are not alike because both
    are mostly white, and what only one of them shows counts. Wrong colours weigh in
    addition. `ignored`, of the size that both pictures have in common or larger, is
    left out. What lies outside of that common size counts as different.
    """
    height = min(reference.shape[0], shot.shape[0])
    width = min(reference.shape[1], shot.shape[1])
    one, two = (_lab(picture[:height, :width]) for picture in (reference, shot))
    hidden = np.where(ignored[:height, :width], np.uint8(255), np.uint8(0))
    seen = np.asarray(1 - _shrink(hidden, _HALF) / 255, np.float32)
    edges = _edges(one), _edges(two)
    maps = (one, two, *edges, seen)
    scores = [_at(*(_shrink(x, cell / _HALF) for x in maps)) for cell in CELLS_PX]
    common = height * width
    union = reference.shape[0] * reference.shape[1]
    union += shot.shape[0] * shot.shape[1] - common
    share: float = common / union
    return share * sum(scores) / len(scores)


def _at(one: _Map, two: _Map, edges_one: _Map, edges_two: _Map, seen: _Map) -> float:
    """Compare at one scale; all maps have one entry a cell."""
    colours = np.exp(-((_length(_around(one) - _around(two)) / COLOUR) ** 2))
    strong_one, strong_two = _around(edges_one), _around(edges_two)
    both = 2 * (strong_one * strong_two).sum(axis=2)
    each = (strong_one**2 + strong_two**2).sum(axis=2)
    loose = (both + UNSEEN**2) / (each + UNSEEN**2)
    shapes = STRICT * _structure(one, two) + (1 - STRICT) * loose
    strongest = np.maximum(_length(strong_one), _length(strong_two))
    weight = seen * (EMPTY + np.minimum(strongest, FULL))
    total = float((weight + seen * WRONG * (1 - colours)).sum())
    return float((weight * shapes * colours).sum()) / total if total else 0.0


def _structure(one: _Map, two: _Map) -> _Map:
    """Give contrast and structure of SSIM over three channels, without negatives."""
    mean_one, mean_two = _around(one), _around(two)
    varies_one = (_around(one * one) - mean_one * mean_one).sum(axis=2)
    varies_two = (_around(two * two) - mean_two * mean_two).sum(axis=2)
    together = (_around(one * two) - mean_one * mean_two).sum(axis=2)
    ratio = (2 * together + UNSEEN**2) / (varies_one + varies_two + UNSEEN**2)
    return np.asarray(np.clip(ratio, 0, 1), np.float32)


def _lab(picture: Picture) -> _Map:
    """Give lightness 0..100 and two axes of colour, at half size."""
    small = _shrink(picture, _HALF) / 255
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2Lab), np.float32)


def _edges(lab: _Map) -> _Map:
    """Give how much colour changes from left to right, and from top to bottom."""
    edges = np.zeros((*lab.shape[:2], 2), np.float32)
    edges[:, 1:-1, 0] = _length(lab[:, 2:] - lab[:, :-2])
    edges[1:-1, :, 1] = _length(lab[2:] - lab[:-2])
    return edges


def _shrink(values: Picture | _Map, cell: float) -> _Map:
    height, width = values.shape[:2]
    size = max(1, round(width / cell)), max(1, round(height / cell))
    smaller = cv2.resize(values, size, interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, np.float32)


def _around(values: _Map) -> _Map:
    rim = cv2.BORDER_REFLECT
    blurred = cv2.GaussianBlur(values, (0, 0), WINDOW_CELLS, borderType=rim)
    return np.asarray(blurred, np.float32)


def _length(values: _Map) -> _Map:
    return np.asarray(np.sqrt((values**2).sum(axis=2)), np.float32)

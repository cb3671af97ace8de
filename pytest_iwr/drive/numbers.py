"""Numbers drawn on a picture of the window: each beside its element, in a frame.

Whatever is drawn for one element has one colour and hangs together, and no element near
it has the same.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr import records as r
from pytest_iwr.images import Picture

LONGEST_PX = 1568
"""Of a picture's sides: what is larger models shrink, and numbers with it."""
COLOURS = (
    (176, 39, 27),
    (30, 30, 190),
    (20, 110, 20),
    (150, 30, 140),
    (10, 80, 170),
    (110, 100, 0),
    (60, 60, 60),
    (110, 20, 220),
    (160, 60, 90),
    (40, 70, 100),
)
"""Blue, green, red: dark, so that white digits are read on them."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SIZE = 0.46
_PAD = 2
_WHITE = (255, 255, 255)
_NEAR_PX = 40
_FAR_PX = 160
"""The farthest that a number is drawn from its element."""
_SMALL_PX2 = 2500
"""An element smaller than this is not covered by another one's number."""
_TAKEN, _TEXT, _SMALL, _OTHER, _LINE = 1e6, 10.0, 6.0, 0.25, 0.5
"""What covering a pixel costs: of a number, of text, of a small element, of another
element, of a frame."""
_OWN = ((0.25, 0.06), (0.6, 0.2), (math.inf, 3.0))
"""What covering a pixel of the element itself costs, up to which share of it."""


class Mark(NamedTuple):
    """An element that is numbered."""

    number: int
    box: r.Box
    """Pixels of the picture."""


_Point = tuple[int, int]


class _Rect(NamedTuple):
    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        return (self.right - self.left) * (self.bottom - self.top)

    def spread(self, by: int) -> "_Rect":
        return _Rect(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def holds(self, other: "_Rect") -> bool:
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def meets(self, other: "_Rect") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def fit(picture: Picture) -> tuple[Picture, float]:
    """Give a picture no larger than models take it, and what it was scaled by."""
    factor = min(1.0, LONGEST_PX / max(picture.shape[:2]))
    if factor == 1.0:
        return picture, factor
    height, width = picture.shape[:2]
    size = max(1, round(width * factor)), max(1, round(height * factor))
    smaller = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return smaller.astype(np.uint8), factor


def draw(picture: Picture, marks: Sequence[Mark], texts: Iterable[r.Box]) -> bytes:
    """Give the picture with its marks as PNG; numbers keep clear of `texts`.

    Equal input gives equal bytes.
    """
    drawn = picture.copy()
    rects = [_outline(mark.box, picture) for mark in marks]
    colours = _colours(rects)
    cost = _Cost(picture.shape[0], picture.shape[1])
    for text in texts:
        cost.add(_rect(text), _TEXT)
    for rect in rects:
        cost.add(rect, _cost_of(rect))
        cost.add_frame(rect, _LINE)
    for rect in rects:
        _frame(drawn, rect.spread(1), _WHITE)  # it shows on dark pages, too
    for rect, colour in zip(rects, colours, strict=True):
        _frame(drawn, rect, colour)
    plates: list[tuple[_Rect, Picture]] = []
    todo = list(zip(marks, rects, colours, strict=True))
    # Small ones first: a large one has more room for its number.
    for mark, rect, colour in sorted(todo, key=lambda one: one[1].area):
        plate = _plate(str(mark.number), colour)
        place = cost.place(rect, plate.shape[1], plate.shape[0])
        _join(drawn, rect, place, colour)
        plates.append((place, plate))
    for place, plate in plates:
        drawn[place.top : place.bottom, place.left : place.right] = plate
    written, data = cv2.imencode(".png", drawn, [cv2.IMWRITE_PNG_COMPRESSION, 6])
    if not written:
        raise AssertionError(picture.shape)
    return data.tobytes()


def _rect(box: r.Box) -> _Rect:
    return _Rect(
        math.floor(box.x),
        math.floor(box.y),
        math.ceil(box.x + box.width),
        math.ceil(box.y + box.height),
    )


def _outline(box: r.Box, picture: Picture) -> _Rect:
    """Give the frame of an element: around it, where the picture has room for it."""
    height, width = picture.shape[:2]
    around = _rect(box).spread(2)
    left, top = min(max(0, around.left), width - 4), min(max(0, around.top), height - 4)
    right, bottom = min(width, around.right), min(height, around.bottom)
    return _Rect(left, top, max(left + 4, right), max(top + 4, bottom))


def _colours(rects: Sequence[_Rect]) -> list[tuple[int, int, int]]:
    """Give each frame a colour that none near it has, as far as there are enough."""
    chosen: list[int] = []
    for number, rect in enumerate(rects):
        wide = rect.spread(_NEAR_PX)
        near = [chosen[i] for i in range(number) if wide.meets(rects[i])]
        used = [near.count(colour) for colour in range(len(COLOURS))]
        turn = number % len(COLOURS)
        order = [*range(turn, len(COLOURS)), *range(turn)]
        chosen.append(min(order, key=lambda colour: used[colour]))
    return [COLOURS[colour] for colour in chosen]


class _Cost:
    """What a number would cover, wherever it is put."""

    def __init__(self, height: int, width: int) -> None:
        self._cost = np.zeros((height, width), np.float32)
        self._height, self._width = height, width

    def add(self, rect: _Rect, cost: float) -> None:
        """Let every pixel of a place cost at least so much."""
        part = self._part(rect)
        np.maximum(part, cost, out=part)

    def add_frame(self, rect: _Rect, cost: float) -> None:
        """Let the edges of a place cost."""
        left, top, right, bottom = rect
        for edge in (
            _Rect(left, top, right, top + 2),
            _Rect(left, bottom - 2, right, bottom),
            _Rect(left, top, left + 2, bottom),
            _Rect(right - 2, top, right, bottom),
        ):
            self.add(edge, cost)

    def place(self, rect: _Rect, width: int, height: int) -> _Rect:
        """Give the cheapest place for a number, and take it."""
        best, least = None, math.inf
        for left, top, extra in _places(rect, width, height):
            if extra >= least:
                break  # they only get dearer
            place = self._within(left, top, width, height)
            covered = float(self._part(place).sum())
            cost = max(0.0, covered - self._own(place, rect)) + extra
            if cost < least:
                cost += self._along(_way(rect, place))
            if cost < least:
                best, least = place, cost
        if best is None:
            raise AssertionError(rect)
        self.add(best, _TAKEN)
        return best

    def _own(self, place: _Rect, rect: _Rect) -> float:
        """Give how much cheaper it is that what is covered is the element itself."""
        own = _Rect(
            max(place.left, rect.left),
            max(place.top, rect.top),
            min(place.right, rect.right),
            min(place.bottom, rect.bottom),
        )
        if own.right <= own.left or own.bottom <= own.top:
            return 0.0
        share = next(cost for most, cost in _OWN if own.area <= most * rect.area)
        free = int(np.count_nonzero(self._part(own) < _TEXT))
        return free * (_cost_of(rect) - share)

    def _along(self, way: tuple[_Point, _Point] | None) -> float:
        """Give what a line covers of words and numbers."""
        if way is None:
            return 0.0
        (x, y), (to_x, to_y) = way
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        columns = np.linspace(x, to_x, steps + 1).round().astype(np.intp)
        rows = np.linspace(y, to_y, steps + 1).round().astype(np.intp)
        costs = self._cost[
            rows.clip(0, self._height - 1), columns.clip(0, self._width - 1)
        ]
        return float(costs[(costs >= _SMALL)].clip(0, 4 * _TEXT).sum())

    def _within(self, left: int, top: int, width: int, height: int) -> _Rect:
        left = min(max(0, left), self._width - width)
        top = min(max(0, top), self._height - height)
        return _Rect(left, top, left + width, top + height)

    def _part(self, rect: _Rect) -> NDArray[np.float32]:
        rows = slice(max(0, rect.top), max(0, rect.bottom))
        return self._cost[rows, max(0, rect.left) : max(0, rect.right)]


def _places(rect: _Rect, width: int, height: int) -> Iterable[tuple[int, int, float]]:
    """Give left, top and extra cost of places for a number, the cheapest first."""
    left, top, right, bottom = rect
    middle = (top + bottom - height) // 2
    yield left, top - height, 0.0
    yield right - width, top - height, 0.2
    yield left - width, middle, 0.4
    yield right, middle, 0.4
    yield left, bottom, 0.6
    yield right - width, bottom, 0.6
    yield left - width, top, 0.8
    yield right, top, 0.8
    for x in (right - width, left, *range(right - width, left, -12)):
        yield x, middle, 4.0
    for y in (top, bottom - height):
        yield right - width, y, 5.0
        yield left, y, 5.0
    for way in range(4, _FAR_PX, 6):
        for x in range(left - width - way, right + way + 1, 12):
            yield x, top - height - way, 12.0 + 5 * way
            yield x, bottom + way, 12.0 + 5 * way
        for y in range(top - way, bottom + way + 1, 8):
            yield left - width - way, y, 12.0 + 5 * way
            yield right + way, y, 12.0 + 5 * way


def _cost_of(rect: _Rect) -> float:
    """Give what another one's number costs for each pixel of an element."""
    return _SMALL if rect.area < _SMALL_PX2 else _OTHER


def _frame(picture: Picture, rect: _Rect, colour: tuple[int, int, int]) -> None:
    corner = (rect.right - 1, rect.bottom - 1)
    cv2.rectangle(picture, (rect.left, rect.top), corner, colour, 1, cv2.LINE_8)
    inner = (rect.right - 2, rect.bottom - 2)
    cv2.rectangle(picture, (rect.left + 1, rect.top + 1), inner, colour, 1, cv2.LINE_8)


def _join(
    picture: Picture, rect: _Rect, place: _Rect, colour: tuple[int, int, int]
) -> None:
    """Draw a line from a number that does not touch its frame to it."""
    way = _way(rect, place)
    if way is not None:
        cv2.line(picture, *way, colour, 1, cv2.LINE_8)


def _way(rect: _Rect, place: _Rect) -> tuple[_Point, _Point] | None:
    """Give the line from a number to its frame; `None`: they touch."""
    x, y = (place.left + place.right) // 2, (place.top + place.bottom) // 2
    if rect.spread(-2).holds(place):
        ends = (
            (x, rect.top),
            (x, rect.bottom - 1),
            (rect.left, y),
            (rect.right - 1, y),
        )
        return (x, y), min(ends, key=lambda end: abs(end[0] - x) + abs(end[1] - y))
    if rect.spread(1).meets(place):
        return None
    along = min(max(x, rect.left), rect.right - 1)
    down = min(max(y, rect.top), rect.bottom - 1)
    return (x, y), (along, down)


def _plate(text: str, colour: tuple[int, int, int]) -> Picture:
    """Give a number in white on its colour."""
    (wide, tall), _ = cv2.getTextSize(text, _FONT, _SIZE, 1)
    plate = np.empty((tall + 2 * _PAD + 1, wide + 2 * _PAD, 3), np.uint8)
    plate[:] = colour
    place = (_PAD, tall + _PAD)
    cv2.putText(plate, text, place, _FONT, _SIZE, _WHITE, 1, cv2.LINE_AA)
    return plate

"""Eyes of a scripted model: numbers and their frames, read from a picture alone.

Nothing is known here of how the numbers were drawn but that number and frame have one of
some colours and hang together; digits are read by the project's own text recognition.
"""

import base64
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr.check.engine import Engine
from pytest_iwr.drive.numbers import COLOURS
from pytest_iwr.images import Picture, decode

Rect = tuple[int, int, int, int]
"""Left, top, right, bottom."""
_PLATE_PX = (14, 11)
"""Less than height and width of a number's plate, more than any line."""

_ENOUGH = (0.25, 0.1)
"""Of a column, of a row of a plate, at least, has its colour: digits are thin."""


@dataclass
class Sight:
    """Reads pictures; what it has read once it knows."""

    engine: Engine
    known: dict[bytes, str] = field(default_factory=dict)

    def marks(self, picture: Picture) -> dict[int, Rect]:
        """Give the frame of every number in a picture."""
        seen: dict[int, Rect] = {}
        for colour in COLOURS:
            mask = np.asarray(cv2.inRange(picture, colour, colour), np.uint8)
            _, labels = cv2.connectedComponents(mask, connectivity=8)
            for x, y, width, height in _plates(mask):
                part = labels[y : y + height, x : x + width]
                names, counts = np.unique(part[part > 0], return_counts=True)
                name = names[np.argmax(counts)]
                top, bottom = _run(mask[y : y + height, x : x + width], axis=1)
                left, right = _run(mask[y + top : y + bottom, x : x + width], axis=0)
                text = self.read(picture[y + top : y + bottom, x + left : x + right])
                number = int(text)
                assert number not in seen, number
                plate = (x, y, x + width, y + height)
                seen[number] = _frame(labels == name, plate)
        return seen

    def read(self, part: Picture) -> str:
        """Give the words in a part of a picture."""
        key = part.tobytes() + repr(part.shape).encode()
        if key not in self.known:
            large = cv2.resize(part, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
            roomy = cv2.copyMakeBorder(large, 9, 9, 18, 18, cv2.BORDER_REPLICATE)
            self.known[key] = self.engine.read(np.asarray(roomy, np.uint8)).text
        return self.known[key]

    def words(self, picture: Picture) -> str:
        """Give all words of a picture, line by line."""
        rects = self.engine.find(picture)
        lines = (picture[r.top : r.bottom, r.left : r.right] for r in rects)
        return "\n".join(self.read(np.ascontiguousarray(line)) for line in lines)


def picture_of(url: str) -> Picture:
    """Open the picture of a data URL."""
    return decode(base64.b64decode(url.partition(",")[2]))


def _plates(mask: NDArray[np.uint8]) -> list[Rect]:
    """Give left, top, width and height of what is filled, but for thin white lines."""
    whole = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    solid = cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones(_PLATE_PX, np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(solid)
    return [(int(x), int(y), int(w), int(h)) for x, y, w, h, _ in stats[1:]]


def _run(part: NDArray[np.uint8], axis: int) -> tuple[int, int]:
    """Give the longest run of rows (1) or columns (0) that have enough of the colour."""
    full = np.flatnonzero(np.append((part > 0).mean(axis=axis) < _ENOUGH[axis], 1))
    starts = np.concatenate(([0], full[:-1] + 1))
    best = int(np.argmax(full - starts))
    return int(starts[best]), int(full[best])


def _frame(mark: NDArray[np.bool_], plate: Rect) -> Rect:
    """Give what a mark's frame goes around: its largest hole, else all but its plate."""
    shape = mark.astype(np.uint8)
    contours, tree = cv2.findContours(shape, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    holes = [
        cv2.boundingRect(contour)
        for contour, (_, _, _, parent) in zip(contours, tree[0], strict=True)
        if parent >= 0
    ]
    if holes:
        x, y, width, height = max(holes, key=lambda box: box[2] * box[3])
        if width > 3 and height > 3 and not _within((x, y, width, height), plate):
            return x, y, x + width, y + height
    left, top, right, bottom = plate
    shape[top:bottom, left:right] = 0
    rows, columns = np.nonzero(shape)
    assert len(rows), plate
    return (
        int(columns.min()),
        int(rows.min()),
        int(columns.max()) + 1,
        int(rows.max()) + 1,
    )


def _within(box: Rect, plate: Rect) -> bool:
    x, y, width, height = box
    left, top, right, bottom = plate
    return left <= x and top <= y and x + width <= right and y + height <= bottom

"""What a comparison leaves out: the reference's masks, and the page's close to them."""

from collections.abc import Iterator, Sequence
from math import sqrt

from pytest_iwr.records import Box

GROWTH = 1.5
"""Of a reference's mask, the area within which a page's own masks count. A side is 1.22
times as long then, so an element may lie or grow by a ninth of its size either way."""


def bounded(reference: Sequence[Box], own: Sequence[Box]) -> tuple[Box, ...]:
    """Give the reference's boxes, and of the page's own what lies about them.

    A page's box is cut to each box of the reference made `GROWTH` times as large in
    place. So whatever the page does, it hides at most half as much again, and only
    beside what is hidden anyway. All boxes in the same pixels.
    """
    grown = [_grown(box) for box in reference]
    return (*reference, *(part for box in own for part in _parts(box, grown)))


def _grown(box: Box) -> Box:
    width, height = box.width * sqrt(GROWTH), box.height * sqrt(GROWTH)
    x = box.x - (width - box.width) / 2
    y = box.y - (height - box.height) / 2
    return Box(x=x, y=y, width=width, height=height)


def _parts(box: Box, frames: Sequence[Box]) -> Iterator[Box]:
    for frame in frames:
        left, top = max(box.x, frame.x), max(box.y, frame.y)
        right = min(box.x + box.width, frame.x + frame.width)
        bottom = min(box.y + box.height, frame.y + frame.height)
        if left < right and top < bottom:
            yield Box(x=left, y=top, width=right - left, height=bottom - top)

"""High-level similarity without a judge: blocks of text by place, size and colour."""

from collections.abc import Sequence
from math import dist, exp, sqrt
from typing import NamedTuple

from pytest_iwr.check.ocr import Line
from pytest_iwr.check.readings import Rect
from pytest_iwr.check.text import alike_pairs

VERSION = "blocks 1"
LEAST_ALIKE = 0.5
"""Texts less alike than this are never taken for the same block."""
REACH = 0.25
"""Part of the picture's width: a block this far off is not in its place at all."""
COLOUR = 25.0
"""Lab units: colours at this distance are 37 % alike."""
GAP = 0.8
"""Lines of a row nearer than this part of their height are one block."""


class Match(NamedTuple):
    """A block of the reference and the one of the shot taken for it."""

    reference: Line
    shot: Line
    value: float
    """0..1: likeness of the texts × mean of place, size and colour."""


def similarity(
    reference: Sequence[Line], shot: Sequence[Line], width: int
) -> float | None:
    """Give how well the blocks agree, 0..1; `None` when neither side has text.

    Σ over the matches (weight of both blocks × value) / Σ of all blocks' weights; a
    block weighs the square root of its area. So text that is missing, and text that
    is too much, counts as different. In the spirit of Design2Code (Si et al. 2024),
    whose four scores are averaged and not joined block by block. `width`: of the
    reference, in pixels.
    """
    ours, theirs = blocks(reference), blocks(shot)
    total = sum(_weight(block) for block in (*ours, *theirs))
    if not total:
        return None
    matched = (
        (_weight(match.reference) + _weight(match.shot)) * match.value
        for match in match_blocks(ours, theirs, width)
    )
    return sum(matched) / total


def match_blocks(
    reference: Sequence[Line], shot: Sequence[Line], width: int
) -> tuple[Match, ...]:
    """Pair blocks, the best pair first; of equal pairs the first in reading order.

    Each block is in one pair at most. Choosing greedily may miss the best sum where
    equal texts stand side by side; it needs no solver and has one answer.
    """
    texts = alike_pairs(*([block.text for block in side] for side in (reference, shot)))
    pairs = sorted(
        (-text * _fits(reference[i], shot[j], width), i, j)
        for i, j, text in texts
        if text >= LEAST_ALIKE
    )
    left, right = set(range(len(reference))), set(range(len(shot)))
    matches = []
    for value, i, j in pairs:
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            matches.append(Match(reference[i], shot[j], -value))
    return tuple(matches)


def blocks(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Join lines that stand close in a row: recognition parts them now and then."""
    joined: list[Line] = []
    for line in lines:
        if joined and _is_close(joined[-1].rect, line.rect):
            joined[-1] = _join(joined[-1], line)
        else:
            joined.append(line)
    return tuple(joined)


def _is_close(one: Rect, two: Rect) -> bool:
    overlap = min(one.bottom, two.bottom) - max(one.top, two.top)
    height = min(one.height, two.height)
    gap = two.left - one.right
    return overlap > height / 2 and -height < gap <= GAP * height


def _join(one: Line, two: Line) -> Line:
    rect = Rect(
        min(one.rect.left, two.rect.left),
        min(one.rect.top, two.rect.top),
        max(one.rect.right, two.rect.right),
        max(one.rect.bottom, two.rect.bottom),
    )
    longer = max(one, two, key=lambda line: len(line.text))
    return longer._replace(text=f"{one.text} {two.text}", rect=rect)


def _fits(one: Line, two: Line, width: int) -> float:
    colour = (_tone(one.ink, two.ink) + _tone(one.ground, two.ground)) / 2
    place = _place(one.rect, two.rect, width)
    return (place + _size(one.rect, two.rect) + colour) / 3


def _place(one: Rect, two: Rect, width: int) -> float:
    across = abs(one.left + one.right - two.left - two.right) / 2
    down = abs(one.top + one.bottom - two.top - two.bottom) / 2
    return max(0.0, 1 - max(across, down) / (REACH * width))


def _size(one: Rect, two: Rect) -> float:
    heights, widths = sorted((one.height, two.height)), sorted((one.width, two.width))
    return (heights[0] / heights[1] + widths[0] / widths[1]) / 2


def _tone(one: Sequence[float], two: Sequence[float]) -> float:
    return exp(-((dist(one, two) / COLOUR) ** 2))


def _weight(block: Line) -> float:
    return sqrt(block.rect.width * block.rect.height)

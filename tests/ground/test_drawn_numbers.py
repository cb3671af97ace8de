"""Numbers drawn on a picture: read back by real text recognition, beside their things."""

import cv2
import numpy as np
import pytest

from pytest_iwr import records as r
from pytest_iwr.drive.numbers import COLOURS, LONGEST_PX, Mark, draw, fit
from pytest_iwr.images import Picture, decode
from tests.ground.sight import Sight

WIDTH, HEIGHT = 1280, 720


def _grid(width: int, height: int, gap: int) -> list[Mark]:
    boxes = [
        r.Box(x=x, y=y, width=width, height=height)
        for y in range(30, HEIGHT - height - 20, height + gap)
        for x in range(30, WIDTH - width - 30, width + gap)
    ]
    return [Mark(number, box) for number, box in enumerate(boxes[:300], start=1)]


def _paper(shade: int) -> Picture:
    return np.full((HEIGHT, WIDTH, 3), shade, np.uint8)


@pytest.mark.parametrize("shade", (255, 128, 12), ids=("white", "grey", "dark"))
@pytest.mark.parametrize(
    ("width", "height", "gap"), ((90, 40, 24), (60, 22, 8), (34, 34, 4))
)
def test_every_number_is_read_back_at_its_place(
    sight: Sight, shade: int, width: int, height: int, gap: int
) -> None:
    """Up to 300 things side by side: each number stands with the frame of its own."""
    marks = _grid(width, height, gap)
    seen = sight.marks(decode(draw(_paper(shade), marks, [])))
    assert seen.keys() == {mark.number for mark in marks}
    for mark in marks:
        left, top, right, bottom = seen[mark.number]
        middle = (left + right) / 2, (top + bottom) / 2
        box = mark.box
        assert box.x <= middle[0] <= box.x + box.width, mark
        assert box.y <= middle[1] <= box.y + box.height, mark


def test_words_stay_free(sight: Sight) -> None:
    """Lines of text that fill their boxes are read as before."""
    picture = _paper(255)
    marks, texts, words = [], [], []
    for row in range(12):
        word = f"Order the item {row + 21}"
        words.append(word)
        place = (60, 60 + 30 * row)
        cv2.putText(picture, word, place, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 1)
        box = r.Box(x=58, y=43 + 30 * row, width=220, height=22)
        marks.append(Mark(row + 1, box))
        texts.append(box)
    drawn = decode(draw(picture, marks, texts))
    for box, word in zip(texts, words, strict=True):
        rows = slice(int(box.y) + 1, int(box.y + box.height))
        line = np.ascontiguousarray(drawn[rows, int(box.x) : int(box.x + box.width)])
        assert sight.read(line).replace(" ", "") == word.replace(" ", "")


def test_equal_pictures_give_equal_bytes() -> None:
    """The cache of answers is kept by what is sent."""
    marks = _grid(90, 40, 24)
    assert draw(_paper(255), marks, []) == draw(_paper(255), marks, [])


def test_large_pictures_are_made_smaller_before_they_are_drawn_on() -> None:
    """Numbers keep their size on the picture that a model gets."""
    picture, factor = fit(np.zeros((2532, 1170, 3), np.uint8))
    assert picture.shape[:2] == (LONGEST_PX, 725)
    assert factor == LONGEST_PX / 2532
    same, one = fit(_paper(0))
    assert (same.shape, one) == ((HEIGHT, WIDTH, 3), 1.0)


@pytest.mark.parametrize("colour", COLOURS)
def test_white_digits_contrast_with_their_colour(colour: tuple[int, int, int]) -> None:
    """At least 4.5 to 1, as WCAG 2 wants of text."""
    linear = [
        value / 255 / 12.92
        if value / 255 <= 0.04045
        else ((value / 255 + 0.055) / 1.055) ** 2.4
        for value in colour
    ]
    blue, green, red = linear
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    assert 1.05 / (luminance + 0.05) >= 4.5


def test_thing_that_fills_the_window_has_its_number(sight: Sight) -> None:
    """There is no room around it: the number stands inside."""
    whole = Mark(7, r.Box(x=0, y=0, width=WIDTH, height=HEIGHT))
    assert sight.marks(decode(draw(_paper(200), [whole], []))).keys() == {7}

"""Structure similarity; the bounds come from the table of `docs/scoring.md`."""

import numpy as np
import pytest

from benchmarks.similarity.studio import PAGES, Studio
from pytest_iwr import images
from pytest_iwr.check.structure import similarity
from pytest_iwr.images import Picture


def stripes(height: int, width: int, scale: int = 1) -> Picture:
    """Give blue stripes on white, each 19 px high, 21 px apart, with a white rim."""
    picture = np.full((height * scale, width * scale, 3), 255, np.uint8)
    for top in range(10 * scale, (height - 9) * scale, 40 * scale):
        picture[top : top + 19 * scale, 10 * scale : -10 * scale] = (160, 92, 40)
    return picture


STRIPES = stripes(606, 128)
WHITE = np.full_like(STRIPES, 255)


def alike(one: Picture, two: Picture) -> float:
    """Compare with nothing left out."""
    return similarity(one, two, np.zeros(two.shape[:2], bool))


@pytest.mark.parametrize("page", PAGES)
def test_equal_pictures_are_one(studio: Studio, page: str) -> None:
    """Not nearly one: exactly."""
    picture = images.read(studio.shoot(page))
    assert alike(picture, picture.copy()) == 1.0


def test_one_pixel_more_hardly_counts() -> None:
    """606 against 607 rows: above 0.95 (measured 0.998)."""
    assert alike(STRIPES, stripes(607, 128)) > 0.95


def test_scroll_bar_hardly_counts() -> None:
    """126 of 128 columns: near 1 (measured 0.98)."""
    assert alike(STRIPES, stripes(606, 126)) > 0.95


def test_half_the_height_is_half_the_page() -> None:
    """Below 0.7 (measured 0.45), although what is there is right."""
    assert alike(STRIPES, stripes(300, 128)) < 0.7
    assert alike(stripes(300, 128), STRIPES) < 0.7


def test_twice_the_scale_is_the_same_page() -> None:
    """Reduced to the reference's size it is near 1 (measured 1.0)."""
    assert alike(STRIPES, images.reduce(stripes(606, 128, scale=2), 2)) > 0.99


@pytest.mark.parametrize("size", ((1, 1), (1, 50), (2, 2), (3, 700)))
def test_tiny_pictures_have_a_number(size: tuple[int, int]) -> None:
    """A picture of one pixel is next to nothing of a page, and no exception."""
    tiny = np.full((*size, 3), 255, np.uint8)
    assert 0 <= alike(STRIPES, tiny) < 0.05
    assert alike(tiny, tiny) == 1.0


def test_two_white_pictures_are_equal() -> None:
    """Where there is nothing to see, nothing differs."""
    assert alike(WHITE, WHITE) == 1.0


@pytest.mark.parametrize("page", PAGES)
def test_blank_page_is_far_below(studio: Studio, page: str) -> None:
    """Being mostly white is no likeness (measured at most 0.10)."""
    blank = images.read(studio.shoot_blank())
    assert alike(images.read(studio.shoot(page)), blank) < 0.2


def test_another_page_is_far_below(studio: Studio) -> None:
    """Measured at most 0.05 between the small pages, 0.28 between real sites."""
    one, two = (images.read(studio.shoot(page)) for page in ("article", "catalogue"))
    assert alike(one, two) < 0.3


@pytest.mark.parametrize(
    ("change", "least", "most"),
    (
        ("moved 1 px", 0.97, 1),
        ("moved 4 px", 0.85, 0.98),
        ("moved 16 px", 0.5, 0.85),
        ("accent colour", 0.55, 0.95),
        ("block elsewhere", 0.6, 0.9),
        ("other font", 0.95, 1),
    ),
)
@pytest.mark.parametrize("page", PAGES)
def test_fault_costs_what_a_person_sees(
    studio: Studio, page: str, change: str, least: float, most: float
) -> None:
    """Small shifts cost little; moved blocks and wrong colours cost visibly."""
    one = images.read(studio.shoot(page))
    two = images.read(studio.shoot(page, change))
    assert least < alike(one, two) < most


def test_order_of_the_pictures_is_no_matter(studio: Studio) -> None:
    """Reference and page could be swapped."""
    one = images.read(studio.shoot("article"))
    two = images.read(studio.shoot("article", "block elsewhere"))
    assert alike(one, two) == pytest.approx(alike(two, one), abs=1e-6)


def test_what_is_ignored_counts_nothing() -> None:
    """A wrong stripe in an ignored region costs nothing, elsewhere it does."""
    wrong = STRIPES.copy()
    wrong[250:350] = 0
    ignored = np.zeros(STRIPES.shape[:2], bool)
    ignored[150:450] = True
    assert similarity(STRIPES, wrong, ignored) > 0.99
    assert alike(STRIPES, wrong) < 0.9


def test_everything_ignored_is_nothing_shown() -> None:
    """Nothing to compare proves no likeness."""
    assert similarity(STRIPES, STRIPES, np.ones(STRIPES.shape[:2], bool)) == 0.0

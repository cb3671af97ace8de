"""What the embedding model is given: the middle as published, or the whole picture."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.similarity.studio import Studio
from pytest_iwr import images
from pytest_iwr.check.dino_input import prepare
from pytest_iwr.images import Picture


def sides(width: int, height: int) -> Picture:
    """Give a grey picture whose outer twentieths are of other colours."""
    picture = np.full((height, width, 3), 128, np.uint8)
    picture[:, : width // 20] = (255, 0, 0)
    picture[:, -(width // 20) :] = (0, 0, 255)
    return picture


@pytest.mark.parametrize("size", ((1280, 720), (360, 1900), (50, 40), (518, 518)))
def test_sizes_are_the_models(size: tuple[int, int]) -> None:
    """Whatever the picture's size, the input has the stated one."""
    picture = sides(*size)
    assert prepare(picture, "paper").shape == (3, 224, 224)
    assert prepare(picture, "full").shape == (3, 518, 518)
    assert prepare(picture, "paper").dtype == np.float32


def test_colours_are_red_green_blue_and_scaled() -> None:
    """A plain picture gives (value / 255 − mean) / spread of ImageNet."""
    picture = np.full((30, 40, 3), (10, 100, 200), np.uint8)  # blue, green, red
    for given in (prepare(picture, "paper"), prepare(picture, "full")):
        expected = (
            (200 / 255 - 0.485) / 0.229,
            (100 / 255 - 0.456) / 0.224,
            (10 / 255 - 0.406) / 0.225,
        )
        assert given.min(axis=(1, 2)) == pytest.approx(expected, abs=1e-5)
        assert given.max(axis=(1, 2)) == pytest.approx(expected, abs=1e-5)


def test_paper_sees_the_middle_only() -> None:
    """On a wide picture the outer parts are cut off: 49 % of the width is left."""
    wide, grey = sides(1280, 720), np.full((720, 1280, 3), 128, np.uint8)
    assert np.array_equal(prepare(wide, "paper"), prepare(grey, "paper"))


def test_full_sees_the_edges() -> None:
    """Squashed, a wide picture has its outer colours at the outer pixels."""
    given = prepare(sides(1280, 720), "full")
    assert given[2, :, 0].min() > 2  # blue on the left
    assert given[0, :, -1].min() > 2  # red on the right


@pytest.mark.needs_shared
def test_sidebars_reach_the_model_only_in_full(shared: Path, studio: Studio) -> None:
    """Two pages with the same middle and other sidebars: equal inputs, and not."""
    folder = shared / "cases" / "54-dino-crop"
    one, two = (
        images.read(studio.shoot_file(folder / f"page-{name}.html")) for name in "ab"
    )
    assert not np.array_equal(one, two)
    assert np.array_equal(prepare(one, "paper"), prepare(two, "paper"))
    assert not np.array_equal(prepare(one, "full"), prepare(two, "full"))

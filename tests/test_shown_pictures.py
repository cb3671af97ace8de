"""The pictures in the README and the pages of `docs/`, made by `docs/shoot.py`."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_BYTES = 250_000
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def shown() -> list[tuple[str, Path]]:
    """Give the pictures that the pages show: text for who does not see it, file."""
    return [
        (words, (page.parent / target).resolve())
        for page in PAGES
        for words, target in re.findall(
            r"!\[([^\]]*)\]\(([^):]+)\)", page.read_text(encoding="utf-8")
        )
    ]


def test_shown_pictures_are_those_that_there_are() -> None:
    """None is missing, and none lies about unseen."""
    assert {file for _, file in shown()} == set(PICTURES)


def test_pictures_are_said_in_words() -> None:
    """Each has a text of some length for those who do not see it."""
    assert all(len(words.split()) > 5 for words, _ in shown())


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_picture_loads_quickly(picture: Path) -> None:
    """It takes less than 250 kB."""
    assert picture.stat().st_size < MOST_BYTES

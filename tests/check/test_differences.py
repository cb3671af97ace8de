"""Words that are missing or added, and blocks that moved."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.similarity.studio import Studio
from pytest_iwr import records as r
from pytest_iwr.check import differences
from pytest_iwr.check.ocr import Line
from pytest_iwr.check.offline import OfflineScorer
from pytest_iwr.check.pair import Pair
from pytest_iwr.check.readings import Rect

BLACK, WHITE = (0.0, 0.0, 0.0), (100.0, 0.0, 0.0)


def line(text: str, left: int, top: int, width: int = 100) -> Line:
    """Give a line of text as it was read."""
    rect = Rect(left, top, left + width, top + 20)
    return Line(text, rect, 0.99, BLACK, WHITE)


def differ(reference: list[Line], shot: list[Line]) -> r.Differences:
    """Compare two pictures of 800 × 600."""
    blank = np.full((600, 800, 3), 255, np.uint8)
    pair = Pair(blank, blank, np.zeros((600, 800), bool), ())
    return differences.find(pair, (reference, shot))


def words(found: tuple[r.Word, ...]) -> list[str]:
    """Give the texts."""
    return [word.text for word in found]


def test_text_of_one_side_is_missing_or_added() -> None:
    """Each of its words, in reading order."""
    both = line("Welcome home", 10, 10)
    lost, extra = line("Buy now", 10, 100), line("Sold out today", 400, 300)
    found = differ([both, lost], [both, extra])
    assert words(found.missing) == ["Buy", "now"]
    assert words(found.added) == ["Sold", "out", "today"]
    assert found.moved == ()


def test_word_in_a_block_is_found_at_its_place() -> None:
    """Only the word that differs, at its share of the line; letter case is no matter."""
    found = differ(
        [line("TOTAL 12 items", 10, 10, 140)], [line("Total 13 items", 10, 10, 140)]
    )
    assert words(found.missing) == ["12"]
    assert words(found.added) == ["13"]
    assert found.missing[0].box == r.Box(x=70, y=10, width=20, height=20)


def test_word_that_stands_twice_has_two_places() -> None:
    """The second one lies behind the first one."""
    found = differ([line("no no", 0, 0)], [])
    assert [word.box.x for word in found.missing] == [0, 60]


@pytest.mark.parametrize(("by", "count"), ((3, 0), (40, 1)))
def test_block_that_moved_is_told(by: int, count: int) -> None:
    """A few pixels are how boxes are drawn; more is a move, by both boxes."""
    found = differ([line("Settings", 10, 10)], [line("Settings", 10 + by, 10)])
    assert len(found.moved) == count
    assert found.missing == found.added == ()
    assert all(one.shot.x - one.reference.x == by for one in found.moved)


def test_what_icons_are_taken_for_is_no_word() -> None:
    """Signs and single letters; a single digit is one."""
    found = differ([line("●Direct Q 5", 10, 10)], [line("Direct è 6", 10, 10)])
    assert words(found.missing) == ["5"]
    assert words(found.added) == ["6"]


def test_icon_in_a_box_is_no_move() -> None:
    """Recognition takes it with the text or not; one edge stays."""
    found = differ([line("Tables", 40, 10, 60)], [line("Tables", 10, 10, 90)])
    assert found.moved == ()


def test_lost_paragraph_is_told_beside_the_picture(
    studio: Studio, tmp_path: Path
) -> None:
    """By real recognition: its words are missing, and none of another one's."""
    diff = tmp_path / "diff-03.png"
    scorer = OfflineScorer(tmp_path / "cache")
    reference = studio.shoot("article")
    scorer.compare(reference, studio.shoot("article", "paragraph lost"), diff=diff)
    text = (tmp_path / "diff-03.json").read_text(encoding="utf-8")
    found = r.Differences.model_validate_json(text)
    assert len(found.missing) > 10
    assert len(found.added) <= 1
    assert found.reference == r.Size(width=1280, height=720)


def test_equal_pictures_differ_in_nothing(studio: Studio, tmp_path: Path) -> None:
    """And masks are told."""
    picture, diff = studio.shoot("article"), tmp_path / "diff-00.png"
    mask = r.Box(x=1, y=2, width=30, height=40)
    OfflineScorer(None).compare(picture, picture, masks=[mask], diff=diff)
    text = diff.with_suffix(".json").read_text(encoding="utf-8")
    found = r.Differences.model_validate_json(text)
    assert (found.missing, found.added, found.moved) == ((), (), ())
    assert found.masks == (mask,)

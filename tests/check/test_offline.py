"""The whole scorer, on pictures of real pages."""

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.similarity.studio import PAGES, Studio
from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.check.engine import OcrError
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.errors import CheckpointError

NUMBERS = ("text", "structure", "lfs", "hfs", "similarity")


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> OfflineScorer:
    """Give one scorer with a cache of its own."""
    return OfflineScorer(tmp_path_factory.mktemp("cache"), threads=1)


def numbers(comparison: r.Comparison) -> list[float]:
    """Give the five numbers."""
    return [getattr(comparison, name) for name in NUMBERS]


def test_equal_pictures_are_one(scorer: OfflineScorer, studio: Studio) -> None:
    """In every number."""
    picture = studio.shoot("article")
    comparison = scorer.compare(picture, picture)
    assert numbers(comparison) == [1.0] * 5
    assert comparison.is_same_size


def test_short_cut_gives_what_the_metrics_give(
    scorer: OfflineScorer, studio: Studio, tmp_path: Path
) -> None:
    """One pixel in a corner rules the short cut out and is worth nothing."""
    picture = images.read(studio.shoot("article"))
    picture[-1, -1] = 254
    images.write(tmp_path / "nearly.png", picture)
    comparison = scorer.compare(studio.shoot("article"), tmp_path / "nearly.png")
    assert numbers(comparison) == [1.0] * 5


def test_sums_are_those_of_the_protocol(scorer: OfflineScorer, studio: Studio) -> None:
    """LFS and similarity are means of the numbers beside them, to four places."""
    shot = studio.shoot("article", "paragraph lost")
    c = scorer.compare(studio.shoot("article"), shot)
    assert c.structure is not None
    assert c.lfs == pytest.approx((c.text + c.structure) / 2, abs=6e-5)
    assert c.similarity == pytest.approx((c.lfs + c.hfs) / 2, abs=6e-5)
    assert all(number == round(number, 4) for number in numbers(c))


@pytest.mark.parametrize("change", ("moved 4 px", "accent colour", "paragraph lost"))
@pytest.mark.parametrize("page", PAGES)
def test_right_page_with_one_fault_is_above_the_minimum(
    scorer: OfflineScorer, studio: Studio, page: str, change: str
) -> None:
    """Measured: at least 0.80; and the fault is seen."""
    comparison = scorer.compare(studio.shoot(page), studio.shoot(page, change))
    assert MIN_SIMILARITY + 0.2 < comparison.similarity < 0.995


@pytest.mark.parametrize(
    ("one", "two"),
    (("article", "catalogue"), ("catalogue", "settings"), ("settings", "article")),
)
def test_another_page_is_below_the_minimum(
    scorer: OfflineScorer, studio: Studio, one: str, two: str
) -> None:
    """Measured: at most 0.16."""
    comparison = scorer.compare(studio.shoot(one), studio.shoot(two))
    assert comparison.similarity < MIN_SIMILARITY - 0.2


def test_blank_page_is_next_to_nothing(scorer: OfflineScorer, studio: Studio) -> None:
    """No text, no blocks, and white is no likeness (measured: at most 0.03)."""
    comparison = scorer.compare(studio.shoot("article"), studio.shoot_blank())
    assert (comparison.text, comparison.hfs) == (0.0, 0.0)
    assert comparison.similarity < 0.1


def test_pictures_without_text_go_by_structure(
    scorer: OfflineScorer, tmp_path: Path
) -> None:
    """There is nothing else: text is 1 on both sides, HFS is the structure."""
    picture = np.full((200, 300, 3), 255, np.uint8)
    images.write(tmp_path / "one.png", picture)
    picture[50:150, 50:150] = (200, 90, 0)
    images.write(tmp_path / "two.png", picture)
    comparison = scorer.compare(tmp_path / "one.png", tmp_path / "two.png")
    assert comparison.text == 1.0
    assert comparison.structure is not None
    assert comparison.hfs == comparison.structure < 0.5


def test_other_size_is_told_and_counts(
    scorer: OfflineScorer, studio: Studio, tmp_path: Path
) -> None:
    """Nothing is stretched; half a page is half of its structure."""
    diff = tmp_path / "diff.png"
    comparison = scorer.compare(
        studio.shoot("article"), studio.shoot_half("article"), diff=diff
    )
    assert not comparison.is_same_size
    assert comparison.structure is not None
    assert comparison.structure <= 0.5
    assert images.read(diff).shape == (720, 1280, 3)


@pytest.mark.parametrize("is_swapped", (False, True))
def test_scale_is_no_difference(
    scorer: OfflineScorer,
    studio: Studio,
    tmp_path: Path,
    is_swapped: bool,  # noqa: FBT001 - both orders
) -> None:
    """A picture at scale 2 is the same page, with masks in pixels of the shot."""
    small = studio.shoot("article")
    wrong = images.read(small)
    wrong[600:700, 100:200] = 0
    images.write(tmp_path / "small.png", wrong)
    large = images.read(small).repeat(2, axis=0).repeat(2, axis=1)
    images.write(tmp_path / "large.png", large)
    pair = [tmp_path / "small.png", tmp_path / "large.png"]
    mask = r.Box(x=200, y=1200, width=200, height=200)
    if is_swapped:
        pair.reverse()
        mask = r.Box(x=100, y=600, width=100, height=100)
    comparison = scorer.compare(*pair, masks=[mask])
    assert numbers(comparison) == [1.0] * 5


def test_masked_region_counts_on_neither_side(
    scorer: OfflineScorer, studio: Studio
) -> None:
    """A block that is masked where it was and where it went is no fault."""
    shot = studio.shoot("settings", "block elsewhere")
    lower = r.Box(x=0, y=270, width=1280, height=450)
    free = scorer.compare(studio.shoot("settings"), shot)
    masked = scorer.compare(studio.shoot("settings"), shot, masks=[lower])
    assert free.similarity < 0.95
    assert masked.similarity == 1.0


def test_masks_over_everything_show_no_likeness(
    scorer: OfflineScorer, studio: Studio
) -> None:
    """A page that grows its masked part over the screen gains nothing."""
    everything = r.Box(x=-10, y=-10, width=5000, height=5000)
    picture = studio.shoot("article")
    assert numbers(scorer.compare(picture, picture, masks=[everything])) == [0.0] * 5


def test_picture_that_cannot_be_used_is_named(
    scorer: OfflineScorer, studio: Studio, tmp_path: Path
) -> None:
    """A reference that is no picture is an error, not a zero."""
    reference = tmp_path / "00.png"
    reference.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(CheckpointError, match=r"00\.png: .* is not a PNG"):
        scorer.compare(reference, studio.shoot("article"))


def test_recognition_that_fails_is_no_score(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error on both sides, never two empty texts that agree."""
    scorer = OfflineScorer(None)
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(OcrError):
        scorer.compare(studio.shoot("article"), studio.shoot("catalogue"))


def test_cache_and_threads_change_no_digit(
    scorer: OfflineScorer, studio: Studio
) -> None:
    """A fresh scorer with two threads gives the bytes of one that has a cache."""
    pair = studio.shoot("catalogue"), studio.shoot("catalogue", "other font")
    fresh = OfflineScorer(None, threads=2).compare(*pair)
    assert fresh.model_dump_json() == scorer.compare(*pair).model_dump_json()


def test_protocol_names_every_metric(scorer: OfflineScorer) -> None:
    """Two results are comparable when these are equal."""
    protocol = scorer.protocol
    assert protocol.id == "offline"
    assert sorted(protocol.metrics) == ["hfs", "ocr", "structure"]
    assert protocol.metrics["ocr"].startswith("rapidocr ")

"""Reading text: real models on pictures of real pages."""

import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.similarity.studio import Studio
from pytest_iwr import images
from pytest_iwr.check.engine import OcrError, describe
from pytest_iwr.check.ocr import Line, Ocr, in_reading_order
from pytest_iwr.check.readings import Rect
from pytest_iwr.images import Picture

BLANK = np.full((60, 80, 3), 255, np.uint8)


def text(lines: tuple[Line, ...]) -> str:
    """Give the text of lines."""
    return " ".join(line.text for line in lines)


def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the package with the models away."""
    monkeypatch.setitem(sys.modules, "rapidocr", None)


def test_real_site_is_read(shop: Picture, ocr: Ocr) -> None:
    """Words of the bar, of the banner and of the first card are there, in order."""
    read = text(ocr.read(shop))
    places = [read.find(w) for w in ("Start Bootstrap", "Shop in style", "Fancy")]
    assert -1 not in places
    assert places == sorted(places)


def test_lines_know_place_and_colours(studio: Studio, ocr: Ocr) -> None:
    """A dark heading on white lies where the page has it."""
    lines = ocr.read(images.read(studio.shoot("article")))
    heading = next(line for line in lines if "ferry comes back" in line.text)
    assert 50 < heading.rect.left < 62
    assert 90 < heading.rect.top < 110
    assert 30 < heading.rect.height < 60
    assert heading.ink[0] < 25
    assert heading.ground[0] > 98
    assert heading.confidence > 0.9


def test_picture_without_text_has_no_lines(ocr: Ocr) -> None:
    """Nothing is read from one colour, whatever its size."""
    assert ocr.read(BLANK) == ()
    assert ocr.read(BLANK[:1, :1]) == ()


def test_tall_picture_is_read_to_its_end(studio: Studio, ocr: Ocr) -> None:
    """A page of several screens is not shrunk until its text is lost."""
    screen = images.read(studio.shoot("article"))
    once, thrice = ocr.read(screen), ocr.read(np.vstack((screen, screen, screen)))
    assert [line.text for line in thrice] == [line.text for line in once] * 3
    assert thrice[-1].rect.top == once[-1].rect.top + 2 * 720


def test_moved_page_reads_the_same(studio: Studio, ocr: Ocr) -> None:
    """A page drawn 16 px lower has the same text, read from the same pixels."""
    here = ocr.read(images.read(studio.shoot("settings")))
    there = ocr.read(images.read(studio.shoot("settings", "moved 16 px")))
    assert text(here) == text(there)


def test_number_of_threads_changes_nothing(shop: Picture, ocr: Ocr) -> None:
    """One thread and two give the same lines, to the last digit."""
    assert Ocr(None, threads=2).read(shop) == ocr.read(shop)


def test_nothing_is_said_and_nothing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Loading and reading need no network and write nothing to the terminal."""

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    picture = BLANK.copy()
    picture[20:40, 20:60] = 0
    Ocr(None, threads=1).read(picture)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_missing_package_is_an_error_and_never_an_empty_text(
    monkeypatch: pytest.MonkeyPatch, shop: Picture
) -> None:
    """What cannot be read is not alike."""
    ocr = Ocr(None, threads=1)
    without_models(monkeypatch)
    with pytest.raises(OcrError, match="rapidocr is not installed"):
        ocr.read(shop)


@pytest.mark.parametrize("content", (None, b"no model"))
def test_broken_package_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    shop: Picture,
    content: bytes | None,
) -> None:
    """Models that are missing or damaged are told, with what to do."""
    from rapidocr import __file__ as real  # noqa: PLC0415 - heavy

    package = Path(real).parent
    copy = tmp_path / "rapidocr"
    copy.mkdir()
    for entry in package.iterdir():
        if entry.name != "models":
            (copy / entry.name).symlink_to(entry)
    if content is not None:
        (copy / "models").mkdir()
        for name in ("a_det_b.onnx", "a_rec_b.onnx"):
            (copy / "models" / name).write_bytes(content)
    for name in [n for n in sys.modules if n.partition(".")[0] == "rapidocr"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OcrError, match=r"does not start.*Install"):
        Ocr(None, threads=1).read(shop)


def test_engine_is_named_with_its_version() -> None:
    """Scores say which recognition they rest on."""
    name, _, models = describe().partition("/")
    assert name.startswith("rapidocr 3.")
    assert models.startswith("PP-OCR")


def line(left: int, top: int, word: str) -> Line:
    """Give a line 60 wide and 20 high."""
    rect = Rect(left, top, left + 60, top + 20)
    return Line(word, rect, 1.0, (0.0, 0.0, 0.0), (100.0, 0.0, 0.0))


def test_rows_are_read_from_left_to_right() -> None:
    """Lines a few pixels higher or lower are still one row."""
    lines = [
        line(200, 38, "four"),
        line(100, 4, "two"),
        line(0, 0, "one"),
        line(0, 40, "three"),
        line(100, 75, "five"),
    ]
    assert text(in_reading_order(lines)) == "one two three four five"


def test_staircase_is_no_row() -> None:
    """A row is measured by its first line; it does not creep down the page."""
    lines = [line(300 - 100 * i, 8 * i, str(i)) for i in range(4)]
    assert text(in_reading_order(lines)) == "1 0 3 2"

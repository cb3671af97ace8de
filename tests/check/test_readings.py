"""What was read is kept by content, and never costs a run."""

import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_iwr.check.ocr import Line, Ocr
from pytest_iwr.check.readings import Entry, Reading, Readings, Rect, digest
from pytest_iwr.images import Picture

ENTRY = Entry(
    bands={"b": (Rect(1, 2, 3, 4),)}, lines={"l": Reading("Two ★ words", 0.9871)}
)


@pytest.fixture(scope="module")
def read(
    tmp_path_factory: pytest.TempPathFactory, shop: Picture
) -> tuple[Path, tuple[Line, ...]]:
    """Give a cache in which the shop was read once, and what was read."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, Ocr(cache, threads=1).read(shop)


@pytest.fixture
def blind(read: tuple[Path, tuple[Line, ...]], monkeypatch: pytest.MonkeyPatch) -> Ocr:
    """Give a recognition that has the cache and no models."""
    ocr = Ocr(read[0], threads=1)
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    return ocr


def test_next_process_reads_from_the_cache(
    read: tuple[Path, tuple[Line, ...]], blind: Ocr, shop: Picture
) -> None:
    """A picture that was read once gives equal lines without the models."""
    assert blind.read(shop) == read[1]


def test_page_that_only_moved_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shop: Picture
) -> None:
    """Once a picture is read, the same page 30 px lower needs no models."""
    above = np.full((30, *shop.shape[1:]), 255, np.uint8)
    Ocr(tmp_path, threads=1).read(np.vstack((above, shop)))
    here = Ocr(tmp_path, threads=1)
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    known = here.read(np.vstack((above, shop)))
    moved = here.read(np.vstack((above, above, shop)))
    assert [line.rect.top - 30 for line in moved] == [line.rect.top for line in known]
    assert [line.text for line in moved] == [line.text for line in known]


def files(cache: Path) -> list[Path]:
    """Give all files below a folder."""
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_one_file_a_picture(read: tuple[Path, tuple[Line, ...]]) -> None:
    """Nothing half-written is left beside it."""
    assert [path.suffix for path in files(read[0])] == [".json"]


@pytest.mark.parametrize(
    "content", (b"", b"{", b"[]", b'{"lines": {"l": ["text"]}}', b"\xff\xfe", b"null")
)
def test_damaged_entry_is_a_miss(tmp_path: Path, content: bytes) -> None:
    """It is read again and written anew."""
    Readings(tmp_path).keep("abcdef", ENTRY)
    (path,) = files(tmp_path)
    path.write_bytes(content)
    readings = Readings(tmp_path)
    assert readings.recall("abcdef") == Entry()
    readings.keep("abcdef", ENTRY)
    assert Readings(tmp_path).recall("abcdef") == ENTRY


def test_entry_is_known_from_then_on(tmp_path: Path) -> None:
    """Bands and lines of one picture serve every other one."""
    Readings(tmp_path).keep("abcdef", ENTRY)
    readings = Readings(tmp_path)
    readings.recall("abcdef")
    assert readings.bands == ENTRY.bands
    assert readings.lines == ENTRY.lines


def test_folder_that_cannot_be_written_costs_time_only(
    tmp_path: Path, shop: Picture, ocr: Ocr
) -> None:
    """Reading goes on without it."""
    taken = tmp_path / "file"
    taken.touch()
    assert Ocr(taken, threads=1).read(shop[:100]) == ocr.read(shop[:100])


def test_memory_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A very long run starts afresh instead of growing."""
    monkeypatch.setattr("pytest_iwr.check.readings.MOST", 1)
    readings = Readings(None, lines={"a": Reading("a", 1.0), "b": Reading("b", 1.0)})
    readings.recall("abcdef")
    assert readings.lines == {}


def test_digest_tells_shapes_apart() -> None:
    """The same bytes in another shape are another picture."""
    picture = np.zeros((4, 6, 3), np.uint8)
    assert digest(picture) == digest(picture.copy())
    assert digest(picture) != digest(picture.reshape(6, 4, 3))

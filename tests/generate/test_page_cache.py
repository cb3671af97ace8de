"""The cache of pages: modes, damage, and one maker at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_iwr.errors import EndpointError
from pytest_iwr.generate.page_cache import Kept, PageCache, key_of
from pytest_iwr.records import NoPage

KEY = key_of({"product": "p", "epoch": 1})


def test_page_is_kept_byte_for_byte(tmp_path: Path) -> None:
    """Line feeds and NULs, too; git does not see it."""
    content = b"<p>\r\n\n\0"
    assert PageCache(tmp_path).get(KEY, lambda: content) == Kept(content, is_hit=False)
    kept = PageCache(tmp_path).get(KEY, lambda: b"other")
    assert kept == Kept(content, is_hit=True)
    assert (tmp_path / ".gitignore").read_text("ascii") == "*\n"


def test_only_never_asks(tmp_path: Path) -> None:
    """A miss is an error that says what to do."""
    cache = PageCache(tmp_path, "only")
    with pytest.raises(EndpointError, match="--iwr-cache=only: the page is not in"):
        cache.get(KEY, lambda: b"<p>")
    PageCache(tmp_path).get(KEY, lambda: b"<p>")
    assert cache.get(KEY, lambda: b"other") == Kept(b"<p>", is_hit=True)


def test_refresh_asks_anew_and_keeps(tmp_path: Path) -> None:
    """The next run has the new page."""
    PageCache(tmp_path).get(KEY, lambda: b"<p>1")
    assert PageCache(tmp_path, "refresh").get(KEY, lambda: b"<p>2") == (b"<p>2", False)
    assert PageCache(tmp_path).get(KEY, lambda: b"<p>3") == (b"<p>2", True)


def test_off_neither_reads_nor_writes(tmp_path: Path) -> None:
    """The folder stays as it was."""
    PageCache(tmp_path).get(KEY, lambda: b"<p>1")
    assert PageCache(tmp_path, "off").get(KEY, lambda: b"<p>2") == (b"<p>2", False)
    assert PageCache(tmp_path).get(KEY, lambda: b"<p>3") == (b"<p>1", True)


def test_answer_without_a_page_is_kept_with_its_reason(tmp_path: Path) -> None:
    """It is an answer, too."""
    none = NoPage(kind="refused", reason="the product refuses: 'no'")
    assert PageCache(tmp_path).get(KEY, lambda: none) == Kept(none, is_hit=False)
    assert PageCache(tmp_path).get(KEY, lambda: b"<p>") == Kept(none, is_hit=True)


@pytest.mark.parametrize(
    "damage", (b"", b"<p>", b"iwr-page-1 ab cd\n<p>", b"iwr-none-1 ab cd\n{}")
)
def test_damaged_file_is_a_miss_and_told(tmp_path: Path, damage: bytes) -> None:
    """Cut off, foreign, or of another page."""
    told: list[str] = []
    cache = PageCache(tmp_path, warn=told.append)
    cache.get(KEY, lambda: b"<p>1")
    cache.path(KEY).write_bytes(damage)
    assert cache.get(KEY, lambda: b"<p>2") == Kept(b"<p>2", is_hit=False)
    assert len(told) == 1
    assert str(cache.path(KEY)) in told[0]
    assert cache.get(KEY, lambda: b"<p>3") == Kept(b"<p>2", is_hit=True)


def test_one_maker_at_a_time_for_a_key(tmp_path: Path) -> None:
    """Who asks meanwhile gets the same page."""
    cache = PageCache(tmp_path)
    begun, go = threading.Event(), threading.Event()
    calls: list[int] = []

    def make() -> bytes:
        calls.append(1)
        begun.set()
        assert go.wait(20)
        return b"<p>"

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(cache.get, KEY, make)
        assert begun.wait(20)
        others = [pool.submit(cache.get, KEY, make) for _ in range(3)]
        go.set()
        kept = [future.result() for future in (first, *others)]
    assert len(calls) == 1
    assert [one.is_hit for one in kept] == [False, True, True, True]
    assert (cache.hits, cache.misses) == (3, 1)


def test_page_that_cannot_be_kept_is_given(tmp_path: Path) -> None:
    """A full or foreign disk loses nothing that was made."""
    told: list[str] = []
    (tmp_path / "pages").write_bytes(b"a file")
    cache = PageCache(tmp_path, warn=told.append)
    assert cache.get(KEY, lambda: b"<p>") == Kept(b"<p>", is_hit=False)
    assert [line.endswith("not kept") for line in told if "written" in line] == [True]

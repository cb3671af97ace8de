"""Pages become folders: byte for byte, all at once, and never outside of them."""

import io
import zipfile
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.errors import IwrError
from pytest_iwr.generate.site import NotASiteError, pack, store_page
from pytest_iwr.generate.stored import StoredPages
from tests.generate.kit import PAGE, make_task


def _zip(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = 8) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return packed.getvalue()


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_page_is_written_byte_for_byte(tmp_path: Path) -> None:
    """With carriage returns, a byte order mark and a NUL."""
    content = b"\xef\xbb\xbf" + PAGE.encode().replace(b"\n", b"\r\n") + b"\0"
    site = store_page(tmp_path / "m" / "shop", content, "made")
    assert _files(tmp_path) == {"m/shop/index.html": content}
    assert site.folder == str(tmp_path / "m" / "shop")


def test_stored_page_has_the_same_digest(tmp_path: Path) -> None:
    """A page that is evaluated again from its folder is known as the same."""
    site = store_page(tmp_path / "pages" / "m" / "shop", PAGE.encode(), "made")
    task = make_task(tmp_path / "shop", seconds=0)
    again = StoredPages(tmp_path / "pages").page(task, "m", 1)
    assert isinstance(again, r.Site)
    assert again.sha256 == site.sha256


def test_how_it_was_made_lies_beside_the_page(tmp_path: Path) -> None:
    """Where the server of pages cannot reach it."""
    generation = r.Generation(model="maker/m", images=3)
    site = store_page(tmp_path / "shop", PAGE.encode(), "made", generation)
    beside = (tmp_path / "shop.generation.json").read_text("utf-8")
    assert r.Generation.model_validate_json(beside) == generation
    assert site.generation == generation
    assert list(_files(tmp_path / "shop")) == ["index.html"]


def test_later_page_replaces_all_of_the_earlier_one(tmp_path: Path) -> None:
    """No file of the one before stays."""
    folder = tmp_path / "shop"
    store_page(folder, pack({"index.html": b"<p>1", "old.css": b""}), "made")
    store_page(folder, b"<p>2", "made")
    assert _files(tmp_path) == {"shop/index.html": b"<p>2"}


@pytest.mark.parametrize("top", ("", "site/", "a b/"))
def test_zip_is_unpacked(tmp_path: Path, top: str) -> None:
    """With the page at its top, or in its only folder; a Mac's extras are dropped."""
    content = _zip(
        (f"{top}index.html", PAGE.encode()),
        (f"{top}img/a.png", b"a"),
        (f"__MACOSX/{top}._index.html", b"x"),
    )
    store_page(tmp_path / "shop", content, "made")
    found = {"index.html": PAGE.encode(), "img/a.png": b"a"}
    assert _files(tmp_path / "shop") == found


def _link(name: str, target: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info, target


INDEX = ("index.html", PAGE.encode())


@pytest.mark.parametrize(
    ("content", "said"),
    (
        pytest.param(_zip(INDEX, ("../out", b"")), "leads out", id="up"),
        pytest.param(_zip(INDEX, ("/etc/out", b"")), "leads out", id="absolute"),
        pytest.param(_zip(INDEX, ("a\\..\\..\\out", b"")), "leads out", id="backslash"),
        pytest.param(_zip(INDEX, ("C:out", b"")), "leads out", id="drive"),
        pytest.param(_zip(INDEX, ("x" * 300, b"")), "leads out", id="long"),
        pytest.param(_zip(INDEX, _link("a", b"/etc/passwd")), "is a link", id="link"),
        pytest.param(_zip(INDEX, ("a", b""), ("a/b", b"")), "below a file", id="both"),
        pytest.param(_zip(("page.html", b"")), "no index.html", id="no page"),
        pytest.param(
            _zip(("a/index.html", b""), ("b/c", b"")), "no index.html", id="two folders"
        ),
        pytest.param(
            _zip(*((f"{n}", b"") for n in range(2001))), "2001 files", id="many"
        ),
        pytest.param(
            _zip(INDEX, ("big", bytes(65 << 20))), "more than 67108864", id="bomb"
        ),
        pytest.param(_zip(INDEX)[:-30], "cannot be unpacked", id="cut"),
        pytest.param(_zip(INDEX, method=12), "is not deflated", id="bzip2"),
        pytest.param(
            _zip(INDEX, method=0).replace(b"<body>", b"<BODY>"), "CRC", id="damaged"
        ),
    ),
)
def test_zip_that_is_no_page_leaves_nothing(
    tmp_path: Path, content: bytes, said: str
) -> None:
    """Neither inside nor outside of the folder; an earlier page stays."""
    folder = tmp_path / "in" / "shop"
    store_page(folder, b"<p>1", "made")
    with pytest.raises(NotASiteError, match=said):
        store_page(folder, content, "made")
    assert _files(tmp_path) == {"in/shop/index.html": b"<p>1"}


def test_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """With its place; what is there stays."""
    (tmp_path / "m").write_bytes(b"a file")
    with pytest.raises(IwrError, match=r"m/shop: cannot be written \(Not a dir"):
        store_page(tmp_path / "m" / "shop", b"<p>", "made")
    assert _files(tmp_path) == {"m": b"a file"}


def test_packed_files_are_equal_bytes() -> None:
    """So that a cache knows them again."""
    files = {"index.html": b"<p>", "a.css": b"a"}
    assert pack(files) == pack(dict(reversed(files.items())))

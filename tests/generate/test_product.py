"""Pages from a callable: what it is given, what it may give, and when it fails."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.errors import EndpointError, TaskError, UsageError
from pytest_iwr.generate.page_cache import PageCache
from pytest_iwr.generate.product import CallableGenerator
from pytest_iwr.generate.request import PageRequest
from tests.generate.kit import HIDDEN, PAGE, make_task, picture

PRODUCT = """
import asyncio
import io
import threading
import zipfile
from pathlib import Path

from pytest_iwr.errors import BudgetError

PAGE = "<!DOCTYPE html>\\n<html><head><title>A</title></head><body>a</body></html>\\n"
SEEN = []
TOGETHER = threading.Barrier(3, timeout=20)

def text(request):
    SEEN.append(request)
    return PAGE

def data(request):
    return PAGE.encode("utf-16")

async def later(request):
    await asyncio.sleep(0)
    return PAGE

class Maker:
    def __call__(self, request):
        return {"index.html": PAGE, "img/a.png": b"a"}
    def method(self, request):
        return PAGE

maker = Maker()

def file(request):
    path = Path(__file__).with_name("made.html")
    path.write_text(PAGE)
    return path

def folder(request):
    path = Path(__file__).with_name("made")
    (path / "img").mkdir(parents=True, exist_ok=True)
    (path / "index.html").write_text(PAGE)
    (path / "img" / "a.png").write_bytes(b"a")
    (path / ".git").mkdir(exist_ok=True)
    (path / ".git" / "config").write_text("x")
    return path

def packed(request):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("site/index.html", PAGE)
    return held.getvalue()

def nothing(request): return None
def blank(request): return " \\n"
def prose(request): return "I am sorry."
def pageless(request): return {"main.html": PAGE}
def odd(request): return 5
def odd_file(request): return {"index.html": 5}
def lost(request): return Path("/nowhere/at/all.html")
def broken(request): raise ValueError("no luck")
def leaves(request): raise SystemExit(3)
def spent(request): raise BudgetError("All is spent.")

def together(request):
    TOGETHER.wait()
    return PAGE
"""

Make = Callable[..., CallableGenerator]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Give a maker of generators of functions in a module of the user's."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "a_product.py").write_text(PRODUCT, encoding="utf-8")
    (home / "a_broken_product.py").write_text("import nowhere_at_all\n", "utf-8")
    monkeypatch.syspath_prepend(home)

    def open_(name: str, cache: PageCache | None = None) -> CallableGenerator:
        return CallableGenerator(
            name if ":" in name or not name else f"a_product:{name}",
            lambda task, model, epoch: (
                tmp_path / "pages" / model / f"{task.id}@{epoch}"
            ),
            cache or PageCache(tmp_path / "cache", "off"),
        )

    yield open_
    for module in ("a_product", "a_broken_product"):
        sys.modules.pop(module, None)


@pytest.fixture
def task(tmp_path: Path) -> r.Task:
    """Give a task with a video, an asset and a sheet."""
    return make_task(
        tmp_path / "shop", assets={"a.png": b"a"}, sheets=[picture(99, 99)]
    )


@pytest.mark.parametrize(
    ("name", "files"),
    (
        ("text", {"index.html": PAGE.encode()}),
        ("data", {"index.html": PAGE.encode("utf-16")}),
        ("later", {"index.html": PAGE.encode()}),
        ("maker", {"index.html": PAGE.encode(), "img/a.png": b"a"}),
        ("maker.method", {"index.html": PAGE.encode()}),
        ("file", {"index.html": PAGE.encode()}),
        ("folder", {"index.html": PAGE.encode(), "img/a.png": b"a"}),
        ("packed", {"index.html": PAGE.encode()}),
    ),
)
def test_page_may_come_in_many_shapes(
    make: Make, task: r.Task, name: str, files: dict[str, bytes]
) -> None:
    """Text, bytes, a coroutine's, files by name, a file, a folder, a zip."""
    page = make(name).page(task, "mine", 1)
    assert isinstance(page, r.Site)
    folder = Path(page.folder)
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert found == files
    assert page.origin == f"made by a_product:{name}"


def test_callable_is_given_the_inputs_and_never_the_steps(
    make: Make, task: r.Task
) -> None:
    """Files as paths, instructions as text; nothing of what will be done."""
    make("text").page(task, "mine", 2)
    (request,) = sys.modules["a_product"].SEEN
    home = Path(task.path).parent
    assert isinstance(request, PageRequest)
    assert (request.task, request.model, request.epoch) == ("shop", "mine", 2)
    assert request.video == home / "video.mp4"
    assert request.assets == home / "assets"
    assert request.asset_names == ("a.png",)
    assert request.sheets == (home / "sheets" / "sheet_1.png",)
    assert (request.viewport.width, request.viewport.height) == (1280, 720)
    assert "1 contact sheet of the site's assets and a video" in request.prompt
    assert HIDDEN not in repr(request)
    assert not {"steps", "start", "path"} & {field.name for field in fields(request)}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    (
        ("nothing", "empty", "the product made nothing"),
        ("blank", "empty", "the product made nothing"),
        ("prose", "no_page", "no HTML: 'I am sorry.'"),
        ("pageless", "no_page", "no index.html"),
    ),
)
def test_product_without_a_page_has_failed(
    make: Make, task: r.Task, name: str, kind: str, said: str
) -> None:
    """Worth zero."""
    page = make(name).page(task, "mine", 1)
    assert isinstance(page, r.NoPage)
    assert page.kind == kind
    assert said in page.reason
    assert page.generation is not None


@pytest.mark.parametrize(
    ("name", "said"),
    (
        (
            "broken",
            r"a_product:broken: .*'shop': ValueError: no luck \(.*a_product.py:",
        ),
        ("leaves", r"SystemExit: 3"),
        ("odd", r"a_product:odd: it gave a int. Give HTML"),
        ("odd_file", r"it gave no text or bytes as 'index.html'"),
        ("lost", r"/nowhere/at/all.html cannot be read: No such file"),
        ("spent", r"^All is spent.$"),
    ),
)
def test_product_that_breaks_is_an_error(
    make: Make, task: r.Task, name: str, said: str
) -> None:
    """Unscored: with the last line of its traceback, whatever it was."""
    error = EndpointError if name != "spent" else Exception
    with pytest.raises(error, match=said):
        make(name).page(task, "mine", 1)


@pytest.mark.parametrize(
    ("address", "said"),
    (
        ("no_colon:", "no such product"),
        ("nowhere_at_all:make", "No module named 'nowhere_at_all'"),
        ("a_broken_product:make", "No module named 'nowhere_at_all'"),
        ("a_product:absent", "there is no 'absent' in a_product"),
        ("a_product:PAGE", "not to be called: 'PAGE'"),
    ),
)
def test_product_that_is_not_there_is_a_usage_error(
    make: Make, address: str, said: str
) -> None:
    """Before any task is run."""
    with pytest.raises(UsageError, match=said):
        make(address)


def test_missing_video_is_the_tasks_error(make: Make, task: r.Task) -> None:
    """The product is not asked."""
    (Path(task.path).parent / "video.mp4").unlink()
    with pytest.raises(
        TaskError, match=r"yaml:5: video: there is no such video\. Correct the path\.$"
    ):
        make("text").page(task, "mine", 1)
    assert sys.modules["a_product"].SEEN == []


def test_pages_are_made_side_by_side(make: Make, task: r.Task) -> None:
    """Three calls wait for each other, and all are there."""
    generator = make("together")
    with ThreadPoolExecutor(3) as pool:
        pages = list(pool.map(lambda n: generator.page(task, "m", n), (1, 2, 3)))
    assert all(isinstance(page, r.Site) for page in pages)


def test_second_run_does_not_call(tmp_path: Path, make: Make, task: r.Task) -> None:
    """The page is the same; another epoch, model or asset is made anew."""
    first = make("text", PageCache(tmp_path / "cache")).page(task, "mine", 1)
    cache = PageCache(tmp_path / "cache")
    again = make("text", cache).page(task, "mine", 1)
    seen = sys.modules["a_product"].SEEN
    assert isinstance(first, r.Site)
    assert isinstance(again, r.Site)
    assert first.sha256 == again.sha256
    assert (len(seen), cache.hits, cache.misses) == (1, 1, 0)
    for page, hit in ((first, False), (again, True)):
        assert page.generation is not None
        assert page.generation.asked is not None
        assert page.generation.asked.is_hit == hit
    make("text", cache).page(task, "mine", 2)
    make("text", cache).page(task, "other", 1)
    (Path(task.path).parent / "assets" / "a.png").write_bytes(b"b")
    make("text", cache).page(task, "mine", 1)
    assert (len(seen), cache.hits, cache.misses) == (4, 1, 3)


def test_changed_product_is_called_again(
    tmp_path: Path, make: Make, task: r.Task
) -> None:
    """Its file is part of the key."""
    cache = PageCache(tmp_path / "cache")
    make("text", cache).page(task, "mine", 1)
    with (tmp_path / "home" / "a_product.py").open("a") as file:
        file.write("# better\n")
    make("text", cache).page(task, "mine", 1)
    assert (cache.hits, cache.misses) == (0, 2)


def test_failures_are_not_kept(tmp_path: Path, make: Make, task: r.Task) -> None:
    """What a product raises may pass."""
    cache = PageCache(tmp_path / "cache")
    for _ in range(2):
        with pytest.raises(EndpointError):
            make("broken", cache).page(task, "mine", 1)
    assert (cache.hits, cache.misses) == (0, 2)
    assert not list((tmp_path / "cache").rglob("*.page"))


@pytest.mark.parametrize("name", ("nothing", "blank", "prose", "pageless"))
def test_answer_without_a_page_is_kept(
    tmp_path: Path, make: Make, task: r.Task, name: str
) -> None:
    """As a model's is: it is an answer, and the same one in the next run."""
    first = make(name, PageCache(tmp_path / "cache")).page(task, "mine", 1)
    cache = PageCache(tmp_path / "cache", "only")
    again = make(name, cache).page(task, "mine", 1)
    assert isinstance(first, r.NoPage)
    assert isinstance(again, r.NoPage)
    assert (again.kind, again.reason) == (first.kind, first.reason)
    assert again.generation is not None
    assert again.generation.asked is not None
    assert again.generation.asked.is_hit
    assert (cache.hits, cache.misses) == (1, 0)

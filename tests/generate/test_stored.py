"""Pages that lie in a folder, one folder a model."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr.errors import UsageError
from pytest_iwr.generate.stored import StoredPages
from pytest_iwr.records import NoPage, Page, Site, Task

PageOf = Callable[..., Page]


def task(name: str) -> Task:
    """Give a task of this id."""
    steps = [{"click": {"text": "x"}}]
    return Task.model_validate(
        {"iwr": 1, "id": name, "steps": steps, "path": "/x", "step_lines": [1]}
    )


def write(path: Path, content: bytes = b"<p>page") -> Path:
    """Write a file and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def page(tmp_path: Path) -> PageOf:
    """Give a function: the page of a task, model and epoch."""

    def get(name: str = "shop", model: str = "m", epoch: int = 1) -> Page:
        return StoredPages(tmp_path).page(task(name), model, epoch)

    return get


def digest(page: Page) -> str:
    """Give a site's digest."""
    assert isinstance(page, Site)
    return page.sha256


def test_models_are_the_folders(tmp_path: Path) -> None:
    """Models come sorted; hidden folders and files are none."""
    for name in ("zeta", "alpha", ".git"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").touch()
    assert StoredPages(tmp_path).models() == ("alpha", "zeta")


def test_root_must_be_a_folder(tmp_path: Path) -> None:
    """A root that is absent, or a file, is the user's mistake."""
    with pytest.raises(UsageError, match="does not exist"):
        StoredPages(tmp_path / "absent")
    with pytest.raises(UsageError, match="is not a folder"):
        StoredPages(write(tmp_path / "file"))


def test_whole_folder_is_the_site(tmp_path: Path, page: PageOf) -> None:
    """The page is `index.html` with all that lies beside it."""
    write(tmp_path / "m/shop/index.html")
    site = page()
    assert isinstance(site, Site)
    assert (site.folder, site.entry) == (str(tmp_path / "m/shop"), "index.html")
    assert site.origin == f"stored page {tmp_path}/m/shop"


@pytest.mark.parametrize(
    ("files", "said"),
    (
        ((), "there is no folder {}/m/shop"),
        (("other/index.html",), "there is no folder {}/m/shop"),
        (("shop",), "there is no folder {}/m/shop"),
        (("shop/page.html",), "there is no file {}/m/shop/index.html"),
        (("shop/index.html/x",), "there is no file {}/m/shop/index.html"),
    ),
)
def test_missing_page_is_named(
    tmp_path: Path, page: PageOf, files: tuple[str, ...], said: str
) -> None:
    """A model without a page for the task failed; the reason has the path."""
    (tmp_path / "m").mkdir()
    for name in files:
        write(tmp_path / "m" / name)
    assert page() == NoPage(reason=said.format(tmp_path))


@pytest.mark.parametrize("content", (b"", b" \r\n\t", b"\xef\xbb\xbf\n"))
def test_empty_page_is_none(tmp_path: Path, page: PageOf, content: bytes) -> None:
    """A file without a character is no page."""
    index = write(tmp_path / "m/shop/index.html", content)
    assert page() == NoPage(reason=f"the file {index} is empty")


def test_unknown_model_is_usage_error(tmp_path: Path, page: PageOf) -> None:
    """The message names the models that are there."""
    write(tmp_path / "gpt-5/shop/index.html")
    write(tmp_path / "sonnet/shop/index.html")
    with pytest.raises(UsageError, match="gpt-5, sonnet") as caught:
        page(model="gpt-6")
    assert "Did you mean 'gpt-5'?" in str(caught.value)


@pytest.mark.parametrize("model", ("..", "/", ".", "", "../m", "m/..", "a\0b", ".git"))
def test_model_name_cannot_leave_the_root(
    tmp_path: Path, page: PageOf, model: str
) -> None:
    """A name that is a way to elsewhere is an unknown model."""
    write(tmp_path / "m/shop/index.html")
    write(tmp_path / ".git/shop/index.html")
    with pytest.raises(UsageError, match="no folder of the model"):
        page(model=model)


@pytest.mark.parametrize(
    ("model", "folder"),
    (
        ("anthropic/claude-4", "anthropic/claude-4"),
        ("anthropic/claude-4", "anthropic-claude-4-{}"),
        ("gpt 5", "gpt 5"),
        ("gpt 5", "gpt-5-{}"),
    ),
)
def test_name_is_taken_as_it_is_or_as_slug(
    tmp_path: Path, page: PageOf, model: str, folder: str
) -> None:
    """Models and tasks may be stored under their names or under safe ones."""
    from pytest_iwr.artifacts import slug  # noqa: PLC0415 - the one test of it

    name = folder.format(slug(model).rpartition("-")[2])
    write(tmp_path / name / name / "index.html")
    site = page(name=model, model=model)
    assert isinstance(site, Site)
    assert site.folder == str(tmp_path / name / name)


def test_epoch_has_its_folder_or_the_first(tmp_path: Path, page: PageOf) -> None:
    """`<task>@<epoch>` is taken where it is there; it may even be empty."""
    write(tmp_path / "m/shop/index.html", b"one")
    write(tmp_path / "m/shop@2/index.html", b"two")
    (tmp_path / "m/shop@4").mkdir()
    assert digest(page(epoch=2)) != digest(page(epoch=1))
    assert digest(page(epoch=3)) == digest(page(epoch=1))
    assert isinstance(page(epoch=4), NoPage)


def test_digest_sees_names_and_contents(tmp_path: Path, page: PageOf) -> None:
    """Each file's name and content counts, in whatever order they were made."""
    digests = []
    for number, names in enumerate(("ab", "ba", "ac")):
        for name in names:
            write(tmp_path / f"m{number}/shop/js/{name}.js", name.encode())
        write(tmp_path / f"m{number}/shop/index.html")
        digests.append(digest(page(model=f"m{number}")))
    assert digests[0] == digests[1] != digests[2]
    write(tmp_path / "m0/shop/js/a.js", b"changed")
    assert digest(page(model="m0")) != digests[0]


def test_digest_counts_what_can_be_served(tmp_path: Path, page: PageOf) -> None:
    """Hidden files, links that lead out and dead ones change nothing."""
    write(tmp_path / "m/shop/index.html")
    before = digest(page())
    write(tmp_path / "m/shop/.DS_Store")
    write(tmp_path / "m/shop/.git/config")
    (tmp_path / "m/shop/out").symlink_to("../other")
    (tmp_path / "m/shop/dead").symlink_to("nowhere")
    write(tmp_path / "m/other")
    assert digest(page()) == before


def test_digest_cannot_be_forged_by_names(tmp_path: Path, page: PageOf) -> None:
    """Moving bytes between name and content gives another digest."""
    for model, name, content in (("a", "xy", b"z"), ("b", "x", b"yz")):
        write(tmp_path / model / "shop/index.html")
        write(tmp_path / model / "shop" / name, content)
    assert digest(page(model="a")) != digest(page(model="b"))

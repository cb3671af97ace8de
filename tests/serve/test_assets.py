"""The task's assets stand where pages look for them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from http.client import HTTPResponse
from pathlib import Path

import pytest

from pytest_iwr.serve import Served

Ask = Callable[..., HTTPResponse]
Serve = Callable[..., AbstractContextManager[Served]]


@pytest.mark.parametrize(
    ("written", "arrives"),
    (
        ('"{}/a.png"', '"/.iwr-assets/a.png"'),
        ('"./{}/a.png"', '"/.iwr-assets/a.png"'),
        ('"/{}/a.png"', '"/.iwr-assets/a.png"'),
        ("url(../../{}/a.png)", "url(/.iwr-assets/a.png)"),
        ("const base = `{}`;", "const base = `/.iwr-assets`;"),
        ("{0}/a.png {0}/b.png", "/.iwr-assets/a.png /.iwr-assets/b.png"),
        ("'x/{}/a'", "'x//.iwr-assets/a'"),
        ("{}", "/.iwr-assets"),
    ),
)
def test_placeholder_is_replaced(
    served: Served, folder: Path, ask: Ask, written: str, arrives: str
) -> None:
    """The placeholder becomes an absolute path, however it is led up to."""
    text = written.format("__PLACEHOLDER_ASSETS_BASE_DIR__")
    for suffix in ("html", "css", "js", "mjs", "json", "svg"):
        (folder / f"x.{suffix}").write_text(text, encoding="utf-8")
        reply = ask(served.url, f"/x.{suffix}", range_="bytes=0-1")
        assert (reply.status, reply.read().decode()) == (200, arrives)
        assert reply.headers["content-length"] == str(len(arrives))


def test_other_bytes_stay_beside_placeholder(
    served: Served, folder: Path, ask: Ask
) -> None:
    """A page in Latin-1 with a placeholder is still the same bytes besides."""
    (folder / "x.html").write_bytes(b"\xfc __PLACEHOLDER_ASSETS_BASE_DIR__ \xff\0")
    assert ask(served.url, "/x.html").read() == b"\xfc /.iwr-assets \xff\0"


def test_pictures_keep_the_placeholder(served: Served, folder: Path, ask: Ask) -> None:
    """What is no text is not searched."""
    (folder / "x.png").write_bytes(b"__PLACEHOLDER_ASSETS_BASE_DIR__")
    assert ask(served.url, "/x.png").read() == b"__PLACEHOLDER_ASSETS_BASE_DIR__"


@pytest.mark.parametrize("path", (".iwr-assets", "assets"))
def test_assets_are_served(served: Served, path: str, ask: Ask) -> None:
    """Assets stand behind the placeholder's path, and below `/assets/`."""
    reply = ask(served.url, f"/{path}/asset_001.png")
    assert (reply.status, reply.read()) == (200, b"\x89PNG one")
    assert ask(served.url, f"/{path}/asset_002.png").status == 404
    assert ask(served.url, f"/{path}/").status == 404
    assert ask(served.url, f"/{path}").status == 404


def test_own_file_hides_the_asset(served: Served, folder: Path, ask: Ask) -> None:
    """A page that brings its own `assets/` folder keeps it."""
    (folder / "assets").mkdir()
    (folder / "assets" / "asset_001.png").write_bytes(b"own")
    assert ask(served.url, "/assets/asset_001.png").read() == b"own"
    assert ask(served.url, "/.iwr-assets/asset_001.png").read() == b"\x89PNG one"


@pytest.mark.parametrize("there", (None, "absent"))
def test_task_without_assets(
    serve: Serve, folder: Path, there: str | None, ask: Ask
) -> None:
    """Where the task has no assets, asking for them is a miss like any other."""
    absent = None if there is None else folder / there
    with serve(folder, absent) as hosted:
        assert ask(hosted.url, "/.iwr-assets/asset_001.png").status == 404
        assert hosted.missing() == ("/.iwr-assets/asset_001.png",)

"""A page in one file, in a frame without an origin, in a real browser."""

import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pytest_iwr.report.frame import Frame
from tests.report.conftest import Open

RED = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5">'
    b'<rect width="7" height="5" fill="red"/></svg>'
)
PLACEHOLDER = "__PLACEHOLDER_ASSETS_BASE_DIR__"
WIDTHS = "[...document.images].map(image => image.naturalWidth)"


def lay(folder: Path, page: str, files: Mapping[str, bytes] | None = None) -> Path:
    """Write a page, its frame's file, and a report that shows it; gives the report."""
    site, assets = folder / "site", folder / "assets"
    assets.mkdir()
    (assets / "asset_001.svg").write_bytes(RED)
    for name, data in {"index.html": page.encode(), **(files or {})}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(data)
    whole = Frame(site, assets).put_together("index.html")
    assert whole is not None
    (folder / "page.html").write_bytes(whole)
    outer = '<title>o</title><iframe sandbox="allow-scripts" src="page.html"></iframe>'
    (folder / "outer.html").write_text(outer, encoding="utf-8")
    return folder / "outer.html"


@pytest.mark.parametrize(
    "html",
    (
        f'<img src="{PLACEHOLDER}/asset_001.svg">',
        f"<img src=../{PLACEHOLDER}/asset_001.svg>",
        '<img src="assets/asset_001.svg">',
        "<img src='/assets/asset_001.svg'>",
        '<img src="own/mine.svg?v=2">',
        f"""<script>const home = "{PLACEHOLDER}";
            document.write(`<img src="${{home}}/asset_001.svg">`)</script>""",
        f"""<script>const home = "{PLACEHOLDER}"; const image = new Image();
            image.src = home + "/asset_001.svg"; document.body.append(image)</script>""",
    ),
)
def test_picture_is_shown(tmp_path: Path, open_page: Open, html: str) -> None:
    """However the page names it."""
    report = lay(tmp_path, f"<!DOCTYPE html><body>{html}", {"own/mine.svg": RED})
    with open_page(report) as (outer, complaints, _):
        outer.frames[1].wait_for_function(f"{WIDTHS}.join() === '7'")
    assert complaints == []


def test_style_and_script_of_other_files_work(tmp_path: Path, open_page: Open) -> None:
    """And pictures that the style names from its own folder."""
    files = {
        "css/style.css": b"p { width: 50px; background: url(../own/mine.svg) }",
        "own/mine.svg": RED,
        "js/app.js": b"document.querySelector('p').textContent = 'ran'",
    }
    page = '<!DOCTYPE html><link rel=stylesheet href=css/style.css><p>.</p><script src="js/app.js"></script>'
    report = lay(tmp_path, page, files)
    with open_page(report) as (outer, complaints, _):
        paragraph = outer.frame_locator("iframe").locator("p")
        expect(paragraph).to_have_text("ran")
        expect(paragraph).to_have_css("width", "50px")
        style = "p => getComputedStyle(p).backgroundImage"
        assert paragraph.evaluate(style).startswith('url("data:image/svg+xml')
    assert complaints == []


def test_storage_lasts_as_long_as_the_frame(tmp_path: Path, open_page: Open) -> None:
    """A page that keeps something does not end with an error."""
    page = "<p>.</p><script>localStorage.setItem('a', 1); document.querySelector('p').textContent = localStorage.getItem('a') + sessionStorage.length</script>"
    with open_page(lay(tmp_path, page)) as (outer, complaints, _):
        expect(outer.frame_locator("iframe").locator("p")).to_have_text("10")
    assert complaints == []


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """Give the address of a server, and the paths that it is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815 - named by http.server

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


def test_frame_reaches_nothing(
    tmp_path: Path, open_page: Open, elsewhere: tuple[str, list[str]]
) -> None:
    """Neither by requests of any kind, nor by leaving, nor by asking the report."""
    address, asked = elsewhere
    page = """<!DOCTYPE html><body><img src="HOST/a"><script src="HOST/b"></script>
    <link rel=stylesheet href="HOST/c"><form action="HOST/d"></form><script>
    fetch("HOST/e").catch(() => {}); navigator.sendBeacon("HOST/f");
    open("HOST/g"); document.forms[0].submit();
    try { top.document.title = "taken" } catch { }
    try { top.location = "HOST/h" } catch { }
    alert(1); onload = () => document.body.append("done")</script>"""
    report = lay(tmp_path, page.replace("HOST", address))
    with open_page(report) as (outer, _, _):
        expect(outer.frame_locator("iframe").locator("body")).to_contain_text("done")
        assert outer.title() == "o"
        assert len(outer.context.pages) == 1
    assert asked == []


@pytest.mark.parametrize("name", ("../secret.svg", "%2e%2e/secret.svg", "link.svg"))
def test_files_elsewhere_stay_there(tmp_path: Path, name: str) -> None:
    """A page cannot have files written into it that are none of its own."""
    (tmp_path / "secret.svg").write_bytes(b"<svg>SECRET</svg>")
    site = tmp_path / "site"
    site.mkdir()
    (site / "link.svg").symlink_to(tmp_path / "secret.svg")
    (site / "index.html").write_text(f'<img src="{name}">', encoding="utf-8")
    whole = Frame(site, None).put_together("index.html")
    assert whole is not None
    assert b"base64" not in whole


def test_page_keeps_its_mode(tmp_path: Path, open_page: Open) -> None:
    """What is put before the page comes after its doctype and its comments."""
    page = "<!-- made by me --> <!doctype html><p>x</p>" + "<!-- x -->" * 2000
    with open_page(lay(tmp_path, page)) as (outer, _, _):
        assert outer.frames[1].evaluate("document.compatMode") == "CSS1Compat"


def test_what_is_missing_is_listed(tmp_path: Path) -> None:
    """Names that lead nowhere, once each."""
    site = tmp_path / "site"
    site.mkdir()
    page = '<img src="lost.png"><img src="lost.png"><a href="about.html">a</a>'
    (site / "index.html").write_text(page, encoding="utf-8")
    frame = Frame(site, None)
    frame.put_together("index.html")
    assert list(frame.unresolved) == ["lost.png"]


LOOPS = {"a.css": b"@import url(b.css);", "b.css": b"@import url(a.css);"}
CHAIN = {f"{n}.css": b"@import url(%d.css);" % (n + 1) for n in range(2000)}


@pytest.mark.parametrize(
    ("html", "files"),
    (
        ('<img src="a%00b.png">', {}),
        (f'<img src="{"a" * 5000}.png">', {}),
        (f'<img src="{"a/" * 5000}.png">', {}),
        ("<link rel=stylesheet href=a.css>", {"a.css": b"@import url(a.css);"}),
        ("<link rel=stylesheet href=a.css>", LOOPS),
        ("<link rel=stylesheet href=0.css>", CHAIN),
        ("<!---->" * 800_000, {}),
        ("<img src=a.png>" * 300_000, {}),
    ),
    ids=("null", "long", "deep", "itself", "each other", "chain", "comments", "names"),
)
def test_page_may_name_anything(
    tmp_path: Path, html: str, files: Mapping[str, bytes]
) -> None:
    """Names that no disk can have, sheets without an end, and a lot of it."""
    site = tmp_path / "site"
    site.mkdir()
    for name, data in {"index.html": html.encode(), **files}.items():
        (site / name).write_bytes(data)
    whole = Frame(site, None).put_together("index.html")
    assert whole is not None
    assert whole.endswith(b">")


def test_sheets_in_a_circle_work(tmp_path: Path, open_page: Open) -> None:
    """Each once, as in a browser that may ask for files."""
    files = {
        "a.css": b"@import url(b.css); p { width: 50px }",
        "b.css": b"@import url(a.css); p { height: 40px }",
    }
    page = "<!DOCTYPE html><link rel=stylesheet href=a.css><p>."
    with open_page(lay(tmp_path, page, files)) as (outer, complaints, _):
        paragraph = outer.frame_locator("iframe").locator("p")
        expect(paragraph).to_have_css("width", "50px")
        expect(paragraph).to_have_css("height", "40px")
    assert complaints == []

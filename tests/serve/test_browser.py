"""The server as a real Chromium sees it."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.serve import Served

Serve = Callable[..., AbstractContextManager[Served]]

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
STORED = "[localStorage.seen, localStorage.seen = document.title][0] ?? 'nothing'"
SERVICE_WORKER = """
(async () => {
    await navigator.serviceWorker.register("/sw.js");
    const registration = await navigator.serviceWorker.ready;
    return registration.scope === location.origin + "/";
})()
"""
WASM = """
WebAssembly.instantiateStreaming(fetch("empty.wasm")).then(() => "streamed", String)
"""


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    """Give a page of a browser that is started as in a run."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found.path, args=args)
        yield browser.new_page()
        browser.close()


def write(folder: Path, files: dict[str, str]) -> None:
    """Write text files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def test_modules_and_odd_names_load(
    browser_page: Page, served: Served, folder: Path
) -> None:
    """All files load by a relative path but one: `#` is the page's own mistake."""
    names = ("a b.svg", "c#1.svg", "50%.svg", "图.svg")
    links = (*names, "a%20b.svg", "c%231.svg", "50%25.svg")
    images = "".join(f'<img src="pics/{link}">' for link in links)
    module = '<script type="module" src="pics/m.js"></script>'
    write(
        folder,
        {
            "index.html": f'<meta charset="utf-8">{images}{module}',
            "pics/m.js": 'import {ok} from "./mod.mjs"; document.title = ok;',
            "pics/mod.mjs": 'export const ok = "module";',
            **{f"pics/{name}": SVG for name in names},
        },
    )
    browser_page.goto(served.url)
    widths = "Array.from(document.images, image => image.naturalWidth)"
    assert browser_page.evaluate(widths) == [9, 0, 9, 9, 9, 9, 9]
    assert browser_page.title() == "module"
    assert served.missing() == ("/pics/c",)


def test_built_product_works(browser_page: Page, served: Served, folder: Path) -> None:
    """Absolute paths, fetch and streamed WebAssembly work as on a real host."""
    write(
        folder,
        {
            "index.html": '<script src="/x.js"></script>',
            "x.js": 'document.title = "absolute"',
            "data/1.json": '{"ok": true}',
        },
    )
    (folder / "empty.wasm").write_bytes(b"\0asm\1\0\0\0")
    browser_page.goto(served.url)
    assert browser_page.title() == "absolute"
    fetched = "fetch('data/1.json').then(answer => answer.json())"
    assert browser_page.evaluate(fetched) == {"ok": True}
    assert browser_page.evaluate(WASM) == "streamed"


def test_storage_and_workers_are_separate(
    browser_page: Page, serve: Serve, folder: Path
) -> None:
    """Two items of one folder share neither storage nor service workers."""
    write(folder, {"sw.js": "addEventListener('fetch', () => {})"})
    for _ in range(2):
        with serve(folder) as hosted:
            browser_page.goto(hosted.url)
            registered = (
                "navigator.serviceWorker.getRegistrations().then(r => r.length)"
            )
            assert browser_page.evaluate(registered) == 0
            assert browser_page.evaluate(STORED) == "nothing"
            assert browser_page.evaluate(STORED) == "Entry"
            assert browser_page.evaluate(SERVICE_WORKER) is True


@pytest.mark.parametrize(
    "source",
    (
        "__PLACEHOLDER_ASSETS_BASE_DIR__/picture.svg",
        "./__PLACEHOLDER_ASSETS_BASE_DIR__/picture.svg",
        "/__PLACEHOLDER_ASSETS_BASE_DIR__/picture.svg",
        "assets/picture.svg",
        "../../assets/picture.svg",
    ),
)
def test_assets_are_seen(
    browser_page: Page, served: Served, folder: Path, assets: Path, source: str
) -> None:
    """The task's assets show by each way in which pages name them."""
    write(assets, {"picture.svg": SVG})
    write(folder, {"index.html": f'<img src="{source}">'})
    browser_page.goto(served.url)
    assert browser_page.evaluate("document.images[0].naturalWidth") == 9


@pytest.mark.parametrize(
    ("charset", "encoding"),
    (("", "utf-8"), ("utf-8", "utf-8"), ("windows-1252", "latin-1")),
)
def test_letters_are_right_in_each_encoding(
    browser_page: Page, served: Served, folder: Path, charset: str, encoding: str
) -> None:
    """A page shows its letters, whether or not it says how they are encoded."""
    meta = f'<meta charset="{charset}">' if charset else ""
    (folder / "index.html").write_bytes(f"{meta}<p>grün".encode(encoding))
    browser_page.goto(served.url)
    assert browser_page.inner_text("p") == "grün"

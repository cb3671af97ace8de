"""The report of a page that writes markup wherever it can (case 29), for real."""

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Dialog, sync_playwright

from pytest_iwr.drive.launch import default_args, find_browser
from tests.plugin.kit import Project

EVIL = "<img src=x onerror=\"document.title='666'\">"
TASK = """\
iwr: 1
id: '{evil}'
title: '{evil}'
source: {{site: '{evil}', domain: '{evil}'}}
steps:
  - click: {{role: heading}}
    say: '<script>document.title=667</script>'
    expect:
      - text: '</textarea></pre><svg onload=document.title=668>'
"""


class Seen(NamedTuple):
    """What a browser saw of one page of the report."""

    name: str
    title: str
    injected: int
    shown: int
    """How often the markup stands there as text."""
    complaints: list[str]
    requests: list[str]


def look(paths: list[Path]) -> Iterator[Seen]:
    """Open pages of the report, with everything unfolded."""
    found = find_browser(None, os.environ)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.path, args=default_args(is_root=os.geteuid() == 0)
        )
        for path in paths:
            yield _open(browser, path)
        browser.close()


def _open(browser: Browser, path: Path) -> Seen:
    complaints: list[str] = []
    requests: list[str] = []
    page = browser.new_page()

    def refuse(dialog: Dialog) -> None:
        complaints.append(dialog.message)
        dialog.dismiss()

    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", refuse)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri() + "#item=0")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    bad = "img[src='x'], img[src='y'], svg[onload], [onerror]"
    seen = Seen(
        path.name,
        page.title(),
        page.locator(bad).count(),
        page.locator("body").inner_text().count("document.title="),
        complaints,
        [url for url in requests if not url.startswith(("file:", "data:"))],
    )
    page.close()
    return seen


@pytest.mark.needs_shared
def test_markup_of_a_page_stays_text_everywhere(
    project: Project, shared: Path, in_thread: Callable[..., list[Seen]]
) -> None:
    """Ids, titles, models, targets, console, reasons, code and names of files."""
    (project.path / "conftest.py").write_text("")
    task = project.path / "tasks" / "evil" / "task.iwr.yaml"
    task.parent.mkdir(parents=True)
    evil = EVIL.replace("'", "''")
    task.write_text(TASK.format(evil=evil), encoding="utf-8")
    home = project.path / "pages" / EVIL / EVIL
    home.mkdir(parents=True)
    shutil.copy(shared / "cases" / "29-report-html" / "page.html", home / "index.html")
    (home / f"{EVIL}.js").write_text(f"/* </script>{EVIL} */", encoding="utf-8")
    project.pytester.runpytest_subprocess(
        "--iwr-pages=pages", "--iwr-html-single-file", "-pno:html"
    )
    latest = project.latest.resolve()
    pages = [latest / "index.html", latest / "report-single.html"]
    pages += latest.glob("items/*/*/index.html")
    assert len(pages) == 3
    for seen in in_thread(lambda: list(look(pages))):
        assert not seen.title.startswith("6"), seen
        assert seen.injected == 0, seen
        assert seen.shown >= 3, seen
        assert seen.complaints == [], seen
        assert seen.requests == [], seen


@pytest.fixture
def in_thread() -> Callable[..., list[Seen]]:
    """Give a function that calls another one where no event loop runs."""

    def call(what: Callable[[], list[Seen]]) -> list[Seen]:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(what).result()

    return call

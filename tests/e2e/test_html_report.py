"""The HTML report, opened in a real browser: it shows scores and runs nothing."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import sync_playwright

from pytest_iwr.drive.launch import default_args, find_browser
from tests.plugin.kit import PICTURE, Project

EVIL = '<img src=x onerror="document.title=666">'


class Opened(NamedTuple):
    """What an opened report shows."""

    title: str
    images_in_text: int
    text: str
    thumbnails: int
    requests: list[str]


def look(report: Path) -> Opened:
    """Open a report, unfold all rows, and look at it."""
    found = find_browser(None, os.environ)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.path,
            args=default_args(is_root=os.geteuid() == 0),
        )
        page = browser.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(report.as_uri())
        page.get_by_text("Show all details").click()
        page.locator(".results-table-row").first.wait_for()
        seen = Opened(
            title=page.title(),
            images_in_text=page.locator('img[src="x"]').count(),
            text=page.locator("body").inner_text(),
            thumbnails=page.locator('img[src^="data:image/jpeg"]').count(),
            requests=[url for url in requests if not url.startswith("data:")],
        )
        browser.close()
        return seen


@pytest.fixture
def opened(project: Project) -> Opened:
    """Give the report of a run in which every name and message is markup."""
    file = project.task("shop", more=f"title: '{EVIL}'", folder=EVIL)
    file.write_text(file.read_text() + "    checkpoint: is-0.9.png\n")
    (file.parent / "is-0.9.png").write_bytes(PICTURE)
    project.task(f"'{EVIL}'", folder="evil-id")
    for model in ("gpt-5", EVIL):
        project.page(model, "shop")
        project.page(model, EVIL, f"breaks_at=1\nreason={EVIL}")
    project.evaluate()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(look, project.latest / "report.html").result()


def test_markup_in_names_and_messages_does_not_run(opened: Opened) -> None:
    """Ids, paths, models, titles and reasons are text in the report."""
    assert opened.title.startswith("Web pages made by models: run 2")
    assert opened.images_in_text == 0
    assert opened.text.count(EVIL) >= 8


def test_report_shows_scores_and_pictures(opened: Opened) -> None:
    """Each test has its scores, and a picture for each checkpoint."""
    assert opened.text.count("0.9700") >= 2  # Final of IFS 1 and VFS 0.9
    assert opened.text.count("step 1, expectation") >= 2
    assert opened.thumbnails == 2


def test_report_stands_alone(opened: Opened) -> None:
    """The report is one file that asks for no other."""
    assert [url for url in opened.requests if not url.endswith("/report.html")] == []

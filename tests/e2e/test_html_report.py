"""The report of pytest-html in a real browser: scores, pictures, links, no surprises."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from playwright.sync_api import sync_playwright

from pytest_iwr.drive.launch import default_args, find_browser
from tests.plugin.kit import PICTURE, Project

EVIL = '<img src=x onerror="document.title=666">'
KINDS = {
    "own": ("-pno:xdist",),
    "workers": ("-n2",),
    "elsewhere": ("-n2", "--html=out/a b/report.html", "--self-contained-html"),
    "many-files": ("-n0", "--html=out/report.html"),
}
"""Ways to have a report made."""


class Opened(NamedTuple):
    """What an opened report shows."""

    title: str
    images_in_text: int
    text: str
    thumbnails: int
    """Pictures of rows that the browser could show."""
    rows: list[str]
    """The tests' column, row by row."""
    links: list[str]
    """Where the rows' links lead."""
    linked_title: str
    """Of the page behind the first link that leads to what broke."""
    requests: list[str]
    told: list[str]
    """What the browser says on its console, and errors of scripts."""


def look(report: Path) -> Opened:
    """Open a report, unfold all rows, look at it, and follow a link."""
    found = find_browser(None, os.environ)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.path,
            args=default_args(is_root=os.geteuid() == 0),
        )
        page = browser.new_page()
        requests: list[str] = []
        told: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto(report.as_uri())
        page.get_by_text("Show all details").click()
        page.locator(".results-table-row").first.wait_for()
        links = page.locator("a.col-links__extra")
        pictures = page.locator(".media-container__viewport img:visible").evaluate_all(
            "async all => { for (const one of all) await one.decode(); return all.length }"
        )
        shown = {
            "title": page.title(),
            "images_in_text": page.locator('img[src="x"]').count(),
            "text": page.locator("body").inner_text(),
            "thumbnails": pictures,
            "rows": page.locator(".col-testId").all_inner_texts(),
            "links": links.evaluate_all("all => all.map(one => one.href)"),
            "requests": [url for url in requests if not url.startswith("data:")],
        }
        broken = next((u for u in shown["links"] if u.endswith("#step=broken")), None)
        if broken is not None:
            page.goto(broken)
            page.get_by_role("dialog").wait_for()
        seen = Opened(**shown, told=told, linked_title=page.title())
        browser.close()
        return seen


def open_report(report: Path) -> Opened:
    """Look at a report in a thread of its own, away from this one's event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(look, report).result()


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest, project: Project) -> Opened:
    """Give the report of a run in which every name and message is markup."""
    file = project.task("shop", more=f"title: '{EVIL}'", folder=EVIL)
    file.write_text(file.read_text() + "    checkpoint: is-0.9.png\n")
    (file.parent / "is-0.9.png").write_bytes(PICTURE)
    project.task(f"'{EVIL}'", folder="evil-id")
    for model in ("gpt-5", EVIL):
        project.page(model, "shop")
        project.page(model, EVIL, f"breaks_at=1\nreason={EVIL}")
    options = KINDS[request.param]
    project.evaluate(*options)
    html = [one.partition("=")[2] for one in options if one.startswith("--html=")]
    report = project.path / html[0] if html else project.latest / "report.html"
    return open_report(report)


def test_report_has_scores_pictures_and_links(opened: Opened) -> None:
    """One row a task and model, its scores, a picture of each checkpoint, its page."""
    assert len(opened.rows) == 4
    assert opened.text.count("0.9700") >= 2  # Final of IFS 1 and VFS 0.9
    assert opened.text.count("step 1, expectation") >= 2
    assert opened.thumbnails == 2
    assert len(opened.links) == 4
    for address in opened.links:
        path = url2pathname(urlsplit(address).path)
        assert Path(path).is_file()
    assert EVIL in opened.linked_title


def test_markup_in_names_and_messages_does_not_run(opened: Opened) -> None:
    """Ids, paths, models, titles and reasons are text in the report."""
    assert opened.title.startswith("Web pages made by models: run 2")
    assert opened.images_in_text == 0
    assert opened.text.count(EVIL) >= 8
    assert opened.told == []


def test_report_asks_for_its_own_files_only(opened: Opened) -> None:
    """No request leaves the folder, and one file asks for no other."""
    asked = {url for url in opened.requests if not url.endswith("/report.html")}
    assert {urlsplit(url).scheme for url in asked} <= {"file"}
    assert not asked or all("/out/assets/" in url for url in asked)


def test_lost_task_has_its_row(project: Project) -> None:
    """A task whose worker died is an error in the table, with the reason."""
    for task in ("a", "b", "c"):
        project.task(task)
        project.page("m", task, "dies=1" if task == "b" else "")
    project.evaluate("-n2")
    opened = open_report(project.latest / "report.html")
    tests = sorted(row.split("::")[1].partition("[")[0] for row in opened.rows)
    assert tests == ["a", "b", "c"]
    assert "error, lost: the worker process that ran it ended" in opened.text
    assert "1 Errors" in opened.text


def test_name_that_pytest_html_cannot_read_ends_no_run(project: Project) -> None:
    """A backslash in a folder's name costs the row its pictures, not the run."""
    file = project.task("shop", folder="a\\x", more="start: is-0.9.png")
    (file.parent / "is-0.9.png").write_bytes(PICTURE)
    project.page("m", "shop")
    assert project.evaluate().ret == 0
    assert "0.9000" in open_report(project.latest / "report.html").text


@pytest.mark.needs_shared
def test_page_with_markup_everywhere_is_text(counter: Project, shared: Path) -> None:
    """Case 29: ids, targets, expectations, console and title change nothing."""
    shutil.rmtree(counter.path / "tasks")
    case = shared / "cases" / "29-report-html" / "page.html"
    expected = "</textarea></pre><svg onload=document.title=668>"
    steps: dict[str, dict[str, object]] = {
        EVIL: {"click": {"text": "<script>document.title=667</script>"}},
        f"{EVIL}2": {"press": "Tab", "expect": [{"text": expected}]},
    }
    for number, (task, step) in enumerate(steps.items()):
        folder = counter.path / "tasks" / f"t{number}"
        folder.mkdir(parents=True)
        text = json.dumps({"iwr": 1, "id": task, "steps": [{"timeout_s": 1} | step]})
        (folder / "task.iwr.yaml").write_text(text, encoding="utf-8")
        page = counter.path / "pages" / EVIL / task / "index.html"
        page.parent.mkdir(parents=True)
        shutil.copy(case, page)
    counter.pytester.runpytest_subprocess(
        "--iwr-pages=pages", "-n2", f"--iwr-model={EVIL}"
    )
    opened = open_report(counter.latest / "report.html")
    assert opened.title.startswith("Web pages made by models: run 2")
    assert len(opened.rows) == 2
    assert expected in opened.text
    assert "document.title=667" in opened.text
    assert opened.told == []

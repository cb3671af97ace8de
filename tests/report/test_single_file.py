"""The report in one file, opened in a real browser."""

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.report.site import write_single_file
from tests.report.conftest import Open


def alone(run: RunFolder, folder: Path) -> Path:
    """Give a copy of the file where nothing else lies."""
    return Path(shutil.copy(run.single, folder / "alone.html"))


def broken(run: RunFolder) -> int:
    """Count the evaluations that failed at a step."""
    lines = run.results.read_text().splitlines()
    return sum(json.loads(line)["failed_step"] is not None for line in lines)


def test_every_failed_step_has_its_pictures(
    run: RunFolder, tmp_path: Path, open_page: Open
) -> None:
    """From the table into the viewer, with pictures, from one file."""
    with open_page(alone(run, tmp_path)) as (page, complaints, requests):
        links = page.locator("tr.failed td:first-child a")
        expect(links).to_have_count(broken(run))
        for index in range(broken(run)):
            links.nth(index).click()
            step = page.locator("#item .step.failed")
            step.locator("button.thumb").last.click()
            image = page.locator('figure[data-side="shot"] img')
            expect(image).to_have_js_property("naturalWidth", 320)
            page.keyboard.press("Escape")
            page.get_by_role("link", name="All evaluations").click()
            expect(page.locator("#overview")).to_be_visible()
    assert complaints == []
    assert requests == []


def test_file_fits_and_says_what_is_left_out(
    run: RunFolder, tmp_path: Path, open_page: Open
) -> None:
    """Passed steps go first; failed ones get smaller pictures and stay."""
    most = 250_000
    path = write_single_file(run, tmp_path / "small.html", most)
    assert path.stat().st_size <= most
    with open_page(path) as (page, complaints, _):
        told = page.locator("#told")
        expect(told).to_contain_text(re.compile(r"\d+ pictures of passed steps are"))
        for index in range(broken(run)):
            page.locator("tr.failed td:first-child a").nth(index).click()
            failed = page.locator("#item .step.failed img")
            assert failed.last.evaluate("image => image.decode().then(() => 1)") == 1
            page.get_by_role("link", name="All evaluations").click()
    assert complaints == []


@pytest.fixture
def loud(run: RunFolder, tmp_path: Path) -> RunFolder:
    """Give the run with 200 lines of the console, and of requests, in each step."""
    made = RunFolder(Path(shutil.copytree(run.path, tmp_path / "loud")))
    for file in made.path.rglob("trace.json"):
        trace = r.Trace.model_validate_json(file.read_bytes())
        said = tuple(
            r.Message(level="error", text=f"Ошибка: ключ {n} не найден", where="/:1")
            for n in range(200)
        )
        asked = trace.steps[0].requests * 200
        update = {"console": said, "requests": asked}
        steps = [step.model_copy(update=update) for step in trace.steps]
        told = trace.model_copy(update={"steps": tuple(steps)})
        file.write_text(told.model_dump_json(), encoding="utf-8")
    return made


def test_long_lists_of_lines_are_cut(loud: RunFolder, open_page: Open) -> None:
    """The first 20 of a step stand in the file, and how many more there are."""
    path = write_single_file(loud, loud.single)
    with open_page(path) as (page, complaints, _):
        page.locator("tr.failed td:first-child a").first.click()
        lists = page.locator("#item .step.failed ul.lines:has(li:nth-child(9))")
        expect(lists).to_have_count(2)
        expect(lists.first.locator("li")).to_have_count(21)
        expect(lists.last).to_contain_text("180 more in the run")
    assert complaints == []


def test_loud_pages_do_not_make_the_file_too_large(
    loud: RunFolder, open_page: Open
) -> None:
    """Each step that broke is there, alone where all steps have no room."""
    most = 250_000
    path = write_single_file(loud, loud.single, most)
    assert path.stat().st_size <= most
    with open_page(path) as (page, complaints, _):
        links = page.locator("tr.failed td:first-child a")
        expect(links).to_have_count(broken(loud))
        for index in range(broken(loud)):
            links.nth(index).click()
            expect(page.locator("#item .step.failed")).to_have_count(1)
            page.get_by_role("link", name="All evaluations").click()
    assert complaints == []


def test_pictures_without_room_are_counted(
    run: RunFolder, tmp_path: Path, open_page: Open
) -> None:
    """Those of broken steps, too; the steps stay."""
    path = write_single_file(run, tmp_path / "none.html", 10_000)
    with open_page(path) as (page, complaints, _):
        expect(page.locator("#told")).to_contain_text("pictures of broken steps are")
        page.locator("tr.failed td:first-child a").first.click()
        expect(page.locator("#item .step.failed")).to_have_count(1)
    assert complaints == []


def test_first_break_is_one_click_away(
    run: RunFolder, tmp_path: Path, open_page: Open
) -> None:
    """From an example with pictures, and from each row."""
    with open_page(alone(run, tmp_path)) as (page, complaints, requests):
        image = page.locator("a.example img").last
        assert image.evaluate("image => image.decode().then(() => 1)") == 1
        for link in ("a.example", 'tr.failed td[data-label="First break"] a'):
            page.locator(link).first.click()
            expect(page.locator("#viewer")).to_be_visible()
            page.keyboard.press("Escape")
            page.get_by_role("link", name="All evaluations").click()
    assert complaints == []
    assert requests == []

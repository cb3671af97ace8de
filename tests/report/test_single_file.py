"""The report in one file, opened in a real browser."""

import json
import re
import shutil
from pathlib import Path

from playwright.sync_api import expect

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

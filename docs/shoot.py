"""Makes the pictures in `docs/pictures/` anew: a real run, as a browser shows it.

python docs/shoot.py
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.review.cases import Wish, find_cases
from pytest_iwr.author.review.rejections import Rejections
from pytest_iwr.author.review.server import Desk
from pytest_iwr.author.review.session import Session
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.loopback import Loopback
from pytest_iwr.report.pictures import webp

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH_PX = 1100
SCALE = 1.6
"""Pixels of a picture for one of the page: sharp where it is shown at full width."""
QUALITY = 80
MOST_BYTES = 250_000
OVERVIEW_PX = 2000
"""High enough that all its pictures are in sight, and loaded."""
VIEWER_PX = 760
LOADED = """
Promise.all([...document.images].filter(image => image.src && image.checkVisibility()
    && image.getBoundingClientRect().top < innerHeight).map(image => image.decode()))
"""
BROKEN = "sb-admin-2"
"""The task whose first break is shown: a word is missing on its flawed page."""


def main() -> None:
    """Evaluate the stored pages, and take the pictures of what that leaves."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, _browser() as browser:
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "tasks"),
                *("--iwr-pages=examples/pages", f"--iwr-output={scratch}"),
            ],
            cwd=ROOT,
            check=False,  # the flawed pages fail
        )
        run = RunFolder((Path(scratch) / "latest").resolve())
        shoot_report(browser, run)
        shoot_review(browser, run)


def shoot_report(browser: Browser, run: RunFolder) -> None:
    """Take the overview, and what one click on a first break shows."""
    page = _page(browser, height=OVERVIEW_PX)
    page.goto(run.index.as_uri())
    last = page.locator("#rows tbody tr").nth(1).bounding_box()
    if last is None:
        raise AssertionError(run.index)
    _keep(page, "overview", height=last["y"] + last["height"])
    page.set_viewport_size({"width": WIDTH_PX, "height": VIEWER_PX})
    page.locator(".example").filter(has_text=BROKEN).click()
    page.locator("#viewer-closeups").wait_for()
    _keep(page, "step-viewer")


def shoot_review(browser: Browser, run: RunFolder) -> None:
    """Take the page of `iwr review` at its first picture; nothing is decided."""
    cases = find_cases(run, ROOT / "tasks", Wish(models=("flawed",)))
    desk = Desk(Session(run.path.name, cases, Rejections(run.path)))
    page = _page(browser, height=VIEWER_PX)
    with Loopback(desk, name="review") as loopback:
        page.goto(f"http://127.0.0.1:{loopback.port}/{desk.token}/")
        page.locator("#main").wait_for()
        _keep(page, "review")


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(None, os.environ).path,
            args=default_args(is_root=os.geteuid() == 0),
        )
        yield browser
        browser.close()


def _page(browser: Browser, *, height: int) -> Page:
    return browser.new_page(
        viewport={"width": WIDTH_PX, "height": height}, device_scale_factor=SCALE
    )


def _keep(page: Page, name: str, height: float | None = None) -> None:
    """Write a picture of the page; `height` from its top, else what is in sight."""
    page.evaluate(LOADED)
    clip: FloatRect | None = None
    if height is not None:
        clip = {"x": 0, "y": 0, "width": WIDTH_PX, "height": height}
    png = page.screenshot(full_page=clip is not None, clip=clip)
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise AssertionError(name)
    data = webp(np.asarray(picture, np.uint8), QUALITY)
    (PICTURES / f"{name}.webp").write_bytes(data)
    if len(data) > MOST_BYTES:
        raise SystemExit(f"{name}: {len(data):,} bytes, more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main()

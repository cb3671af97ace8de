"""A real browser and a real server for pages that are written in the tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.serve import Server
from tests.drive.kit import Drive, drive_pages


@pytest.fixture(scope="session")
def driver() -> Iterator[Browser]:
    """Give one browser for all tests of a session, with short time-outs."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    options = BrowserOptions(
        executable=found.path, args=tuple(args), step_timeout_s=1.5
    )
    driver = Browser(options)
    yield driver
    driver.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Give the project's own server."""
    with Server() as server:
        yield server


@pytest.fixture
def drive(driver: Browser, server: Server, tmp_path: Path) -> Drive:
    """Give a function: pages and steps in, trace out.

    `pages` is the HTML of index.html, or file name → content.
    """

    def run(
        pages: str | dict[str, str | bytes], *steps: object, **fields: object
    ) -> r.Trace:
        return drive_pages(driver, server, tmp_path, pages, steps, **fields)

    return run

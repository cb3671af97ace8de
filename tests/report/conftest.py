"""A made run with its report, and a browser to open it in."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request, sync_playwright

from benchmarks.report.made_run import Plan, make_run
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.report.site import write_single_file, write_site


class Opened(NamedTuple):
    """A page of the report, and what the browser complained about."""

    page: Page
    complaints: list[str]
    """Lines of the console, uncaught errors and dialogs."""
    requests: list[str]
    """Addresses that were asked for; none of them is a file of the report."""


Open = Callable[..., AbstractContextManager[Opened]]


@pytest.fixture(scope="module")
def browser_here() -> Iterator[Browser]:
    """Give a browser that is started as in a run."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found.path, args=args)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def open_page(browser_here: Browser) -> Open:
    """Give a context: `open_page(path, hash, width=, height=, dark=)`."""

    @contextmanager
    def open_(
        path: Path, hash_: str = "", *, width: int = 1280, dark: bool = False
    ) -> Iterator[Opened]:
        page = browser_here.new_page(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if dark else "light",
        )
        complaints: list[str] = []
        requests: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

        def refuse(dialog: Dialog) -> None:
            complaints.append(dialog.type)
            dialog.dismiss()

        def note(request: Request) -> None:
            if not request.url.startswith(("file:", "data:")):
                requests.append(request.url)

        page.on("dialog", refuse)
        page.on("request", note)
        page.goto(path.as_uri() + hash_)
        yield Opened(page, complaints, requests)
        page.close()

    return open_


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Give a run of four tasks, two models and two epochs, with its report."""
    made = make_run(tmp_path_factory.mktemp("made"), Plan(epochs=2))
    write_site(made)
    write_single_file(made, made.single)
    return made

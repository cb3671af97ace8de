"""A real browser and a real server for pages that are written in the tests."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.load import load
from pytest_iwr.serve import Server

Drive = Callable[..., r.Trace]

RESULT = "<script>const R = v => document.documentElement.dataset.result = v;</script>"
"""Pages write their outcome where an expectation can read it: see `result`."""


def result(value: str) -> dict[str, Any]:
    """Give the expectation that the page's outcome is this."""
    return {"visible": {"css": f'html[data-result="{value}"]'}}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give one browser for all tests of a session, with short time-outs."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    options = BrowserOptions(
        executable=found.path, args=tuple(args), step_timeout_s=1.5
    )
    browser = Browser(options)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Give the project's own server."""
    with Server() as server:
        yield server


@pytest.fixture
def drive(browser: Browser, server: Server, tmp_path: Path) -> Drive:
    """Give a function: pages and steps in, trace out.

    `pages` is the HTML of index.html, or file name → content.
    """

    def run(pages: str | dict[str, str], *steps: object, **fields: object) -> r.Trace:
        files = {"index.html": pages} if isinstance(pages, str) else pages
        folder = tmp_path / "site"
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            text = RESULT + content if name.endswith(".html") else content
            (folder / name).write_text(text, encoding="utf-8")
        digest = hashlib.sha256(repr(files).encode()).hexdigest()
        site = r.Site(folder=str(folder), sha256=digest, origin="a test's page")
        task = as_task(steps, tmp_path / "task.iwr.yaml", **fields)
        shots = tmp_path / "shots"
        shots.mkdir(exist_ok=True)
        with server.serve(site, None) as hosted:
            return browser.drive(task, hosted.url, shots)

    return run


def as_task(steps: tuple[object, ...], path: Path, **fields: object) -> r.Task:
    """Give a task by its file, so that the loader has its say."""
    r.TaskFile.model_validate({"iwr": 1, "steps": steps, **fields})
    import yaml  # noqa: PLC0415 (only here)

    text = yaml.safe_dump({"iwr": 1, "id": "test", "steps": list(steps), **fields})
    path.write_text(text, encoding="utf-8")
    return load(path)


def failure(trace: r.Trace) -> tuple[int, str, str]:
    """Give number, kind and message of the step that failed."""
    step = trace.failed
    assert step is not None, trace.steps
    assert step.failure is not None
    return step.number, step.failure.kind, step.failure.message


def went_well(trace: r.Trace, steps: int) -> None:
    """Check that all steps were done."""
    assert trace.failed is None, trace.failed
    assert len(trace.steps) == steps + 1

"""Playwright's own trace: it is left whole, changes nothing, and holds nobody up."""

import json
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.serve import Server
from tests.drive.kit import drive_pages

PAGE = """<!doctype html><title>Counter</title><h1>Visits</h1><p role="status">0</p>
<button onclick="document.querySelector('p').textContent++">Add</button>"""
LOOPS = "<button onclick='for (;;) {}'>Add</button>"
ALERTS = "<button onclick='while (true) alert(1)'>Add</button>"
CLICK = {
    "say": "Add one",
    "click": {"role": "button", "name": "Add"},
    "expect": [{"text": "1"}],
}


@pytest.fixture(scope="module")
def tracer() -> Iterator[Browser]:
    """Give a browser that leaves traces."""
    found = find_browser(None, os.environ)
    args = tuple(default_args(is_root=os.geteuid() == 0))
    browser = Browser(
        BrowserOptions(
            executable=found.path, args=args, step_timeout_s=1.5, traces=True
        )
    )
    yield browser
    browser.close()


def drive(
    browser: Browser, server: Server, folder: Path, page: str
) -> tuple[r.Trace, Path]:
    """Drive a page's button; give the trace, and where its files are."""
    folder.mkdir()
    trace = drive_pages(browser, server, folder, page, (CLICK,))
    return trace, folder / "shots"


def test_trace_is_left_beside_the_shots(
    tracer: Browser, server: Server, tmp_path: Path
) -> None:
    """It holds the calls by step, the page's elements and pictures."""
    trace, folder = drive(tracer, server, tmp_path / "a", PAGE)
    assert trace.failed is None
    with zipfile.ZipFile(folder / "trace.zip") as archive:
        names = archive.namelist()
        lines = archive.read("trace.trace").decode().splitlines()
    events = [json.loads(line) for line in lines]
    kinds = {event["type"] for event in events}
    assert {"before", "after", "frame-snapshot", "screencast-frame"} <= kinds
    assert any(name.endswith(".jpeg") for name in names)
    groups = [e["title"] for e in events if e.get("method") == "tracingGroup"]
    assert groups == ["open the page", "1. Add one"]


def test_trace_changes_nothing(
    tracer: Browser, driver: Browser, server: Server, tmp_path: Path
) -> None:
    """Pictures and outcomes are the same with it and without."""
    with_it, traced = drive(tracer, server, tmp_path / "a", PAGE)
    without, plain = drive(driver, server, tmp_path / "b", PAGE)
    assert not (plain / "trace.zip").exists()
    names = [step.shot for step in without.steps]
    assert (
        [step.shot for step in with_it.steps] == names == ["shot-00.png", "shot-01.png"]
    )
    for name in filter(None, names):
        assert (traced / name).read_bytes() == (plain / name).read_bytes()
    assert [s.outcomes for s in with_it.steps] == [s.outcomes for s in without.steps]


@pytest.mark.parametrize(
    "html", (LOOPS, ALERTS, f"{PAGE}<script>for (;;) {{}}</script>")
)
def test_page_that_loops_is_ended_all_the_same(
    tracer: Browser, driver: Browser, server: Server, tmp_path: Path, html: str
) -> None:
    """It fails as without a trace, in time, and the next page is driven."""
    started = time.monotonic()
    trace, _ = drive(tracer, server, tmp_path / "a", html)
    took = time.monotonic() - started
    assert trace.failed is not None
    plain, _ = drive(driver, server, tmp_path / "b", html)
    assert plain.failed is not None
    assert trace.failed.failure == plain.failed.failure
    assert took < 30
    following, folder = drive(tracer, server, tmp_path / "c", PAGE)
    assert following.failed is None
    assert (folder / "trace.zip").exists()

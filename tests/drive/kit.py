"""What tests of the driver say over and over: a page's outcome, a trace's end."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from pytest_iwr import records as r
from pytest_iwr.drive import Browser
from pytest_iwr.load import load
from pytest_iwr.serve import Server

Drive = Callable[..., r.Trace]
"""Pages and steps in, trace out."""

RESULT = "<script>const R = v => document.documentElement.dataset.result = v;</script>"
"""Pages write their outcome where an expectation can read it: see `result`."""


def result(value: str) -> dict[str, Any]:
    """Give the expectation that the page's outcome is this."""
    return {"visible": {"css": f'html[data-result="{value}"]'}}


def as_task(steps: tuple[object, ...], path: Path, **fields: object) -> r.Task:
    """Give a task by its file, so that the loader has its say."""
    content = {"iwr": 1, "id": "test", "steps": list(steps), **fields}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return load(path)


def drive_pages(
    driver: Browser,
    server: Server,
    folder: Path,
    pages: str | dict[str, str | bytes],
    steps: tuple[object, ...],
    **fields: object,
) -> r.Trace:
    """Write pages, serve them and carry out steps.

    `pages` is the HTML of index.html, or file name → content.
    """
    files = {"index.html": pages} if isinstance(pages, str) else pages
    site = folder / "site"
    for name, content in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        head = RESULT.encode() if name.endswith(".html") else b""
        (site / name).write_bytes(head + data)
    digest = hashlib.sha256(repr(files).encode()).hexdigest()
    task = as_task(steps, folder / "task.iwr.yaml", **fields)
    shots = folder / "shots"
    shots.mkdir(exist_ok=True)
    served = r.Site(folder=str(site), sha256=digest, origin="a test's page")
    with server.serve(served, None) as hosted:
        return driver.drive(task, hosted.url, shots)


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

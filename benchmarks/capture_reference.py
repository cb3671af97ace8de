"""Drives the real sites and keeps their pictures as the tasks' checkpoints.

`python -m benchmarks.capture_reference [TASK...]`; without a name, all tasks that
have a real site. Needs npm at the first run.
"""

import os
import sys
import tempfile
from pathlib import Path

import cv2

from benchmarks.reference import TASKS, reference_site, with_reference
from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.load import load
from pytest_iwr.serve import Server


def main(names: list[str]) -> int:
    """Capture each named task; gives 1 when a site does not do what its task says."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    browser = Browser(BrowserOptions(executable=found.path, args=tuple(args)))
    try:
        with Server() as server:
            failures = [_capture(name, server, browser) for name in names]
    finally:
        browser.close()
    return int(any(failures))


def _capture(name: str, server: Server, browser: Browser) -> bool:
    """Drive one site and keep its pictures, unless a step fails; tell so."""
    task = load(TASKS / name / "task.iwr.yaml", needs_files=False)
    folder = reference_site(name)
    site = r.Site(folder=str(folder), sha256="", origin="the real site")
    with tempfile.TemporaryDirectory() as scratch:
        with server.serve(site, assets=None) as served:
            trace = browser.drive(task, served.url, Path(scratch))
        if trace.failed is not None and trace.failed.failure is not None:
            line = task.line_of(trace.failed.number)
            print(f"{task.path}:{line}: the real site fails: {trace.failed.failure}")
            return True
        for step, image in _checkpoints(task):
            _keep(Path(scratch) / str(trace.steps[step].shot), TASKS / name / image)
    print(f"{name}: {len(_checkpoints(task))} pictures of {len(task.steps)} steps")
    return False


def _checkpoints(task: r.Task) -> list[tuple[int, str]]:
    """Give each step that has a picture, 0 for the start, and its file."""
    all_of_them = [task.start, *(step.checkpoint for step in task.steps)]
    return [(i, c.image) for i, c in enumerate(all_of_them) if c is not None]


def _keep(shot: Path, image: Path) -> None:
    """Store a picture, as small as PNG makes it."""
    image.parent.mkdir(parents=True, exist_ok=True)
    pixels = cv2.imread(str(shot), cv2.IMREAD_COLOR)
    if pixels is None:
        raise FileNotFoundError(shot)
    cv2.imwrite(str(image), pixels, [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:] or with_reference()))

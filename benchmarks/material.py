"""The three tasks that are measured: task files, pictures and right pages together.

Pictures and pages lie in the shared folder (`IWR_SHARED`); nothing of it is kept.
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.generate.stored import StoredPages
from pytest_iwr.load import load

HERE = Path(__file__).parent
NAMES = ("task1", "task2", "task3")


@dataclass(frozen=True)
class Material:
    """Everything for one task."""

    task: r.Task
    page: r.Site
    actions: list[dict[str, Any]]
    """The same actions for a bare script, with selectors."""


def shared_bench() -> Path:
    """Give the folder with pictures and pages, or end with what to do."""
    default = HERE.parents[1] / "shared"
    folder = Path(os.environ.get("IWR_SHARED") or default) / "bench"
    if not folder.is_dir():
        raise SystemExit(f"{folder} is missing. Let IWR_SHARED name its parent.")
    return folder


def gather(scratch: Path) -> list[Material]:
    """Lay task files, pictures and pages together below `scratch`."""
    bench = shared_bench()
    actions = json.loads((bench / "bare-actions.json").read_text())
    gathered = []
    for name in NAMES:
        folder = scratch / "tasks" / name
        folder.mkdir(parents=True)
        shutil.copy(HERE / "tasks" / name / "task.iwr.yaml", folder)
        shutil.copytree(bench / "data" / name / "checkpoints", folder / "checkpoints")
        task = load(folder / "task.iwr.yaml")
        shutil.copytree(bench / "pages" / name, scratch / "pages/right" / task.id)
        page = StoredPages(scratch / "pages").page(task, "right", 1)
        if not isinstance(page, r.Site):
            raise SystemExit(page.reason)
        gathered.append(Material(task, page, actions[name]))
    return gathered


def executable() -> Path | None:
    """Give the browser that both sides use."""
    return find_browser(None, os.environ).path


def launch_args() -> list[str]:
    """Give the switches that both sides use."""
    return default_args(is_root=os.geteuid() == 0)


def new_browser() -> Browser:
    """Give the project's driver with its default options."""
    return Browser(BrowserOptions(executable=executable(), args=tuple(launch_args())))

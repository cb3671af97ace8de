"""Small projects, each with tasks, stored pages and a driver that needs no browser."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.keeper import Keeper

_CONFTEST = Path(__file__).parent / "project_conftest.py"
WAYS = ("-pno:xdist", "-n0", "-n2")
"""No xdist, xdist switched off, two workers."""
PICTURE = cv2.imencode(".png", np.zeros((9, 16, 3), np.uint8))[1].tobytes()
"""A small black PNG."""


class Project:
    """A project that is tested with the plugin."""

    def __init__(self, pytester: pytest.Pytester, keeper: Keeper) -> None:
        """Write the `conftest.py`."""
        self.pytester = pytester
        self._keeper = keeper
        self.path = pytester.path
        pytester.makeini(
            "[pytest]\n"
            "testpaths = tasks\n"
            "asyncio_default_fixture_loop_scope = function\n"
        )
        pytester.makeconftest(_CONFTEST.read_text(encoding="utf-8"))

    def conftest(self, more: str) -> None:
        """Write more into the `conftest.py`."""
        file = self.path / "conftest.py"
        file.write_text(f"{file.read_text()}\n\n{more}")

    def task(
        self, name: str, *, steps: int = 3, more: str = "", folder: str = ""
    ) -> Path:
        """Write a task whose steps press keys."""
        lines = ["iwr: 1", *([f"id: {name}"] if name else []), *more.splitlines()]
        lines.append("steps:")
        lines += [
            f"  - press: F{n}\n    say: Press key {n}" for n in range(1, steps + 1)
        ]
        file = self.path / "tasks" / (folder or name) / "task.iwr.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    def page(self, model: str, task: str, says: str = "") -> None:
        """Store a page that says what comes of it."""
        file = self.path / "pages" / model / task / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<!--\n{says}\n-->\n", encoding="utf-8")

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest, in this process unless it starts others."""
        # pytest-playwright's scope of soft assertions cannot be nested in one process,
        # and without it and anyio three processes start in half the time.
        quick = ("-pno:playwright", "-pno:anyio")
        if "-n2" in arguments:
            return self.pytester.runpytest_subprocess(*quick, *arguments)
        self._keeper.put_back()
        return self.pytester.runpytest_inprocess(
            *quick, *arguments, plugins=[self._keeper]
        )

    def evaluate(self, *arguments: str) -> pytest.RunResult:
        """Run pytest on the stored pages."""
        return self.run("--iwr-pages=pages", *arguments)

    @property
    def latest(self) -> Path:
        """The folder of the last run."""
        return self.path / "reports" / "latest"

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the last run."""
        text = (self.latest / "summary.json").read_text(encoding="utf-8")
        summary: dict[str, Any] = json.loads(text)
        return summary

    @property
    def rows(self) -> list[tuple[str, str, str, str | None]]:
        """Task, model, status and kind of each row of the last run."""
        return [
            (row["task"], row["model"], row["status"], row["kind"])
            for row in self.summary["tasks"]
        ]

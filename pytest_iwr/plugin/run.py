"""A run as tests and hooks see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_iwr.artifacts import RunFolder

if TYPE_CHECKING:
    from pytest_iwr.records import Row


class Run:
    """The run: its name, its folder, and the way into its summary."""

    def __init__(self, files: RunFolder, add: Callable[[Row], None]) -> None:
        """Know the files of a run; `add` takes what joins its summary."""
        self.files = files
        self._add = add

    @property
    def id(self) -> str:
        """The name of the run, the same in all worker processes."""
        return self.files.path.name

    @property
    def folder(self) -> Path:
        """The folder of the run; made at the first use."""
        self.files.path.mkdir(parents=True, exist_ok=True)
        return self.files.path

    def add(self, result: Row) -> None:
        """Let a result, or a row without evidence, join the summary.

        It travels with the report of the running test. A second one for the same
        task, model and epoch replaces the first.
        """
        self._add(result)

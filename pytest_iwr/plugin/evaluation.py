"""One evaluation inside a test: once per run, and recorded whatever comes of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.html import illustrate
from pytest_iwr.plugin.plan import PLAN
from pytest_iwr.plugin.site import keep_evidence
from pytest_iwr.plugin.transport import Due, blame

if TYPE_CHECKING:
    from pytest_iwr.evaluate import Tools
    from pytest_iwr.plugin.run import Run
    from pytest_iwr.records import Page, Result, Task


@dataclass(frozen=True)
class Slot:
    """The place of one evaluation in a run."""

    run: Run
    due: Due
    config: pytest.Config

    def fill(self, task: Task, find: Callable[[], Page], tools: Tools) -> Result:
        """Let what comes of the evaluation join the run: a result, or why none is.

        A fault is raised as well; one that explains itself shows no traceback.
        """
        with plain_errors():
            try:
                result = self._evaluate_once(task, find(), tools)
            except Exception as error:
                self.run.add(self.due.unscored(*blame(error)))
                raise
            self.run.add(result)
            return result

    def _evaluate_once(self, task: Task, page: Page, tools: Tools) -> Result:
        """Evaluate, or give the result that this run already has.

        The lock is the folder's own, so that two workers never share its files.
        """
        from pytest_iwr.evaluate import evaluate  # noqa: PLC0415 - when first needed
        from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed

        label, model, epoch = self.due[:3]
        folder = self.run.files.item(label, model, epoch)
        with _locked(folder.path):
            if folder.result.exists():
                text = folder.result.read_text(encoding="utf-8")
                return Result.model_validate_json(text)
            result = evaluate(task, page, tools, folder)
            result = result.model_copy(update={"task": label})
            if result.status == "passed" and self._traces_failures_only:
                folder.browser_trace.unlink(missing_ok=True)
            illustrate(result, self.run, self.config)
            keep_evidence(result, task, page, self.run)
            unfinished = folder.result.with_suffix(".part")
            unfinished.write_text(result.model_dump_json(indent=1), encoding="utf-8")
            unfinished.replace(folder.result)
            return result

    @property
    def _traces_failures_only(self) -> bool:
        return self.config.stash[PLAN].options.trace == "retain-on-failure"


@contextmanager
def plain_errors() -> Iterator[None]:
    """Show faults that explain themselves without a traceback."""
    from pytest_iwr.errors import IwrError  # noqa: PLC0415 - when first needed

    try:
        yield
    except IwrError as error:
        from pytest_iwr.report.commands import harmless  # noqa: PLC0415 - in use

        # `from None` keeps the fault as the context, and its traceback off the screen.
        raise pytest.fail.Exception(harmless(str(error)), pytrace=False) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

"""One evaluation inside a test: once per run, and recorded whatever comes of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.transport import Due, blame

if TYPE_CHECKING:
    from pytest_iwr.artifacts import ItemFolder
    from pytest_iwr.evaluate import Tools
    from pytest_iwr.plugin.run import Run
    from pytest_iwr.records import Page, Result, Task


def evaluate_once(
    task: Task, page: Page, tools: Tools, folder: ItemFolder, label: str
) -> Result:
    """Evaluate, or give the result that this run already has for this folder.

    The lock is the folder's own, so that two workers never share its files.
    """
    from pytest_iwr.evaluate import evaluate  # noqa: PLC0415 - when first needed
    from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed

    with _locked(folder.path):
        if folder.result.exists():
            text = folder.result.read_text(encoding="utf-8")
            return Result.model_validate_json(text)
        result = evaluate(task, page, tools, folder)
        result = result.model_copy(update={"task": label})
        unfinished = folder.result.with_suffix(".part")
        unfinished.write_text(result.model_dump_json(indent=1), encoding="utf-8")
        unfinished.replace(folder.result)
        return result


def record(run: Run, due: Due, work: Callable[[], Result]) -> Result:
    """Let what comes of the work join the run: its result, or why there is none."""
    try:
        result = work()
    except Exception as error:
        run.add(due.unscored(*blame(error)))
        raise
    run.add(result)
    return result


@contextmanager
def plain_errors() -> Iterator[None]:
    """Show faults that explain themselves without a traceback."""
    from pytest_iwr.errors import IwrError  # noqa: PLC0415 - when first needed

    try:
        yield
    except IwrError as error:
        # `from None` keeps the fault as the context, and its traceback off the screen.
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

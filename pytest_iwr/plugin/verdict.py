"""What makes the test of a task red, and what it then says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.plan import PLAN, shown

if TYPE_CHECKING:
    from pytest_iwr.plugin.run import Run
    from pytest_iwr.records import Result, Task, Trace


def judge(result: Result, task: Task, run: Run, config: pytest.Config) -> None:
    """Fail the running test if the page is wrong and wrong pages are to be red."""
    if result.status != "failed" or config.stash[PLAN].options.keeps_failures_green:
        return
    from pytest_iwr.report import words  # noqa: PLC0415 - when first needed

    message = words.failure(
        result,
        task,
        read_trace(result, run),
        file=shown(Path(task.path), config),
        folder=shown(run.files.path / result.folder, config),
    )
    pytest.fail(message, pytrace=False)


def tell_steps(result: Result, task: Task, run: Run) -> str:
    """Tell all steps of a result, for a section of the report."""
    from pytest_iwr.report import words  # noqa: PLC0415 - when first needed

    return words.steps_section(result, task, read_trace(result, run))


def read_trace(result: Result, run: Run) -> Trace | None:
    """Give the trace of a result, `None` where the model gave no page."""
    from pytest_iwr.records import Trace  # noqa: PLC0415 - when first needed

    if result.trace is None:
        return None
    path = run.files.path / result.folder / result.trace
    return Trace.model_validate_json(path.read_text(encoding="utf-8"))

"""What tests of the driver say over and over: a page's outcome, a trace's end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from pytest_iwr import records as r
from pytest_iwr.load import load

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

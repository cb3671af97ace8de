"""What a drive was told of its task, as digests: a trace fits no other task."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from pytest_iwr import records as r
from pytest_iwr.errors import Problem, TaskError

_ADVICE = "Run the task again, or take the change back"
_CHECKED = {"image", "min_similarity"}
"""Of a checkpoint: what matters only once the page was driven."""


def digests(task: r.Task) -> tuple[str, ...]:
    """Give a digest of the window and the start, and one of each step.

    Pictures, minima and thresholds are left out: they may change after the drive.
    """
    window = task.model_dump(
        mode="json",
        exclude_defaults=True,
        include={"viewport", "device", "clock", "seed", "start"},
        exclude={"start": _CHECKED},
    )
    return (_digest(window), *map(_digest, _steps(task)))


def refuse_changed(task: r.Task, trace: r.Trace) -> None:
    """Raise TaskError where the task is not the one that the trace was made with."""
    if not trace.told:
        _refuse_unlike(task, trace)
        return
    now = digests(task)
    _refuse_count(task, len(trace.told) - 1)
    changed = (n for n, was in enumerate(trace.told) if was != now[n])
    if (number := next(changed, None)) is not None:
        _refuse(task, number, trace)


def _refuse_unlike(task: r.Task, trace: r.Trace) -> None:
    """Refuse by what a trace without digests says of the steps that were tried."""
    done = [step for step in trace.steps if step.number > 0]
    if trace.failed is None or len(done) > len(task.steps):
        _refuse_count(task, len(done))
    for was, now in zip(done, task.steps, strict=False):
        if was.verb != now.verb or now.say not in {None, was.said}:
            _refuse(task, was.number, trace)


def _refuse_count(task: r.Task, then: int) -> None:
    now = len(task.steps)
    if then != now:
        message = f"the stored run was made with {then}, now there are {now}. {_ADVICE}"
        raise _error(task, min(then, now), "steps", message)


def _refuse(task: r.Task, number: int, trace: r.Trace) -> None:
    if number == 0:
        message = (
            "the window, the clock, the seed or the masks of the start are not those"
            f" that the stored run was made with. {_ADVICE}"
        )
        raise _error(task, 0, "start", message)
    said = next((step.said for step in trace.steps if step.number == number), "")
    was = f", which was {said!r}" if said else ""
    message = f"is not what the stored run was made with{was}. {_ADVICE}"
    raise _error(task, number, f"steps[{number - 1}]", message)


def _error(task: r.Task, number: int, where: str, message: str) -> TaskError:
    line = task.line_of(number)
    return TaskError([Problem(Path(task.path), line, where, f"{message}.")])


def _steps(task: r.Task) -> Iterator[dict[str, object]]:
    for step in task.steps:
        yield step.model_dump(
            mode="json",
            exclude_defaults=True,
            exclude={"reference": True, "checkpoint": _CHECKED},
        )


def _digest(told: dict[str, object]) -> str:
    """Give it of all that is not empty, so that a plain checkpoint is as good as none.

    What has a default is left out, so that a field that is new changes no digest.
    """
    kept = {name: value for name, value in told.items() if value not in ({}, [])}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]

"""YAML 1.2 text → Task, every problem of a file with its line."""

import os
from pathlib import Path
from typing import NamedTuple

from pytest_iwr.errors import Problem, TaskError
from pytest_iwr.load import rules
from pytest_iwr.load.advice import advise
from pytest_iwr.load.masks import Masks
from pytest_iwr.load.official import (
    OFFICIAL_SUFFIX,
    Line,
    load_line,
    load_official,
)
from pytest_iwr.load.parse import Part, Unreadable, parse
from pytest_iwr.load.problems import problems_of
from pytest_iwr.load.schema import schema
from pytest_iwr.load.validate import validate
from pytest_iwr.records import Task, TaskFile

__all__ = [
    "OFFICIAL_SUFFIX",
    "SUFFIX",
    "Line",
    "Review",
    "Reviewed",
    "load",
    "load_named",
    "load_official",
    "place_of",
    "review",
    "review_all",
    "schema",
]

SUFFIX = ".iwr.yaml"
"""How the name of every task file ends."""


class Review(NamedTuple):
    """A loaded task, and what it could do better."""

    task: Task
    advice: tuple[Problem, ...]
    id_line: int
    """Where the id stands; 1 when it is the folder's name."""


class Reviewed(NamedTuple):
    """The tasks of a file, and its problems."""

    reviews: tuple[Review, ...]
    problems: tuple[Problem, ...]


def load(path: Path, *, needs_files: bool = True) -> Task:
    """Give the task of a file.

    `needs_files=False` lets files that it names be absent, for those who make them.
    Raises TaskError with all problems of the file.
    """
    return _load(path, needs_files=needs_files)[0]


def load_named(path: Path, task_id: str) -> Task:
    """Give the task of a file of any layout; of several, the one with this id.

    Raises TaskError with all problems of the task.
    """
    if path.suffix == OFFICIAL_SUFFIX:
        return load_line(path, task_id)
    return load(path)


def review(path: Path) -> Review:
    """Give the task of a file and advice on it; raises TaskError as `load` does."""
    task, root = _load(path, needs_files=True)
    advice = problems_of(path, advise(task, root))
    return Review(task, advice, root.lines.get("id", 1))


def place_of(task: Task, name: str) -> int:
    """Give the line where a task's file says `name`, or else where `steps` stands.

    What a file could say of a task, it says above its steps. A line of the official
    layout holds all of its task.
    """
    path = Path(task.path)
    if path.suffix == OFFICIAL_SUFFIX:
        return task.line_of(1)
    try:
        root, _ = parse(path.read_bytes())
    except (OSError, Unreadable):  # it was changed since
        return task.line_of(1)
    return root.lines.get(name) or root.lines.get("steps", 1)


def review_all(path: Path) -> Reviewed:
    """Give each task of a file of any layout, and what is wrong with the others.

    There is no advice on official data, which nobody rewrites.
    """
    if path.suffix != OFFICIAL_SUFFIX:
        try:
            return Reviewed((review(path),), ())
        except TaskError as error:
            return Reviewed((), error.problems)
    try:
        lines = load_official(path)
    except TaskError as error:
        return Reviewed((), error.problems)
    return Reviewed(
        tuple(
            Review(line.loaded, (), line.number)
            for line in lines
            if isinstance(line.loaded, Task)
        ),
        tuple(
            problem
            for line in lines
            if isinstance(line.loaded, TaskError)
            for problem in line.loaded.problems
        ),
    )


def _load(path: Path, *, needs_files: bool) -> tuple[Task, Part]:
    full = Path(os.path.abspath(path))  # noqa: PTH100  # `resolve` would follow links
    try:
        root, found = parse(path.read_bytes())
    except OSError as error:
        message = f"cannot be read: {error.strerror}. Correct the path or its rights"
        raise TaskError([Problem(path, 1, "", f"{message}.")]) from error
    except Unreadable as error:
        raise TaskError(problems_of(path, [error.finding])) from error
    content, invalid = validate(root, TaskFile)
    breaches = rules.findings(root, full.parent, needs_files=needs_files)
    problems = problems_of(path, [*found, *invalid, *breaches])
    if problems or content is None:
        raise TaskError(problems)
    masks = Masks(content, full.parent) if needs_files else None
    if masks is not None and masks.problems:
        raise TaskError(masks.problems)
    steps = root.parts["steps"]
    task = Task.model_validate(
        {
            **dict(content),
            "id": content.id or _default_id(full),
            "path": str(full),
            "step_lines": tuple(steps.lines[i] for i in range(len(content.steps))),
            "masks": masks.boxes if masks is not None else {},
        }
    )
    return task, root


def _default_id(path: Path) -> str:
    if path.name == f"task{SUFFIX}":
        return path.parent.name or "task"
    return path.name.removesuffix(SUFFIX) if path.name != SUFFIX else "task"

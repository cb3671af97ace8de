"""What stands in a task file: the tasks by their tests' names, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.artifacts import slug

if TYPE_CHECKING:
    from pytest_iwr.errors import TaskError
    from pytest_iwr.records import Task

SUFFIX = ".iwr.yaml"
OFFICIAL_SUFFIX = ".jsonl"
"""Of files in the official layout, each with many tasks."""
OWNERS = pytest.StashKey[dict[str, tuple[Path, str]]]()
"""Slugs of task ids → the file and the id that has each."""

Contents = dict[str, "Task | TaskError"]
"""Name of the test → its task, in the order of the file."""


def is_task_file(name: str) -> bool:
    """Tell whether a file of this name can hold tasks."""
    return name.endswith((SUFFIX, OFFICIAL_SUFFIX))


def read_contents(path: Path, config: pytest.Config) -> Contents:
    """Load a file; tags of its tasks become markers that pytest knows."""
    contents: Contents = {}
    official = path.suffix == OFFICIAL_SUFFIX
    for line, loaded in _loaded(path):
        name, content = _named(loaded, line, path, config)
        if official and name in contents:
            name = f"{name}-in-line-{line}"
        contents[name] = content
    return contents


def relative(path: Path, config: pytest.Config) -> str:
    """Give a path relative to pytest's root, where it is below it."""
    root = config.rootpath
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _loaded(path: Path) -> Iterator[tuple[int, Task | TaskError]]:
    """Give each task of a file with its line, 0 for the only one."""
    from pytest_iwr.errors import TaskError  # noqa: PLC0415 - with the first file
    from pytest_iwr.load import load, load_official  # noqa: PLC0415 - as above

    try:
        if path.suffix == OFFICIAL_SUFFIX:
            yield from load_official(path)
        else:
            yield 0, load(path)
    except TaskError as error:
        yield 0, error


def _named(
    loaded: Task | TaskError, line: int, path: Path, config: pytest.Config
) -> tuple[str, Task | TaskError]:
    from pytest_iwr.records import Task  # noqa: PLC0415 - with the first file

    if isinstance(loaded, Task):
        _register(loaded.tags, config)
        loaded = _refuse_taken(loaded, line, path, config)
    if isinstance(loaded, Task):
        return slug(loaded.id), loaded
    name = f"line-{line}" if line else slug(path.parent.name)
    return name, _with_path(loaded, relative(path, config))


def _with_path(error: TaskError, path: str) -> TaskError:
    return type(error)([p._replace(path=Path(path)) for p in error.problems])


def _register(tags: Iterable[str], config: pytest.Config) -> None:
    known = {line.partition(":")[0] for line in config.getini("markers")}
    for tag in tags:
        if tag not in known:
            config.addinivalue_line("markers", f"{tag}: a tag of tasks")


def _refuse_taken(
    task: Task, line: int, path: Path, config: pytest.Config
) -> Task | TaskError:
    from pytest_iwr.errors import Problem, TaskError  # noqa: PLC0415 - see above

    owners = config.stash.setdefault(OWNERS, {})
    owner, name = owners.setdefault(slug(task.id), (path, task.id))
    if (owner, name) == (path, task.id):
        return task
    message = f"{task.id!r} is taken by {relative(owner, config)}. Give another id."
    return TaskError([Problem(path, line or 1, "id", message)])

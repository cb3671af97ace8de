"""Finds the task that a test asks for, by id or by path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.contents import OFFICIAL_SUFFIX, SUFFIX

if TYPE_CHECKING:
    from pytest_iwr.records import Task

_SKIPPED = {"node_modules", "__pycache__", "build", "dist", "venv"}


def find_task(asked: str | Path, config: pytest.Config, beside: Path) -> Task:
    """Load the task with this id, or in this file (relative to `beside` or the root).

    Ids are looked up in the official data that the command line names, then below
    `testpaths` and `tasks/`. Raises TaskError or UsageError.
    """
    from pytest_iwr.errors import TaskError, UsageError  # noqa: PLC0415 - late
    from pytest_iwr.load import load, load_official  # noqa: PLC0415 - as above

    if isinstance(asked, Path) or asked.endswith((".yaml", ".yml")):
        for folder in (beside, config.rootpath):
            if (folder / asked).is_file():
                return load(folder / asked)
        message = f"no task file {str(asked)!r} below {beside} or {config.rootpath}."
        raise UsageError(message)
    official = list(_official_files(config))
    for file in official:
        for line in load_official(file, asked):
            if isinstance(line.loaded, TaskError):
                raise line.loaded
            return line.loaded
    files = sorted(
        _task_files(config), key=lambda file: (file.parent.name != asked, file)
    )
    known = []
    for file in files:
        task = _loadable(file)
        if task is not None:
            if task.id == asked:
                return task
            known.append(task.id)
    lines = (line for file in official for line in load_official(file))
    known += [
        line.loaded.id for line in lines if not isinstance(line.loaded, TaskError)
    ]
    raise UsageError(_unknown(asked, known, config))


def _official_files(config: pytest.Config) -> Iterator[Path]:
    """Give the files in the official layout that the command line names."""
    for argument in config.args:
        file = config.invocation_params.dir / argument.partition("::")[0]
        if file.name.endswith(OFFICIAL_SUFFIX) and file.is_file():
            yield file


def _task_files(config: pytest.Config) -> set[Path]:
    roots = [*config.getini("testpaths"), "tasks"]
    return {file for root in roots for file in _walk(config.rootpath / root)}


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in _SKIPPED and f[0] != "."]
        yield from (Path(folder) / name for name in files if name.endswith(SUFFIX))


def _loadable(file: Path) -> Task | None:
    """Give the task of a file; what is wrong in others is said where they are tests."""
    from pytest_iwr.errors import TaskError  # noqa: PLC0415 - when first needed
    from pytest_iwr.load import load  # noqa: PLC0415 - when first needed

    try:
        return load(file)
    except TaskError:
        return None


def _unknown(asked: str, known: list[str], config: pytest.Config) -> str:
    close = get_close_matches(asked, known, n=1)
    if close:
        hint = f"Did you mean {close[0]!r}?"
    elif known:
        hint = f"There are: {', '.join(sorted(known))}."
    else:
        hint = f"There is no *{SUFFIX} below testpaths or tasks/ of {config.rootpath}."
    return f"no task has the id {asked!r}. {hint}"

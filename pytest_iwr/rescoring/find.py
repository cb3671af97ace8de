"""Where the tasks of a stored run are now: where they were, or below a folder."""

from collections.abc import Iterator
from pathlib import Path

from pytest_iwr import records as r
from pytest_iwr.errors import TaskError, UsageError
from pytest_iwr.load import (
    OFFICIAL_SUFFIX,
    SUFFIX,
    load,
    load_named,
    load_official,
)


class Finder:
    """Loads each task once."""

    def __init__(self, folder: Path | None) -> None:
        """Look below a folder; without one, where the tasks were.

        Raises UsageError where there is no such folder.
        """
        if folder is not None and not folder.is_dir():
            raise UsageError(f"--tasks={folder}: is no folder. Correct it.")
        self._folder = folder
        self._known: dict[tuple[str, str], r.Task] = {}

    def find(self, task_id: str, path: str) -> r.Task:
        """Give the task with an id whose file was `path`.

        Raises UsageError where it is not there, TaskError where it is broken.
        """
        key = (path, task_id)
        if key not in self._known:
            self._known[key] = self._load(task_id, Path(path))
        return self._known[key]

    def _load(self, task_id: str, path: Path) -> r.Task:
        if self._folder is not None:
            return _below(self._folder, task_id, path)
        if path.is_file():
            return load_named(path, task_id)
        raise UsageError(
            f"{path}: the task {task_id!r} is not there any more. Name the folder that "
            "has it: --tasks=DIR"
        )


def _below(folder: Path, task_id: str, path: Path) -> r.Task:
    broken: TaskError | None = None
    for file in _files(folder, path):
        try:
            task = _task_of(file, task_id)
        except TaskError as error:
            # Of a task file nobody knows which task's it is: `iwr check` tells.
            if file.suffix == OFFICIAL_SUFFIX:
                broken = broken or error
            continue
        if task is not None:
            return task
    if broken is not None:
        raise broken
    raise UsageError(f"{folder}: no task below it has the id {task_id!r}.")


def _files(folder: Path, path: Path) -> Iterator[Path]:
    """Give all files that may hold it; those of its layout and name come first."""
    suffixes = [SUFFIX, OFFICIAL_SUFFIX]
    if path.suffix == OFFICIAL_SUFFIX:
        suffixes.reverse()
    for suffix in suffixes:
        found = (file for file in folder.rglob(f"*{suffix}") if file.is_file())
        yield from sorted(found, key=lambda file: (file.name != path.name, file))


def _task_of(file: Path, task_id: str) -> r.Task | None:
    if file.suffix != OFFICIAL_SUFFIX:
        task = load(file)
        return task if task.id == task_id else None
    lines = load_official(file, task_id)
    for line in lines:
        if isinstance(line.loaded, r.Task):
            return line.loaded
    for line in lines:
        if isinstance(line.loaded, TaskError):
            raise line.loaded
    return None

"""The official `data.jsonl` of IWR-Bench → tasks, without conversion.

One JSON object a line; a line that is wrong takes nothing from the others.
"""

import codecs
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_iwr.errors import Problem, TaskError
from pytest_iwr.load.official_row import read_json, read_row
from pytest_iwr.load.official_task import draft
from pytest_iwr.load.parse import Finding, Part
from pytest_iwr.load.problems import problems_of
from pytest_iwr.records import Plain, Task, TaskFile

OFFICIAL_SUFFIX = ".jsonl"
"""How the name of a file in the official layout ends."""


class Line(NamedTuple):
    """One line of the file, and the task in it."""

    number: int
    """Counted from 1; empty lines count and are passed over."""
    loaded: Task | TaskError


def load_official(path: Path, only: str | None = None) -> tuple[Line, ...]:
    """Give the task of each line, or what is wrong with the line.

    With `only`, gives the lines of that id alone. All steps of a task stand in its
    line, and its files are relative to the folder of `path`. Raises TaskError where the
    file cannot be read or is empty.
    """
    full = Path(os.path.abspath(path))  # noqa: PTH100  # `resolve` would follow links
    try:
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        message = f"cannot be read: {error.strerror}. Correct the path or its rights."
        raise TaskError([Problem(path, 1, "", message)]) from error
    taken: dict[str, int] = {}
    lines = tuple(_lines(path, full, data, taken, only))
    if not lines and only is None:
        message = "the file is empty. Write one JSON object a line, each a task."
        raise TaskError([Problem(path, 1, "", message)])
    return lines


def load_line(path: Path, task_id: str) -> Task:
    """Give the task with this id; raises TaskError where it is broken or absent."""
    lines = load_official(path, task_id)
    for line in lines:
        if isinstance(line.loaded, Task):
            return line.loaded
    for line in lines:
        if isinstance(line.loaded, TaskError):
            raise line.loaded
    message = f"no line has the id {task_id!r}. Correct the id."
    raise TaskError([Problem(path, 1, "id", message)])


def _lines(
    path: Path, full: Path, data: bytes, taken: dict[str, int], only: str | None
) -> Iterator[Line]:
    for number, text in enumerate(data.split(b"\n"), start=1):
        if not text.strip():
            continue
        root = read_json(text, number)
        if isinstance(root, Finding):
            if only is None:
                yield Line(number, TaskError(problems_of(path, [root])))
            continue
        name = _id_of(root)
        first = number if name is None else taken.setdefault(name, number)
        if only not in {None, name}:
            continue
        if first != number:
            message = f"{name!r} is the id of line {first} already. Give another"
            found = Finding(("id",), number, message)
            yield Line(number, TaskError(problems_of(path, [found])))
            continue
        yield Line(number, _load(path, full, root))


def _id_of(root: Part) -> str | None:
    value = root.parts["id"].value if "id" in root.parts else None
    core = value.core if isinstance(value, Plain) else value
    is_name = isinstance(core, str | int) and not isinstance(core, bool)
    return str(core) if is_name else None


def _load(path: Path, full: Path, root: Part) -> Task | TaskError:
    row, findings = read_row(root)
    if row is None or findings:
        return TaskError(problems_of(path, findings))
    drafted = draft(row, full.parent, root.line)
    if drafted.findings:
        return TaskError(problems_of(path, drafted.findings))
    lines = (root.line,) * len(row.action_sequence)
    content = TaskFile.model_validate(drafted.content)
    more = {"id": row.id, "path": str(full), "step_lines": lines}
    return Task.model_validate({**dict(content), **more})

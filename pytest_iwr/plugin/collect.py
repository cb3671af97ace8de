"""Task files become tests: real pytest functions, one a model and epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_iwr.artifacts import slug
from pytest_iwr.plugin.plan import PLAN
from pytest_iwr.plugin.transport import DUES, Due

if TYPE_CHECKING:
    from pytest_iwr.errors import TaskError
    from pytest_iwr.records import Task

SUFFIX = ".iwr.yaml"
OWNERS = pytest.StashKey[dict[str, Path]]()
"""Slugs of task ids → the file that has each."""


class TaskFile(pytest.Module):
    """A task file: a module with one function, made from the file."""

    loaded: Task | TaskError

    def _getobj(self) -> ModuleType:
        if "loaded" not in vars(self):
            self.loaded = _load(self.path, self.config)
        return _module(self)

    @property
    def steps_total(self) -> int:
        """The number of steps, 0 where the file cannot be loaded."""
        from pytest_iwr.records import Task  # noqa: PLC0415 - with the first file

        return len(self.loaded.steps) if isinstance(self.loaded, Task) else 0


def collect_file(file_path: Path, parent: pytest.Collector) -> TaskFile | None:
    """Give the collector of a task file, `None` for other files."""
    if not file_path.name.endswith(SUFFIX):
        return None
    return TaskFile.from_parent(parent, path=file_path)


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Make one test a model and epoch of whatever asks for `iwr_model`."""
    plan = metafunc.config.stash[PLAN]
    if "iwr_model" not in metafunc.fixturenames or not plan.models:
        return
    epochs = range(1, plan.options.epochs + 1)
    both = [
        pytest.param(model, epoch, id=_run_id(model, epoch, plan.options.epochs))
        for model in plan.models
        for epoch in epochs
    ]
    try:
        metafunc.parametrize(("iwr_model", "iwr_epoch"), both, indirect=True)
    except (ValueError, pytest.Collector.CollectError) as error:
        if "duplicate parametrization" not in str(error):
            raise
        # The models are parametrised by the user; epochs remain.
        if len(epochs) > 1:
            metafunc.parametrize("iwr_epoch", epochs, indirect=True)


def skip_without_pages(item: pytest.Item) -> None:
    """Mark a test that asks for a model as skipped when there is none."""
    plan = item.config.stash[PLAN]
    wants_model = "iwr_model" in getattr(item, "fixturenames", ())
    if wants_model and not plan.is_active and _model_of(item) is None:
        item.add_marker(pytest.mark.skip(reason=plan.why_skipped))


def note_dues(items: Sequence[pytest.Item]) -> None:
    """Note on each selected test what it owes to the summary."""
    labels: dict[str, Path] = {}
    for item in items:
        file = item.getparent(TaskFile)
        if file is not None:
            label = _label(file, labels)
            item.stash[DUES] = _dues(item, file, label)


def _run_id(model: str, epoch: int, epochs: int) -> str:
    """With several epochs each id ends with its number, so that no two can meet."""
    return slug(model) if epochs == 1 else f"{slug(model)}-{epoch}"


def _model_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    model = callspec.params.get("iwr_model") if callspec else None
    return None if model is None else str(model)


def _dues(item: pytest.Item, file: TaskFile, label: str) -> tuple[Due, ...]:
    plan = item.config.stash[PLAN]
    if file.steps_total == 0:
        return tuple(
            Due(label, model, epoch, 0)
            for model in plan.models
            for epoch in range(1, plan.options.epochs + 1)
        )
    model = _model_of(item)
    if model is None:
        return ()
    params = item.callspec.params  # type: ignore[attr-defined]  # it has a model
    epoch = params.get("iwr_epoch", 1)
    return (Due(label + _variant(item), model, epoch, file.steps_total),)


def _label(file: TaskFile, labels: dict[str, Path]) -> str:
    """Name a task in the summary: by its id, a broken file by its folder if free."""
    from pytest_iwr.records import Task  # noqa: PLC0415 - with the first file

    if isinstance(file.loaded, Task):
        return file.loaded.id
    folder = file.path.parent.name
    is_taken = slug(folder) in file.config.stash.get(OWNERS, {})
    if is_taken or labels.setdefault(folder, file.path) != file.path:
        return _relative(file.path, file.config)
    return folder


def _variant(item: Any) -> str:
    """Tell rows apart that a user's own parameters make, e.g. `shop[dark]`."""
    params = item.callspec.params
    if not params.keys() - {"iwr_model", "iwr_epoch"}:
        return ""
    epochs = item.config.stash[PLAN].options.epochs
    ours = _run_id(str(params["iwr_model"]), params.get("iwr_epoch", 1), epochs)
    return f"[{item.callspec.id.removesuffix(ours).rstrip('-')}]"


def _load(path: Path, config: pytest.Config) -> Task | TaskError:
    from pytest_iwr.errors import TaskError  # noqa: PLC0415 - with the first file
    from pytest_iwr.load import load  # noqa: PLC0415 - with the first file

    try:
        task = load(path)
    except TaskError as error:
        relative = Path(_relative(path, config))
        return TaskError([p._replace(path=relative) for p in error.problems])
    known = {line.partition(":")[0] for line in config.getini("markers")}
    for tag in task.tags:
        if tag not in known:
            config.addinivalue_line("markers", f"{tag}: a tag of tasks")
    return _refuse_taken(task, path, config)


def _refuse_taken(task: Task, path: Path, config: pytest.Config) -> Task | TaskError:
    from pytest_iwr.errors import Problem, TaskError  # noqa: PLC0415 - see above

    owner = config.stash.setdefault(OWNERS, {}).setdefault(slug(task.id), path)
    if owner == path:
        return task
    message = f"{task.id!r} is taken by {_relative(owner, config)}. Give another id."
    return TaskError([Problem(Path(_relative(path, config)), 1, "id", message)])


def _relative(path: Path, config: pytest.Config) -> str:
    root = config.rootpath
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _module(file: TaskFile) -> ModuleType:
    from pytest_iwr.records import Task  # noqa: PLC0415 - with the first file

    task = file.loaded
    if isinstance(task, Task):
        name, line = slug(task.id), task.line_of(1)
        function = _at(_page_does_its_task, name, file.path, line)
        for tag in task.tags:
            function = getattr(pytest.mark, tag)(function)
    else:
        name, line = slug(file.path.parent.name), task.problems[0].line
        function = _at(_file_can_be_loaded, name, file.path, line)
    module = ModuleType(f"iwr_task_{name}")
    function.__module__ = module.__name__
    setattr(module, name, function)
    return module


def _at(body: Callable[..., None], name: str, path: Path, line: int) -> FunctionType:
    """Copy a function so that it stands, for pytest, in the task file."""
    if not isinstance(body, FunctionType):
        raise TypeError(body)
    placed = body.__code__.replace(
        co_filename=str(path), co_firstlineno=line, co_name=name, co_qualname=name
    )
    copy = FunctionType(placed, body.__globals__, name)
    copy.__test__ = True  # type: ignore[attr-defined]  # whatever python_functions says
    return copy


def _page_does_its_task(
    iwr_result: Any, iwr_task: Any, iwr_run: Any, pytestconfig: Any
) -> None:
    from pytest_iwr.plugin.verdict import judge  # noqa: PLC0415 - see above

    judge(iwr_result, iwr_task, iwr_run, pytestconfig)


def _file_can_be_loaded(iwr_task: Any) -> None:
    """Never runs: the set-up of `iwr_task` says what is wrong with the file."""

"""Task files become tests: real pytest functions, one a model and epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_iwr.artifacts import slug
from pytest_iwr.plugin.contents import (
    OFFICIAL_SUFFIX,
    OWNERS,
    SUFFIX,
    Contents,
    read_contents,
    relative,
)
from pytest_iwr.plugin.plan import PLAN
from pytest_iwr.plugin.transport import DUES, TASK_AT, Due, TaskAt

if TYPE_CHECKING:
    from pytest_iwr.errors import TaskError
    from pytest_iwr.records import Task


class TaskFile(pytest.Module):
    """A task file: a module with one function a task, made from the file."""

    contents: Contents

    def _getobj(self) -> ModuleType:
        if "contents" not in vars(self):
            self.contents = read_contents(self.path, self.config)
        return _module(self)


def collect_file(file_path: Path, parent: pytest.Collector) -> TaskFile | None:
    """Give the collector of a task file, `None` for other files.

    A file in the official layout is one only when the command line names it: any
    program may have left a `.jsonl` somewhere.
    """
    is_official = file_path.name.endswith(OFFICIAL_SUFFIX)
    is_named = is_official and parent.session.isinitpath(file_path)
    if not is_named and not file_path.name.endswith(SUFFIX):
        return None
    return TaskFile.from_parent(parent, path=file_path)


def content_of(item: pytest.Item) -> Task | TaskError | None:
    """Give the task of a test in a task file, or what is wrong with it.

    `None` for tests that stand elsewhere.
    """
    file = item.getparent(TaskFile)
    if file is None or not isinstance(item, pytest.Function):
        return None
    return file.contents[item.originalname]


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Make one test a model and epoch of whatever asks for them."""
    plan = metafunc.config.stash[PLAN]
    models, last = plan.models, plan.options.epochs
    asks_model, asks_epoch = (
        name in metafunc.fixturenames for name in ("iwr_model", "iwr_epoch")
    )
    if asks_model and not models:
        return
    if asks_model and asks_epoch:
        both = [(model, epoch) for model in models for epoch in range(1, last + 1)]
        ids = [_run_id(*one, last) for one in both]
        if _may_parametrize(metafunc, "iwr_model,iwr_epoch", both, ids):
            return
    # Asked for alone, or the other one is parametrised by the user.
    if asks_model:
        _may_parametrize(metafunc, "iwr_model", models, [slug(m) for m in models])
    if asks_epoch and last > 1:
        _may_parametrize(metafunc, "iwr_epoch", range(1, last + 1), None)


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
        content = content_of(item)
        if content is None:
            continue
        from pytest_iwr.records import Task  # noqa: PLC0415 - in use only

        if isinstance(content, Task):
            item.stash[TASK_AT] = TaskAt(content.path, content.id)
            item.stash[DUES] = _dues(item, content)
        else:
            item.stash[DUES] = _broken_dues(item, _label(item, content, labels))


def _may_parametrize(
    metafunc: pytest.Metafunc,
    names: str,
    values: Sequence[object],
    ids: Sequence[str] | None,
) -> bool:
    """Parametrise a test, unless the user does: then tell that it was not done."""
    try:
        metafunc.parametrize(names, values, indirect=True, ids=ids)
    except (ValueError, pytest.Collector.CollectError) as error:
        if "duplicate parametrization" not in str(error):
            raise
        return False
    return True


def _run_id(model: str, epoch: int, epochs: int) -> str:
    """With several epochs each id ends with its number, so that no two can meet."""
    return slug(model) if epochs == 1 else f"{slug(model)}-{epoch}"


def _model_of(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    model = callspec.params.get("iwr_model") if callspec else None
    return None if model is None else str(model)


def _broken_dues(item: pytest.Item, label: str) -> tuple[Due, ...]:
    plan = item.config.stash[PLAN]
    return tuple(
        Due(label, model, epoch, 0)
        for model in plan.models
        for epoch in range(1, plan.options.epochs + 1)
    )


def _dues(item: pytest.Item, task: Task) -> tuple[Due, ...]:
    model = _model_of(item)
    if model is None:
        return ()
    params = item.callspec.params  # type: ignore[attr-defined]  # it has a model
    epoch = params.get("iwr_epoch", 1)
    return (Due.of(task, task.id + _variant(item), model, epoch),)


def _label(item: pytest.Item, error: TaskError, labels: dict[str, Path]) -> str:
    """Name a broken task in the summary: by its folder if free, or by its line."""
    path, config = item.path, item.config
    if path.suffix == OFFICIAL_SUFFIX:
        return f"{relative(path, config)}:{error.problems[0].line}"
    folder = path.parent.name
    is_taken = slug(folder) in config.stash.get(OWNERS, {})
    if is_taken or labels.setdefault(folder, path) != path:
        return relative(path, config)
    return folder


def _variant(item: Any) -> str:
    """Tell rows apart that a user's own parameters make, e.g. `shop[dark]`."""
    params = item.callspec.params
    if not params.keys() - {"iwr_model", "iwr_epoch"}:
        return ""
    epochs = item.config.stash[PLAN].options.epochs if "iwr_epoch" in params else 1
    ours = _run_id(str(params["iwr_model"]), params.get("iwr_epoch", 1), epochs)
    return f"[{item.callspec.id.removesuffix(ours).rstrip('-')}]"


def _module(file: TaskFile) -> ModuleType:
    from pytest_iwr.records import Task  # noqa: PLC0415 - with the first file

    module = ModuleType(f"iwr_task_{slug(file.path.parent.name)}")
    for name, content in file.contents.items():
        if isinstance(content, Task):
            function = _at(_page_does_its_task, name, file.path, content.line_of(1))
            for tag in content.tags:
                function = getattr(pytest.mark, tag)(function)
        else:
            line = content.problems[0].line
            function = _at(_file_can_be_loaded, name, file.path, line)
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

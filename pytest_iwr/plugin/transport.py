"""How results travel: as one JSON string on the test report they belong to.

A string survives xdist's wire whatever is in it, and a report that has arrived stays
when its worker dies later. Images stay on disk; a result holds relative paths.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pytest

from pytest_iwr.artifacts import RunFolder

if TYPE_CHECKING:
    from pytest_iwr.errors import IwrError
    from pytest_iwr.records import Device, ErrorKind, Row, Task

_DRIVING = {"iwr_result", "iwr_evaluate"}
CARGO = "iwr_cargo"
"""The attribute of a report that holds the JSON string."""


class Due(NamedTuple):
    """What one test item owes to the summary."""

    task: str
    model: str
    epoch: int
    steps_total: int
    level: str | None = None
    domain: str | None = None
    device: Device | None = None

    @classmethod
    def of(cls, task: Task, label: str, model: str, epoch: int) -> Self:
        """Give what an item with this task owes, as the row `label`."""
        source = task.source
        about = (source.interaction, source.domain, task.shown_on)
        return cls(label, model, epoch, len(task.steps), *about)

    def unscored(self, kind: ErrorKind, reason: str) -> Row:
        """Give the row of an item that could not be scored."""
        return self._row(status="error", kind=kind, reason=reason)

    def not_run(self) -> Row:
        """Give the row of an item that was never started."""
        return self._row(status="not_run")

    def _row(self, **outcome: Any) -> Row:
        from pytest_iwr.records import Row  # noqa: PLC0415 - when first needed

        return Row(**self._asdict(), steps_done=None, **outcome)


DUES = pytest.StashKey[tuple[Due, ...]]()
"""On an item: what it owes."""


class TaskAt(NamedTuple):
    """Where a task is found again: a file may hold many."""

    path: str
    id: str


TASK_AT = pytest.StashKey[TaskAt]()
"""On an item whose task could be loaded: where it stands."""


class Cargo(NamedTuple):
    """What a report carries."""

    rows: tuple[Row, ...]
    is_ours: bool
    """The test is red for a fault that is not the page's."""


class Recorder:
    """Collects the results of the running test and puts them on its reports."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._rows: list[Row] = []

    def add(self, row: Row) -> None:
        """Take a result for the next report of the running test."""
        self._rows.append(row)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the results on the report, and a row for each that set-up cost."""
        report = yield
        rows, self._rows = self._rows, []
        dues = item.stash.get(DUES, ())
        error = call.excinfo.value if call.excinfo else None
        is_ours = False
        if report.failed and error is not None:
            is_due = report.when == "setup" and bool(dues)
            is_ours = is_due or _is_fault(error)
            if report.when == "setup":
                have = {(row.task, row.model, row.epoch) for row in rows}
                kind, reason = blame(error)
                rows += [
                    due.unscored(kind, reason) for due in dues if due[:3] not in have
                ]
        for row in rows:
            _describe(item, report, row)
        if rows or is_ours:
            setattr(report, CARGO, _pack(rows, is_ours=is_ours))
        return report


def blame(error: BaseException) -> tuple[ErrorKind, str]:
    """Give the kind and the words of a fault that is not the page's."""
    known = _known(error)
    if known is not None:
        return known.kind, str(error)
    return "infrastructure", f"{type(error).__name__}: {error}"


def _is_fault(error: BaseException) -> bool:
    """Tell whether nobody is to blame: neither a page nor who wrote the test."""
    known = _known(error)
    if known is None:
        return False
    from pytest_iwr.errors import UsageError  # noqa: PLC0415 - it is loaded

    return not isinstance(known, UsageError)


def _known(error: BaseException) -> IwrError | None:
    """Give the error of ours that an exception is, or is shown for."""
    if "pytest_iwr.errors" not in sys.modules:
        return None  # nobody can have raised one
    from pytest_iwr.errors import IwrError  # noqa: PLC0415 - when first needed

    shown_for = error.__context__ if isinstance(error, pytest.fail.Exception) else None
    for candidate in (error, shown_for):
        if isinstance(candidate, IwrError):
            return candidate
    return None


def _describe(item: pytest.Item, report: pytest.TestReport, row: Row) -> None:
    """Put a row on this and all later reports of a test, as its properties."""
    from pytest_iwr.report.junit import properties  # noqa: PLC0415 - when first needed

    pairs = properties(row)
    if not set(pairs) <= set(item.user_properties):
        item.user_properties += pairs
        report.user_properties += pairs


def _pack(rows: Iterable[Row], *, is_ours: bool) -> str:
    packed = [[type(row).__name__, row.model_dump(mode="json")] for row in rows]
    return json.dumps({"rows": packed, "is_ours": is_ours})


def unpack(report: pytest.TestReport) -> Cargo | None:
    """Give what a report carries, `None` for reports of other tests."""
    text = getattr(report, CARGO, None)
    if text is None:
        return None
    from pytest_iwr import records  # noqa: PLC0415 - when first needed

    kinds: dict[str, type[Row]] = {"Row": records.Row, "Result": records.Result}
    cargo = json.loads(text)
    rows = tuple(kinds[kind].model_validate(row) for kind, row in cargo["rows"])
    return Cargo(rows, cargo["is_ours"])


class Selection(NamedTuple):
    """What a run has selected."""

    dues: dict[str, tuple[Due, ...]]
    """What each test owes, by its id."""
    drives: bool
    """Some test drives a browser of ours."""
    tasks: dict[str, TaskAt]
    """The task of each test that has one and will run, by the test's id."""


def select(items: Sequence[pytest.Item]) -> Selection:
    """Sum up the selected tests."""
    return Selection(
        dues={i.nodeid: i.stash[DUES] for i in items if i.stash.get(DUES, ())},
        drives=any(
            _DRIVING & set(getattr(item, "fixturenames", ())) and will_run(item)
            for item in items
        ),
        tasks={
            item.nodeid: item.stash[TASK_AT]
            for item in items
            if TASK_AT in item.stash and will_run(item)
        },
    )


def will_run(item: pytest.Item) -> bool:
    """Tell whether a test is not marked to be skipped, as far as its marks say it.

    What a condition says that is written as text, pytest finds out when it is run.
    """
    if item.get_closest_marker("skip") is not None:
        return False
    return not any(_holds(mark) for mark in item.iter_markers("skipif"))


def _holds(mark: pytest.Mark) -> bool:
    """Tell whether one of the conditions of a `skipif` holds; without any, it does."""
    named = mark.kwargs
    conditions = (named["condition"],) if "condition" in named else mark.args
    return not conditions or any(
        isinstance(condition, int) and bool(condition) for condition in conditions
    )


def send_selection(run: RunFolder, worker: str, selection: Selection) -> None:
    """Leave, as a worker, what is selected, where the controller looks for it."""
    if not selection.dues and not selection.drives:
        return
    target = _manifest(run, worker)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(selection), encoding="utf-8")


def receive_selection(run: RunFolder, worker: str) -> Selection:
    """Take, as the controller, what a worker has left."""
    source = _manifest(run, worker)
    if not source.exists():
        return Selection({}, drives=False, tasks={})
    dues, drives, tasks = json.loads(source.read_text(encoding="utf-8"))
    source.unlink()
    return Selection(
        {nodeid: tuple(Due(*due) for due in owed) for nodeid, owed in dues.items()},
        drives,
        {nodeid: TaskAt(*task) for nodeid, task in tasks.items()},
    )


def discard_selections(run: RunFolder) -> None:
    """Remove what was left and never taken."""
    for left in run.path.glob(_manifest(run, "*").name):
        left.unlink(missing_ok=True)


def _manifest(run: RunFolder, worker: str) -> Path:
    return run.path / f".selected-{worker}.json"

"""What is gone through: pictures of a run that are not like their reference."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.pictures import checkpoint_of
from pytest_iwr.errors import TaskError, UsageError
from pytest_iwr.load import SUFFIX, load, load_named
from pytest_iwr.report.words import one_line


@dataclass(frozen=True)
class Case:
    """One picture of one page, beside the reference's."""

    task: r.Task
    result: r.Result
    checked: r.Checked
    wanted: r.Checkpoint
    trace: r.Trace
    reference: Path
    """The task's picture, whether it is there or not."""
    shot: Path
    diff: Path | None
    shot_sha256: str
    reference_sha256: str
    """Empty: there is no such picture."""
    others: tuple[str, ...] = ()
    """Whose pages look the very same, in words."""

    @property
    def whose(self) -> str:
        """Whose page it is, in words: all models whose pages look the very same."""
        return ", ".join((_whose(self.result), *self.others))

    @property
    def step(self) -> r.TraceStep:
        """The step as it was carried out."""
        return next(s for s in self.trace.steps if s.number == self.checked.step)


@dataclass(frozen=True)
class Wish:
    """Which pictures are to be gone through."""

    below: float = 1.0
    """Those less alike than this, 0..1."""
    only_failed: bool = False
    """Those below their own minimum."""
    models: tuple[str, ...] = ()
    """Empty: of all models."""


def find_cases(run: RunFolder, tasks: Path | None, wish: Wish) -> tuple[Case, ...]:
    """Give the pictures, in the order of tasks, steps and models.

    `tasks` is where the tasks are, `None`: where they were when they ran. Raises
    UsageError for a run without results, and where no task of it is found.
    """
    lacking: list[str] = []
    found: list[Case] = []
    files = _files(tasks) if tasks is not None else None
    for result in _results(run):
        if wish.models and result.model not in wish.models:
            continue
        trace = _trace(run, result)
        if trace is None or not result.checkpoints:
            continue
        task = _task(result, trace, files)
        if task is None:
            lacking.append(trace.task)
            continue
        found += _of_result(run, task, result, trace, wish)
    if lacking and not found:
        raise UsageError(
            f"{run.path}: no file of its tasks is found, e.g. of {lacking[0]!r}. Say "
            "where they are: --tasks DIR."
        )
    found.sort(key=lambda c: (c.task.id, c.checked.step, c.result.model, c.result.task))
    return tuple(_without_twins(found))


def _without_twins(cases: Iterable[Case]) -> Iterator[Case]:
    """Give each picture once, with whose else it is."""
    first: dict[tuple[Path, int, str], list[Case]] = {}
    for case in cases:
        key = (case.reference, case.checked.step, case.shot_sha256)
        first.setdefault(key, []).append(case)
    for case, *twins in first.values():
        others = dict.fromkeys(_whose(twin.result) for twin in twins)
        yield replace(case, others=tuple(others))


def _whose(result: r.Result) -> str:
    epoch = f" #{result.epoch}" if result.epoch > 1 else ""
    return one_line(result.model) + epoch


def _of_result(
    run: RunFolder, task: r.Task, result: r.Result, trace: r.Trace, wish: Wish
) -> Iterator[Case]:
    folder = run.path / result.folder
    for checked in result.checkpoints:
        is_wished = checked.comparison.similarity < wish.below
        if wish.only_failed:
            is_wished = not checked.is_similar
        if not is_wished or checked.step > len(task.steps):
            continue
        wanted = checkpoint_of(task, checked.step)
        shot = folder / checked.shot
        if wanted is None or not shot.is_file():
            continue
        reference = Path(task.path).parent / wanted.image
        yield Case(
            task=task,
            result=result,
            checked=checked,
            wanted=wanted,
            trace=trace,
            reference=reference,
            shot=shot,
            diff=folder / checked.diff if checked.diff else None,
            shot_sha256=digest(shot),
            reference_sha256=digest(reference),
        )


def digest(file: Path) -> str:
    """Give the digest of a file, "" where there is none."""
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _results(run: RunFolder) -> Iterator[r.Result]:
    try:
        lines = run.results.read_bytes().splitlines()  # at no end but that of a line
    except OSError as error:
        text = f"{run.path} is no run: {run.results.name}: {error.strerror}."
        raise UsageError(f"{text} Name a folder such as reports/latest.") from error
    try:
        rows = [json.loads(line) for line in lines]
        return iter([r.Result.model_validate(row) for row in rows if "folder" in row])
    except (ValueError, ValidationError) as error:
        text = f"{run.results}: cannot be read: {str(error).splitlines()[0]}."
        raise UsageError(f"{text} Evaluate anew.") from error


def _trace(run: RunFolder, result: r.Result) -> r.Trace | None:
    if result.trace is None:
        return None
    path = run.path / result.folder / result.trace
    if not path.is_file():
        return None
    return r.Trace.model_validate_json(path.read_bytes())


def _files(folder: Path) -> Mapping[str, Path]:
    """Give the task files below a folder by their ids."""
    files: dict[str, Path] = {}
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        try:
            files.setdefault(load(path, needs_files=False).id, path)
        except TaskError:
            continue
    if not files:
        raise UsageError(f"no task below {str(folder)!r}. Name another folder.")
    return files


def _task(
    result: r.Result, trace: r.Trace, files: Mapping[str, Path] | None
) -> r.Task | None:
    """Give the task as its file is now; masks of the reference included."""
    path = Path(result.path) if files is None else files.get(trace.task)
    if path is None or not path.is_file():
        return None
    try:
        return load_named(path, trace.task)
    except TaskError:
        return load(path, needs_files=False) if path.name.endswith(SUFFIX) else None

"""A stored run's traces → a new run's results, item by item."""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder, RunFolder
from pytest_iwr.errors import IwrError, UsageError
from pytest_iwr.evaluate import Tools, rescore
from pytest_iwr.report.keep import keep_differences

Find = Callable[[str, str], r.Task]
"""Gives the task with an id, and where its file was; raises TaskError or UsageError."""

_AT_ONCE = 4
"""Items that wait for a judge at a time."""
_KEPT = ("task", "page_sha256", "page", "generation", "trace", "duration_s")
_STALE = ("diff-*", "judge-*", "result.json", "index.html")
_REWRITTEN = ("diff-", "judge-", "kept", "index", "result")
_ROW: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])


@dataclass(frozen=True)
class Again:
    """What a run is scored again with, and into which folder."""

    source: RunFolder
    target: RunFolder
    tools: Tools
    find: Find

    def score(self, rows: Sequence[r.Row]) -> list[r.Row]:
        """Give all rows, those with a trace scored anew, in the same order.

        What cannot be scored is a row that says why. A page that was never there is
        worth zero as before; what never ran or broke before there was a trace stays.
        """
        if self.tools.judge is None:
            return [self._row(row) for row in rows]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(self._row, rows))

    def _row(self, row: r.Row) -> r.Row:
        item = self.source.item(row.task, row.model, row.epoch)
        protocol = self.tools.scorer.protocol
        if not item.trace.is_file():
            if isinstance(row, r.Result):
                copied = self.target.item(row.task, row.model, row.epoch)
                copy(item.path, copied.path)
                return _write(copied, row.model_copy(update={"protocol": protocol}))
            return row
        try:
            return self._again(row, item)
        except IwrError as error:
            # What is copied is the stored run's fault, and stays there.
            here, there = f"{self.target.path}{os.sep}", f"{self.source.path}{os.sep}"
            return _unscored(row, error.kind, str(error).replace(here, there))

    def _again(self, row: r.Row, item: ItemFolder) -> r.Result:
        trace = read_trace(item.trace)
        path = row.path if isinstance(row, r.Result) else trace.path
        task = self.find(trace.task, path)
        folder = self.target.item(row.task, row.model, row.epoch)
        copy(item.path, folder.path)
        for pattern in _STALE:
            for file in folder.path.glob(pattern):
                file.unlink()
        result = rescore(task, trace, self.tools, folder)
        told: dict[str, object] = {"task": row.task, "trace": item.trace.name}
        if isinstance(row, r.Result):
            told |= {name: getattr(row, name) for name in _KEPT}
            told["timings_s"] = row.timings_s
        keep_differences(folder.path)
        return _write(folder, result.model_copy(update=told))


def read_rows(run: RunFolder) -> list[r.Row]:
    """Give the rows of a stored run; raises UsageError where there are none."""
    try:
        lines = run.results.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(
            f"{run.results}: cannot be read: {error.strerror}. Name the folder of a "
            "run, e.g. reports/latest."
        ) from error
    rows: list[r.Row] = []
    for number, line in enumerate(lines, 1):
        try:
            fields = _ROW.validate_json(line)
            kind = r.Result if "folder" in fields else r.Row
            rows.append(kind.model_validate_json(line))
        except ValidationError as error:
            raise UsageError(
                f"{run.results}:{number}: is no row of a run: "
                f"{error.errors()[0]['msg']}. Was it written by another version?"
            ) from error
    return rows


def read_trace(path: Path) -> r.Trace:
    """Give a stored trace; raises IwrError where it cannot be read."""
    try:
        return r.Trace.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IwrError(
            f"{path}: is no trace of this version: {error}. Run the task again."
        ) from error


def read_facts(run: RunFolder) -> Mapping[str, object]:
    """Give `run.json` of a run, empty where it has none; raises UsageError."""
    try:
        return _ROW.validate_json(run.run.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{run.run}: cannot be read: {_first(error)}. Correct it, or remove it and "
            "name the protocol: --iwr-protocol=..."
        ) from error


def _first(error: OSError | ValueError) -> str:
    if isinstance(error, ValidationError):
        return error.errors()[0]["msg"]
    return str(error)


def copy_shared(source: RunFolder, target: RunFolder) -> None:
    """Begin a run's folder with what its items share: tasks, and pages that were made.

    Raises UsageError where they cannot be copied.
    """
    try:
        for name in ("tasks", "pages"):
            copy(source.path / name, target.path / name)
    except OSError as error:
        raise UsageError(
            f"{source.path}: cannot be copied: {error}. Make room, or correct it."
        ) from error


def copy(source: Path, target: Path) -> None:
    """Copy a folder; large files that stay as they are become links where it goes."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    name = os.path.basename(source)  # noqa: PTH119 - as copytree gives it
    if name.endswith(".json") or name.startswith(_REWRITTEN):
        shutil.copyfile(source, target)
        return
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copyfile(source, target)


def _write(folder: ItemFolder, result: r.Result) -> r.Result:
    told = result.model_copy(update={"folder": folder.relative})
    folder.path.mkdir(parents=True, exist_ok=True)
    text = json.dumps(told.model_dump(mode="json"), indent=1, ensure_ascii=False)
    folder.result.write_text(text, encoding="utf-8")
    return told


def _unscored(row: r.Row, kind: r.ErrorKind, reason: str) -> r.Row:
    """Give the row of an item that cannot be scored any more."""
    return r.Row(
        task=row.task,
        model=row.model,
        epoch=row.epoch,
        status="error",
        kind=kind,
        reason=reason,
        steps_total=row.steps_total,
        steps_done=None,
        level=row.level,
        domain=row.domain,
        device=row.device,
    )

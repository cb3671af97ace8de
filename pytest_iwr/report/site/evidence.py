"""What the report is made of: read from a run's folder, one evaluation at a time."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder, RunFolder
from pytest_iwr.gateway.ledger import read_ledger
from pytest_iwr.report.keep import keep_pictures
from pytest_iwr.report.kept import KeptItem, KeptTask

_LOGGER = logging.getLogger(__name__)
_T = TypeVar("_T", bound=r.Record)


@dataclass(frozen=True)
class Evidence:
    """A run's folder, and what is known of the whole run."""

    run: RunFolder
    summary: r.Summary
    facts: dict[str, Any]
    """`run.json`; empty where there is none."""
    ledger: tuple[r.Asked, ...]
    tasks: dict[str, KeptTask] = field(default_factory=dict)
    """By folder, relative to the run's; filled as they are asked for."""

    def rows(self) -> Iterator[r.Row]:
        """Read the rows one after the other, results where there is evidence."""
        with self.run.results.open(encoding="utf-8") as lines:
            for line in lines:
                fields = json.loads(line)
                kind = r.Result if "folder" in fields else r.Row
                yield kind.model_validate(fields)

    def item(self, result: r.Result) -> "Item":
        """Read what is known of one evaluation."""
        folder = ItemFolder(
            self.run.path, self.run.path / result.folder, result.model, result.epoch
        )
        kept = _read(folder.kept, KeptItem)
        if kept is None:  # from an earlier version, or an evaluation that was cut off
            there = folder.path.is_dir()
            kept = KeptItem(
                task="", pictures=keep_pictures(folder.path) if there else {}
            )
        trace = folder.path / result.trace if result.trace else None
        return Item(
            result=result,
            folder=folder,
            kept=kept,
            task=self._task(kept.task),
            trace=_read(trace, r.Trace) if trace else None,
        )

    def _task(self, folder: str) -> KeptTask | None:
        if folder and folder not in self.tasks:
            found = _read(self.run.path / folder / "kept.json", KeptTask)
            if found is not None:
                self.tasks[folder] = found
        return self.tasks.get(folder)

    def asked_for(self, row: r.Row, task: str) -> Iterator[r.Asked]:
        """Give what asking models has cost for one evaluation."""
        names = {row.task, task}
        for asked in self.ledger:
            owner = (asked.alias, asked.epoch)
            if owner == (row.model, row.epoch) and asked.label in names:
                yield asked


@dataclass(frozen=True)
class Item:
    """All that is known of one evaluation."""

    result: r.Result
    folder: ItemFolder
    kept: KeptItem
    task: KeptTask | None
    trace: r.Trace | None

    def differences(self, step: int) -> r.Differences | None:
        """Give what differs at a checkpoint, where that was written down."""
        return _read(self.folder.diff(step).with_suffix(".json"), r.Differences)


def gather(run: RunFolder) -> Evidence:
    """Read the files of a run. Raises OSError and ValueError where they are none."""
    summary = r.Summary.model_validate_json(run.summary.read_bytes())
    facts = json.loads(run.run.read_bytes()) if run.run.exists() else {}
    ledger = read_ledger(run.ledger) if run.ledger.exists() else ()
    return Evidence(run, summary, facts, ledger)


def _read(path: Path, kind: type[_T]) -> _T | None:
    if not path.is_file():
        return None
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        _LOGGER.warning("%s: cannot be read: %s", path, error)
        return None

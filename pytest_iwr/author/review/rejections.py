"""Which pictures were rejected: they are not shown again."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from pytest_iwr.author.review.cases import Case
from pytest_iwr.errors import UsageError
from pytest_iwr.records import Record

NAME = "rejected.jsonl"
"""Beside the runs."""


class Rejection(Record):
    """A picture that is no likeness of a reference, whichever run it comes from."""

    task: str
    step: int
    model: str
    run: str
    shot_sha256: str
    reference_sha256: str
    at: str
    """Time, UTC."""


class Rejections:
    """The file of rejections of a folder of runs."""

    def __init__(self, run: Path) -> None:
        """Read it. Raises UsageError where it cannot be read."""
        self.path = run.parent / NAME
        self._run = run.name
        self._all = list(self._read())

    def has(self, case: Case) -> bool:
        """Tell whether this picture was rejected against this reference."""
        pair = (case.shot_sha256, case.reference_sha256)
        return any((one.shot_sha256, one.reference_sha256) == pair for one in self._all)

    def add(self, case: Case) -> None:
        """Note that a picture is rejected. Raises OSError."""
        rejection = Rejection(
            task=case.task.id,
            step=case.checked.step,
            model=case.result.model,
            run=self._run,
            shot_sha256=case.shot_sha256,
            reference_sha256=case.reference_sha256,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self._write([*self._all, rejection])

    def remove(self, case: Case) -> None:
        """Forget it. Raises OSError."""
        pair = (case.shot_sha256, case.reference_sha256)
        rest = [
            one for one in self._all if (one.shot_sha256, one.reference_sha256) != pair
        ]
        self._write(rest)

    def _read(self) -> Iterator[Rejection]:
        if not self.path.is_file():
            return
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                yield Rejection.model_validate_json(line)
            except ValidationError as error:
                text = f"{self.path}:{number}: no rejection: {line[:60]!r}."
                raise UsageError(f"{text} Remove the line.") from error

    def _write(self, rejections: list[Rejection]) -> None:
        lines = [json.dumps(one.model_dump()) + "\n" for one in rejections]
        unfinished = self.path.with_suffix(".part")
        unfinished.write_text("".join(lines), encoding="utf-8")
        unfinished.replace(self.path)
        self._all = rejections

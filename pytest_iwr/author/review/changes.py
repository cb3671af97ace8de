"""What a decision writes, and how it is taken back."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_iwr import records as r
from pytest_iwr.author.review.cases import Case
from pytest_iwr.author.review.mask_file import add_masks
from pytest_iwr.errors import IwrError, UsageError
from pytest_iwr.load import SUFFIX
from pytest_iwr.load.masks import NAME as MASKS

_PLACES = 2
"""Of CSS pixels, as `iwr capture` writes them."""


@dataclass(frozen=True)
class Change:
    """Files and their bytes before and after; `None`: there was no such file."""

    before: Mapping[Path, bytes | None]
    after: Mapping[Path, bytes]

    def undo(self) -> None:
        """Put back what was there.

        Raises IwrError where a file is not any more what was written.
        """
        for path, data in self.after.items():
            if _read(path) != data:
                text = f"{path}: was changed meanwhile, so it is not put back."
                raise IwrError(f"{text} See what changed it.")
        for path in self.before:
            self.put_back(path)

    def put_back(self, path: Path) -> None:
        """Put back one file, whatever it is now."""
        old = self.before[path]
        if old is None:
            path.unlink(missing_ok=True)
        else:
            _write(path, old)


def accept(case: Case) -> Change:
    """Let the page's picture be the reference's, byte for byte, and its masks, too.

    Raises UsageError for a mask that is not of the run and has to be looked for.
    """
    files = {case.reference: case.shot.read_bytes()}
    if case.wanted.mask:
        boxes = [box.scaled(1 / case.trace.scale) for box in case.step.masks]
        files |= _with_boxes(case, [*boxes, *_later_masks(case)])
    return _make(files)


def _later_masks(case: Case) -> Iterator[r.Box]:
    """Give where the masks are that the task has got since the run, in CSS pixels."""
    width, height = case.trace.width_px, case.trace.height_px
    for target in case.wanted.mask[len(case.step.masked) :]:
        if target.box is None:
            raise UsageError(
                f"{case.task.path}: the mask of {target.phrase()} was not there when "
                "the page ran, so nobody knows its place. Run again, then review."
            )
        x, y, wide, high = target.box
        yield r.Box(x=x * width, y=y * height, width=wide * width, height=high * height)


def mask(case: Case, boxes: Sequence[r.Box]) -> Change:
    """Leave regions out of the comparison from now on; in pixels of the shot.

    Raises UsageError where the task's file cannot be edited.
    """
    path = Path(case.task.path)
    css = [box.scaled(1 / case.trace.scale) for box in boxes]
    width, height = case.trace.width_px, case.trace.height_px
    parts = [
        (box.x / width, box.y / height, box.width / width, box.height / height)
        for box in css
    ]
    files = {path: add_masks(path, case.checked.step, parts)}
    known = case.task.masks.get(case.wanted.image, ())
    if known or not case.wanted.mask:
        files |= _with_boxes(case, [*known, *css])
    return _make(files)


def can_mask(case: Case) -> bool:
    """Tell whether the task has a file of its own; the official data has none."""
    return case.task.path.endswith(SUFFIX)


def _with_boxes(case: Case, boxes: Sequence[r.Box]) -> dict[Path, bytes]:
    """Give the file of the reference's masks with those of one picture."""
    path = case.reference.with_name(MASKS)
    data = _read(path)
    inside = json.loads(data) if data else {}
    inside[case.reference.name] = [
        {name: round(edge, _PLACES) for name, edge in box.model_dump().items()}
        for box in boxes
    ]
    ordered = dict(sorted(inside.items()))
    return {path: (json.dumps(ordered, indent=1) + "\n").encode()}


def _make(files: Mapping[Path, bytes]) -> Change:
    """Write files, all or none of them."""
    change = Change({path: _read(path) for path in files}, files)
    done: list[Path] = []
    try:
        for path, data in files.items():
            _write(path, data)
            done.append(path)
    except OSError:
        for path in done:
            change.put_back(path)
        raise
    return change


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _write(path: Path, data: bytes) -> None:
    """Write a file in one step; where it is a link, what that leads to."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(data)
        if path.exists():
            unfinished.chmod(path.stat().st_mode)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)

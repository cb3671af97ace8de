"""What may be shown of a task: video, assets and contact sheets, never its steps."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from pytest_iwr import images
from pytest_iwr.errors import CheckpointError, Problem, TaskError
from pytest_iwr.images import Picture
from pytest_iwr.load import place_of
from pytest_iwr.records import Task

_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp"})


@dataclass(frozen=True)
class Inputs:
    """The files of a task that whoever makes a page is given."""

    task: Task
    video: Path | None
    assets: Path | None
    """The folder of the assets."""
    asset_names: tuple[str, ...]
    """Relative to that folder, with forward slashes, sorted as people do."""
    sheets: tuple[Path, ...]
    """Contact sheets, in order."""

    def files(self) -> Iterator[Path]:
        """Give all files, in a fixed order."""
        if self.video is not None:
            yield self.video
        yield from self.sheets
        if self.assets is not None:
            yield from (self.assets / name for name in self.asset_names)

    def fault(self, name: str, message: str) -> TaskError:
        """Give the error for a field of the task's file, with the line of its place."""
        line = place_of(self.task, name)
        return TaskError([Problem(Path(self.task.path), line, name, message)])


def find_inputs(task: Task) -> Inputs:
    """Find the files that a task names; hidden ones are left out."""
    path = Path(task.path)
    assets = path.parent / task.assets if task.assets else None
    sheets = path.parent / task.sheets if task.sheets else None
    return Inputs(
        task=task,
        video=path.parent / task.video if task.video else None,
        assets=assets,
        asset_names=tuple(
            file.relative_to(assets).as_posix() for file in _files(assets)
        )
        if assets
        else (),
        sheets=tuple(
            file for file in _files(sheets) if file.suffix.lower() in _PICTURES
        )
        if sheets
        else (),
    )


def read_sheet(path: Path, inputs: Inputs) -> Picture:
    """Open a contact sheet; raises TaskError where it is no picture."""
    try:
        if path.suffix.lower() == ".png":
            return images.read(path)
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except (CheckpointError, OSError) as error:
        raise _unreadable(inputs, str(error)) from error
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if picture is None:
        raise _unreadable(inputs, f"{path}: cannot be decoded.")
    return picture.astype(np.uint8, copy=False)


def _unreadable(inputs: Inputs, what: str) -> TaskError:
    message = f"a contact sheet cannot be read: {what} Make it anew."
    return inputs.fault("sheets", message)


def _files(folder: Path) -> list[Path]:
    """Give the files below a folder, `a2` before `a10`."""
    found = (
        file
        for file in folder.rglob("*")
        if file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    return sorted(found, key=lambda file: _natural(file.relative_to(folder).as_posix()))


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(int(p), p) if p.isdecimal() else (-1, p) for p in parts]

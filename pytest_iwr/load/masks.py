"""Where the reference has the masks of its checkpoints: a file beside the pictures."""

from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, TypeAdapter, ValidationError

from pytest_iwr.errors import Problem
from pytest_iwr.records import Box, Checkpoint, TaskFile

NAME = "masks.json"
"""In each folder with masked pictures: name of a picture → its boxes, a list."""


def _sound(box: Box) -> Box:
    if not all(map(isfinite, box.model_dump().values())):
        raise ValueError("must be made of finite numbers")
    if box.width < 0 or box.height < 0:
        raise ValueError("must not be smaller than nothing")
    return box


_Boxes = TypeAdapter(dict[str, tuple[Annotated[Box, AfterValidator(_sound)], ...]])


class Masks:
    """The boxes of a task's masked pictures, and what is wrong with their files."""

    def __init__(self, task: TaskFile, folder: Path) -> None:
        """Read the files beside the pictures, which lie in `folder` or below it."""
        self.boxes: dict[str, tuple[Box, ...]] = {}
        """Picture, as the task names it → CSS pixels of the picture."""
        self.problems: list[Problem] = []
        files: dict[Path, Mapping[str, tuple[Box, ...]]] = {}
        for checkpoint in masked(task):
            picture = folder / checkpoint.image
            file = picture.with_name(NAME)
            if file not in files:
                files[file] = self._read(file)
            if picture.name in files[file]:
                self.boxes[checkpoint.image] = files[file][picture.name]

    def _read(self, file: Path) -> Mapping[str, tuple[Box, ...]]:
        try:
            return _Boxes.validate_json(file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._tell(file, "", f"cannot be read: {error.strerror}")
        except ValidationError as invalid:
            first = invalid.errors(include_url=False)[0]
            place = "".join(f"[{key!r}]" for key in first["loc"])
            self._tell(file, place, first["msg"])
        return {}

    def _tell(self, file: Path, where: str, what: str) -> None:
        advice = "Make it anew: iwr capture TASK --site DIR_OR_URL."
        self.problems.append(Problem(file, 1, where, f"{what}. {advice}"))


def masked(task: TaskFile) -> Iterator[Checkpoint]:
    """Give the checkpoints that leave something out, in the order of the steps."""
    for checkpoint in (task.start, *(step.checkpoint for step in task.steps)):
        if checkpoint is not None and checkpoint.mask:
            yield checkpoint

"""Checkpoint pictures of the reference, kept once they have proved stable."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import cv2

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.load.masks import NAME as MASKS

AGAIN_S = (0.13, 0.29, 0.31, 0.47)
"""Waits before the further shots: longer than a clock's second in all, and of no common
measure, so that what blinks evenly is not seen in the same state each time."""


class Picture(NamedTuple):
    """The picture of one checkpoint."""

    step: int
    image: str
    """The task's file for it."""
    shot: Path
    masks: tuple[r.Box, ...]
    """Pixels of the shot."""
    moved: images.Motion | None
    """What moved between the shots, outside of the masks."""
    clipped: bool


def checkpoint_of(task: r.Task, step: int) -> r.Checkpoint | None:
    """Give what is compared after a step; 0: before the first."""
    return task.steps[step - 1].checkpoint if step else task.start


@dataclass
class Pictures:
    """An observer that looks several times at each checkpoint."""

    task: r.Task
    folder: Path
    """Where the drive leaves its shots."""
    taken: list[Picture] = field(default_factory=list)
    is_filming: bool = False
    pause_s: float = 0.0
    key_pause_s: float = 0.0

    def before(self, step: int, ask: Callable[[], tuple[r.Outcome, ...]]) -> None:
        """Let the step begin."""

    def after(self, done: r.TraceStep, look: Callable[[float], Path]) -> None:
        """Look again, and yet again, where a picture is kept."""
        wanted = checkpoint_of(self.task, done.number)
        if wanted is None or done.failure is not None or done.shot is None:
            return
        shot = done.full_shot if wanted.full_page and done.full_shot else done.shot
        kept = self.folder / shot
        moved = None
        if done.again is not None:
            again = images.read(self.folder / done.again)
            moved = images.motion(images.read(kept), again, done.masks)
        first = images.read(self.folder / done.shot)
        # Masks of a whole page lie elsewhere in the window: the second drive proves it.
        waits = () if wanted.full_page and wanted.mask else AGAIN_S
        for seconds in waits:
            later = images.read(look(seconds))
            moved = moved or images.motion(first, later, done.masks)
        picture = Picture(
            done.number, wanted.image, kept, done.masks, moved, done.clipped
        )
        self.taken.append(picture)

    def frame(self, at_s: float, jpeg: bytes) -> None:
        """Take no moving pictures."""

    def felt(self, at_s: float, event: Mapping[str, Any]) -> None:
        """Follow no input."""

    def loaded(self, url: str, resource: str, mime: str) -> None:
        """Follow no requests."""


def keep_masks(
    folder: Path, images: Iterable[str], boxes: Mapping[str, Iterable[r.Box]]
) -> None:
    """Write where the reference has its masks beside the pictures.

    `images` are all pictures that were kept, relative to `folder`; `boxes` those of
    the masked ones, in CSS pixels. What such a file held before is gone.
    """
    files: dict[Path, dict[str, list[dict[str, float]]]] = {}
    for image in sorted(images):
        picture = folder / image
        inside = files.setdefault(picture.with_name(MASKS), {})
        if image in boxes:
            inside[picture.name] = [
                {name: round(value, 2) for name, value in box.model_dump().items()}
                for box in boxes[image]
            ]
    for file, inside in files.items():
        if inside:
            file.write_text(json.dumps(inside, indent=1) + "\n", encoding="utf-8")
        else:
            file.unlink(missing_ok=True)


def keep(shot: Path, image: Path) -> None:
    """Store a picture as small as PNG makes it. Raises CheckpointError."""
    small = [cv2.IMWRITE_PNG_COMPRESSION, 9]
    written, data = cv2.imencode(".png", images.read(shot), small)
    if not written:
        raise AssertionError(shot)
    image.parent.mkdir(parents=True, exist_ok=True)
    image.write_bytes(data.tobytes())

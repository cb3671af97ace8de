"""Small pictures for the report: reference, page and difference in one."""

from pathlib import Path

import cv2
import numpy as np

from pytest_iwr.records import Result, Trace

_WIDTH_PX = 360
"""Of each of the pictures."""
_COLUMNS = 2
_HIGHEST_PX = 720
"""A whole page may be very tall; more than this is cut."""
_GAP_PX = 6
_QUALITY = 80


def make(folder: Path, result: Result, trace: Trace | None) -> None:
    """Write one picture for each checkpoint, and one of the step that broke."""
    for checked in result.checkpoints:
        sources = [Path(checked.reference), folder / checked.shot]
        if checked.diff is not None:
            sources.append(folder / checked.diff)
        _write(_path(folder, checked.step), sources)
    broken = trace.failed if trace else None
    if broken is not None and broken.shot is not None:
        _write(_path(folder, broken.number), [folder / broken.shot])


def made(folder: Path, result: Result) -> list[tuple[int, Path]]:
    """Give the pictures that a folder has, by step, what broke first."""
    broken = result.failed_step or result.failed_checkpoint
    found = [(int(p.stem.rpartition("-")[2]), p) for p in folder.glob("small-*.jpg")]
    return sorted(found, key=lambda made: (made[0] != broken, made[0]))


def caption(step: int, result: Result) -> str:
    """Say what a picture shows; never text of the page."""
    place = f"after step {step}" if step else "before step 1"
    for checked in result.checkpoints:
        if checked.step == step:
            similarity = checked.comparison.similarity
            return f"{place}: reference, page, difference ({similarity:.4f} alike)"
    return f"{place}: the page where it broke"


def _path(folder: Path, step: int) -> Path:
    return folder / f"small-{step:02d}.jpg"


def _write(target: Path, sources: list[Path]) -> None:
    """Lay pictures out in two columns and write them as one."""
    pictures = [
        picture for source in sources if (picture := _small(source)) is not None
    ]
    if not pictures:
        return
    cell_height = max(picture.shape[0] for picture in pictures) + _GAP_PX
    cell_width = _WIDTH_PX + _GAP_PX
    columns = min(_COLUMNS, len(pictures))
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * cell_height, columns * cell_width, 3), 255, np.uint8)
    for index, picture in enumerate(pictures):
        row, column = divmod(index, columns)
        top, left = row * cell_height, column * cell_width
        sheet[top : top + picture.shape[0], left : left + _WIDTH_PX] = picture
    written, data = cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    if not written:
        raise AssertionError(target)
    target.write_bytes(data.tobytes())


def _small(source: Path) -> np.ndarray | None:
    """Read a picture and shrink it; `None` for a file that is none."""
    data = np.frombuffer(source.read_bytes(), np.uint8) if source.exists() else None
    picture = (
        cv2.imdecode(data, cv2.IMREAD_COLOR) if data is not None and data.size else None
    )
    if picture is None:
        return None
    scale = _WIDTH_PX / picture.shape[1]
    height = max(1, round(picture.shape[0] * scale))
    small = cv2.resize(picture, (_WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    return small[:_HIGHEST_PX]

"""The task's video beside the steps: when each begins, and what is seen after it."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from pytest_iwr.report.pictures import Pixels

KINDS = {".mp4", ".webm", ".m4v", ".mov", ".ogv"}
_BEFORE_S = 0.5
"""The picture after a step is taken so long before the next one begins: the page is at
rest, and the pointer has not set out."""
_LAST_S = 0.25
"""The picture after the last step is taken so long before the end."""


def step_times(video: Path, steps: int) -> tuple[float, ...] | None:
    """Read when each step begins from the file that `iwr capture` leaves beside it.

    `None`: there is none, or it is about other steps.
    """
    path = video.with_suffix(".json")
    if not path.is_file():
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["steps_s"]
        times = tuple(float(time) for time in told)
    except (ValueError, KeyError, TypeError):
        return None
    return times if len(times) == steps else None


def stills(
    video: Path, times: tuple[float, ...], steps: Iterable[int]
) -> Iterator[tuple[int, Pixels]]:
    """Give what the video shows after each of some steps (0: before the first).

    One picture is in memory at a time. A video that cannot be opened gives nothing.
    """
    opened = cv2.VideoCapture(str(video), cv2.CAP_FFMPEG)
    try:
        rate = opened.get(cv2.CAP_PROP_FPS)
        if not opened.isOpened() or not rate > 0:
            return
        end = opened.get(cv2.CAP_PROP_FRAME_COUNT) / rate
        ends = (*(time - _BEFORE_S for time in times), end - _LAST_S)
        wanted = sorted((max(0.0, ends[step]), step) for step in set(steps))
        while wanted and opened.grab():
            now = opened.get(cv2.CAP_PROP_POS_MSEC) / 1000
            while wanted and now >= wanted[0][0]:
                is_there, picture = opened.retrieve()
                if not is_there:
                    return
                yield wanted.pop(0)[1], np.asarray(picture, np.uint8)
    finally:
        opened.release()

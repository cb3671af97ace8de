"""Frames of a video by their time stamps, for models that take pictures only."""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from pytest_iwr.errors import VideoError
from pytest_iwr.images import Picture

_EPSILON_S = 1e-6
_POINTER = b"version https://"


class VideoWarning(UserWarning):
    """A video that breaks off before the end that its header promises."""


class Frame(NamedTuple):
    """One picture of a video."""

    time_s: float
    """Seconds since the first frame."""
    picture: Picture
    """Upright, as the video's own turn says."""


def frames(path: Path) -> Iterator[Frame]:
    """Give every frame that can be decoded, one after the other.

    Raises VideoError, which names file and codec, when there is none. Warns with
    VideoWarning when the video ends before its header says.
    """
    with _open(path) as video:
        times: list[float] = []
        while video.grab():
            times.append(_stamp(video, times))
            yield Frame(times[-1] - times[0], _picture(video, path))
        _judge(path, video, times)


def pick(path: Path, *, per_second: float = 1.0, most: int = 64) -> list[Frame]:
    """Give what a viewer sees at even times: the first frame, the last, and between.

    `per_second` frames for each second, or `most` (2 or more) evenly spread ones
    where these would be more. A frame is shown from its time stamp until the next
    one's; each is given once. Raises VideoError and warns as `frames` does.
    """
    with _open(path) as video:
        times: list[float] = []
        while video.grab():
            times.append(_stamp(video, times))
        _judge(path, video, times)
    wanted = set(_choose([time - times[0] for time in times], per_second, most))
    chosen = []
    with _open(path) as video:
        for index, time in enumerate(times):
            if not video.grab():
                raise VideoError(f"{path}: the file changed while it was read.")
            if index in wanted:
                chosen.append(Frame(time - times[0], _picture(video, path)))
    return chosen


def _choose(times: Sequence[float], per_second: float, most: int) -> Iterator[int]:
    """Give the index of the frame that is shown at each of the even times."""
    end = times[-1]
    count = math.floor(end * per_second + _EPSILON_S) + 1
    even = [number / per_second for number in range(count)]
    if even[-1] < end:
        even.append(end)
    if len(even) > most:
        even = [end * number / (most - 1) for number in range(most)]
    index = 0
    for time in even:
        while index + 1 < len(times) and times[index + 1] <= time + _EPSILON_S:
            index += 1
        yield index


@contextmanager
def _open(path: Path) -> Iterator[cv2.VideoCapture]:
    if not path.is_file():
        raise VideoError(f"{path}: there is no such video. Correct the path.")
    video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    try:
        if not video.isOpened():
            raise VideoError(f"{path}: {_no_video(path)}. Give a MP4 or WebM file.")
        # Some builds have another default; a phone's video must not lie on its side.
        video.set(cv2.CAP_PROP_ORIENTATION_AUTO, 1)
        yield video
    finally:
        video.release()


def _no_video(path: Path) -> str:
    """Say why a file cannot be opened; there is no codec to name."""
    with path.open("rb") as file:
        head = file.read(len(_POINTER))
    if not head:
        return "is empty, no video and no codec"
    if head == _POINTER:
        return "is a pointer of Git LFS, no video and no codec (run `git lfs pull`)"
    return f"is no video: no codec is known for what begins with {head[:12]!r}"


def _stamp(video: cv2.VideoCapture, before: Sequence[float]) -> float:
    """Give the time of the grabbed frame in seconds; times never go back."""
    time = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
    if before and not time > before[-1]:
        rate = video.get(cv2.CAP_PROP_FPS)
        time = before[-1] + (1 / rate if rate > 0 else 0.0)
    return time


def _picture(video: cv2.VideoCapture, path: Path) -> Picture:
    is_there, picture = video.retrieve()
    if not is_there:
        raise VideoError(f"{path}: a frame of codec {_codec(video)} has no picture.")
    return picture.astype(np.uint8, copy=False)


def _judge(path: Path, video: cv2.VideoCapture, times: Sequence[float]) -> None:
    """Compare what was decoded with what the header promises, which may lie."""
    if not times:
        raise VideoError(
            f"{path}: no frame of codec {_codec(video)} can be decoded. Encode the "
            "video again, e.g. as H.264."
        )
    promised, rate = (
        video.get(cv2.CAP_PROP_FRAME_COUNT),
        video.get(cv2.CAP_PROP_FPS),
    )
    if not (promised > len(times) and rate > 0):
        return
    length_s, shown_s = promised / rate, times[-1] - times[0] + 1 / rate
    if length_s > shown_s + 1 / rate:
        message = (
            f"{path}: {len(times)} frames of codec {_codec(video)} can be decoded, "
            f"{shown_s:.1f} s; the header promises {promised:.0f}, {length_s:.1f} s"
        )
        warnings.warn(message, VideoWarning, stacklevel=3)


def _codec(video: cv2.VideoCapture) -> str:
    code = int(video.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    return code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ") or "none"

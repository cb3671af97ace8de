"""Frames of a video by their time stamps, for models that take pictures only."""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
        complaint = _complaint(path, video, times)
    if complaint is not None:
        warnings.warn(complaint, VideoWarning, stacklevel=2)


@dataclass(frozen=True)
class Survey:
    """What there is in a video, known without a picture of it."""

    path: Path
    times_s: tuple[float, ...]
    """When each frame is shown, in decode order, from 0 on."""
    width: int
    """Pixels, upright."""
    height: int
    complaint: str | None
    """In words, where it breaks off before the end that its header promises."""

    def when(self, *, per_second: float = 1.0, most: int = 64) -> tuple[float, ...]:
        """Tell the times of the frames that `pick` gives."""
        wanted = sorted(set(_choose(self.times_s, per_second, most)))
        return tuple(self.times_s[index] for index in wanted)

    def pick(self, *, per_second: float = 1.0, most: int = 64) -> Iterator[Frame]:
        """Give frames as the function `pick` does, one after the other.

        With `most` 1 it is the first one alone. Raises VideoError where the file is
        no longer the one that was looked at.
        """
        wanted = set(_choose(self.times_s, per_second, most))
        with _open(self.path) as video:
            for index, time in enumerate(self.times_s):
                if index > max(wanted):
                    return
                if not video.grab():
                    raise VideoError(f"{self.path}: it changed while it was read.")
                if index in wanted:
                    yield Frame(time, _picture(video, self.path))


def survey(path: Path) -> Survey:
    """Look through a video; raises VideoError as `frames` does, and never warns."""
    with _open(path) as video:
        times: list[float] = []
        size = (0, 0)
        while video.grab():
            times.append(_stamp(video, times))
            if len(times) == 1:
                height, width = _picture(video, path).shape[:2]
                size = (width, height)
        complaint = _complaint(path, video, times)
    return Survey(path, tuple(t - times[0] for t in times), *size, complaint)


def pick(path: Path, *, per_second: float = 1.0, most: int = 64) -> list[Frame]:
    """Give what a viewer sees at even times: the first frame, the last, and between.

    `per_second` frames for each second, or `most` (2 or more) evenly spread ones
    where these would be more. A frame is shown from its time stamp until the next
    one's; each is given once. Raises VideoError and warns as `frames` does.
    """
    seen = survey(path)
    if seen.complaint is not None:
        warnings.warn(seen.complaint, VideoWarning, stacklevel=2)
    return list(seen.pick(per_second=per_second, most=most))


def _choose(times: Sequence[float], per_second: float, most: int) -> Iterator[int]:
    """Give the index of the frame that is shown at each of the even times."""
    end = times[-1]
    if most == 1:
        yield 0
        return
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


def _complaint(
    path: Path, video: cv2.VideoCapture, times: Sequence[float]
) -> str | None:
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
        return None
    length_s, shown_s = promised / rate, times[-1] - times[0] + 1 / rate
    if length_s <= shown_s + 1 / rate:
        return None
    return (
        f"{path}: {len(times)} frames of codec {_codec(video)} can be decoded, "
        f"{shown_s:.1f} s; the header promises {promised:.0f}, {length_s:.1f} s"
    )


def _codec(video: cv2.VideoCapture) -> str:
    code = int(video.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    return code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ") or "none"

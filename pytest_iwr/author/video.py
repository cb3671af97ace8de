"""A film → an MP4 that plays in browsers, in real time."""

import math
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from pytest_iwr.author.draw import draw, fit
from pytest_iwr.author.film import Film, Script
from pytest_iwr.errors import IwrError, UsageError
from pytest_iwr.images import Picture

PER_SECOND = 25
_PLAYABLE = ("-movflags", "+faststart", "-crf", "25", "-preset", "veryfast")
"""The index first, so that a browser shows it while it loads; quality for text."""


def encode(film: Film, path: Path) -> float:
    """Write the video; gives its length in seconds.

    H.264, yuv420p, 25 frames a second. Raises UsageError without the encoder.
    """
    try:
        import imageio_ffmpeg  # noqa: PLC0415 - in the extra `author` only
    except ModuleNotFoundError as error:
        text = "no encoder for videos. Install it: pip install 'pytest-iwr[author]'"
        raise UsageError(text) from error
    width, height = even(film.width_px), even(film.height_px)
    writer = imageio_ffmpeg.write_frames(
        str(path),
        (width, height),
        pix_fmt_in="bgr24",
        pix_fmt_out="yuv420p",
        fps=PER_SECOND,
        codec="libx264",
        quality=None,
        macro_block_size=2,
        output_params=list(_PLAYABLE),
    )
    writer.send(None)
    count = 0
    try:
        for picture in _pictures(film, width, height):
            writer.send(picture.tobytes())
            count += 1
    except OSError as error:
        raise IwrError(f"{path}: the video could not be encoded: {error}") from error
    finally:
        writer.close()
    return count / PER_SECOND


def even(pixels: int) -> int:
    """Give the next even number: colours are stored for two pixels together."""
    return pixels + pixels % 2


def _pictures(film: Film, width: int, height: int) -> Iterator[Picture]:
    """Give what is shown at even times, with all that is drawn over it."""
    showing, script = film.showing(), Script(film)
    begin, end = film.span_s
    index, opened, drawn = 0, -1, None
    base: Picture = np.full((height, width, 3), 255, np.uint8)
    picture = base
    for number in range(math.ceil((end - begin) * PER_SECOND)):
        now = begin + number / PER_SECOND
        while index + 1 < len(showing) and showing[index + 1][0] <= now:
            index += 1
        overlay = script.at(now)
        if opened != index and showing:
            base, opened, drawn = _open(showing[index][1], width, height), index, None
        if overlay != drawn:
            picture, drawn = draw(base, overlay), overlay
        yield picture


def _open(path: Path, width: int, height: int) -> Picture:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise IwrError(f"{path}: a frame of the film cannot be read. Capture again.")
    return fit(picture.astype(np.uint8), width, height)

"""Pictures for the report: each as WebP, whole and as a thumbnail."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr.report.kept import Shown

SMALL_PX = 320
"""Width of a thumbnail; it is shown at half of it."""
SMALL_HIGHEST_PX = 320
"""A tall picture's thumbnail shows its top."""
QUALITY = 85
SMALL_QUALITY = 70
LONGEST_PX = 16_383
"""WebP's longest side; what is longer is made smaller."""

Pixels = NDArray[np.uint8]


def show(
    sources: Iterable[Path], folder: Path, *, has_small: bool = True
) -> dict[str, Shown]:
    """Write each picture into `folder` as WebP; gives name → what is there.

    One picture is in memory at a time, and equal files are converted once. A file
    that is no picture is left out.
    """
    shown: dict[str, Shown] = {}
    known: dict[bytes, Shown] = {}
    for source in sources:
        if not source.is_file():
            continue
        data = source.read_bytes()
        digest = hashlib.sha256(data).digest()
        if digest not in known:
            made = _convert(data, folder, source.stem, has_small=has_small)
            if made is None:
                continue
            known[digest] = made
        shown[source.name] = known[digest]
    return shown


def read(path: Path) -> Pixels | None:
    """Open a picture of any kind; `None` for a file that is none."""
    data = np.frombuffer(path.read_bytes(), np.uint8)
    return _pixels(cv2.imdecode(data, cv2.IMREAD_COLOR)) if data.size else None


def webp(picture: Pixels, quality: int) -> bytes:
    """Encode a picture; `quality` 1..100."""
    written, data = cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, quality])
    if not written:
        raise AssertionError(picture.shape)
    return data.tobytes()


def shrink(picture: Pixels, width: int) -> Pixels:
    """Bring a picture to a width, unless it is narrower."""
    if picture.shape[1] <= width:
        return picture
    height = max(1, round(picture.shape[0] * width / picture.shape[1]))
    smaller = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, np.uint8)


def _convert(data: bytes, folder: Path, stem: str, *, has_small: bool) -> Shown | None:
    pixels = np.frombuffer(data, np.uint8)
    picture = _pixels(cv2.imdecode(pixels, cv2.IMREAD_COLOR)) if data else None
    return None if picture is None else keep(picture, folder, stem, has_small=has_small)


def keep(picture: Pixels, folder: Path, stem: str, *, has_small: bool = True) -> Shown:
    """Write a picture into `folder` as WebP; names begin with `stem`."""
    height, width = picture.shape[:2]
    full, small = folder / f"{stem}.webp", folder / f"{stem}.small.webp"
    shown = Shown(full=full.name, width=width, height=height)
    longest = max(height, width)
    fitting = (
        picture
        if longest <= LONGEST_PX
        else shrink(picture, max(1, width * LONGEST_PX // longest))
    )
    full.write_bytes(webp(fitting, QUALITY))
    if not has_small:
        return shown
    top = picture[: max(1, SMALL_HIGHEST_PX * width // min(width, SMALL_PX))]
    small.write_bytes(webp(shrink(top, SMALL_PX), SMALL_QUALITY))
    return shown.model_copy(update={"small": small.name})


def _pixels(decoded: object) -> Pixels | None:
    return None if decoded is None else np.asarray(decoded, np.uint8)

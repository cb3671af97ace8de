"""Pictures: open, bring to one size, mask, crop, compare pixels."""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr import records as r
from pytest_iwr.errors import CheckpointError

Picture = NDArray[np.uint8]
"""Height × width × 3: blue, green, red, 0..255."""

LONGEST_PX = 32_768
"""A side longer than this is taken for a mistake (shots end at 16,384)."""
MOST_PIXELS = 64_000_000
"""More are taken for a mistake: a whole page at double scale has 42 million."""
MASKED = 128
"""The grey that masked regions get on both sides."""
LARGEST_SCALE = 4
"""Device pixels for one CSS pixel, the most that is still taken for a scale."""

_VISIBLE = 8
"""Differences of a colour channel (0..255) below this are rendering noise."""
_FEW = 4
"""Pixels: so many may differ before a region counts as changed."""
_LIKE = 0.85
"""Correlation from which a place shows a look. Measured on icons of 40 px: the same
drawn anew or at four fifths of the size 0.98, other ones of its colour up to 0.80, the
same in another colour 0.68."""
_SURE = 0.97
"""Above it the same pixels were found, and no other size is tried."""
_TIE = 0.05
_NOISE = 2
"""Differences of a channel up to this are no motion: one page drawn twice differed by 1
in one pixel at the rounded corner of a button."""
_SMALLEST_PX = 4
_PLAIN = 2.0
_SIZES = (1.0, 0.9, 1.1, 0.8, 1.25)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RED = (60, 20, 220)
_ROUGH = 24
"""Differences of a channel below this are not shown to people."""


class Motion(NamedTuple):
    """What differs between two pictures that should be equal."""

    pixels: int
    box: r.Box
    """Around all of them, in pixels of the pictures."""

    def __str__(self) -> str:
        """Give it in words."""
        box = self.box
        count = f"{self.pixels} pixel{'' if self.pixels == 1 else 's'}"
        size = f"{box.width:.0f} × {box.height:.0f}"
        return f"{count}, within {size} at {box.x:.0f},{box.y:.0f}"


def read(path: Path) -> Picture:
    """Open a PNG; what is transparent lies on white.

    Raises CheckpointError, which names the file, when it cannot be read, is not a
    whole PNG, moves, or is absurdly large.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror}") from error
    _inspect(path, data)
    raw = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise _unusable(path, "cannot be decoded")
    is_deep = raw.dtype == np.uint16
    picture = (raw.astype(np.uint16) >> 8 if is_deep else raw).astype(np.uint8)
    if picture.ndim == 2:  # noqa: PLR2004 - height and width: grey
        return _picture(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR))
    return _on_white(picture) if picture.shape[2] > 3 else picture  # noqa: PLR2004


def decode(shot: bytes) -> Picture:
    """Open a shot that a browser just gave."""
    picture = cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise AssertionError(len(shot))
    return _picture(picture)


def write(path: Path, picture: Picture) -> None:
    """Write a PNG."""
    fast = [cv2.IMWRITE_PNG_COMPRESSION, 1]
    written, data = cv2.imencode(".png", picture, fast)
    if not written:
        raise AssertionError(path)
    path.write_bytes(data.tobytes())


def crop(picture: Picture, box: r.Box) -> Picture:
    """Cut out what `box` (pixels) touches; may be empty."""
    rows, columns = _span(box)
    return picture[rows, columns]


def mask(picture: Picture, boxes: Iterable[r.Box]) -> Picture:
    """Give a copy in which every box (pixels) is one grey."""
    blanked = picture.copy()
    for box in boxes:
        rows, columns = _span(box)
        blanked[rows, columns] = MASKED
    return blanked


def scale_between(one: Picture, two: Picture) -> int:
    """Give how many times both sides of the larger picture are the smaller's.

    2 for shots of one page at scales 1 and 2; 1 where the sizes are no such pair.
    """
    small, large = sorted((one.shape[:2], two.shape[:2]))
    for scale in range(2, LARGEST_SCALE + 1):
        if large == (small[0] * scale, small[1] * scale):
            return scale
    return 1


def reduce(picture: Picture, scale: int) -> Picture:
    """Make a picture smaller by a whole number, each pixel a mean."""
    if scale == 1:
        return picture
    height, width = picture.shape[:2]
    size = (width // scale, height // scale)
    return _picture(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))


def pad(picture: Picture, height: int, width: int) -> Picture:
    """Add white below and to the right up to a size; never stretches."""
    below, right = height - picture.shape[0], width - picture.shape[1]
    white = (255, 255, 255)
    return _picture(
        cv2.copyMakeBorder(
            picture, 0, below, 0, right, cv2.BORDER_CONSTANT, value=white
        )
    )


def differ(before: Path, after: Path, box: r.Box | None = None) -> bool:
    """Tell whether two shots look different, in `box` (pixels) or all over."""
    one, two = read(before), read(after)
    if one.shape != two.shape:
        return True
    if box is not None:
        one, two = crop(one, box), crop(two, box)
    gap = cv2.absdiff(one, two) if one.size else np.zeros((0, 0, 3), np.uint8)
    return int((gap.max(axis=2, initial=0) > _VISIBLE).sum()) > _FEW


def motion(one: Picture, two: Picture, masks: Sequence[r.Box] = ()) -> Motion | None:
    """Give what differs outside of the masks (pixels); `None`: nothing at all.

    Pictures of different sizes differ everywhere.
    """
    if one.shape != two.shape:
        height = max(one.shape[0], two.shape[0])
        width = max(one.shape[1], two.shape[1])
        return Motion(height * width, r.Box(x=0, y=0, width=width, height=height))
    gap = cv2.absdiff(mask(one, masks), mask(two, masks)).max(axis=2)
    rows, columns = np.nonzero(gap > _NOISE)
    if not rows.size:
        return None
    top, left = int(rows.min()), int(columns.min())
    width, height = int(columns.max()) - left + 1, int(rows.max()) - top + 1
    return Motion(int(rows.size), r.Box(x=left, y=top, width=width, height=height))


def find(picture: Picture, look: Picture) -> list[r.Box]:
    """Give the places (pixels) where a picture shows a smaller one, the likest first.

    Normalised cross-correlation over a few sizes; a place is as like as `_LIKE`, and
    all that are nearly as like as the best are given. Raises ValueError for a look
    without contrast, which would be found everywhere.
    """
    if look.std(axis=(0, 1)).max() < _PLAIN:
        raise ValueError("it shows nothing but one colour")
    places: list[tuple[float, r.Box]] = []
    for size in _SIZES:
        sized = cv2.resize(look, None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
        height, width = sized.shape[:2]
        if (
            height > picture.shape[0]
            or width > picture.shape[1]
            or min(height, width) < _SMALLEST_PX
        ):
            continue
        likeness = cv2.matchTemplate(picture, sized, cv2.TM_CCOEFF_NORMED)
        while True:
            _, best, _, (x, y) = cv2.minMaxLoc(likeness)
            if best < _LIKE:
                break
            places.append((best, r.Box(x=x, y=y, width=width, height=height)))
            top, left = max(0, y - height // 2), max(0, x - width // 2)
            likeness[top : y + height // 2 + 1, left : x + width // 2 + 1] = 0
        if places and max(likest for likest, _ in places) > _SURE:
            break
    places.sort(key=lambda place: (-place[0], place[1].y, place[1].x))
    apart: list[r.Box] = []
    for likest, box in places:
        if likest > places[0][0] - _TIE and not any(_overlap(box, o) for o in apart):
            apart.append(box)
    return apart


def _overlap(one: r.Box, two: r.Box) -> bool:
    return (
        abs(one.x + one.width / 2 - two.x - two.width / 2) < (one.width + two.width) / 4
        and abs(one.y + one.height / 2 - two.y - two.height / 2)
        < (one.height + two.height) / 4
    )


def show_differences(
    reference: Picture, shot: Picture, masks: Sequence[r.Box] = ()
) -> Picture:
    """Give the shot in pale grey with what differs from the reference in red.

    A pixel differs when its colour lies outside the colours around it in the other
    picture, so smoothed edges and shifts by one pixel stay grey. Where only one of the
    pictures reaches is red; masked regions never are.
    """
    height = max(reference.shape[0], shot.shape[0])
    width = max(reference.shape[1], shot.shape[1])
    one, two = pad(reference, height, width), pad(shot, height, width)
    wrong = _outside(one, two) | _outside(two, one)
    common = (
        min(reference.shape[0], shot.shape[0]),
        min(reference.shape[1], shot.shape[1]),
    )
    wrong[common[0] :] = True
    wrong[:, common[1] :] = True
    for box in masks:
        rows, columns = _span(box)
        wrong[rows, columns] = False
    grey = cv2.cvtColor(two, cv2.COLOR_BGR2GRAY)
    pale = cv2.addWeighted(grey, 0.35, np.full_like(grey, 255), 0.65, 0)
    shown = _picture(cv2.cvtColor(pale, cv2.COLOR_GRAY2BGR))
    shown[wrong] = _RED
    return shown


def _inspect(path: Path, data: bytes) -> None:
    """Look at the chunks, so that nothing absurd reaches the decoder."""
    if not data.startswith(_SIGNATURE):
        raise _unusable(path, "is not a PNG" if data else "is empty")
    kinds = []
    for kind, body in _chunks(data):
        kinds.append(kind)
        if kind == b"IHDR" and len(body) >= 8:  # noqa: PLR2004 - two numbers
            width, height = struct.unpack(">II", body[:8])
            if max(width, height) > LONGEST_PX or width * height > MOST_PIXELS:
                raise _unusable(path, f"is {width} × {height} pixels: too large")
        if kind == b"acTL":
            raise _unusable(path, "is animated")
    if not kinds or kinds[0] != b"IHDR" or kinds[-1] != b"IEND":
        raise _unusable(path, "is damaged or cut short")


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give kind and body of each whole chunk with the right checksum, up to IEND."""
    place = len(_SIGNATURE)
    while place + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        end = place + 8 + length
        checksum = data[end : end + 4]
        if checksum != struct.pack(">I", zlib.crc32(data[place + 4 : end])):
            return
        yield kind, data[place + 8 : end]
        if kind == b"IEND":
            return
        place = end + 4


def _on_white(picture: Picture) -> Picture:
    alpha = picture[..., 3:].astype(np.uint16)
    mixed = picture[..., :3] * alpha + 255 * (255 - alpha)
    return ((mixed + 127) // 255).astype(np.uint8)


def _outside(one: Picture, two: Picture) -> NDArray[np.bool_]:
    """Tell which pixels of `one` lie outside the colours around them in `two`."""
    around = np.ones((3, 3), np.uint8)
    low, high = cv2.erode(two, around), cv2.dilate(two, around)
    gap = cv2.max(cv2.subtract(low, one), cv2.subtract(one, high))
    return np.asarray(gap.max(axis=2) > _ROUGH)


def _span(box: r.Box) -> tuple[slice, slice]:
    """Give the rows and columns that a box touches."""
    top, left = max(0, floor(box.y)), max(0, floor(box.x))
    bottom, right = max(top, ceil(box.y + box.height)), ceil(box.x + box.width)
    return slice(top, bottom), slice(left, max(left, right))


def _picture(pixels: NDArray[np.generic]) -> Picture:
    return pixels.astype(np.uint8, copy=False)


def _unusable(path: Path, what: str) -> CheckpointError:
    return CheckpointError(f"{path}: the picture {what}. Give a still PNG.")

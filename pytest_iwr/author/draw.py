"""Draws pointer, clicks and keys over the frames of a film; the page is not touched."""

import unicodedata
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr.author.film import Overlay
from pytest_iwr.images import Picture

_FINE = 8
"""Parts of a pixel, as a power of two, for smooth movement."""
_SIZE = 1.4
"""Of the pointer, larger than usual: a video is often seen smaller."""
_ARROW = ((0, 0), (0, 16.5), (3.9, 12.9), (6.7, 19), (9.4, 17.8), (6.7, 11.9))
_ARROW_END = (11.9, 11.6)
_BLACK, _WHITE = (20, 20, 20), (255, 255, 255)
_RING = (40, 140, 255)
_FINGER_PX = 17
_RING_PX = (10, 32)
"""Radius of a click's ring when it appears and when it is gone."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw(frame: Picture, overlay: Overlay) -> Picture:
    """Give a frame with what is drawn over it."""
    picture = frame.copy()
    for x, y, age in overlay.rings:
        radius = _RING_PX[0] + (_RING_PX[1] - _RING_PX[0]) * age
        _ring(picture, x, y, radius, 1 - age)
    if overlay.is_finger:
        _finger(picture, overlay)
    else:
        _arrow(picture, overlay)
    if overlay.caption:
        _caption(picture, overlay.caption)
    return picture


def fit(picture: Picture, width: int, height: int) -> Picture:
    """Bring a frame to the video's size; one of another shape lies on white."""
    share = min(width / picture.shape[1], height / picture.shape[0])
    size = (round(picture.shape[1] * share), round(picture.shape[0] * share))
    if abs(size[0] - width) <= 1 and abs(size[1] - height) <= 1:
        size = (width, height)
    if size != (picture.shape[1], picture.shape[0]):
        how = cv2.INTER_AREA if share < 1 else cv2.INTER_LINEAR
        picture = cv2.resize(picture, size, interpolation=how).astype(np.uint8)
    if size == (width, height):
        return picture
    canvas = np.full((height, width, 3), 255, np.uint8)
    canvas[: size[1], : size[0]] = picture
    return canvas


def _fixed(x: float, y: float) -> tuple[int, int]:
    """Give a place in parts of a pixel, as OpenCV's `shift` wants it."""
    return round(x * 2**_FINE), round(y * 2**_FINE)


def _ring(picture: Picture, x: float, y: float, radius: float, weight: float) -> None:
    over = picture.copy()
    size = round(radius * 2**_FINE)
    cv2.circle(over, _fixed(x, y), size, _RING, 3, cv2.LINE_AA, _FINE)
    cv2.addWeighted(over, weight, picture, 1 - weight, 0, dst=picture)


def _finger(picture: Picture, overlay: Overlay) -> None:
    over = picture.copy()
    size, place = _FINGER_PX << _FINE, _fixed(overlay.x, overlay.y)
    colour = _RING if overlay.is_down else (150, 150, 150)
    cv2.circle(over, place, size, colour, -1, cv2.LINE_AA, _FINE)
    cv2.circle(over, place, size, _BLACK, 1, cv2.LINE_AA, _FINE)
    cv2.addWeighted(over, 0.55, picture, 0.45, 0, dst=picture)


def _arrow(picture: Picture, overlay: Overlay) -> None:
    corners = [*_ARROW, _ARROW_END]
    points = [_fixed(overlay.x + _SIZE * x, overlay.y + _SIZE * y) for x, y in corners]
    shape = np.array(points, np.int32)
    fill = _RING if overlay.is_down else _BLACK
    cv2.fillPoly(picture, [shape], fill, cv2.LINE_AA, _FINE)
    cv2.polylines(picture, [shape], True, _WHITE, 1, cv2.LINE_AA, _FINE)  # noqa: FBT003 - OpenCV's own order


def _caption(picture: Picture, text: str) -> None:
    """Write what is typed at the lower edge, on a dark plate."""
    plate, (height, width) = _plate(_plain(text)), picture.shape[:2]
    tall, wide = min(plate.shape[0], height), min(plate.shape[1], width)
    top, left = max(0, height - tall - 14), (width - wide) // 2
    part = picture[top : top + tall, left : left + wide]
    cv2.addWeighted(plate[:tall, :wide], 0.88, part, 0.12, 0, dst=part)


@cache
def _plate(text: str) -> NDArray[np.uint8]:
    size, thick = 0.75, 1
    (wide, tall), below = cv2.getTextSize(text, _FONT, size, thick)
    plate = np.full((tall + below + 18, wide + 28, 3), 30, np.uint8)
    place = (14, tall + 9)
    cv2.putText(plate, text, place, _FONT, size, _WHITE, thick, cv2.LINE_AA)
    return plate


def _plain(text: str) -> str:
    """Give a text in the letters that OpenCV's own font has; `?` for others."""
    bare = unicodedata.normalize("NFKD", text.replace("•", "*"))
    kept = "".join(c for c in bare if not unicodedata.combining(c))
    return kept.encode("ascii", "replace").decode("ascii")

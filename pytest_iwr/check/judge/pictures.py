"""Pictures as a judge is shown them: pixels only, at one scale, equal each time."""

import base64
from collections.abc import Sequence

import cv2

from pytest_iwr.images import Picture
from pytest_iwr.records import ImageLimits

_SMALLER = 0.75
_SMALLEST_PX = 64
_BEST = [cv2.IMWRITE_PNG_COMPRESSION, 6]


def encode(pictures: Sequence[Picture], limits: ImageLimits) -> tuple[bytes, ...]:
    """Give PNGs within a model's limits; all are shrunk by the same factor.

    They are drawn anew from the pixels, so nothing else of a file is sent.
    """
    longest = max(max(picture.shape[:2]) for picture in pictures)
    side = longest if limits.max_side_px is None else min(longest, limits.max_side_px)
    while True:
        made = tuple(_png(picture, side / longest) for picture in pictures)
        if _fits(made, limits) or side <= _SMALLEST_PX:
            return made
        side = int(side * _SMALLER)


def data_url(png: bytes) -> str:
    """Give a PNG as an address that holds it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _fits(made: Sequence[bytes], limits: ImageLimits) -> bool:
    each, total = limits.max_image_bytes, limits.max_total_bytes
    sizes = [len(png) for png in made]
    return (each is None or max(sizes) <= each) and (
        total is None or sum(sizes) <= total
    )


def _png(picture: Picture, scale: float) -> bytes:
    if scale < 1:
        height, width = (max(1, round(side * scale)) for side in picture.shape[:2])
        area = cv2.INTER_AREA
        picture = cv2.resize(picture, (width, height), interpolation=area)  # type: ignore[assignment]  # as it was
    is_made, data = cv2.imencode(".png", picture, _BEST)
    if not is_made:
        raise AssertionError(picture.shape)
    return data.tobytes()

"""Whether two pictures of one moment are equal, and where they are not."""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from pytest_iwr import images
from pytest_iwr import records as r

NOISE = 2
"""Differences of a colour channel (0..255) up to this are no motion: one page drawn
twice differed by 1 in one pixel at the rounded corner of a button."""


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


def motion(
    one: images.Picture, two: images.Picture, masks: Sequence[r.Box] = ()
) -> Motion | None:
    """Give what differs outside of the masks (pixels); `None`: nothing at all.

    Pictures of different sizes differ everywhere.
    """
    if one.shape != two.shape:
        height = max(one.shape[0], two.shape[0])
        width = max(one.shape[1], two.shape[1])
        return Motion(height * width, r.Box(x=0, y=0, width=width, height=height))
    gap = cv2.absdiff(images.mask(one, masks), images.mask(two, masks)).max(axis=2)
    rows, columns = np.nonzero(gap > NOISE)
    if not rows.size:
        return None
    top, left = int(rows.min()), int(columns.min())
    width, height = int(columns.max()) - left + 1, int(rows.max()) - top + 1
    return Motion(int(rows.size), r.Box(x=left, y=top, width=width, height=height))

"""Pictures: open, align, pad, crop, compare pixels."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr import records as r

_VISIBLE = 8
"""Differences of a colour channel (0..255) below this are rendering noise."""
_FEW = 4
"""Pixels: so many may differ before a region counts as changed."""


def differ(before: Path, after: Path, box: r.Box | None = None) -> bool:
    """Tell whether two shots look different, in `box` (pixels) or all over."""
    one, two = _read(before), _read(after)
    if one.shape != two.shape:
        return True
    if box is not None:
        top, left = max(0, int(box.y)), max(0, int(box.x))
        bottom, right = int(box.y + box.height) + 1, int(box.x + box.width) + 1
        one, two = one[top:bottom, left:right], two[top:bottom, left:right]
    gap = np.abs(one.astype(np.int16) - two.astype(np.int16))
    return int((gap.max(axis=2, initial=0) > _VISIBLE).sum()) > _FEW


def _read(path: Path) -> NDArray[np.uint8]:
    data = np.frombuffer(path.read_bytes(), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError(path)
    return picture.astype(np.uint8)

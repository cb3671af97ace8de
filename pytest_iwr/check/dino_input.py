"""A picture → what the embedding model is given, in one of two stated ways."""

from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_iwr.images import Picture

Preprocessing = Literal["paper", "full"]
"""`paper`: the shorter side to 256, then the middle 224 × 224; what lies further out
is not seen. `full`: the whole picture, squashed to 518 × 518. Both bicubic, smoothed
where they shrink, then the mean and the spread of ImageNet."""

SIDES_PX: dict[Preprocessing, int] = {"paper": 224, "full": 518}
"""518 is the size that the model was trained for."""
SHORTER_PX = 256
_MEAN = np.array((0.485, 0.456, 0.406), np.float32)
_SPREAD = np.array((0.229, 0.224, 0.225), np.float32)


def prepare(picture: Picture, preprocessing: Preprocessing) -> NDArray[np.float32]:
    """Give 3 × side × side numbers: red, green, blue, about −2..3.

    `paper` is the image processor of facebook/dinov2-base, to the pixel.
    """
    whole = Image.fromarray(np.ascontiguousarray(picture[..., ::-1]))
    side = SIDES_PX[preprocessing]
    match preprocessing:
        case "paper":
            seen = _middle(whole, side)
        case "full":
            seen = whole.resize((side, side), Image.Resampling.BICUBIC)
        case _:
            assert_never(preprocessing)
    scaled = np.asarray(seen, np.float32) / 255
    return np.ascontiguousarray(((scaled - _MEAN) / _SPREAD).transpose(2, 0, 1))


def _middle(whole: Image.Image, side: int) -> Image.Image:
    shorter = min(whole.size)
    width, height = (SHORTER_PX * length // shorter for length in whole.size)
    resized = whole.resize((width, height), Image.Resampling.BICUBIC)
    left, top = (width - side) // 2, (height - side) // 2
    return resized.crop((left, top, left + side, top + side))

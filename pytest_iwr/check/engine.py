"""The text recognition models: rapidocr with what its wheel brings, no download."""

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr.check.readings import Reading, Rect
from pytest_iwr.errors import IwrError
from pytest_iwr.images import Picture

RECIPE = "1"
"""Changes with every constant here and in `bands`: readings are kept by it."""
SCALE = 0.75
"""Lines are looked for in a picture of this size: on web pages as exact as full size,
and nearly twice as fast (docs/scoring.md)."""
SHORTEST_PX = 192
"""Lines are padded to this width before they are read (48 high): as exact as the
default of 320 and a quarter faster; below 192 short words are misread."""
_CELL = 32
"""The detector's sides are multiples of this."""


class OcrError(IwrError):
    """Text recognition that is not there or does not work."""


class Engine:
    """Finds lines of text and reads them, alike whatever the number of threads.

    One line is read at a time: in a batch the longest line decides how the others
    are padded, and with that what is read.
    """

    def __init__(self, threads: int) -> None:
        """Load the models. Raises OcrError."""
        models = _models()
        try:
            from onnxruntime.capi import (  # noqa: PLC0415 - heavy
                onnxruntime_pybind11_state as state,
            )
            from rapidocr import RapidOCR  # noqa: PLC0415 - heavy
        except ImportError as error:
            raise _broken(error) from error
        self._rapid = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_preprocess_img": False,
                "Global.use_vertical_padding": False,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.model_path": str(models.detector),
                "Det.limit_side_len": _CELL,
                "Det.limit_type": "min",
                "Rec.model_path": str(models.recognizer),
                "Rec.rec_batch_num": 1,
                "Rec.rec_img_shape": [3, 48, SHORTEST_PX],
            }
        )
        blank = np.full((_CELL, _CELL, 3), 255, np.uint8)
        try:  # rapidocr opens a model when it is first asked
            self.find(blank)
            self.read(blank)
        except (state.InvalidProtobuf, state.InvalidGraph, state.Fail) as error:
            raise _broken(error) from error

    def find(self, picture: Picture) -> tuple[Rect, ...]:
        """Give the places of lines of text."""
        height, width = picture.shape[:2]
        size = max(1, round(width * SCALE)), max(1, round(height * SCALE))
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        right, below = -size[0] % _CELL, -size[1] % _CELL
        whole = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_REPLICATE)
        found = self._ask(np.asarray(whole, np.uint8), use_det=True, use_rec=False)
        quads = () if found.boxes is None else found.boxes
        rects = (_rect(quad / SCALE, height, width) for quad in quads)
        return tuple(rect for rect in rects if rect.width > 0 and rect.height > 0)

    def read(self, line: Picture) -> Reading:
        """Give the text of a line."""
        given = self._ask(line, use_det=False, use_rec=True)
        if given.txts is None or given.scores is None:
            raise _broken("no answer for a line")
        return Reading(given.txts[0].strip(), round(float(given.scores[0]), 4))

    def _ask(self, picture: Picture, *, use_det: bool, use_rec: bool) -> "_Answer":
        answer = self._rapid(picture, use_det=use_det, use_cls=False, use_rec=use_rec)
        return cast("_Answer", answer)


def describe() -> str:
    """Give package, version and models, e.g. `rapidocr 3.10.0/PP-OCRv6_small`."""
    models = _models().recognizer.stem.replace("_rec", "")
    return f"rapidocr {version('rapidocr')}/{models}"


class _Answer(Protocol):
    """The part of rapidocr's answers that is used; each step fills its own."""

    boxes: NDArray[np.float32] | None
    txts: Sequence[str] | None
    scores: Sequence[float] | None


class _Models(NamedTuple):
    detector: Path
    recognizer: Path


def _models() -> _Models:
    """Find the models in the wheel: with their paths given, nothing is downloaded."""
    spec = find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise _broken("rapidocr is not installed")
    folder = Path(spec.origin).parent / "models"
    detectors = sorted(folder.glob("*_det_*.onnx"))
    recognizers = sorted(folder.glob("*_rec_*.onnx"))
    if not detectors or not recognizers:
        raise _broken(f"there are no models in {folder}")
    return _Models(detectors[0], recognizers[0])


def _rect(quad: NDArray[np.float32], height: int, width: int) -> Rect:
    left, top = (int(x) for x in np.floor(quad.min(axis=0)))
    right, bottom = (int(x) for x in np.ceil(quad.max(axis=0)))
    return Rect(max(0, left), max(0, top), min(width, right), min(height, bottom))


def _broken(why: object) -> OcrError:
    return OcrError(
        f"text recognition does not start: {why}. "
        "Install the packages rapidocr and onnxruntime again."
    )

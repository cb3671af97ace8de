"""Contact sheets of assets where a task brings none: drawn without a browser.

Pictures that OpenCV reads are shown; of all else (SVG, fonts, videos) the name alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from pytest_iwr.images import MOST_PIXELS, Picture

_COLUMNS = 5
_ROWS = 6
_TILE_PX = (250, 196)
_INNER_PX = (234, 156)
_TEXT_PX = 18
_LONGEST_NAME = 32
_BACK = (225, 225, 225)
_INK = (20, 20, 20)


class Drawn(NamedTuple):
    """Sheets of all assets, in order."""

    sheets: tuple[Picture, ...]
    unseen: int
    """Assets that are there by name only."""


def draw_sheets(folder: Path, names: Sequence[str]) -> Drawn:
    """Draw sheets of 30 assets each, every one with its name; the same each time."""
    pictures = [_read(folder / name) for name in names]
    tiles = [_tile(n, p) for n, p in zip(names, pictures, strict=True)]
    size = _COLUMNS * _ROWS
    sheets = tuple(_sheet(tiles[at : at + size]) for at in range(0, len(tiles), size))
    return Drawn(sheets, sum(picture is None for picture in pictures))


def _sheet(tiles: Sequence[Picture]) -> Picture:
    columns = min(_COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    width, height = _TILE_PX
    sheet = np.full((rows * height, columns * width, 3), 255, np.uint8)
    for place, tile in enumerate(tiles):
        top, left = place // columns * height, place % columns * width
        sheet[top : top + height, left : left + width] = tile
    return sheet


def _tile(name: str, picture: Picture | None) -> Picture:
    width, height = _TILE_PX
    tile = np.full((height, width, 3), 255, np.uint8)
    _write(tile, name, 12)
    if picture is None:
        _write(tile, f"({Path(name).suffix.lstrip('.') or 'file'})", height // 2)
        return tile
    scale = min(_INNER_PX[0] / picture.shape[1], _INNER_PX[1] / picture.shape[0], 1.0)
    size = (
        max(1, round(picture.shape[1] * scale)),
        max(1, round(picture.shape[0] * scale)),
    )
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    left, top = (width - size[0]) // 2, 30 + (_INNER_PX[1] - size[1]) // 2
    tile[top : top + size[1], left : left + size[0]] = small
    return tile


def _write(tile: Picture, text: str, middle: int) -> None:
    """Write a line, its middle left out where it is long."""
    if len(text) > _LONGEST_NAME:
        half = _LONGEST_NAME // 2 - 1
        text = f"{text[:half]}..{text[-half:]}"
    font, place = cv2.FONT_HERSHEY_SIMPLEX, (8, middle + 5)
    cv2.putText(tile, text, place, font, 0.42, _INK, 1, cv2.LINE_AA)


def _read(path: Path) -> Picture | None:
    """Open a picture, on grey where it is transparent; `None`: it is none."""
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError:
        return None
    raw = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    if raw is None or raw.shape[0] * raw.shape[1] > MOST_PIXELS:
        return None
    if raw.ndim == 3 and raw.shape[2] == 4 and raw.dtype == np.uint8:  # noqa: PLR2004
        alpha = raw[..., 3:].astype(np.float32) / 255
        mixed = raw[..., :3] * alpha + np.array(_BACK) * (1 - alpha)
        return np.rint(mixed).astype(np.uint8)
    plain = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return None if plain is None else plain.astype(np.uint8, copy=False)

"""Pictures of other sizes and other kinds of PNG, scored against one reference."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from pytest_iwr import images
from pytest_iwr.check.offline import OfflineScorer
from pytest_iwr.images import Picture

Kind = Callable[[Picture], bytes]


@pytest.fixture(scope="module")
def scorer() -> OfflineScorer:
    """Give a scorer without a folder to keep readings in."""
    return OfflineScorer(None)


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """Give the picture of a small page with blocks in four colours."""
    picture = np.full((300, 240, 3), 255, np.uint8)
    for number, colour in enumerate(((40, 90, 160), (30, 160, 60), (60, 60, 200))):
        top = 20 + number * 90
        picture[top : top + 60, 20:160] = colour
    picture[20:280, 190:220] = (90, 90, 90)
    cv2.imwrite(str(tmp_path / "reference.png"), picture)
    return tmp_path / "reference.png"


def _png(pixels: np.ndarray) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


def _palette(picture: Picture, *, alpha: bytes = b"") -> bytes:
    """Encode a picture of few colours with a palette."""
    height, width = picture.shape[:2]
    flat = picture.reshape(-1, 3)[:, ::-1]
    colours, indices = np.unique(flat, axis=0, return_inverse=True)
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = indices.reshape(height, width)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = [(b"IHDR", header), (b"PLTE", colours.astype(np.uint8).tobytes())]
    parts += [(b"tRNS", alpha)] if alpha else []
    parts += [(b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        checksum = struct.pack(">I", zlib.crc32(kind + body))
        data += struct.pack(">I", len(body)) + kind + body + checksum
    return data


def _with_alpha(picture: np.ndarray, alpha: int) -> np.ndarray:
    layer = np.full((*picture.shape[:2], 1), alpha, picture.dtype)
    return np.concatenate([picture, layer], axis=2)


SAME: dict[str, Kind] = {
    "palette": _palette,
    "palette, opaque": lambda p: _palette(p, alpha=b"\xff" * 5),
    "opaque": lambda p: _png(_with_alpha(p, 255)),
    "deep": lambda p: _png(p.astype(np.uint16) * 257),
    "deep and opaque": lambda p: _png(_with_alpha(p.astype(np.uint16) * 257, 65535)),
    "double scale": lambda p: _png(p.repeat(2, 0).repeat(2, 1)),
    "triple scale": lambda p: _png(p.repeat(3, 0).repeat(3, 1)),
}
OTHER: dict[str, tuple[Kind, float, float]] = {
    "one row more": (lambda p: _png(np.vstack([p, p[-1:]])), 0.99, 1.0),
    "narrower by a scroll bar's rim": (lambda p: _png(p[:, :-2]), 0.95, 1.0),
    "half as high": (lambda p: _png(p[:150]), 0.0, 0.7),
    "twice as high": (lambda p: _png(np.vstack([p, p])), 0.0, 0.8),
    "stretched to one side": (lambda p: _png(p.repeat(2, 1)), 0.0, 0.7),
    "one pixel": (lambda p: _png(p[:1, :1]), 0.0, 0.3),
    "one row": (lambda p: _png(p[:1]), 0.0, 0.3),
    "one column": (lambda p: _png(p[:, :1]), 0.0, 0.3),
    "nothing but air": (lambda p: _png(_with_alpha(p, 0)), 0.0, 0.3),
    "palette of air": (lambda p: _palette(p, alpha=b"\0" * 5), 0.0, 0.3),
    "grey": (lambda p: _png(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY)), 0.3, 0.8),
}


@pytest.mark.parametrize("kind", SAME)
def test_same_picture_is_the_same_in_any_kind(
    scorer: OfflineScorer, reference: Path, tmp_path: Path, kind: str
) -> None:
    """How the pixels are stored, and at which scale, is no difference."""
    shot = tmp_path / "shot.png"
    shot.write_bytes(SAME[kind](images.read(reference)))
    for pair in ((reference, shot), (shot, reference)):
        assert scorer.compare(*pair).similarity == 1.0


@pytest.mark.parametrize("kind", OTHER)
def test_other_size_is_padded_and_counts(
    scorer: OfflineScorer, reference: Path, tmp_path: Path, kind: str
) -> None:
    """A pixel more is next to nothing, half a page is half, and nothing crashes."""
    encode, low, high = OTHER[kind]
    shot, diff = tmp_path / "shot.png", tmp_path / "diff.png"
    shot.write_bytes(encode(images.read(reference)))
    for pair in ((reference, shot), (shot, reference)):
        assert low <= scorer.compare(*pair, diff=diff).similarity < high
        images.read(diff)


@pytest.mark.needs_shared
def test_pictures_of_six_sizes_are_told_apart(
    scorer: OfflineScorer, shared: Path
) -> None:
    """The files of the case, each against its reference."""
    folder = shared / "cases" / "20-size-mismatch"
    likeness = {
        file.stem: scorer.compare(folder / "reference.png", file).similarity
        for file in folder.glob("*.png")
    }
    assert likeness.pop("reference") == likeness.pop("dpr2") == 1.0
    assert likeness["plus-1px"] > 0.95
    assert likeness["scrollbar-2px-narrower"] > 0.95
    assert likeness["half-height"] < 0.7
    assert max(likeness["transparent"], likeness["one-pixel"]) < 0.3

"""Pictures: what is opened, what is refused, how two are brought together."""

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.errors import CheckpointError

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes) -> bytes:
    """Give one chunk of a PNG."""
    checksum = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)


def encode(pixels: NDArray[np.integer]) -> bytes:
    """Give the PNG of pixels of any kind."""
    return cv2.imencode(".png", pixels)[1].tobytes()


def header(width: int, height: int) -> bytes:
    """Give the start of a PNG of that size, without pixels."""
    body = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", body)


WHOLE = encode(np.full((4, 6, 3), 200, np.uint8))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give the path of a picture that is not there yet."""
    return tmp_path / "01.png"


@pytest.mark.parametrize(
    ("pixels", "expected"),
    (
        (np.full((2, 3, 3), (10, 20, 30), np.uint8), (10, 20, 30)),
        (np.full((2, 3), 77, np.uint8), (77, 77, 77)),
        (np.full((2, 3, 3), 0x8040, np.uint16), (128, 128, 128)),
        (np.full((2, 3, 4), (10, 20, 30, 0), np.uint8), (255, 255, 255)),
        (np.full((2, 3, 4), (0, 0, 0, 51), np.uint8), (204, 204, 204)),
        (np.full((2, 3, 4), (10, 20, 30, 255), np.uint8), (10, 20, 30)),
    ),
    ids=["colour", "grey", "deep", "transparent", "half-transparent", "opaque"],
)
def test_any_still_png_becomes_three_channels(
    path: Path, pixels: NDArray[np.integer], expected: tuple[int, int, int]
) -> None:
    """Grey, deep and transparent pictures are colours on white."""
    path.write_bytes(encode(pixels))
    picture = images.read(path)
    assert picture.dtype == np.uint8
    assert picture.shape == (2, 3, 3)
    assert picture[1, 2].tolist() == list(expected)


@pytest.mark.parametrize(
    ("data", "why"),
    (
        (b"", "is empty"),
        (b"GIF89a", "is not a PNG"),
        (b"<html>", "is not a PNG"),
        (cv2.imencode(".jpg", np.zeros((4, 4, 3), np.uint8))[1].tobytes(), "not a PNG"),
        (WHOLE[:-20], "cut short"),
        (WHOLE[:20], "cut short"),
        (WHOLE.replace(b"IDAT", b"IDAX"), "cut short"),
        (header(4, 4) + chunk(b"IEND", b""), "cannot be decoded"),
        (header(4, 4) + chunk(b"acTL", b"\0" * 8) + chunk(b"IEND", b""), "is animated"),
        (header(40_000, 10) + chunk(b"IEND", b""), "40000 × 10 pixels: too large"),
        (header(30_000, 30_000) + chunk(b"IEND", b""), "too large"),
    ),
    ids=[
        "empty",
        "gif",
        "html",
        "jpeg",
        "cut",
        "only-a-start",
        "bad-checksum",
        "no-pixels",
        "animated",
        "too-wide",
        "too-many-pixels",
    ],
)
def test_unusable_picture_is_named(path: Path, data: bytes, why: str) -> None:
    """The message begins with the file and says what is wrong with it."""
    path.write_bytes(data)
    with pytest.raises(CheckpointError) as caught:
        images.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert why in message


@pytest.mark.parametrize("kind", ("missing", "folder"))
def test_file_that_cannot_be_read_is_named(path: Path, kind: str) -> None:
    """A missing file and a folder are the checkpoint's fault, not a crash."""
    if kind == "folder":
        path.mkdir()
    with pytest.raises(CheckpointError, match="cannot be read"):
        images.read(path)


def test_what_is_written_is_read_again(path: Path) -> None:
    """Writing loses nothing."""
    picture = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    images.write(path, picture)
    assert np.array_equal(images.read(path), picture)


@pytest.mark.parametrize(
    ("one", "two", "scale"),
    (
        ((606, 128), (606, 128), 1),
        ((606, 128), (1212, 256), 2),
        ((1212, 256), (606, 128), 2),
        ((606, 128), (1818, 384), 3),
        ((606, 128), (607, 128), 1),
        ((606, 128), (606, 256), 1),
        ((606, 128), (1212, 255), 1),
        ((1, 1), (720, 720), 1),
    ),
)
def test_only_a_whole_multiple_of_both_sides_is_a_scale(
    one: tuple[int, int], two: tuple[int, int], scale: int
) -> None:
    """A page that is twice as high is not a page at scale 2."""
    pictures = (np.zeros((*size, 3), np.uint8) for size in (one, two))
    assert images.scale_between(*pictures) == scale


def test_reduced_picture_is_the_one_at_scale_one() -> None:
    """Each pixel becomes the mean of its block."""
    small = np.random.default_rng(1).integers(0, 256, (9, 5, 3), np.uint8)
    large = small.repeat(2, axis=0).repeat(2, axis=1)
    assert np.array_equal(images.reduce(large, 2), small)


def test_padding_never_stretches() -> None:
    """The picture stays as it is, with white below and to the right."""
    picture = np.zeros((2, 3, 3), np.uint8)
    padded = images.pad(picture, 4, 5)
    assert padded.shape == (4, 5, 3)
    assert np.array_equal(padded[:2, :3], picture)
    assert padded[2:].min() == padded[:, 3:].min() == 255


@pytest.mark.parametrize(
    ("box", "expected"),
    (
        ((1, 2, 3, 4), (slice(2, 6), slice(1, 4))),
        ((1.5, 2.5, 1, 1), (slice(2, 4), slice(1, 3))),
        ((-5, -5, 7, 6), (slice(0, 1), slice(0, 2))),
        ((8, 8, 100, 100), (slice(8, 10), slice(8, 10))),
        ((50, 50, 5, 5), (slice(0, 0), slice(0, 0))),
        ((-9, -9, 5, 5), (slice(0, 0), slice(0, 0))),
    ),
    ids=["inside", "fractions", "over-the-start", "over-the-end", "behind", "before"],
)
def test_mask_covers_what_its_box_touches(
    box: tuple[float, float, float, float], expected: tuple[slice, slice]
) -> None:
    """Boxes with fractions grow to whole pixels; boxes outside mask nothing."""
    picture = np.zeros((10, 10, 3), np.uint8)
    x, y, width, height = box
    masked = images.mask(picture, [r.Box(x=x, y=y, width=width, height=height)])
    wanted = np.zeros((10, 10), bool)
    wanted[expected] = True
    assert np.array_equal(masked[..., 0] == images.MASKED, wanted)
    assert not picture.any()


def shown_red(reference: images.Picture, shot: images.Picture) -> NDArray[np.bool_]:
    """Give where the picture of differences is red."""
    shown = images.show_differences(reference, shot)
    return np.asarray(shown[..., 2].astype(int) - shown[..., 0] > 50)


def test_difference_is_red_and_the_rest_is_grey() -> None:
    """A square that is missing is red in its place, and nothing else is."""
    reference = np.full((40, 60, 3), 255, np.uint8)
    reference[10:20, 30:40] = (200, 90, 0)
    red = shown_red(reference, np.full_like(reference, 255))
    assert red[10:20, 30:40].all()
    assert red.sum() == 100


def test_shift_by_one_pixel_is_not_red() -> None:
    """A page that is drawn one pixel off is not red all over."""
    reference = np.full((40, 60, 3), 255, np.uint8)
    reference[10:20, 30:40] = 0
    assert not shown_red(reference, np.roll(reference, 1, axis=1)).any()
    assert shown_red(reference, np.roll(reference, 2, axis=1)).any()


def test_smoothed_edges_are_not_red() -> None:
    """Browsers smooth the edges of letters each in their own way."""
    reference = np.full((40, 60, 3), 255, np.uint8)
    reference[10:20, 30:40] = 0
    smoothed = cv2.blur(reference, (3, 3)).astype(np.uint8)
    assert not shown_red(reference, smoothed).any()


def test_part_that_only_one_picture_has_is_red() -> None:
    """White that is not there is a difference as well."""
    reference = np.full((40, 60, 3), 255, np.uint8)
    red = shown_red(reference, reference[:30, :50])
    assert red[30:].all()
    assert red[:, 50:].all()
    assert not red[:30, :50].any()


def test_masked_difference_is_not_red() -> None:
    """What is not compared is not shown as wrong."""
    reference = np.full((20, 20, 3), 255, np.uint8)
    shot = np.zeros_like(reference)
    shown = images.show_differences(
        reference, shot, [r.Box(x=0, y=0, width=20, height=20)]
    )
    assert np.ptp(shown, axis=2).max() == 0


@pytest.mark.parametrize(
    ("pixels", "box", "is_different"),
    (
        (0, None, False),
        (4, None, False),
        (5, None, True),
        (5, (0, 10, 20, 10), False),
        (5, (0, 0, 20, 10), True),
        (5, (90, 90, 10, 10), False),
    ),
    ids=["equal", "few", "more", "elsewhere", "in-the-box", "box-outside"],
)
def test_shots_differ_by_more_than_noise(
    tmp_path: Path,
    pixels: int,
    box: tuple[float, float, float, float] | None,
    is_different: bool,  # noqa: FBT001 - a value of the table
) -> None:
    """A handful of pixels is noise; a box looks at its own region only."""
    before, after = np.zeros((20, 20, 3), np.uint8), np.zeros((20, 20, 3), np.uint8)
    after[0, :pixels] = 255
    images.write(tmp_path / "before.png", before)
    images.write(tmp_path / "after.png", after)
    region = None
    if box is not None:
        x, y, width, height = box
        region = r.Box(x=x, y=y, width=width, height=height)
    differs = images.differ(tmp_path / "before.png", tmp_path / "after.png", region)
    assert differs is is_different


def test_shots_of_two_sizes_differ(tmp_path: Path) -> None:
    """A window that grew has changed."""
    images.write(tmp_path / "before.png", np.zeros((20, 20, 3), np.uint8))
    images.write(tmp_path / "after.png", np.zeros((21, 20, 3), np.uint8))
    assert images.differ(tmp_path / "before.png", tmp_path / "after.png")

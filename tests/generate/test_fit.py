"""Pictures fit a model's limits, the same way each time, and what is lost is said."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from pytest_iwr.generate.fit import Encoded, Fitted, Kind, Shown, fit, plan, spread
from pytest_iwr.images import Picture
from pytest_iwr.records import ImageLimits
from tests.generate.kit import picture


def _decoded(encoded: Encoded) -> Picture:
    found = cv2.imdecode(np.frombuffer(encoded.data, np.uint8), cv2.IMREAD_COLOR)
    assert found is not None
    return found.astype(np.uint8, copy=False)


def _mixed(
    sheets: int, frames: int, size: tuple[int, int]
) -> list[tuple[Kind, Picture]]:
    made: list[tuple[Kind, Picture]] = [
        ("sheet", picture(*size, shade=n)) for n in range(sheets)
    ]
    made += [("frame", picture(*size, shade=n * 8)) for n in range(frames)]
    return made


def _shades(fitted: Fitted, kind: Kind) -> list[int]:
    """Read which pictures were kept."""
    found = []
    for encoded in fitted.pictures:
        if encoded.kind == kind:
            shown = _decoded(encoded)
            found.append(int(shown[shown.shape[0] * 3 // 4, shown.shape[1] // 4, 0]))
    return found


@pytest.mark.needs_shared
def test_too_many_large_pictures_become_few_small_ones(shared: Path) -> None:
    """24 frames of 4K and 60 thumbnails go to an endpoint that takes five."""
    path = shared / "cases" / "46-image-limits" / "server-rules.json"
    rules = json.loads(path.read_text("utf-8"))
    limits = ImageLimits(
        max_images=rules["max_images"],
        max_side_px=rules["max_side_px"],
        max_side_px_when_many=rules["max_side_px_when_many"],
        max_image_bytes=rules["max_image_bytes"],
    )
    pictures = _mixed(60, 0, (64, 64)) + _mixed(0, 24, (3840, 2160))
    fitted = fit(pictures, limits)
    assert len(fitted.pictures) == 5
    for encoded in fitted.pictures:
        assert max(_decoded(encoded).shape[:2]) <= 2000
        assert len(encoded.data) <= 5242880
    assert _shades(fitted, "frame") == [
        pytest.approx(0, abs=3),
        pytest.approx(184, abs=3),
    ]
    assert fitted.dropped == (
        "57 of 60 contact sheets left out (at most 5 pictures)",
        "22 of 24 frames left out (at most 5 pictures)",
        "frames made smaller: 3840×2160 → 2000×1125 (2 pictures)",
    )


def test_pictures_within_the_limits_stay_as_they_are() -> None:
    """Nothing is lost but what JPEG loses of frames, and nothing is said."""
    pictures = _mixed(1, 3, (320, 180))
    fitted = fit(pictures, ImageLimits())
    assert fitted.dropped == ()
    assert [p.mime for p in fitted.pictures] == ["image/png", *["image/jpeg"] * 3]
    assert np.array_equal(_decoded(fitted.pictures[0]), pictures[0][1])
    assert all((p.width, p.height) == (320, 180) for p in fitted.pictures)


def test_equal_pictures_give_equal_bytes() -> None:
    """What is sent, and so the key of the cache, does not change between runs."""
    limits = ImageLimits(max_images=4, max_side_px=200, max_total_bytes=20_000)
    assert fit(_mixed(2, 9, (640, 360)), limits) == fit(
        _mixed(2, 9, (640, 360)), limits
    )


def test_frames_are_thinned_evenly_with_both_ends() -> None:
    """Nine frames for five places: each second one."""
    fitted = fit(_mixed(1, 9, (64, 36)), ImageLimits(max_images=6))
    assert _shades(fitted, "frame") == [
        pytest.approx(shade, abs=3) for shade in (0, 16, 32, 48, 64)
    ]
    assert spread(10, 4) == [0, 3, 6, 9]
    assert [spread(5, most) for most in (0, 1, 2, 9)] == [
        [],
        [0],
        [0, 4],
        [0, 1, 2, 3, 4],
    ]


@pytest.mark.parametrize(
    ("sheets", "frames", "most", "kept"),
    (
        (3, 100, None, (3, 64)),
        (10, 100, None, (10, 60)),
        (3, 10, 5, (3, 2)),
        (9, 10, 5, (3, 2)),
        (9, 0, 5, (5, 0)),
        (2, 1, 2, (1, 1)),
        (2, 9, 1, (0, 1)),
        (2, 9, 0, (0, 0)),
    ),
)
def test_sheets_come_before_frames(
    sheets: int, frames: int, most: int | None, kept: tuple[int, int]
) -> None:
    """Two frames always have a place; 64 frames and 70 pictures are the most."""
    shown = [Shown("sheet", 9, 9)] * sheets + [Shown("frame", 9, 9)] * frames
    chosen = plan(shown, ImageLimits(max_images=most))
    assert (chosen.sheets, chosen.frames) == kept


def test_bytes_stay_below_their_limits() -> None:
    """Coarser first, then smaller; unused bytes go to later pictures."""
    rng = np.random.default_rng(7)
    noise = rng.integers(0, 256, (360, 640, 3), np.uint8)
    pictures: list[tuple[Kind, Picture]] = [("sheet", noise)]
    pictures += [("frame", noise) for _ in range(3)]
    limits = ImageLimits(max_image_bytes=60_000, max_total_bytes=100_000)
    fitted = fit(pictures, limits)
    sizes = [len(encoded.data) for encoded in fitted.pictures]
    assert max(sizes) <= 60_000
    assert sum(sizes) <= 100_000
    assert any("sheets made smaller: 640×360 →" in said for said in fitted.dropped)
    smallest = fit(pictures[:1], ImageLimits(max_image_bytes=1024)).pictures[0]
    assert max(smallest.width, smallest.height) < 120


def test_context_is_kept_by_smaller_and_fewer_pictures() -> None:
    """Pictures count by their area, not by their letters in base64."""
    shown = [Shown("sheet", 1280, 618)] + [Shown("frame", 1280, 720)] * 40
    free = plan(shown, ImageLimits())
    assert (free.side_px, free.frames) == (None, 40)
    for tokens in (40_000, 20_000, 5_000, 1_000):
        chosen = plan(shown, ImageLimits(), tokens)
        assert chosen.tokens(shown) <= tokens
        assert chosen.frames >= 2
    assert plan(shown, ImageLimits(), 5_000).dropped == (
        "32 of 40 frames left out (to fit the model's context)",
    )


def test_many_pictures_may_be_smaller_than_few() -> None:
    """Some endpoints take large sides for a few pictures only."""
    limits = ImageLimits(max_side_px=8000, max_side_px_when_many=2000)
    shown = [Shown("frame", 3840, 2160)]
    assert plan(shown * 20, limits).side_px == 8000
    assert plan(shown * 21, limits).side_px == 2000

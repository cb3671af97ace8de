"""Frames of videos in other boxes, codecs, sizes, turns and rates."""

import subprocess
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np
import pytest

from pytest_iwr.errors import VideoError
from pytest_iwr.generate.frames import frames, pick
from pytest_iwr.images import Picture

FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()
RED, GREEN, BLUE = (0, 0, 255), (0, 255, 0), (255, 0, 0)


def _ffmpeg(*arguments: object, data: bytes = b"") -> None:
    command = [FFMPEG, "-hide_banner", "-loglevel", "error", "-y"]
    said = subprocess.run(
        [*command, *map(str, arguments)], check=False, capture_output=True, input=data
    )
    assert said.returncode == 0, said.stderr.decode()


def _corners(width: int, height: int, number: int) -> Picture:
    """Draw three corners in colours, the fourth in a grey that tells the number."""
    picture = np.full((height, width, 3), 255, np.uint8)
    down, right = height // 2, width // 2
    picture[:down, :right] = RED
    picture[:down, -right:] = GREEN
    picture[-down:, :right] = BLUE
    picture[-down:, -right:] = number * 28
    return picture


def _clip(path: Path, *options: object, width: int = 96, height: int = 64) -> Path:
    """Encode ten frames at ten a second."""
    data = b"".join(_corners(width, height, n).tobytes() for n in range(10))
    raw = ("-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}", "-r", 10)
    _ffmpeg(*raw, "-i", "-", *options, path, data=data)
    return path


def _seen(picture: Picture) -> tuple[str, ...]:
    """Name the corners, clockwise from the upper left: `r`, `g`, `b` or `n`."""
    height, width = picture.shape[:2]
    down, right = height // 4, width // 4
    parts = (
        picture[:down, :right],
        picture[:down, -right:],
        picture[-down:, -right:],
        picture[-down:, :right],
    )
    corners = [part.mean(axis=(0, 1)) for part in parts]
    names = []
    for blue, green, red in corners:
        high = {"b": blue, "g": green, "r": red}
        strongest = max(high, key=lambda name: high[name])
        rest = sorted(high.values())[1]
        names.append(strongest if high[strongest] - rest > 60 else "n")
    return tuple(names)


@pytest.mark.parametrize(
    ("name", "options"),
    (
        ("h264.mkv", ("-c:v", "libx264", "-pix_fmt", "yuv420p")),
        ("vp8.webm", ("-c:v", "libvpx", "-b:v", "1M")),
        ("vp9.webm", ("-c:v", "libvpx-vp9", "-b:v", "1M", "-cpu-used", 8)),
        ("vp9.mkv", ("-c:v", "libvpx-vp9", "-b:v", "1M", "-cpu-used", 8)),
        ("full.mp4", ("-c:v", "libx264", "-pix_fmt", "yuvj444p")),
        ("h264.mov", ("-c:v", "libx264", "-pix_fmt", "yuv420p")),
        ("moving.gif", ()),
        ("mpeg.avi", ("-c:v", "mpeg4", "-q:v", 2)),
    ),
)
def test_any_box_and_codec_gives_its_frames(
    tmp_path: Path, name: str, options: tuple[object, ...]
) -> None:
    """All ten of them, upright; one a second are the first and the last."""
    clip = _clip(tmp_path / name, *options)
    every = list(frames(clip))
    assert len(every) == 10
    assert {_seen(frame.picture) for frame in every} == {("r", "g", "n", "b")}
    assert [round(f.time_s, 2) for f in pick(clip)] == [0.0, 0.9]


@pytest.mark.parametrize(
    ("turn", "shape", "corners"),
    (
        (0, (64, 96), ("r", "g", "n", "b")),
        (90, (96, 64), ("g", "n", "b", "r")),
        (180, (64, 96), ("n", "b", "r", "g")),
        (270, (96, 64), ("b", "r", "g", "n")),
    ),
)
@pytest.mark.parametrize("box", ("mp4", "mov"))
def test_turned_video_stands_upright_whichever_way(
    tmp_path: Path,
    box: str,
    turn: int,
    shape: tuple[int, int],
    corners: tuple[str, ...],
) -> None:
    """The header turns counter-clockwise, as FFmpeg's own option of the name does."""
    clip = _clip(tmp_path / f"clip.{box}", "-c:v", "libx264", "-pix_fmt", "yuv420p")
    turned = tmp_path / f"turned.{box}"
    _ffmpeg("-display_rotation", turn, "-i", clip, "-c", "copy", turned)
    for frame in (*frames(turned), *pick(turned)):
        assert frame.picture.shape[:2] == shape
        assert _seen(frame.picture) == corners


@pytest.mark.parametrize(("width", "height"), ((97, 65), (33, 64), (1, 1), (500, 17)))
def test_odd_sizes_are_kept(tmp_path: Path, width: int, height: int) -> None:
    """A side need not be even, nor a multiple of anything."""
    options = ("-c:v", "libx264", "-pix_fmt", "yuv444p")
    clip = _clip(tmp_path / "clip.mp4", *options, width=width, height=height)
    (first, *_, last) = frames(clip)
    assert first.picture.shape == last.picture.shape == (height, width, 3)


def test_rate_may_vary(tmp_path: Path) -> None:
    """A frame is shown until the next one, however long that takes."""
    times = "setpts='if(lt(N,5),N*0.1,N-4)/TB'"
    clip = _clip(
        tmp_path / "clip.mkv",
        *("-vf", f"settb=1/1000,{times}", "-fps_mode", "passthrough"),
        *("-c:v", "libx264", "-pix_fmt", "yuv420p"),
    )
    every = [round(frame.time_s, 2) for frame in frames(clip)]
    assert every == [0, 0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5]
    assert [round(frame.time_s, 2) for frame in pick(clip)] == [0, 1, 2, 3, 4, 5]
    slow = [round(frame.time_s, 2) for frame in pick(clip, per_second=0.5)]
    assert slow == [0, 2, 4, 5]


@pytest.mark.parametrize("box", ("mp4", "mkv", "webm"))
def test_video_of_sound_alone_has_no_frames(tmp_path: Path, box: str) -> None:
    """The error names the file."""
    clip = tmp_path / f"clip.{box}"
    _ffmpeg("-f", "lavfi", "-i", "sine=duration=1", clip)
    with pytest.raises(VideoError, match=f"clip.{box}: "):
        pick(clip)


def test_picture_with_the_name_of_a_video_is_one_frame(tmp_path: Path) -> None:
    """What can be decoded counts, whatever its name is."""
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(cv2.imencode(".png", _corners(96, 64, 0))[1].tobytes())
    (frame,) = pick(clip)
    assert _seen(frame.picture) == ("r", "g", "n", "b")

"""Frames of videos: by time stamp, upright, and only those that are really there."""

import re
import struct
import subprocess
import warnings
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np
import pytest

from pytest_iwr.errors import VideoError
from pytest_iwr.generate.frames import Frame, VideoWarning, frames, pick
from pytest_iwr.images import Picture

FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()
SIZE = (160, 90)
BARS = 8
"""A frame shows its number as black and white bars, the lowest bit first."""


def _ffmpeg(*arguments: object, data: bytes = b"") -> str:
    """Run the other decoder; gives what it says."""
    done = subprocess.run(
        [FFMPEG, "-hide_banner", "-y", *map(str, arguments)],
        check=True,
        capture_output=True,
        input=data,
    )
    return done.stderr.decode()


def _numbered(number: int) -> Picture:
    """Draw a frame that says its number."""
    bits = np.array([number >> bit & 1 for bit in range(BARS)], np.uint8) * 255
    row = np.repeat(bits, SIZE[0] // BARS)
    return np.broadcast_to(row[None, :, None], (SIZE[1], SIZE[0], 3)).copy()


def _number(picture: Picture) -> int:
    """Read the number of a frame."""
    width = SIZE[0] // BARS
    row = picture[SIZE[1] // 2, width // 2 :: width].mean(axis=1) > 128
    return sum(int(bit) << place for place, bit in enumerate(row))


def _clip(path: Path, count: int, *options: object, rate: int = 10) -> Path:
    """Encode numbered frames; `options` are the encoder's."""
    size = f"{SIZE[0]}x{SIZE[1]}"
    raw = ("-f", "rawvideo", "-pix_fmt", "bgr24", "-s", size, "-r", rate, "-i", "-")
    data = b"".join(_numbered(n).tobytes() for n in range(count))
    plain = options or ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", 30)
    _ffmpeg(*raw, *plain, path, data=data)
    return path


@pytest.mark.needs_shared
def test_frames_by_time_stamp_are_those_of_another_decoder(
    shared: Path, tmp_path: Path
) -> None:
    """Each picked frame is the one that FFmpeg shows at that time, decoding all."""
    video = shared / "data" / "video" / "ui-recording.mp4"
    picked = pick(video)
    assert [round(frame.time_s) for frame in picked[:-1]] == list(range(23))
    every = ("-fps_mode", "passthrough", "-f", "null", "-")
    said = _ffmpeg("-i", video, "-vf", "showinfo", *every)
    theirs = [float(t) for t in re.findall(r"pts_time:([\d.]+)", said)]
    assert picked[-1].time_s == pytest.approx(theirs[-1])
    shown = [_shown(theirs, frame.time_s) for frame in picked]
    near = sorted(
        {i + d for i in shown for d in (-1, 0, 1) if 0 <= i + d < len(theirs)}
    )
    choice = "+".join(f"eq(n,{index})" for index in near)
    files = ("-vf", f"select='{choice}'", "-fps_mode", "passthrough")
    _ffmpeg("-i", video, *files, tmp_path / "%04d.bmp")
    other = dict(zip(near, map(_open, sorted(tmp_path.glob("*.bmp"))), strict=True))
    for index, frame in zip(shown, picked, strict=True):
        assert theirs[index] == pytest.approx(frame.time_s, abs=1e-3)
        around = [i for i in (index - 1, index, index + 1) if i in other]
        gaps = {i: int(cv2.absdiff(frame.picture, other[i]).max()) for i in around}
        # Two colour converters round differently, by up to 4 of 255 here.
        assert gaps[index] <= 4
        assert gaps[index] == min(gaps.values())


def _shown(times: list[float], time: float) -> int:
    """Give the index of the frame that is shown at a time."""
    return max(i for i, t in enumerate(times) if t <= time + 1e-6)


def _open(path: Path) -> Picture:
    picture = cv2.imread(str(path))
    assert picture is not None
    return picture.astype(np.uint8)


def test_picked_frames_are_shown_at_even_times(tmp_path: Path) -> None:
    """B-frames are decoded in another order than they are shown in."""
    clip = _clip(
        tmp_path / "clip.mp4", 38, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", 3
    )
    assert [_number(frame.picture) for frame in frames(clip)] == list(range(38))
    assert _told(pick(clip)) == [(0.0, 0), (1.0, 10), (2.0, 20), (3.0, 30), (3.7, 37)]
    assert _told(pick(clip, per_second=0.5)) == [(0.0, 0), (2.0, 20), (3.7, 37)]


def test_frames_that_are_shown_for_long_are_given_once(tmp_path: Path) -> None:
    """A recording of a screen holds a frame until something moves."""
    still = _clip(
        tmp_path / "clip.mp4",
        30,
        *("-vf", "select='eq(n,0)+eq(n,4)+gte(n,27)'", "-fps_mode", "vfr"),
        *("-c:v", "libx264", "-pix_fmt", "yuv420p"),
    )
    assert _told(pick(still)) == [(0.0, 0), (0.4, 4), (2.9, 29)]


def test_long_videos_are_thinned_evenly(tmp_path: Path) -> None:
    """Never more than 64 frames; the first and the last are among them."""
    clip = _clip(tmp_path / "clip.mp4", 201, rate=2)
    picked = pick(clip)
    numbers = [_number(frame.picture) for frame in picked]
    assert len(picked) == 64
    assert (numbers[0], numbers[-1]) == (0, 200)
    assert set(np.diff(numbers)) == {3, 4}


def test_video_of_one_frame_gives_it_once(tmp_path: Path) -> None:
    """The first frame is the last one, too."""
    assert _told(pick(_clip(tmp_path / "clip.mp4", 1))) == [(0.0, 0)]


def test_first_time_stamp_is_the_start(tmp_path: Path) -> None:
    """A video whose stamps begin late is told from its first frame on."""
    clip = _clip(tmp_path / "clip.mp4", 12)
    late = tmp_path / "late.mp4"
    _ffmpeg("-itsoffset", 5, "-i", clip, "-c", "copy", late)
    assert _told(pick(late)) == [(0.0, 0), (1.0, 10), (1.1, 11)]


def test_turned_video_stands_upright(tmp_path: Path) -> None:
    """A phone writes the turn into the header; the picture gets it."""
    clip = _clip(tmp_path / "clip.mp4", 3)
    turned = tmp_path / "turned.mp4"
    _ffmpeg("-display_rotation", -90, "-i", clip, "-c", "copy", turned)
    assert _number(_upright(pick(turned)[-1].picture)) == 2


def _upright(picture: Picture) -> Picture:
    assert picture.shape == (SIZE[0], SIZE[1], 3)
    return np.rot90(picture).copy()


@pytest.mark.needs_shared
def test_frame_counts_are_not_believed(shared: Path) -> None:
    """Only what can be decoded counts; a video that breaks off is warned about."""
    folder = shared / "cases" / "48-frame-count"
    assert len(list(frames(folder / "clip-no-duration.webm"))) == 25
    with pytest.warns(VideoWarning, match=r"overcount.mp4: 19 frames of codec FMP4"):
        assert len(list(frames(folder / "clip-overcount.mp4"))) == 19
    named = {"undecodable": "codec FMP4", "empty": "is empty", "is-text": "Git LFS"}
    for name, said in named.items():
        with pytest.raises(VideoError, match=f"clip-{name}.mp4: .*{said}"):
            pick(folder / f"clip-{name}.mp4")


def test_video_without_a_length_is_whole(tmp_path: Path) -> None:
    """A browser's recorder writes neither length nor count; nothing is missing."""
    live = ("-c:v", "libvpx", "-deadline", "realtime", "-live", 1)
    clip = _clip(tmp_path / "clip.webm", 25, *live)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [_number(f.picture) for f in frames(clip)] == list(range(25))


def test_video_that_breaks_off_is_warned_about(tmp_path: Path) -> None:
    """The header promises 30 frames; the data of the last ones is gone."""
    clip = _clip(
        tmp_path / "clip.mp4", 30, "-c:v", "mpeg4", "-q:v", 2, "-movflags", "+faststart"
    )
    whole = clip.read_bytes()
    clip.write_bytes(whole[: len(whole) * 3 // 5])
    with pytest.warns(VideoWarning, match="the header promises 30, 3.0 s"):
        picked = _told(pick(clip))
    assert picked[0] == (0.0, 0)
    assert 10 < picked[-1][1] < 25


@pytest.mark.needs_shared
def test_turned_clip_of_a_phone_is_upright(shared: Path) -> None:
    """The clip's 90 degree matrix makes it 90 wide and 160 high."""
    clip = shared / "cases" / "50-rotated" / "clip-90.mp4"
    assert {frame.picture.shape for frame in frames(clip)} == {(160, 90, 3)}


@pytest.mark.needs_shared
def test_turned_clip_of_a_phone_is_turned_the_right_way(shared: Path) -> None:
    """The digit, stored at the left, is at the top, as FFmpeg shows it."""
    clip = shared / "cases" / "50-rotated" / "clip-90.mp4"
    for frame in frames(clip):
        bright = np.nonzero(frame.picture.max(axis=2) > 150)[0]
        assert bright.size > 50
        assert bright.max() < 160 / 2


def test_missing_video_is_named(tmp_path: Path) -> None:
    """The error says which file is not there."""
    with pytest.raises(VideoError, match=r"no.mp4: there is no such video"):
        pick(tmp_path / "no.mp4")


def test_video_with_nothing_inside_names_its_codec(tmp_path: Path) -> None:
    """A header promises frames, all the data is dead."""
    clip = _clip(tmp_path / "clip.mp4", 9, "-c:v", "mpeg4", "-movflags", "+faststart")
    data = bytearray(clip.read_bytes())
    start = data.index(b"mdat") + 4
    length = struct.unpack(">I", data[start - 8 : start - 4])[0] - 8
    data[start : start + length] = b"\xff" * length
    clip.write_bytes(bytes(data))
    with pytest.raises(VideoError, match="no frame of codec FMP4 can be decoded"):
        pick(clip)


def _told(picked: list[Frame]) -> list[tuple[float, int]]:
    return [(round(frame.time_s, 3), _number(frame.picture)) for frame in picked]

"""Films: what is shown at each time, and the video that comes of it."""

import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from pytest_iwr import records as r
from pytest_iwr.author.film import Film, Script
from pytest_iwr.author.video import encode
from pytest_iwr.drive import Browser
from pytest_iwr.generate.frames import Frame, frames
from pytest_iwr.images import Picture
from pytest_iwr.load import load
from pytest_iwr.serve import Server
from tests.author.kit import Write

PAGE = """<!doctype html><title>t</title><style>body { margin: 0; background: #fff }
button { position: absolute; left: 40px; top: 40px; width: 80px; height: 40px }
</style><button onclick="document.body.style.background = '#00f'">Go</button>
<input aria-label="Name" style="position: absolute; left: 200px; top: 200px">"""
TASK = """\
iwr: 1
viewport: {width: 401, height: 301}
steps:
  - click: {role: button, name: Go}
  - type: {into: {label: Name}, text: Bo Lee, submit: true}
"""


def _film(folder: Path) -> Film:
    film = Film(folder, 400, 300, now=time.time)
    film.felt(10.0, {"type": "mousemove", "x": 100, "y": 100})
    film.felt(12.0, {"type": "mousemove", "x": 200, "y": 50})
    film.felt(12.01, {"type": "mousedown", "x": 200, "y": 50})
    film.felt(12.05, {"type": "mouseup", "x": 200, "y": 50})
    return film


def test_pointer_sets_out_in_time(tmp_path: Path) -> None:
    """It rests where it was, and arrives when the page felt it."""
    script = Script(_film(tmp_path))
    places = [(script.at(t).x, script.at(t).y) for t in (10.0, 11.5, 11.775, 12.0, 15)]
    assert places == [(100, 100), (100, 100), (150, 75), (200, 50), (200, 50)]


def test_click_shows_for_a_moment(tmp_path: Path) -> None:
    """The pointer is down while the button is, and a ring fades after it."""
    script = Script(_film(tmp_path))
    assert script.at(12.0).rings == ()
    assert script.at(12.03).is_down
    assert not script.at(12.06).is_down
    (ring,) = script.at(12.2).rings
    assert ring[:2] == (200, 50)
    assert 0 < ring[2] < 1
    assert script.at(12.6).rings == ()


def test_keys_are_told_together_and_go_away(tmp_path: Path) -> None:
    """Letters join, named keys stand in brackets, modifiers alone are not told."""
    film = Film(tmp_path, 400, 300, now=time.time)
    told = [("H", ["Shift"]), ("i", []), (" ", []), ("!", []), ("Enter", [])]
    for number, (key, held) in enumerate(told):
        film.felt(5 + number / 10, {"type": "keydown", "key": key, "modifiers": held})
    film.felt(8.0, {"type": "keydown", "key": "Control", "modifiers": ["Control"]})
    film.felt(8.1, {"type": "keydown", "key": "a", "modifiers": ["Control"]})
    film.felt(10.0, {"type": "keydown", "key": " ", "modifiers": []})
    for number in range(60):
        letter = {"type": "keydown", "key": "x", "modifiers": []}
        film.felt(12 + number / 100, letter)
    script = Script(film)
    shown = [script.at(t).caption for t in (4.9, 5.15, 5.5, 7.0, 8.2, 10.1)]
    assert shown == ["", "Hi", "Hi ! [Enter]", "", "[Control+a]", "[Space]"]
    assert len(script.at(12.7).caption) == 28


def test_finger_is_shown_where_a_page_is_touched(tmp_path: Path) -> None:
    """A phone has no pointer."""
    film = Film(tmp_path, 400, 300, now=time.time)
    film.felt(5.0, {"type": "touchstart", "x": 10, "y": 10})
    film.felt(5.1, {"type": "touchmove", "x": 10, "y": 60})
    film.felt(5.2, {"type": "touchend", "x": 10, "y": 60})
    script = Script(film)
    assert [script.at(t).is_finger for t in (4.0, 5.05, 6.0)] == [True, True, True]
    assert [script.at(t).is_down for t in (4.0, 5.15, 6.0)] == [False, True, False]


@pytest.fixture(scope="module")
def recorded(
    driver: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Film, r.Trace, Path, float]:
    """Film one drive; give the film, its trace, the video and its length."""
    folder = tmp_path_factory.mktemp("film")
    (folder / "index.html").write_text(PAGE)
    (folder / "task.iwr.yaml").write_text(TASK)
    film = Film(folder, 401, 301, now=time.time)
    site = r.Site(folder=str(folder), sha256="", origin="a test's page")
    with server.serve(site, None) as hosted:
        trace = driver.drive(load(folder / "task.iwr.yaml"), hosted.url, folder, film)
    assert trace.failed is None
    length_s = encode(film, folder / "video.mp4")
    return film, trace, folder / "video.mp4", length_s


Recorded = tuple[Film, r.Trace, Path, float]


def test_video_is_as_long_as_the_drive(recorded: Recorded) -> None:
    """Real time: from the page at rest to a pause after the last step, ± 0.2 s."""
    film, trace, video, length_s = recorded
    first, last = trace.steps[0], trace.steps[-1]
    drive_s = last.started_s + last.duration_s - first.started_s - first.duration_s
    assert length_s == pytest.approx(drive_s + film.pause_s, abs=0.2)
    times = [frame.time_s for frame in frames(video)]
    assert times[-1] + 1 / 25 == pytest.approx(length_s, abs=0.01)


def test_video_plays_in_browsers(recorded: Recorded) -> None:
    """H.264 in a size of even numbers, its index before its data."""
    video = recorded[2]
    capture = cv2.VideoCapture(str(video))
    code = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little")
    size = (capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(4))
    assert (code, size) == (b"h264", (402, 302))
    data = video.read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")
    assert b"avcC" in data


def test_video_shows_what_the_page_showed_and_when(recorded: Recorded) -> None:
    """The page turns blue at the click; ring and pointer are there, keys afterwards."""
    film, _, video, _ = recorded
    shown = list(frames(video))
    down = next(p for p in film.pointed if p.kind == "mousedown")
    clicked_s = down.at_s - film.span_s[0]
    blue_s = next(f.time_s for f in shown if _is_blue(f.picture[-20, 20]))
    assert blue_s == pytest.approx(clicked_s, abs=0.25)
    ring = _near(shown, clicked_s + 0.15)
    around = ring[int(down.y) - 40 : int(down.y) + 40, :160].astype(int)
    orange = (around[..., 2] > 180) & (around[..., 0] < 140) & (around[..., 1] > 90)
    assert int(orange.sum()) > 40
    typed_s = film.keys[-1][0] - film.span_s[0]
    plate = _near(shown, typed_s + 0.2)[-50:, 100:300]
    assert int((plate.max(axis=2) < 70).sum()) > 1000
    assert int((shown[0].picture[-50:, 100:300].max(axis=2) < 70).sum()) == 0


def _is_blue(pixel: np.ndarray) -> bool:
    blue, _, red = (int(value) for value in pixel)
    return blue > 200 and red < 80


def _near(shown: list[Frame], time_s: float) -> Picture:
    return min(shown, key=lambda frame: abs(frame.time_s - time_s)).picture


def test_frames_of_another_shape_are_not_stretched(write: Write) -> None:
    """A window of another size is shown on white."""
    folder = write({})
    tall = np.zeros((600, 200, 3), np.uint8)
    cv2.imwrite(str(folder / "tall.png"), tall)
    film = Film(folder, 400, 300, now=time.time)
    film.frames.append((1.0, folder / "tall.png"))
    film.span_s = (1.0, 1.5)
    assert encode(film, folder / "video.mp4") == pytest.approx(0.52, abs=0.03)
    picture = next(frames(folder / "video.mp4")).picture
    black = picture.max(axis=2)[:150] < 60
    assert black[:, :95].all()
    assert not black[:, 105:].any()


PHONE = """<!doctype html><meta name="viewport" content="width=device-width">
<style>body { margin: 0; height: 1500px; background: linear-gradient(#f00 600px, #00f 600px) }
</style><button style="position: absolute; left: 100px; top: 100px">Go</button>"""
PHONE_TASK = """\
iwr: 1
viewport: {width: 300, height: 500, scale: 2, mobile: true, touch: true}
steps:
  - tap: {role: button, name: Go}
  - swipe: {direction: up, by: 0.8}
"""


def test_phone_is_filmed_with_its_finger(
    driver: Browser, server: Server, write: Write
) -> None:
    """As large as the viewport in CSS pixels, scrolled by a finger that is shown."""
    folder = write({"index.html": PHONE, "task.iwr.yaml": PHONE_TASK})
    film = Film(folder, 300, 500, now=time.time)
    site = r.Site(folder=str(folder), sha256="", origin="a test's page")
    with server.serve(site, None) as hosted:
        trace = driver.drive(load(folder / "task.iwr.yaml"), hosted.url, folder, film)
    assert trace.failed is None
    encode(film, folder / "video.mp4")
    shown = list(frames(folder / "video.mp4"))
    assert shown[0].picture.shape == (500, 300, 3)
    assert _is_red(shown[0].picture[490, 10])
    assert _is_blue(shown[-1].picture[490, 10])
    moves = [point for point in film.pointed if point.kind == "touchmove"]
    assert moves[0].y - moves[-1].y > 300
    under = moves[len(moves) // 2]
    middle = _near(shown, under.at_s - film.span_s[0])
    # A frame shows 40 ms, in which the finger goes on by some 60 pixels.
    around = middle[int(under.y) - 60 : int(under.y) + 60, 150]
    assert around[:, 1].max() > 40  # orange over red


def _is_red(pixel: np.ndarray) -> bool:
    blue, _, red = (int(value) for value in pixel)
    return red > 200 and blue < 80


OPENER = """<!doctype html><title>t</title><style>body { margin: 0; background: #f00 }
iframe { position: absolute; left: 200px; top: 100px; width: 200px; height: 100px }
</style><button onclick="open('next.html', 'next', 'width=400,height=200')">Open</button>
<iframe src="inner.html"></iframe>"""
OPENED = """<!doctype html><title>t</title><style>body { margin: 0; background: #00f }
</style><button onclick="window.close()">Close</button>"""
WINDOWS_TASK = """\
iwr: 1
viewport: {width: 500, height: 300}
steps:
  - click: {role: button, name: Inner}
  - click: {role: button, name: Open}
    expect: [{visible: {role: button, name: Close}}]
  - click: {role: button, name: Close}
    expect: [{visible: {role: button, name: Open}}]
"""


def test_newest_window_is_filmed_until_it_closes(
    driver: Browser, server: Server, write: Write
) -> None:
    """Then the one below is shown again; clicks in a frame are where the frame is."""
    folder = write(
        {
            "index.html": OPENER,
            "next.html": OPENED,
            "inner.html": "<!doctype html><button>Inner</button>",
            "task.iwr.yaml": WINDOWS_TASK,
        }
    )
    film = Film(folder, 500, 300, now=time.time)
    site = r.Site(folder=str(folder), sha256="", origin="a test's page")
    with server.serve(site, None) as hosted:
        trace = driver.drive(load(folder / "task.iwr.yaml"), hosted.url, folder, film)
    assert trace.failed is None
    encode(film, folder / "video.mp4")
    colours = [_is_blue(f.picture[150, 50]) for f in frames(folder / "video.mp4")]
    changes = [a for a, b in zip(colours, [*colours[1:], None], strict=True) if a != b]
    assert changes == [False, True, False]
    hit = trace.steps[1].hit
    assert hit is not None
    down = next(point for point in film.pointed if point.kind == "mousedown")
    assert (down.x, down.y) == pytest.approx((hit.x, hit.y), abs=1)


def test_long_text_has_the_time_that_its_pauses_take(
    driver: Browser, server: Server, write: Write
) -> None:
    """Typing as a person does never uses up the step's own time."""
    task = """\
iwr: 1
steps:
  - type: {into: {label: Name}, text: "%s"}
    timeout_s: 0.6
    expect: [{value: "%s"}]
"""
    text = "a long sentence of words " * 4
    folder = write({"index.html": PAGE, "task.iwr.yaml": task % (text, text)})
    film = Film(folder, 1280, 720, now=time.time)
    site = r.Site(folder=str(folder), sha256="", origin="a test's page")
    with server.serve(site, None) as hosted:
        trace = driver.drive(load(folder / "task.iwr.yaml"), hosted.url, folder, film)
    assert trace.failed is None
    assert trace.steps[1].timings_s["act"] >= 0.06 * len(text)

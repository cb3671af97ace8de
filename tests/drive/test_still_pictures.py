"""Pictures of what moves: brought to one moment, or told to be unstable."""

from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np
import pytest

from pytest_iwr import records as r
from tests.drive.kit import Drive, went_well

WINDOW = {"width": 320, "height": 200}
SPIN = "@keyframes go { to { transform: translateX(120px) } }"
BOX = "b { display: inline-block; animation: go .7s linear infinite }"
FRAMED = f"<style>{SPIN}{BOX}</style><b>moves</b>"
SVG = '<svg width="200" height="60"><rect width="30" height="30" fill="red">{}</rect></svg>'
SLIDE = 'attributeName="x" from="0" to="150"'

HELD = {
    "style sheet": FRAMED,
    "pseudo element": f"<style>{SPIN} p::after {{ content: 'moves'; display: block;"
    "animation: go .7s infinite alternate }</style><p>still</p>",
    "script's animation": "<b id=b style='display:inline-block'>moves</b><script>"
    "b.animate([{opacity: 0}, {opacity: 1}], {duration: 700, iterations: Infinity})"
    "</script>",
    "shadow root": f"<div id=host></div><script>host.attachShadow({{mode: 'open'}})"
    f".innerHTML = `{FRAMED}`</script>",
    "frame": f'<iframe srcdoc="{FRAMED}"></iframe>',
    "endless drawing": SVG.format(
        f'<animate {SLIDE} dur="0.7s" repeatCount="indefinite"/>'
    ),
    "cursor": "<input autofocus value=text>",
    "cursor in a text": "<p contenteditable id=p>text</p><script>p.focus()</script>",
}


def _look(drive: Drive, pages: str | dict[str, str | bytes]) -> list[r.TraceStep]:
    """Drive a page past a few checkpoints."""
    step = {"press": "F9", "expect": [{"no_text": "told"}], "checkpoint": "01.png"}
    trace = drive(pages, step, step, start="01.png", viewport=WINDOW)
    went_well(trace, 2)
    return list(trace.steps)


@pytest.fixture(autouse=True)
def checkpoint(tmp_path: Path) -> None:
    """Let the task's file be there; nothing is compared here."""
    (tmp_path / "01.png").write_bytes(b"")


def _bytes(steps: list[r.TraceStep], tmp_path: Path) -> set[bytes]:
    return {(tmp_path / "shots" / str(step.shot)).read_bytes() for step in steps}


@pytest.mark.parametrize("name", HELD)
def test_what_moves_by_itself_is_held(drive: Drive, tmp_path: Path, name: str) -> None:
    """Every shot has the same bytes, in the first drive and in the next."""
    shots: set[bytes] = set()
    for _ in range(2):
        steps = _look(drive, HELD[name])
        assert {step.again for step in steps} == {None}
        shots |= _bytes(steps, tmp_path)
    assert len(shots) == 1


def test_touch_leaves_no_mark_in_a_picture(drive: Drive) -> None:
    """What a browser draws over a tapped button pales within a quarter of a second."""
    page = "<meta name=viewport content='width=device-width'><button>Go</button>"
    tap = {"tap": {"name": "Go"}, "checkpoint": "01.png"}
    trace = drive(page, tap, tap, viewport={**WINDOW, "mobile": True, "touch": True})
    went_well(trace, 2)
    assert [step.again for step in trace.steps] == [None] * 3


def test_drawing_that_ends_is_shown_at_its_end(drive: Drive, tmp_path: Path) -> None:
    """As a transition of a style sheet is; a drawing set by a click still works."""
    ending = SVG.format(f'<animate {SLIDE} dur="2s" fill="freeze"/>')
    _look(drive, ending)
    picture = cv2.imread(str(tmp_path / "shots" / "shot-00.png"))
    assert picture is not None
    columns = np.nonzero((picture == (0, 0, 255)).all(axis=2))[1]
    assert (columns.min(), columns.max()) == (8 + 150, 8 + 150 + 29)
    by_click = SVG.format('<set attributeName="x" to="99" begin="click"/>')
    done = "<p>0</p><script>setInterval(() => { document.querySelector('p').textContent"
    done += " = document.querySelector('rect').x.animVal.value }, 50)</script>"
    step = {
        "click": {"css": "rect"},
        "expect": [{"text": "99"}],
        "checkpoint": "01.png",
    }
    went_well(drive(by_click + done, step), 1)


def _film(path: Path, *, codec: str, colours: str) -> bytes:
    """Encode ten frames that turn from black to white, two a second."""
    writer = imageio_ffmpeg.write_frames(
        str(path), (64, 64), fps=2, codec=codec, quality=None, pix_fmt_out=colours
    )
    writer.send(None)
    for number in range(10):
        writer.send(np.full((64, 64, 3), number * 25, np.uint8).tobytes())
    writer.close()
    return path.read_bytes()


def test_video_that_plays_is_shown_at_its_first_frame(
    drive: Drive, tmp_path: Path
) -> None:
    """It plays on behind the pictures, and the page does not learn of them."""
    page = """<video src="v.webm" autoplay muted loop width="64"></video><p>none</p>
    <script>const v = document.querySelector("video"), seen = [];
    for (const type of ["pause", "ratechange"]) v.addEventListener(type, () =>
      { document.querySelector("p").textContent = "told" });</script>"""
    files: dict[str, str | bytes] = {"index.html": page}
    files["v.webm"] = _film(tmp_path / "v.webm", codec="libvpx", colours="yuv420p")
    shots: set[bytes] = set()
    for _ in range(2):
        steps = _look(drive, files)
        shots |= _bytes(steps, tmp_path)
    assert len(shots) == 1


TURN = "const t = document.querySelector('p');"
FREE = {
    "regular timer": f"<p></p><script>{TURN} setInterval(() => {{"
    "t.textContent = Math.random() }, 40)</script>",
    "clock of seconds": f"<p></p><script>{TURN} setInterval(() => {{"
    "t.textContent = new Date().toISOString() }, 1000)</script>",
    "timers in a row": f"<p></p><script>{TURN} (function turn() {{"
    "t.textContent = new Date().toISOString(); setTimeout(turn, 900) })()</script>",
    "canvas": """<canvas></canvas><script>
    const pen = document.querySelector("canvas").getContext("2d");
    (function turn(time) { pen.fillStyle = `hsl(${time / 5 % 360} 80% 50%)`;
      pen.fillRect(0, 0, 99, 99); requestAnimationFrame(turn) })(0)</script>""",
    "marquee": "<marquee>on and on</marquee>",
    "closed shadow root": "<div id=host></div><script>"
    f"host.attachShadow({{mode: 'closed'}}).innerHTML = `{FRAMED}`</script>",
}


@pytest.mark.parametrize("name", FREE)
def test_what_cannot_be_held_is_told(drive: Drive, tmp_path: Path, name: str) -> None:
    """A second shot is kept beside the first, wherever it came out otherwise."""
    steps = _look(drive, FREE[name])
    again = [step.again for step in steps]
    assert again == ["again-00.png", "again-01.png", "again-02.png"]
    assert all((tmp_path / "shots" / str(file)).is_file() for file in again)


@pytest.mark.parametrize(
    "use", ("<img src=m.gif>", "<p style='background:url(m.gif)'>x")
)
def test_picture_that_is_played_is_told(drive: Drive, tmp_path: Path, use: str) -> None:
    """A GIF cannot be held; slow frames are waited for."""
    data = _film(tmp_path / "m.gif", codec="gif", colours="rgb8")
    steps = _look(drive, {"index.html": use, "m.gif": data})
    assert all(step.again for step in steps)


@pytest.mark.needs_shared
def test_page_with_all_of_it_is_told(drive: Drive, shared: Path) -> None:
    """A spinner, a cursor, a clock, a canvas and random numbers at once."""
    page = shared / "cases" / "17-motion-caret" / "page.html"
    steps = _look(drive, page.read_text("utf-8"))
    assert all(step.again for step in steps)


def test_page_at_rest_is_shot_once(drive: Drive, tmp_path: Path) -> None:
    """A second look that saw the same leaves nothing; without a checkpoint is none."""
    page = "<p>at rest</p><script>setInterval(() => {}, 300)</script>"
    assert {step.again for step in _look(drive, page)} == {None}
    assert not list((tmp_path / "shots").glob("again*"))
    trace = drive(FREE["canvas"], {"press": "F9"}, viewport=WINDOW)
    assert trace.steps[1].again is None

"""Parts of the window that are named by their place; text that style sheets draw."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr import images
from pytest_iwr import records as r

Drive = Callable[..., r.Trace]

BOARD = """<!doctype html><body style="margin:0;height:2000px"
  onkeydown="document.getElementById(event.key).style.background = 'red'">
<i id="a" style="position:fixed;left:0;top:0;width:50%;height:50%"></i>
<i id="b" style="position:fixed;left:50%;top:50%;width:50%;height:50%"></i>"""
UPPER_LEFT = {"box": [0, 0, 0.5, 0.5]}


def test_box_alone_is_that_part_of_the_window(drive: Drive) -> None:
    """A part of the window changes or not, whatever the page is made of."""
    trace = drive(
        BOARD,
        {"press": "a", "expect": [{"changed": UPPER_LEFT}]},
        {"press": "b", "expect": [{"unchanged": UPPER_LEFT}]},
        {"press": "b", "expect": [{"changed": UPPER_LEFT}], "timeout_s": 0.3},
    )
    assert trace.failed is not None
    assert trace.failed.number == 3


def test_box_alone_masks_that_part_once(drive: Drive, tmp_path: Path) -> None:
    """Frames inside the page add nothing to a mask of the window, in device pixels."""
    (tmp_path / "01.png").write_bytes(b"")
    trace = drive(
        BOARD + "<iframe srcdoc='x'></iframe>",
        {"press": "a", "checkpoint": {"image": "01.png", "mask": [UPPER_LEFT]}},
        viewport={"width": 400, "height": 300, "scale": 2},
    )
    assert trace.steps[1].masks == (r.Box(x=0, y=0, width=400, height=300),)


def test_text_of_a_style_sheet_is_drawn_where_it_lies(drive: Drive) -> None:
    """A caption above a number is no part of the number, and has its own letters."""
    page = """<!doctype html><style>
      #score { position: relative; padding-top: 20px }
      #score::after { content: "Score"; position: absolute; left: 0; top: 0;
                      text-transform: uppercase }
      #price::before { content: "€" }
    </style><p id="score">0</p><p id="price">40</p>"""
    trace = drive(
        page,
        {"wait": {"text": "0"}},
        {"wait": {"text": "SCORE"}},
        {"wait": {"text": "€40"}},
    )
    assert trace.failed is None


@pytest.mark.parametrize("is_mobile", (False, True))
def test_shots_have_the_pixels_of_the_device(
    drive: Drive, tmp_path: Path, *, is_mobile: bool
) -> None:
    """Shots of any kind have the scale's pixels, and the page keeps its scale."""
    (tmp_path / "01.png").write_bytes(b"")
    page = """<!doctype html><meta name="viewport" content="width=device-width">
      <body style="margin:0;height:900px">
      <p id="p"></p><script>
      onkeydown = () => { p.textContent = [devicePixelRatio, innerWidth, screen.width,
        screen.height, screen.orientation.type, screen.orientation.angle].join(" ") };
      onkeydown(); const first = p.textContent;
      onkeyup = () => { p.textContent += first === p.textContent ? " as ever" : "" };
      </script>"""
    trace = drive(
        page,
        {"press": "a", "checkpoint": {"image": "01.png", "full_page": True}},
        {"press": "a", "expect": [{"text": "2 400 400 600"}, {"text": "as ever"}]},
        viewport={"width": 400, "height": 600, "scale": 2, "mobile": is_mobile},
    )
    assert trace.failed is None
    shot, full = trace.steps[1].shot, trace.steps[1].full_shot
    files = [next(tmp_path.rglob(str(name))) for name in (shot, full)]
    assert [images.read(file).shape[:2] for file in files] == [(1200, 800), (1800, 800)]


def test_masks_of_a_whole_page_lie_where_its_picture_has_them(
    drive: Drive, tmp_path: Path
) -> None:
    """The page was scrolled, and a frame that nobody sees is no hindrance."""
    (tmp_path / "01.png").write_bytes(b"")
    page = """<!doctype html><body style="margin:0;height:2000px"><iframe hidden></iframe>
      <p style="position:absolute;left:20px;top:500px;width:90px;height:30px;margin:0">
      Fortune</p>"""
    mask = {"image": "01.png", "mask": ["Fortune"]}
    trace = drive(
        page,
        {"scroll": {"by": 1}, "checkpoint": {**mask, "full_page": True}},
        {"press": "a", "checkpoint": mask},
        viewport={"width": 400, "height": 300, "scale": 2},
    )
    assert trace.failed is None
    whole, window = (step.masks for step in trace.steps[1:])
    assert whole == (r.Box(x=40, y=1000, width=180, height=60),)
    assert window == (r.Box(x=40, y=400, width=180, height=60),)


def test_touch_lands_in_css_pixels_at_any_scale(drive: Drive) -> None:
    """A window at scale 2 has twice the pixels, and the same places."""
    page = """<button style="position:absolute;left:300px;top:200px">Go</button>
      <p></p><script>onclick = (event) => { document.querySelector("p").textContent =
      event.target.tagName }</script>"""
    step = {"click": {"name": "Go"}, "expect": [{"text": "BUTTON"}]}
    trace = drive(page, step, viewport={"width": 400, "height": 300, "scale": 2})
    assert trace.failed is None

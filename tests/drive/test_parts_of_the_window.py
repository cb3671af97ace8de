"""Parts of the window that are named by their place; text that style sheets draw."""

from collections.abc import Callable
from pathlib import Path

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

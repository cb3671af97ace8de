"""Frames that the page scales, moves, turns or zooms: where things in them are."""

import json
from pathlib import Path

import numpy as np
import pytest

from pytest_iwr import images
from pytest_iwr import records as r
from tests.drive.kit import Drive, result, went_well

INNER = """<!doctype html><style>body { margin: 0; background: #fff }
button { position: absolute; left: 60px; top: 40px; width: 50px; height: 30px;
         background: #f00; color: #f00; border: 0; outline: 0; padding: 0 }</style>
<button onclick="R('clicked')">Go</button>"""
FRAME = (
    "<!doctype html><body style='margin:0'><iframe src='{src}' style='position:absolute;"
    "border:4px solid #ccc;padding:6px;{style}'></iframe>"
)
OUTER = "left:150px;top:100px;width:330px;height:240px;"
MIDDLE = "left:20px;top:30px;width:260px;height:180px;"
PLACES = (
    ("", ""),
    ("transform: scale(.5)", ""),
    ("transform: scale(1.5, 1.2); transform-origin: 0 0", ""),
    ("transform: translate(120px, 60px)", ""),
    ("scale: 1.3; translate: 40px", ""),
    ("zoom: 1.5", ""),
    ("transform: rotate(90deg)", ""),
    ("transform: scale(.8)", "transform: scale(.5)"),
    ("zoom: 1.5", "zoom: 0.8"),
    ("zoom: 1.5", "transform: scale(.6)"),
)


@pytest.mark.parametrize(("outer", "middle"), PLACES)
def test_things_in_a_frame_are_where_a_person_sees_them(
    drive: Drive, tmp_path: Path, outer: str, middle: str
) -> None:
    """The click lands, and target, snapshot and mask have the place in the picture."""
    files = {
        "inner.html": INNER,
        "middle.html": FRAME.format(src="inner.html", style=MIDDLE + middle),
        "index.html": FRAME.format(
            src="middle.html" if middle else "inner.html", style=OUTER + outer
        ),
    }
    (tmp_path / "01.png").write_bytes(b"")
    checkpoint = {"image": "01.png", "mask": [{"role": "button"}]}
    click = {"click": {"role": "button", "name": "Go"}, "expect": [result("clicked")]}
    trace = drive(files, click | {"checkpoint": checkpoint})
    went_well(trace, 1)
    seen = _red(tmp_path / "shots" / str(trace.steps[1].shot))
    target = trace.steps[1].target
    assert target is not None
    nodes = json.loads((tmp_path / "shots" / str(trace.steps[1].snapshot)).read_text())
    (node,) = [node for node in nodes if node["role"] == "button"]
    for box in (target.box, r.Box(**node["box"]), *trace.steps[1].masks):
        edges = (box.x, box.y, box.x + box.width, box.y + box.height)
        assert edges == pytest.approx(seen, abs=1.5)
    assert len(trace.steps[1].masks) == 1


def _red(path: Path) -> tuple[float, float, float, float]:
    """Give the edges of what is red in a picture: left, top, right, bottom."""
    picture = images.read(path).astype(int)
    rows, columns = np.nonzero((picture[..., 2] > 200) & (picture[..., 1] < 60))
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def test_frame_that_is_covered_after_all_is_told(drive: Drive) -> None:
    """What lies over the point in the scaled frame is found there."""
    cover = "<div id='veil' style='position:absolute;left:150px;top:100px;width:500px;"
    page = FRAME.format(src="inner.html", style=OUTER + "transform: scale(.5)")
    files = {
        "inner.html": INNER,
        "index.html": page + cover + "height:500px;background:#0001'>Veil</div>",
    }
    trace = drive(files, {"click": {"role": "button", "name": "Go"}})
    assert trace.failed is not None
    assert trace.failed.failure is not None
    assert trace.failed.failure.kind == "covered"


def test_wheel_turns_in_a_scaled_frame(drive: Drive) -> None:
    """The pointer lies over the frame that is to scroll."""
    inner = "<p>First</p><div style='height:2000px'></div><button>Last</button>"
    style = OUTER + "transform: scale(.4); transform-origin: 100% 100%"
    files = {
        "inner.html": inner,
        "index.html": FRAME.format(src="inner.html", style=style),
    }
    trace = drive(files, {"scroll": {"to": "Last"}})
    went_well(trace, 1)

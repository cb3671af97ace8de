"""An observer sees a drive: moving pictures, input, what is loaded, what holds."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pytest_iwr import records as r
from pytest_iwr.drive import Browser
from pytest_iwr.load import load
from pytest_iwr.serve import Server

PAGE = """<!doctype html><title>t</title><style>body { margin: 0; background: red }
button { position: absolute; left: 100px; top: 100px; width: 100px; height: 50px }
</style><button onclick="document.body.style.background = 'blue';
document.querySelector('p').textContent = 'done'">Go</button>
<p>waiting</p><input aria-label="Name"><input type=password aria-label="Secret">
<img src="picture.svg" alt="">"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
TASK = """\
iwr: 1
viewport: {width: 400, height: 300}
steps:
  - click: Go
    expect: [{text: done}, {visible: {role: button}}]
  - type: {into: {label: Name}, text: Bo}
  - type: {into: {label: Secret}, text: x}
"""


class Notes:
    """An observer that writes everything down."""

    is_filming = True
    pause_s = 0.3
    key_pause_s = 0.05

    def __init__(self) -> None:
        self.order: list[str] = []
        self.held: dict[int, list[bool | None]] = {}
        self.looks: list[bytes] = []
        self.frames: list[tuple[float, bytes]] = []
        self.events: list[tuple[float, dict[str, Any]]] = []
        self.urls: list[tuple[str, str, str]] = []

    def before(self, step: int, ask: Callable[[], tuple[r.Outcome, ...]]) -> None:
        """Note what holds already."""
        self.order.append(f"before {step}")
        self.held[step] = [outcome.holds for outcome in ask()]

    def after(self, done: r.TraceStep, look: Callable[[float], Path]) -> None:
        """Note the step, and look once more."""
        self.order.append(f"after {done.number}")
        self.looks.append(look(0.1).read_bytes())

    def frame(self, at_s: float, jpeg: bytes) -> None:
        """Keep a frame."""
        self.frames.append((at_s, jpeg))

    def felt(self, at_s: float, event: Mapping[str, Any]) -> None:
        """Keep an event."""
        self.events.append((at_s, dict(event)))

    def loaded(self, url: str, resource: str, mime: str) -> None:
        """Keep the name of a file."""
        self.urls.append((url.rpartition("/")[2], resource, mime))


def test_observer_sees_all_of_a_drive(
    driver: Browser, server: Server, tmp_path: Path
) -> None:
    """Steps in order, what held before them, frames and input with their times."""
    site, task = tmp_path / "site", tmp_path / "task.iwr.yaml"
    site.mkdir()
    (site / "index.html").write_text(PAGE)
    (site / "picture.svg").write_text(SVG)
    task.write_text(TASK)
    notes = Notes()
    begun = time.time()
    served = r.Site(folder=str(site), sha256="", origin="a test's page")
    with server.serve(served, None) as hosted:
        trace = driver.drive(load(task), hosted.url, tmp_path, notes)
    assert trace.failed is None
    steps = [f"{word} {n}" for n in (1, 2, 3) for word in ("before", "after")]
    assert notes.order == ["after 0", *steps]
    assert notes.held[1] == [False, True]
    assert ("picture.svg", "Image", "image/svg+xml") in notes.urls
    clicks = [e for _, e in notes.events if e["type"] == "mousedown"]
    assert (round(clicks[0]["x"]), round(clicks[0]["y"])) == (150, 125)
    keys = [(at, e["key"]) for at, e in notes.events if e["type"] == "keydown"]
    assert [key for _, key in keys] == ["B", "o", "•"]
    assert keys[1][0] - keys[0][0] >= 0.04
    times = [at for at, _ in notes.frames]
    assert begun <= times[0] < times[-1] <= time.time()
    colours = [_corner(jpeg) for _, jpeg in notes.frames]
    assert "red" in colours
    assert colours[-1] == "blue"
    turned = times[colours.index("blue")]
    clicked = next(at for at, e in notes.events if e["type"] == "mousedown")
    assert 0 <= turned - clicked < 1
    assert _corner(notes.looks[0]) == "red"
    assert _corner(notes.looks[1]) == "blue"


def _corner(data: bytes) -> str:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    blue, _, red = (int(value) for value in picture[-2, -2])
    return "red" if red > 200 and blue < 50 else "blue" if blue > 200 > red else "other"

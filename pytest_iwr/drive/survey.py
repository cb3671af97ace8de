"""What a grounder is shown: a window's elements as a numbered tree, and a picture.

Of every document, open shadow root and scrolling part; what is out of sight is listed
with the way to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.drive import numbers
from pytest_iwr.drive.camera import Camera
from pytest_iwr.drive.views import View, ViewLostError
from pytest_iwr.drive.windows import Windows

MOST = 400
"""Elements that a model is shown; those nearest to what is on screen."""


class Found(NamedTuple):
    """Where a number leads."""

    view: View
    place: int
    """Of the element in its document's newest list, from 0."""


@dataclass(frozen=True)
class Survey:
    """What a window shows at one moment."""

    lines: tuple[r.Listed, ...]
    left_out: int
    picture: bytes
    """PNG, numbered; empty where none was asked for."""
    found: dict[int, Found]


@dataclass
class _Line:
    """A line of a document's list, before it has its number."""

    view: View
    said: dict[str, Any]
    index: int | None
    """Among the document's elements; `None`: it only holds others."""
    box: r.Box | None = None
    place: r.Place | None = None
    far_px: float = 0.0
    """From what the window shows."""
    is_kept: bool = True


class _Part(NamedTuple):
    """What the window shows of a document; CSS pixels of the window."""

    left: float
    top: float
    right: float
    bottom: float


def survey(windows: Windows, camera: Camera) -> Survey:
    """List the newest window, and draw its elements' numbers on a shot of it."""
    lines: list[_Line] = []
    texts: list[r.Box] = []

    def look(view: View) -> None:
        if view.is_shown():
            _read(view, windows, lines, texts)

    shot = images.decode(camera.see(look))
    listed, left_out, found = _number(lines)
    picture, shrunk = numbers.fit(shot)
    scale = camera.scale * shrunk
    numbered = [
        numbers.Mark(line.number, line.box.scaled(scale))
        for line in listed
        if line.number is not None and line.box and line.place == "on screen"
    ]
    png = numbers.draw(picture, numbered, [text.scaled(scale) for text in texts])
    return Survey(listed, left_out, png, found)


def list_only(windows: Windows) -> tuple[r.Listed, ...]:
    """List the newest window without a picture, to see whether it has changed."""
    lines: list[_Line] = []
    for view in windows.views.all():
        try:
            if view.is_shown():
                _read(view, windows, lines, None)
        except ViewLostError:
            continue
    return _number(lines)[0]


def _read(
    view: View, windows: Windows, lines: list[_Line], texts: list[r.Box] | None
) -> None:
    """Add a document's lines, and where it shows words."""
    answer = view.ask("list", {"places": texts is not None})
    place = view.place()
    part = _Part(*view.shown_part())
    outer = 0
    if view.parent is not None:
        name = windows.short(view.url)
        lines.append(_Line(view, {"depth": 0, "role": "frame", "name": name}, None))
        outer = 1
    first = len(lines)
    index = 0
    for said in answer["lines"]:
        box = said.pop("box", None)
        said["depth"] += outer
        if not said.pop("isThing"):
            lines.append(_Line(view, said, None))
            continue
        line = _Line(view, said, index)
        line.place = said.pop("place")
        _put(line, r.Box(**place.box(box)), part)
        lines.append(line)
        index += 1
    _look_over(view, [line for line in lines[first:] if line.place == "on screen"])
    if texts is not None:
        shown = (_cut(r.Box(**place.box(box)), part) for box in answer["texts"])
        texts += [box for box in shown if box is not None]


def _look_over(view: View, lines: list[_Line]) -> None:
    """Say which elements of a frame something in an outer document covers."""
    parent = view.parent
    while parent is not None and lines:
        place = parent.place()
        middles = [
            place.into(box.x + box.width / 2, box.y + box.height / 2)
            for line in lines
            if (box := line.box) is not None
        ]
        for line, is_free in zip(lines, parent.ask("areFrames", middles), strict=True):
            if not is_free:
                line.place = "covered"
        parent = parent.parent


def _put(line: _Line, box: r.Box, part: _Part) -> None:
    """Say where an element is; what its frame does not show is out of sight."""
    cut = _cut(box, part)
    line.box = cut or box
    dx = max(0.0, part.left - box.x - box.width, box.x - part.right)
    dy = max(0.0, part.top - box.y - box.height, box.y - part.bottom)
    line.far_px = dx + dy
    if line.place in {"on screen", "covered"} and cut is None:
        if box.y >= part.bottom - 2 or part.bottom - part.top < 2:  # noqa: PLR2004 - px
            line.place = "below"
        elif box.y + box.height <= part.top + 2:
            line.place = "above"
        else:
            line.place = "left" if box.x < part.left else "right"


def _cut(box: r.Box, part: _Part) -> r.Box | None:
    """Give what a frame shows of a box; `None` where that is less than two pixels."""
    left, top = max(box.x, part.left), max(box.y, part.top)
    right = min(box.x + box.width, part.right)
    bottom = min(box.y + box.height, part.bottom)
    if right - left < 2 or bottom - top < 2:  # noqa: PLR2004 - pixels
        return None
    return r.Box(x=left, y=top, width=right - left, height=bottom - top)


def _number(
    lines: list[_Line],
) -> tuple[tuple[r.Listed, ...], int, dict[int, Found]]:
    """Number the elements, leave out the farthest where they are too many.

    What holds nothing that is listed is left out as well.
    """
    things = [line for line in lines if line.index is not None]
    order = sorted(things, key=lambda line: (line.place != "on screen", line.far_px))
    for line in order[MOST:]:
        line.is_kept = False
    _drop_empty(lines)
    listed: list[r.Listed] = []
    found: dict[int, Found] = {}
    for line in lines:
        if not line.is_kept:
            continue
        number = None
        if line.index is not None:
            number = len(found) + 1
            found[number] = Found(line.view, line.index)
        listed.append(
            r.Listed(**line.said, number=number, place=line.place, box=line.box)
        )
    return tuple(listed), max(0, len(things) - MOST), found


def _drop_empty(lines: Sequence[_Line]) -> None:
    """Leave out what holds nothing that is listed."""
    next_depth: int | None = None  # of the next line that is kept
    for line in reversed(lines):
        depth = line.said["depth"]
        if line.index is None:
            line.is_kept = next_depth is not None and next_depth > depth
        if line.is_kept:
            next_depth = depth

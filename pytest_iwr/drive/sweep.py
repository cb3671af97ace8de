"""Long movements: the wheel, dragging with the mouse, a finger's swipe."""

import time
from typing import Any

from pytest_iwr import records as r
from pytest_iwr.drive.locate import Aimed, StepFailed, aim, plain
from pytest_iwr.drive.rest import PAUSE_MS
from pytest_iwr.drive.views import View
from pytest_iwr.drive.windows import Windows

_MOVES = 12
_JIGGLE_PX = 3
_MOST_TURNS = 60
_STILL_S = 1.0
"""How long the wheel's movement is waited for."""


def scroll(
    windows: Windows, action: r.Scroll, deadline: float
) -> tuple[r.Element | None, dict[str, str]]:
    """Turn the wheel over the page or a container; it must move.

    Gives the container and from where to where it went, in CSS pixels. Raises
    StepFailed `nothing_scrolled`, or as for any target.
    """
    container = None
    view = windows.views.main
    if action.in_ is not None:
        aimed = aim(windows, action.in_, "", deadline, guards=False)
        container, view = aimed.element, aimed.view
    if action.to is not None:
        moved = _scroll_to(windows, view, action, deadline)
    else:
        moved = _scroll_by(windows, view, action)
    if not moved:
        what = action.in_.phrase() if action.in_ else "the page"
        raise StepFailed("nothing_scrolled", f"{what} did not move under the wheel")
    return container, moved


def _scroll_by(windows: Windows, view: View, action: r.Scroll) -> dict[str, str]:
    way = (action.by_x or 0.0, action.by or 0.0)
    signs = {"container": action.in_ is not None, "dx": way[0], "dy": way[1]}
    start = view.ask("wheel", signs)
    dx, dy = way[0] * start["width"], way[1] * start["height"]
    return _turn(windows, view, start, dx, dy)


def _turn(
    windows: Windows, view: View, start: dict[str, Any], dx: float, dy: float
) -> dict[str, str]:
    """Turn the wheel once; give from where to where, empty when nothing moved."""
    left, top = view.origin()
    page = windows.page
    page.mouse.move(start["x"] + left, start["y"] + top)
    page.mouse.wheel(dx, dy)
    before = (start["left"], start["top"])
    last, place = None, before
    patience = time.monotonic() + _STILL_S
    while time.monotonic() < patience:
        now = view.ask("place")
        last, place = place, (now["left"], now["top"])
        if place == last and place != before:
            break
        page.wait_for_timeout(PAUSE_MS)
    if place == before:
        return {}
    return {
        "from": f"{before[0]:.0f},{before[1]:.0f}",
        "to": f"{place[0]:.0f},{place[1]:.0f}",
    }


def _scroll_to(
    windows: Windows, view: View, action: r.Scroll, deadline: float
) -> dict[str, str]:
    """Turn the wheel until the target is in view, as a person would."""
    target = action.to
    if target is None:
        raise AssertionError
    first: dict[str, str] = {}
    for _ in range(_MOST_TURNS):
        found = view.ask("find", {"target": plain(target), "verb": ""})
        if not found:
            if time.monotonic() >= deadline:
                text = f"{target.phrase()} was not found: nothing visible matches"
                raise StepFailed("target_missing", text)
            windows.page.wait_for_timeout(PAUSE_MS)
            continue
        box = found[0]["box"]
        signs = {"container": False, "dx": 0, "dy": 1 if box["y"] > 0 else -1}
        if action.in_ is not None:
            view.ask("find", {"target": plain(action.in_), "verb": ""})
            signs["container"] = True
        start = view.ask("wheel", signs)
        height = start["height"]
        middle = box["y"] + box["height"] / 2
        is_inside = box["y"] >= 0 and box["y"] + box["height"] <= height
        if is_inside or (first and abs(middle - height / 2) < height / 4):
            return first or {"to": f"{start['left']:.0f},{start['top']:.0f}"}
        way = max(-height * 0.8, min(height * 0.8, middle - height / 2))
        moved = _turn(windows, view, start, 0, way)
        if not moved:
            return first
        first = {"from": first.get("from", moved["from"]), "to": moved["to"]}
    return first


def drag(windows: Windows, action: r.Drag, deadline: float) -> tuple[r.Element, r.Hit]:
    """Drag in many small moves with a last jiggle; the source must get the press.

    Raises StepFailed `input_lost`, or as for any target.
    """
    if action.from_ is None:
        raise AssertionError
    end: Aimed | None = None
    if action.to is not None:
        end = aim(windows, action.to, "", deadline, guards=False)
    start = aim(windows, action.from_, "", deadline)
    if end is not None and action.to is not None:
        # Aiming at the source may have scrolled: look once more, without scrolling.
        box = end.view.ask("find", {"target": plain(action.to), "verb": ""})[0]["box"]
        left, top = end.view.origin()
        x = left + box["x"] + box["width"] / 2
        y = top + box["y"] + box["height"] / 2
    else:
        by = action.by or r.Offset()
        x, y = start.x + by.x, start.y + by.y
    log = windows.log.input
    log.clear()
    mouse = windows.page.mouse
    mouse.move(start.x, start.y)
    mouse.down()
    mouse.move(x, y, steps=_MOVES)
    mouse.move(x + _JIGGLE_PX, y)
    mouse.move(x, y)
    mouse.up()
    kinds = {event["type"] for event in log}
    if not kinds & {"pointerdown", "mousedown", "dragstart"}:
        text = f"{start.words} did not get the press that begins the drag"
        raise StepFailed("input_lost", text)
    hit = r.Hit(x=start.x, y=start.y, received_by=start.received_by, is_target=True)
    return start.element, hit


def swipe(windows: Windows, action: r.Swipe, deadline: float) -> r.Element | None:
    """Swipe with one finger across the page or a container.

    Raises StepFailed `input_lost` when no document saw the finger.
    """
    target = action.in_ or r.Target(css="html")
    aimed = aim(windows, target, "", deadline, guards=False)
    box = aimed.element.box
    signs = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
    sx, sy = signs[action.direction or "up"]
    reach_x, reach_y = box.width * action.by * sx, box.height * action.by * sy
    x, y = aimed.x - reach_x / 2, aimed.y - reach_y / 2
    log = windows.log.input
    log.clear()
    session = windows.views.session
    for step in range(_MOVES + 1):
        point = {
            "x": x + reach_x * step / _MOVES,
            "y": y + reach_y * step / _MOVES,
        }
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    if not {event["type"] for event in log} & {"touchstart", "pointerdown"}:
        text = f"{aimed.words} did not feel the finger. Has the viewport `touch: true`?"
        raise StepFailed("input_lost", text)
    return aimed.element

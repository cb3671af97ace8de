"""Long movements: the wheel, dragging with the mouse, a finger's swipe."""

import math
import time
from typing import Any

from pytest_iwr import records as r
from pytest_iwr.drive.locate import Aimed, StepFailed, aim, best_view, plain
from pytest_iwr.drive.rest import PAUSE_MS
from pytest_iwr.drive.views import View
from pytest_iwr.drive.windows import Windows

_MOVES = 12
_JIGGLE_PX = 3
_MOST_TURNS = 60
_TOUCH_S = 0.016
_HELD_S = 0.2
"""The finger rests before it is lifted, so that no momentum adds to its way."""
_STILL_S = 1.0
"""How long the wheel's movement is waited for."""
_PRESSED_MS = 280
"""The button is down so long before a drag moves on: some lists want a press that
lasts, 250 ms as a rule."""


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
        moved = _scroll_to(windows, action, deadline)
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
    page = windows.page
    page.mouse.move(*view.place().out(start["x"], start["y"]))
    page.mouse.wheel(dx, dy)
    before = (start["left"], start["top"])
    last, place = None, before
    patience = time.monotonic() + _STILL_S
    while time.monotonic() < patience:
        now = view.ask("place")
        last, place = place, (now["left"], now["top"])
        if place == last and place != before:
            break
        windows.wait(PAUSE_MS)
    if place == before:
        return {}
    return {
        "from": f"{before[0]:.0f},{before[1]:.0f}",
        "to": f"{place[0]:.0f},{place[1]:.0f}",
    }


def _scroll_to(windows: Windows, action: r.Scroll, deadline: float) -> dict[str, str]:
    """Turn the wheel until the target is in view, as a person would.

    What scrolls may be the page, parts of it one inside the other, or a frame.
    """
    target = action.to
    if target is None:
        raise AssertionError
    if action.in_ is not None and target.in_ is None:
        target = target.model_copy(update={"in_": action.in_})
    question = {"target": plain(target), "verb": ""}
    moved: dict[str, str] = {}
    for _ in range(_MOST_TURNS):
        views = windows.views.all()
        view = views[0] if len(views) == 1 else best_view(views, question)
        way = view.ask("wayTo", question)
        if way["state"] == "there":
            moved = moved or {"to": f"{way['left']:.0f},{way['top']:.0f}"}
            return moved | ({"matches": str(way["count"])} if way["count"] > 1 else {})
        if way["state"] == "missing":
            if time.monotonic() >= deadline:
                text = f"{target.phrase()} was not found: nothing visible matches"
                raise StepFailed("target_missing", text, action.to)
            windows.wait(PAUSE_MS)
            continue
        turned = {}
        if way["state"] == "away":
            turned = _turn(windows, view, way, way["dx"], way["dy"])
        if not turned:
            text = f"the wheel does not bring {target.phrase()} into view"
            raise StepFailed("nothing_scrolled", text)
        moved = {"from": moved.get("from", turned["from"]), "to": turned["to"]}
    text = f"{target.phrase()} is not in view after {_MOST_TURNS} turns of the wheel"
    raise StepFailed("nothing_scrolled", text)


def drag(windows: Windows, action: r.Drag, deadline: float) -> tuple[r.Element, r.Hit]:
    """Drag in many small moves with a last jiggle; the source must get the press.

    Raises StepFailed `input_lost`, or as for any target.
    """
    if action.from_ is None:
        raise AssertionError
    end: Aimed | None = None
    if action.to is not None:
        end = aim(windows, action.to, "", deadline, guards=False)
    start = aim(windows, action.from_, "drag", deadline)
    if end is not None and action.to is not None:
        x, y = _middle(end, action.to)
    else:
        by = action.by or r.Offset()
        x, y = start.x + by.x, start.y + by.y
    log = windows.log.input
    log.clear()
    mouse = windows.page.mouse
    mouse.move(start.x, start.y)
    mouse.down()
    windows.wait(_PRESSED_MS)
    mouse.move(x, y, steps=_MOVES)
    if end is None:
        mouse.move(x + _JIGGLE_PX, y)
        mouse.move(x, y)
    else:  # past the middle, where a list makes room for it
        way = math.hypot(x - start.x, y - start.y) or 1.0
        beyond = _JIGGLE_PX / way
        mouse.move(x + (x - start.x) * beyond, y + (y - start.y) * beyond)
    mouse.up()
    kinds = {event["type"] for event in log}
    if not kinds & {"pointerdown", "mousedown", "dragstart"}:
        text = f"{start.words} did not get the press that begins the drag"
        raise StepFailed("input_lost", text)
    hit = r.Hit(x=start.x, y=start.y, received_by=start.received_by, is_target=True)
    return start.element, hit


def _middle(end: Aimed, target: r.Target) -> tuple[float, float]:
    """Look for the end once more: aiming at the source may have scrolled."""
    found = end.view.ask("find", {"target": plain(target), "verb": ""})
    if not found:
        raise StepFailed("target_missing", f"{target.phrase()} went away")
    box = found[0]["box"]
    return end.view.place().out(
        box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    )


def swipe(windows: Windows, action: r.Swipe, deadline: float) -> r.Element | None:
    """Swipe with one finger across the page or a container.

    Raises StepFailed `input_lost` when no document saw the finger.
    """
    heard = [view.ask("hear") for view in windows.views.all()]
    aimed = None
    box = r.Box(x=0, y=0, width=heard[0]["width"], height=heard[0]["height"])
    x, y = box.width / 2, box.height / 2
    if action.in_ is not None:
        aimed = aim(windows, action.in_, "", deadline, guards=False)
        x, y = aimed.x, aimed.y
        width = min(aimed.element.box.width, box.width)
        height = min(aimed.element.box.height, box.height)
        box = r.Box(x=0, y=0, width=width, height=height)
    signs = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
    sx, sy = signs[action.direction or "up"]
    reach_x, reach_y = box.width * action.by * sx, box.height * action.by * sy
    x, y = x - reach_x / 2, y - reach_y / 2
    log = windows.log.input
    log.clear()
    send = windows.views.session.send
    now = time.time()
    for step in [*range(_MOVES + 1), _MOVES]:
        point = {
            "x": x + reach_x * step / _MOVES,
            "y": y + reach_y * step / _MOVES,
        }
        now += _TOUCH_S
        event = {
            "type": "touchMove" if step else "touchStart",
            "touchPoints": [point],
            "timestamp": now,
        }
        send("Input.dispatchTouchEvent", event)
    now += _HELD_S
    end = {"type": "touchEnd", "touchPoints": [], "timestamp": now}
    send("Input.dispatchTouchEvent", end)
    if not {event["type"] for event in log} & {"touchstart", "pointerdown"}:
        what = aimed.words if aimed else "the page"
        text = f"{what} did not feel the finger. Has the viewport `touch: true`?"
        raise StepFailed("input_lost", text)
    return aimed.element if aimed else None

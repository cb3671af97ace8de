"""Looks, right after a step failed, at what could tell why: listeners, places, motion.

Nothing here runs while a page does well. What cannot be found out in time is left
out; the failure stands as it was recorded.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Error

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.drive.camera import Camera
from pytest_iwr.drive.locate import plain
from pytest_iwr.drive.looks import LookMissing, resolve
from pytest_iwr.drive.views import View, ViewLostError
from pytest_iwr.drive.windows import Windows
from pytest_iwr.drive.written import bearable

DIAGNOSE_S = 4.0
"""So long it may take, with the looks at what moves by itself."""
LOOKS_MS = (230.0, 370.0, 520.0)
"""Pauses before these looks: in all more than a second, when clocks turn, and no two
alike, so that what goes to and fro is not met in the same place each time."""
_ALIVE_MS = 1000.0
_MOST_LISTENERS = 30
_LONGEST = 120
_SLACK_MS = 500.0
"""Of the browser's clock against ours."""
_ASKING = {"expectation", "input_lost", "nothing_scrolled"}
"""Failures that do not say themselves what is wrong with the page."""


@dataclass
class Question:
    """A step that failed, and what it wanted."""

    step: r.TraceStep
    action: r.Action | None
    """`None`: it could not be carried out."""
    expectation: r.Expectation | None
    """The first false one."""
    before: r.TraceStep | None
    begun: float
    """Monotonic seconds."""

    @property
    def keys(self) -> list[str]:
        """The keys that were pressed, as far as the browser acts on them by itself."""
        if isinstance(self.action, r.Type):
            return ["Enter"] if self.action.submit else []
        pressed = self.step.received.get("keys", "")
        return [key or " " for key in pressed.split(" ")] if pressed else []


def needs_facts(failure: r.Failure | None) -> bool:
    """Tell whether a failure leaves open what is wrong with the page."""
    return failure is not None and failure.kind in _ASKING


def diagnose(windows: Windows, camera: Camera, question: Question) -> r.Facts:
    """Find out what a stored trace could not tell later.

    Never raises for what the page does: it may go away or hang meanwhile.
    """
    found: dict[str, Any] = {}
    with suppress(Error, ViewLostError):
        # The driver keeps this time-out, also on a page that loops for ever.
        html = windows.page.locator("html")
        html.wait_for(state="attached", timeout=_ALIVE_MS)
        deadline = time.monotonic() + DIAGNOSE_S / 2
        found["thrown"] = _thrown(windows)
        _look_at_place(windows, question.expectation, found)
        _look_at_trail(windows, question, found, deadline)
        if not found.get("is_new_document"):
            _look_on(windows, camera, question, found)
    return r.Facts(**found)


def _look_on(
    windows: Windows, camera: Camera, question: Question, found: dict[str, Any]
) -> None:
    """Note what changes by itself, where the step seems to have changed anything."""
    step, before = question.step, question.before
    if not (step.shot and step.snapshot and before and before.shot and before.snapshot):
        return
    folder = camera.folder
    shot, snapshot = folder / step.shot, folder / step.snapshot
    if (folder / before.shot).read_bytes() == shot.read_bytes() and (
        folder / before.snapshot
    ).read_bytes() == snapshot.read_bytes():
        return
    picture, texts = images.read(shot), _texts(json.loads(snapshot.read_bytes()))
    boxes: list[r.Box] = []
    restless: set[str] = set()
    for pause in LOOKS_MS:
        windows.wait(pause)
        path, nodes = camera.glance()
        motion = images.motion(picture, images.read(path))
        boxes += [motion.box.scaled(1 / camera.scale)] if motion else []
        now = _texts(nodes)
        restless |= set(texts - now) | set(now - texts)
    found["restless"] = boxes
    found["restless_texts"] = sorted(restless)[:_MOST_LISTENERS]


def _texts(nodes: list[dict[str, Any]]) -> Counter[str]:
    return Counter(
        one[key][:_LONGEST] for one in nodes for key in ("name", "value") if key in one
    )


def _thrown(windows: Windows) -> list[r.Message]:
    """Give what the document threw so far, as the browser tells it to a new listener.

    It knows the places of mistakes in the writing of a script, too.
    """
    thrown: list[r.Message] = []

    def hear(event: dict[str, Any]) -> None:
        details = event["exceptionDetails"]
        text = details.get("exception", {}).get("description") or details["text"]
        place = windows.short(details["url"]) if details.get("url") else ""
        where = f"{bearable(place)}:{details['lineNumber'] + 1}" if place else ""
        text = " ".join(text.splitlines()[0].split())[:_LONGEST] if text else ""
        thrown.append(r.Message(level="uncaught", text=text, where=where))

    session = windows.page.context.new_cdp_session(windows.page)
    session.on("Runtime.exceptionThrown", hear)
    session.send("Runtime.enable")
    session.detach()
    return thrown[:_MOST_LISTENERS]


# --- where the expectation looks


def _look_at_place(
    windows: Windows, e: r.Expectation | None, found: dict[str, Any]
) -> None:
    if e is None or e.kind == "prose":
        return
    found["wanted"] = _wanted(e)[:_LONGEST]
    found["hidden"] = _hidden(windows, e)[:_LONGEST]
    place = _place_of(e)
    if place is None:
        return
    boxes = _boxes(windows, place, is_text=e.kind in _TEXTS)
    found["watched"] = boxes
    is_wanted_itself = e.kind in {"visible", "hidden", "count"} and e.in_ is None
    found["is_place_missing"] = not boxes and not is_wanted_itself


_TEXTS = {"text", "no_text", "text_is"}


def _boxes(windows: Windows, target: r.Target, *, is_text: bool) -> list[r.Box]:
    """Give the places of a target in the window, as its expectation takes them."""
    try:
        asked = {"target": plain(resolve(windows, target))}
    except LookMissing:
        return []
    boxes = []
    for view in windows.views.all():
        found = view.ask("text", asked)["found"] if is_text else None
        if found is None:
            found = view.ask("regions", asked)
        if found and view.is_shown():
            place = view.place()
            boxes += [r.Box(**place.box(one["box"])) for one in found]
    return boxes


def _wanted(e: r.Expectation) -> str:
    target = e.visible
    named = (target.name or target.text or "") if target is not None else ""
    return e.text or e.text_is or e.value or named


def _place_of(e: r.Expectation) -> r.Target | None:
    """Give what an expectation looks at, `None`: the page, its address or title."""
    value = getattr(e, e.kind)
    if e.in_ is not None:
        return e.in_
    return value if isinstance(value, r.Target) else None


def _hidden(windows: Windows, e: r.Expectation) -> str:
    """Give what is expected to be seen and is there, but hidden; "": nothing is."""
    if e.kind in {"text", "text_is"}:
        question = "hiddenText"
        asked: dict[str, Any] = {"text": e.text or e.text_is}
    elif e.visible is not None and e.equals is not False:
        target = e.visible
        if e.in_ is not None and target.in_ is None:
            target = target.model_copy(update={"in_": e.in_})
        try:
            asked = {"target": plain(resolve(windows, target)), "verb": ""}
        except LookMissing:
            return ""
        question = "why"
    else:
        return ""
    twins = (str(view.ask(question, asked)) for view in windows.views.all())
    return next(filter(None, twins), "")


# --- what the input passed


def _look_at_trail(
    windows: Windows, question: Question, found: dict[str, Any], deadline: float
) -> None:
    """Note what the input reached, and what there could answer it."""
    spent_ms = (time.monotonic() - question.begun) * 1000 + _SLACK_MS
    asked = {"verb": question.step.verb, "keys": question.keys}
    for number, view in enumerate(windows.views.all()):
        with suppress(ViewLostError):
            told = view.ask("trail", asked)
            if number == 0:
                found["is_new_document"] = told["documentAge"] < spent_ms - _SLACK_MS
            if told["turnAge"] < spent_ms and told["stillness"]:
                found["still"] = told["stillness"]
            if not told["marks"] or told["age"] > spent_ms:
                continue
            found |= {
                "reached": told["marks"][0][:_LONGEST],
                "default": told["acts"][:_LONGEST],
                "own": told["own"][:_LONGEST],
                "listeners": [],
                "is_whole": False,
            }
            for listener in _listeners(view, told):
                found["listeners"].append(listener)
                if len(found["listeners"]) >= _MOST_LISTENERS:
                    break
                if time.monotonic() >= deadline:
                    return
            found["is_whole"] = True
            view.session.send("Runtime.releaseObjectGroup", _GROUP)


_GROUP = {"objectGroup": "iwr-why"}
"""Only what is in a group comes with its functions."""
_LEAVING = {"blur", "focusout", "change"}


def _listeners(view: View, told: dict[str, Any]) -> Iterator[r.Listener]:
    """Give the page's own listeners for the step's events, innermost first."""
    session = view.session
    stops = _references(session, view.context)
    last = len(stops) - told["left"]
    for number, (stop, mark) in enumerate(zip(stops, told["marks"], strict=False)):
        types = set(told["types"]) if number < last else _LEAVING
        is_deep = number == 0 and told["isClosed"]
        options = {"depth": -1 if is_deep else 1, "pierce": True}
        asked = {"objectId": stop, **options}
        if mark == "the window":
            asked = {"objectId": _own_window(session, stops)}
        answer = session.send("DOMDebugger.getEventListeners", asked)
        for one in answer["listeners"]:
            if one["type"] not in types:
                continue
            made = one.get("originalHandler") or one.get("handler") or {}
            yield r.Listener(
                on=mark[:_LONGEST],
                event=one["type"],
                line=one["lineNumber"] + 1,
                source=" ".join(made.get("description", "").split())[:_LONGEST],
            )


def _references(session: CDPSession, context: int | None) -> list[str]:
    """Give what the input passed, by the browser's numbers for them."""
    asked = {"expression": "iwrStops()", "contextId": context, **_GROUP}
    array = session.send("Runtime.evaluate", asked)["result"]["objectId"]
    listed = session.send(
        "Runtime.getProperties", {"objectId": array, "ownProperties": True}
    )
    return [
        one["value"]["objectId"] for one in listed["result"] if one["name"].isdigit()
    ]


def _own_window(session: CDPSession, stops: list[str]) -> str:
    """Give the window as the page's scripts have it: ours has our listeners only."""
    node = session.send("DOM.describeNode", {"objectId": stops[0]})["node"]
    asked = {"backendNodeId": node["backendNodeId"], **_GROUP}
    own = session.send("DOM.resolveNode", asked)
    call = {
        **_GROUP,
        "functionDeclaration": "function () { return window; }",
        "objectId": own["object"]["objectId"],
    }
    return str(session.send("Runtime.callFunctionOn", call)["result"]["objectId"])

"""Targets → elements, over all documents of the window, at the moment of acting."""

import time
from dataclasses import dataclass
from typing import Any, Literal

from pytest_iwr import records as r
from pytest_iwr.drive.chosen import Chosen
from pytest_iwr.drive.looks import LookMissing, resolve
from pytest_iwr.drive.views import View, ViewLostError
from pytest_iwr.drive.windows import Windows

PAUSE_MS = 50
_EQUAL = 0.015
"""Two worths closer than this are a tie (as in `find.js`)."""

Purpose = Literal["", "click", "type", "check", "select", "drag"]


class StepFailed(Exception):  # noqa: N818 (a verdict about the page, not an error)
    """The page is wrong: the step cannot be carried out, or something does not hold."""

    def __init__(
        self, kind: r.FailureKind, message: str, target: r.Target | None = None
    ) -> None:
        """Keep the verdict, and the target that it is about, if it is about one."""
        super().__init__(message)
        self.failure = r.Failure(kind=kind, message=message)
        self.target = target


@dataclass
class Aimed:
    """An element that is ready to be touched."""

    view: View
    element: r.Element
    words: str
    x: float
    """CSS pixels of the window."""
    y: float
    received_by: str
    facts: dict[str, Any]
    """`checked`, `focused`, `file`, `native`, `isDisabled`."""


def plain(target: r.Target) -> dict[str, Any]:
    """Give the target as `find.js` reads it."""
    return target.model_dump(by_alias=True, exclude_none=True)


def aim(
    windows: Windows,
    target: r.Target,
    purpose: Purpose,
    deadline: float,
    *,
    guards: bool = True,
) -> Aimed:
    """Find the one element that is meant, bring it into view and check its point.

    Retries until `deadline` (monotonic seconds). Raises StepFailed of the kinds
    `target_missing`, `hidden`, `ambiguous`, `covered` and `not_interactive`.
    """
    failure: StepFailed | None = None
    while True:
        try:
            return _aim_once(windows, target, purpose, guards=guards)
        except StepFailed as problem:
            failure = problem
        except ViewLostError as problem:
            failure = failure or _missing(target, str(problem))
        if time.monotonic() >= deadline:
            raise failure
        windows.wait(PAUSE_MS)


def _aim_once(
    windows: Windows, target: r.Target, purpose: Purpose, *, guards: bool
) -> Aimed:
    try:
        meant = resolve(windows, target)
    except LookMissing as missing:
        raise _missing(target, str(missing)) from missing
    views = windows.views.all()
    question = {"target": plain(meant), "verb": purpose, "guards": guards}
    view = views[0] if len(views) == 1 else best_view(views, question)
    answer = view.ask("aim", question)
    if answer["count"] == 0:
        twins = [twin for v in views if (twin := v.ask("why", question))]
        if twins:
            text = f"{target.phrase()} is there but not visible: {twins[0]}"
            raise StepFailed("hidden", text)
        raise _missing(target, "nothing visible matches")
    if answer["count"] > 1:
        named = "; ".join(_place(c) for c in answer["candidates"][:4])
        text = f"{answer['count']} elements match {target.phrase()} equally: {named}"
        raise StepFailed(
            "ambiguous", f"{text}. Name one with near, in, nth or position", target
        )
    words = answer["element"].pop("words")
    if not answer["isTarget"]:
        cover = answer["by"]
        raise StepFailed("covered", f"{words} is covered by {cover}")
    if purpose and answer["isDisabled"]:
        raise StepFailed("not_interactive", f"{words} is disabled")
    place = view.place()
    x, y = place.out(answer["x"], answer["y"])
    _check_frames(view, words, x, y)
    element = r.Element(
        **answer["element"],
        frame="" if view is views[0] else view.url,
        how=f"model {meant.by}" if isinstance(meant, Chosen) else "",
    )
    if view.parent is not None:
        box = r.Box(**place.box(answer["element"]["box"]))
        element = element.model_copy(update={"box": box})
    return Aimed(view, element, words, x, y, answer["by"], answer)


def _missing(target: r.Target, why: str) -> StepFailed:
    text = f"{target.phrase()} was not found: {why}"
    return StepFailed("target_missing", text, target)


def _place(candidate: dict[str, Any]) -> str:
    box = candidate["box"]
    return f"{candidate['words']} at {box['x']:.0f},{box['y']:.0f}"


def best_view(views: list[View], question: dict[str, Any]) -> View:
    """Give the document that holds the best match; the outer one on equal terms."""
    best, best_worth = views[0], 0.0
    for view in views:
        try:
            found = view.ask("find", question)
        except ViewLostError:
            continue
        worth = max((one["worth"] for one in found), default=0.0)
        if worth > best_worth + _EQUAL and view.is_shown():
            best, best_worth = view, worth
    return best


def _check_frames(view: View, words: str, x: float, y: float) -> None:
    """Check that nothing of an outer document covers the frame at the point."""
    parent = view.parent
    while parent is not None:
        inner_x, inner_y = parent.place().into(x, y)
        there = parent.ask("frameAt", {"x": inner_x, "y": inner_y})
        if not there["isFrame"]:
            text = f"{words} in a frame is covered by {there['by']}"
            raise StepFailed("covered", text)
        parent = parent.parent


def focused_view(windows: Windows) -> tuple[View, dict[str, Any]]:
    """Give the document that has the keyboard focus, and what has it there."""
    views = windows.views.all()
    for view in reversed(views):
        try:
            focus: dict[str, Any] = view.ask("focus")
        except ViewLostError:
            continue
        if focus["has"] and not focus["frame"]:
            if view is not views[0] and not _has_frame_focus(view):
                continue
            return view, focus
    return views[0], views[0].ask("focus")


def _has_frame_focus(view: View) -> bool:
    parent = view.parent
    return parent is None or bool(parent.ask("focus")["frame"])

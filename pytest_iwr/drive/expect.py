"""Deterministic expectations on the live page; they retry until the deadline."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.drive.locate import focused_view, plain
from pytest_iwr.drive.looks import LookMissing, resolve
from pytest_iwr.drive.views import ViewLostError
from pytest_iwr.drive.windows import Windows

PAUSE_MS = 50
_LONGEST = 160
_SCROLL_TOLERANCE = 0.05
"""Of the height of what scrolls."""


@dataclass(frozen=True)
class Before:
    """The screen before the step, for `changed` and `unchanged`."""

    shot: Path | None
    scale: float
    """Device pixels for one CSS pixel."""


def words_of(expectation: r.Expectation) -> str:
    """Give an expectation in words, for messages."""
    kind = expectation.kind
    value = getattr(expectation, kind)
    shown = value.phrase() if isinstance(value, r.Target) else repr(value)
    text = f"{kind} {shown}"
    for name in ("equals", "at_least", "at_most"):
        bound = getattr(expectation, name)
        if bound is not None:
            text += f" {name.replace('_', ' ')} {bound}"
    return f"{text} in {expectation.in_.phrase()}" if expectation.in_ else text


def wait_for(
    windows: Windows,
    expectations: Sequence[r.Expectation],
    before: Before,
    look: Callable[[], Path],
    deadline: float,
) -> tuple[r.Outcome, ...]:
    """Ask until all hold or the deadline (monotonic seconds) comes.

    `look()` takes a fresh shot of the screen and gives its file. Prose is not judged
    here: its outcome is `None`.
    """
    while True:
        try:
            outcomes = tuple(_one(windows, e, before, look) for e in expectations)
        except ViewLostError:
            outcomes = ()
        is_settled = bool(outcomes) and all(o.holds is not False for o in outcomes)
        if is_settled or not expectations:
            return outcomes
        if time.monotonic() >= deadline and outcomes:
            return outcomes
        windows.wait(PAUSE_MS)


def _one(
    windows: Windows,
    expectation: r.Expectation,
    before: Before,
    look: Callable[[], Path],
) -> r.Outcome:
    if expectation.kind == "prose":
        return r.Outcome(kind="prose", asked=expectation.prose or "", holds=None)
    holds, seen = _holds(windows, expectation, before, look)
    asked = words_of(expectation)
    return r.Outcome(kind=expectation.kind, asked=asked, holds=holds, seen=_clip(seen))


def _holds(
    windows: Windows, e: r.Expectation, before: Before, look: Callable[[], Path]
) -> tuple[bool, str]:
    match e.kind:
        case "text" | "no_text" | "text_is":
            return _text(windows, e)
        case "visible" | "hidden":
            target = e.visible or e.hidden
            is_there = (e.kind == "visible") is not (e.equals is False)
            found = _states(windows, _within(target, e.in_), whole=not is_there)
            return bool(found) is is_there, found[0][
                "words"
            ] if found else "nothing visible matches"
        case "count":
            return _count(windows, e)
        case "value":
            return _value(windows, e)
        case "checked" | "selected" | "disabled" | "focused":
            return _state(windows, e)
        case "url":
            place = unquote(windows.short(windows.page.url))
            return _is_place(place, e.url or ""), place
        case "title":
            title = windows.views.main.ask("title")
            return title.split() == (e.title or "").split(), title
        case "scroll":
            return _scroll(windows, e)
        case "changed" | "unchanged":
            return _changed(windows, e, before, look)
        case _:
            raise AssertionError(e.kind)


def _within(target: r.Target | None, container: r.Target | None) -> r.Target:
    if target is None:
        raise AssertionError
    if container is None or target.in_ is not None:
        return target
    return target.model_copy(update={"in_": container})


def _text(windows: Windows, e: r.Expectation) -> tuple[bool, str]:
    wanted = e.text or e.no_text or e.text_is or ""
    target = plain(e.in_) if e.in_ else None
    texts = []
    views = windows.views.all()
    for view in views:
        answer = view.ask("text", {"target": target})
        if answer["count"] and view.is_shown():
            texts.append(answer["text"])
    if not texts:
        return e.kind == "no_text", "the place to look in is not there"
    if e.kind == "text_is":
        folded = " ".join(wanted.split())
        return any(" ".join(t.split()) == folded for t in texts), texts[0]
    hits = [views[0].ask("holds", {"text": t, "part": wanted}) for t in texts]
    return any(hits) is (e.kind == "text"), " ⏎ ".join(texts)


def _states(
    windows: Windows, target: r.Target, *, whole: bool = False
) -> list[dict[str, Any]]:
    """Give the elements that match best, of all documents.

    `whole` leaves out those that bear other words besides: `Buy milk and eggs` is no
    proof that `Buy milk` is still there.
    """
    found: list[dict[str, Any]] = []
    try:
        target = resolve(windows, target)
    except LookMissing:
        return []
    for view in windows.views.all():
        states = view.ask("states", {"target": plain(target), "whole": whole})
        found += states if states and view.is_shown() else []
    best = max((one["worth"] for one in found), default=0.0)
    return [one for one in found if one["worth"] > best - 0.015]


def _count(windows: Windows, e: r.Expectation) -> tuple[bool, str]:
    number = len(_states(windows, _within(e.count, e.in_)))
    low = e.equals if e.equals is not None else e.at_least
    high = e.equals if e.equals is not None else e.at_most
    holds = (low is None or number >= low) and (high is None or number <= high)
    return holds, str(number)


def _value(windows: Windows, e: r.Expectation) -> tuple[bool, str]:
    if e.in_ is None:
        focus = focused_view(windows)[1]
        if not focus["has"]:
            return False, "nothing has the keyboard focus"
        return focus["value"] == e.value, focus["value"]
    found = _states(windows, e.in_)
    if not found:
        return False, "the field is not there"
    return any(one["value"] == e.value for one in found), found[0]["value"]


def _state(windows: Windows, e: r.Expectation) -> tuple[bool, str]:
    target = _within(getattr(e, e.kind), e.in_)
    wanted = e.equals is not False
    found = _states(windows, target)
    if not found:
        return False, "nothing visible matches"
    words = found[0]["words"]
    has = [one[e.kind] for one in found]
    holds = any(has) if wanted else not any(has)
    return holds, f"{words} is {'' if any(has) else 'not '}{e.kind}"


def _is_place(place: str, wanted: str) -> bool:
    """Tell whether an address is meant: whole, its end after a slash, or its fragment.

    `/cart` fits `/cart` and `/shop/cart`; `#/active` fits any page's fragment.
    """
    if place in {wanted, f"/{wanted}"}:
        return True
    fragment = place.partition("#")[2]
    if wanted.startswith("#"):
        return f"#{fragment}" == wanted
    path = place.partition("#")[0]
    if "?" not in wanted:
        path = path.partition("?")[0]
    return path == wanted or path.endswith("/" + wanted.lstrip("/"))


def _scroll(windows: Windows, e: r.Expectation) -> tuple[bool, str]:
    target = plain(e.in_) if e.in_ else None
    place = None
    for view in windows.views.all() if target else [windows.views.main]:
        place = place or view.ask("placeOf", {"target": target})
    if place is None:
        return False, "the container is not there"
    height = place["height"] or 1
    share = place["top"] / height
    seen = f"{share:.2f} heights from the top"
    match e.scroll:
        case "top":
            return place["top"] <= 1, seen
        case "bottom":
            return place["top"] >= place["room"] - 1 and place["room"] > 1, seen
        case float() | int():
            return abs(share - e.scroll) <= _SCROLL_TOLERANCE, seen
        case _:
            raise AssertionError(e.scroll)


def _changed(
    windows: Windows, e: r.Expectation, before: Before, look: Callable[[], Path]
) -> tuple[bool, str]:
    region = e.changed or e.unchanged
    box = None
    if isinstance(region, r.Target):
        box = _region(windows, region, before.scale)
        if box is None:
            return False, "the region is not there"
    if before.shot is None:
        return False, "there is no shot before"
    is_changed = images.differ(before.shot, look(), box)
    seen = "it looks different" if is_changed else "it looks the same"
    return is_changed is (e.kind == "changed"), seen


def _region(windows: Windows, target: r.Target, scale: float) -> r.Box | None:
    """Give the place of a target in pixels of the shot."""
    try:
        target = resolve(windows, target)
    except LookMissing:
        return None
    for view in windows.views.all():
        place = view.ask("region", {"target": plain(target)})
        if place:
            left, top = view.origin()
            moved = place | {"x": place["x"] + left, "y": place["y"] + top}
            return r.Box(**moved).scaled(scale)
    return None


def _clip(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"

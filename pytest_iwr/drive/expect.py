"""Deterministic expectations on the live page; they retry until the deadline."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.drive.locate import focused_view, plain
from pytest_iwr.drive.looks import LookMissing, resolve
from pytest_iwr.drive.place import Place
from pytest_iwr.drive.views import View, ViewLostError
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


class _Answer(NamedTuple):
    """What came of one expectation."""

    holds: bool
    seen: str
    found: tuple[str, ...] = ()
    """What its target means, where that should be one element."""


def _one(
    windows: Windows,
    expectation: r.Expectation,
    before: Before,
    look: Callable[[], Path],
) -> r.Outcome:
    if expectation.kind == "prose":
        return r.Outcome(kind="prose", asked=expectation.prose or "", holds=None)
    answer = _holds(windows, expectation, before, look)
    return r.Outcome(
        kind=expectation.kind,
        asked=words_of(expectation),
        holds=answer.holds,
        seen=_clip(answer.seen),
        candidates=answer.found if len(answer.found) > 1 else (),
    )


def _holds(
    windows: Windows, e: r.Expectation, before: Before, look: Callable[[], Path]
) -> _Answer:
    match e.kind:
        case "text" | "no_text" | "text_is":
            return _text(windows, e)
        case "visible" | "hidden":
            target = e.visible or e.hidden
            is_there = (e.kind == "visible") is not (e.equals is False)
            found = _states(windows, _within(target, e.in_), whole=not is_there)
            seen = found[0]["words"] if found else "nothing visible matches"
            return _Answer(bool(found) is is_there, seen, _listed(found))
        case "count":
            return _count(windows, e)
        case "value":
            return _value(windows, e)
        case "checked" | "selected" | "disabled" | "focused":
            return _state(windows, e)
        case "url":
            place = unquote(windows.short(windows.page.url))
            return _Answer(_is_place(place, e.url or ""), place)
        case "title":
            title = windows.views.main.ask("title")
            return _Answer(title.split() == (e.title or "").split(), title)
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


def _listed(found: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Give elements in words, with their places in the window."""
    return tuple(
        f"{one['words']} at {one['box']['x']:.0f},{one['box']['y']:.0f}"
        for one in found
    )


def _resolved(windows: Windows, target: r.Target) -> dict[str, Any] | None:
    """Give a target as pages are asked for it; `None`: nothing looks like it."""
    try:
        return plain(resolve(windows, target))
    except LookMissing:
        return None


def _moved(view: View, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give what was found in a document with boxes in the window."""
    place = view.place() if found else Place()
    for one in found:
        one["box"] = place.box(one["box"])
    return found


def _text(windows: Windows, e: r.Expectation) -> _Answer:
    wanted = e.text or e.no_text or e.text_is or ""
    texts: list[str] = []
    found: list[dict[str, Any]] = []
    views = windows.views.all()
    target = _resolved(windows, e.in_) if e.in_ else None
    for view in views if target or not e.in_ else ():
        answer = view.ask("text", {"target": target})
        if answer["count"] and view.is_shown():
            texts.append(answer["text"])
            found += _moved(view, answer["found"])
    if not texts:
        return _Answer(e.kind == "no_text", "the place to look in is not there")
    if e.kind == "text_is":
        folded = " ".join(wanted.split())
        is_one = any(" ".join(t.split()) == folded for t in texts)
        return _Answer(is_one, texts[0], _listed(found))
    hits = [views[0].ask("holds", {"text": t, "part": wanted}) for t in texts]
    seen = " ⏎ ".join(texts)
    return _Answer(any(hits) is (e.kind == "text"), seen, _listed(found))


def _states(
    windows: Windows, target: r.Target, *, whole: bool = False
) -> list[dict[str, Any]]:
    """Give the elements that match best, of all documents.

    `whole` leaves out those that bear other words besides: `Buy milk and eggs` is no
    proof that `Buy milk` is still there.
    """
    found: list[dict[str, Any]] = []
    asked = _resolved(windows, target)
    if asked is None:
        return []
    for view in windows.views.all():
        states = view.ask("states", {"target": asked, "whole": whole})
        found += _moved(view, states) if states and view.is_shown() else []
    best = max((one["worth"] for one in found), default=0.0)
    return [one for one in found if one["worth"] > best - 0.015]


def _count(windows: Windows, e: r.Expectation) -> _Answer:
    number = len(_states(windows, _within(e.count, e.in_)))
    low = e.equals if e.equals is not None else e.at_least
    high = e.equals if e.equals is not None else e.at_most
    holds = (low is None or number >= low) and (high is None or number <= high)
    return _Answer(holds, str(number))


def _value(windows: Windows, e: r.Expectation) -> _Answer:
    if e.in_ is None:
        focus = focused_view(windows)[1]
        if not focus["has"]:
            return _Answer(holds=False, seen="nothing has the keyboard focus")
        return _Answer(focus["value"] == e.value, focus["value"])
    found = _states(windows, e.in_)
    if not found:
        return _Answer(holds=False, seen="the field is not there")
    is_one = any(one["value"] == e.value for one in found)
    return _Answer(is_one, found[0]["value"], _listed(found))


def _state(windows: Windows, e: r.Expectation) -> _Answer:
    target = _within(getattr(e, e.kind), e.in_)
    wanted = e.equals is not False
    found = _states(windows, target)
    if not found:
        return _Answer(holds=False, seen="nothing visible matches")
    words = found[0]["words"]
    has = [one[e.kind] for one in found]
    holds = any(has) if wanted else not any(has)
    seen = f"{words} is {'' if any(has) else 'not '}{e.kind}"
    return _Answer(holds, seen, _listed(found))


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


def _scroll(windows: Windows, e: r.Expectation) -> _Answer:
    place = None
    found: list[dict[str, Any]] = []
    target = _resolved(windows, e.in_) if e.in_ else None
    views = windows.views.all() if target else [windows.views.main]
    for view in views if target or not e.in_ else ():
        answer = view.ask("placeOf", {"target": target})
        if answer and view.is_shown():
            place = place or answer
            found += _moved(view, answer["found"])
    if place is None:
        return _Answer(holds=False, seen="the container is not there")
    height = place["height"] or 1
    share = place["top"] / height
    match e.scroll:
        case "top":
            holds = place["top"] <= 1
        case "bottom":
            holds = place["top"] >= place["room"] - 1 and place["room"] > 1
        case float() | int():
            holds = abs(share - e.scroll) <= _SCROLL_TOLERANCE
        case _:
            raise AssertionError(e.scroll)
    seen = f"{share:.2f} heights from the top"
    return _Answer(holds, seen, _listed(found))


def _changed(
    windows: Windows, e: r.Expectation, before: Before, look: Callable[[], Path]
) -> _Answer:
    region = e.changed or e.unchanged
    found: list[dict[str, Any]] = []
    box = None
    if isinstance(region, r.Target):
        found = _regions(windows, region)
        if not found:
            return _Answer(holds=False, seen="the region is not there")
        box = r.Box(**found[0]["box"]).scaled(before.scale)
    if before.shot is None:
        return _Answer(holds=False, seen="there is no shot before")
    is_changed = images.differ(before.shot, look(), box)
    seen = "it looks different" if is_changed else "it looks the same"
    return _Answer(is_changed is (e.kind == "changed"), seen, _listed(found))


def _regions(windows: Windows, target: r.Target) -> list[dict[str, Any]]:
    """Give the places of a target in the window, the first of them first."""
    asked = _resolved(windows, target)
    found: list[dict[str, Any]] = []
    for view in windows.views.all() if asked else ():
        places = view.ask("regions", {"target": asked})
        found += _moved(view, places) if places and view.is_shown() else []
    return found


def _clip(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"

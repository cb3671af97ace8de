"""Chooses an option of a native list: by the keyboard, or else by the mouse."""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pytest_iwr.drive.locate import Aimed, StepFailed
from pytest_iwr.drive.windows import Windows

Press = Callable[[Aimed], dict[str, str]]
"""Clicks at a point, and gives the events that arrived there."""


def choose(windows: Windows, aimed: Aimed, wanted: str, press: Press) -> dict[str, str]:
    """Choose the option that shows `wanted`; give what the page got, for the trace.

    The page hears of one change. Where it swallows the keys, the mouse chooses.
    Raises StepFailed `target_missing` and `input_lost`.
    """
    listed = aimed.view.ask("options")
    texts = [option["text"] for option in listed["options"]]
    index = _matching(wanted, texts)
    if index is None:
        known = ", ".join(repr(text) for text in texts[:10])
        text = f"{aimed.words} has no option {wanted!r}. It has {known}"
        raise StepFailed("target_missing", text)
    received: dict[str, str] = {}
    state = _by_keys(windows, aimed, listed, index)
    if state["connected"] and state["value"] != texts[index]:
        events = _by_mouse(windows, aimed, index, press)
        state = aimed.view.ask("state")
        received = {"by": "mouse", "events": " ".join(events)}
    if state["connected"] and state["value"] != texts[index]:
        text = f"{aimed.words} shows {state['value']!r}, not {texts[index]!r}"
        raise StepFailed("input_lost", text)
    return received | {"value": str(state["value"])}


def _by_keys(
    windows: Windows, aimed: Aimed, listed: dict[str, Any], index: int
) -> dict[str, Any]:
    aimed.view.ask("focusOn")
    keyboard = windows.page.keyboard
    if listed["isMenu"]:  # its list opened, the page hears of one change only
        keyboard.press("Alt+ArrowDown")
    _walk(windows, listed, index)
    state: dict[str, Any] = aimed.view.ask("state")
    wanted = listed["options"][index]["text"]
    if state["value"] != wanted:
        # Where the arrow keys open a menu of the system, the first letters choose.
        keyboard.type(wanted)
        state = aimed.view.ask("state")
    return state


def _by_mouse(
    windows: Windows, aimed: Aimed, index: int, press: Press
) -> dict[str, str]:
    """Click an option, or open the menu: once it is open, the keys are the menu's.

    The options of a menu lie outside of the page, where no click of ours gets to.
    """
    listed = aimed.view.ask("options")
    if not listed["isMenu"]:
        point = aimed.view.ask("optionAt", {"index": index})
        x, y = aimed.view.place().out(point["x"], point["y"])
        return press(replace(aimed, x=x, y=y))
    if sys.platform == "darwin":  # it is one of the system, which gets no key of ours
        return {}
    events = press(aimed)
    _walk(windows, listed, index)
    return events


def _walk(windows: Windows, listed: dict[str, Any], index: int) -> None:
    """Go to an option by arrow keys, and take it where the list is a menu."""
    step = 1 if index > listed["index"] else -1
    between = range(listed["index"] + step, index + step, step)
    moves = sum(not listed["options"][i]["disabled"] for i in between)
    if index == listed["index"]:
        moves = 0
    for _ in range(moves):
        windows.page.keyboard.press("ArrowDown" if step > 0 else "ArrowUp")
    if listed["isMenu"]:
        windows.page.keyboard.press("Enter")


def _matching(wanted: str, texts: list[str]) -> int | None:
    """Give the option that is meant: equal, equal but for case, or the only part."""
    for fold in (str, str.casefold):
        hits = [i for i, text in enumerate(texts) if fold(text) == fold(wanted)]
        if hits:
            return hits[0]
    hits = [i for i, text in enumerate(texts) if wanted.casefold() in text.casefold()]
    return hits[0] if len(hits) == 1 else None

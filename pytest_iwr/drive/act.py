"""Actions by real input, each with a post-condition: that the input arrived.

A post-condition proves that the page got the input, not that the page changed.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, assert_never
from urllib.parse import urljoin

from playwright import sync_api as pw

from pytest_iwr import records as r
from pytest_iwr.drive import sweep
from pytest_iwr.drive.choose import choose
from pytest_iwr.drive.keys import chord, first_lost
from pytest_iwr.drive.locate import (
    Aimed,
    Purpose,
    StepFailed,
    aim,
    focused_view,
    plain,
)
from pytest_iwr.drive.rest import PAUSE_MS, settle
from pytest_iwr.drive.views import ViewLostError
from pytest_iwr.drive.windows import Windows
from pytest_iwr.errors import Problem, TaskError

_ARRIVAL_S = 1.5
"""How long an input event may be on its way, on a machine that is busy."""
_PAUSE_S = 0.5
"""The longest wait between two keys that a person would not press at once."""
_KEY_S = 0.02
"""How long one key may take."""
_FINGER_MS = 200
"""What is tapped looks pressed for so long at the most."""
_TRIES = 4
"""So often an element is touched that moves away before the pointer arrives."""
_NO_PAGE = ("Download is starting", "net::ERR_", "interrupted by another navigation")
_TOUCHES = {"pointerdown", "mousedown", "touchstart", "intercepted"}
_MOVES = {"mouseover", "mousemove"}


@dataclass
class Done:
    """What an action did, for the trace."""

    target: r.Element | None = None
    hit: r.Hit | None = None
    received: dict[str, str] = field(default_factory=dict)


@dataclass
class Hands:
    """Mouse, keyboard and finger on the newest window, for one step."""

    windows: Windows
    task: r.Task
    step: int
    """Counted from 1."""
    deadline: float
    """Monotonic seconds."""
    origin: str
    key_pause_s: float = 0.0
    """After each key of a text."""
    done: Done = field(default_factory=Done)

    def carry_out(self, action: r.Action) -> Done:
        """Carry out an action. Raises StepFailed or TaskError."""
        match action:
            case r.Pointing():
                self._point(action)
            case r.Type():
                self._type(action)
            case r.Press():
                self._press(action)
            case r.Scroll():
                self._scroll(action)
            case r.Drag():
                self._drag(action)
            case r.Select():
                self._select(action)
            case r.Upload():
                self._upload(action)
            case r.Swipe():
                self._swipe(action)
            case r.Goto():
                self._goto(action)
            case r.History():
                self._history(action)
            case r.Wait():
                pass  # its expectation is awaited with the step's own
            case _:
                assert_never(action)
        return self.done

    # --- pointer

    @property
    def _mouse(self) -> pw.Mouse:
        return self.windows.page.mouse

    def _point(self, action: r.Pointing) -> None:
        match action.kind:
            case "click":
                self._touch(action.target, "click", lambda a: self._click(a, "left"))
            case "double_click":
                self._touch(action.target, "click", self._double_click)
            case "right_click":
                self._touch(action.target, "click", lambda a: self._click(a, "right"))
            case "hover":
                self._touch(action.target, "", self._stir)
            case "tap":
                self._touch(action.target, "click", self._tap)
            case "check" | "uncheck":
                self._tick(action.target, wanted=action.kind == "check")
            case _:
                assert_never(action.kind)

    def _aim(self, target: r.Target, purpose: Purpose) -> Aimed:
        aimed = aim(self.windows, target, purpose, self.deadline)
        self.done.target = aimed.element
        return aimed

    def _touch(
        self, target: r.Target, purpose: Purpose, press: Callable[[Aimed], None]
    ) -> Aimed:
        """Aim, move there, press; again while something comes in between."""
        for _ in range(_TRIES):
            aimed = self._aim(target, purpose)
            got = self._press_at(aimed, press)
            by = got.get("intercepted")
            if not by or time.monotonic() >= self.deadline:
                break
        if by:
            text = f"{aimed.words} moved away; {by} was under the pointer"
            raise StepFailed("covered", text)
        if not got:
            text = f"{aimed.words} did not get the pointer's event"
            raise StepFailed("input_lost", text)
        self.done.received["events"] = " ".join(got)
        return aimed

    def _press_at(self, aimed: Aimed, press: Callable[[Aimed], None]) -> dict[str, str]:
        """Move and press; give the events that arrived, `intercepted` with by whom."""
        log = self.windows.log.input
        log.clear()
        self.done.hit = r.Hit(
            x=round(aimed.x, 2),
            y=round(aimed.y, 2),
            received_by=aimed.received_by,
            is_target=True,
        )
        if aimed.facts["letsThrough"]:
            self.done.received["through"] = aimed.words
        page = self.windows.page
        try:
            page.mouse.move(aimed.x, aimed.y)
            press(aimed)
        except pw.Error:
            if not page.is_closed() or not self.windows.count:
                raise
        needed = _TOUCHES if press != self._stir else _MOVES
        self._let_arrive(lambda: any(event["type"] in needed for event in log))
        got = {event["type"]: event.get("by", "") for event in log}
        if page.is_closed():  # what closes its window felt the touch
            got["closed"] = ""
        return got if got.keys() & {*needed, "closed"} else {}

    def _let_arrive(self, is_there: Callable[[], bool]) -> None:
        """Wait while what the page got of the input may still be on its way here."""
        page = self.windows.page
        patience = time.monotonic() + _ARRIVAL_S
        while not is_there() and time.monotonic() < patience and not page.is_closed():
            self.windows.wait(PAUSE_MS)

    def _stir(self, aimed: Aimed) -> None:
        """Move a little: a pointer that lay there already causes no event."""
        self._mouse.move(aimed.x + 1, aimed.y)
        self._mouse.move(aimed.x, aimed.y)

    def _click(self, aimed: Aimed, button: Literal["left", "right"]) -> None:
        self._mouse.click(aimed.x, aimed.y, button=button)

    def _double_click(self, aimed: Aimed) -> None:
        self._mouse.dblclick(aimed.x, aimed.y)

    def _tap(self, aimed: Aimed) -> None:
        try:
            self.windows.page.touchscreen.tap(aimed.x, aimed.y)
            self.windows.wait(_FINGER_MS)
        except pw.Error as error:
            if "hasTouch" not in error.message:
                raise
            raise self._task_error(
                "there is no touch. Add `touch: true` to the viewport."
            ) from error

    def _tick(self, target: r.Target, *, wanted: bool) -> None:
        aimed = self._aim(target, "check")
        if aimed.facts["checked"] is not wanted:
            aimed = self._touch(target, "check", lambda a: self._click(a, "left"))
        self.done.received["was"] = "ticked" if aimed.facts["checked"] else "not ticked"

    # --- keyboard

    def _listen(self) -> list[dict[str, str]]:
        """Let every document say which keys it gets; give the growing list."""
        for view in self.windows.views.all():
            with suppress(ViewLostError):
                view.ask("arm")
        log = self.windows.log.input
        log.clear()
        return log

    def _focus(self, target: r.Target, *, by_click: bool = True) -> None:
        """Give it the focus; `by_click=False`: without working what is no field."""
        aimed = self._aim(target, "type")
        if aimed.facts["focused"]:
            return
        is_for_keys = not by_click and not aimed.facts["editable"]
        if is_for_keys and aimed.view.ask("focusOn"):
            return
        self._touch(target, "type", lambda a: self._click(a, "left"))

    def _type(self, action: r.Type) -> None:
        if action.into is not None:
            self._focus(action.into)
        view, focus = focused_view(self.windows)
        if not focus["editable"]:
            has = f"{focus['words']} has the keyboard focus, no field"
            if action.into is None:
                raise StepFailed("input_lost", has)
            raise StepFailed("not_interactive", f"{action.into.phrase()}: {has}")
        keyboard = self.windows.page.keyboard
        if action.clear:
            keyboard.press("ControlOrMeta+A")
            self._pause()
            keyboard.press("Backspace")
        text = action.text or ""
        log = self._listen()
        self.windows.take_longer(len(text) * _KEY_S)
        keyboard.type(text, delay=self.key_pause_s * 1000)
        if action.submit:
            self._pause()
            keyboard.press("Enter")
        sent = text + ("\n" if action.submit else "")
        self._let_arrive(lambda: first_lost(sent, log) is None)
        lost = first_lost(sent, log)
        if lost is not None:
            text = f"the key {lost!r} did not reach {focus['words']}"
            raise StepFailed("input_lost", text)
        if not focus["password"]:
            with suppress(ViewLostError):
                self.done.received["value"] = view.ask("focus")["value"]

    def _pause(self) -> None:
        """Let the page see the keys so far, as it does when a person types."""
        settle(self.windows, min(self.deadline, time.monotonic() + _PAUSE_S))

    def _press(self, action: r.Press) -> None:
        if action.in_ is not None:
            self._focus(action.in_, by_click=False)
        pressed = chord(action.key or "")
        log = self._listen()
        page = self.windows.page
        try:
            page.keyboard.press(pressed)
        except pw.Error as error:
            if page.is_closed() and self.windows.count:
                return  # the key closed its window
            if "Unknown key" not in error.message:
                raise
            if len(pressed) == 1:  # a letter that the browser's keyboard lacks
                self._send_letter(pressed)
                return
            text = f"unknown key {action.key!r}. Use names such as Enter, ArrowDown, a."
            raise self._task_error(text) from error
        self._let_arrive(
            lambda: page.is_closed() or any(e["type"] == "keydown" for e in log)
        )
        keys = [event["key"] for event in log if event["type"] == "keydown"]
        if not keys and not page.is_closed():  # what closes its window felt the key
            raise StepFailed("input_lost", f"the page saw no key-down of {action.key}")
        self.done.received["keys"] = " ".join(keys)

    def _send_letter(self, letter: str) -> None:
        send = self.windows.views.session.send
        event = {"key": letter, "text": letter, "unmodifiedText": letter}
        send("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        send("Input.dispatchKeyEvent", {"type": "keyUp", "key": letter})
        self.done.received["keys"] = letter

    def _select(self, action: r.Select) -> None:
        wanted = action.option or ""
        target = action.in_ or r.Target(role="combobox")
        aimed = self._aim(target, "select")
        if not aimed.facts["native"]:
            self._touch(target, "select", lambda a: self._click(a, "left"))
            option = r.Target(role="option", name=wanted)
            self._touch(option, "click", lambda a: self._click(a, "left"))
            return
        self.done.received |= choose(
            self.windows,
            aimed,
            wanted,
            lambda a: self._press_at(a, lambda b: self._click(b, "left")),
        )

    def _upload(self, action: r.Upload) -> None:
        target = action.into or self._file_field()
        file = Path(self.task.path).parent / (action.file or "")
        page = self.windows.page
        left_ms = max(200.0, (self.deadline - time.monotonic()) * 1000)
        try:
            with page.expect_file_chooser(timeout=left_ms) as chooser:
                self._touch(target, "click", lambda a: self._click(a, "left"))
            chooser.value.set_files(file)
        except pw.TimeoutError as error:
            text = f"{target.phrase()} opened no box to choose a file"
            raise StepFailed("not_interactive", text) from error
        self.done.received["file"] = file.name

    def _file_field(self) -> r.Target:
        """Give the file field that is seen, else the button that opens one."""
        field = r.Target(css="input[type=file]")
        question = {"target": plain(field), "verb": ""}
        seen = any(view.ask("find", question) for view in self.windows.views.all())
        return field if seen else r.Target(role="button")

    # --- history

    def _goto(self, action: r.Goto) -> None:
        url = urljoin(self.origin + "/", action.path or "")
        if not url.startswith(self.origin + "/"):
            raise self._task_error(
                f"{action.path!r} leads to another site. Give a path."
            )
        self._go(lambda page, ms: page.goto(url, wait_until="commit", timeout=ms))

    def _history(self, action: r.History) -> None:
        if action.kind == "reload":
            self._go(lambda page, ms: page.reload(wait_until="commit", timeout=ms))
            return
        past = self.windows.views.session.send("Page.getNavigationHistory")
        index = past["currentIndex"]
        if index < 1 or not past["entries"][index - 1]["url"].startswith(self.origin):
            raise StepFailed(
                "navigation_failed", "there is no earlier page to go back to"
            )
        self._go(lambda page, ms: page.go_back(wait_until="commit", timeout=ms))

    def _go(self, move: Callable[[pw.Page, float], pw.Response | None]) -> None:
        left_ms = max(500.0, (self.deadline - time.monotonic()) * 1000)
        try:
            with self.windows.leaving():
                response = move(self.windows.page, left_ms)
        except pw.TimeoutError as error:
            text = f"no page came within {left_ms / 1000:.1f} s"
            raise StepFailed("navigation_failed", text) from error
        except pw.Error as error:
            if not any(sign in error.message for sign in _NO_PAGE):
                raise
            text = "what came is no page, or another page came instead"
            raise StepFailed("navigation_failed", text) from error
        if response is not None and response.status >= 400:  # noqa: PLR2004 (HTTP)
            path = self.windows.short(response.url)
            text = f"{path} answers with status {response.status}"
            raise StepFailed("navigation_failed", text)

    # --- wheel, finger and long moves: see `sweep.py`

    def _scroll(self, action: r.Scroll) -> None:
        self.done.target, self.done.received = sweep.scroll(
            self.windows, action, self.deadline
        )

    def _drag(self, action: r.Drag) -> None:
        self.done.target, self.done.hit = sweep.drag(
            self.windows, action, self.deadline
        )

    def _swipe(self, action: r.Swipe) -> None:
        self.done.target = sweep.swipe(self.windows, action, self.deadline)

    def _task_error(self, message: str) -> TaskError:
        where = f"steps[{self.step - 1}]"
        line = self.task.line_of(self.step)
        return TaskError([Problem(Path(self.task.path), line, where, message)])

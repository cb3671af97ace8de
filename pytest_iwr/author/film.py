"""What a video of a drive is made of: frames, pointer and keys, each with its time."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pytest_iwr import records as r

PAUSE_S = 0.9
"""What a person needs to see what happened, and to find the next thing."""
KEY_PAUSE_S = 0.07
_TRAVEL_S = 0.45
"""The pointer sets out so long before it arrives, at the most."""
_RING_S = 0.45
_CAPTION_S = 1.3
_RUN_S = 1.0
"""Keys that follow each other within this are told together."""
_MOST_KEYS = 28
_TOUCHES = {"touchstart", "touchmove", "touchend"}
_SHOWN = {" ": "Space", "ArrowUp": "Up", "ArrowDown": "Down"} | {
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
    "Control": "",
    "Shift": "",
    "Alt": "",
    "Meta": "",
}
"""Keys by other names; modifiers alone are not told."""


class Pointed(NamedTuple):
    """Where the pointer was seen."""

    at_s: float
    x: float
    """CSS pixels of the window."""
    y: float
    kind: str


class Overlay(NamedTuple):
    """What is drawn over one frame."""

    x: float
    """Of the pointer, CSS pixels."""
    y: float
    is_finger: bool
    is_down: bool
    rings: tuple[tuple[float, float, float], ...]
    """Place and age (0..1) of each click that still shows."""
    caption: str


@dataclass
class Film:
    """An observer that keeps all that a video needs."""

    folder: Path
    """Where the drive leaves its shots, and frames are kept."""
    width_px: int
    """CSS pixels of the window."""
    height_px: int
    frames: list[tuple[float, Path]] = field(default_factory=list)
    pointed: list[Pointed] = field(default_factory=list)
    keys: list[tuple[float, str]] = field(default_factory=list)
    loads: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Address → kind of resource and type, in the order of first use."""
    begun_s: list[float] = field(default_factory=list)
    """When each step began."""
    span_s: tuple[float, float] = (0.0, 0.0)
    """From the page at rest before the first step up to now."""
    is_filming: bool = True
    pause_s: float = PAUSE_S
    key_pause_s: float = KEY_PAUSE_S
    now: Callable[[], float] = field(kw_only=True)

    def before(self, step: int, ask: Callable[[], tuple[r.Outcome, ...]]) -> None:  # noqa: ARG002 - an Observer's signature
        """Know when the step begins."""
        self.begun_s.append(self.now())

    def after(self, done: r.TraceStep, look: Callable[[float], Path]) -> None:  # noqa: ARG002 - an Observer's signature
        """Keep the shot as well: a frame may be dropped by a busy browser."""
        now = self.now()
        if done.shot is not None:
            self.frames.append((now, self.folder / done.shot))
        self.span_s = (now if done.number == 0 else self.span_s[0], now + self.pause_s)

    def frame(self, at_s: float, jpeg: bytes) -> None:
        """Keep a frame."""
        path = self.folder / f"frame-{len(self.frames):05d}.jpg"
        path.write_bytes(jpeg)
        self.frames.append((at_s, path))

    def felt(self, at_s: float, event: Mapping[str, Any]) -> None:
        """Keep where the pointer was, or which key went down."""
        if event["type"] == "keydown":
            key = _shown(event["key"], event["modifiers"])
            if key:
                self.keys.append((at_s, key))
        elif "x" in event:
            point = Pointed(at_s, event["x"], event["y"], event["type"])
            self.pointed.append(point)

    def loaded(self, url: str, resource: str, mime: str) -> None:
        """Keep what was loaded, once, as it was answered."""
        if mime or url not in self.loads:
            self.loads[url] = (resource, mime)

    def showing(self) -> list[tuple[float, Path]]:
        """Give the frames in the order of their times."""
        return sorted(self.frames, key=lambda frame: frame[0])


class Script:
    """What is drawn at each moment of a film."""

    def __init__(self, film: Film) -> None:
        """Put the events into the order of their times."""
        self._points = sorted(film.pointed)
        self._times = [point.at_s for point in self._points]
        self._captions = list(_captions(sorted(film.keys)))
        self._home = (film.width_px * 0.55, film.height_px * 0.65)
        self._is_touch = any(point.kind in _TOUCHES for point in self._points)

    def at(self, time_s: float) -> Overlay:
        """Give what is drawn at a time."""
        index = bisect_right(self._times, time_s) - 1
        past = self._points[: index + 1]
        x, y = self._place(time_s, index)
        last = past[-1].kind if past else ""
        downs = [p for p in past[-60:] if p.kind in {"mousedown", "touchstart"}]
        ages = [((time_s - p.at_s) / _RING_S, p) for p in downs]
        rings = tuple((p.x, p.y, round(age, 2)) for age, p in ages if age < 1)
        is_down = _is_down(past)
        is_finger = self._is_touch and (not past or last in _TOUCHES)
        return Overlay(
            round(x, 1), round(y, 1), is_finger, is_down, rings, self._caption(time_s)
        )

    def _place(self, time_s: float, index: int) -> tuple[float, float]:
        """Let the pointer set out in time for where it is seen next."""
        points = self._points
        here = (points[index].x, points[index].y) if index >= 0 else self._home
        if index + 1 >= len(points):
            return here
        coming = points[index + 1]
        left = points[index].at_s if index >= 0 else coming.at_s - _TRAVEL_S
        begin = max(left, coming.at_s - _TRAVEL_S)
        if time_s <= begin:
            return here
        share = (time_s - begin) / max(1e-6, coming.at_s - begin)
        eased = share * share * (3 - 2 * share)
        return (
            here[0] + (coming.x - here[0]) * eased,
            here[1] + (coming.y - here[1]) * eased,
        )

    def _caption(self, time_s: float) -> str:
        shown = ""
        for at_s, text in self._captions:
            if at_s <= time_s < at_s + _CAPTION_S:
                shown = text
        return shown


def _is_down(past: list[Pointed]) -> bool:
    for point in reversed(past):
        if point.kind in {"mouseup", "touchend", "drop"}:
            return False
        if point.kind in {"mousedown", "touchstart"}:
            return True
    return False


def _shown(key: str, modifiers: list[str]) -> str:
    """Give a key by its name, with what is held down."""
    name = _SHOWN.get(key, key)
    held = [one for one in modifiers if one != "Shift" or len(key) > 1]
    if len(key) == 1 and not held:
        return key
    return "+".join([*held, name]) if name else ""


def _captions(keys: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Give the text that is shown from each time on: what was typed so far."""
    captions: list[tuple[float, str]] = []
    before_s, run = float("-inf"), list[str]()
    for at_s, pressed in keys:
        if at_s - before_s > _RUN_S:
            run = []
        # A blank at the start is pressed, not typed.
        key = _SHOWN[" "] if pressed == " " and not run else pressed
        run.append(key if len(key) == 1 else f" [{key}] ")
        while len("".join(run)) > _MOST_KEYS:
            run.pop(0)
        captions.append((at_s, "".join(run).strip().replace("  ", " ")))
        before_s = at_s
    return captions

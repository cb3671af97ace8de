"""Shots and snapshots: what the page shows at one moment, held still for it."""

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Error

from pytest_iwr import records as r
from pytest_iwr.drive.locate import plain
from pytest_iwr.drive.looks import LookMissing, resolve
from pytest_iwr.drive.stroll import stroll
from pytest_iwr.drive.views import View, ViewLostError
from pytest_iwr.drive.windows import Windows

MOST_NODES = 3000
"""Of one document in a snapshot."""
WHOLE_S = 6.0
"""How much longer the picture of a whole page may take."""
AGAIN_MS = 100.0
"""A picture that will be compared is taken again so much later: several frames of what
is drawn anew all the time; later where the page is known to turn more slowly."""
TALLEST_PX = 16_384
"""Device pixels: beyond that browsers repeat or drop parts of a picture."""
MOST_PX = 42_000_000
"""Device pixels: of a whole page at double scale, 1280 wide and of full height."""


def metrics_of(options: dict[str, Any]) -> dict[str, Any]:
    """Give a context's options as the browser takes them: size, scale, screen."""
    size = options["viewport"]
    screen = options.get("screen") or size
    is_mobile = bool(options.get("is_mobile"))
    is_upright = is_mobile and screen["height"] >= screen["width"]
    kind = "portraitPrimary" if is_upright else "landscapePrimary"
    turned = {"angle": 90 if is_mobile and not is_upright else 0, "type": kind}
    return {
        "width": size["width"],
        "height": size["height"],
        "deviceScaleFactor": float(options.get("device_scale_factor") or 1.0),
        "mobile": is_mobile,
        "screenWidth": screen["width"],
        "screenHeight": screen["height"],
        "screenOrientation": turned,
    }


def extent(place: Mapping[str, float], scale: float) -> tuple[dict[str, float], bool]:
    """Give the part of a page that a picture of the whole shows, and if that is a cut.

    `place` as the page tells it; CSS pixels.
    """
    longest = TALLEST_PX / scale
    whole_width = max(place["viewWidth"], place["reachWidth"])
    whole_height = max(place["viewHeight"], place["scrollHeight"])
    width = min(whole_width, int(longest))
    height = min(whole_height, int(longest), int(MOST_PX / scale**2 / width))
    box = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    return box, (width, height) != (whole_width, whole_height)


@dataclass
class Seen:
    """The files and facts of one moment, for the trace."""

    shot: str | None = None
    full_shot: str | None = None
    clipped: bool = False
    snapshot: str | None = None
    masks: tuple[r.Box, ...] = ()
    masked: tuple[int, ...] = ()
    again: str | None = None


@dataclass
class _Held:
    """The documents of a window while they are held still."""

    views: list[View]
    nodes: list[dict[str, Any]] = field(default_factory=list)
    """What is visible: the accessibility snapshot."""
    beat_ms: float = 0.0
    """What moves on by itself turns so often, as far as that is known."""


@dataclass
class Camera:
    """Takes the pictures of one item."""

    windows: Windows
    folder: Path
    scale: float
    """Device pixels for one CSS pixel."""
    metrics: dict[str, Any] = field(default_factory=dict)
    """The window's size and scale, as the browser takes them; see `metrics_of`."""
    _told: set[CDPSession] = field(default_factory=set, init=False)

    def take(self, step: int, checkpoint: r.Checkpoint | None, deadline: float) -> Seen:
        """Write the shot and the snapshot of a step; names are relative.

        What a checkpoint compares is taken twice, to tell whether it holds still.
        """
        seen = Seen(shot=f"shot-{step:02d}.png", snapshot=f"snapshot-{step:02d}.json")
        masks = checkpoint.mask if checkpoint is not None else ()
        is_whole = checkpoint is not None and checkpoint.full_page
        with self._held() as held:
            self._shoot(self.folder / str(seen.shot))
            if not is_whole:
                self._find_masks(seen, masks, held.views)
        text = json.dumps(held.nodes, ensure_ascii=False)
        (self.folder / str(seen.snapshot)).write_text(text, encoding="utf-8")
        if is_whole:
            self._take_whole(seen, step, masks, deadline)
        elif checkpoint is not None:
            self._take_again(seen, step, str(seen.shot), held)
        return seen

    def look(self) -> Path:
        """Write a picture of now beside the shots, over the last such one."""
        return self.glance()[0]

    def glance(self) -> tuple[Path, list[dict[str, Any]]]:
        """Do as `look`, and give what is visible: nodes as in a snapshot."""
        path = self.folder / "look.png"
        with self._held() as held:
            self._shoot(path)
        return path, held.nodes

    def see(self, look: Callable[[View], None]) -> bytes:
        """Give a shot (PNG) of a moment in which `look` sees every document."""
        with self._held() as held:
            for view in held.views:
                with suppress(ViewLostError):  # its frame is hidden, or gone
                    look(view)
            return self._snap()

    def _take_again(
        self, seen: Seen, step: int, first: str, held: _Held, **clip: object
    ) -> None:
        """Take a picture once more, and keep it where it came out otherwise."""
        path = self.folder / f"again-{step:02d}.png"
        self.windows.wait(max(AGAIN_MS, held.beat_ms * 1.1))
        with self._held():
            self._shoot(path, **clip)
        if path.read_bytes() == (self.folder / first).read_bytes():
            path.unlink()
        else:
            seen.again = path.name

    @contextmanager
    def _held(self) -> Iterator[_Held]:
        """Hold all documents still; give what is visible of them, window pixels."""
        held = _Held(self.windows.views.all())
        try:
            for view in held.views:
                with suppress(ViewLostError):  # its frame is hidden, or gone
                    self._hold(view, held)
            yield held
        finally:
            for view in held.views:
                with suppress(ViewLostError, Error):
                    view.ask("release")

    def _hold(self, view: View, held: _Held) -> None:
        answer = view.ask("hold", {"limit": MOST_NODES})
        held.beat_ms = max(held.beat_ms, answer["beat"])
        place = view.place()
        for node in answer["nodes"]:
            node["box"] = place.box(node["box"])
            if view.parent is not None:
                node["frame"] = self.windows.short(view.url)
        held.nodes += answer["nodes"]

    def _shoot(self, path: Path, **clip: object) -> None:
        path.write_bytes(self._snap(**clip))

    def _snap(self, **clip: object) -> bytes:
        options = {"format": "png", "optimizeForSpeed": True, **clip}
        session = self.windows.views.session
        if session not in self._told and self.metrics:
            # A session that is not told shoots in CSS pixels, and resets the scale.
            session.send("Emulation.setDeviceMetricsOverride", self.metrics)
            self._told.add(session)
        data = session.send("Page.captureScreenshot", options)["data"]
        return base64.b64decode(data)

    def _take_whole(
        self, seen: Seen, step: int, masks: Sequence[r.Target], deadline: float
    ) -> None:
        """Shoot the whole page, scrolled through once so that lazy parts are there.

        The masks are those of the page at its top, so that they lie where the picture
        has them.
        """
        main = self.windows.views.main
        deadline += WHOLE_S
        self.windows.take_longer(WHOLE_S)
        stroll(self.windows, int(TALLEST_PX / self.scale), deadline)
        box, seen.clipped = extent(main.ask("pagePlace"), self.scale)
        clip = {"clip": box, "captureBeyondViewport": True}
        seen.full_shot = f"full-{step:02d}.png"
        try:
            with self._held() as held:
                self._shoot(self.folder / seen.full_shot, **clip)
                self._find_masks(seen, masks, held.views)
            if time.monotonic() < deadline:
                self._take_again(seen, step, seen.full_shot, held, **clip)
        finally:
            main.ask("leaveStroll")

    def _find_masks(
        self, seen: Seen, masks: Sequence[r.Target], views: list[View]
    ) -> None:
        """Note where the masks are, in pixels of a shot, and how many each has."""
        counts = [0] * len(masks)
        targets: dict[int, dict[str, Any]] = {}
        for number, mask in enumerate(masks):
            with suppress(LookMissing):
                targets[number] = plain(resolve(self.windows, mask))
        boxes: list[r.Box] = []
        for view in views if targets else ():
            try:
                place = view.place()
                found = view.ask("masks", {"targets": list(targets.values())})
            except ViewLostError:  # its frame is hidden, or gone
                continue
            for number, places in zip(targets, found, strict=True):
                counts[number] += len(places)
                found_boxes = (r.Box(**place.box(box)) for box in places)
                boxes += (box.scaled(self.scale) for box in found_boxes)
        seen.masks, seen.masked = tuple(boxes), tuple(counts)

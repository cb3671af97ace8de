"""Shots and snapshots: what the page shows at one moment, held still for it."""

import base64
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Error

from pytest_iwr import records as r
from pytest_iwr.drive.locate import plain
from pytest_iwr.drive.looks import LookMissing, resolve
from pytest_iwr.drive.rest import settle
from pytest_iwr.drive.views import View, ViewLostError
from pytest_iwr.drive.windows import Windows

MOST_NODES = 3000
"""Of one document in a snapshot."""
TALLEST_PX = 16_384
"""Device pixels: beyond that browsers repeat or drop parts of a picture."""


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


@dataclass
class Seen:
    """The files and facts of one moment, for the trace."""

    shot: str | None = None
    full_shot: str | None = None
    clipped: bool = False
    snapshot: str | None = None
    masks: tuple[r.Box, ...] = ()


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
        """Write the shot and the snapshot of a step; names are relative."""
        seen = Seen(shot=f"shot-{step:02d}.png", snapshot=f"snapshot-{step:02d}.json")
        masks = checkpoint.mask if checkpoint is not None else ()
        is_whole = checkpoint is not None and checkpoint.full_page
        views = self.windows.views.all()
        nodes = self._hold(views)
        try:
            self._shoot(self.folder / str(seen.shot))
            if not is_whole:
                seen.masks = self._masks(masks, views)
        finally:
            self._release(views)
        text = json.dumps(nodes, ensure_ascii=False)
        (self.folder / str(seen.snapshot)).write_text(text, encoding="utf-8")
        if is_whole:
            self._take_whole(seen, f"full-{step:02d}.png", masks, deadline)
        return seen

    def look(self) -> Path:
        """Write a picture of now beside the shots, over the last such one."""
        path = self.folder / "look.png"
        views = self.windows.views.all()
        self._hold(views)
        try:
            self._shoot(path)
        finally:
            self._release(views)
        return path

    def _hold(self, views: list[View]) -> list[dict[str, Any]]:
        """Hold all documents still; give their visible elements, window pixels."""
        nodes: list[dict[str, Any]] = []
        for view in views:
            try:
                held = view.ask("hold", {"limit": MOST_NODES})
                left, top = view.origin()
            except ViewLostError:
                continue
            for node in held["nodes"]:
                node["box"]["x"] += left
                node["box"]["y"] += top
                if view.parent is not None:
                    node["frame"] = self.windows.short(view.url)
            nodes += held["nodes"]
        return nodes

    def _release(self, views: list[View]) -> None:
        for view in views:
            with suppress(ViewLostError, Error):
                view.ask("release")

    def _shoot(self, path: Path, **clip: object) -> None:
        options = {"format": "png", "optimizeForSpeed": True, **clip}
        session = self.windows.views.session
        if session not in self._told and self.metrics:
            # A session that is not told shoots in CSS pixels, and resets the scale.
            session.send("Emulation.setDeviceMetricsOverride", self.metrics)
            self._told.add(session)
        data = session.send("Page.captureScreenshot", options)["data"]
        path.write_bytes(base64.b64decode(data))

    def _take_whole(
        self, seen: Seen, name: str, masks: Sequence[r.Target], deadline: float
    ) -> None:
        """Shoot the whole page, scrolled through once so that lazy parts are there.

        It is cut at `TALLEST_PX`. The masks are those of the page at its top, so that
        they lie where the picture has them.
        """
        views = self.windows.views
        place = views.main.ask("pagePlace")
        step = max(1, int(place["viewHeight"]))
        cap = int(TALLEST_PX / self.scale)
        for top in [*range(step, min(int(place["scrollHeight"]), cap), step), 0]:
            views.main.ask("scrollTo", {"top": top})
            settle(self.windows, deadline)
        size = views.main.ask("pagePlace")
        height = int(size["scrollHeight"])
        box = {
            "x": 0,
            "y": 0,
            "width": size["viewWidth"],
            "height": min(height, cap),
            "scale": 1,
        }
        held = views.all()
        self._hold(held)
        try:
            self._shoot(self.folder / name, clip=box, captureBeyondViewport=True)
            seen.masks = self._masks(masks, held)
        finally:
            self._release(held)
            views.main.ask("scrollTo", {"top": place["top"]})
        seen.full_shot = name
        seen.clipped = height > cap

    def _masks(self, masks: Sequence[r.Target], views: list[View]) -> tuple[r.Box, ...]:
        """Give where the masks are, in pixels of a shot."""
        targets = []
        for mask in masks:
            with suppress(LookMissing):
                targets.append(plain(resolve(self.windows, mask)))
        if not targets:
            return ()
        boxes: list[r.Box] = []
        for view in views:
            try:
                left, top = view.origin()
                found = view.ask("masks", {"targets": targets})
            except ViewLostError:  # its frame is hidden, or gone
                continue
            for box in found:
                moved = box | {"x": box["x"] + left, "y": box["y"] + top}
                boxes.append(r.Box(**moved).scaled(self.scale))
        return tuple(boxes)

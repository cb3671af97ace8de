"""Targets that are known by their look: found as a picture on the screen."""

import base64
from pathlib import Path

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.drive.windows import Windows
from pytest_iwr.errors import CheckpointError


class LookMissing(Exception):  # noqa: N818 (a finding about the page, not an error)
    """The look is not on the screen, or several times; says which."""


def has_look(target: r.Target) -> bool:
    """Tell whether a picture is needed to find the target."""
    inner = [t for t in (target.near, target.in_) if t is not None]
    return target.look is not None or any(has_look(t) for t in inner)


def resolve(windows: Windows, target: r.Target) -> r.Target:
    """Give the target with the place of its look on the screen of now as `box`.

    Raises LookMissing, and CheckpointError for a look that cannot be searched.
    """
    if not has_look(target):
        return target
    updates: dict[str, object] = {
        name: resolve(windows, inner)
        for name in ("near", "in_")
        if (inner := getattr(target, name)) is not None
    }
    if target.look is not None:
        updates |= {"look": None, "box": _place(windows, target)}
        if target.nth is not None:
            updates["nth"] = None
    return target.model_copy(update=updates)


def _place(windows: Windows, target: r.Target) -> tuple[float, float, float, float]:
    """Give the place of a look: left, top, width, height as fractions."""
    path = Path(target.look or "")
    options = {"format": "png", "optimizeForSpeed": True}
    data = windows.views.session.send("Page.captureScreenshot", options)["data"]
    shot = images.decode(base64.b64decode(data))
    try:
        places = images.find(shot, images.read(path))
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}. Cut out more of it") from error
    if target.nth is not None:
        places.sort(key=lambda box: (box.y, box.x))
        places = places[target.nth - 1 : target.nth]
    if not places:
        raise LookMissing("the screen does not show it")
    if len(places) > 1:
        raise LookMissing(f"the screen shows it {len(places)} times. Give nth")
    height, width = shot.shape[:2]
    box = places[0]
    return box.x / width, box.y / height, box.width / width, box.height / height

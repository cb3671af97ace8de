"""Places: from the pixels of a document to those of the window, and back."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

_ROUNDED_PX = 1.0
"""Sizes of documents are whole numbers: a frame that differs by less is not scaled."""
_DIGITS = 2


@dataclass(frozen=True)
class Place:
    """Where a document lies in the window, as an affine map; CSS pixels.

    Style sheets scale, turn and zoom frames.
    """

    x: float = 0.0
    """Of its upper left corner."""
    y: float = 0.0
    right: tuple[float, float] = (1.0, 0.0)
    """Where one pixel to the right leads in the window."""
    down: tuple[float, float] = (0.0, 1.0)
    """Where one pixel down leads."""

    def out(self, x: float, y: float) -> tuple[float, float]:
        """Give the window's point for a document's."""
        return (
            self.x + x * self.right[0] + y * self.down[0],
            self.y + x * self.right[1] + y * self.down[1],
        )

    def into(self, x: float, y: float) -> tuple[float, float]:
        """Give the document's point for a window's."""
        dx, dy = x - self.x, y - self.y
        return (
            (dx * self.down[1] - dy * self.down[0]) / self.area,
            (dy * self.right[0] - dx * self.right[1]) / self.area,
        )

    def box(self, box: Mapping[str, float]) -> dict[str, float]:
        """Give the upright box in the window around a document's box."""
        x, y, width, height = (box[key] for key in ("x", "y", "width", "height"))
        corners = [
            self.out(x + across, y + along)
            for across in (0.0, width)
            for along in (0.0, height)
        ]
        left, top = (min(corner[axis] for corner in corners) for axis in (0, 1))
        right, bottom = (max(corner[axis] for corner in corners) for axis in (0, 1))
        edges = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        return {key: round(value, _DIGITS) for key, value in edges.items()}

    def inside(self, outer: "Place") -> "Place":
        """Give the place in the window of what is here in the document of `outer`."""
        x, y = outer.out(self.x, self.y)
        (x1, y1), (x2, y2) = (
            outer.out(self.x + dx, self.y + dy) for dx, dy in (self.right, self.down)
        )
        return Place(x, y, (x1 - x, y1 - y), (x2 - x, y2 - y))

    @property
    def area(self) -> float:
        """What a square pixel covers; 0 where nothing can be seen."""
        return self.right[0] * self.down[1] - self.right[1] * self.down[0]


def place_of(quad: list[float], size: tuple[float, float]) -> Place:
    """Give the place of a document of some size whose frame shows it in a quad.

    The quad's corners as the browser gives them: upper left, upper right, lower right,
    lower left, each as x and y.
    """
    start, right, _, down = zip(quad[::2], quad[1::2], strict=True)
    return Place(*start, _unit(start, right, size[0]), _unit(start, down, size[1]))


def _unit(
    start: tuple[float, float], end: tuple[float, float], length: float
) -> tuple[float, float]:
    """Give the step of one pixel where `length` of them lead from start to end."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    shown = math.hypot(dx, dy)
    size = shown if abs(shown - length) < _ROUNDED_PX else length
    return (dx / size, dy / size) if size else (0.0, 0.0)

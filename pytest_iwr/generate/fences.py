"""Fences of Markdown: lines of back-ticks or tildes around code."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_OPENING = re.compile(r"[ \t>]*(`{3,}|~{3,})([^`\r\n]*)")
_MOST_CLOSINGS = 50


class Fence(NamedTuple):
    """A line that opens a fence."""

    start: int
    end: int
    """Where its content begins."""
    mark: str
    """The back-ticks or tildes."""
    info: str
    """What stands behind them, e.g. `html`."""

    def closings(self, text: str, start: int) -> Iterator[int]:
        """Give where lines begin that may close it, from `start` on, the first ones."""
        line = re.compile(
            rf"^[ \t>]*{self.mark[0]}{{{len(self.mark)},}}[ \t]*\r?$", re.MULTILINE
        )
        for count, match in enumerate(line.finditer(text, start)):
            if count == _MOST_CLOSINGS:
                return
            yield match.start()


def fence_before(text: str, place: int) -> Fence | None:
    """Give the fence whose content begins at a place, blank lines apart."""
    start, end = line_before(text, place)
    match = _OPENING.fullmatch(text, start, end)
    return Fence(start, end, match[1], match[2].strip()) if match else None


def line_before(text: str, place: int) -> tuple[int, int]:
    """Give the last line that is not blank before a place, or up to it."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return text.rfind("\n", 0, end) + 1, end

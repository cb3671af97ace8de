"""Parts in which a model thinks, dropped from what it says."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pytest_iwr.generate.documents import Document, find_documents
from pytest_iwr.marks import THINK_END, THINK_START


class Said(NamedTuple):
    """What a model says, without what it thinks."""

    text: str
    has_thought: bool
    is_thinking: bool
    """A thinking part begins and never ends."""


def drop_thinking(text: str) -> Said:
    """Give what is said outside of thinking parts.

    Marks within a page are its own, not the model's. An end without a start ends what
    is before it; a start without an end hides all that follows.
    """
    said, has_thought = text, False
    while THINK_START.match(head := said.lstrip()):
        has_thought = True
        close = next(_spoken(THINK_END, head), None)
        if close is None:
            return Said("", has_thought=True, is_thinking=True)
        said = head[close.end() :]
    kept: list[str] = []
    place, is_thinking = 0, False
    for start, end, is_start in _marks(said):
        has_thought = True
        if is_start and not is_thinking:
            kept.append(said[place:start])
        elif not is_start and not is_thinking:
            kept.clear()
        is_thinking, place = is_start, end
    if not is_thinking:
        kept.append(said[place:])
    return Said("".join(kept), has_thought, is_thinking)


def _marks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Give the marks outside of pages, in order: start, end, whether it is a start.

    A start within a line that nothing ends is spoken of.
    """
    pages = [page for page in find_documents(text) if page.ending != "none"]
    found = [
        (match.start(), match.end(), pattern is THINK_START)
        for pattern in (THINK_START, THINK_END)
        for match in _spoken(pattern, text)
        if not any(_holds(page, match.start()) for page in pages)
    ]
    last = max((start for start, _, is_start in found if not is_start), default=-1)
    for start, end, is_start in sorted(found):
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if not (is_start and start > last and line.strip()):
            yield start, end, is_start


def _spoken(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Find marks that are not in quotes: those are spoken of."""
    for match in pattern.finditer(text):
        before, after = (
            text[max(0, match.start() - 1) : match.start()],
            text[match.end() : match.end() + 1],
        )
        if not (before and before == after and before in "`'\""):
            yield match


def _holds(page: Document, place: int) -> bool:
    return page.start <= place < page.end

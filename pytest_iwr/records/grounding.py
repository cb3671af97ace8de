"""Grounding: what a model is shown to find what a sentence means, and what it says."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from pytest_iwr.records.model import Asked
from pytest_iwr.records.scalars import Record
from pytest_iwr.records.trace import Box

ELEMENTS: Mapping[str, tuple[str, ...]] = {
    "type": ("into",),
    "press": ("in",),
    "scroll": ("to", "in"),
    "drag": ("from", "to"),
    "select": ("in",),
    "swipe": ("in",),
}
"""The actions that a model may read from a sentence, and which of their fields are
elements. What names files or addresses is for the task alone to say."""

Place = Literal["on screen", "covered", "above", "below", "left", "right"]
"""Where an element is: to be seen, under another one, or which way outside."""


class Listed(Record):
    """A line of the tree: an element that can be chosen, or one that holds some."""

    number: int | None = None
    """What the model calls it, from 1; `None`: it only holds others."""
    depth: int
    """In the tree, from 0."""
    role: str
    name: str = ""
    text: str = ""
    """What it shows, where that is not its name."""
    value: str = ""
    """Of a field; never a password's."""
    hint: str = ""
    title: str = ""
    options: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    """E.g. `checked`, `disabled`, `focused`."""
    place: Place | None = None
    """`None` where it has no number."""
    box: Box | None = None
    """What shows of it, else all of it; CSS pixels of the window."""


class GroundingQuestion(Record):
    """Which element a sentence means, or all that an action needs."""

    sentence: str
    """What is looked for, in the words of the task."""
    action: str
    """The action's kind, e.g. `click`."""
    part: str = ""
    """The field of the action that is looked for, e.g. `into`; "": the whole action."""
    given: dict[str, JsonValue] = Field(default_factory=dict)
    """What the task itself says of the action."""
    lines: tuple[Listed, ...]
    """In the order of the tree, frames after their window."""
    left_out: int = 0
    """Elements that the list has no room for."""
    picture: bytes = Field(repr=False)
    """PNG of the window, with the number of every element that is on screen."""
    label: str = ""
    """Which step of which task it is for, in words."""
    devtools: str = ""
    """The address of the browser's DevTools on this machine; "": not to be reached."""
    window: str = ""
    """The window's target there."""

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers that can be chosen."""
        return frozenset(line.number for line in self.lines if line.number is not None)


class BrowserNode(Record):
    """A node of a page, as DevTools name it."""

    node: int
    """`BackendNodeId`."""
    target: str
    """The target that it is in, e.g. a window or a frame with a process of its own."""


class GroundingChoice(Record):
    """What a model says to a question."""

    outcome: Literal["found", "none", "unclear"]
    """`none`: the page has no such thing, which is the page's fault. `unclear`: the
    sentence cannot be said as an action of this kind."""
    number: int | None = None
    """Of the element, where one was asked for and found."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)
    """Of the action, where that was asked for and found; elements by their numbers."""
    nodes: dict[str, BrowserNode] = Field(default_factory=dict)
    """By field (`number` for the one that was asked for): the element itself, where it
    is known by other means than the list; then its number says nothing."""
    reason: str = ""
    """In the model's words."""
    model: str = ""
    """Name and version, as its endpoint reports it."""
    replies: tuple[str, ...] = ()
    """All that it said; more than one where the first could not be read."""
    asked: tuple[Asked, ...] = ()

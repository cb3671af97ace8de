"""Where the values of a YAML text stand, to the letter, so that one can be replaced."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

import yaml

Kind = Literal["scalar", "map", "list", "alias"]


@dataclass(eq=False)
class Spot:
    """A value in a text; told apart by identity."""

    kind: Kind
    start: int
    """Index of its first letter, an anchor included."""
    end: int
    """Index behind its last letter."""
    column: int
    """Of `start`, from 0."""
    is_flow: bool = True
    """It is no block of lines: a scalar on its line, an alias, `{…}` or `[…]`."""
    name: str = ""
    """Of its anchor, or of the anchor that an alias means."""
    pairs: list[tuple["Spot", "Spot"]] = field(default_factory=list)
    items: list["Spot"] = field(default_factory=list)

    def entry(self, text: str, key: str) -> "Spot | None":
        """Give the value of a key of a map that is written as it is."""
        for name, value in self.pairs:
            if text[name.start : name.end].strip("\"'") == key:
                return value
        return None

    def walk(self) -> Iterator["Spot"]:
        """Give it and all that stands in it, in the order of the text."""
        yield self
        for pair in self.pairs:
            for part in pair:
                yield from part.walk()
        for item in self.items:
            yield from item.walk()


def find_spots(text: str) -> Spot:
    """Give the root of a text with one document; raises yaml.YAMLError."""
    events = yaml.parse(text, Loader=yaml.CBaseLoader)
    for event in events:
        if isinstance(event, yaml.NodeEvent):
            return _spot(event, events)
    raise yaml.YAMLError("the text is empty")


def _spot(event: yaml.NodeEvent, events: Iterator[yaml.Event]) -> Spot:
    kind = _kind(event)
    (start, column), (end, _) = _place(event.start_mark), _place(event.end_mark)
    spot = Spot(kind, start, end, column, name=event.anchor or "")
    if isinstance(event, yaml.ScalarEvent):
        spot.is_flow = event.style not in {"|", ">"}
    if not isinstance(event, yaml.CollectionStartEvent):
        return spot
    parts: list[Spot] = []
    for inner in events:
        if not isinstance(inner, yaml.NodeEvent):
            spot.end, _ = _place(inner.end_mark)
            break
        parts.append(_spot(inner, events))
    if kind == "list":
        spot.items = parts
    else:
        spot.pairs = list(zip(parts[::2], parts[1::2], strict=True))
    spot.is_flow = bool(event.flow_style)
    if not spot.is_flow:
        # The parser ends a block where the next thing begins.
        spot.end = max((part.end for part in parts), default=start)
    return spot


def _kind(event: yaml.NodeEvent) -> Kind:
    match event:
        case yaml.AliasEvent():
            return "alias"
        case yaml.ScalarEvent():
            return "scalar"
        case yaml.SequenceStartEvent():
            return "list"
        case _:
            return "map"


class _Mark(Protocol):
    index: int
    column: int


def _place(mark: _Mark | None) -> tuple[int, int]:
    """Give the index of a letter in its text, and its column."""
    if mark is None:
        raise AssertionError
    return mark.index, mark.column

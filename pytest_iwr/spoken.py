"""What a model says, outside of what it thinks: objects of JSON, and the words around.

A part of it may be a quote of what a page shows, so nothing here is guessed or mended.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.letters import whole
from pytest_iwr.marks import THINK_END, THINK_START

_MARKUP = re.compile(r"```(?:json\b)?|[*_`~#>|]+|\[\[|\]\]", re.IGNORECASE)


class Found(NamedTuple):
    """The objects of JSON in a text."""

    objects: tuple[dict[str, JsonValue], ...]
    """In order, none inside another."""
    around: tuple[str, ...]
    """What stands before, between and behind them: one text more than objects."""

    @property
    def is_clear(self) -> bool:
        """Tell whether no brace is left over: an object that is broken, or a quote."""
        return not any(brace in text for text in self.around for brace in "{}")

    @property
    def is_alone(self) -> bool:
        """Tell whether nothing is said around the objects."""
        return not any(re.search(r"\w", without_marks(text)) for text in self.around)

    @property
    def is_apart(self) -> bool:
        """Tell whether there is one object, on lines of its own."""
        if len(self.objects) != 1:
            return False
        before, after = self.around
        beside = before.rpartition("\n")[2], after.partition("\n")[0]
        return not any(map(without_marks, beside))


def find_objects(text: str) -> Found:
    """Take a text apart; an object that names a field twice is none."""
    decoder = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_fields)
    objects: list[dict[str, JsonValue]] = []
    around: list[str] = []
    begin = place = 0
    while (start := text.find("{", place)) >= 0:
        try:
            held, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = start + 1
        else:
            objects.append(held)
            around.append(text[begin:start])
            begin = place = end
    return Found(tuple(objects), (*around, text[begin:]))


def without_marks(text: str) -> str:
    """Give a text without those of Markdown."""
    return _MARKUP.sub(" ", text).strip()


def without_thoughts(text: str) -> str:
    """Drop what is thought; of JSON that is whole, nothing is."""
    if _is_object(text):
        return text
    end = None
    for end in THINK_END.finditer(text):  # noqa: B007 - the last one counts
        pass
    said = text if end is None else text[end.end() :]
    start = THINK_START.search(said)
    return said if start is None else said[: start.start()]


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _fields(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    held = {
        whole(name): whole(value) if isinstance(value, str) else value
        for name, value in pairs
    }
    if len(held) < len(pairs):
        raise ValueError("a field is there twice")
    return held


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")

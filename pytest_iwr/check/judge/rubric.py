"""The rubric by which a judge says how alike two pictures are, 0 to 100."""

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.check.judge.reply import Reply, find
from pytest_iwr.check.judge.scores import (
    FIELDS,
    Scale,
    read_number,
    read_score,
    sole_score,
)

PARTS: Mapping[str, int] = {
    "layout": 10,
    "elements": 15,
    "content": 40,
    "style": 15,
    "overall": 20,
}
"""Each part and its most. Source: IWR-Bench, arXiv 2509.24709."""
MOST = sum(PARTS.values())
_STEP = 0.5


class Rated(NamedTuple):
    """What a judge gives."""

    score: float
    """0 to 100."""
    parts: Mapping[str, float]
    """By name; empty where only their sum was given."""


def read_rating(reply: Reply) -> Rated | None:
    """Give the sum of the parts; `None` where one is missing, unclear or out of range.

    A reply without any part may give the sum itself.
    """
    found = {name: find(reply, (name,)) for name in PARTS}
    if not any(is_there for is_there, _ in found.values()):
        score = read_score(reply, Scale(MOST, _STEP))
        return None if score is None else Rated(score, {})
    parts: dict[str, float] = {}
    for name, (_, value) in found.items():
        points = read_number(value, Scale(PARTS[name], _STEP))
        if points is None:
            return None
        parts[name] = points
    return Rated(sum(parts.values()), parts)


def sole_rating(reply: Reply) -> Rated | None:
    """Give the rating of a reply that holds no other one; else as `read_rating`."""
    rated = [_of_object(held) for held in reply.objects if _is_rating(held)]
    if rated:
        return rated[0] if all(one == rated[0] for one in rated) else None
    return _whole(reply)


def _is_rating(held: Mapping[str, JsonValue]) -> bool:
    return any(name.lower() in {*PARTS, *FIELDS} for name in held)


def _of_object(held: Mapping[str, JsonValue]) -> Rated | None:
    alone = Reply((held,), "")
    has_parts = any(name.lower() in PARTS for name in held)
    return read_rating(alone) if has_parts else _whole(alone)


def _whole(reply: Reply) -> Rated | None:
    score = sole_score(reply, Scale(MOST, _STEP))
    return None if score is None else Rated(score, {})

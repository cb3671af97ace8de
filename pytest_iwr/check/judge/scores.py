"""The number that a judge gives, or that it gives none."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.check.judge.reply import Reply, find, find_all, is_cited

FIELDS = ("score", "rating", "grade", "total", "total_score", "final_score")
"""Names of a field that holds one."""
_NUMBER = r"(?P<value>[-+−]?\d+(?:[.,]\d+)?)(?![\d.,]*\d)"
_SPAN = r"(?!\s*(?:[-–—~]|to\b|or\b|and\b)\s*\d)"
"""No second number follows: "7-8" is not 7."""
_OUT_OF = r"(?:\s*(?:/|out\s+of)\s*(?P<most>\d+(?:\.\d+)?))"
_LABEL = re.compile(
    r"(?<!confidence )(?:(?P<last>\b(?:final|overall|total)\s+)?"
    r"(?:\b(?:scores?|ratings?|grade)|评分|得分|分数)[\"']?"
    r"(?:\s*\([^)]*\))?\s*(?P<mark>is\b|of\b|[:=])?"
    r"|(?P<sum>\b(?:final|overall|total)[\"']?\s*[:=])"
    r"|\b(?:give|rate|award)s?\b"
    r"(?:\s+(?:it|this|the|page|candidate|a|an|as|at|of|score)\b){0,4})\s*[\"'\[(]*",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"{_NUMBER}{_SPAN}{_OUT_OF}?", re.IGNORECASE)
_SHARE = re.compile(
    rf"(?<![\w.,/–—~-]){_NUMBER}{_SPAN}{_OUT_OF}(?![\d/])", re.IGNORECASE
)
_SPAN_BEFORE = re.compile(r"\d\s*(?:[-–—~]|to|or|and)\s*$", re.IGNORECASE)
_SURE = re.compile(r"\bconfiden(?:ce|t)\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """Which numbers are scores."""

    most: float
    """From 0 up to this one."""
    step: float
    """All are multiples of it."""

    def take(self, value: float) -> float | None:
        """Give a number that is a score; others are none, and never made to fit."""
        if not 0 <= value <= self.most:
            return None
        steps = value / self.step
        is_step = math.isclose(steps, round(steps), abs_tol=1e-9)
        return float(value) if is_step else None


class _Said(NamedTuple):
    value: float | None
    is_last: bool = False
    is_cited: bool = False


def read_score(reply: Reply, scale: Scale) -> float | None:
    """Give the score; `None` where it is not clear or not on the scale.

    The last field of JSON counts, else the last number that is labelled as a score (a
    final one before all others), else the last one out of the scale's most, else the
    whole reply.
    """
    is_there, value = find(reply, FIELDS)
    if is_there:
        return read_number(value, scale)
    labelled = tuple(_labelled(reply.text, scale))
    final = [place for place in labelled if place.is_last]
    for values in (final, labelled, tuple(_shares(reply.text, scale))):
        if values:
            return values[-1].value
    return _whole(reply.text, scale)


def sole_score(reply: Reply, scale: Scale) -> float | None:
    """Give the score of a reply that names no other one; else as `read_score`.

    One that is only cited counts as another one: the page may have said it.
    """
    fields = {read_number(value, scale) for _, value in find_all(reply, FIELDS)}
    named = fields | {
        None if said.is_cited else said.value for said in _labelled(reply.text, scale)
    }
    named = named or {said.value for said in _shares(reply.text, scale)}
    if len(named) > 1:
        return None
    return named.pop() if named else read_score(reply, scale)


def read_number(value: JsonValue, scale: Scale) -> float | None:
    """Give the score that a field of JSON holds."""
    match value:
        case bool():
            return None
        case int() | float():
            return scale.take(value)
        case str():
            return _whole(value, scale)
        case _:
            return None


def _whole(text: str, scale: Scale) -> float | None:
    match = _VALUE.fullmatch(text.strip(" \t\r\n.\"'"))
    return None if match is None else _taken(match, scale)


def _labelled(text: str, scale: Scale) -> Iterator[_Said]:
    """Give what stands behind each label; after a colon all but a score is unclear."""
    for label in _LABEL.finditer(text):
        match = _VALUE.match(text, label.end())
        how = bool(label["last"] or label["sum"]), is_cited(text, label.start())
        if match is not None:
            yield _Said(_taken(match, scale), *how)
        elif label["sum"] or label["mark"] in {":", "="}:
            yield _Said(None, *how)


def _shares(text: str, scale: Scale) -> Iterator[_Said]:
    for match in _SHARE.finditer(text):
        before = text[: match.start()]
        if not _SURE.search(before):
            is_span = bool(_SPAN_BEFORE.search(before))
            yield _Said(None if is_span else _taken(match, scale))


def _taken(match: re.Match[str], scale: Scale) -> float | None:
    most = match["most"]
    if most is not None and float(most) != scale.most:
        return None
    return scale.take(float(match["value"].replace(",", ".").replace("−", "-")))

"""How long to wait before a request is sent again."""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from pytest_iwr.gateway.complaint import Complaint

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])", re.IGNORECASE)
_WORDS = re.compile(
    r"(?:try|retry)(?: again)? (?:in|after) "
    r"((?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?"
    r"|h|hours?|d|days?)(?![a-z])\s?)+)",
    re.IGNORECASE,
)
_YEAR_2001_S = 1e9
"""What is larger is a time since 1970, not a span."""
_YEAR_5138_S = 1e11
"""What is larger counts milliseconds."""
_RESETS = (
    ("x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"),
    ("x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"),
    ("x-ratelimit-reset", "x-ratelimit-remaining"),
    ("ratelimit-reset", "ratelimit-remaining"),
    ("anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"),
    ("anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"),
)


class Wish(NamedTuple):
    """How long an endpoint asks to wait."""

    seconds: float
    is_firm: bool = True
    """It will refuse until then; else it only says when all its limits are full."""


@dataclass(frozen=True)
class Patience:
    """How often and how long a request is sent again.

    Without an endpoint's own wish, the n-th wait is drawn evenly between 0 and
    `first_s` · 2^n, at most `most_s` (full jitter: M. Brooker, "Exponential Backoff
    And Jitter", AWS 2015).
    """

    attempts: int = 10
    """Of one question, apart from those that adapt its parameters."""
    few_attempts: int = 3
    """Of one question, once so many in a row have had no answer at all."""
    late_attempts: int = 3
    """Of one question, that may take too long or end in an answer that is billed."""
    first_s: float = 0.5
    most_s: float = 8.0
    longest_wish_s: float = 60.0
    """An endpoint that firmly wishes for more is not asked again."""
    draw: Callable[[], float] = random.random  # noqa: S311 - no secret
    """Gives a number from 0 to below 1."""

    def delay_s(self, nth: int, wish: Wish | None) -> float:
        """Give the seconds to wait after the `nth` fault (from 0).

        An endpoint's wish is kept, and up to a tenth, at most 1 s, is added so that
        not all come back at once.
        """
        if wish is not None and wish.seconds > 0:
            seconds = min(wish.seconds, self.longest_wish_s)
            return seconds + self.draw() * min(1.0, seconds / 10)
        return self.draw() * min(self.most_s, self.first_s * 2.0**nth)


def read_wish(
    headers: Mapping[str, str],
    complaint: Complaint | None,
    now: Callable[[], float] = time.time,
) -> Wish | None:
    """Give how long an endpoint asks to wait, or `None` where it does not say.

    Read in this order: `retry-after-ms`, `Retry-After` (seconds or a date, the latter
    against the endpoint's own clock), Google's RetryInfo, words such as "try again in
    1.2s", and `x-ratelimit-reset-*` and their like: of the limits that are used up the
    longest, else of all the shortest. Names of headers in lower case.
    """
    at = _date(headers.get("date", "")) or now()
    for seconds in _wishes(headers, complaint, at):
        if seconds is not None:
            return Wish(max(0.0, seconds))
    used_up: list[float] = []
    others: list[float] = []
    for reset, remaining in _RESETS:
        seconds = _moment(headers.get(reset, ""), at)
        if seconds is not None:
            is_used_up = _number(headers.get(remaining, "")) == 0
            (used_up if is_used_up else others).append(max(0.0, seconds))
    if used_up:
        return Wish(max(used_up))
    return Wish(min(others), is_firm=False) if others else None


def _wishes(
    headers: Mapping[str, str], complaint: Complaint | None, at: float
) -> Iterator[float | None]:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    yield None if milliseconds is None else milliseconds / 1000
    yield _moment(headers.get("retry-after", ""), at)
    if complaint is not None:
        for detail in complaint.details:
            yield _span(str(detail.get("retryDelay", "")))
        words = _WORDS.search(complaint.message)
        yield None if words is None else _span(_abbreviated(words[1]))


def _moment(text: str, at: float) -> float | None:
    """Read a number of seconds, a span, a time since 1970, or a date."""
    number = _number(text)
    if number is not None:
        if number > _YEAR_5138_S:
            return number / 1000 - at
        return number - at if number > _YEAR_2001_S else number
    span = _span(text)
    if span is not None:
        return span
    date = _date(text)
    return None if date is None else date - at


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text) if re.fullmatch(r"-?\d{1,18}(\.\d*)?|\.\d+", text) else None


def _span(text: str) -> float | None:
    """Read `250ms`, `1.5s`, `6m0s`, `1h2m3s`."""
    text = text.replace(" ", "")
    if not re.fullmatch(rf"({_SPAN.pattern})+", text, re.IGNORECASE):
        return None
    return sum(float(n) * _UNITS[unit.lower()] for n, unit in _SPAN.findall(text))


def _abbreviated(words: str) -> str:
    """Give `1m 20s` for `1 minute 20 seconds`."""
    words = re.sub(r"milliseconds?", "ms", words, flags=re.IGNORECASE)
    return re.sub(r"(?!ms)([smhd])[a-z]+", r"\1", words, flags=re.IGNORECASE)


def _date(text: str) -> float | None:
    """Read a date of HTTP (RFC 9110) or of the internet (RFC 3339)."""
    if not text:
        return None
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return parse(text.strip()).timestamp()
        except (ValueError, OverflowError):
            continue
    return None

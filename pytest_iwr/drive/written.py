"""What a page says, as it can be written down: whole characters, not too many."""

from pytest_iwr import records as r
from pytest_iwr.letters import whole

_LONGEST = 2000
"""Characters kept of what a page says."""


def bearable(text: str) -> str:
    """Give a page's text without halves of characters, cut to a bearable length."""
    return whole(text[:_LONGEST])


def writable(trace: r.Trace) -> r.Trace:
    """Give a trace whose every text can be written.

    The page chose most of them, and many ways lead from it into a trace: messages,
    places, functions, fields. All of them end here.
    """
    return r.Trace.model_validate(_mended(trace.model_dump()))


def _mended(value: object) -> object:
    match value:
        case str():
            return whole(value)
        case dict():
            return {_mended(key): _mended(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_mended(inner) for inner in value]
        case _:
            return value

"""Marks in what models say: around what they think, and around what they quote."""

import re

_NAMES = r"(?:seed:)?(?:think|thinking|thought|reasoning)"

THINK_START = re.compile(
    rf"<{_NAMES}\s*>|◁think▷|\[THINK\]|<\|begin_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary)\b",
    re.IGNORECASE,
)
"""Begins a part that is not meant for the reader."""

THINK_END = re.compile(
    rf"</{_NAMES}\s*>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>"
    r"|<\|channel\|>final\b(?:<\|message\|>)?",
    re.IGNORECASE,
)
"""Ends it; some templates give the start to the model, so that only this is there."""

_QUOTES = frozenset("`\"'“‘«")


def is_quoted(text: str, place: int) -> bool:
    """Tell whether a quote, and not a fence, stands right before a place."""
    is_fence = text[max(0, place - 3) : place] == "```"
    return place > 0 and text[place - 1] in _QUOTES and not is_fence

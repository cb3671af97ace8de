"""Marks that models put around what they think, as their chat templates write them."""

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

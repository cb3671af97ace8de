"""A page's words as data: lines of JSON, in which nothing can look like our marks."""

import json
import unicodedata
from collections.abc import Iterable

from pydantic import JsonValue

from pytest_iwr import records as r

BEGIN, END = "<page-data>", "</page-data>"
_SIGNS = "<>&`"
"""What marks begin and end with."""
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
"""Unicode's categories of what nobody sees, or what turns text around."""


def quoted(value: JsonValue) -> str:
    """Give a value as JSON on one line, without marks and unseen characters."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return "".join(_escaped(char) for char in text)


def _escaped(char: str) -> str:
    if char not in _SIGNS and unicodedata.category(char) not in _UNSEEN:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    pairs = (units[i : i + 2].hex() for i in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs)


def page_data(lines: Iterable[r.Listed], left_out: int) -> str:
    """Give the tree of a page between its marks, one element a line, by depth."""
    told = [f"{'  ' * line.depth}{quoted(_told(line))}" for line in lines]
    if left_out:
        told.append(quoted({"elements farther away, not listed": left_out}))
    return "\n".join([BEGIN, *told, END])


def _told(line: r.Listed) -> JsonValue:
    """Give what a model is told of an element."""
    told: dict[str, JsonValue] = {}
    if line.number is not None:
        told["number"] = line.number
    told["role"] = line.role
    for name in ("name", "text", "value", "hint", "title"):
        if word := getattr(line, name):
            told[name] = word
    if line.options:
        told["options"] = list(line.options)
    if line.states:
        told["states"] = list(line.states)
    if line.place == "covered":
        told["place"] = "covered"
    elif line.place not in {None, "on screen"}:
        told["place"] = f"off screen, {line.place}"
    return told

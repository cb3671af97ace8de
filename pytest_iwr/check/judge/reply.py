"""A judge's reply → the JSON objects in it, and the words outside of its thoughts."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.marks import THINK_END, THINK_START

_MARKUP = re.compile(r"[*_`~#>|]+|\[\[|\]\]")


class Reply(NamedTuple):
    """What a judge said, outside of what it thought."""

    objects: tuple[Mapping[str, JsonValue], ...]
    """Of JSON, in order, those that hold others before them."""
    text: str
    """In plain letters, without marks of Markdown; "" where JSON was begun and not
    ended."""


def open_reply(said: str | None) -> Reply:
    """Take a reply apart; a part that is thought is dropped, whatever it says."""
    text = _without_thoughts(unicodedata.normalize("NFKC", said or ""))
    objects, rest = _objects(text)
    is_whole = rest.count("{") <= rest.count("}")
    return Reply(objects, _MARKUP.sub(" ", rest).strip() if is_whole else "")


def find(reply: Reply, names: Iterable[str]) -> tuple[bool, JsonValue]:
    """Give whether a field is there, and the last one's value; names in lower case."""
    wanted = tuple(names)
    for held in reversed(reply.objects):
        for name, value in reversed(list(held.items())):
            if name.lower() in wanted:
                return True, value
    return False, None


def words(reply: Reply, name: str) -> str:
    """Give the text of a field; "" where it is none."""
    value = find(reply, (name,))[1]
    return value if isinstance(value, str) else ""


def _without_thoughts(text: str) -> str:
    end = None
    for end in THINK_END.finditer(text):  # noqa: B007 - the last one counts
        pass
    said = text if end is None else text[end.end() :]
    start = THINK_START.search(said)
    return said if start is None else said[: start.start()]


def _objects(text: str) -> tuple[tuple[Mapping[str, JsonValue], ...], str]:
    """Give the objects of JSON in a text, and what stands between them."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    found: list[Mapping[str, JsonValue]] = []
    rest: list[str] = []
    place = 0
    while (start := text.find("{", place)) >= 0:
        rest.append(text[place:start])
        try:
            held, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            rest.append("{")
            place = start + 1
        else:
            found += _inside(held)
            place = end
    rest.append(text[place:])
    return tuple(found), "".join(rest)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _inside(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """Give an object and those within it; its own fields count more."""
    match value:
        case dict():
            for item in value.values():
                yield from _inside(item)
            yield value
        case list():
            for item in value:
                yield from _inside(item)

"""A judge's reply → the JSON objects in it, and the words outside of its thoughts."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.marks import is_quoted
from pytest_iwr.spoken import Found, find_objects, without_marks, without_thoughts

_TOLD = frozenset({"seen", "reason"})
"""Texts of each form."""
_OPENING, _CLOSING = "“«", "”»"


class Reply(NamedTuple):
    """What a judge said, outside of what it thought."""

    objects: tuple[Mapping[str, JsonValue], ...]
    """Of JSON, in order, those that hold others before them."""
    text: str
    """In plain letters, without marks of Markdown; "" where JSON was begun and not
    ended."""
    found: Found = Found((), ("",))
    """Objects that no other one holds, and what stands around them, as it was said."""


def open_reply(said: str | None) -> Reply:
    """Take a reply apart; a part that is thought is dropped, whatever it says."""
    found = find_objects(without_thoughts(said or ""))
    rest = unicodedata.normalize("NFKC", "".join(found.around))
    is_whole = rest.count("{") <= rest.count("}")
    objects = tuple(one for held in found.objects for one in _inside(held))
    return Reply(objects, without_marks(rest) if is_whole else "", found)


def sole(reply: Reply, asked: Iterable[str]) -> Reply | None:
    """Give the part of a reply that counts; `None` where it may quote the page.

    A form that is filled in, and stands on lines of its own as the only object, counts
    whatever is said around it; `asked` are its fields, beside what was seen and why.
    Any other object has to be all there is.
    """
    found = reply.found
    if not found.is_clear:
        return None
    if found.is_apart and _is_form(found.objects[0], _TOLD.union(asked)):
        return Reply(reply.objects, "")
    return reply if found.is_alone or not found.objects else None


def find(reply: Reply, names: Iterable[str]) -> tuple[bool, JsonValue]:
    """Give whether a field is there, and the last one's value; names in lower case."""
    return next(reversed(list(find_all(reply, names))), (False, None))


def find_all(reply: Reply, names: Iterable[str]) -> Iterator[tuple[bool, JsonValue]]:
    """Give all fields with one of some names, as `find` does, in order."""
    wanted = frozenset(names)
    for held in reply.objects:
        for name, value in held.items():
            if name.lower() in wanted:
                yield True, value


def is_cited(text: str, place: int) -> bool:
    """Tell whether a place is inside quotes, or right behind one, in its line."""
    before = text[text.rfind("\n", 0, place) + 1 : place]
    opened = sum(map(before.count, _OPENING)) > sum(map(before.count, _CLOSING))
    return opened or before.count('"') % 2 == 1 or is_quoted(text, place)


def words(reply: Reply, name: str) -> str:
    """Give the text of a field; "" where it is none."""
    value = find(reply, (name,))[1]
    return value if isinstance(value, str) else ""


def _is_form(held: Mapping[str, JsonValue], names: frozenset[str]) -> bool:
    """Tell whether an object has all fields of a form and no others."""
    given = {name.lower(): value for name, value in held.items()}
    are_texts = all(isinstance(given.get(name), str) for name in _TOLD)
    return given.keys() == names and len(given) == len(held) and are_texts


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

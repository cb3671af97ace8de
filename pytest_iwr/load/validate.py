"""Data → a record; what pydantic says about it → findings a person can act on."""

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pytest_iwr.load.parse import Finding, Key, Part, Where
from pytest_iwr.records import (
    VERBS,
    Checkpoint,
    Expectation,
    Goto,
    Plain,
    Press,
    Record,
    Scroll,
    Step,
    Target,
    Type,
)

_R = TypeVar("_R", bound=Record)

_INSTANT = "a date and time with a zone, such as 2026-01-15T10:00:00Z"
_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "timezone_aware": _INSTANT,
    "datetime_type": _INSTANT,
    "datetime_parsing": _INSTANT,
    "datetime_from_date_parsing": _INSTANT,
    "datetime_object_invalid": _INSTANT,
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
_SHORTHANDS = {Checkpoint, Expectation, Goto, Press, Scroll, Target, Type}
"""Records that a bare text stands for, too."""
_DISCRIMINATOR = "kind"
"""Tells action records apart; it is no key of files."""
_YES_NO = {"yes": "true", "on": "true", "no": "false", "off": "false"}


@dataclass(frozen=True)
class _Fault:
    """One pydantic error, at its place in the file."""

    error: ErrorDetails
    where: Where
    line: int
    part: Part
    owner: Part
    """The part that holds `part`; itself at the top."""
    records: frozenset[type[Record]]
    """What may stand there; for an unknown key, what may hold it."""
    union: Where | None
    """The place where several types may stand, if the error is of one of them."""

    @property
    def is_mismatch(self) -> bool:
        return self.error["type"] in _WANTED or self.error["type"] == "literal_error"


def validate(root: Part, record: type[_R]) -> tuple[_R | None, list[Finding]]:
    """Give the record of a file, or all that is wrong with the data."""
    try:
        content = record.model_validate(root.value, by_alias=True, by_name=False)
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False)
        faults = [_place(root, record, error) for error in errors]
        return None, list(_findings(faults))
    kinds = [where for where, _ in root.walk() if where[-1:] == (_DISCRIMINATOR,)]
    found = [_place(root, record, _no_key(where)) for where in kinds]
    return content, list(_findings(found))


def _no_key(where: Where) -> ErrorDetails:
    return {"type": "extra_forbidden", "loc": where, "msg": "", "input": None}


@cache
def names(records: frozenset[type[Record]]) -> tuple[str, ...]:
    """Give the keys that records have in files, in the order of their fields."""
    found = {
        field.alias or name: None
        for record in records
        for name, field in record.model_fields.items()
        if name != _DISCRIMINATOR
    }
    return tuple(found)


def _place(root: Part, record: type[Record], error: ErrorDetails) -> _Fault:
    """Walk an error's `loc` over the parts and the types at once.

    Some of its items exist in one of the two only: names of union branches in
    neither, the fields that a shorthand stands for in the types.
    """
    part = owner = root
    line = root.line
    where: Where = ()
    union: Where | None = None
    records: frozenset[type[Record]] = frozenset({record})
    is_name = False
    for item in error["loc"]:
        inside = _field_records(records, item)
        is_field = isinstance(item, int) or (item in names(records) and not is_name)
        is_there = item in part.parts
        if not is_field and not is_there:
            union = where if union is None else union
            words = re.findall(r"\w+", str(item))
            records = frozenset(r for r in records if r.__name__ in words) or records
            continue
        is_name = is_field and _has_names(records, item)
        if is_field and isinstance(item, str):
            records = inside
        if is_there:
            owner, part, line = part, part.parts[item], part.lines[item]
            where = (*where, item)
    return _Fault(error, where, line, part, owner, records, union)


@cache
def _field_records(
    records: frozenset[type[Record]], key: str | int
) -> frozenset[type[Record]]:
    return frozenset(
        inner
        for record in records
        for name, field in record.model_fields.items()
        if key == (field.alias or name)
        for inner in _records_in(field.annotation)
    )


@cache
def _has_names(records: frozenset[type[Record]], key: str | int) -> bool:
    """Tell whether a field holds a mapping whose keys the user chooses."""
    return any(
        get_origin(field.annotation) is dict
        for record in records
        for name, field in record.model_fields.items()
        if key == (field.alias or name)
    )


def _records_in(annotation: object) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
    for argument in get_args(annotation):
        yield from _records_in(argument)


def _findings(faults: Sequence[_Fault]) -> Iterator[Finding]:
    unions: dict[Where, list[_Fault]] = {}
    offered: set[tuple[Where, str | None]] = set()
    for fault in faults:
        if fault.error["type"] == "extra_forbidden":
            key = str(fault.where[-1])
            offered.add((fault.where[:-1], _closest(key, names(fault.records))))
    for fault in faults:
        kind, loc = fault.error["type"], fault.error["loc"]
        if kind == "missing" and (fault.where, loc[-1]) in offered:
            continue  # a misspelt key is one mistake, not two
        if kind == "too_short" and fault.part.parts:
            continue  # pydantic leaves out the entries that are wrong
        if fault.union is not None:
            unions.setdefault(fault.union, []).append(fault)
        else:
            yield _finding(fault)
    for group in unions.values():
        yield from _union_findings(group)


def _union_findings(group: Sequence[_Fault]) -> Iterator[Finding]:
    """Keep what the likeliest branch says, or name all that may stand there."""
    deepest = [fault for fault in group if fault.where != fault.union]
    telling = deepest or [fault for fault in group if not fault.is_mismatch]
    if telling:
        yield from map(_finding, telling)
        return
    wanted = list(dict.fromkeys(_wanted(fault) for fault in group))
    first = group[0]
    literals = [v for fault in group for v in _literals(fault.error)]
    yield _at(first, _mismatch(wanted, first.part.value, literals))


def _finding(fault: _Fault) -> Finding:
    if fault.error["type"] == "extra_forbidden":
        return _unknown_key(fault)
    return _at(fault, _message(fault))


def _message(fault: _Fault) -> str:
    error, value = fault.error, fault.part.value
    match error["type"]:
        case "value_error":
            message = str(error["ctx"]["error"])
        case "missing" if isinstance(error["loc"][-1], int):
            message = f"has only {len(fault.part.parts)} entries. Add the rest"
        case "missing":
            message = f"has no `{error['loc'][-1]}`. Add it"
        case "too_long":
            limit = error["ctx"]["max_length"]
            message = f"has more than {limit} entries. Remove the rest"
        case "too_short":
            message = "is empty. Add at least one entry"
        case kind if kind in _BOUNDS and fault.where == ("iwr",):
            message = (
                f"version {value} of the format is not known."
                " Write `iwr: 1`, or update pytest-iwr"
            )
        case kind if kind in _BOUNDS:
            name, words = _BOUNDS[kind]
            message = f"must be {words} {error['ctx'][name]:g}, is {value}"
        case _ if fault.is_mismatch:
            message = _mismatch([_wanted(fault)], value, _literals(error))
        case _:
            message = error["msg"]
    return message


def _at(fault: _Fault, message: str) -> Finding:
    return Finding(fault.where, fault.line, message, fault.part)


def _wanted(fault: _Fault) -> str:
    if fault.error["type"] == "literal_error":
        return str(fault.error["ctx"]["expected"]).replace("True", "true")
    if fault.error["type"].startswith("model"):
        keys = ", ".join(repr(key) for key in names(fault.records)[:3])
        mapping = f"a mapping with keys such as {keys}"
        return f"text or {mapping}" if fault.records & _SHORTHANDS else mapping
    return _WANTED[fault.error["type"]]


def _literals(error: ErrorDetails) -> list[str]:
    if error["type"] != "literal_error":
        return []
    return re.findall(r"'([^']*)'", error["ctx"]["expected"])


def _mismatch(wanted: Sequence[str], value: object, literals: Sequence[str]) -> str:
    if isinstance(value, Plain) and not value:
        return "has no value. Write one, or remove the key"
    alternatives = " or ".join(wanted)
    return f"must be {alternatives}, is {_shown(value)}{_hint(wanted, value, literals)}"


def _shown(value: object) -> str:
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case Plain() if not isinstance(value.core, str):
            return str(value)
        case _:
            return repr(str(value))


def _hint(wanted: Sequence[str], value: object, literals: Sequence[str]) -> str:
    if "a list" in wanted:
        return ". Start each entry with `- `"
    if not isinstance(value, str):
        return ""
    is_number = any("number" in words for words in wanted)
    core = Plain(value).core
    if not isinstance(value, Plain) and not isinstance(core, str | None):
        return ". Remove the quotes"
    if "true or false" in wanted and value.lower() in _YES_NO:
        return f". Write {_YES_NO[value.lower()]}"
    close = difflib.get_close_matches(value, literals, n=1)
    if close and not is_number:
        return f". Did you mean {close[0]!r}?"
    return ""


def _unknown_key(fault: _Fault) -> Finding:
    key = str(fault.where[-1])
    known = names(fault.records)
    closest = _closest(key, known)
    noun, listed = "key", known
    if Step in fault.records and key == _meant_action(fault.owner.parts, known):
        noun, listed = "action", VERBS
    head, colon, tail = key.partition(":")
    if colon and head in known:
        advice = f"Write a space after the colon: `{head}: {tail}`"
    elif closest is not None:
        advice = f"Did you mean {closest!r}?"
    else:
        advice = f"Known: {', '.join(listed)}"
    message = f"unknown {noun} {key!r}. {advice}"
    return Finding(fault.where[:-1], fault.line, message, fault.part)


def _meant_action(keys: Collection[Key], known: tuple[str, ...]) -> str | None:
    """Give the key of a step without any known action that stands in for one."""
    unknown = [str(key) for key in keys if key not in known]
    if any(verb in keys for verb in VERBS):
        return None
    near = [key for key in unknown if _closest(key, known) in VERBS]
    far = [key for key in unknown if _closest(key, known) is None]
    return next(iter(near + far), None)


@lru_cache(maxsize=256)
def _closest(key: str, known: tuple[str, ...]) -> str | None:
    folded = {_fold(name): name for name in known}
    close = difflib.get_close_matches(_fold(key), folded, n=1, cutoff=0.65)
    return folded[close[0]] if close else None


def _fold(key: str) -> str:
    """Let `doubleClick`, `double-click` and `double_click` be near each other."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
    return re.sub(r"[^a-z]+", "_", snake).strip("_")

"""A line of the official `data.jsonl` → a record, with all that is wrong with it."""

import json
import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from pytest_iwr.load.parse import Finding, Key, Part
from pytest_iwr.load.validate import validate
from pytest_iwr.records.scalars import Flag, Plain, Record

_NO_FIELD = "kind"
"""The one key that a record of this package can never have in a file."""

_LONGEST = 255
"""Bytes of a folder's name, on every usual file system."""
_HALF = re.compile("[\ud800-\udfff]")


def _core(value: object) -> object:
    return value.core if isinstance(value, Plain) else value


def _or_none(value: object) -> object:
    """Let an empty text say as little as `null`."""
    core = _core(value)
    return None if isinstance(core, str) and not core.strip() else core


def _name(value: object) -> object:
    core = _core(value)
    is_number = isinstance(core, int) and not isinstance(core, bool)
    return str(core) if is_number else core


def _word(value: object) -> object:
    core = _or_none(value)
    return core.lower() if isinstance(core, str) else core


def _amount(value: object) -> object:
    """Let a number be written as text, as in `"0.5"`."""
    core = _or_none(value)
    return Plain(core.strip()).core if isinstance(core, str) else core


Said = Annotated[str | None, BeforeValidator(_or_none)]


class _Given(Record):
    """Base of what the data may say more about than is read here."""

    model_config = ConfigDict(extra="ignore")


class Parameters(_Given):
    """The arguments of an action, most of them in prose."""

    description: Said = None
    text: Said = None
    """What is typed; else it stands in the description."""
    key: Said = None
    direction: Annotated[
        Literal["up", "down", "left", "right"] | None, BeforeValidator(_word)
    ] = None
    scroll_page: Annotated[
        float | None, Field(strict=True, allow_inf_nan=False), BeforeValidator(_amount)
    ] = None
    """Heights (or widths) of the viewport."""


class OfficialAction(_Given):
    """One action, and whether the screen after it is compared."""

    type: Annotated[Literal["Click", "Type", "Scroll", "Press"], BeforeValidator(_core)]
    parameters: Parameters
    visual_evaluation_flag: Flag
    checkpoint_screenshot: Said = None
    logical_assertion: Said = None


class Classification(_Given):
    """How a task is classified."""

    interaction_complexity: Annotated[
        Literal["L1", "L2", "L3", "L4"] | None, BeforeValidator(_or_none)
    ] = None
    visual_complexity: Said = None
    domain: Said = None
    sub_domain: Said = None


class Recording(_Given):
    """The window that the task was recorded in."""

    resolution: Annotated[str, BeforeValidator(_core)]
    """CSS pixels, as in `1920x1080`."""
    environment: Said = None


class OfficialRow(_Given):
    """One task, as its line says it."""

    id: Annotated[str, BeforeValidator(_name)]
    classification: Classification = Classification()
    recording_details: Recording
    source_website: Said = None
    action_sequence: Annotated[tuple[OfficialAction, ...], Field(min_length=1)]


def read_json(line: bytes, number: int) -> Part | Finding:
    """Give the parts of a line, all of which stand in that line, or why not."""
    try:
        text = line.decode("utf-8")
        value = json.loads(text, parse_float=Plain, parse_int=Plain)
        root = _part(value, number)
    except UnicodeDecodeError as error:
        bad = line[error.start]
        message = f"byte {bad:#04x} is not UTF-8. Save the file as UTF-8"
        return Finding((), number, message)
    except json.JSONDecodeError as error:
        message = f"is no JSON at column {error.colno}: {error.msg}. Correct the line"
        return Finding((), number, message)
    except RecursionError:
        return Finding((), number, "values are nested too deep. Flatten them")
    if not isinstance(root.value, dict):
        message = "must be a JSON object with keys such as `id`. Correct the line"
        return Finding((), number, message)
    return root


def read_row(root: Part) -> tuple[OfficialRow | None, list[Finding]]:
    """Give the record of a line, or all that is wrong with its keys and values."""
    texts = (part.value for _, part in root.walk() if isinstance(part.value, str))
    if any(_HALF.search(text) for text in texts):
        message = "holds half a character (a lone surrogate). Remove it"
        return None, [Finding((), root.line, message)]
    row, found = validate(root, OfficialRow)
    return row, [*found, *(_id_findings(row, root) if row else ())]


def _id_findings(row: OfficialRow, root: Part) -> Iterator[Finding]:
    is_path = any(sign in row.id for sign in "/\\\0")
    if is_path or not row.id.strip() or row.id.startswith("."):
        message = f"{row.id!r} cannot be the name of a folder. Give a number or a word"
        yield Finding(("id",), root.line, message)
    elif (size := len(row.id.encode())) > _LONGEST:
        message = f"a text of {size} bytes cannot be the name of a folder. Shorten it"
        yield Finding(("id",), root.line, message)


def _part(value: object, line: int) -> Part:
    parts: dict[Key, Part] = {}
    match value:
        case dict():
            kept = {str(key): v for key, v in value.items() if key != _NO_FIELD}
            parts |= {key: _part(v, line) for key, v in kept.items()}
            plain: object = {key: part.value for key, part in parts.items()}
        case list():
            parts |= {index: _part(v, line) for index, v in enumerate(value)}
            plain = [part.value for part in parts.values()]
        case None | bool():
            plain = Plain({None: "null", True: "true", False: "false"}[value])
        case _:
            plain = value
    return Part(plain, line, parts, dict.fromkeys(parts, line))

"""Writes the generated pages of `docs/`: `python docs/build.py`."""

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load, schema
from pytest_iwr.load.parse import MAX_DEPTH, MAX_NODES
from pytest_iwr.load.rules import RESERVED_TAGS

FOLDER = Path(__file__).parent


class Schema(TypedDict, total=False):
    """The part of JSON schema that task files use."""

    type: str | list[str]
    description: str
    properties: dict[str, "Schema"]
    required: list[str]
    anyOf: list["Schema"]
    enum: list[object]
    const: object
    items: "Schema"
    prefixItems: list["Schema"]
    default: object
    minimum: float
    exclusiveMinimum: float
    maximum: float
    format: str


def pages() -> dict[Path, str]:
    """Give the text of every generated page by its path."""
    environment = Environment(  # noqa: S701  # Markdown, from our own text
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    environment.globals |= {
        "fields": _fields,
        "refused": _refused,
        "reserved": ", ".join(f"`{tag}`" for tag in sorted(RESERVED_TAGS)),
        "max_nodes": f"{MAX_NODES:,}",
        "max_depth": MAX_DEPTH,
    }
    template = environment.get_template("tasks.template.md")
    return {FOLDER / "tasks.md": template.render()}


def _fields(record: str | None = None, only: str = "", without: str = "") -> str:
    """Give the table of a record's keys, `None` for the task itself."""
    root = json.loads(schema())
    found: Schema = root["$defs"][record] if record else root
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, field in found["properties"].items():
        if (only and key not in only.split()) or key in without.split():
            continue
        need = " (required)" if key in found.get("required", []) else ""
        meaning = field.get("description", "").replace("|", "\\|")
        if field.get("default") not in {None, False}:
            meaning += f" Default: `{field['default']}`."
        rows.append(f"| `{key}` | {_kind(field)}{need} | {meaning} |")
    return "\n".join(rows)


def _kind(field: Schema) -> str:
    """Say in words what may stand there."""
    match field:
        case {"anyOf": alternatives}:
            kinds = list(dict.fromkeys(_kind(entry) for entry in alternatives))
            return " or ".join(kinds)
        case {"$ref": str(name)}:
            return f"[{_name(name)}](#{_ANCHORS[_name(name)]})"
        case {"enum": [{}, *_]}:
            return "`{}`"
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{json.dumps(value)}`"
        case {"prefixItems": items}:
            return f"list of {len(items)} numbers"
        case {"items": items}:
            return f"list of {_kind(items)}"
        case {"format": "date-time"}:
            return "date and time with zone"
        case {"type": str(kind)}:
            return _TYPES[kind] + _range(field)
        case _:
            return "text"


_TYPES = {"integer": "whole number", "number": "number", "boolean": "`true` or `false`"}
_ANCHORS = {
    "answer": "dialogs",
    "checkpoint": "checkpoints-and-thresholds",
    "drag": "drag",
    "expectation": "expectations",
    "goto": "goto-back-reload",
    "offset": "drag",
    "press": "press",
    "scroll": "scroll",
    "select": "select",
    "source": "the-task",
    "step": "steps",
    "swipe": "swipe",
    "target": "targets",
    "thresholds": "checkpoints-and-thresholds",
    "type": "type",
    "upload": "upload",
    "viewport": "viewport",
}


def _name(reference: str) -> str:
    return reference.removeprefix("#/$defs/").lower()


def _range(field: Schema) -> str:
    match field:
        case {"minimum": low, "maximum": high} if low == high:
            return f", {low:g}"
        case {"minimum": low, "maximum": high}:
            return f", {low:g} to {high:g}"
        case {"exclusiveMinimum": low, "maximum": high}:
            return f", above {low:g}, at most {high:g}"
        case {"minimum": low}:
            return f", at least {low:g}"
        case _:
            return ""


def _refused(caller: Callable[[], str]) -> str:
    """Show a task that is refused, and all that `iwr check` says about it."""
    text = caller().strip()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "task.iwr.yaml"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            load(file)
        except TaskError as error:
            said = str(error).replace(str(file), "tasks/shop/task.iwr.yaml")
        else:
            raise ValueError(f"this task is fine: {text}")
    return f"```yaml refused\n{text}\n```\n\n```text\n{said}\n```"


if __name__ == "__main__":
    for path, page in pages().items():
        path.write_text(page, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path}\n")

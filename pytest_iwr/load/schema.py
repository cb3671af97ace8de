"""The JSON schema of task files, for editors."""

import json
from collections.abc import Iterable
from typing import get_args

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema as core

from pytest_iwr.records import VERBS, Expectation, Record, Target, TaskFile
from pytest_iwr.records.expectation import StateVerb

_ID = "urn:pytest-iwr:task:1"
_TITLE = "Task of pytest-iwr (task.iwr.yaml)"
_KINDS = [
    field.alias or name
    for name, field in Expectation.model_fields.items()
    if name not in {"in_", "equals", "at_least", "at_most"}
]
_SIGNALS = [
    field.alias or name for name, field in Target.model_fields.items() if name != "nth"
]
_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
_AMOUNTS: JsonSchemaValue = {
    "if": {"required": ["count"]},
    "then": {
        "anyOf": [{"required": [k]} for k in ("equals", "at_least", "at_most")],
        "properties": {"equals": {"type": "integer"}},
    },
    "else": {
        "properties": {"at_least": False, "at_most": False},
        "if": {"anyOf": [{"required": [state]} for state in get_args(StateVerb)]},
        "then": {"properties": {"equals": {"type": "boolean"}}},
        "else": {"properties": {"equals": False}},
    },
}


def _one_of(keys: Iterable[str]) -> JsonSchemaValue:
    return {"oneOf": [{"required": [key]} for key in keys]}


def _any_of(*needs: str) -> JsonSchemaValue:
    """Need one of several sets of keys, each written with spaces between."""
    return {"anyOf": [{"required": need.split()} for need in needs]}


_RULES: dict[str, JsonSchemaValue] = {
    "Step": _one_of(VERBS),
    "Target": _any_of(*_SIGNALS),
    "Expectation": _one_of(_KINDS)
    | {"dependentRequired": {"text_is": ["in"]}}
    | _AMOUNTS,
    "Type": _any_of("text", "describe"),
    "Press": _any_of("key", "describe"),
    "Scroll": _any_of("by", "by_x", "to", "describe")
    | {"dependentSchemas": {"to": {"properties": {"by": False, "by_x": False}}}},
    "Drag": _any_of("from to", "from by", "describe")
    | {"dependentSchemas": {"to": {"properties": {"by": False}}}},
    "Select": _any_of("option", "describe"),
    "Upload": _any_of("file", "describe"),
    "Swipe": _any_of("direction", "describe"),
    "Goto": _any_of("path", "describe"),
}
"""What the records check beyond the types of their fields."""


class _AsWritten(GenerateJsonSchema):
    """Says what editors may accept: they read `id: 2048` as a number, we as text."""

    def str_schema(self, _schema: core.StringSchema) -> JsonSchemaValue:
        return {"type": ["string", "number", "boolean", "null"]}

    def nullable_schema(self, schema: core.NullableSchema) -> JsonSchemaValue:
        # `None` means that the key is not there.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core.WithDefaultSchema) -> JsonSchemaValue:
        default = schema.get("default")
        if default is None or default == () or isinstance(default, Record):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def generate(
        self, schema: core.CoreSchema, mode: JsonSchemaMode = "validation"
    ) -> JsonSchemaValue:
        found = super().generate(schema, mode)
        for name, rule in _RULES.items():
            found["$defs"][name] |= rule
        for record in found["$defs"].values():
            record["properties"].pop("kind", None)  # tells records apart, not for files
        found["not"] = {"required": ["viewport", "device"]}
        head = {"$schema": self.schema_dialect, "$id": _ID, "title": _TITLE}
        _rename_bounds(found)
        return head | {key: found[key] for key in found if key != "title"}

    def field_title_should_be_set(self, _schema: object) -> bool:
        return False


def _rename_bounds(node: object) -> None:
    """Write bounds as JSON schema does; pydantic keeps its own words behind a hook."""
    if isinstance(node, list):
        for entry in node:
            _rename_bounds(entry)
    if isinstance(node, dict):
        for name in [name for name in _BOUNDS if name in node]:
            node[_BOUNDS[name]] = node.pop(name)
        for entry in node.values():
            _rename_bounds(entry)


def schema() -> str:
    """Give the JSON schema (draft 2020-12) as text, always the same bytes."""
    made = TaskFile.model_json_schema(by_alias=True, schema_generator=_AsWritten)
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"

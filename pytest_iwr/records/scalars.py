"""Scalars of a task file: text exactly as written, numbers by YAML 1.2 core rules."""

import re
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    Strict,
)

_INTEGER = re.compile(r"[-+]?[0-9]{1,999}|0o[0-7]+|0x[0-9a-fA-F]+")
"""Longer ones are text: Python refuses to read them."""
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class Record(BaseModel):
    """A frozen value; unknown fields are errors, aliases are used in files."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        use_attribute_docstrings=True,
    )


class Plain(str):
    """A scalar that stands unquoted in a YAML file.

    It *is* its text; `core` is what the YAML 1.2 core schema makes of it, so that
    each field decides which of the two it wants.
    """

    __slots__ = ()

    @property
    def core(self) -> int | float | bool | str | None:
        """The value by the YAML 1.2 core schema (section 10.3.2 of the standard)."""
        text = str(self)
        if text in {"", "~", "null", "Null", "NULL"}:
            return None
        if text in {"true", "True", "TRUE", "false", "False", "FALSE"}:
            return text.lower() == "true"
        if _INTEGER.fullmatch(text):
            is_prefixed = text[:2] in {"0o", "0x"}
            return int(text, 0) if is_prefixed else int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        return text


def _as_written(value: object) -> object:
    if isinstance(value, Plain):
        if not value:
            message = 'has no value. Write "" for an empty text'
            raise ValueError(message)
        return str(value)
    return value


def _core(value: object) -> object:
    return value.core if isinstance(value, Plain) else value


def _or_null(value: object) -> object:
    is_null = isinstance(value, Plain) and value and value.core is None
    return None if is_null else value


def _all_cores(value: object) -> object:
    match value:
        case dict():
            return {str(key): _all_cores(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_all_cores(inner) for inner in value]
        case _:
            return _core(value)


Text = Annotated[str, BeforeValidator(_as_written, json_schema_input_type=str)]
"""Text; a plain scalar is taken exactly as it is written (`1.50`, `null`, `yes`)."""

Whole = Annotated[int, Strict(), BeforeValidator(_core, json_schema_input_type=int)]
"""A whole number; quoted digits are text and refused."""

Real = Annotated[
    float,
    Strict(),
    Field(allow_inf_nan=False),
    BeforeValidator(_core, json_schema_input_type=float),
]
"""A finite number; quoted digits are text and refused."""

Flag = Annotated[bool, Strict(), BeforeValidator(_core, json_schema_input_type=bool)]
"""`true` or `false`, nothing else."""

OR_NULL = BeforeValidator(_or_null)
"""Lets an optional field be `null` in a file, too."""

Json = Annotated[JsonValue, BeforeValidator(_all_cores)]
"""Any value; plain scalars in it by YAML 1.2 core rules."""

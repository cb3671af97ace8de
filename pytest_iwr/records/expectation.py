"""Expectations: what must hold after a step, and waiting for it."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, Strict, model_validator

from pytest_iwr.records.scalars import Plain, Record, Text, Whole
from pytest_iwr.records.target import Target, VisibleText

StateVerb = Literal["visible", "hidden", "checked", "selected", "disabled", "focused"]
"""Expectations about the state of one element."""
ExpectationVerb = (
    StateVerb
    | Literal[
        "text",
        "no_text",
        "text_is",
        "count",
        "value",
        "url",
        "title",
        "scroll",
        "changed",
        "unchanged",
        "prose",
    ]
)


def _prose(value: object) -> object:
    return {"prose": value} if isinstance(value, str) else value


def _number_or_text(value: object) -> object:
    return value.core if isinstance(value, Plain) else value


def _region(value: object) -> object:
    if isinstance(value, Plain) and isinstance(value.core, bool):
        return value.core
    return {"text": value} if isinstance(value, str) else value


Region = Annotated[
    Target | Literal[True],
    BeforeValidator(_region, json_schema_input_type=str | Target | Literal[True]),
]
"""A target's box; a bare string is its text, `true` the whole screen."""


class Expectation(Record):
    """One thing that must hold after a step; exactly one kind is given."""

    text: Text | None = None
    """Contained in the visible text, as whole words, letter case as written."""
    no_text: Text | None = None
    """Not contained in the visible text."""
    text_is: Text | None = None
    """The whole visible text of `in`."""
    visible: VisibleText | None = None
    """There and visible."""
    hidden: VisibleText | None = None
    """Absent or not visible."""
    count: VisibleText | None = None
    """How many visible elements match; with `equals`, `at_least` or `at_most`."""
    value: Text | None = None
    """The value of the field `in`, or of the focused one."""
    checked: VisibleText | None = None
    """A check box, radio button or switch is on."""
    selected: VisibleText | None = None
    """The option, tab or row is the selected or current one."""
    disabled: VisibleText | None = None
    """A control takes no input."""
    focused: VisibleText | None = None
    """It has the keyboard focus."""
    url: Text | None = None
    """Path, query and fragment end with or equal this, or the fragment does."""
    title: Text | None = None
    """The title of the document."""
    scroll: (
        Annotated[
            Literal["top", "bottom"]
            | Annotated[float, Strict(), Field(allow_inf_nan=False)],
            BeforeValidator(
                _number_or_text, json_schema_input_type=Literal["top", "bottom"] | float
            ),
        ]
        | None
    ) = None
    """`top`, `bottom`, or the offset in heights of what scrolls (the page or `in`)."""
    changed: Region | None = None
    """This region (`true`: the screen) looks different from the shot before."""
    unchanged: Region | None = None
    """This region (`true`: the screen) looks as in the shot before."""
    prose: Text | None = None
    """A sentence, judged on the screens before and after the step."""

    in_: VisibleText | None = Field(default=None, alias="in")
    """Where to look; without it the whole window."""
    equals: (
        Annotated[
            Annotated[int, Strict()] | Annotated[bool, Strict()],
            BeforeValidator(_number_or_text, json_schema_input_type=int | bool),
        ]
        | None
    ) = None
    """The number for `count`; `false` turns a state around."""
    at_least: Whole | None = None
    """The smallest number for `count`."""
    at_most: Whole | None = None
    """The largest number for `count`."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        given = [
            name
            for name in type(self).model_fields
            if name not in {"in_", "equals", "at_least", "at_most"}
            and getattr(self, name) is not None
        ]
        if len(given) != 1:
            listed = ", ".join(given) or "none"
            message = f"needs exactly one kind of expectation, has {listed}"
            raise ValueError(message)
        bounds = (self.equals, self.at_least, self.at_most)
        is_bool = isinstance(self.equals, bool)
        match self.kind:
            case "count":
                if all(b is None for b in bounds) or is_bool:
                    message = "needs `equals`, `at_least` or `at_most` with a number"
                    raise ValueError(message)
            case "visible" | "hidden" | "checked" | "selected" | "disabled" | "focused":
                if self.equals is not None and not is_bool:
                    message = f"`equals` is {self.equals!r}. Write true or false"
                    raise ValueError(message)
                if self.at_least is not None or self.at_most is not None:
                    message = "`at_least` and `at_most` belong to `count`"
                    raise ValueError(message)
            case "text_is" if self.in_ is None:
                message = "`text_is` needs `in`: whose text it is"
                raise ValueError(message)
            case _ if any(b is not None for b in bounds):
                message = "`equals`, `at_least` and `at_most` belong to `count`"
                raise ValueError(message)
        return self

    @property
    def kind(self) -> ExpectationVerb:
        """The name of the one field that is given."""
        for name in type(self).model_fields:
            if getattr(self, name) is not None:
                return name  # type: ignore[return-value]  # first fields are the kinds
        raise AssertionError


ExpectationField = Annotated[
    Expectation, BeforeValidator(_prose, json_schema_input_type=str | Expectation)
]


class Wait(Record):
    """Waits until an expectation holds (a target: until it is visible)."""

    kind: Literal["wait"] = "wait"
    until: Expectation


def _wait(value: object) -> object:
    if isinstance(value, Wait) or (isinstance(value, dict) and "until" in value):
        return value
    if isinstance(value, str):
        return {"until": {"visible": {"describe": value}}}
    if (
        isinstance(value, dict)
        and value
        and not value.keys() & (Expectation.model_fields.keys() - {"text", "title"})
    ):
        target_only = value.keys() - {"text", "title", "in"}
        if target_only or len(value.keys() - {"in"}) > 1:
            return {"until": {"visible": value}}
    return {"until": value}


WaitField = Annotated[
    Wait, BeforeValidator(_wait, json_schema_input_type=str | Expectation | Target)
]
"""A wait; a bare string is a sentence about what becomes visible."""

"""Actions: what a person does in one step, by mouse, keyboard or finger."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from pytest_iwr.records.scalars import Flag, Plain, Real, Record, Text
from pytest_iwr.records.target import Pointed, Target, VisibleText

PointerVerb = Literal[
    "click",
    "double_click",
    "right_click",
    "hover",
    "check",
    "uncheck",
    "tap",
]
HistoryVerb = Literal["back", "reload"]
Direction = Literal["up", "down", "left", "right"]


class Pointing(Record):
    """A pointer action on one target."""

    kind: PointerVerb
    target: Target


class Described(Record):
    """Base of actions that may be known by a sentence alone."""

    describe: Text | None = None
    """The action in a sentence; the grounder reads the missing arguments from it."""

    def _needs(self, what: str, *, given: bool) -> None:
        if not given and self.describe is None:
            message = f"needs {what}, or `describe` with a sentence"
            raise ValueError(message)


class Type(Described):
    """Types text with real keys into a field."""

    kind: Literal["type"] = "type"
    into: Pointed | None = None
    """The field; without it the focused one."""
    text: Text | None = None
    """What to type, key by key."""
    clear: Flag = False
    """Empty the field first."""
    submit: Flag = False
    """Press Enter afterwards."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        self._needs("`text`", given=self.text is not None)
        return self


class Press(Described):
    """Presses a key or a chord such as `Control+A`."""

    kind: Literal["press"] = "press"
    key: Text | None = None
    """A key by its `KeyboardEvent.key` name, chords with `+`."""
    in_: Pointed | None = Field(default=None, alias="in")
    """The element that gets the focus first; without it the focused one."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        self._needs("`key`", given=self.key is not None)
        return self


class Scroll(Described):
    """Scrolls the page or a container by wheel."""

    kind: Literal["scroll"] = "scroll"
    by: Real | None = None
    """Heights of the viewport (or of the container), positive is down."""
    by_x: Real | None = None
    """Widths, positive is right."""
    to: VisibleText | None = None
    """A target that must be in view afterwards."""
    in_: VisibleText | None = Field(default=None, alias="in")
    """The container that scrolls; without it the page."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        amounts = [self.by, self.by_x, self.to]
        self._needs("`by` or `to`", given=any(a is not None for a in amounts))
        if self.to is not None and (self.by is not None or self.by_x is not None):
            message = "has both `by` and `to`. Keep one of them"
            raise ValueError(message)
        return self


class Offset(Record):
    """A way across the screen, in CSS pixels."""

    x: Real = 0.0
    """Positive is right."""
    y: Real = 0.0
    """Positive is down."""


class Drag(Described):
    """Drags a thing onto another or by a distance, in many small moves."""

    kind: Literal["drag"] = "drag"
    from_: VisibleText | None = Field(default=None, alias="from")
    """What is taken hold of."""
    to: VisibleText | None = None
    """Where it is let go."""
    by: Offset | None = None
    """How far it is moved, instead of `to`."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        ends = self.from_ is not None and (self.to is not None or self.by is not None)
        self._needs("`from` and `to` (or `by`)", given=ends)
        if self.to is not None and self.by is not None:
            message = "has both `to` and `by`. Keep one of them"
            raise ValueError(message)
        return self


class Select(Described):
    """Chooses an option of a drop-down list by its visible text."""

    kind: Literal["select"] = "select"
    in_: Pointed | None = Field(default=None, alias="in")
    """The list; without it the only one on the page."""
    option: Text | None = None
    """What the option shows."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        self._needs("`option`", given=self.option is not None)
        return self


class Upload(Described):
    """Gives a file of the task's folder to a file field."""

    kind: Literal["upload"] = "upload"
    into: Pointed | None = None
    """The file field or the button that opens the file box."""
    file: Text | None = None
    """A path relative to the task's folder."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        self._needs("`file`", given=self.file is not None)
        return self


class Swipe(Described):
    """Swipes with one finger; the content follows the finger."""

    kind: Literal["swipe"] = "swipe"
    direction: Direction | None = None
    """Where the finger moves to."""
    in_: VisibleText | None = Field(default=None, alias="in")
    """The container that is swiped; without it the page."""
    by: Real = 0.5
    """Length of the way as a fraction of the container's width or height."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        self._needs("`direction`", given=self.direction is not None)
        return self


class Goto(Described):
    """Opens another path of the same origin."""

    kind: Literal["goto"] = "goto"
    path: Text | None = None
    """A path of the site, e.g. `/about?tab=2`."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        self._needs("`path`", given=self.path is not None)
        return self


class History(Record):
    """Goes back in the history, or loads the page again."""

    kind: HistoryVerb


def _key(value: object) -> object:
    return {"key": value} if isinstance(value, str) else value


def _path(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


def _text(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


def _scroll(value: object) -> object:
    return {"describe": value} if isinstance(value, str) else value


def _nothing(value: object) -> object:
    core = value.core if isinstance(value, Plain) else value
    if core is None or core is True or core == {}:
        return True
    message = "takes no arguments. Write `{}` after the colon"
    raise ValueError(message)


TypeField = Annotated[Type, BeforeValidator(_text, json_schema_input_type=str | Type)]
PressField = Annotated[Press, BeforeValidator(_key, json_schema_input_type=str | Press)]
GotoField = Annotated[Goto, BeforeValidator(_path, json_schema_input_type=str | Goto)]
ScrollField = Annotated[
    Scroll, BeforeValidator(_scroll, json_schema_input_type=str | Scroll)
]
Bare = Annotated[
    bool,
    BeforeValidator(_nothing),
    WithJsonSchema({"enum": [{}, True, None]}),
]
"""The value of an action without arguments: `{}`, `true` or nothing."""

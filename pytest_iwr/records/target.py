"""Targets: which thing on the page a step means, in the words of a person."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from pytest_iwr.records.scalars import Flag, Real, Record, Text, Whole

Position = Literal[
    "top left",
    "top",
    "top right",
    "left",
    "center",
    "right",
    "bottom left",
    "bottom",
    "bottom right",
]


def _visible_text(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


def _sentence(value: object) -> object:
    return {"describe": value} if isinstance(value, str) else value


class Target(Record):
    """A thing on the page, named by what a person sees of it.

    Several fields together are evidence for one element, not a conjunction of exact
    matches; `in` alone restricts where it may be.
    """

    describe: Text | None = None
    """A sentence, e.g. `the heart on the second card`; read by the grounder."""
    role: Text | None = None
    """Its ARIA role, e.g. `button`, `link`, `checkbox`, `textbox`, `listitem`."""
    name: Text | None = None
    """Its accessible name, e.g. `Add to cart`."""
    text: Text | None = None
    """Its visible text."""
    label: Text | None = None
    """The label of a form field."""
    placeholder: Text | None = None
    """The hint inside an empty field."""
    alt: Text | None = None
    """The alternative text of an image."""
    title: Text | None = None
    """Its tool tip."""
    near: "VisibleText | None" = None
    """Something close to it, in the same row or card; a bare string is its text."""
    in_: "VisibleText | None" = Field(default=None, alias="in")
    """Something that contains it; a bare string is the container's text or name."""
    nth: Annotated[Whole, Field(ge=1)] | None = None
    """Which one of several equal matches, in reading order, counted from 1."""
    position: Position | None = None
    """Roughly where it is in the viewport (or in `in`)."""
    box: tuple[Real, Real, Real, Real] | None = None
    """Where the reference had it: left, top, width, height as viewport fractions."""
    look: Text | None = None
    """A picture of it (file), cut from the reference and matched as an image."""
    focused: Flag | None = None
    """`true`: the element that has the keyboard focus."""
    css: Text | None = None
    """A CSS selector, the last resort: it names how the page is built."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not any(value is not None for value in self.signals().values()):
            message = "names nothing. Give a role, a name, a text or another signal"
            raise ValueError(message)
        return self

    def signals(self) -> dict[str, object]:
        """Give every field that can by itself point at something."""
        return {
            name: getattr(self, name)
            for name in type(self).model_fields
            if name not in {"nth", "in_"}
        } | {"in": self.in_}

    def phrase(self) -> str:
        """Give the target in words, for messages: `button 'Add' near 'Keyboard'`."""
        if self.describe is not None:
            return repr(self.describe)
        words = [self.role or ""]
        if self.focused:
            words.append("the focused element")
        if self.name is not None:
            words.append(repr(self.name))
        words += [
            f"{key} {getattr(self, key)!r}"
            for key in ("text", "label", "placeholder", "alt", "title", "css", "look")
            if getattr(self, key) is not None
        ]
        if self.nth is not None:
            words.append(f"number {self.nth}")
        if self.near is not None:
            words.append(f"near {self.near.phrase()}")
        if self.in_ is not None:
            words.append(f"in {self.in_.phrase()}")
        if self.position is not None:
            words.append(f"at the {self.position}")
        if self.box is not None:
            words.append("in the box " + ", ".join(f"{v:g}" for v in self.box))
        return " ".join(word for word in words if word)


VisibleText = Annotated[
    Target, BeforeValidator(_visible_text, json_schema_input_type=str | Target)
]
"""A target; a bare string is text that it shows."""

Pointed = Annotated[
    Target, BeforeValidator(_sentence, json_schema_input_type=str | Target)
]
"""A target; a bare string is a sentence that describes it."""

Target.model_rebuild()

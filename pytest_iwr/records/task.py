"""A task: a trajectory over a site, step by step, as its file says it."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BeforeValidator, Field, model_validator

from pytest_iwr.records.action import (
    Bare,
    Drag,
    Goto,
    GotoField,
    History,
    HistoryVerb,
    PointerVerb,
    Pointing,
    Press,
    PressField,
    Scroll,
    ScrollField,
    Select,
    Swipe,
    Type,
    TypeField,
    Upload,
)
from pytest_iwr.records.expectation import (
    ExpectationField,
    Wait,
    WaitField,
)
from pytest_iwr.records.scalars import Flag, Plain, Real, Record, Text, Whole
from pytest_iwr.records.target import Pointed, Target
from pytest_iwr.records.trace import Box

Action = Annotated[
    Pointing
    | Type
    | Press
    | Scroll
    | Drag
    | Select
    | Upload
    | Swipe
    | Wait
    | Goto
    | History,
    Field(discriminator="kind"),
]


Device = Literal["desktop", "mobile"]


class Checkpoint(Record):
    """A picture of the reference after a step, to compare the page with."""

    image: Text
    """A file relative to the task's folder."""
    mask: tuple[Pointed, ...] = ()
    """Regions that are left out on both sides, e.g. what is drawn at random."""
    min_similarity: Annotated[Real, Field(ge=0, le=1)] | None = None
    """The test is red below this; without it the run's default counts."""
    full_page: Flag = False
    """The whole page instead of the viewport, cut where it is very large."""


def _image(value: object) -> object:
    return {"image": value} if isinstance(value, str) else value


CheckpointField = Annotated[
    Checkpoint, BeforeValidator(_image, json_schema_input_type=str | Checkpoint)
]


class Answer(Record):
    """Accepts a prompt with a text."""

    answer: Text
    """What is typed into the prompt."""


DialogPlan = Literal["accept", "dismiss"] | Answer


class Step(Record):
    """One action, what must hold after it, and whether to compare the screen."""

    click: Pointed | None = None
    """Click a target."""
    double_click: Pointed | None = None
    """Click a target twice."""
    right_click: Pointed | None = None
    """Click a target with the right button."""
    hover: Pointed | None = None
    """Move the mouse over a target."""
    type: TypeField | None = None
    """Type text with real keys; a bare text goes to the focused field."""
    press: PressField | None = None
    """Press a key or a chord; a bare text is the key."""
    scroll: ScrollField | None = None
    """Scroll the page or a container; a bare text is a sentence."""
    drag: Drag | None = None
    """Drag a thing onto another, or by a distance."""
    select: Select | None = None
    """Choose an option of a list."""
    check: Pointed | None = None
    """Tick a check box, or turn a switch on."""
    uncheck: Pointed | None = None
    """Clear a check box, or turn a switch off."""
    upload: Upload | None = None
    """Give a file to a file field."""
    tap: Pointed | None = None
    """Tap a target with a finger."""
    swipe: Swipe | None = None
    """Swipe with a finger."""
    wait: WaitField | None = None
    """Wait until something is visible, or until an expectation holds."""
    goto: GotoField | None = None
    """Open a path of the same site."""
    back: Bare | None = None
    """Go back in the history."""
    reload: Bare | None = None
    """Load the page again."""

    say: Text | None = None
    """The step in prose, for people and for the model-driven grounder."""
    expect: tuple[ExpectationField, ...] = ()
    """What must hold afterwards; a bare text is prose."""
    checkpoint: CheckpointField | None = None
    """The reference's picture of the screen; a bare text is its file."""
    timeout_s: Annotated[Real, Field(gt=0, le=600)] | None = None
    """Seconds for the action and its expectations together."""
    dialogs: tuple[DialogPlan, ...] = ()
    """Answers to dialogs, in order; further ones are dismissed and recorded."""
    reference: Text | None = None
    """A picture of the reference that is kept but not scored."""

    @model_validator(mode="after")
    def _is_one_action(self) -> Self:
        given = [verb for verb in VERBS if getattr(self, verb) is not None]
        if len(given) != 1:
            listed = ", ".join(given) or "none"
            message = f"needs exactly one action, has {listed}"
            raise ValueError(message)
        return self

    @property
    def verb(self) -> str:
        """The name of the action, as in the file."""
        return next(verb for verb in VERBS if getattr(self, verb) is not None)

    @property
    def action(self) -> Action:
        """The action as a record, told apart by its `kind`."""
        value = getattr(self, self.verb)
        match value:
            case Target():
                return Pointing(kind=_pointer_verb(self.verb), target=value)
            case bool():
                return History(kind=_history_verb(self.verb))
            case (
                Type()
                | Press()
                | Scroll()
                | Drag()
                | Select()
                | Upload()
                | Swipe()
                | Wait()
                | Goto()
            ):
                return value
            case _:
                raise AssertionError(value)


VERBS: tuple[str, ...] = tuple(
    name
    for name in Step.model_fields
    if name not in {"say", "expect", "checkpoint", "timeout_s", "dialogs", "reference"}
)
"""The names of all actions, in the order of the documentation."""


def _pointer_verb(verb: str) -> PointerVerb:
    return verb  # type: ignore[return-value]  # Step's own field names


def _history_verb(verb: str) -> HistoryVerb:
    return verb  # type: ignore[return-value]  # Step's own field names


class Source(Record):
    """Where the task was taken from, and how it is classified."""

    site: Text | None = None
    """The site or package, with its version."""
    domain: Text | None = None
    """What it is about, e.g. `shopping`."""
    sub_domain: Text | None = None
    """A part of the domain, e.g. `catalogue`."""
    interaction: Literal["L1", "L2", "L3", "L4"] | None = None
    """Static display, simple state, workflow, or algorithm and game."""
    visual: Text | None = None
    """Its visual complexity, e.g. `V2`."""


class Viewport(Record):
    """The window that the page is shown in."""

    width: Annotated[Whole, Field(ge=100, le=8192)] = 1280
    """CSS pixels."""
    height: Annotated[Whole, Field(ge=100, le=8192)] = 720
    """CSS pixels."""
    scale: Annotated[Real, Field(ge=0.5, le=4)] = 1.0
    """Device pixels for one CSS pixel."""
    mobile: Flag = False
    """The page's `meta viewport` counts, as on a phone."""
    touch: Flag = False
    """The window takes touch, as `tap` and `swipe` need."""


class Thresholds(Record):
    """Replaces the default rule of when the test is red."""

    ifs: Annotated[Real, Field(ge=0, le=1)] | None = None
    """The test is red below this IFS."""
    vfs: Annotated[Real, Field(ge=0, le=1)] | None = None
    """The test is red below this VFS."""
    final: Annotated[Real, Field(ge=0, le=1)] | None = None
    """The test is red below this Final."""


def _instant(value: object) -> object:
    if isinstance(value, str) and not value[:5].endswith("-"):
        # pydantic would take a bare number for seconds since 1970.
        message = f"must be a date and time such as 2026-01-15T10:00:00Z, is {value!r}"
        raise ValueError(message)
    return str(value) if isinstance(value, Plain) else value


class TaskFile(Record):
    """What a `task.iwr.yaml` says, version 1 of the format."""

    iwr: Annotated[Whole, Field(ge=1, le=1)]
    """The version of the format."""
    id: Text | None = None
    """Unique; defaults to the folder's name."""
    title: Text | None = None
    """The task in a sentence, for people."""
    source: Source = Source()
    """Where the task was taken from."""
    tags: tuple[Text, ...] = ()
    """Become pytest markers."""
    viewport: Viewport | None = None
    """Without it and without `device`: 1280×720."""
    device: Text | None = None
    """A device of Playwright's list, e.g. `iPhone 14`, instead of `viewport`."""
    clock: (
        Annotated[
            AwareDatetime, BeforeValidator(_instant, json_schema_input_type=datetime)
        ]
        | None
    ) = None
    """What `Date` says at the start; timers keep running."""
    seed: Whole = 1
    """Of `Math.random`."""
    video: Text | None = None
    """A video of the whole interaction; a model sees its frames."""
    assets: Text | None = None
    """The folder of all static assets, under anonymised names."""
    sheets: Text | None = None
    """The folder of contact sheets that a model sees."""
    start: CheckpointField | None = None
    """The state before the first step."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    """What is done, in order."""
    thresholds: Thresholds | None = None
    """When the test is red, in place of the default rule."""

    @model_validator(mode="after")
    def _has_one_window(self) -> Self:
        if self.viewport is not None and self.device is not None:
            message = "has both `viewport` and `device`. Keep one of them"
            raise ValueError(message)
        return self


class Task(TaskFile):
    """A loaded task: its file's content, where it lies, and what belongs to it."""

    id: str
    path: str
    """The file, absolute."""
    step_lines: tuple[int, ...]
    """The line of each step in the file, counted from 1."""
    masks: dict[str, tuple[Box, ...]] = Field(default_factory=dict)
    """Picture → where the reference has that checkpoint's masks, in CSS pixels of the
    picture. Nobody knows where it has those of pictures that are not in it."""

    @property
    def shown_on(self) -> Device:
        """The kind of device that the page is shown on, as benchmarks tell them."""
        if self.device is not None:
            # In Playwright's list all other names are of phones and tablets.
            return "desktop" if self.device.startswith("Desktop") else "mobile"
        is_mobile = self.viewport is not None and self.viewport.mobile
        return "mobile" if is_mobile else "desktop"

    def line_of(self, step: int) -> int:
        """Give the line of a step (0: the start picture, the first step's line)."""
        return self.step_lines[max(step, 1) - 1]

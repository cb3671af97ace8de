"""A trace: all that was done and seen while a page was driven, as files and facts."""

from typing import Literal

from pydantic import Field, JsonValue

from pytest_iwr.records.scalars import Record

FailureKind = Literal[
    "no_page",
    "refused",
    "filtered",
    "empty",
    "cut_off",
    "target_missing",
    "hidden",
    "covered",
    "ambiguous",
    "not_interactive",
    "input_lost",
    "nothing_scrolled",
    "expectation",
    "assertion",
    "checkpoint",
    "threshold",
    "page_unresponsive",
    "page_crashed",
    "load_failed",
    "too_many_dialogs",
    "navigation_failed",
]
"""How a page can be wrong. These are verdicts about the page, never about us."""

ErrorKind = Literal[
    "lost",
    "browser_gone",
    "ungrounded",
    "unstable",
    "task_invalid",
    "checkpoint_unusable",
    "budget",
    "endpoint",
    "judge_unreadable",
    "infrastructure",
]
"""Why an item could not be scored. Never the page's fault, never a zero."""


class Box(Record):
    """A rectangle in CSS pixels of the viewport, where nothing else is said."""

    x: float
    y: float
    width: float
    height: float

    def scaled(self, factor: float) -> "Box":
        """Give the box in other pixels, `factor` of them for each of these."""
        return Box(
            x=self.x * factor,
            y=self.y * factor,
            width=self.width * factor,
            height=self.height * factor,
        )


class Element(Record):
    """An element as a person would name it."""

    role: str
    name: str
    tag: str
    box: Box
    frame: str = ""
    """The address of its frame, empty in the top one."""
    how: str = ""
    """Who chose it, e.g. `model gemini-2.5-pro`; empty: the task's own words did."""


class Hit(Record):
    """Where the pointer went down and what was there."""

    x: float
    """CSS pixels of the viewport."""
    y: float
    received_by: str
    """The element under the pointer, in words."""
    is_target: bool
    """It is the target, inside it, or its label."""


class Message(Record):
    """A line of the page's console, or an uncaught error."""

    level: str
    text: str
    where: str = ""
    """Address and line, when the browser said so."""


class Request(Record):
    """A request of the page that failed, was blocked, or went out."""

    method: str
    url: str
    resource: str
    """Kind of resource: `script`, `stylesheet`, `image`, `fetch`, …"""
    outcome: Literal["ok", "failed", "blocked"]
    status: int | None = None
    """HTTP status; `None` when there was no answer."""


class Dialog(Record):
    """A dialog of the page and what was answered."""

    kind: str
    """`alert`, `confirm`, `prompt` or `beforeunload`."""
    text: str
    answer: str
    """`accepted`, `dismissed`, or the text that was given."""


class Outcome(Record):
    """What came of one expectation."""

    kind: str
    asked: str
    """The expectation in words."""
    holds: bool | None
    """`None`: prose, not judged yet."""
    seen: str = ""
    """What was there instead."""
    candidates: tuple[str, ...] = ()
    """Where its target should mean one element: all those that it means equally, in
    words, with their places; empty where it is one or none."""


class Failure(Record):
    """Why a step is wrong."""

    kind: FailureKind
    message: str


class Grounding(Record):
    """A question that a model was asked during a step, for the trace."""

    sentence: str
    part: str = ""
    """The field of the action that was looked for; "": the whole action."""
    outcome: Literal["found", "none", "unclear"]
    number: int | None = None
    """Of the element that was chosen, as in the picture."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)
    """Of the action, where that was asked for; elements by their numbers."""
    reason: str = ""
    """In the model's words."""
    model: str = ""
    """Name and version, as its endpoint reports it."""
    replies: tuple[str, ...] = ()
    """All that it said; more than one where the first could not be read."""
    listed: int
    """Elements that it could choose from."""
    picture: str
    """PNG with the numbers, relative to the item's folder."""
    took_s: float = 0.0
    """Seconds; not part of any comparison."""


class Listener(Record):
    """A function of the page that hears an event."""

    on: str
    """The element, in words, `the document` or `the window`."""
    event: str
    line: int
    """Of its script, or of the page where the script stands in it; counted from 1."""
    source: str
    """How it begins."""


class Facts(Record):
    """What was found on the page right after a step failed, to tell why."""

    is_whole: bool = False
    """All that the step's input passed was looked at; else the document went away
    meanwhile, or the time was over."""
    reached: str = ""
    """What the input reached, in words."""
    listeners: tuple[Listener, ...] = ()
    """Those that the input passed and that hear its events, innermost first."""
    default: str = ""
    """What the browser does of itself with such input, and can change the page: a
    link, a form, a rule of style; in words, empty where there is nothing."""
    own: str = ""
    """What it does of itself to no more than what was touched: focus, tick, text."""
    is_new_document: bool = False
    """The document was loaded in this step."""
    is_place_missing: bool = False
    """Where the false expectation looks is not there."""
    watched: tuple[Box, ...] = ()
    """Where the false expectation looks; empty: at no place in particular."""
    wanted: str = ""
    """The text that the false expectation wants to see."""
    hidden: str = ""
    """What is expected is there but not visible: the element in words."""
    thrown: tuple[Message, ...] = ()
    """What the document threw since it was loaded, with the places."""
    still: str = ""
    """Why the wheel moved nothing."""
    restless: tuple[Box, ...] = ()
    """Where the screen changes by itself, as looks a little later show."""
    restless_texts: tuple[str, ...] = ()
    """What comes and goes there."""


class TraceStep(Record):
    """One step as it was carried out; number 0 is the page before the first step."""

    number: int
    verb: str
    said: str
    """The step in words."""
    url: str = ""
    """The window's address afterwards, without the origin."""
    started_s: float = 0.0
    """Seconds since the drive began; wall clock, not part of any comparison."""
    duration_s: float = 0.0
    timings_s: dict[str, float] = Field(default_factory=dict)
    """Seconds by part: `ground` (asking a model), `act`, `settle`, `expect`, `shot`."""
    target: Element | None = None
    hit: Hit | None = None
    grounded: tuple[Grounding, ...] = ()
    """What a model was asked to find for the step, and what it chose."""
    received: dict[str, str] = Field(default_factory=dict)
    """What the page got of the input: keys, events, the field's value, the scroll."""
    outcomes: tuple[Outcome, ...] = ()
    shot: str | None = None
    """PNG of the viewport after the step, relative to the item's folder."""
    full_shot: str | None = None
    """PNG of the whole page, for checkpoints that ask for it."""
    clipped: bool = False
    """The whole page was higher or wider than the cap, and `full_shot` is cut."""
    again: str | None = None
    """PNG of what a checkpoint compares, taken once more; `None`: it was the same."""
    snapshot: str | None = None
    """JSON list of visible elements: role, name, state, text, box."""
    masks: tuple[Box, ...] = ()
    """The checkpoint's masks as found on this page, in pixels of the shot; of
    `full_shot`, where there is one."""
    masked: tuple[int, ...] = ()
    """How many places each of the checkpoint's masks has on this page."""
    console: tuple[Message, ...] = ()
    requests: tuple[Request, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    unsettled: str = ""
    """What still moved when the settling deadline came; empty: all was quiet."""
    windows: int = 1
    """Open windows afterwards."""
    failure: Failure | None = None
    facts: Facts | None = None
    """`None`: nobody looked, as the step went well or says itself why it did not."""


class Trace(Record):
    """The record of one drive."""

    task: str
    path: str = ""
    """The task's file, absolute."""
    told: tuple[str, ...] = ()
    """Digests of what the drive was told: of the window and the start, then of each
    step; empty in older traces."""
    browser: str
    """Product and version of the browser."""
    width_px: int
    height_px: int
    scale: float
    """Device pixels for one CSS pixel."""
    steps: tuple[TraceStep, ...]
    """From number 0 up to the last that was tried."""
    external: tuple[Request, ...] = ()
    """Requests off the page's own origin: all blocked."""
    missing: tuple[str, ...] = ()
    """Paths on the page's own origin that were not found."""
    duration_s: float = 0.0

    @property
    def failed(self) -> TraceStep | None:
        """The step that failed, always the last one."""
        last = self.steps[-1] if self.steps else None
        return last if last is not None and last.failure is not None else None

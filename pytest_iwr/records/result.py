"""Results: verdicts, scores and the summary of a run."""

from typing import Literal, Self

from pydantic import Field, model_validator

from pytest_iwr.records.cause import Cause
from pytest_iwr.records.judge import Judgement
from pytest_iwr.records.model import Generation
from pytest_iwr.records.scalars import Record
from pytest_iwr.records.task import Device
from pytest_iwr.records.trace import Box, ErrorKind, FailureKind

Status = Literal["passed", "failed", "error", "not_run"]


class Site(Record):
    """A page to evaluate: a folder of files that is served as one origin."""

    folder: str
    """Absolute."""
    entry: str = "index.html"
    """The page that is opened, relative to the folder."""
    sha256: str
    """Of all files' names and contents."""
    origin: str
    """Where it came from, in words, e.g. `stored page examples/pages/faithful/shop`."""
    generation: Generation | None = None
    """How a model made it; `None` for a page that was there."""


class NoPage(Record):
    """The model gave no page: a failure of the model, worth zero."""

    kind: FailureKind = "no_page"
    reason: str
    generation: Generation | None = None
    """How a model was asked; `None` where none was."""


Page = Site | NoPage


class Comparison(Record):
    """How alike two pictures are; every number lies in 0..1, 1 is equal."""

    text: float
    """1 − Levenshtein distance / longer length of the recognised texts."""
    structure: float | None = None
    """Layout and colour over the whole frame; `None`: no part of the protocol."""
    dino: float | None = None
    """Cosine of DINOv2's class tokens; `None`: no part of the protocol."""
    lfs: float
    """Low level: the mean of `text` and `structure`, or of `text` and `dino`."""
    hfs: float
    """High level: matched blocks of text by position, size and colour, or what the
    judge gives."""
    similarity: float
    """½·LFS + ½·HFS."""
    is_same_size: bool
    """Both pictures had the same size; otherwise both were padded."""
    judged: Judgement | None = None
    """Where `hfs` is a judge's: its replies."""


class Size(Record):
    """Of a picture, in pixels."""

    width: int
    height: int


class Word(Record):
    """A word that only one of two pictures shows."""

    text: str
    box: Box
    """About where it stands, in pixels of its picture."""


class Moved(Record):
    """A block of text that both pictures show, but not in the same place and size."""

    text: str
    """As the reference has it."""
    reference: Box
    shot: Box


class Differences(Record):
    """What differs between two pictures by words and places, for people.

    All boxes in pixels of the pictures as they were compared.
    """

    reference: Size
    shot: Size
    missing: tuple[Word, ...] = ()
    """Words that only the reference shows."""
    added: tuple[Word, ...] = ()
    """Words that only the shot shows."""
    moved: tuple[Moved, ...] = ()
    masks: tuple[Box, ...] = ()
    """What was left out."""


class Checked(Record):
    """A checkpoint and what came of it."""

    step: int
    """0 is the start picture."""
    reference: str
    """The reference's picture, absolute."""
    shot: str
    """The page's picture, relative to the item's folder."""
    diff: str | None
    """The picture of differences, relative to the item's folder."""
    comparison: Comparison
    minimum: float
    """The similarity below which the test is red."""
    masks: tuple[Box, ...] = ()
    """What the comparison left out, in pixels of the shot."""
    clipped: bool = False
    """The whole page is larger than a picture may be, and was cut."""
    unstable: str = ""
    """What moves outside of the masks, in words; "": the page holds still. Of two
    shots the less alike one counts."""
    other: str | None = None
    """The shot that does not count, where the page is unstable."""
    cause: Cause | None = None
    """`None`: the minimum is reached."""

    @property
    def is_similar(self) -> bool:
        """Tell whether the minimum is reached."""
        return self.comparison.similarity >= self.minimum


class Verdict(Record):
    """What came of one step."""

    step: int
    passed: bool
    kind: FailureKind | None = None
    reason: str | None = None
    unjudged: int = 0
    """Prose assertions that nobody judged."""
    judged: tuple[Judgement, ...] = ()
    """What a judge made of the others."""
    cause: Cause | None = None
    """`None`: the step passed, or there was none to be told."""


class Verdicts(Record):
    """All verdicts about one trace."""

    steps: tuple[Verdict, ...] = ()
    checkpoints: tuple[Checked, ...] = ()
    """Of the start picture and the steps done, in order."""


class Assertions(Record):
    """Prose assertions of the steps done, counted."""

    true: int = 0
    """Of the steps done, and of the one that failed by another one."""
    false: int = 0
    """Of the step that failed by them."""
    unjudged: int = 0


class Score(Record):
    """The numbers of one evaluation; 0..1, rounded to 4 places."""

    steps_done: int
    """Length of the correct prefix."""
    failed_step: int | None
    failed_checkpoint: int | None
    """The first checkpoint below its minimum; 0 is the start picture."""
    kind: FailureKind | None
    """Why the test is red; `None`: it is green."""
    reason: str | None
    ifs: float
    vfs: float | None
    """`None`: the task has no checkpoints."""
    lfs: float | None
    """`None`: no checkpoint was compared."""
    hfs: float | None
    final: float | None
    assertions: Assertions = Assertions()


class Row(Record):
    """One task with one model: a line of the summary. Scores lie in 0..1, 4 places."""

    task: str
    model: str
    epoch: int = 1
    status: Status
    kind: FailureKind | ErrorKind | None = None
    reason: str | None = None
    steps_total: int
    steps_done: int | None
    """Length of the correct prefix; `None` when unscored."""
    failed_step: int | None = None
    failed_checkpoint: int | None = None
    """The first checkpoint below its minimum; 0 is the start picture."""
    ifs: float | None = None
    vfs: float | None = None
    lfs: float | None = None
    hfs: float | None = None
    final: float | None = None
    assertions: Assertions = Assertions()
    page_sha256: str | None = None
    level: str | None = None
    """Of interaction, `L1` to `L4`; `None`: the task does not say, or has no file."""
    domain: str | None = None
    device: Device | None = None
    """`None`: the task has no readable file."""


class Result(Row):
    """A row with its evidence; rides on the test report as one JSON string."""

    path: str
    """The task file."""
    line: int
    """The line of the broken step, else of the first one."""
    folder: str
    """The item's folder, relative to the run's."""
    protocol: "Protocol"
    trace: str | None = None
    """The trace's file, relative to the item's folder."""
    verdicts: tuple[Verdict, ...] = ()
    checkpoints: tuple[Checked, ...] = ()
    generation: Generation | None = None
    """How the page was made; `None` for a page that was there."""
    external: tuple[str, ...] = ()
    """Addresses off the page's origin that it asked for; blocked."""
    page: str | None = None
    """Where the page came from."""
    chosen_by_model: int = 0
    """Steps tried in which a model, not the task's own words, chose what was meant."""
    duration_s: float = 0.0
    timings_s: dict[str, float] = Field(default_factory=dict)
    """Seconds by stage: `serve`, `drive`, `check`."""

    @property
    def cause(self) -> Cause | None:
        """Why it failed: of the failed step, else of the failed checkpoint."""
        failed = [v.cause for v in self.verdicts if v.step == self.failed_step]
        unlike = [c.cause for c in self.checkpoints if c.step == self.failed_checkpoint]
        known = failed if self.failed_step is not None else unlike
        return known[0] if known else None

    def row(self) -> Row:
        """Give the line of the summary, without the evidence."""
        return Row.model_validate(
            {name: getattr(self, name) for name in Row.model_fields}
        )


class Weights(Record):
    """Final = ifs · IFS + vfs · VFS."""

    ifs: float = 0.7
    vfs: float = 0.3


class Protocol(Record):
    """How the scores were made. Two protocols never share a table or a mean."""

    id: str
    weights: Weights = Weights()
    metrics: dict[str, str]
    """Name of each metric → its version."""


class ModelRow(Record):
    """A model's line: means over its scored tasks."""

    due: int
    scored: int
    errors: int
    not_run: int
    ifs: float | None
    vfs: float | None
    """Mean over the tasks that have checkpoints."""
    final: float | None


class Tripwire(Record):
    """Whether the judge still decides as people did, on labelled pairs of pictures."""

    due: int
    """Questions with a known answer."""
    agreed: int
    """Answered as people did."""
    level: float
    """The share of agreement below which the run is inconclusive, 0..1."""
    state: Literal["held", "tripped", "lost", "not_run"]
    """`tripped`: below the level, or a page's own words were believed. `lost`: there
    was no answer. `not_run`: only the cache was to be used, or no page was driven."""
    reason: str = ""
    """Why it is `lost` or `not_run`, or `tripped` whatever the level."""

    @property
    def is_inconclusive(self) -> bool:
        """Tell whether what the judge said in this run cannot be relied on."""
        return self.state in {"tripped", "lost"}


class Summary(Record):
    """`summary.json`: a contract. Fields are added, never changed."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    protocol: Protocol
    models: dict[str, ModelRow]
    tasks: tuple[Row, ...]
    tripwire: Tripwire | None = None
    """`None`: no judge is a part of the protocol."""

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        for name, model in self.models.items():
            rows = [row for row in self.tasks if row.model == name]
            if model.due != len(rows):
                message = f"model {name!r}: {model.due} due, {len(rows)} rows"
                raise ValueError(message)
        return self


Result.model_rebuild()

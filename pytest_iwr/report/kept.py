"""What a run keeps for its report: facts about a task and about one evaluation."""

from pydantic import Field

from pytest_iwr.records import Record, Source, Viewport


class Shown(Record):
    """A picture as the report shows it, and its size before."""

    full: str
    """WebP, relative to the folder that it was kept in."""
    width: int
    """Of the original, in pixels."""
    height: int
    small: str = ""
    """WebP, a thumbnail; the top of a very tall picture. Empty: there is none."""
    is_frame: bool = False
    """It is a frame of the task's video, with what was drawn over it."""


class KeptStep(Record):
    """A step as the author wrote it."""

    verb: str
    say: str | None = None
    line: int


class KeptTask(Record):
    """`tasks/<task>/kept.json`: what all evaluations of a task share."""

    id: str
    path: str
    title: str | None = None
    source: Source = Source()
    tags: tuple[str, ...] = ()
    viewport: Viewport | None = None
    device: str | None = None
    clock: str | None = None
    seed: int = 1
    steps: tuple[KeptStep, ...] = ()
    references: dict[int, Shown] = Field(default_factory=dict)
    """Step (0: the start) → the reference's picture."""
    video: str | None = None
    """A copy, relative to the folder."""
    video_steps_s: tuple[float, ...] | None = None
    """When each step begins in the video; `None`: nobody knows."""


class Code(Record):
    """A file of the page, as text."""

    name: str
    """In the page's folder."""
    kept: str
    """A copy as plain text, relative to the item's folder."""
    size: int
    """In bytes."""
    is_cut: bool = False
    """The copy lacks the end."""


class KeptItem(Record):
    """`items/<model>/<task>/kept.json`: pictures and the page's code."""

    task: str
    """The folder of the task, relative to the run's."""
    pictures: dict[str, Shown] = Field(default_factory=dict)
    """Name of a PNG in the item's folder → what is shown of it."""
    code: tuple[Code, ...] = ()
    code_left_out: int = 0
    """Files of the page that are not shown: not text, or too many."""
    has_frame: bool = False
    """The page can be run in a frame."""
    unresolved: tuple[str, ...] = ()
    """Names that the page asks for and the frame does not have."""

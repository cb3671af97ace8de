"""The error tree: infrastructure faults and mistakes of the user, never a page's."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_iwr.records import ErrorKind, Judgement


class Problem(NamedTuple):
    """One mistake in a file: where it is, what is wrong, what to do."""

    path: Path
    line: int
    """Counted from 1."""
    where: str
    """The place in the file's own terms, e.g. `steps[2].click`; may be empty."""
    message: str

    def __str__(self) -> str:
        """Give `<path>:<line>: <where>: <message>`."""
        where = f"{self.where}: " if self.where else ""
        return f"{self.path}:{self.line}: {where}{self.message}"


class IwrError(Exception):
    """Root of all errors of this package; its text says what to do."""

    kind: ErrorKind = "infrastructure"


class TaskError(IwrError):
    """A task file that cannot be loaded; knows every problem of the file."""

    kind: ErrorKind = "task_invalid"

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Keep the problems in the order of their lines."""
        self.problems = tuple(sorted(problems, key=lambda p: (p.line, p.where)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UsageError(IwrError):
    """A bad option or a missing folder; ends the run with exit status 4."""


class NoBrowserError(IwrError):
    """No usable browser; ends the run with exit status 21."""

    kind: ErrorKind = "browser_gone"


class BrowserGoneError(IwrError):
    """The browser ended by itself while a page was driven."""

    kind: ErrorKind = "browser_gone"


class UngroundedError(IwrError):
    """A sentence that no grounder could turn into an action."""

    kind: ErrorKind = "ungrounded"


class CheckpointError(IwrError):
    """A picture of the task that cannot be compared with."""

    kind: ErrorKind = "checkpoint_unusable"


class VideoError(IwrError):
    """A video of the task that has no frames to show."""

    kind: ErrorKind = "task_invalid"


class EndpointError(IwrError):
    """A model's endpoint that gave no usable answer, after all retries."""

    kind: ErrorKind = "endpoint"


class BudgetError(IwrError):
    """The run may spend no more; what is asked for now stays unscored."""

    kind: ErrorKind = "budget"


class JudgeError(IwrError):
    """A judge whose replies say neither this nor that, although asked twice."""

    kind: ErrorKind = "judge_unreadable"

    def __init__(self, message: str, judgement: Judgement) -> None:
        """Keep what was asked and replied, for whoever looks into it."""
        super().__init__(message)
        self.judgement = judgement

"""The state of a review: which pictures, what was decided, what was written."""

import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Literal, get_args

from pytest_iwr import records as r
from pytest_iwr.author.pictures import checkpoint_of
from pytest_iwr.author.review.cases import Case, digest
from pytest_iwr.author.review.changes import Change, accept, can_mask, mask
from pytest_iwr.author.review.rejections import Rejections
from pytest_iwr.errors import IwrError
from pytest_iwr.load import load_named
from pytest_iwr.report.words import one_line, step_words

Decision = Literal["accepted", "masked", "rejected"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
_SIZE = slice(16, 24)
"""Of a PNG, in its header."""


class RefusedError(IwrError):
    """A decision that cannot be made now; says why."""


@dataclass
class _State:
    decision: Decision | None = None
    change: Change | None = None


@dataclass
class Session:
    """One review, of one person; decisions come one after the other."""

    run: str
    cases: tuple[Case, ...]
    rejections: Rejections
    _states: list[_State] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        """Start with nothing decided."""
        self._states = [_State() for _ in self.cases]

    def describe(self) -> dict[str, object]:
        """Give all that the page shows, and what was decided."""
        return {
            "run": self.run,
            "cases": [self._describe(case) for case in self.cases],
            **self.progress(),
        }

    def progress(self) -> dict[str, object]:
        """Give what was decided, and which files were written."""
        by = self._accepted()
        return {
            "decisions": [state.decision for state in self._states],
            "stale": [_why_stale(case, by) for case in self.cases],
            "files": [str(path) for path in self.written()],
        }

    def written(self) -> list[Path]:
        """Give the files that are other than before the review."""
        changes = [state.change for state in self._states if state.change]
        return sorted({path for change in changes for path in change.after})

    def count(self, decision: Decision) -> int:
        """Count what was decided so."""
        return sum(state.decision == decision for state in self._states)

    def decide(
        self, number: int, decision: Decision, boxes: tuple[r.Box, ...] = ()
    ) -> None:
        """Write what was decided; `boxes` are regions to be masked.

        Raises IwrError where it cannot be, and OSError.
        """
        with self._lock:
            state = self._states[number]
            if state.decision is not None:
                raise RefusedError("This is decided already. Undo that first.")
            stale = _why_stale(self.cases[number], self._accepted())
            if stale:
                raise RefusedError(stale)
            case = _fresh(self.cases[number])
            match decision:
                case "accepted":
                    state.change = accept(case)
                case "masked":
                    state.change = mask(case, _sound(boxes, case))
                case "rejected":
                    self.rejections.add(case)
            state.decision = decision

    def undo(self, number: int) -> None:
        """Take a decision back; raises as `decide`."""
        with self._lock:
            state = self._states[number]
            if state.change is not None:
                state.change.undo()
            elif state.decision == "rejected":
                self.rejections.remove(self.cases[number])
            else:
                raise RefusedError("Nothing was decided here.")
            self._states[number] = _State()

    def _accepted(self) -> dict[Path, Case]:
        """Give, by reference, the case whose picture became it."""
        pairs = zip(self.cases, self._states, strict=True)
        return {c.reference: c for c, state in pairs if state.decision == "accepted"}

    def _describe(self, case: Case) -> dict[str, object]:
        checked, result = case.checked, case.result
        home = Path(case.task.path)
        line = case.task.line_of(checked.step)
        return {
            "task": one_line(result.task),
            "title": one_line(case.task.title or ""),
            "whose": case.whose,
            "step": checked.step,
            "steps": len(case.task.steps),
            "said": step_words(case.task, case.trace, checked.step),
            "similarity": checked.comparison.similarity,
            "minimum": checked.minimum,
            "failed": not checked.is_similar,
            "unstable": one_line(checked.unstable),
            "clipped": checked.clipped,
            "masks": [box.model_dump() for box in checked.masks],
            "place": f"{home.parent.name}/{home.name}:{line}",
            "image": case.wanted.image,
            "can_mask": can_mask(case),
            "has_reference": bool(case.reference_sha256),
            "has_diff": case.diff is not None and case.diff.is_file(),
        }


def _why_stale(case: Case, accepted: Mapping[Path, Case]) -> str:
    """Say why a picture cannot be decided on; "" where it can."""
    other = accepted.get(case.reference)
    if other is None or other is case:
        return ""
    return f"The picture of {other.whose} became the reference meanwhile."


def _fresh(case: Case) -> Case:
    """Give a case with its task as its file is now.

    Raises RefusedError where the reference is not the one that was compared.
    """
    if digest(case.reference) != case.reference_sha256:
        text = f"{case.reference.name} was changed meanwhile."
        raise RefusedError(f"{text} Start the review anew.")
    try:
        task = load_named(Path(case.task.path), case.task.id)
    except IwrError as error:
        if case.reference_sha256:
            raise RefusedError(f"The task cannot be read any more: {error}") from error
        return case  # its picture is missing, which is what is to be mended
    wanted = checkpoint_of(task, case.checked.step)
    if wanted is None or wanted.image != case.wanted.image:
        raise RefusedError("The task was changed meanwhile. Start the review anew.")
    return replace(case, task=task, wanted=wanted)


def _sound(boxes: tuple[r.Box, ...], case: Case) -> list[r.Box]:
    """Give regions cut to the picture. Raises RefusedError where none is left."""
    with case.shot.open("rb") as shot:
        wide, high = struct.unpack(">II", shot.read(_SIZE.stop)[_SIZE])
    kept = []
    for box in boxes:
        if not all(map(isfinite, box.model_dump().values())):
            raise RefusedError("A region has no place.")
        left, top = max(0.0, box.x), max(0.0, box.y)
        right, bottom = min(wide, box.x + box.width), min(high, box.y + box.height)
        if right - left >= 1 and bottom - top >= 1:
            kept.append(r.Box(x=left, y=top, width=right - left, height=bottom - top))
    if not kept:
        raise RefusedError("Draw a region first.")
    return kept

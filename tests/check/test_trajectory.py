"""A trace and the task's pictures become verdicts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder
from pytest_iwr.check import check
from pytest_iwr.check.engine import OcrError
from pytest_iwr.errors import CheckpointError, IwrError
from pytest_iwr.load import load

TASK = """
iwr: 1
start: checkpoints/00.png
steps:
  - press: Enter
  - press: Tab
    checkpoint: {image: checkpoints/02.png, min_similarity: 0.9, full_page: true}
  - press: Space
    checkpoint: checkpoints/03.png
"""
MASK = r.Box(x=1, y=2, width=3, height=4)


class Notes:
    """A scorer that finds everything 0.7 alike and notes what it was asked."""

    protocol = r.Protocol(id="offline", metrics={})

    def __init__(self, **likeness: float) -> None:
        """Know how alike some shots are, by the first part of their names."""
        self.asked: list[tuple[str, str, tuple[r.Box, ...], str | None]] = []
        self._likeness = likeness

    def compare(
        self,
        reference: Path,
        shot: Path,
        *,
        masks: Sequence[r.Box] = (),
        diff: Path | None = None,
    ) -> r.Comparison:
        """Note the names of the files."""
        name = diff.name if diff else None
        self.asked.append((reference.name, shot.name, tuple(masks), name))
        if diff is not None and diff.parent.is_dir():
            diff.write_text(shot.name, encoding="utf-8")
        numbers = dict.fromkeys(("text", "structure", "lfs", "hfs"), 0.7)
        alike = self._likeness.get(shot.name.partition("-")[0], 0.7)
        return r.Comparison(**numbers, similarity=alike, is_same_size=True)


class Teller(Notes):
    """A scorer that also tells what differs without a score."""

    def __init__(self, fault: IwrError | None = None) -> None:
        """Fail so when told to tell."""
        super().__init__()
        self.told: list[tuple[str, str, tuple[r.Box, ...], str]] = []
        self._fault = fault

    def tell(
        self, reference: Path, shot: Path, *, masks: Sequence[r.Box], diff: Path
    ) -> None:
        """Note the names of the files."""
        self.told.append((reference.name, shot.name, tuple(masks), diff.name))
        if self._fault is not None:
            raise self._fault


@pytest.fixture
def task(tmp_path: Path) -> r.Task:
    """Give a task with a start picture and two checkpoints."""
    (tmp_path / "checkpoints").mkdir()
    for number in (0, 2, 3):
        (tmp_path / "checkpoints" / f"{number:02}.png").touch()
    path = tmp_path / "task.iwr.yaml"
    path.write_text(TASK, encoding="utf-8")
    return load(path)


def trace(last: int, failure: r.FailureKind | None = None) -> r.Trace:
    """Give a trace up to step `last`, which may have failed."""
    steps = [
        r.TraceStep(
            number=number,
            verb="press",
            said="press a key",
            shot=f"shot-{number:02}.png",
            full_shot=f"full-{number:02}.png" if number == 2 else None,
            masks=(MASK,) if number == 3 else (),
            outcomes=(r.Outcome(kind="prose", asked="it looks fine", holds=None),),
        )
        for number in range(last + 1)
    ]
    if failure is not None:
        why = r.Failure(kind=failure, message="it did not go")
        steps[-1] = steps[-1].model_copy(update={"failure": why})
    return r.Trace(
        task="t",
        browser="none",
        width_px=1280,
        height_px=720,
        scale=1.0,
        steps=tuple(steps),
    )


def run(
    task: r.Task, trace: r.Trace, scorer: Notes, item: Path = Path("/run/item")
) -> r.Verdicts:
    """Check with a minimum of 0.6."""
    folder = ItemFolder(item.parent, item, "model", 1)
    return check(task, trace, folder, scorer=scorer, minimum=0.6)


def test_shot_and_reference_are_paired_by_step(task: r.Task) -> None:
    """A step without a checkpoint shifts nothing; a whole page is one if asked for."""
    notes = Notes()
    run(task, trace(3), notes)
    assert notes.asked == [
        ("00.png", "shot-00.png", (), "diff-00.png"),
        ("02.png", "full-02.png", (), "diff-02.png"),
        ("03.png", "shot-03.png", (MASK,), "diff-03.png"),
    ]


def test_masks_of_the_reference_bound_the_pages_own(task: r.Task) -> None:
    """CSS pixels become the shot's; a checkpoint without a mask has none."""
    theirs = r.Box(x=0, y=0, width=10, height=10)
    masked = r.Checkpoint(image="checkpoints/03.png", mask=(r.Target(role="timer"),))
    step = task.steps[2].model_copy(update={"checkpoint": masked})
    boxes = {"checkpoints/02.png": (theirs,), "checkpoints/03.png": (theirs,)}
    update = {"steps": (*task.steps[:2], step), "masks": boxes}
    large = trace(3).model_copy(update={"scale": 2.0})
    notes = Notes()
    verdicts = run(task.model_copy(update=update), large, notes)
    hidden = (r.Box(x=0, y=0, width=20, height=20), MASK)
    assert [asked[2] for asked in notes.asked] == [(), (), hidden]
    assert verdicts.checkpoints[2].masks == hidden


def _twice(trace: r.Trace, folder: Path, box: r.Box) -> r.Trace:
    """Give the trace with two shots of the start, which differ within a box."""
    picture = np.full((40, 40, 3), 255, np.uint8)
    images.write(folder / "shot-00.png", picture)
    images.write(folder / "again-00.png", images.mask(picture, [box]))
    start = trace.steps[0].model_copy(
        update={"again": "again-00.png", "masks": (MASK,)}
    )
    return trace.model_copy(update={"steps": (start, *trace.steps[1:])})


@pytest.mark.parametrize(("shot", "again"), ((0.6, 0.4), (0.5, 0.9)))
def test_less_alike_of_two_shots_counts(
    task: r.Task, tmp_path: Path, shot: float, again: float
) -> None:
    """What moves is told, and a lucky moment is worth nothing."""
    moving = _twice(trace(0), tmp_path, r.Box(x=20, y=10, width=5, height=2))
    notes = Notes(shot=shot, again=again)
    (start,) = run(task, moving, notes, tmp_path).checkpoints
    assert start.unstable == "10 pixels, within 5 × 2 at 20,10, move"
    assert start.comparison.similarity == min(shot, again)
    names = ("again-00.png", "shot-00.png")
    assert (start.shot, start.other) == (names if again < shot else names[::-1])
    assert notes.asked == [
        ("00.png", name, (MASK,), "diff-00.png")
        for name in ("shot-00.png", "again-00.png")
    ]
    assert (tmp_path / "diff-00.png").read_text("utf-8") == start.shot


def test_what_moves_below_a_mask_is_stable(task: r.Task, tmp_path: Path) -> None:
    """The task leaves it out."""
    moving = _twice(trace(0), tmp_path, MASK)
    (start,) = run(task, moving, Notes(again=0.1), tmp_path).checkpoints
    assert (start.unstable, start.other, start.shot) == ("", None, "shot-00.png")


def test_whole_page_that_was_cut_is_told(task: r.Task) -> None:
    """The same cap counts on both sides, and the result says so."""
    cut = trace(2)
    steps = [step.model_copy(update={"clipped": True}) for step in cut.steps]
    checked = run(task, cut.model_copy(update={"steps": tuple(steps)}), Notes())
    assert [c.clipped for c in checked.checkpoints] == [False, True]


def test_minimum_is_the_checkpoints_own_or_the_runs(task: r.Task) -> None:
    """0.7 is enough for 0.6 and not for 0.9."""
    verdicts = run(task, trace(3), Notes())
    minima = [(c.step, c.minimum, c.is_similar) for c in verdicts.checkpoints]
    assert minima == [(0, 0.6, True), (2, 0.9, False), (3, 0.6, True)]


def test_failed_step_is_not_compared(task: r.Task) -> None:
    """What a step shows that failed is no checkpoint reached."""
    verdicts = run(task, trace(2, "covered"), Notes())
    assert [(v.step, v.passed, v.kind) for v in verdicts.steps] == [
        (1, True, None),
        (2, False, "covered"),
    ]
    assert [c.step for c in verdicts.checkpoints] == [0]


def test_page_that_does_not_open_fails_the_first_step(task: r.Task) -> None:
    """There is nothing to compare, and IFS will be 0."""
    verdicts = run(task, trace(0, "load_failed"), Notes())
    assert verdicts.checkpoints == ()
    (first,) = verdicts.steps
    assert (first.step, first.passed, first.kind) == (1, False, "load_failed")
    assert first.reason == "it did not go"


def test_prose_is_counted_as_unjudged(task: r.Task) -> None:
    """It passes nothing and fails nothing."""
    verdicts = run(task, trace(1), Notes())
    assert [v.unjudged for v in verdicts.steps] == [1]
    assert verdicts.steps[0].passed


def test_checkpoint_of_the_broken_step_is_told_and_not_scored(task: r.Task) -> None:
    """People see what differs there; the numbers are those of the steps before."""
    teller = Teller()
    verdicts = run(task, trace(3, "expectation"), teller)
    assert teller.told == [("03.png", "shot-03.png", (MASK,), "diff-03.png")]
    assert [checked.step for checked in verdicts.checkpoints] == [0, 2]


@pytest.mark.parametrize("fault", (CheckpointError("broken"), OcrError("broken")))
def test_what_cannot_be_told_is_not_missed(task: r.Task, fault: IwrError) -> None:
    """The page broke, and that is what counts."""
    verdicts = run(task, trace(3, "expectation"), Teller(fault))
    assert verdicts.steps[-1].kind == "expectation"


def test_broken_step_without_a_checkpoint_is_not_told(task: r.Task) -> None:
    """There is nothing to compare it with."""
    teller = Teller()
    run(task, trace(1, "expectation"), teller)
    assert teller.told == []

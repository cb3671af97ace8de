"""Scores, by hand: IFS, VFS, Final of one evaluation and of a run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.load import load
from pytest_iwr.score import score, summarize

WEIGHTS = r.Weights()
PROTOCOL = r.Protocol(id="offline", metrics={"ocr": "none"})
Make = Callable[..., r.Task]


@pytest.fixture
def make_task(tmp_path: Path) -> Make:
    """Give a function that makes a task with so many steps and these checkpoints."""

    def make(steps: int, checkpoints: tuple[int, ...] = (), extra: str = "") -> r.Task:
        lines = ["iwr: 1"]
        if 0 in checkpoints:
            lines.append("start: 00.png")
        if extra:
            lines.append(extra)
        lines.append("steps:")
        for number in range(1, steps + 1):
            lines.append("  - press: Enter")
            if number in checkpoints:
                lines.append(f"    checkpoint: {number:02}.png")
        path = tmp_path / "task.iwr.yaml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for number in checkpoints:
            (tmp_path / f"{number:02}.png").touch()
        return load(path)

    return make


def steps(passed: int, then: r.FailureKind | None = None) -> tuple[r.Verdict, ...]:
    """Give verdicts: so many steps passed, and then one that fails in this way."""
    right = [r.Verdict(step=number, passed=True) for number in range(1, passed + 1)]
    if then is not None:
        wrong = r.Verdict(step=passed + 1, passed=False, kind=then, reason="no sign")
        right.append(wrong)
    return tuple(right)


def seen(step: int, lfs: float, hfs: float, minimum: float = 0.5) -> r.Checked:
    """Give a checkpoint with these similarities."""
    comparison = r.Comparison(
        text=lfs,
        structure=lfs,
        lfs=lfs,
        hfs=hfs,
        similarity=(lfs + hfs) / 2,
        is_same_size=True,
    )
    return r.Checked(
        step=step,
        reference="/reference.png",
        shot="shot.png",
        diff=None,
        comparison=comparison,
        minimum=minimum,
    )


def row(
    task: str, status: r.Status = "passed", epoch: int = 1, ifs: float | None = 1.0
) -> r.Row:
    """Give a row whose VFS and Final equal its IFS."""
    is_scored = status in {"passed", "failed"}
    return r.Row(
        task=task,
        model="m",
        epoch=epoch,
        status=status,
        steps_total=4,
        steps_done=4 if is_scored else None,
        ifs=ifs if is_scored else None,
        vfs=ifs if is_scored else None,
        final=ifs if is_scored else None,
    )


def test_worked_example(make_task: Make) -> None:
    """Five steps, the third one fails: worked out by hand.

    IFS = 2 / 5 = 0.4. The start picture is alike by ½·(0.9 + 0.8) = 0.85 and the one
    after step 2 by ½·(0.6 + 0.4) = 0.5; the one after step 4 was not reached. So VFS
    = (0.85 + 0.5) / 2 = 0.675 and Final = 0.7·0.4 + 0.3·0.675 = 0.4825.
    """
    verdicts = r.Verdicts(
        steps=steps(2, then="expectation"),
        checkpoints=(seen(0, 0.9, 0.8), seen(2, 0.6, 0.4)),
    )
    result = score(make_task(5, (0, 2, 4)), verdicts, WEIGHTS)
    assert (result.steps_done, result.failed_step) == (2, 3)
    assert (result.ifs, result.vfs, result.final) == (0.4, 0.675, 0.4825)
    assert (result.lfs, result.hfs) == (0.75, 0.6)
    assert (result.kind, result.reason) == ("expectation", "no sign")


def test_all_right_is_one(make_task: Make) -> None:
    """A page that does and looks all right has 1 everywhere and is green."""
    verdicts = r.Verdicts(steps=steps(2), checkpoints=(seen(1, 1, 1),))
    result = score(make_task(2, (1,)), verdicts, WEIGHTS)
    assert (result.ifs, result.vfs, result.final) == (1.0, 1.0, 1.0)
    assert (result.kind, result.failed_step, result.failed_checkpoint) == (None,) * 3


def test_steps_after_the_first_failure_do_not_count(make_task: Make) -> None:
    """IFS is the correct prefix, whatever is right behind it."""
    late = r.Verdict(step=4, passed=True)
    verdicts = r.Verdicts(
        steps=(*steps(1, then="assertion"), r.Verdict(step=3, passed=True), late),
        checkpoints=(seen(1, 0.8, 0.8), seen(3, 1, 1)),
    )
    result = score(make_task(4, (1, 3)), verdicts, WEIGHTS)
    assert (result.ifs, result.vfs) == (0.25, 0.8)


def test_no_page_is_zero(make_task: Make) -> None:
    """Without a page IFS, VFS and Final are 0, not absent."""
    result = score(make_task(3, (0,)), r.Verdicts(), WEIGHTS)
    assert (result.ifs, result.vfs, result.final) == (0.0, 0.0, 0.0)


def test_no_checkpoint_reached_is_vfs_zero(make_task: Make) -> None:
    """A task with checkpoints of which none was reached has VFS 0."""
    verdicts = r.Verdicts(steps=steps(1, then="covered"))
    result = score(make_task(2, (2,)), verdicts, WEIGHTS)
    assert (result.ifs, result.vfs, result.final) == (0.5, 0.0, 0.35)
    assert result.lfs is None


def test_task_without_checkpoints_has_no_vfs(make_task: Make) -> None:
    """VFS and Final are null, and the test is judged by its steps alone."""
    result = score(make_task(2), r.Verdicts(steps=steps(2)), WEIGHTS)
    assert (result.ifs, result.vfs, result.final) == (1.0, None, None)
    assert result.kind is None


def test_checkpoint_below_its_minimum_stops_nothing(make_task: Make) -> None:
    """It makes the test red and is named, but steps and later pictures count on."""
    verdicts = r.Verdicts(
        steps=steps(3),
        checkpoints=(seen(1, 0.4, 0.4), seen(2, 0.2, 0.2), seen(3, 0.9, 0.9)),
    )
    result = score(make_task(3, (1, 2, 3)), verdicts, WEIGHTS)
    assert (result.ifs, result.vfs) == (1.0, 0.5)
    assert (result.kind, result.failed_checkpoint) == ("checkpoint", 1)
    assert result.reason == (
        "the picture after step 1 is 0.4000 like the reference's, the minimum is 0.5"
    )


def test_picture_that_moves_is_called_unstable(make_task: Make) -> None:
    """The reason says that what was compared does not hold still."""
    moving = seen(1, 0.4, 0.4).model_copy(update={"unstable": "9 pixels, move"})
    verdicts = r.Verdicts(steps=steps(1), checkpoints=(moving,))
    reason = score(make_task(1, (1,)), verdicts, WEIGHTS).reason or ""
    assert reason.endswith("the minimum is 0.5 (unstable: 9 pixels, move)")


def test_checkpoint_at_its_minimum_is_good_enough(make_task: Make) -> None:
    """The minimum itself passes."""
    verdicts = r.Verdicts(steps=steps(1), checkpoints=(seen(1, 0.5, 0.5),))
    assert score(make_task(1, (1,)), verdicts, WEIGHTS).kind is None


def test_broken_step_is_named_before_a_checkpoint(make_task: Make) -> None:
    """A failed step is why the test is red; the checkpoint is still told."""
    verdicts = r.Verdicts(
        steps=steps(1, then="covered"), checkpoints=(seen(1, 0.1, 0.1),)
    )
    result = score(make_task(2, (1,)), verdicts, WEIGHTS)
    assert (result.kind, result.failed_step) == ("covered", 2)
    assert result.failed_checkpoint == 1


def test_thresholds_replace_the_red_rule(make_task: Make) -> None:
    """With thresholds a failed step alone is not red."""
    task = make_task(4, (1,), "thresholds: {ifs: 0.75}")
    verdicts = r.Verdicts(
        steps=steps(3, then="expectation"), checkpoints=(seen(1, 0.1, 0.1),)
    )
    result = score(task, verdicts, WEIGHTS)
    assert result.kind is None
    assert (result.failed_step, result.failed_checkpoint) == (4, 1)


def test_missed_threshold_is_red_and_says_why(make_task: Make) -> None:
    """The reason names the score, the threshold and the step that broke."""
    task = make_task(4, (1,), "thresholds: {ifs: 0.75}")
    verdicts = r.Verdicts(
        steps=steps(2, then="expectation"), checkpoints=(seen(1, 1, 1),)
    )
    result = score(task, verdicts, WEIGHTS)
    assert result.kind == "expectation"
    assert result.reason == "IFS 0.5000 is below 0.75; no sign"


def test_missed_threshold_of_looks_is_its_own_kind(make_task: Make) -> None:
    """All steps right, VFS too low: the kind is `threshold`."""
    task = make_task(1, (1,), "thresholds: {vfs: 0.9}")
    verdicts = r.Verdicts(steps=steps(1), checkpoints=(seen(1, 0.8, 0.8),))
    result = score(task, verdicts, WEIGHTS)
    assert (result.kind, result.reason) == ("threshold", "VFS 0.8000 is below 0.9")


def test_unjudged_assertions_of_the_steps_done_are_counted(make_task: Make) -> None:
    """Prose that nobody judged passes nothing, fails nothing, and is shown."""
    verdicts = r.Verdicts(
        steps=(
            r.Verdict(step=1, passed=True, unjudged=2),
            r.Verdict(step=2, passed=False, kind="expectation", unjudged=1),
        )
    )
    result = score(make_task(2), verdicts, WEIGHTS)
    assert result.assertions == r.Assertions(unjudged=2)
    assert result.ifs == 0.5


def test_model_row_is_the_mean_of_its_scored_tasks() -> None:
    """Errors and tasks that did not run are counted and are in no mean."""
    rows = [
        row("c", "failed", ifs=0.5),
        row("a"),
        row("b", "error"),
        row("d", "not_run"),
    ]
    summary = summarize(rows, PROTOCOL)
    model = summary.models["m"]
    counts = (model.due, model.scored, model.errors, model.not_run)
    assert counts == (4, 2, 1, 1)
    assert (model.ifs, model.vfs, model.final) == (0.75, 0.75, 0.75)
    assert [one.task for one in summary.tasks] == ["a", "b", "c", "d"]


def test_model_of_which_nothing_was_scored_has_no_mean() -> None:
    """No scored task is not a zero."""
    model = summarize([row("a", "error")], PROTOCOL).models["m"]
    assert (model.ifs, model.vfs, model.final) == (None, None, None)


def test_epochs_of_a_task_weigh_as_one() -> None:
    """A task with one lost epoch weighs as much as a task with all of them."""
    rows = [
        row("a", epoch=1, ifs=1.0),
        row("a", epoch=2, ifs=1.0),
        row("b", epoch=1, ifs=0.0),
        row("b", "error", epoch=2),
    ]
    model = summarize(rows, PROTOCOL).models["m"]
    assert model.scored == 3
    assert model.ifs == 0.5


def test_rows_in_any_order_give_the_same_summary() -> None:
    """Which worker is first never changes a byte."""
    rows = [
        row(name, ifs=value) for name, value in (("a", 0.1), ("b", 0.2), ("c", 0.7))
    ]
    texts = {
        summarize(order, PROTOCOL).model_dump_json()
        for order in (rows, rows[::-1], [rows[1], rows[2], rows[0]])
    }
    assert len(texts) == 1

"""The sums of IWR-Bench: its published table, and a task with few checkpoints."""

from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.load import load
from pytest_iwr.report.leaderboard.published import published
from pytest_iwr.score import score, summarize

PUBLISHED = {row.model: (row.ifs, row.vfs, row.final) for row in published().rows}
HALF = 0.005
"""In per cent: what a number of two places may be off."""
WEIGHTS = r.Weights()
TASK = """\
iwr: 1
start: 00.png
steps:
  - {press: F1, checkpoint: 01.png}
  - press: F2
  - {press: F3, checkpoint: 03.png}
  - press: F4
  - press: F5
  - {press: F6, checkpoint: 06.png}
  - press: F7
  - {press: F8, checkpoint: 08.png}
"""


@pytest.fixture
def task(tmp_path: Path) -> r.Task:
    """Give a task of eight steps with checkpoints at 0, 1, 3, 6 and 8."""
    path = tmp_path / "task.iwr.yaml"
    path.write_text(TASK, encoding="utf-8")
    for number in (0, 1, 3, 6, 8):
        (tmp_path / f"{number:02}.png").touch()
    return load(path)


def compared(step: int, text: float, dino: float, judged: float) -> r.Checked:
    """Give a checkpoint as IWR-Bench compares it.

    LFS = (text + DINO) / 2, HFS = what the judge says of 100, and half of each.
    """
    low, high = (text + dino) / 2, judged / 100
    comparison = r.Comparison(
        text=text,
        structure=dino,
        lfs=low,
        hfs=high,
        similarity=(low + high) / 2,
        is_same_size=True,
    )
    return r.Checked(
        step=step,
        reference="/reference.png",
        shot="shot.png",
        diff=None,
        comparison=comparison,
        minimum=0.0,
    )


@pytest.mark.parametrize("model", PUBLISHED)
def test_published_final_is_that_of_its_parts(model: str) -> None:
    """A model's line is summed up to the published Final, as far as it is rounded.

    IFS and VFS may be off by half a hundredth each, and so is Final: 0.7 · 0.005 +
    0.3 · 0.005 + 0.005 = 0.01. Means keep the formula, because every task of the
    benchmark has checkpoints.
    """
    ifs, vfs, final = (number / 100 for number in PUBLISHED[model])
    row = r.Row(
        task="all",
        model=model,
        status="failed",
        steps_total=1001,
        steps_done=0,
        ifs=ifs,
        vfs=vfs,
        final=WEIGHTS.ifs * ifs + WEIGHTS.vfs * vfs,
    )
    summary = summarize([row], r.Protocol(id="iwr-bench", metrics={}))
    ours = summary.models[model].final
    assert ours is not None
    # Our own fourth place is rounded, too: another 0.005 per cent.
    off = WEIGHTS.ifs * HALF + WEIGHTS.vfs * HALF + HALF
    assert 100 * abs(ours - final) <= off + HALF + 1e-9
    exact = 100 * (WEIGHTS.ifs * ifs + WEIGHTS.vfs * vfs)
    assert abs(exact - 100 * final) <= off + 1e-9


def test_task_whose_checkpoints_are_not_on_every_step(task: r.Task) -> None:
    """Eight steps, the seventh fails: worked out by hand.

    Done are 6 of 8 steps: IFS = 0.75. Compared were the start picture and those after
    steps 1, 3 and 6, each with its own; the one after step 8 was not reached, and is in
    no mean. Their text, DINO and judge's number, LFS, HFS, similarity:

    - 0: 0.90, 0.98, 92 → 0.94, 0.92, 0.93
    - 1: 0.80, 0.92, 70 → 0.86, 0.70, 0.78
    - 3: 0.40, 0.80, 50 → 0.60, 0.50, 0.55
    - 6: 0.20, 0.60, 20 → 0.40, 0.20, 0.30

    LFS = 2.80 / 4 = 0.70, HFS = 2.32 / 4 = 0.58, VFS = 2.56 / 4 = 0.64, and Final =
    0.7 · 0.75 + 0.3 · 0.64 = 0.525 + 0.192 = 0.717.
    """
    right = tuple(r.Verdict(step=number, passed=True) for number in range(1, 7))
    wrong = r.Verdict(step=7, passed=False, kind="expectation", reason="no sign")
    verdicts = r.Verdicts(
        steps=(*right, wrong),
        checkpoints=(
            compared(0, 0.90, 0.98, 92),
            compared(1, 0.80, 0.92, 70),
            compared(3, 0.40, 0.80, 50),
            compared(6, 0.20, 0.60, 20),
        ),
    )
    scored = score(task, verdicts, WEIGHTS)
    assert (scored.steps_done, scored.failed_step) == (6, 7)
    assert scored.ifs == 0.75
    assert scored.lfs == 0.7
    assert scored.hfs == 0.58
    assert scored.vfs == 0.64
    assert scored.final == 0.717


def test_assertion_that_is_false_earlier_takes_its_checkpoint_along(
    task: r.Task,
) -> None:
    """The same trace, judged false at step 3: the pictures of 3 and 6 count no more.

    IFS = 2 / 8 = 0.25, VFS = (0.93 + 0.78) / 2 = 0.855, Final = 0.175 + 0.2565 =
    0.4315.
    """
    verdicts = r.Verdicts(
        steps=tuple(
            r.Verdict(
                step=number,
                passed=number != 3,
                kind=None if number != 3 else "expectation",
                reason=None if number != 3 else "the list is not sorted",
            )
            for number in range(1, 8)
        ),
        checkpoints=(
            compared(0, 0.90, 0.98, 92),
            compared(1, 0.80, 0.92, 70),
            compared(3, 0.40, 0.80, 50),
            compared(6, 0.20, 0.60, 20),
        ),
    )
    scored = score(task, verdicts, WEIGHTS)
    assert (scored.ifs, scored.vfs, scored.final) == (0.25, 0.855, 0.4315)

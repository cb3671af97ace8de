"""A trace and the task's pictures → verdicts."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from shutil import move
from tempfile import TemporaryDirectory

from pytest_iwr import images, ports
from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder
from pytest_iwr.check.assertions import judge_steps, keep, keeping
from pytest_iwr.check.engine import OcrError
from pytest_iwr.check.masks import bounded
from pytest_iwr.errors import CheckpointError

_LIKENESS = "likeness"
_AGAIN = "likeness-again"


def check(  # noqa: PLR0913 - what is checked, and what checks it
    task: r.Task,
    trace: r.Trace,
    folder: ItemFolder,
    *,
    scorer: ports.Scorer,
    minimum: float,
    judge: ports.Judge | None = None,
) -> r.Verdicts:
    """Judge every step of a trace, and compare the checkpoints that were reached.

    `minimum` is the similarity (0..1) for checkpoints without one of their own. A judge
    decides prose assertions; the first false one ends what was reached. Raises
    CheckpointError when a reference picture cannot be used, and what the judge raises.
    """
    steps = tuple(_verdict(step) for step in trace.steps if step.number > 0)
    start_failure = trace.steps[0].failure if trace.steps else None
    if start_failure is not None:
        first = r.Verdict(
            step=1, passed=False, kind=start_failure.kind, reason=start_failure.message
        )
        return r.Verdicts(steps=(first,))
    if judge is not None:
        steps = judge_steps(task, trace, folder, steps, judge)
    base = Path(task.path).parent

    def compare(pair: tuple[r.TraceStep, r.Checkpoint]) -> r.Checked:
        step, wanted = pair
        return _compare(
            scorer,
            folder,
            step,
            _with_minimum(wanted, minimum),
            base / wanted.image,
            _masks(task, trace, step, wanted),
        )

    failed = next((verdict.step for verdict in steps if not verdict.passed), None)
    _tell_break(task, trace, folder, scorer, failed)
    reached = list(_reached(task, trace, failed))
    if judge is None:
        return r.Verdicts(steps=steps, checkpoints=tuple(map(compare, reached)))
    with ThreadPoolExecutor(judge.at_once) as pool:
        compared = tuple(pool.map(compare, reached))
    return r.Verdicts(steps=steps, checkpoints=compared)


def _verdict(step: r.TraceStep) -> r.Verdict:
    return r.Verdict(
        step=step.number,
        passed=step.failure is None,
        kind=step.failure.kind if step.failure else None,
        reason=step.failure.message if step.failure else None,
        unjudged=sum(outcome.holds is None for outcome in step.outcomes),
    )


def _reached(
    task: r.Task, trace: r.Trace, failed: int | None
) -> Iterator[tuple[r.TraceStep, r.Checkpoint]]:
    """Give the steps done that have a checkpoint, each with its own picture."""
    for step in trace.steps:
        if step.number == failed:
            break
        wanted = task.steps[step.number - 1].checkpoint if step.number else task.start
        if wanted is not None:
            yield step, wanted


def _tell_break(
    task: r.Task,
    trace: r.Trace,
    folder: ItemFolder,
    scorer: ports.Scorer,
    failed: int | None,
) -> None:
    """Write what differs where the page broke: for people, it is worth nothing.

    A reference that cannot be used, or text that cannot be read, is not missed there.
    """
    step = next((step for step in trace.steps if step.number == failed), None)
    wanted = task.steps[failed - 1].checkpoint if failed else None
    if step is None or wanted is None or not isinstance(scorer, ports.Telling):
        return
    shot = step.full_shot if wanted.full_page else step.shot
    if shot is None:
        return
    with suppress(CheckpointError, OcrError):
        scorer.tell(
            Path(task.path).parent / wanted.image,
            folder.path / shot,
            masks=_masks(task, trace, step, wanted),
            diff=folder.diff(step.number),
        )


def _with_minimum(wanted: r.Checkpoint, minimum: float) -> r.Checkpoint:
    if wanted.min_similarity is not None:
        return wanted
    return wanted.model_copy(update={"min_similarity": minimum})


def _masks(
    task: r.Task, trace: r.Trace, step: r.TraceStep, wanted: r.Checkpoint
) -> tuple[r.Box, ...]:
    """Give what is left out, in pixels of the shot.

    Where nobody knows the reference's masks, the page's own count as they are.
    """
    boxes = task.masks.get(wanted.image)
    if boxes is None or not wanted.mask:
        return step.masks
    return bounded([box.scaled(trace.scale) for box in boxes], step.masks)


def _compare(  # noqa: PLR0913, PLR0917 (the parts of one comparison)
    scorer: ports.Scorer,
    folder: ItemFolder,
    step: r.TraceStep,
    wanted: r.Checkpoint,
    reference: Path,
    masks: tuple[r.Box, ...],
) -> r.Checked:
    shot = step.full_shot if wanted.full_page else step.shot
    if shot is None or wanted.min_similarity is None:
        raise AssertionError(step.number)
    diff = folder.diff(step.number)

    def compare(name: str, diff: Path) -> r.Comparison:
        what = _AGAIN if name == step.again else _LIKENESS
        with keeping(folder, step.number, what):
            comparison = scorer.compare(
                reference, folder.path / name, masks=masks, diff=diff
            )
        if comparison.judged is None:
            return comparison
        brief = keep(folder, step.number, what, comparison.judged)
        return comparison.model_copy(update={"judged": brief})

    moved, other = _moved(folder, shot, step.again, masks), None
    if moved and step.again is not None:
        comparison, shot, other = _less_alike((shot, step.again), compare, diff)
    else:
        comparison = compare(shot, diff)
    return r.Checked(
        step=step.number,
        reference=str(reference),
        shot=shot,
        diff=diff.name,
        comparison=comparison,
        minimum=wanted.min_similarity,
        masks=masks,
        clipped=wanted.full_page and step.clipped,
        unstable=moved,
        other=other,
    )


def _less_alike(
    shots: tuple[str, str], compare: Callable[[str, Path], r.Comparison], diff: Path
) -> tuple[r.Comparison, str, str]:
    """Compare both shots once; gives the less alike one's, its name and the other's.

    Of the two pictures of differences only its own stays, with what lies beside it.
    """
    with TemporaryDirectory() as home:
        tried = []
        for name in shots:
            place = Path(home, name)
            place.mkdir()
            tried.append((compare(name, place / diff.name), name))
        (least, shot), (_, other) = sorted(tried, key=lambda one: one[0].similarity)
        for file in Path(home, shot).iterdir():
            move(file, diff.parent / file.name)
    return least, shot, other


def _moved(
    folder: ItemFolder, shot: str, again: str | None, masks: tuple[r.Box, ...]
) -> str:
    """Say what moved outside of the masks while the page was at rest; "" is nothing."""
    if again is None:
        return ""
    one, two = (images.read(folder.path / name) for name in (shot, again))
    motion = images.motion(one, two, masks)
    return f"{motion}, move" if motion else ""

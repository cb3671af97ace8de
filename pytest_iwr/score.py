"""Verdicts → score → summary; the only module with weights and rounding."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from pytest_iwr import records as r

PLACES = 4


def score(task: r.Task, verdicts: r.Verdicts, weights: r.Weights) -> r.Score:
    """Sum up one evaluation (IWR-Bench, arXiv 2509.24709, section 4).

    IFS is the length of the correct prefix over all steps. VFS is the mean
    similarity over the start picture and the checkpoints of the steps done; without
    any checkpoint in the task VFS and Final are `None`, and VFS is 0 when none was
    reached. Final = `weights.ifs` · IFS + `weights.vfs` · VFS.
    """
    failed = next((v for v in verdicts.steps if not v.passed), None)
    done = failed.step - 1 if failed else len(verdicts.steps)
    done = max(done, 0)
    ifs = done / len(task.steps)
    reached = [c for c in verdicts.checkpoints if c.step <= done]
    has_any = task.start is not None or any(s.checkpoint for s in task.steps)
    vfs = _mean(c.comparison.similarity for c in reached)
    if vfs is None and has_any:
        vfs = 0.0
    final = None if vfs is None else weights.ifs * ifs + weights.vfs * vfs
    result = r.Score(
        steps_done=done,
        failed_step=failed.step if failed else None,
        failed_checkpoint=next((c.step for c in reached if not c.is_similar), None),
        kind=None,
        reason=None,
        ifs=round(ifs, PLACES),
        vfs=_round(vfs),
        lfs=_round(_mean(c.comparison.lfs for c in reached)),
        hfs=_round(_mean(c.comparison.hfs for c in reached)),
        final=_round(final),
        assertions=_assertions(verdicts.steps, done),
    )
    kind, reason = _why_red(task, verdicts, result)
    return result.model_copy(update={"kind": kind, "reason": reason})


def _assertions(steps: Sequence[r.Verdict], done: int) -> r.Assertions:
    """Count the prose assertions of the steps done, and of the one they have ended."""
    judged = [one.verdict for v in steps if v.step <= done + 1 for one in v.judged]
    return r.Assertions(
        true=judged.count(True),
        false=judged.count(False),
        unjudged=sum(v.unjudged for v in steps if v.step <= done),
    )


def _why_red(
    task: r.Task, verdicts: r.Verdicts, result: r.Score
) -> tuple[r.FailureKind | None, str | None]:
    """Give what makes the test red: thresholds if the task has some, else any fault."""
    failed = next((v for v in verdicts.steps if not v.passed), None)
    if task.thresholds is not None:
        misses = _missed(task.thresholds, result)
        if not misses:
            return None, None
        reason = "; ".join(misses)
        if failed is not None:
            return failed.kind, f"{reason}; {failed.reason}"
        return "threshold", reason
    if failed is not None:
        return failed.kind, failed.reason
    unlike = next((c for c in verdicts.checkpoints if not c.is_similar), None)
    if unlike is not None:
        place = f"after step {unlike.step}" if unlike.step else "before step 1"
        similarity = unlike.comparison.similarity
        moves = f" (unstable: {unlike.unstable})" if unlike.unstable else ""
        return "checkpoint", (
            f"the picture {place} is {similarity:.4f} like the reference's, "
            f"the minimum is {unlike.minimum:g}{moves}"
        )
    return None, None


def _missed(thresholds: r.Thresholds, result: r.Score) -> list[str]:
    misses = []
    for name in ("ifs", "vfs", "final"):
        minimum = getattr(thresholds, name)
        value = getattr(result, name)
        if minimum is not None and (value is None or value < minimum):
            shown = "none" if value is None else f"{value:.4f}"
            misses.append(f"{name.upper()} {shown} is below {minimum:g}")
    return misses


def summarize(
    rows: Iterable[r.Row], protocol: r.Protocol, tripwire: r.Tripwire | None = None
) -> r.Summary:
    """Sum up a run: rows sorted, a mean per model over its scored tasks.

    The value of a task is the mean over its scored epochs.
    """
    ordered = tuple(sorted(rows, key=lambda row: (row.task, row.model, row.epoch)))
    names = sorted({row.model for row in ordered})
    models = {
        name: _model_row([row for row in ordered if row.model == name])
        for name in names
    }
    return r.Summary(protocol=protocol, models=models, tasks=ordered, tripwire=tripwire)


def _model_row(rows: Sequence[r.Row]) -> r.ModelRow:
    scored = [row for row in rows if row.status in {"passed", "failed"}]
    epochs = [
        [row for row in scored if row.task == task]
        for task in dict.fromkeys(row.task for row in scored)
    ]
    return r.ModelRow(
        due=len(rows),
        scored=len(scored),
        errors=sum(row.status == "error" for row in rows),
        not_run=sum(row.status == "not_run" for row in rows),
        ifs=_round(_mean(_mean(row.ifs for row in task) for task in epochs)),
        vfs=_round(_mean(_mean(row.vfs for row in task) for task in epochs)),
        final=_round(_mean(_mean(row.final for row in task) for task in epochs)),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)

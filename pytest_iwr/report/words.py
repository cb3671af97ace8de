"""Results in words: what broke, where, and what to look at."""

import re
from collections.abc import Iterator

from pytest_iwr.records import Cause, Result, Row, Summary, Task, Trace
from pytest_iwr.report.commands import harmless

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def one_line(text: str) -> str:
    """Give a text as one line without control characters."""
    return _CONTROL.sub(" ", text).strip()


def first_break(row: Row) -> tuple[str, str]:
    """Say what broke first: the place and kind, and the reason; both may be empty."""
    if row.status == "not_run":
        return "not run", ""
    if row.kind is None:
        return "", ""
    reason = one_line(row.reason or "")
    if row.status == "error":
        return f"error, {row.kind}", reason
    if row.failed_step is not None:
        return f"step {row.failed_step}, {row.kind}", reason
    return row.kind, reason


def notes(summary: Summary) -> Iterator[str]:
    """Explain what scores lack, in sentences without a full stop."""
    if any(row.assertions.unjudged for row in summary.tasks):
        yield "* has assertions that nobody judged"
    if any(row.ifs is not None and row.vfs is None for row in summary.tasks):
        yield "VFS –: the task has no picture that the page is compared with"


def details(result: Result) -> str:
    """Give the report's page about a result, at what broke: an address in the run."""
    page = f"{result.folder}/index.html"
    broke = result.failed_step is not None or result.failed_checkpoint is not None
    return f"{page}#step=broken" if broke else page


def why(cause: Cause | None, reason: str | None) -> str:
    """Say why something failed; "" where nobody knows, or where the reason says it."""
    if cause is None or one_line(cause.words) == one_line(reason or ""):
        return ""
    return f"{cause.kind.replace('_', ' ')}: {one_line(cause.words)}"


def step_words(task: Task, trace: Trace | None, number: int) -> str:
    """Say a step in words: the author's, else the driver's, else the action's name."""
    if number == 0:
        return "the page before the first step"
    step = task.steps[number - 1]
    if step.say:
        return one_line(step.say)
    for done in trace.steps if trace else ():
        if done.number == number and done.said:
            return one_line(done.said)
    return step.verb


def failure(
    result: Result, task: Task, trace: Trace | None, *, file: str, folder: str
) -> str:
    """Say why a page failed: the step, its line, the reason, the pictures.

    `file` is the task file and `folder` the item's folder, as they are to be shown.
    """
    if result.failed_step is not None:
        number = result.failed_step
        what = f"step {number} of {result.steps_total}"
    elif result.failed_checkpoint is not None:
        number = result.failed_checkpoint
        what = f"the checkpoint of step {number}" if number else "the start picture"
    else:
        number = 0
        what = "the task"
    words = f" ({step_words(task, trace, number)})" if number else ""
    line = task.line_of(number)
    lines = [f"{file}:{line}: {what}{words}: {result.kind}: {result.reason}"]
    told = why(result.cause, result.reason)
    lines += [f"  why: {told}"] if told else []
    lines += [f"  {name}: {path}" for name, path in _pictures(result, trace, folder)]
    lines.append("  " + scores(result))
    if result.page:
        lines.append(f"  page: {result.page}")
    return harmless("\n".join(lines))


def scores(row: Row) -> str:
    """Give the numbers of a row on one line."""
    return (
        f"steps {row.steps_done}/{row.steps_total}, IFS {number(row.ifs)}, "
        f"VFS {number(row.vfs)}, Final {number(row.final)}"
    )


def number(value: float | None) -> str:
    """Give a score with four places, a dash where there is none."""
    return "–" if value is None else f"{value:.4f}"


def steps_section(result: Result, task: Task, trace: Trace | None) -> str:
    """Tell all steps of a result, one a line."""
    verdicts = {verdict.step: verdict for verdict in result.verdicts}
    compared = {checked.step: checked for checked in result.checkpoints}
    done = {step.number: step for step in trace.steps} if trace else {}
    lines = []
    for step in range(len(task.steps) + 1):
        verdict = verdicts.get(step)
        if trace is None or (step and verdict is None):
            mark = "not reached"
        else:
            mark = "ok" if verdict is None or verdict.passed else f"{verdict.kind}"
        text = f"{step:3d}  {mark:<12} {step_words(task, trace, step)}"
        if step in compared:
            checked = compared[step]
            text += f"  [{checked.comparison.similarity:.4f} like the reference"
            text += f"; unstable: {checked.unstable}" if checked.unstable else ""
            text += "; cut, too large" if checked.clipped else ""
            text += "]"
        if step in done and any(g.outcome == "found" for g in done[step].grounded):
            text += f"  [chosen by {one_line(done[step].grounded[-1].model)}]"
        if verdict is not None and not verdict.passed:
            text += f": {one_line(verdict.reason or '')}"
        lines.append(text)
        if verdict is not None and verdict.cause is not None:
            told = why(verdict.cause, verdict.reason)
            lines += [f"     why: {told}"] if told else []
            lines += [f"     {one_line(line)}" for line in verdict.cause.details]
    if result.external:
        lines.append("blocked, off the page's origin: " + ", ".join(result.external))
    return harmless("\n".join(lines))


def _pictures(
    result: Result, trace: Trace | None, folder: str
) -> list[tuple[str, str]]:
    if result.failed_step is None:
        return [
            picture
            for checked in result.checkpoints
            if checked.step == result.failed_checkpoint
            for picture in (
                ("shot", f"{folder}/{checked.shot}"),
                ("reference", checked.reference),
                ("difference", f"{folder}/{checked.diff}"),
            )
        ]
    shots = [s.shot for s in trace.steps if s.shot] if trace else []
    return [("shot", f"{folder}/{shots[-1]}")] if shots else []

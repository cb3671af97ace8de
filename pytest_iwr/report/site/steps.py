"""The steps of an evaluation, as the timeline and the viewer show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_iwr import records as r
from pytest_iwr.report.kept import KeptStep, Shown
from pytest_iwr.report.site.evidence import Item
from pytest_iwr.report.site.wording import kind_words
from pytest_iwr.report.words import one_line, why

_MARKS = {
    "passed": "ok",
    "different": "looks different",
    "not_reached": "not reached",
    "after": "after the break",
}
_MOST_WORDS = 400
"""Missing or added words of one picture that are drawn."""


@dataclass(frozen=True)
class Picture:
    """A picture, and where it lies."""

    href: str
    """From the item's page."""
    small: str
    file: str
    """Relative to the run's folder."""
    shown: Shown
    exact: str = ""
    """The PNG that was compared."""


@dataclass(frozen=True)
class StepView:
    """One step with everything that was seen."""

    number: int
    said: str
    verb: str
    line: int
    status: str
    """`passed`, `failed`, `different`, `not_reached`, or `after`: done after the first
    break, which does not count."""
    kind: str
    reason: str
    cause: r.Cause | None
    done: r.TraceStep | None
    judged: tuple[r.Judgement, ...]
    """What a judge made of its assertions."""
    checked: r.Checked | None
    reference: Picture | None
    shot: Picture | None
    diff: Picture | None
    differences: r.Differences | None
    video_s: float | None
    """When it begins in the task's video."""

    @property
    def mark(self) -> str:
        """Say what came of it in a word or two."""
        return kind_words(self.kind) if self.status == "failed" else _MARKS[self.status]

    @property
    def why(self) -> str:
        """Say the cause, where the reason does not say it."""
        return why(self.cause, self.reason)

    @property
    def blocked(self) -> tuple[r.Request, ...]:
        """Give the requests that did not succeed."""
        done = self.done.requests if self.done else ()
        return tuple(request for request in done if request.outcome != "ok")

    @property
    def has_details(self) -> bool:
        """Tell whether there is more to see than the row."""
        done = self.done
        return done is not None and bool(
            done.outcomes
            or done.console
            or self.blocked
            or done.dialogs
            or done.target
            or done.hit
            or done.received
            or done.unsettled
            or self.checked
        )


def views(item: Item, up: str) -> list[StepView]:
    """Give all steps from 0 on; `up` leads from the item's page to the run's folder."""
    result, trace, task = item.result, item.trace, item.task
    done = {step.number: step for step in trace.steps} if trace else {}
    verdicts = {verdict.step: verdict for verdict in result.verdicts}
    checked = {one.step: one for one in result.checkpoints}
    return [
        _view(
            number,
            item,
            task.steps[number - 1] if task and 0 < number <= len(task.steps) else None,
            done.get(number),
            verdicts.get(number),
            checked.get(number),
            up,
        )
        for number in range(result.steps_total + 1)
    ]


def _view(  # noqa: PLR0913, PLR0917 (the parts of one step)
    number: int,
    item: Item,
    author: KeptStep | None,
    done: r.TraceStep | None,
    verdict: r.Verdict | None,
    checked: r.Checked | None,
    up: str,
) -> StepView:
    shot = checked.shot if checked else done.shot if done else None
    status, kind, reason = _judged(number, done, verdict, checked, item)
    return StepView(
        number=number,
        said=_said(number, author, done),
        verb=author.verb if author else done.verb if done else "",
        line=author.line if author else 0,
        status=status,
        kind=kind,
        reason=reason,
        cause=_cause(verdict, checked),
        done=done,
        judged=verdict.judged if verdict else (),
        checked=checked,
        reference=_reference(item, number, up),
        shot=_picture(item, shot),
        diff=_picture(item, item.folder.diff(number).name),
        differences=item.differences(number),
        video_s=_video_s(item, number),
    )


def _judged(
    number: int,
    done: r.TraceStep | None,
    verdict: r.Verdict | None,
    checked: r.Checked | None,
    item: Item,
) -> tuple[str, str, str]:
    if verdict is not None and not verdict.passed:
        return "failed", verdict.kind or "", one_line(verdict.reason or "")
    if number == 0 and done is not None and done.failure is not None:
        return "failed", done.failure.kind, one_line(done.failure.message)
    if done is None:
        return "not_reached", "", ""
    if item.result.failed_step is not None and number > item.result.failed_step:
        return "after", "", ""
    if checked is not None and not checked.is_similar:
        is_first = number == item.result.failed_checkpoint
        reason = item.result.reason if is_first else ""
        return "different", "checkpoint", one_line(reason or "")
    return "passed", "", ""


def _cause(verdict: r.Verdict | None, checked: r.Checked | None) -> r.Cause | None:
    failed = verdict.cause if verdict else None
    return failed or (checked.cause if checked else None)


def _said(number: int, author: KeptStep | None, done: r.TraceStep | None) -> str:
    if number == 0:
        return "The page before the first step"
    if author and author.say:
        return one_line(author.say)
    if done and done.said:
        return one_line(done.said)
    return author.verb if author else f"Step {number}"


def _reference(item: Item, number: int, up: str) -> Picture | None:
    shown = item.task.references.get(number) if item.task else None
    if shown is None:
        return None
    base = f"{up}/{item.kept.task}"
    return Picture(
        f"{base}/{shown.full}",
        f"{base}/{shown.small}",
        f"{item.kept.task}/{shown.full}",
        shown,
    )


def _picture(item: Item, name: str | None) -> Picture | None:
    shown = item.kept.pictures.get(name or "")
    if name is None or shown is None:
        return None
    file = f"{item.result.folder}/{shown.full}"
    return Picture(shown.full, shown.small, file, shown, exact=name)


def _video_s(item: Item, number: int) -> float | None:
    times = item.task.video_steps_s if item.task else None
    if times is None or number == 0:
        return 0.0 if times is not None else None
    return times[number - 1] if number <= len(times) else None


def viewer_step(step: StepView) -> Mapping[str, object]:
    """Give what the viewer's script needs of a step."""
    found = step.differences
    masks = found.masks if found else step.checked.masks if step.checked else ()
    missing, added = (found.missing, found.added) if found else ((), ())
    return {
        "n": step.number,
        "said": step.said,
        "status": step.status,
        "mark": step.mark,
        "reason": step.reason,
        "why": step.why,
        "similarity": step.checked.comparison.similarity if step.checked else None,
        "reference": _source(step.reference),
        "shot": _source(step.shot),
        "diff": _source(step.diff),
        "compared": _compared(step),
        "masks": [_box(box) for box in masks],
        "missing": [_word(word) for word in missing[:_MOST_WORDS]],
        "added": [_word(word) for word in added[:_MOST_WORDS]],
        "moved": [
            {
                "text": moved.text,
                "reference": _box(moved.reference),
                "shot": _box(moved.shot),
            }
            for moved in (found.moved if found else ())
        ],
        "hasWords": found is not None,
    }


def _source(picture: Picture | None) -> Mapping[str, object] | None:
    if picture is None:
        return None
    return {
        "src": picture.href,
        "exact": picture.exact,
        "isFrame": picture.shown.is_frame,
        "width": picture.shown.width,
        "height": picture.shown.height,
    }


def _compared(step: StepView) -> Mapping[str, tuple[int, int]]:
    """Give the sizes that boxes are measured in."""
    found = step.differences
    sizes = {}
    for side, size, picture in (
        ("reference", found.reference if found else None, step.reference),
        ("shot", found.shot if found else None, step.shot),
    ):
        if size is not None:
            sizes[side] = (size.width, size.height)
        elif picture is not None:
            sizes[side] = (picture.shown.width, picture.shown.height)
    if step.reference is not None and step.reference.shown.is_frame and step.shot:
        sizes["reference"] = sizes["shot"]  # the same window, in other pixels
    return sizes


def _box(box: r.Box) -> list[float]:
    return [round(v, 1) for v in (box.x, box.y, box.width, box.height)]


def _word(word: r.Word) -> list[object]:
    return [*_box(word.box), word.text]

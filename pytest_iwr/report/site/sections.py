"""What one file tells of each evaluation: what fits, and every break in any case."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from pytest_iwr.report.site import paper
from pytest_iwr.report.site.evidence import Item
from pytest_iwr.report.site.item import verdict
from pytest_iwr.report.site.steps import Picture, StepView, viewer_step, views

BROKEN = frozenset({"failed", "different"})
"""What became of steps that broke."""


class Section(NamedTuple):
    """What is told of an evaluation, and the steps that it tells of."""

    text: Markup
    steps: Sequence[StepView]
    size: int
    """In bytes."""


def whole(item: Item, number: int) -> Section:
    """Tell all steps of an evaluation."""
    steps = views(item, "")
    return _section(item, steps, number, verdict(item.result, steps))


def shorter(item: Item, number: int, most: int) -> Section:
    """Tell the steps that broke; where this takes more than `most`, without details."""
    steps = views(item, "")
    words = verdict(item.result, steps)
    broken = [step for step in steps if step.status in BROKEN]
    told = _section(item, broken, number, words)
    if told.size <= most:
        return told
    return _section(item, [_bare(step) for step in broken], number, words)


def _bare(step: StepView) -> StepView:
    return replace(step, done=None, checked=None, judged=(), differences=None)


def _section(item: Item, steps: Sequence[StepView], number: int, words: str) -> Section:
    template = paper.environment().get_template("single-item.html.jinja")
    text = template.render(
        id=number,
        result=item.result,
        task=item.task,
        steps=steps,
        left_out=item.result.steps_total + 1 - len(steps),
        verdict=words,
        viewer={"steps": [_viewer_step(step) for step in steps]},
    )
    return Section(Markup(text), steps, len(text.encode()))  # noqa: S704 - a template that escapes


def _viewer_step(step: StepView) -> dict[str, object]:
    shown = dict(viewer_step(step))
    for side in ("reference", "shot", "diff"):
        picture: Picture | None = getattr(step, side)
        if picture is not None:
            size = {"width": picture.shown.width, "height": picture.shown.height}
            shown[side] = {"src": picture.file, "exact": "", **size}
    return shown

"""Runs → ranked rows of one protocol, over all tasks and by what tasks are like."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, get_args

from pytest_iwr.errors import UsageError
from pytest_iwr.records import Protocol, Row
from pytest_iwr.report.leaderboard.published import Published
from pytest_iwr.report.leaderboard.runs import StoredRun, differences
from pytest_iwr.score import summarize

Axis = Literal["level", "domain", "device"]
AXES: tuple[Axis, ...] = get_args(Axis)


@dataclass(frozen=True)
class Standing:
    """A model's place; scores in per cent, two places."""

    model: str
    run: str | None
    """`None`: the row is published."""
    scored: int
    """Tasks that are in the means."""
    due: int
    """Tasks that there are."""
    actions: int
    """Of all tasks together."""
    ifs: float | None
    vfs: float | None
    final: float | None
    unjudged: int = 0
    """Assertions of the steps done that nobody judged."""
    apart: tuple[str, ...] = ()
    """Why it cannot be compared with the published rows beside it, in words."""
    place: int | None = None
    """Counted from 1 among those that can be compared and have a Final."""

    @property
    def is_comparable(self) -> bool:
        """Tell whether nothing speaks against it."""
        return not self.apart


@dataclass(frozen=True)
class Group:
    """The measured rows over the tasks of one level, domain or device."""

    axis: Axis
    name: str | None
    """`None`: the tasks do not say."""
    standings: tuple[Standing, ...]


@dataclass(frozen=True)
class Leaderboard:
    """Tables of one protocol, in each the best Final first."""

    protocol: Protocol
    runs: tuple[StoredRun, ...]
    published: Published
    has_published: bool
    """The published rows are of this protocol, and so stand in the table."""
    standings: tuple[Standing, ...]
    groups: tuple[Group, ...]


def rank(
    runs: Sequence[StoredRun], published: Published, axes: Iterable[Axis] = ()
) -> Leaderboard:
    """Rank the models of at least one run, beside the published rows where these fit.

    Raises UsageError for runs of different protocols, or of other versions of a metric.
    """
    protocol = _one_protocol(runs)
    fits = (protocol.id, protocol.weights) == (published.protocol, published.weights)
    measured = [
        replace(one, apart=tuple(_apart(one, run, published)) if fits else ())
        for run in runs
        for one in _measured(run)
    ]
    if fits:
        measured += _printed(published)
    return Leaderboard(
        protocol=protocol,
        runs=tuple(runs),
        published=published,
        has_published=fits,
        standings=_placed(measured),
        groups=tuple(g for axis in dict.fromkeys(axes) for g in _groups(runs, axis)),
    )


def _apart(one: Standing, run: StoredRun, published: Published) -> Iterator[str]:
    """Say what else than the model differs from the published rows."""
    theirs = size(published.tasks, published.actions)
    if (one.scored, one.due) != (published.tasks, published.tasks) or (
        one.actions != published.actions
    ):
        own = size(one.due, one.actions)
        over = own if one.scored == one.due else f"{one.scored} of {own}"
        yield f"over {over}, the paper over {theirs}"
    tripwire = run.summary.tripwire
    if tripwire is not None and tripwire.is_inconclusive:
        told = f"agrees with people on {tripwire.agreed} of {tripwire.due} pairs"
        yield f"its judge {told if tripwire.state == 'tripped' else 'was not tried'}"
    metrics = run.summary.protocol.metrics
    judge = metrics.get("judge", "none").partition(",")[0].rpartition("/")[2]
    if judge != published.metrics["judge"]:
        yield f"judged by {judge}, the paper by {published.metrics['judge']}"
    if " full " in metrics.get("dino", ""):
        yield "DINO sees the whole frame, the paper's its middle"


def size(tasks: int, actions: int) -> str:
    """Say how much there is."""
    return f"{tasks} tasks with {actions} actions"


def _one_protocol(runs: Sequence[StoredRun]) -> Protocol:
    scored = [run for run in runs if run.has_scores] or runs[:1]
    first = scored[0]
    for run in scored[1:]:
        found = list(differences(first.summary.protocol, run.summary.protocol))
        if found:
            message = (
                f"{first.name!r} and {run.name!r} were scored in two ways:"
                f" {'; '.join(found)}. One table holds one protocol and one version of"
                " each metric: show each run by itself."
            )
            raise UsageError(message)
    return first.summary.protocol


def _measured(run: StoredRun, rows: Sequence[Row] | None = None) -> Iterator[Standing]:
    """Give the standing of each model of a run, over all its rows or over these."""
    summary = summarize(run.summary.tasks if rows is None else rows, _ANY)
    for model, means in summary.models.items():
        own = [row for row in summary.tasks if row.model == model]
        actions = {row.task: row.steps_total for row in own}
        yield Standing(
            model=model,
            run=run.name,
            scored=len({row.task for row in own if row.ifs is not None}),
            due=len(actions),
            actions=sum(actions.values()),
            ifs=_per_cent(means.ifs),
            vfs=_per_cent(means.vfs),
            final=_per_cent(means.final),
            unjudged=sum(row.assertions.unjudged for row in own),
        )


_ANY = Protocol(id="", metrics={})
"""For sums whose protocol is known otherwise."""


def _printed(published: Published) -> Iterator[Standing]:
    for row in published.rows:
        yield Standing(
            run=None,
            scored=published.tasks,
            due=published.tasks,
            actions=published.actions,
            **row.model_dump(),
        )


def _per_cent(value: float | None) -> float | None:
    return None if value is None else round(value * 100, 2)


def _groups(runs: Sequence[StoredRun], axis: Axis) -> Iterator[Group]:
    names = {getattr(row, axis) for run in runs for row in run.summary.tasks}
    for name in sorted(names, key=lambda name: (name is None, name or "")):
        standings = [
            standing
            for run in runs
            for standing in _measured(
                run, [row for row in run.summary.tasks if getattr(row, axis) == name]
            )
        ]
        yield Group(axis, name, _placed(standings))


def _placed(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """Sort by Final, then IFS, and number those that can be compared."""
    places = count(1)
    return tuple(
        replace(one, place=next(places))
        if one.is_comparable and one.final is not None
        else one
        for one in sorted(standings, key=_order)
    )


def _order(one: Standing) -> tuple[float, float, str, str]:
    final, ifs = (-1.0 if value is None else value for value in (one.final, one.ifs))
    return -final, -ifs, one.model, one.run or ""

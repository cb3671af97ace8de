"""What a reader must know about a leaderboard, in sentences."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from pytest_iwr.records import Weights
from pytest_iwr.report.leaderboard.runs import StoredRun
from pytest_iwr.report.leaderboard.standings import Leaderboard, size
from pytest_iwr.report.words import one_line

UNJUDGED = "*"
"""Marks an IFS of which nobody judged some assertions."""
APART = "†"
"""Marks rows that cannot be compared with the published ones."""


def notes(board: Leaderboard) -> Iterator[str]:
    """Give where the numbers come from, and what they cannot be taken for."""
    yield from _origins(board)
    yield from _tasks(board)
    if any(one.unjudged for one in board.standings):
        yield f"{UNJUDGED} has assertions that nobody judged: the IFS may be lower."
    if board.groups and board.has_published:
        yield "The paper's figures by level, domain and device are not shipped."


def _origins(board: Leaderboard) -> Iterator[str]:
    theirs = board.published
    formula = _formula(theirs.weights)
    if board.has_published:
        yield (
            f"published: {theirs.source}, {size(theirs.tasks, theirs.actions)};"
            f" {_listed(theirs.metrics)}."
        )
    names = ", ".join(one_line(run.name) for run in board.runs)
    yield (
        f"measured: {names}; protocol {board.protocol.id},"
        f" {_formula(board.protocol.weights)}; {_listed(board.protocol.metrics)}."
    )
    if not board.has_published:
        yield (
            f"The published rows ({theirs.source}) are of the protocol"
            f" {theirs.protocol!r}, {formula}, and are not shown: numbers of two"
            f" protocols cannot be compared. Evaluate the tasks under"
            f" {theirs.protocol!r} to see them side by side."
        )


def _tasks(board: Leaderboard) -> Iterator[str]:
    apart: dict[str, list[str]] = {}
    for one in board.standings:
        for why in one.apart:
            apart.setdefault(why, []).append(one_line(one.model))
    for why, models in apart.items():
        yield (
            f"{APART} {', '.join(dict.fromkeys(models))}: {one_line(why)}: not"
            " comparable with the published rows."
        )
    if board.has_published:
        untried = [run.name for run in board.runs if not _is_tried(run)]
        if untried:
            yield (
                f"{', '.join(map(one_line, untried))}: the judge was not tried on pairs"
                " of known answer."
            )
    if any(one.scored < one.due for one in board.standings):
        yield "tasks 3/4: of 4 tasks 3 were scored; the others are in no mean."
    sets = [{row.task for row in run.summary.tasks} for run in board.runs]
    if any(one != other for one, other in pairwise(sets)):
        counts = (
            f"{one_line(run.name)} {len(s)}"
            for run, s in zip(board.runs, sets, strict=True)
        )
        common = len(set.intersection(*sets))
        yield (
            f"The runs are over different tasks ({', '.join(counts)}, {common} in"
            " common): do not compare one run's rows with another's."
        )


def _is_tried(run: StoredRun) -> bool:
    tripwire = run.summary.tripwire
    return tripwire is not None and tripwire.state in {"held", "tripped"}


def _formula(weights: Weights) -> str:
    return f"Final = {weights.ifs:g}·IFS + {weights.vfs:g}·VFS"


def _listed(metrics: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {version}" for name, version in metrics.items())

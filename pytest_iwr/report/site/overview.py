"""The overview of a run: the verdict, the models, what broke first, all evaluations."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, pstdev, quantiles
from typing import NamedTuple

from pytest_iwr import records as r
from pytest_iwr.report.site.evidence import Evidence, Item
from pytest_iwr.report.site.wording import STATUSES, count, kind_words, number
from pytest_iwr.report.words import first_break, one_line, why

_SCORES = (("ifs", "IFS"), ("vfs", "VFS"), ("final", "Final"))
_BREAKS = 8
"""Kinds of first breaks that are listed."""
_EXAMPLES = 4
"""First breaks that are shown with pictures above the table."""


class Spread(NamedTuple):
    """A number of a model, and how it varies."""

    name: str
    mean: float | None
    deviation: float | None
    """Standard deviation over the tasks."""
    five: tuple[float, ...]
    """Least, lower quartile, median, upper quartile, most; empty without values."""
    epochs: tuple[float, ...]
    """The mean of each epoch, where there are several."""


class Cost(NamedTuple):
    """What asking one model for one purpose took in the whole run."""

    purpose: str
    model: str
    questions: int
    hits: int
    """Answered from the cache."""
    tokens_in: int
    tokens_out: int
    known_usd: float
    unknown: int
    """Questions that were asked and whose cost nobody knows."""


class ModelCard(NamedTuple):
    """A model and its numbers."""

    name: str
    row: r.ModelRow
    passed: int
    failed: int
    scores: tuple[Spread, ...]
    cost_usd: float | None
    """What asking it has cost; `None`: nobody knows, or it was not asked."""
    questions: int
    breaks: tuple[tuple[str, int], ...]
    """Kinds of what broke first, the most frequent first."""


def verdict(summary: r.Summary) -> str:
    """Say in a sentence or two what came of a run."""
    statuses = Counter(row.status for row in summary.tasks)
    scored = statuses["passed"] + statuses["failed"]
    parts = []
    if scored and not statuses["failed"]:
        parts.append(f"All {count(scored, 'scored evaluation')} passed.")
    elif scored:
        kinds = Counter(row.kind for row in summary.tasks if row.status == "failed")
        kind, often = kinds.most_common(1)[0]
        parts.append(
            f"{statuses['failed']} of {count(scored, 'scored evaluation')} failed, "
            f"most often by “{kind_words(kind)}” ({often})."
        )
    finals = {n: m.final for n, m in summary.models.items() if m.final is not None}
    if len(finals) > 1:
        best = max(finals, key=lambda name: finals[name])
        parts.append(f"{one_line(best)} is best, with Final {number(finals[best])}.")
    elif finals:
        name, final = next(iter(finals.items()))
        parts.append(f"{one_line(name)} has Final {number(final)}.")
    tripwire = summary.tripwire
    if tripwire is not None and tripwire.is_inconclusive:
        parts.append("The judge cannot be relied on: see the judge's trial.")
    if statuses["error"]:
        parts.append(f"{statuses['error']} could not be scored.")
    if statuses["not_run"]:
        parts.append(f"{statuses['not_run']} were not run.")
    return " ".join(parts) or "Nothing was evaluated."


def model_cards(evidence: Evidence) -> list[ModelCard]:
    """Give the models, the best first."""
    cards = []
    for name, model in evidence.summary.models.items():
        rows = [row for row in evidence.summary.tasks if row.model == name]
        asked = [one for one in evidence.ledger if one.alias == name]
        costs = [one.cost_usd for one in asked if not one.is_hit]
        known = [cost for cost in costs if cost is not None]
        kinds = Counter(row.kind or "" for row in rows if row.status == "failed")
        cards.append(
            ModelCard(
                name=name,
                row=model,
                passed=sum(row.status == "passed" for row in rows),
                failed=sum(row.status == "failed" for row in rows),
                scores=tuple(
                    _spread(rows, field, title, getattr(model, field))
                    for field, title in _SCORES
                ),
                cost_usd=sum(known) if asked and len(known) == len(costs) else None,
                questions=len(asked),
                breaks=tuple(kinds.most_common(_BREAKS)),
            )
        )
    return sorted(cards, key=lambda card: (-(card.row.final or 0.0), card.name))


def costs(ledger: Iterable[r.Asked]) -> list[Cost]:
    """Sum up what asking has cost, by purpose and model."""
    groups: dict[tuple[str, str], list[r.Asked]] = defaultdict(list)
    for asked in ledger:
        groups[asked.purpose, asked.alias].append(asked)
    return [
        Cost(
            purpose,
            model,
            len(group),
            sum(one.is_hit for one in group),
            sum(one.usage.input or 0 for one in group if not one.is_hit),
            sum(one.usage.output or 0 for one in group if not one.is_hit),
            sum(one.cost_usd or 0.0 for one in group if not one.is_hit),
            sum(one.cost_usd is None for one in group if not one.is_hit),
        )
        for (purpose, model), group in sorted(groups.items())
    ]


def _spread(
    rows: Sequence[r.Row], field: str, title: str, mean: float | None
) -> Spread:
    values = [v for row in rows if (v := getattr(row, field)) is not None]
    epochs: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if (value := getattr(row, field)) is not None:
            epochs[row.epoch].append(value)
    means = tuple(fmean(epochs[epoch]) for epoch in sorted(epochs))
    return Spread(
        name=title,
        mean=mean,
        deviation=pstdev(values) if len(values) > 1 else None,
        five=_five(values),
        epochs=means if len(means) > 1 else (),
    )


def _five(values: Sequence[float]) -> tuple[float, ...]:
    if not values:
        return ()
    if len(values) == 1:
        return (values[0],) * 5
    return (min(values), *quantiles(values, method="inclusive"), max(values))


def first_breaks(summary: r.Summary) -> list[tuple[str, str, dict[str, int]]]:
    """Give each kind of first break in words, with how often each model has it."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in summary.tasks:
        if row.kind is not None:
            table[row.kind][row.model] += 1
    kinds = sorted(table, key=lambda kind: (-table[kind].total(), kind))
    return [(kind, kind_words(kind), dict(table[kind])) for kind in kinds]


def examples(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Choose rows of what broke, as `table_row` gives them: each kind before a second.

    The most frequent kinds come first; rows without pictures are left out.
    """
    failed = [
        r for r in rows if r["status"] == "failed" and r["href"] and r["pictures"]
    ]
    often = Counter(str(row["kind"]) for row in failed)
    turns: Counter[str] = Counter()
    ranked = []
    for place, row in enumerate(failed):
        kind = str(row["kind"])
        ranked.append((turns[kind], -often[kind], place))
        turns[kind] += 1
    return [failed[place] for *_, place in sorted(ranked)[:_EXAMPLES]]


def table_row(row: r.Row, item: Item | None) -> dict[str, object]:
    """Give what the table shows of an evaluation; the page's script reads it."""
    place, reason = first_break(row)
    result = row if isinstance(row, r.Result) else None
    return {
        "task": row.task,
        "title": (item.task.title or "") if item and item.task else "",
        "model": row.model,
        "epoch": row.epoch,
        "status": row.status,
        "statusWords": STATUSES[row.status],
        "kind": row.kind or "",
        "kindWords": kind_words(row.kind),
        "place": place,
        "reason": reason,
        "why": why(result.cause, reason) if result else "",
        "ifs": row.ifs,
        "vfs": row.vfs,
        "final": row.final,
        "done": row.steps_done,
        "total": row.steps_total,
        "unjudged": row.assertions.unjudged,
        "seconds": round(result.duration_s, 1) if result else None,
        "level": row.level or "",
        "domain": row.domain or "",
        "device": row.device or "",
        "href": f"{result.folder}/index.html" if result else "",
        "pictures": broken_pictures(item) if item else [],
    }


def broken_pictures(item: Item, *, is_small: bool = True) -> list[str]:
    """Give the pictures of what broke, else the last one: reference, page.

    Files relative to the run's folder; `is_small`: the thumbnails.
    """
    result, trace = item.result, item.trace
    broken = result.failed_step if result.failed_step is not None else None
    if broken is None:
        broken = result.failed_checkpoint
    steps = trace.steps if trace else ()
    shots = [s for s in steps if s.shot and (broken is None or s.number == broken)]
    if not shots:
        return []
    step = shots[-1]
    reference = item.task.references.get(step.number) if item.task else None
    shot = item.kept.pictures.get(step.shot or "")
    found = ((item.kept.task, reference), (result.folder, shot))
    return [
        f"{folder}/{shown.small if is_small else shown.full}"
        for folder, shown in found
        if shown
    ]


def totals(rows: Iterable[r.Row]) -> dict[str, int]:
    """Count the rows by status."""
    counts = Counter(row.status for row in rows)
    return {status: counts[status] for status in STATUSES}  # type: ignore[index]  # the same names

"""Prose assertions of the steps done: put to a judge, and counted by step."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder
from pytest_iwr.errors import JudgeError

_LONGEST = 300
"""Characters of a judge's reason in a verdict."""


@dataclass(frozen=True)
class _Due:
    """An assertion to be judged."""

    step: int
    number: int
    """Among those of its step, from 1."""
    claim: str
    before: str | None
    after: str


def judge_steps(
    task: r.Task,
    trace: r.Trace,
    folder: ItemFolder,
    live: tuple[r.Verdict, ...],
    judge: ports.Judge,
) -> tuple[r.Verdict, ...]:
    """Give the verdicts up to the first step that fails, by itself or by an assertion.

    `live` is what the drive has decided. Each assertion of the steps that it passed is
    asked, whatever comes of the others, so that the same trace always costs the same.
    Raises JudgeError, EndpointError or BudgetError.
    """
    due = list(_due(trace))

    def decide(one: _Due) -> r.Judgement:
        name = f"assertion-{one.number}"
        with keeping(folder, one.step, name):
            judgement = judge.decide(
                one.claim,
                None if one.before is None else folder.path / one.before,
                folder.path / one.after,
                label=f"{task.id}: step {one.step}: {one.claim}",
            )
        return keep(folder, one.step, name, judgement)

    with ThreadPoolExecutor(judge.at_once) as pool:
        judged = list(zip(due, pool.map(decide, due), strict=True))
    verdicts: list[r.Verdict] = []
    for verdict in live:
        mine = tuple(made for one, made in judged if one.step == verdict.step)
        verdicts.append(_with(verdict, mine))
        if not verdicts[-1].passed:
            break
    return tuple(verdicts)


@contextmanager
def keeping(folder: ItemFolder, step: int, name: str) -> Iterator[None]:
    """Keep what a judge said where it cannot be read, and let the error pass."""
    try:
        yield
    except JudgeError as error:
        keep(folder, step, name, error.judgement)
        raise


def keep(
    folder: ItemFolder, step: int, name: str, judgement: r.Judgement
) -> r.Judgement:
    """Write a judgement as evidence, and give what the result holds of it."""
    path = folder.judgement(step, name)
    told = judgement.model_copy(update={"evidence": path.name})
    path.write_text(told.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return told.brief()


def _due(trace: r.Trace) -> Iterator[_Due]:
    for before, after in pairwise(trace.steps):
        if after.failure is not None:
            break
        prose = [outcome.asked for outcome in after.outcomes if outcome.holds is None]
        for number, claim in enumerate(prose, 1):
            if after.shot is None:
                raise AssertionError(after.number)
            yield _Due(after.number, number, claim, before.shot, after.shot)


def _with(verdict: r.Verdict, judged: tuple[r.Judgement, ...]) -> r.Verdict:
    """Add what a judge has decided to a verdict."""
    if not judged:
        return verdict
    told: dict[str, object] = {"judged": judged, "unjudged": 0}
    false = next((one for one in judged if not one.verdict), None)
    if false is not None:
        told |= {"passed": False, "kind": "assertion", "reason": _reason(false)}
    return verdict.model_copy(update=told)


def _reason(judgement: r.Judgement) -> str:
    said = next((s.reason for s in judgement.samples if s.verdict is False), "")
    words = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    cut = words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
    return f"the judge denies {judgement.asked!r}" + (f": {cut}" if cut else "")

"""The tripwire: labelled pairs of pictures that a judge must decide as people did.

A provider may change a model behind its name. So every run asks these anew.
"""

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import as_file, files
from pathlib import Path

from pydantic import TypeAdapter

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.errors import BudgetError, EndpointError, JudgeError
from pytest_iwr.records import Record

LEVEL = 0.85
"""The share of agreement below which a run is inconclusive: 7 of the 8 pairs agree."""
NOT_RUN = "--iwr-cache=only lets nothing be asked anew"


class Pair(Record):
    """Two pictures and what people say of them."""

    name: str
    first: str
    """The screen before, or the reference."""
    second: str
    """The screen after, or the candidate."""
    claim: str | None = None
    """What is judged of the second; `None`: how alike both are."""
    verdict: bool | None = None
    least: float = 0.0
    """Of a likeness, 0..100."""
    most: float = 100.0
    is_trap: bool = False
    """The second prints an answer of its own: no judge may be wrong about it."""


def pairs() -> tuple[Pair, ...]:
    """Give the labelled pairs that come with the package."""
    text = files(__package__).joinpath("pairs", "pairs.json").read_text("utf-8")
    return TypeAdapter(tuple[Pair, ...]).validate_json(text)


def pull(judge: ports.Judge, evidence: Path | None = None) -> r.Tripwire:
    """Ask about every pair, and count where the judge agrees with people.

    It must agree on all pages that print an answer of their own.
    What it was asked and said goes into a file, `evidence`. A reply that cannot be read
    does not agree; where the endpoint gives none, the reason is told.
    """
    labelled = pairs()
    with (
        as_file(files(__package__).joinpath("pairs")) as folder,
        ThreadPoolExecutor(judge.at_once) as pool,
    ):
        asking = [pool.submit(_ask, judge, folder, pair) for pair in labelled]
        try:
            judged = [asked.result() for asked in asking]
        except (EndpointError, BudgetError) as error:
            return lost(str(error))
    if evidence is not None:
        evidence.write_text(_written(judged, labelled), encoding="utf-8")
    agreed = sum(map(_agrees, labelled, judged))
    fallen = [
        pair.name
        for pair, one in zip(labelled, judged, strict=True)
        if pair.is_trap and not _agrees(pair, one)
    ]
    is_well = agreed >= LEVEL * len(labelled) and not fallen
    names = ", ".join(fallen)
    return r.Tripwire(
        due=len(labelled),
        agreed=agreed,
        level=LEVEL,
        state="held" if is_well else "tripped",
        reason=f"it is wrong about what must hold: {names}" if fallen else "",
    )


def lost(reason: str) -> r.Tripwire:
    """Say that there was no answer, and why."""
    return r.Tripwire(
        due=len(pairs()), agreed=0, level=LEVEL, state="lost", reason=reason
    )


def skipped(reason: str = NOT_RUN) -> r.Tripwire:
    """Say that nothing was asked, by default as the cache alone is allowed."""
    return r.Tripwire(
        due=len(pairs()), agreed=0, level=LEVEL, state="not_run", reason=reason
    )


def _ask(judge: ports.Judge, folder: Path, pair: Pair) -> r.Judgement:
    label = f"tripwire: {pair.name}"
    first, second = folder / pair.first, folder / pair.second
    try:
        if pair.claim is not None:
            return judge.decide(pair.claim, first, second, label=label)
        return judge.rate(first, second, label=label)
    except JudgeError as error:
        return error.judgement


def _agrees(pair: Pair, judged: r.Judgement) -> bool:
    if pair.claim is not None:
        return judged.verdict is not None and judged.verdict is pair.verdict
    return judged.score is not None and pair.least <= judged.score <= pair.most


def _written(judged: Iterable[r.Judgement], labelled: Iterable[Pair]) -> str:
    rows = [
        {
            "pair": pair.model_dump(mode="json"),
            "agrees": _agrees(pair, one),
            "judgement": one.model_dump(mode="json"),
        }
        for pair, one in zip(labelled, judged, strict=True)
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"

"""The scorer of the protocol `iwr-bench`: OCR text, DINO and a judge, by the paper."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.check import differences, text
from pytest_iwr.check.engine import describe
from pytest_iwr.check.judge.questions import ASSERTION, LIKENESS
from pytest_iwr.check.judge.rubric import MOST
from pytest_iwr.check.ocr import Ocr
from pytest_iwr.check.pair import Pair, open_pair
from pytest_iwr.images import Picture

PLACES = 4
"""Decimal places of all numbers."""


class Likeness(Protocol):
    """A metric of two pictures that has a name and a version."""

    @property
    def version(self) -> str:
        """Name whatever its numbers depend on."""
        ...

    def similarity(self, reference: Picture, shot: Picture) -> float:
        """Give how alike two pictures are, 0..1."""
        ...


class PaperScorer:
    """Compares pictures by text, DINO's class tokens and a judge's rubric.

    LFS = (text + DINO) / 2, HFS = the judge's points / 100 (IWR-Bench, arXiv
    2509.24709). Called from several threads, of which one at a time reads and embeds,
    while the others wait for the judge.
    """

    def __init__(
        self,
        judge: ports.Judge,
        dino: Likeness,
        *,
        judged_by: str,
        cache: Path | None,
        threads: int = 1,
    ) -> None:
        """Know judge and metric; `judged_by` is what the protocol calls the judge.

        What was read is kept below `cache`; so many threads read.
        """
        self._judge = judge
        self._dino = dino
        self._judged_by = judged_by
        self._ocr = Ocr(cache, threads)
        self._lock = threading.Lock()

    @cached_property
    def protocol(self) -> r.Protocol:
        """Its identity: metrics, versions and weights."""
        return r.Protocol(
            id="iwr-bench",
            metrics={
                "ocr": describe(),
                "dino": self._dino.version,
                "judge": self._judged_by,
                "judge_questions": f"{ASSERTION}, {LIKENESS}",
            },
        )

    def compare(
        self,
        reference: Path,
        shot: Path,
        *,
        masks: Sequence[r.Box] = (),
        diff: Path | None = None,
    ) -> r.Comparison:
        """Compare two pictures; `masks` in pixels of the shot, blank on both sides.

        Brings both to one scale and writes `diff` as the protocol `offline` does. Where
        the masks leave nothing to compare, every number is 0, and nothing is asked.
        Raises CheckpointError, OcrError, and what the judge raises.
        """
        with self._lock:
            pair = open_pair(reference, shot, masks, diff)
            read, alike = self._low(pair, diff)
        if pair.is_all_ignored:
            return _comparison(pair, 0.0, 0.0, 0.0, None)
        label = "/".join(reference.parts[-3:])
        judged = self._judge.rate(reference, shot, masks=masks, label=label)
        if judged.score is None:
            raise AssertionError(judged)
        return _comparison(pair, read, alike, judged.score / MOST, judged)

    def tell(
        self, reference: Path, shot: Path, *, masks: Sequence[r.Box], diff: Path
    ) -> None:
        """Write what differs to `diff` and beside it; nobody is asked."""
        with self._lock:
            pair = open_pair(reference, shot, masks, diff)
            differences.read_and_tell(self._ocr, pair, diff)

    def _low(self, pair: Pair, diff: Path | None) -> tuple[float, float]:
        """Give the similarity of text, and that of DINO's tokens."""
        if pair.is_all_ignored or pair.is_equal:
            differences.tell(diff, pair)
            # what both metrics give for equal pictures
            return (0.0, 0.0) if pair.is_all_ignored else (1.0, 1.0)
        lines = self._ocr.read(pair.reference), self._ocr.read(pair.shot)
        differences.tell(diff, pair, lines)
        return text.similarity(*lines), self._dino.similarity(pair.reference, pair.shot)


def _comparison(
    pair: Pair, read: float, alike: float, high: float, judged: r.Judgement | None
) -> r.Comparison:
    """Weigh the rounded metrics, so that a reader can check the sums."""
    read, alike, high = (round(value, PLACES) for value in (read, alike, high))
    low = round((read + alike) / 2, PLACES)
    return r.Comparison(
        text=read,
        dino=alike,
        lfs=low,
        hfs=high,
        similarity=round((low + high) / 2, PLACES),
        is_same_size=pair.is_same_size,
        judged=judged,
    )

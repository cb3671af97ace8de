"""The scorer of the protocol `offline`: no key, no network, no model to download."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pytest_iwr import records as r
from pytest_iwr.check import blocks, differences, structure, text
from pytest_iwr.check.engine import describe
from pytest_iwr.check.ocr import Ocr
from pytest_iwr.check.pair import open_pair

MIN_SIMILARITY = 0.55
"""The default of `iwr_min_similarity`. Measured on four real sites (docs/scoring.md):
faithful rebuilds have 0.89 and more, pages of another site at most 0.16, unstyled pages
at most 0.53, and of 187 pictures with a plain fault one has less than 0.55."""
PLACES = 4
"""Decimal places of all numbers."""


class OfflineScorer:
    """Compares pictures by text, structure and blocks of text."""

    def __init__(self, cache: Path | None, threads: int = 1) -> None:
        """Keep what was read below `cache`; use so many threads for reading."""
        self._ocr = Ocr(cache, threads)

    @cached_property
    def protocol(self) -> r.Protocol:
        """Its identity: metrics, versions and weights."""
        return r.Protocol(
            id="offline",
            metrics={
                "ocr": describe(),
                "structure": structure.VERSION,
                "hfs": blocks.VERSION,
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

        A shot of twice the reference's size (both sides) is reduced to it, and the
        other way round. Writes a picture of the differences to `diff`, and beside it,
        with the suffix `.json`, the `Differences`. Raises CheckpointError and
        OcrError. Where the masks leave nothing to compare, every
        number is 0: nothing was shown to be alike.
        """
        pair = open_pair(reference, shot, masks, diff)
        is_same_size = pair.is_same_size
        if pair.is_all_ignored:
            differences.tell(diff, pair)
            return _comparison(0.0, 0.0, 0.0, is_same_size=is_same_size)
        if pair.is_equal:  # what the metrics give for equal pictures
            differences.tell(diff, pair)
            return _comparison(1.0, 1.0, 1.0, is_same_size=True)
        ours, theirs = pair.reference, pair.shot
        layout = structure.similarity(ours, theirs, pair.ignored)
        lines = self._ocr.read(ours), self._ocr.read(theirs)
        differences.tell(diff, pair, lines)
        agreement = blocks.similarity(*lines, ours.shape[1])
        return _comparison(
            text.similarity(*lines),
            layout,
            layout if agreement is None else agreement,
            is_same_size=is_same_size,
        )

    def tell(
        self, reference: Path, shot: Path, *, masks: Sequence[r.Box], diff: Path
    ) -> None:
        """Write what differs to `diff` and beside it, as `compare` does."""
        pair = open_pair(reference, shot, masks, diff)
        differences.read_and_tell(self._ocr, pair, diff)


def _comparison(
    read: float, layout: float, high: float, *, is_same_size: bool
) -> r.Comparison:
    """Weigh the rounded metrics, so that a reader can check the sums."""
    read, layout, high = (round(value, PLACES) for value in (read, layout, high))
    low = round((read + layout) / 2, PLACES)
    return r.Comparison(
        text=read,
        structure=layout,
        lfs=low,
        hfs=high,
        similarity=round((low + high) / 2, PLACES),
        is_same_size=is_same_size,
    )

"""Text similarity: how much of what can be read is the same."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from pytest_iwr.check.ocr import Line


def similarity(reference: Iterable[Line], shot: Iterable[Line]) -> float:
    """Give 1 − Levenshtein distance / longer length of all text, lower-cased.

    The lines are joined by blanks, in reading order. Two pictures without any text
    are alike (1.0): that is what a recognition that works saw on both.
    """
    one, two = (" ".join(line.text for line in lines) for lines in (reference, shot))
    return float(Levenshtein.normalized_similarity(one.lower(), two.lower()))


def alike_pairs(
    ones: Sequence[str], twos: Sequence[str]
) -> Iterator[tuple[int, int, float]]:
    """Give the same number for each two texts that have anything in common."""
    if ones and twos:
        lower = [one.lower() for one in ones], [two.lower() for two in twos]
        scorer = Levenshtein.normalized_similarity
        table = cdist(*lower, scorer=scorer, dtype=np.float64)
        for i, j in zip(*np.nonzero(table), strict=True):
            yield int(i), int(j), float(table[i, j])

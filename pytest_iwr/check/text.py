"""Text similarity: how much of what can be read is the same."""

from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein

from pytest_iwr.check.ocr import Line


def similarity(reference: Iterable[Line], shot: Iterable[Line]) -> float:
    """Give 1 − Levenshtein distance / longer length of all text, lower-cased.

    The lines are joined by blanks, in reading order. Two pictures without any text
    are alike (1.0): that is what a recognition that works saw on both.
    """
    one, two = (" ".join(line.text for line in lines) for lines in (reference, shot))
    return alike(one, two)


def alike(one: str, two: str) -> float:
    """Give 1 − Levenshtein distance / longer length, lower-cased, 0..1."""
    return float(Levenshtein.normalized_similarity(one.lower(), two.lower()))

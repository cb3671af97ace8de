"""Reads the text of a picture: lines with place, colours and confidence, offline."""

import hashlib
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

import cv2
import numpy as np
from numpy.typing import NDArray

from pytest_iwr.check.bands import split
from pytest_iwr.check.engine import RECIPE, Engine, describe
from pytest_iwr.check.readings import Entry, Reading, Readings, Rect, digest
from pytest_iwr.images import Picture

LEAST_CONFIDENCE = 0.7
"""Lines that are read with less are left out: mostly stars and icons, which one pixel
makes into something else. Words are found as well as with rapidocr's 0.5."""
_INK = 0.6
"""Pixels at this part of the largest distance from the ground are ink."""

Colour = tuple[float, float, float]
"""Lab: lightness 0..100 and two axes of about -100..100."""


class Line(NamedTuple):
    """A line of text."""

    text: str
    rect: Rect
    confidence: float
    """0..1."""
    ink: Colour
    ground: Colour


class Ocr:
    """Reads pictures; the models are loaded with the first one not read before."""

    def __init__(self, cache: Path | None, threads: int) -> None:
        """Keep readings below `cache` (`None`: in memory only)."""
        self._threads = threads
        self._readings = Readings(cache / "ocr" / _edition() if cache else None)

    @cached_property
    def _engine(self) -> Engine:
        return Engine(self._threads)

    def read(self, picture: Picture) -> tuple[Line, ...]:
        """Give the lines in reading order. Raises OcrError, never guesses.

        The same pixels give the same lines, whether they were read before or not.
        """
        name = digest(picture)
        before = self._readings.recall(name)
        entry = Entry()
        found: list[tuple[Rect, Reading]] = []
        for band in split(picture):
            part = band.of(picture)
            for place in self._find(part, entry):
                reading = self._read(place.of(part), entry)
                if _is_text(reading):
                    found.append((_moved(place, band), reading))
        if entry != before:
            self._readings.keep(name, entry)
        return in_reading_order(_lines(picture, found))

    def _find(self, band: Picture, entry: Entry) -> tuple[Rect, ...]:
        name, known = digest(band), self._readings.bands
        if name not in known:
            known[name] = self._engine.find(band)
        entry.bands[name] = known[name]
        return known[name]

    def _read(self, line: Picture, entry: Entry) -> Reading:
        name, known = digest(line), self._readings.lines
        if name not in known:
            known[name] = self._engine.read(line)
        entry.lines[name] = known[name]
        return known[name]


def in_reading_order(lines: list[Line]) -> tuple[Line, ...]:
    """Sort rows from top to bottom and the lines of a row from left to right.

    A line belongs to a row when its middle lies within the row's first line.
    """
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: (_middle(one.rect), one.rect)):
        first = rows[-1][0].rect if rows else None
        if first is not None and first.top <= _middle(line.rect) <= first.bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return tuple(line for row in rows for line in sorted(row, key=lambda one: one.rect))


def _is_text(reading: Reading) -> bool:
    """Tell text from boxes, ticks and stars that are pictures on a page."""
    has_text = any(category(sign) not in {"So", "Zs"} for sign in reading.text)
    return has_text and reading.confidence >= LEAST_CONFIDENCE


def _lines(picture: Picture, found: list[tuple[Rect, Reading]]) -> list[Line]:
    lines = []
    for rect, reading in found:
        ink, ground = _colours(rect.of(picture))
        lines.append(Line(reading.text, rect, reading.confidence, ink, ground))
    return lines


def _colours(line: Picture) -> tuple[Colour, Colour]:
    """Give the colours of a line's letters and of what they stand on."""
    scaled = line.astype(np.float32) / 255
    lab = np.asarray(cv2.cvtColor(scaled, cv2.COLOR_BGR2Lab), np.float32)
    rim = np.concatenate((lab[0], lab[-1], lab[:, 0], lab[:, -1]))
    ground = np.median(rim, axis=0)
    distance = np.sqrt(((lab - ground) ** 2).sum(axis=2))
    ink = lab[distance >= _INK * distance.max()].mean(axis=0)
    return _colour(ink), _colour(ground)


def _colour(lab: NDArray[np.float32]) -> Colour:
    lightness, one, two = (round(float(x), 2) for x in lab)
    return lightness, one, two


def _moved(place: Rect, band: Rect) -> Rect:
    return Rect(
        place.left + band.left,
        place.top + band.top,
        place.right + band.left,
        place.bottom + band.top,
    )


def _middle(rect: Rect) -> float:
    return (rect.top + rect.bottom) / 2


def _edition() -> str:
    """Name everything that readings depend on besides the pixels."""
    parts = (describe(), version("onnxruntime"), RECIPE)
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]

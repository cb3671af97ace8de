"""What was read before, by content: in memory, and on disk across runs and models."""

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from pytest_iwr import records as r
from pytest_iwr.images import Picture

MOST = 20_000
"""Entries of each kind in memory; beyond that it starts afresh."""


class Rect(NamedTuple):
    """A rectangle of whole pixels."""

    left: int
    top: int
    right: int
    bottom: int

    def of(self, picture: Picture) -> Picture:
        """Cut the rectangle out of a picture."""
        return picture[self.top : self.bottom, self.left : self.right]

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return self.bottom - self.top


class Reading(NamedTuple):
    """What the text recognition took one line for."""

    text: str
    confidence: float
    """0..1."""


class Entry(r.Record):
    """All that was found out about one picture, by digests of its parts."""

    bands: dict[str, tuple[Rect, ...]] = Field(default_factory=dict)
    """Where the lines of a band are, relative to it."""
    lines: dict[str, Reading] = Field(default_factory=dict)


def digest(picture: Picture) -> str:
    """Give a name that only pictures with the same size and pixels share."""
    hashed = hashlib.blake2b(str(picture.shape).encode(), digest_size=16)
    hashed.update(picture.tobytes())
    return hashed.hexdigest()


@dataclass
class Readings:
    """Remembers readings; a file that is missing or damaged is a reading to be made."""

    folder: Path | None
    """Where one file a picture is kept; `None`: in memory only."""
    bands: dict[str, tuple[Rect, ...]] = field(default_factory=dict)
    lines: dict[str, Reading] = field(default_factory=dict)

    def recall(self, picture: str) -> Entry:
        """Give what is on disk about a picture, and know it from now on."""
        if max(len(self.bands), len(self.lines)) > MOST:
            self.bands.clear()
            self.lines.clear()
        entry = self._load(picture)
        self.bands |= entry.bands
        self.lines |= entry.lines
        return entry

    def keep(self, picture: str, entry: Entry) -> None:
        """Write what was found out; a folder that cannot be written costs time only."""
        if self.folder is None:
            return
        path = self._path(self.folder, picture)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, unfinished = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(entry.model_dump_json())
            Path(unfinished).replace(path)

    def _load(self, picture: str) -> Entry:
        if self.folder is not None:
            with suppress(OSError, ValidationError):
                data = self._path(self.folder, picture).read_bytes()
                return Entry.model_validate_json(data)
        return Entry()

    @staticmethod
    def _path(folder: Path, picture: str) -> Path:
        return folder / picture[:2] / f"{picture[2:]}.json"

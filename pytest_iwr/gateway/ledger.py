"""The ledger: a file with one JSON line for each question that was settled."""

import json
import logging
import os
from pathlib import Path

from pydantic import ValidationError

from pytest_iwr.records import Asked

_LOGGER = logging.getLogger(__name__)


class Ledger:
    """Appends lines; each is one write, so that processes may share the file."""

    def __init__(self, path: Path) -> None:
        """Open or make the file; raises OSError."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")  # a write was cut off: its line ends here

    def add(self, asked: Asked, *, is_synced: bool = True) -> None:
        """Append a line; `is_synced`: it is on the disk when this returns."""
        os.write(self._file, (line(asked) + "\n").encode("ascii"))
        if is_synced:
            os.fsync(self._file)

    def holds(self, asked: Asked) -> bool:
        """Tell whether the very same line is in the file."""
        wanted = line(asked).encode("ascii")
        with self.path.open("rb") as lines:
            return any(read.rstrip(b"\n") == wanted for read in lines)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def line(asked: Asked) -> str:
    """Give the JSON of a record on one line, in ASCII."""
    return json.dumps(asked.model_dump(mode="json"), separators=(",", ":"))


def read_ledger(path: Path) -> tuple[Asked, ...]:
    """Give the records of a ledger, in the order in which they were settled.

    A line that cannot be read, as a killed run may leave it, is left out and logged as
    a warning. Raises OSError.
    """
    read = []
    with path.open("rb") as lines:
        for number, text in enumerate(lines, 1):
            if not text.strip():
                continue
            try:
                read.append(Asked.model_validate_json(text))
            except ValidationError:
                _LOGGER.warning(
                    "%s:%d: the line cannot be read, and is left out. Nothing is to "
                    "be done where a run was killed.",
                    path,
                    number,
                )
    return tuple(read)

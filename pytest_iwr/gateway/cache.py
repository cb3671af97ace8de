"""The cache: one file for each answer, found by the key of its question.

An answer becomes visible in three steps, each on the disk before the next: the entry is
staged, its line is in the ledger, the entry is published. A run that is killed between
them leaves the entry staged, and the next run takes the missing steps. So an answer
that was staged is neither asked for again nor missing in the ledger.
"""

import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from pytest_iwr.gateway.question import canonical
from pytest_iwr.records import Asked

_VERSION = 1
_ENTRY = TypeAdapter(dict[str, JsonValue])


class CorruptEntryError(Exception):
    """A file of the cache that does not hold what was written."""


@dataclass(frozen=True)
class Entry:
    """An answer, and what it has cost."""

    body: bytes
    """The endpoint's JSON, byte for byte."""
    asked: Asked


class Cache:
    """A folder of answers, shared by runs, also by several at a time."""

    def __init__(self, folder: Path) -> None:
        """Know the folder; nothing is written before `open`."""
        self._folder = folder
        self._staged = folder / "staged"
        self._mine = self._staged / secrets.token_hex(8)
        self._lock: int | None = None

    def path(self, key: str) -> Path:
        """Give the file of a key, whether it is there or not."""
        return self._folder / key[:2] / f"{key}.json"

    def read(self, key: str) -> Entry | None:
        """Give the answer of a key, or `None`.

        Raises CorruptEntryError for a file that is not as it was written.
        """
        path = self.path(key)
        try:
            return _parsed(path.read_bytes(), key)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CorruptEntryError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            what = str(error) if type(error) is ValueError else "its JSON is damaged"
            raise CorruptEntryError(f"{path}: {what}") from error

    def open(self, ledger: Path) -> None:
        """Begin to write; `ledger` is where this run's lines go. Raises OSError."""
        self._staged.mkdir(parents=True, exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
        made = self._folder / f"{self._mine.name}.new"
        made.mkdir()
        self._lock = os.open(made / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # ends with the process, however it ends
        os.write(self._lock, str(ledger.absolute()).encode())
        made.rename(self._mine)  # locked already: no other run takes it for left

    def close(self) -> None:
        """End writing; what is still staged waits for the next run."""
        if self._lock is None:
            return
        if not list(self._mine.glob("*.json")):
            shutil.rmtree(self._mine, ignore_errors=True)
        os.close(self._lock)
        self._lock = None

    def stage(self, entry: Entry, summary: Mapping[str, JsonValue]) -> Path:
        """Write an answer where no one finds it yet; raises OSError."""
        path = self._mine / f"{entry.asked.key}.json"
        with path.open("wb") as file:
            file.write(_written(entry, summary))
            file.flush()
            os.fsync(file.fileno())
        _sync(self._mine)
        return path

    def publish(self, staged: Path) -> None:
        """Put a staged answer in its place, over an older one; raises OSError."""
        place = self.path(staged.stem)
        place.parent.mkdir(exist_ok=True)
        if place.is_dir():
            shutil.rmtree(place)
        staged.replace(place)
        _sync(place.parent)

    def left(self) -> Iterator[tuple[Path, Asked, Path]]:
        """Give what runs that are gone have staged: file, record, their ledger.

        A file that was not fully written is deleted. What is not published before the
        next is asked for stays where it is.
        """
        for folder in sorted(self._staged.glob("*/")):
            lock = _taken(folder / "lock")
            if lock is None:
                continue
            try:
                ledger = Path(os.pread(lock, 1 << 16, 0).decode())
                for path in sorted(folder.glob("*.json")):
                    try:
                        asked = _parsed(path.read_bytes(), path.stem).asked
                    except ValueError:
                        path.unlink()
                    else:
                        yield path, asked, ledger
                if not any(folder.glob("*.json")):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _written(entry: Entry, summary: Mapping[str, JsonValue]) -> bytes:
    held: dict[str, JsonValue] = {
        "version": _VERSION,
        "key": entry.asked.key,
        "request": dict(summary),
        "asked": entry.asked.model_dump(mode="json"),
        "body": entry.body.decode("utf-8"),
    }
    return json.dumps({**held, "sha256": _checksum(held)}, indent=1).encode("ascii")


def _parsed(data: bytes, key: str) -> Entry:
    """Raises ValueError, also as its children of json and pydantic."""
    held = _ENTRY.validate_json(data)
    checksum = held.pop("sha256", None)
    if checksum != _checksum(held):
        raise ValueError("its checksum is wrong")
    if held.get("version") != _VERSION or held.get("key") != key:
        raise ValueError("it belongs to another key or version")
    return Entry(str(held["body"]).encode(), Asked.model_validate(held["asked"]))


def _checksum(held: Mapping[str, JsonValue]) -> str:
    return hashlib.sha256(canonical(dict(held))).hexdigest()


def _taken(lock: Path) -> int | None:
    """Open and lock a file, where the process that made it is gone."""
    try:
        file = os.open(lock, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file


def _sync(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)

"""What is kept of answers: the cache and the ledger, in step with each other."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pytest_iwr.gateway.cache import Cache, CorruptEntryError, Entry
from pytest_iwr.gateway.ledger import Ledger
from pytest_iwr.gateway.question import Question
from pytest_iwr.records import Asked

Mode = Literal["auto", "only", "refresh", "off"]
"""`auto`: answers are read and kept. `only`: read, and nothing is asked. `refresh`:
each is asked anew once in a run, and kept. `off`: neither read nor kept, though within
a run the same question has the same answer."""


class Books:
    """Finds and keeps answers, and writes down what each has cost."""

    def __init__(
        self, cache_dir: Path, ledger: Path, mode: Mode, warn: Callable[[str], None]
    ) -> None:
        """Open both, and finish what a killed run has begun; raises OSError."""
        self._mode: Mode = mode
        self._warn = warn
        self._ledger = Ledger(ledger)
        self._cache = None if mode == "off" else Cache(cache_dir)
        self._mine: dict[str, Entry | None] = {}
        self.asked: list[Asked] = []
        """Of this run, in the order in which they were settled."""
        if self._cache is not None:
            self._finish_left(self._cache)
            if mode != "only":
                self._cache.open(ledger)

    def close(self) -> None:
        """Close both."""
        if self._cache is not None:
            self._cache.close()
        self._ledger.close()

    def find(self, key: str) -> Entry | None:
        """Give the answer that counts in this run, or `None`."""
        mine = self._mine.get(key)
        if mine is not None:
            return mine
        if self._cache is None or (self._mode == "refresh" and key not in self._mine):
            return None
        return read_entry(self._cache, key, self._warn)

    async def keep(self, question: Question, entry: Entry) -> None:
        """Keep an answer and write its line; both are on the disk afterwards.

        What cannot be written is warned of, and kept in memory: it is paid for.
        """
        self.asked.append(entry.asked)
        if not await asyncio.to_thread(self._write, question, entry):
            self._mine[question.key] = entry
        else:
            self._mine[question.key] = None

    def note(self, asked: Asked, *, is_synced: bool = True) -> None:
        """Write a line about what is not kept."""
        self.asked.append(asked)
        self._add(asked, is_synced=is_synced)

    def _write(self, question: Question, entry: Entry) -> bool:
        staged = None
        if self._cache is not None:
            try:
                staged = self._cache.stage(entry, question.summary)
            except OSError as error:
                self._warn(f"the answer is not kept: {error}")
        self._add(entry.asked)
        if staged is None or self._cache is None:
            return False
        try:
            self._cache.publish(staged)
        except OSError as error:
            self._warn(f"the answer is not kept for now: {error}")
            return False
        return True

    def _add(self, asked: Asked, *, is_synced: bool = True) -> None:
        try:
            self._ledger.add(asked, is_synced=is_synced)
        except OSError as error:
            self._warn(f"{self._ledger.path}: a line is missing: {error}")

    def _finish_left(self, cache: Cache) -> None:
        for staged, asked, path in cache.left():
            ledger = self._ledger
            if path.is_file() and path != self._ledger.path.absolute():
                ledger = Ledger(path)
            if not ledger.holds(asked):
                ledger.add(asked)
            if ledger is not self._ledger:
                ledger.close()
            try:
                cache.publish(staged)
            except OSError as error:
                self._warn(f"an answer of an earlier run is not kept for now: {error}")


def read_entry(cache: Cache, key: str, warn: Callable[[str], None]) -> Entry | None:
    """Give an entry; one that is corrupt is none, and warned of."""
    try:
        return cache.read(key)
    except CorruptEntryError as error:
        warn(f"{error}. The entry is ignored, and written anew once it is asked for.")
        return None

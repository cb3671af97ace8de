"""What takes long is made once, for all processes that run the tests."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock


class Once(NamedTuple):
    """Makes folders; the first process that asks for one makes it, the others wait."""

    base: Path

    def folder(self, name: str, make: Callable[[Path], None]) -> Path:
        """Give a folder that `make` has filled; to be read only."""
        folder = self.base / name
        done = self.base / f"{name}.done"
        with FileLock(self.base / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder


def of_run(factory: pytest.TempPathFactory, worker: str) -> Once:
    """Give the one of this run of the tests; `worker`: xdist's name of the process."""
    base = factory.getbasetemp()
    return Once(base if worker == "master" else base.parent)

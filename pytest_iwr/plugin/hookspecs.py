"""Hooks of this plugin, to be implemented in `conftest.py` or in a plugin."""

# Only names count here: pluggy matches arguments by name, and nothing is imported
# before it is used.
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_iwr.plugin.run import Run
    from pytest_iwr.ports import Generator
    from pytest_iwr.records import Summary


@pytest.hookspec(firstresult=True)
def pytest_iwr_pages(config: pytest.Config) -> Generator | None:
    """Bring the pages: give an object with `page(task, model, epoch)`.

    It returns a `Site` or, when the model has none, a `NoPage`. If it also has
    `models()`, these names are evaluated when no `--iwr-model` is given. Return
    `None` to leave it to others; the last one serves `--iwr-pages`. Called once in
    each process, before the collection.
    """


@pytest.hookspec
def pytest_iwr_summary(summary: Summary, run: Run, config: pytest.Config) -> None:
    """Get the summary of the run, once, after the last test.

    Called in the one process that sees all results (xdist's controller), only if
    something was due. The bundled one, called first, writes the files of the run.
    """

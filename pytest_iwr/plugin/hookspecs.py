"""Hooks of this plugin, to be implemented in `conftest.py` or in a plugin."""

# Only names count here: pluggy matches arguments by name, and nothing is imported
# before it is used.
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_iwr.generate.request import PageRequest
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


@pytest.hookspec(firstresult=True)
def pytest_iwr_generate(request: PageRequest, config: pytest.Config) -> object:
    """Make a page: give HTML as text or bytes, a zip, or a path of a file or folder.

    `request` holds the task's video, assets, contact sheets and the instructions.
    Called from several threads at a time, only in the process that the user started
    (xdist's controller), for each task, model and epoch that is not in the cache.
    Return `None` where there is no page: that is worth zero. What it raises is an
    error, and the task stays unscored.
    """


@pytest.hookspec
def pytest_iwr_summary(summary: Summary, run: Run, config: pytest.Config) -> None:
    """Get the summary of the run, once, after the last test.

    Called in the one process that sees all results (xdist's controller), only if
    something was due. The bundled one, called first, writes the files of the run.
    """

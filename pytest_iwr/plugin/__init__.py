"""The pytest plugin: hooks here, everything heavy when it is needed.

Imports the standard library and pytest only, so that a plugin which is installed and
unused costs nothing and does nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin import collect, github, hookspecs
from pytest_iwr.plugin.board import Board, Scout
from pytest_iwr.plugin.fixtures import (
    RUN,
    iwr_context_args,
    iwr_epoch,
    iwr_evaluate,
    iwr_model,
    iwr_page,
    iwr_pages,
    iwr_result,
    iwr_run,
    iwr_site,
    iwr_task,
    iwr_tools,
)
from pytest_iwr.plugin.html import HtmlReport, ask_for_report
from pytest_iwr.plugin.judging import Trial
from pytest_iwr.plugin.lost import LostTests
from pytest_iwr.plugin.options import add_options
from pytest_iwr.plugin.plan import PLAN, bundled_pages, make_plan
from pytest_iwr.plugin.run import Run
from pytest_iwr.plugin.site import SiteReport
from pytest_iwr.plugin.transport import Recorder

if TYPE_CHECKING:
    from pytest_iwr.ports import Generator

__all__ = [
    "iwr_context_args",
    "iwr_epoch",
    "iwr_evaluate",
    "iwr_model",
    "iwr_page",
    "iwr_pages",
    "iwr_result",
    "iwr_run",
    "iwr_site",
    "iwr_task",
    "iwr_tools",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Name the options."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Name the hooks that this plugin calls."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Find out what is to be evaluated, and set up who keeps the results."""
    plan = make_plan(config)
    recorder = Recorder()
    run = Run(plan.files, recorder.add)
    config.stash[PLAN] = plan
    config.stash[RUN] = run
    config.pluginmanager.register(recorder, "iwr-recorder")
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Scout(plan), "iwr-scout")
        return
    if plan.options.making.is_dry:
        from pytest_iwr.plugin.dry_run import DryRun  # noqa: PLC0415 - in use only

        config.pluginmanager.register(DryRun(plan), "iwr-dry-run")
    if plan.asking is not None:
        from pytest_iwr.plugin.making import Overseer  # noqa: PLC0415 - in use only

        overseer = Overseer(config, plan.asking, plan.workshop)
        config.pluginmanager.register(overseer, "iwr-overseer")
    board = Board(config, plan, run, Trial(plan) if plan.has_judge else None)
    if plan.is_active:
        # Registered before the board, so called after it: the board knows the rows.
        ask_for_report(config, plan)
        config.pluginmanager.register(HtmlReport(config, plan, board), "iwr-html")
        config.pluginmanager.register(SiteReport(config, plan), "iwr-site")
    config.pluginmanager.register(board, "iwr-board")
    config.pluginmanager.register(LostTests(config, board), "iwr-lost")
    if github.is_there(os.environ) and not plan.is_dry:
        actions = github.GitHubActions(config, plan, board)
        config.pluginmanager.register(actions, "iwr-github")


@pytest.hookimpl(trylast=True)
def pytest_iwr_pages(config: pytest.Config) -> Generator | None:
    """Bring the stored pages of `--iwr-pages`, or those that models make."""
    return bundled_pages(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is evaluated, and with which browser."""
    plan = config.stash[PLAN]
    if not plan.is_active:
        return None
    from pytest_iwr.plugin.header import header  # noqa: PLC0415 - when in use

    return header(plan)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect task files."""
    return collect.collect_file(file_path, parent)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test a model and epoch of whatever asks for `iwr_model`."""
    collect.parametrize(metafunc)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Skip, with the reason, what asks for a model when there is none."""
    collect.skip_without_pages(item)

"""The HTML report, by pytest-html: scores in columns, pictures, and links to more.

All text is escaped here: pytest-html escapes logs only, not ids.
"""

from __future__ import annotations

import base64
import json
import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from pytest_iwr.plugin.board import PHASES, Board
from pytest_iwr.plugin.plan import WORKER_INPUT, Plan
from pytest_iwr.plugin.run import Run

if TYPE_CHECKING:
    from pytest_iwr.records import Result, Row, Summary

_SCORES = ("ifs", "vfs", "final")
_PLACE = 2
"""Where the columns stand: after the result and the test."""


def ask_for_report(config: pytest.Config, plan: Plan) -> None:
    """Let pytest-html write into the run's folder, unless `--html` says where to."""
    if not config.pluginmanager.hasplugin("html"):
        return
    if plan.is_dry or config.option.htmlpath:
        return
    config.option.htmlpath = str(plan.files.report)
    config.option.self_contained_html = True


def is_asked_for(config: pytest.Config) -> bool:
    """Tell whether an HTML report is being made; a worker knows it from its plan."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        return bool(json.loads(worker[WORKER_INPUT])["has_html"])
    return bool(getattr(config.option, "htmlpath", None))


class HtmlReport:
    """Adds scores, pictures and the summary to pytest-html's report."""

    def __init__(self, config: pytest.Config, plan: Plan, board: Board) -> None:
        """Show what the board knows."""
        self._config = config
        self._plan = plan
        self._board = board
        self._illustrated: set[str] = set()

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Name the report after the run."""
        report.title = f"Web pages made by models: run {self._plan.files.path.name}"

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Add the columns of the scores, and one for what broke."""
        cells[_PLACE:_PLACE] = [
            *(
                f'<th class="sortable" data-column-type="{name}">{title}</th>'
                for name, title in zip(_SCORES, ("IFS", "VFS", "Final"), strict=True)
            ),
            "<th>First break</th>",
        ]

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_html_results_table_row(
        self, report: pytest.TestReport, cells: list[str]
    ) -> None:
        """Fill the columns, and write the id as text."""
        if not cells:
            return
        shown = report.nodeid
        if report.when != "call":
            shown += f"::{report.when}"
        cells[1] = f'<td class="col-testId">{escape(shown)}</td>'
        rows = self._board.rows_due(report.nodeid)
        is_one = len({(row.task, row.model, row.epoch) for row in rows}) == 1
        row = rows[-1] if is_one else None
        cells[_PLACE:_PLACE] = _score_cells(row)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Put a test's links and pictures on its report; pytest-html reads it then."""
        if not is_asked_for(self._config):
            return
        if report.when not in PHASES:
            self._tell_loss(report)
        if report.nodeid in self._illustrated or not _is_readable(report.nodeid):
            return
        extras = [
            extra
            for row in self._board.rows_of(report.nodeid)
            for extra in self._extras(row)
        ]
        if extras:
            self._illustrated.add(report.nodeid)
            extras = [*getattr(report, "extras", []), *extras]
            report.extras = extras  # type: ignore[attr-defined]  # pytest-html's

    def _tell_loss(self, report: pytest.TestReport) -> None:
        """Let pytest-html have a row for a lost test, as for one of a wrong set-up."""
        from pytest_html.basereport import BaseReport  # noqa: PLC0415 - may be absent

        loss = pytest.TestReport(
            nodeid=report.nodeid,
            location=report.location,
            keywords={},
            outcome="failed",
            longrepr=report.longrepr,
            when="setup",
        )
        for plugin in self._config.pluginmanager.get_plugins():
            if isinstance(plugin, BaseReport):
                plugin.pytest_runtest_logreport(loss)

    def _extras(self, row: Row) -> list[dict[str, str | None]]:
        from pytest_html import extras  # noqa: PLC0415 - may be absent

        from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed

        if not isinstance(row, Result):
            return []
        from pytest_iwr.report.words import details  # noqa: PLC0415 - when first needed

        folder = self._plan.files.path / row.folder
        address = f"{self._link(self._plan.files.path)}/{details(row)}"
        return [
            extras.url(address, name=escape(f"steps of {row.task}")),
            *(
                extras.jpg(base64.b64encode(path.read_bytes()).decode(), name=name)
                for path, name in _thumbnails(folder, row)
            ),
        ]

    def _link(self, file: Path) -> str:
        """Give the way from the report to a file of the run."""
        report = os.path.expanduser(os.path.expandvars(self._config.option.htmlpath))  # noqa: PTH111 - as pytest-html reads it
        return quote(os.path.relpath(file, Path.cwd() / Path(report).parent))

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Show the tables, with the rows that have no test of their own."""
        summary = self._board.summary
        if summary is not None:
            prefix.append(_summary_html(summary, self._link(self._plan.files.index)))


def illustrate(result: Result, run: Run, config: pytest.Config) -> None:
    """Make the pictures for the report, in the process that has the evidence."""
    if not is_asked_for(config) or result.trace is None:
        return
    from pytest_iwr.plugin.verdict import read_trace  # noqa: PLC0415 - late
    from pytest_iwr.report import thumbnails  # noqa: PLC0415 - heavy

    folder = run.files.path / result.folder
    thumbnails.make(folder, result, read_trace(result, run))


def _thumbnails(folder: Path, result: Result) -> list[tuple[Path, str]]:
    from pytest_iwr.report import thumbnails  # noqa: PLC0415 - when first needed

    return [
        (path, thumbnails.caption(step, result))
        for step, path in thumbnails.made(folder, result)
    ]


def _score_cells(row: Row | None) -> list[str]:
    from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed
    from pytest_iwr.report.words import (  # noqa: PLC0415 - when first needed
        first_break,
        number,
        why,
    )

    values = [getattr(row, name) if row else None for name in _SCORES]
    cells = [
        f'<td class="col-{name}">{number(value) if row else ""}</td>'
        for name, value in zip(_SCORES, values, strict=True)
    ]
    words = escape(": ".join(filter(None, first_break(row)))) if row else ""
    told = why(row.cause, row.reason) if isinstance(row, Result) else ""
    words += f'<br><span class="why">{escape(told)}</span>' if told else ""
    return [*cells, f'<td class="col-break">{words}</td>']


def _is_readable(nodeid: str) -> bool:
    """Tell whether pytest-html can name files after a test; some backslashes end it."""
    try:
        nodeid.encode().decode("unicode_escape")
    except UnicodeDecodeError:
        return False
    return True


def _summary_html(summary: Summary, details: str) -> str:
    from pytest_iwr.report.html import render  # noqa: PLC0415 - when first needed

    return render(summary, details)

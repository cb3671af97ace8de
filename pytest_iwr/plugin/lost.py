"""Ends lost tests for the writers of reports, who wait for each test's teardown."""

from __future__ import annotations

import pytest

from pytest_iwr.plugin.board import PHASES, Board


class LostTests:
    """Ends the tests that worker processes took with them, with their rows."""

    def __init__(self, config: pytest.Config, board: Board) -> None:
        """Know who knows the rows."""
        self._config = config
        self._board = board

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report the teardown that nobody else will."""
        if report.when in PHASES:
            return
        from pytest_iwr.report.junit import properties  # noqa: PLC0415 - if any is lost

        rows = self._board.rows_due(report.nodeid)
        end = pytest.TestReport(
            nodeid=report.nodeid,
            location=report.location,
            keywords={},
            outcome="passed",
            longrepr=None,
            when="teardown",
            user_properties=[pair for row in rows for pair in properties(row)],
        )
        if hasattr(report, "node"):
            end.node = report.node  # type: ignore[attr-defined]  # xdist's
        self._config.hook.pytest_runtest_logreport(report=end)

"""The board: what was due, what came in, and the one summary made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_iwr.plugin.collect import note_dues
from pytest_iwr.plugin.contents import is_task_file
from pytest_iwr.plugin.judging import Trial
from pytest_iwr.plugin.plan import Plan, shown
from pytest_iwr.plugin.run import Run
from pytest_iwr.plugin.transport import (
    Due,
    Selection,
    discard_selections,
    receive_selection,
    select,
    send_selection,
    unpack,
)

if TYPE_CHECKING:
    from pytest_iwr.plugin.desk import Wanted
    from pytest_iwr.records import Protocol, Result, Row, Summary, Tripwire

EXIT_UNSCORED = 20
"""Nothing failed, but something could not be scored."""
EXIT_NO_BROWSER = 21
"""No usable browser, found before any test ran."""

PHASES = {"setup", "call", "teardown"}
"""What tests report of; xdist's report of a lost test is of none of them."""


class Scout:
    """In a worker: tells the controller what is selected."""

    def __init__(self, plan: Plan) -> None:
        """Know the run."""
        self._plan = plan

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Leave the selection where the controller looks for it."""
        note_dues(session.items)
        worker = session.config.workerinput["workerid"]  # type: ignore[attr-defined]  # set by xdist
        send_selection(self._plan.files, worker, select(session.items))


class Board:
    """In the controller, or in the only process: sees all reports."""

    def __init__(
        self, config: pytest.Config, plan: Plan, run: Run, trial: Trial | None = None
    ) -> None:
        """Start with nothing due; `trial` of the judge, where there is one."""
        self._config = config
        self._plan = plan
        self._run = run
        self._trial = trial
        self._dues: dict[str, tuple[Due, ...]] = {}
        self._rows: dict[str, list[Row]] = {}
        self._lost: list[str] = []
        self._locations: dict[str, tuple[str, int | None, str]] = {}
        """Of red tests."""
        self._faults = 0
        """Red tests for faults that are not the page's."""
        self._failures = 0
        """Red tests for all other reasons."""
        self._crashes = 0
        self._broke_off = ""
        """Why pytest itself, or xdist, has ended the run."""
        self._is_cut = False
        """Someone, or a test, wants the run to end at once."""
        self._nodes: list[Any] = []
        self._skipped = 0
        self.summary: Summary | None = None

    def rows_of(self, nodeid: str) -> list[Row]:
        """Give what a test has brought so far."""
        return self._rows.get(nodeid, [])

    def rows(self) -> list[Row]:
        """Give one row for each task, model and epoch, the scored ones first."""
        rows = [row for nodeid in self._dues for row in self.rows_due(nodeid)]
        rows += [row for found in self._rows.values() for row in found]
        best: dict[tuple[str, str, int], Row] = {}
        for row in rows:
            key = (row.task, row.model, row.epoch)
            if key not in best or _worth(row) >= _worth(best[key]):
                best[key] = row
        return [best[key] for key in sorted(best)]

    def rows_due(self, nodeid: str) -> list[Row]:
        """Give what a test owes: what it has brought, else rows without scores."""
        if self._rows.get(nodeid):
            return self._rows[nodeid]
        dues = self._dues.get(nodeid, ())
        if nodeid in self._lost:
            reason = "the worker process that ran it ended without a report"
            return [due.unscored("lost", reason) for due in dues]
        if self._broke_off:
            reason = f"the run broke off: {self._broke_off}"
            return [due.unscored("lost", reason) for due in dues]
        if self._crashes and not self._config.getoption("maxfail"):
            reason = "no worker process was left to run it"
            return [due.unscored("lost", reason) for due in dues]
        return [due.not_run() for due in dues]

    def location_of(self, row: Row) -> tuple[str, int | None] | None:
        """Give where the red test of a row stands: its file and line, from 1."""
        key = (row.task, row.model, row.epoch)
        for nodeid, (file, line, _) in self._locations.items():
            owed = (*self._rows.get(nodeid, ()), *self._dues.get(nodeid, ()))
            if any((due.task, due.model, due.epoch) == key for due in owed):
                return file, None if line is None else line + 1
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn what is due, where this process collects."""
        note_dues(session.items)
        self._take(select(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Let a worker know the run."""
        from pytest_iwr.plugin.plan import WORKER_INPUT  # noqa: PLC0415 - xdist only

        node.workerinput[WORKER_INPUT] = self._plan.for_worker()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Know the workers, to be able to send them home."""
        self._nodes.append(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        """Learn what is due from a worker; all select the same."""
        self._take(receive_selection(self._plan.files, node.gateway.id))

    def pytest_unconfigure(self) -> None:
        """Clear away what workers left that came too late to be listened to."""
        discard_selections(self._plan.files)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object) -> None:
        """Count the workers that did not end by themselves."""
        self._crashes += bool(error)

    def pytest_internalerror(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Note why a run breaks off, e.g. as xdist writes to a dying worker."""
        self._broke_off = excinfo.exconly().partition("\n")[0]

    def pytest_keyboard_interrupt(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Tell Ctrl-C from a run that has seen enough failures, as xdist ends it.

        xdist has a class of its own for that, derived from KeyboardInterrupt.
        """
        self._is_cut = excinfo.type in {KeyboardInterrupt, pytest.exit.Exception}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the results of a test, or its loss."""
        cargo = unpack(report)
        if cargo is not None:
            self._rows.setdefault(report.nodeid, []).extend(cargo.rows)
        is_lost = report.when not in PHASES
        if is_lost:
            self._lost.append(report.nodeid)
        elif report.skipped and report.when == "setup":
            self._dues.pop(report.nodeid, None)
            is_task = is_task_file(report.nodeid.partition("::")[0])
            self._skipped += is_task and not self._plan.is_active
        if report.failed:
            self._locations[report.nodeid] = report.location
            is_ours = cargo is not None and cargo.is_ours
            if is_ours or (is_lost and report.nodeid in self._dues):
                self._faults += 1
            else:
                self._failures += 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Sum up, hand over, and tell the unscored from the failed."""
        if self._faults and not self._failures and session.exitstatus == 1:
            session.exitstatus = EXIT_UNSCORED
        rows = self.rows()
        if not rows or self._plan.is_dry:
            return
        from pytest_iwr.score import summarize  # noqa: PLC0415 - when first needed

        tripwire = self._try_judge(session)
        protocol = self._protocol(rows)
        self.summary = summarize((_plain(row) for row in rows), protocol, tripwire)
        self._config.hook.pytest_iwr_summary(
            summary=self.summary, run=self._run, config=self._config
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_iwr_summary(self, summary: Summary, run: Run) -> None:
        """Write the files of the run."""
        from pytest_iwr.plugin.environment import describe  # noqa: PLC0415 - late
        from pytest_iwr.report import files  # noqa: PLC0415 - when first needed

        _ = run.folder
        rows = self.rows()
        files.write_summary(summary, run.files.summary)
        files.write_markdown(summary, rows, run.files.markdown)
        files.write_results(rows, run.files.results)
        files.write_run(describe(self._config, self._plan, rows), run.files.run)
        run.files.point_latest()

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Show the table, the means, and where the rest is."""
        if self.summary is None:
            self._tell_why_skipped(terminalreporter)
            return
        from pytest_iwr.report import terminal  # noqa: PLC0415 - when first needed

        terminalreporter.section("web pages made by models")
        width = terminal.screen_width()
        for line in terminal.tables(self.summary, width):
            terminalreporter.write_line(line.text, **line.markup)
        folder = shown(self._run.files.path, self._config)
        terminalreporter.write_line(f"files: {folder}/")

    def _try_judge(self, session: pytest.Session) -> Tripwire | None:
        """Give what came of the judge's trial; one that it fails leaves all open."""
        if self._trial is None:
            return None
        tripwire = self._trial.end(waits=not self._is_cut)
        if tripwire.is_inconclusive and session.exitstatus in {0, 1}:
            session.exitstatus = EXIT_UNSCORED
        return tripwire

    def _tell_why_skipped(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say it without `-rs`, which a newcomer does not know."""
        if self._skipped:
            noun = "task" if self._skipped == 1 else "tasks"
            text = f"{self._skipped} {noun} skipped: {self._plan.why_skipped}"
            terminalreporter.write_line(text, yellow=True)

    def _take(self, selection: Selection) -> None:
        self._dues.update(selection.dues)
        if self._plan.workshop is not None:
            self._plan.workshop.expect(_wanted(selection))
        if not selection.drives or self._plan.is_dry:
            return
        if self._plan.is_active and self._plan.searches_browser:
            from pytest_iwr.errors import NoBrowserError  # noqa: PLC0415 - late

            try:
                _ = self._plan.browser
            except NoBrowserError as error:
                for node in self._nodes:
                    node.shutdown()  # else xdist waits ten seconds for each
                pytest.exit(str(error), returncode=EXIT_NO_BROWSER)
        if self._trial is not None:
            self._trial.begin()

    def _protocol(self, rows: list[Row]) -> Protocol:
        from pytest_iwr.records import Protocol, Result  # noqa: PLC0415 - late

        results: list[Result] = [row for row in rows if isinstance(row, Result)]
        if results:
            return results[0].protocol
        return Protocol(id=self._plan.options.judging.protocol, metrics={})


def _wanted(selection: Selection) -> Iterator[Wanted]:
    """Give the pages that are wanted; a broken file and a skipped test want none."""
    from pytest_iwr.plugin.desk import Wanted  # noqa: PLC0415 - where pages are made

    for nodeid, task in selection.tasks.items():
        for due in selection.dues.get(nodeid, ()):
            yield Wanted(*task, due.model, due.epoch)


def _worth(row: Row) -> int:
    return ("not_run", "error", "failed", "passed").index(row.status)


def _plain(row: Row) -> Row:
    from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed

    return row.row() if isinstance(row, Result) else row

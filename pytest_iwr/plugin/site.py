"""The report for people: kept for as items run, written at the end of the run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.plan import Plan, shown

if TYPE_CHECKING:
    from pytest_iwr.plugin.run import Run
    from pytest_iwr.records import Page, Result, Task


def keep_evidence(result: Result, task: Task, page: Page, run: Run) -> None:
    """Keep what the report shows, in the process that has task and page.

    A report that cannot be made costs no result: it is a warning, also where warnings
    are errors.
    """
    from pytest_iwr.report.keep import keep  # noqa: PLC0415 - heavy

    try:
        keep(run.files, task, page, result)
    except Exception as error:  # noqa: BLE001 - a report costs no result
        fault = f"{type(error).__name__}: {error}"
        words = f"the report will show less of {result.folder}: {fault}"
        with warnings.catch_warnings():
            warnings.simplefilter("always", pytest.PytestWarning)
            warnings.warn(pytest.PytestWarning(words), stacklevel=2)


class SiteReport:
    """Writes the report, and says where it is."""

    def __init__(self, config: pytest.Config, plan: Plan) -> None:
        """Start with nothing written."""
        self._config = config
        self._plan = plan
        self._lines: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_iwr_summary(self, run: Run) -> None:
        """Write it when the files that it is made of are there."""
        from pytest_iwr.report.site import (  # noqa: PLC0415 - late
            MOST_BYTES,
            write_single_file,
            write_site,
        )

        try:
            told = getattr(self._config.option, "htmlpath", None)
            has_report = told == str(run.files.report)
            path = write_site(run.files, has_report=has_report)
            self._tell("report", path)
            target = self._plan.options.single_file
            if target is not None:
                path = run.files.single if target == Path() else target
                self._tell("one file", write_single_file(run.files, path))
                size = path.stat().st_size
                if size > MOST_BYTES:
                    words = "the table and the broken steps take so much"
                    self._lines.append(f"one file: {size / 1e6:.1f} MB, {words}")
        except Exception as error:  # noqa: BLE001 - a report costs no result
            text = f"report: could not be written: {type(error).__name__}: {error}"
            self._lines.append(text)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say where it is."""
        for line in self._lines:
            terminalreporter.write_line(line)

    def _tell(self, what: str, path: Path) -> None:
        self._lines.append(f"{what}: {shown(path, self._config)}")

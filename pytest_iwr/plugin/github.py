"""A run on GitHub Actions: a job summary, and annotations where steps broke."""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from pytest_iwr.plugin.board import Board
from pytest_iwr.plugin.plan import Plan, shown

if TYPE_CHECKING:
    from pytest_iwr.plugin.run import Run
    from pytest_iwr.records import Row, Summary
    from pytest_iwr.report.commands import Annotation

_SHOWN = 10
"""Annotations of a kind that GitHub shows for a step."""
_MOST_BYTES = 900_000
"""Of a step's whole summary; GitHub takes 1 MiB, and nothing of a longer one."""
_LEAST_BYTES = 20_000
"""Of what is written at all."""
_LONGEST = 1000
"""Letters of a line of an annotation."""


def is_there(environ: Mapping[str, str]) -> bool:
    """Tell whether this is a job of GitHub Actions."""
    return environ.get("GITHUB_ACTIONS") == "true"


class GitHubActions:
    """Tells GitHub what broke; the runner obeys none of what pages say."""

    def __init__(self, config: pytest.Config, plan: Plan, board: Board) -> None:
        """Know who knows the rows."""
        self._config = config
        self._plan = plan
        self._board = board
        workspace = os.environ.get("GITHUB_WORKSPACE")
        self._workspace = Path(workspace) if workspace else None
        self._summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
        self._annotations: list[Annotation] = []
        self._trouble = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Disarm what a task's test has printed."""
        if self._board.rows_of(report.nodeid):
            from pytest_iwr.report.commands import harmless  # noqa: PLC0415 - late

            report.sections = [(name, harmless(text)) for name, text in report.sections]

    def pytest_iwr_summary(self, summary: Summary, run: Run) -> None:
        """Write the job summary, and keep the annotations for the end."""
        all_of_them = list(self._annotate(self._board.rows()))
        for level in ("error", "warning"):
            of_it = [one for one in all_of_them if one.level == level]
            self._annotations += of_it[:_SHOWN]
        if self._summary_file:
            hidden = len(all_of_them) - len(self._annotations)
            self._write(summary, run, Path(self._summary_file), hidden)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None]:
        """Have the runner obey nothing while texts of pages are shown."""
        token = secrets.token_hex(16)
        terminalreporter.ensure_newline()
        terminalreporter.write_line(f"::stop-commands::{token}")
        try:
            return (yield)
        finally:
            terminalreporter.ensure_newline()
            terminalreporter.write_line(f"::{token}::")
            for annotation in self._annotations:
                terminalreporter.write_line(str(annotation))
            if self._trouble:
                terminalreporter.write_line(self._trouble, yellow=True)

    def _annotate(self, rows: list[Row]) -> Iterator[Annotation]:
        """Give a note for each row that failed or could not be scored."""
        from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed
        from pytest_iwr.report.commands import Annotation  # noqa: PLC0415 - late
        from pytest_iwr.report.words import (  # noqa: PLC0415 - late
            first_break,
            one_line,
            why,
        )

        is_red = not self._plan.options.keeps_failures_green
        for row in rows:
            if row.status not in {"failed", "error"}:
                continue
            is_error = is_red if row.status == "failed" else row.kind == "task_invalid"
            place, reason = first_break(row)
            file, line = self._where(row)
            told = why(row.cause, row.reason) if isinstance(row, Result) else ""
            lines = [line[:_LONGEST] for line in (reason or place, told) if line]
            epoch = f" #{row.epoch}" if row.epoch > 1 else ""
            yield Annotation(
                level="error" if is_error else "warning",
                title=one_line(f"{row.task} [{row.model}{epoch}]: {place}"),
                message="\n".join(lines),
                file=file,
                line=line if file else None,
            )

    def _where(self, row: Row) -> tuple[str | None, int | None]:
        """Give the file, relative to the workspace, and the line."""
        from pytest_iwr.records import Result  # noqa: PLC0415 - when first needed
        from pytest_iwr.report.commands import below  # noqa: PLC0415 - late

        if isinstance(row, Result):
            return below(Path(row.path), self._workspace), row.line
        found = self._board.location_of(row)
        if found is None:
            return None, None
        return below(self._config.rootpath / found[0], self._workspace), found[1]

    def _write(self, summary: Summary, run: Run, file: Path, hidden: int) -> None:
        """Add the run to the job summary, as far as there is room."""
        from pytest_iwr.report import markdown  # noqa: PLC0415 - when first needed

        folder = shown(run.files.path, self._config)
        notes = [f"All files of the run: {markdown.text(folder)}."]
        if hidden:
            notes.append(
                f"GitHub shows {_SHOWN} annotations of a kind; {hidden} more breaks "
                "stand only here."
            )
        try:
            there = file.stat().st_size if file.exists() else 0
            room = _MOST_BYTES - there
            if room < _LEAST_BYTES:
                self._trouble = "the job summary has no room left for this run"
                return
            text = markdown.render(
                summary,
                self._board.rows(),
                "Web pages made by models",
                self._address,
                notes=notes,
                most_bytes=room - 1,
            )
            with file.open("a", encoding="utf-8") as job:
                job.write(f"\n{text}")
        except OSError as error:
            self._trouble = f"the job summary cannot be written: {error}"

    def _address(self, row: Row) -> str | None:
        """Give where GitHub shows what broke, in the commit that is tested."""
        if row.status not in {"failed", "error"}:
            return None
        file, line = self._where(row)
        names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
        server, repository, commit = map(os.environ.get, names)
        if file is None or not (server and repository and commit):
            return None
        place = f"#L{line}" if line else ""
        return f"{server}/{quote(repository)}/blob/{commit}/{quote(file)}{place}"

"""The files of a run that programs read, and the summary in Markdown."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_iwr.records import Result, Row, Summary
from pytest_iwr.report import markdown
from pytest_iwr.report.words import details


def write_summary(summary: Summary, path: Path) -> None:
    """Write `summary.json`: the same bytes for the same results."""
    _write(path, summary.model_dump(mode="json"))


def write_markdown(summary: Summary, rows: Sequence[Row], path: Path) -> None:
    """Write `summary.md`: the same tables for people, with links into the report."""
    text = markdown.render(
        summary,
        rows,
        "Web pages made by models",
        lambda row: details(row) if isinstance(row, Result) else None,
    )
    path.write_text(text, encoding="utf-8")


def write_results(rows: Sequence[Row], path: Path) -> None:
    """Write `results.jsonl`: all rows with their evidence, one a line, as given."""
    lines = [
        json.dumps(row.model_dump(mode="json"), ensure_ascii=False) for row in rows
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_run(facts: Mapping[str, object], path: Path) -> None:
    """Write `run.json`: what differs between two runs of the same."""
    _write(path, facts)


def _write(path: Path, content: Mapping[str, object]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(text + "\n", encoding="utf-8")
    unfinished.replace(path)

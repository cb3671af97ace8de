"""The official data with right pages, as it is: real server, real browser, real OCR."""

import json
import shutil
from pathlib import Path

import pytest

from tests.plugin.kit import Project


@pytest.mark.needs_shared
def test_prose_alone_drives_the_right_pages(project: Project, shared: Path) -> None:
    """All 27 actions are read without a model and carried out; nothing breaks."""
    # A copy, since pytest keeps its files near what it is told to run.
    bench = project.path / "bench"
    shutil.copytree(shared / "bench" / "data", bench / "data", copy_function=_copy)
    _copy(shared / "bench" / "data.jsonl", bench / "data.jsonl")
    pages = project.path / "pages" / "right"
    shutil.copytree(shared / "bench" / "pages", pages, copy_function=_copy)
    (project.path / "conftest.py").write_text("")
    result = project.pytester.runpytest_subprocess(
        "bench/data.jsonl", "--iwr-pages=pages", "-n2", "-pno:html"
    )
    result.assert_outcomes(passed=3)
    rows = project.summary["tasks"]
    assert [row["task"] for row in rows] == ["task1", "task2", "task3"]
    assert [row["ifs"] for row in rows] == [1.0, 1.0, 1.0]
    assert sum(row["steps_done"] for row in rows) == 27
    assert _compared(project) == [
        [0, 2, 3, 5, 6, 8, 9],
        [0, 2, 3, 5, 6, 8, 9],
        [0, 2, 3, 5, 6, 8, 9],
    ]


def _copy(source: Path | str, target: Path | str) -> None:
    """Copy a file without its rights: the shared one may be read only."""
    Path(target).write_bytes(Path(source).read_bytes())


def _compared(project: Project) -> list[list[int]]:
    """Give the numbers of the screens that were compared, task by task."""
    text = (project.latest / "results.jsonl").read_text(encoding="utf-8")
    results = [json.loads(line) for line in text.splitlines()]
    return [sorted(shot["step"] for shot in one["checkpoints"]) for one in results]

"""The stored example pages, through the whole chain: browser, pictures, summary."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.records import Result
from tests.once import Once

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "examples" / "pages"
TASKS = ("2048", "sb-admin-2", "shop", "todomvc")
OTHER = dict(zip(TASKS, reversed(TASKS), strict=True))
BLANK = "<!doctype html><title>blank</title>"

Rows = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def rows(once: Once) -> Rows:
    """Evaluate the example pages, a blank page and the other task's page, once."""
    folder = once.folder("examples", _evaluate)
    text = (folder / "reports" / "latest" / "results.jsonl").read_text("utf-8")
    results = map(json.loads, text.splitlines())
    return {(result["model"], result["task"]): result for result in results}


def _evaluate(folder: Path) -> None:
    pages = folder / "pages"
    for model in ("faithful", "flawed"):
        shutil.copytree(PAGES / model, pages / model)
    for task in TASKS:
        shutil.copytree(PAGES / "faithful" / OTHER[task], pages / "foreign" / task)
        (pages / "blank" / task).mkdir(parents=True)
        (pages / "blank" / task / "index.html").write_text(BLANK, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "tasks", "-q", "-p", "no:cacheprovider"]
    command += [f"--iwr-pages={pages}", f"--iwr-output={folder / 'reports'}"]
    done = subprocess.run(
        [*command, "--iwr-fail-on=error"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("task", TASKS)
def test_faithful_page_does_every_step_and_looks_alike(rows: Rows, task: str) -> None:
    """A right page completes its trajectory, and its pictures agree to 0.9."""
    row = rows["faithful", task]
    assert (row["status"], row["ifs"]) == ("passed", 1.0)
    assert row["vfs"] >= 0.9


@pytest.mark.parametrize("task", TASKS)
def test_flawed_page_breaks_where_its_fault_was_planted(rows: Rows, task: str) -> None:
    """The first wrong step or picture is the one that `expected.json` documents."""
    expected = json.loads((PAGES / "expected.json").read_text("utf-8"))["flawed"][task]
    row = rows["flawed", task]
    assert row["status"] == "failed"
    assert row["failed_step"] == expected["failed_step"]
    assert row["failed_checkpoint"] == expected["failed_checkpoint"]


@pytest.mark.parametrize("task", TASKS)
def test_flawed_page_is_told_its_cause(rows: Rows, task: str) -> None:
    """What is found on the page leads to the fault, as `expected.json` says."""
    expected = json.loads((PAGES / "expected.json").read_text("utf-8"))["flawed"][task]
    cause = Result.model_validate(rows["flawed", task]).cause
    assert cause is not None
    assert cause.kind == expected["cause"]
    assert expected["words"] in cause.words


@pytest.mark.parametrize("task", TASKS)
def test_a_worse_page_has_a_lower_final(rows: Rows, task: str) -> None:
    """The right page is ahead of one with a fault, of another site's, of a blank."""
    models = ("faithful", "flawed", "foreign", "blank")
    finals = [rows[model, task]["final"] for model in models]
    assert finals == sorted(set(finals), reverse=True)


@pytest.mark.parametrize("model", ("blank", "foreign"))
@pytest.mark.parametrize("task", TASKS)
def test_page_that_is_no_rebuild_is_far_below(
    rows: Rows, model: str, task: str
) -> None:
    """A blank page and another site's page do no step, and fall far behind."""
    row = rows[model, task]
    assert row["steps_done"] == 0
    assert row["final"] < rows["flawed", task]["final"] / 2


def test_every_task_has_its_pages() -> None:
    """Both sets of pages hold one for each task of the repository."""
    tasks = {path.parent.name for path in (ROOT / "tasks").glob("*/task.iwr.yaml")}
    assert tasks == set(TASKS)
    for model in ("faithful", "flawed"):
        stored = {path.parent.name for path in (PAGES / model).glob("*/index.html")}
        assert stored == tasks


def test_every_planted_fault_is_documented() -> None:
    """Each flawed page stands in `expected.json` and in the README."""
    expected = json.loads((PAGES / "expected.json").read_text("utf-8"))["flawed"]
    stored = {folder.name for folder in (PAGES / "flawed").iterdir()}
    readme = (PAGES / "README.md").read_text("utf-8")
    assert stored == expected.keys() == set(TASKS)
    for task, fault in expected.items():
        row = next(
            line for line in readme.splitlines() if line.startswith(f"| `{task}")
        )
        place = fault["failed_step"] or f"picture {fault['failed_checkpoint']}"
        assert row.endswith(f"| {place} |")

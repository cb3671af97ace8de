"""One summary a run: complete, the same whatever `-n` is, and a contract."""

import json
import re
from pathlib import Path

import pytest

from pytest_iwr.plugin.environment import without_secrets
from tests.plugin.kit import WAYS, Project

FIELDS = [
    "task",
    "model",
    "epoch",
    "status",
    "kind",
    "reason",
    "steps_total",
    "steps_done",
    "failed_step",
    "failed_checkpoint",
    "ifs",
    "vfs",
    "lfs",
    "hfs",
    "final",
    "assertions",
    "page_sha256",
    "level",
    "domain",
    "device",
]


def test_summary_is_the_same_in_every_way(project: Project) -> None:
    """No xdist, `-n0` and `-n2` give the same bytes, twice."""
    for task in ("c", "a", "b"):
        project.task(task)
        for model in ("m2", "m1"):
            project.page(model, task, "breaks_at=2" if task + model == "am1" else "")
    project.page("m1", "b", "gone=1")
    seen = set()
    for way in WAYS * 2:
        project.evaluate(way)
        seen.add((project.latest / "summary.json").read_bytes())
    assert len(seen) == 1


def test_summary_is_a_contract(project: Project) -> None:
    """The fields, their order and the sums of `summary.json` are fixed."""
    project.task("todo")
    project.page("faithful", "todo", "breaks_at=3")
    project.evaluate()
    summary = project.summary
    assert list(summary) == ["schema", "protocol", "models", "tasks", "tripwire"]
    assert list(summary["protocol"]) == ["id", "weights", "metrics"]
    assert list(summary["models"]["faithful"]) == [
        "due",
        "scored",
        "errors",
        "not_run",
        "ifs",
        "vfs",
        "final",
    ]
    assert [list(row) for row in summary["tasks"]] == [FIELDS]
    assert summary["tasks"][0]["ifs"] == 0.6667
    assert summary["tasks"][0]["assertions"] == {"true": 0, "false": 0, "unjudged": 0}
    assert re.fullmatch("[0-9a-f]{64}", summary["tasks"][0]["page_sha256"])


def test_rows_say_how_their_task_is_classified(project: Project) -> None:
    """Level, domain and device stand in each row, and in those without scores, too."""
    phone = "source: {domain: games, interaction: L4}\ndevice: iPhone 14"
    project.task("a", more=phone)
    project.task("b", more="source: {domain: shops}")
    project.task("c", more=phone)
    project.task("d", more="viewport: {mobile: true}")
    project.task("e", more="device: Desktop Safari")
    project.task("f", more="frobs: 1")
    for task, says in zip(
        "abcdef", ("", "breaks_at=1", "bug=1", "", "", ""), strict=True
    ):
        project.page("m", task, says)
    project.evaluate("-n2")
    rows = project.summary["tasks"]
    assert [(r["status"], r["level"], r["domain"], r["device"]) for r in rows] == [
        ("passed", "L4", "games", "mobile"),
        ("failed", None, "shops", "desktop"),
        ("error", "L4", "games", "mobile"),
        ("passed", None, None, "mobile"),
        ("passed", None, None, "desktop"),
        ("error", None, None, None),
    ]


def test_rows_that_were_lost_or_never_ran_are_classified(project: Project) -> None:
    """What a lost worker or `-x` leaves keeps the class of its task."""
    project.task("a", more="source: {domain: games, interaction: L4}")
    project.page("m", "a", "dies=1")
    project.evaluate("-n2")
    (row,) = project.summary["tasks"]
    assert (row["kind"], row["level"], row["domain"]) == ("lost", "L4", "games")
    assert row["device"] == "desktop"


def test_files_of_a_run(project: Project) -> None:
    """A run leaves a summary, all results, its circumstances and a report."""
    project.task("todo")
    project.page("faithful", "todo")
    project.evaluate("-n0")
    latest = project.latest
    assert latest.is_symlink()
    names = {"summary.json", "results.jsonl", "run.json", "report.html", "items"}
    assert names <= {path.name for path in latest.iterdir()}
    result = json.loads((latest / "results.jsonl").read_text())
    assert result["folder"] == "items/faithful/todo"
    assert (latest / result["folder"] / result["trace"]).is_file()
    run = json.loads((latest / "run.json").read_text())
    assert run["run"] == latest.resolve().name
    assert run["models"] == ["faithful"]
    assert run["browser"]["product"] == "Reader 1.0"


def test_output_folder_is_chosen(project: Project) -> None:
    """--iwr-output says where runs are kept."""
    project.task("todo")
    project.page("faithful", "todo")
    project.evaluate("--iwr-output=out/here")
    assert (project.path / "out" / "here" / "latest" / "summary.json").is_file()
    assert not (project.path / "reports").exists()


def test_worker_that_dies_loses_one_row_only(project: Project) -> None:
    """Every finished task stays, and the lost one is an error by name."""
    for task in ("a", "b", "c", "d"):
        project.task(task)
        project.page("m", task, "dies=1" if task == "c" else "")
    result = project.evaluate("-n2")
    assert project.rows == [
        ("a", "m", "passed", None),
        ("b", "m", "passed", None),
        ("c", "m", "error", "lost"),
        ("d", "m", "passed", None),
    ]
    assert project.summary["models"]["m"]["due"] == 4
    assert project.summary["models"]["m"]["scored"] == 3
    assert result.ret == 20
    assert not list(project.latest.glob(".selected-*"))


def test_rows_of_tasks_that_no_worker_was_left_for(project: Project) -> None:
    """When workers may not be replaced, what they leave is lost, by name."""
    for task in "abcdef":
        project.task(task)
        project.page("m", task, "dies=1")
    result = project.evaluate("-n2", "--max-worker-restart=0")
    assert {row[2:] for row in project.rows} == {("error", "lost")}
    assert len(project.rows) == 6
    assert result.ret == 20


# Writes to a worker in the moment of its death, as xdist's scheduler may.
BREAKS_OFF = """
def pytest_runtest_logreport(report):
    node = getattr(report, "node", None)
    if node is not None and report.when == "teardown":
        node.gateway._io.popen.kill()
        node.gateway._io.popen.wait()
        node.send_runtest_some([0])
"""


def test_run_that_breaks_off_names_what_it_lost(project: Project) -> None:
    """When xdist itself ends a run, all its files are there, and nothing is missing."""
    for task in "abcdef":
        project.task(task)
        project.page("m", task)
    project.conftest(BREAKS_OFF)
    result = project.evaluate("-n2")
    assert result.ret == 3
    result.stdout.fnmatch_lines(["INTERNALERROR> *cannot send (already closed?)*"])
    rows = project.summary["tasks"]
    assert [row["task"] for row in rows] == list("abcdef")
    kinds = {row["kind"] for row in rows}
    assert kinds == {None, "lost"}
    reason = next(row["reason"] for row in rows if row["kind"])
    assert reason == "the run broke off: OSError: cannot send (already closed?)"
    lines = (project.latest / "results.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["task"] for line in lines] == list("abcdef")
    html = (project.latest / "report.html").read_text("utf-8")
    assert "the run broke off" in html


@pytest.mark.parametrize("way", ("-pno:xdist", "-n0"))
def test_stopped_run_says_what_was_not_run(project: Project, way: str) -> None:
    """After `-x` the rest is listed as not run, and is in no mean."""
    for task in ("a", "b", "c"):
        project.task(task)
        project.page("m", task, "breaks_at=1" if task == "b" else "")
    result = project.evaluate(way, "-x")
    assert result.ret == 1
    assert [row[2] for row in project.rows] == ["passed", "failed", "not_run"]
    assert project.summary["models"]["m"] == {
        "due": 3,
        "scored": 2,
        "errors": 0,
        "not_run": 1,
        "ifs": 0.5,
        "vfs": None,
        "final": None,
    }


def test_stopped_run_of_workers_adds_up(project: Project) -> None:
    """Under `-n2 -x` due is what passed, failed, could not be scored or was not run."""
    for number in range(12):
        project.task(f"t{number:02d}")
        project.page("m", f"t{number:02d}", "breaks_at=1")
    project.evaluate("-n2", "-x")
    statuses = [row[2] for row in project.rows]
    assert len(statuses) == 12
    assert set(statuses) == {"failed", "not_run"}


def test_deselected_tasks_are_not_due(project: Project, way: str) -> None:
    """What `-k` leaves out is no row."""
    for task in ("a", "b"):
        project.task(task)
        project.page("m", task)
    project.evaluate(way, "-k", "a[m]")
    assert [row[0] for row in project.rows] == ["a"]


def test_hook_gets_the_summary_once(project: Project, way: str) -> None:
    """`pytest_iwr_summary` is called once, with all rows and the files written."""
    for task in ("a", "b"):
        project.task(task)
        project.page("m", task)
    project.conftest(
        "def pytest_iwr_summary(summary, run, config):\n"
        "    written = (run.folder / 'summary.json').exists()\n"
        "    with open('hook.log', 'a') as log:\n"
        "        print(run.id, len(summary.tasks), written, file=log)\n"
    )
    project.evaluate(way)
    run = project.latest.resolve().name
    assert (project.path / "hook.log").read_text() == f"{run} 2 True\n"


def test_table_is_shown(project: Project, way: str) -> None:
    """The run ends with a table of tasks and one of models, without colour codes."""
    project.task("shop")
    project.page("m", "shop", "breaks_at=2")
    result = project.evaluate(way)
    result.stdout.fnmatch_lines(
        [
            "task  model  steps  IFS     VFS  Final  first break",
            "shop  m      1/3    0.3333  –    –      step 2, expectation",
            "    expected *",
            "model  due  scored  errors  not run  IFS     VFS  Final",
            "m      1    1       0       0        0.3333  –    –",
            "files: reports/*/",
        ]
    )
    assert "\x1b" not in result.stdout.str()
    assert max(map(len, table_of(result.outlines))) <= 80


def table_of(lines: list[str]) -> list[str]:
    """Give the lines of the section at the end."""
    start = next(i for i, line in enumerate(lines) if "web pages made by" in line)
    return lines[start : start + 8]


def test_header_says_what_is_evaluated(project: Project) -> None:
    """The first lines name models, pages and browser."""
    project.task("shop")
    project.page("gpt-5", "shop")
    project.evaluate().stdout.fnmatch_lines(["iwr: models gpt-5; pages pages; *"])


def test_scores_stay_below_the_folder_of_the_run(project: Project) -> None:
    """Nothing is written into pytest-playwright's output, which it deletes."""
    project.task("shop")
    project.page("gpt-5", "shop")
    result = project.pytester.runpytest_subprocess("--iwr-pages=pages", "-n2")
    assert result.ret == 0
    assert not (project.path / "test-results").exists()


def test_secrets_stay_out_of_the_files() -> None:
    """Arguments that look like secrets are not written."""
    assert without_secrets(
        [
            "--iwr-pages=pages",
            "--api-key=sk-1",
            "--token",
            "abc",
            Path("tasks"),
            "--base-url=https://me:pw@host/x",
        ]
    ) == [
        "--iwr-pages=pages",
        "--api-key=…",
        "--token",
        "…",
        "tasks",
        "--base-url=https://…@host/x",
    ]

"""On GitHub Actions: a job summary, annotations, and no command from a page."""

from pathlib import Path

import pytest

from tests.plugin.kit import Project
from tests.report.runner import Command, obeyed

EVIL = "::error file=x::gotcha"
LONG = "word " * 14 + EVIL + " ##[stop-commands]x"
"""Broken into lines of a screen, the second one begins with a command."""


@pytest.fixture
def job(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the project be a job's checked-out repository; gives its summary file."""
    summary = project.path / "step-summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.example")
    monkeypatch.setenv("GITHUB_REPOSITORY", "octo/pages")
    monkeypatch.setenv("GITHUB_SHA", "0a1b2c")
    return summary


def run(project: Project, *arguments: str) -> list[Command]:
    """Evaluate, and give what the runner obeys."""
    return obeyed(project.evaluate(*arguments).outlines)


@pytest.mark.usefixtures("job")
def test_broken_step_is_annotated_on_its_line(project: Project, way: str) -> None:
    """An error stands on the YAML line of the step, with the reason and why."""
    project.task("shop")
    reason = "expected 50 %, saw 1, 2: none"
    project.page("gpt-5", "shop", f"breaks_at=2\nreason={reason}\ndead=button '{EVIL}'")
    assert run(project, way) == [
        Command(
            "error",
            {
                "file": "tasks/shop/task.iwr.yaml",
                "line": "6",
                "title": "shop [gpt-5]: step 2, expectation",
            },
            f"{reason}\nno handler: nothing listens to the key on button '{EVIL}'",
        )
    ]


@pytest.mark.usefixtures("job")
def test_unscored_rows_are_warnings(project: Project, way: str) -> None:
    """A dead browser is a warning on the task, a wrong file an error on its line."""
    project.task("gone")
    project.page("m", "gone", "gone=1")
    project.task("wrong").write_text("iwr: 1\nsteps:\n  - clikc: x\n")
    found = run(project, way)
    assert [(c.name, c.properties["file"], c.properties["line"]) for c in found] == [
        ("error", "tasks/wrong/task.iwr.yaml", "3"),
        ("warning", "tasks/gone/task.iwr.yaml", "4"),
    ]


@pytest.mark.usefixtures("job")
def test_lost_task_is_a_warning_on_its_file(project: Project) -> None:
    """Where the worker died, the file is known and the line is not."""
    project.task("shop")
    project.page("m", "shop", "dies=1")
    (found,) = run(project, "-n2")
    assert found.name == "warning"
    assert found.properties == {
        "file": "tasks/shop/task.iwr.yaml",
        "title": "shop [m]: error, lost",
    }


@pytest.mark.usefixtures("job")
def test_green_failures_are_warnings(project: Project) -> None:
    """Where wrong pages are measured only, they are no errors of the job."""
    project.task("shop")
    project.page("m", "shop", "breaks_at=2")
    (found,) = run(project, "--iwr-fail-on=error")
    assert found.name == "warning"


def test_ten_annotations_of_a_kind_are_printed(project: Project, job: Path) -> None:
    """GitHub shows no more; the job summary says how many stand only there."""
    for number in range(13):
        project.task(f"t{number:02d}")
        project.page("m", f"t{number:02d}", "breaks_at=1" if number else "gone=1")
    names = [command.name for command in run(project)]
    assert names == ["error"] * 10 + ["warning"]
    assert "; 2 more breaks stand only here" in job.read_text(encoding="utf-8")


def test_job_summary_follows_what_is_there(project: Project, job: Path) -> None:
    """It is added, with links to the lines of the tested commit."""
    job.write_text("# Before\n", encoding="utf-8")
    project.task("shop")
    project.page("m", "shop", "breaks_at=3")
    project.task("todo")
    project.page("m", "todo")
    run(project)
    text = job.read_text(encoding="utf-8")
    assert text.startswith("# Before\n\n# Web pages made by models\n")
    assert "**1 of 2 passed**, 1 failed." in text
    line = "https://github.example/octo/pages/blob/0a1b2c/tasks/shop/task.iwr.yaml#L8"
    assert f"| [<code>shop</code>]({line}) |" in text


def test_job_summary_leaves_room_for_what_is_there(project: Project, job: Path) -> None:
    """All that a step writes stays below 900 kB; a full one is left alone."""
    for number in range(60):
        project.task(f"t{number:02d}")
        project.page("m", f"t{number:02d}", f"breaks_at=1\nreason={'|' * 480}")
    job.write_text("x" * 850_000, encoding="utf-8")
    run(project)
    size = job.stat().st_size
    assert 880_000 < size <= 900_000
    assert "This summary is cut" in job.read_text(encoding="utf-8")
    result = project.evaluate()
    assert job.stat().st_size == size
    assert "the job summary has no room left for this run" in result.outlines


def test_job_summary_that_cannot_be_written_ends_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in a folder that is not there is told; the outcome is the same."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "none" / "s.md"))
    project.task("shop")
    project.page("m", "shop")
    result = project.evaluate()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["the job summary cannot be written: *"])


@pytest.mark.usefixtures("job")
def test_no_text_of_a_page_is_a_command(project: Project, way: str) -> None:
    """Reasons, names, faults and what tests print are text for the runner."""
    project.conftest(
        "@pytest.fixture(autouse=True)\n"
        "def talk():\n"
        f"    print({EVIL!r}, '##[error]x')\n"
    )
    project.task("shop")
    project.page(EVIL, "shop", f"breaks_at=2\nreason={LONG}")
    project.page("m", "shop", f"bug={LONG}")
    project.page("n", "shop", f"breaks_at=1\nreason={EVIL}")
    found = run(project, way, "-rA", "-v")
    assert sorted(c.name for c in found) == ["error", "error", "warning"]
    assert {c.properties["file"] for c in found} == {"tasks/shop/task.iwr.yaml"}


def test_no_reason_is_a_command_anywhere(project: Project, way: str) -> None:
    """Other systems read logs like GitHub: without it the lines are text, too."""
    project.task("shop")
    project.page(EVIL, "shop", f"breaks_at=2\nreason={LONG}")
    project.page("n", "shop", f"breaks_at=1\nreason={EVIL}")
    assert run(project, way) == []


def test_nothing_is_printed_elsewhere(project: Project) -> None:
    """Outside of GitHub Actions no command is printed."""
    project.task("shop")
    project.page("m", "shop", "breaks_at=2")
    assert "::" not in "".join(
        line for line in project.evaluate().outlines if ".yaml::" not in line
    )

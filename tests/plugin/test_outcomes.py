"""Three outcomes, never mixed: a wrong page, a fault of ours, nothing wrong."""

import pytest

from tests.plugin.kit import PICTURE, Project


def test_failure_names_step_line_and_reason(project: Project) -> None:
    """A red test says which step broke, in words, where it is written, and why."""
    project.task("shop")
    project.page("gpt-5", "shop", "breaks_at=2")
    result = project.evaluate()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "tasks/shop/task.iwr.yaml:6: step 2 of 3 (Press key 2): expectation: *2*1'",
            "  shot: reports/*/items/gpt-5/shop/shot-02.png",
            "  steps 1/3, IFS 0.3333, *",
        ]
    )
    result.stdout.fnmatch_lines(["  2  expectation  Press key 2*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*def *")


def test_failed_checkpoint_names_its_pictures(project: Project) -> None:
    """A checkpoint below its minimum is red, with the pictures to look at."""
    file = project.task("shop")
    text = file.read_text() + "    checkpoint: is-0.5.png\n"
    file.write_text(text)
    (file.parent / "is-0.5.png").write_bytes(PICTURE)
    project.page("gpt-5", "shop")
    result = project.evaluate()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "tasks/shop/task.iwr.yaml:8: the checkpoint of step 3 (*): *0.5000*0.6",
            "  shot: reports/*/shot-03.png",
            "  reference: *is-0.5.png",
            "  difference: reports/*/diff-03.png",
        ]
    )
    assert project.summary["tasks"][0]["failed_checkpoint"] == 3


def test_missing_page_is_zero_and_named(project: Project) -> None:
    """A model without a page for a task fails it with zero."""
    project.task("shop")
    project.task("cart")
    project.page("gpt-5", "shop")
    result = project.evaluate()
    assert result.ret == 1
    assert project.rows[0] == ("cart", "gpt-5", "failed", "no_page")
    row = project.summary["tasks"][0]
    assert (row["ifs"], row["steps_done"], row["steps_total"]) == (0.0, 0, 3)
    assert project.summary["models"]["gpt-5"]["ifs"] == 0.5


def test_measuring_keeps_wrong_pages_green(project: Project, way: str) -> None:
    """With --iwr-fail-on=error the row says failed and the test is green."""
    project.task("shop")
    project.page("gpt-5", "shop", "breaks_at=2")
    result = project.evaluate(way, "--iwr-fail-on=error")
    assert result.ret == 0
    result.assert_outcomes(passed=1)
    assert project.rows == [("shop", "gpt-5", "failed", "expectation")]


def test_fault_of_ours_is_an_error_without_scores(project: Project, way: str) -> None:
    """A browser that dies is an error, unscored, and exit status 20."""
    project.task("shop")
    project.task("cart")
    project.page("gpt-5", "shop", "gone=1")
    project.page("gpt-5", "cart")
    result = project.evaluate(way)
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 20
    row = project.summary["tasks"][1]
    assert (row["status"], row["kind"]) == ("error", "browser_gone")
    assert row["ifs"] is row["vfs"] is row["final"] is row["steps_done"] is None
    assert project.summary["models"]["gpt-5"] == {
        "due": 2,
        "scored": 1,
        "errors": 1,
        "not_run": 0,
        "ifs": 1.0,
        "vfs": None,
        "final": None,
    }
    result.stdout.fnmatch_lines(["the browser has ended. Start it again."])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*direct cause*")


def test_unforeseen_fault_shows_its_traceback(project: Project) -> None:
    """A bug is an error of kind infrastructure, with all that helps to find it."""
    project.task("shop")
    project.page("gpt-5", "shop", "bug=seven")
    result = project.evaluate()
    assert result.ret == 20
    assert project.rows == [("shop", "gpt-5", "error", "infrastructure")]
    assert project.summary["tasks"][0]["reason"] == "ZeroDivisionError: seven"
    result.stdout.fnmatch_lines(["*conftest.py:*: ZeroDivisionError"])


def test_failed_task_wins_over_unscored(project: Project) -> None:
    """A wrong page makes exit status 1, whatever else was not scored."""
    project.task("shop")
    project.task("cart")
    project.page("gpt-5", "shop", "gone=1")
    project.page("gpt-5", "cart", "breaks_at=1")
    assert project.evaluate().ret == 1


def test_other_red_tests_keep_pytests_exit_status(project: Project) -> None:
    """An unscored task does not hide that another test is red."""
    project.task("shop")
    project.page("gpt-5", "shop", "gone=1")
    project.pytester.makepyfile("def test_red(): assert False")
    assert project.evaluate("tasks", ".").ret == 1


def test_broken_fixture_of_the_user_is_a_row(project: Project) -> None:
    """Whatever ends the set-up of a task, its row is there and says so."""
    project.task("shop")
    project.page("gpt-5", "shop")
    (project.path / "tasks" / "conftest.py").write_text(
        "import pytest\n"
        "@pytest.fixture\n"
        "def iwr_site(): raise ValueError('no such server')\n"
    )
    result = project.evaluate()
    assert result.ret == 20
    assert project.rows == [("shop", "gpt-5", "error", "infrastructure")]
    assert project.summary["tasks"][0]["reason"] == "ValueError: no such server"


@pytest.mark.parametrize("way", ("-pno:xdist", "-n2"))
def test_no_browser_is_one_message_before_any_test(project: Project, way: str) -> None:
    """Without a usable browser nothing runs: one message, exit status 21."""
    (project.path / "conftest.py").write_text("")
    for task in ("shop", "cart", "menu"):
        project.task(task)
        project.page("gpt-5", task)
    result = project.evaluate(way, "--iwr-browser-executable=nowhere/chromium")
    assert result.ret == 21
    text = result.stdout.str() + result.stderr.str()
    assert text.count("nowhere/chromium'") <= 1
    assert "nowhere/chromium" in text
    result.assert_outcomes()
    assert not list((project.path).glob("reports/*/items"))

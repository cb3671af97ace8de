"""Task files become pytest functions: ids, selection, and files that are wrong."""

import os

import pytest

from tests.plugin.kit import Project


def ids(result: pytest.RunResult) -> list[str]:
    """Give the ids that `--collect-only -q` lists."""
    return [line for line in result.outlines if "::" in line]


def test_every_model_is_one_test(project: Project) -> None:
    """A task is one test a model, with the model's name in the id."""
    project.task("2048")
    project.page("claude-sonnet-4", "2048")
    project.page("gpt-5", "2048")
    assert ids(project.evaluate("--collect-only", "-q")) == [
        "tasks/2048/task.iwr.yaml::2048[claude-sonnet-4]",
        "tasks/2048/task.iwr.yaml::2048[gpt-5]",
    ]


def test_epochs_are_in_the_ids(project: Project) -> None:
    """With several epochs every id ends with its number, so that none can meet."""
    project.task("shop")
    project.page("sonnet", "shop")
    project.page("sonnet-1", "shop")
    listed = ids(project.evaluate("--collect-only", "-q", "--iwr-epochs=2"))
    assert [line.partition("::")[2] for line in listed] == [
        "shop[sonnet-1]",
        "shop[sonnet-2]",
        "shop[sonnet-1-1]",
        "shop[sonnet-1-2]",
    ]


@pytest.mark.parametrize("option", ("--collect-only", "--setup-plan"))
def test_looking_leaves_no_files(project: Project, option: str) -> None:
    """Looking at the tests makes no folder and looks for no browser."""
    project.task("shop")
    project.page("gpt-5", "shop")
    result = project.evaluate(option)
    assert result.ret == 0
    assert not (project.path / "reports").exists()
    result.stdout.no_fnmatch_line("*browser*")


def test_ids_do_not_depend_on_the_hash_seed(project: Project) -> None:
    """The order and the ids are the same under any PYTHONHASHSEED."""
    for name in ("b", "a", "c"):
        project.task(name)
        for model in ("m2", "m1", "m3"):
            project.page(model, name)
    seen = set()
    for seed in ("0", "1", "2"):
        project.pytester.plugins = []
        os.environ["PYTHONHASHSEED"] = seed
        try:
            result = project.pytester.runpytest_subprocess(
                "--iwr-pages=pages", "--collect-only", "-q"
            )
        finally:
            del os.environ["PYTHONHASHSEED"]
        seen.add(tuple(ids(result)))
    assert len(seen) == 1
    assert len(seen.pop()) == 9


@pytest.mark.parametrize(
    ("arguments", "count"),
    (
        (("-k", "shop and gpt-5"), 1),
        (("-m", "smoke"), 2),
        (("-m", "smoke", "--strict-markers"), 2),
        (("tasks/shop/task.iwr.yaml::shop[gpt-5]",), 1),
        (("tasks/shop/task.iwr.yaml::shop",), 2),
        (("--iwr-model=gpt-5",), 2),
        (("--iwr-model=gpt-5", "--iwr-model=other"), 4),
    ),
)
def test_selection(project: Project, arguments: tuple[str, ...], count: int) -> None:
    """Tests are selected by words, tags, ids and models."""
    project.task("shop", more="tags: [smoke]")
    project.task("cart")
    for model in ("gpt-5", "other"):
        for task in ("shop", "cart"):
            project.page(model, task)
    project.evaluate(*arguments).assert_outcomes(
        passed=count, deselected=4 - count if arguments[0] in {"-k", "-m"} else 0
    )


def test_last_failed_runs_only_what_failed(project: Project) -> None:
    """`--lf` knows the tests of task files."""
    for task in ("cart", "shop"):
        project.task(task)
        project.page("gpt-5", task, "breaks_at=1" if task == "shop" else "")
    project.evaluate().assert_outcomes(passed=1, failed=1)
    project.evaluate("--lf").assert_outcomes(failed=1)
    assert [row[0] for row in project.rows] == ["shop"]


def test_without_pages_tasks_are_skipped(project: Project) -> None:
    """Without pages each task is one skipped test that says which option to give."""
    project.task("shop")
    project.task("cart")
    result = project.run("-rs")
    assert result.ret == 0
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(
        ["SKIPPED *no pages to evaluate. Give --iwr-pages=DIR*"]
    )
    result.stdout.fnmatch_lines(["2 tasks skipped: *--iwr-pages=DIR*"])
    assert not (project.path / "reports").exists()


def test_broken_file_is_one_error_with_all_its_problems(
    project: Project, way: str
) -> None:
    """A file with three mistakes is one errored test; the others run."""
    project.task("shop")
    project.page("gpt-5", "shop")
    file = project.path / "tasks" / "broken" / "task.iwr.yaml"
    file.parent.mkdir()
    file.write_text(
        "iwr: 1\nsteps:\n  - clik: A\n  - press: F1\n    timeout_s: soon\n  - {}\n"
    )
    result = project.evaluate(way)
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 20
    result.stdout.fnmatch_lines(
        [
            "tasks/broken/task.iwr.yaml:3: *clik*",
            "tasks/broken/task.iwr.yaml:5: *timeout_s*",
            "tasks/broken/task.iwr.yaml:6: *",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    assert project.rows == [
        ("broken", "gpt-5", "error", "task_invalid"),
        ("shop", "gpt-5", "passed", None),
    ]


def test_broken_file_is_an_error_without_pages(project: Project) -> None:
    """Whoever gives no pages still learns that a file is wrong."""
    project.task("shop", more="titel: Shop")
    result = project.run()
    result.assert_outcomes(errors=1)
    assert result.ret == 20
    result.stdout.fnmatch_lines(["tasks/shop/task.iwr.yaml:3: *titel*"])


def test_ids_that_meet_are_refused(project: Project) -> None:
    """Of two files with one id the second is an errored test that names both."""
    project.task("shop", folder="a")
    project.task("shop", folder="b")
    project.page("gpt-5", "shop")
    result = project.evaluate()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["tasks/b/task.iwr.yaml:*: id: 'shop' is taken by tasks/a/task.iwr.yaml.*"]
    )
    assert project.rows == [
        ("b", "gpt-5", "error", "task_invalid"),
        ("shop", "gpt-5", "passed", None),
    ]


def test_broken_file_takes_no_name_from_others(project: Project) -> None:
    """A broken file is called by its folder, unless a task has that for its id."""
    project.task("x", folder="shop", more="titel: Shop")
    project.task("shop", folder="zebra")
    project.page("gpt-5", "shop")
    project.evaluate().assert_outcomes(passed=1, errors=1)
    assert [row[0] for row in project.rows] == ["shop", "tasks/shop/task.iwr.yaml"]


def test_node_stands_in_its_file(project: Project) -> None:
    """For pytest a test lies in the task file, where its first step is."""
    project.task("shop")
    project.page("gpt-5", "shop")
    result = project.evaluate("-v")
    result.stdout.fnmatch_lines(["tasks/shop/task.iwr.yaml::shop[[]gpt-5[]] PASSED*"])

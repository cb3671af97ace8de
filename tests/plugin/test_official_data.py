"""The official data as tests: `pytest path/to/data.jsonl`, without conversion."""

from collections.abc import Iterator

import pytest

from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.load.official_kit import Data, action, row
from tests.plugin.kit import Project

FILE = "bench/data.jsonl"
PRESSES = [action("Press", key=f"F{number}") for number in (1, 2, 3)]
MODELS = "models:\n  good: {{base_url: {url}, key_env: SHOP_API_KEY}}\n"


@pytest.fixture
def bench(project: Project) -> Project:
    """Give a project with three official tasks, and a model's pages for them."""
    Data(project.path / "bench").write(*(row(name, *PRESSES) for name in (1, 2, 30)))
    for name in ("1", "2", "30"):
        project.page("gpt-5", name)
    return project


def ids(result: pytest.RunResult) -> list[str]:
    """Give the ids that `--collect-only -q` lists."""
    return [line for line in result.outlines if "::" in line]


def test_every_line_and_model_is_one_test(bench: Project) -> None:
    """A task is one test a model, in the order of the file, named by its id."""
    bench.page("other", "1")
    assert ids(bench.evaluate(FILE, "--collect-only", "-q")) == [
        f"{FILE}::{task}[{model}]"
        for task in ("1", "2", "30")
        for model in ("gpt-5", "other")
    ]


def test_data_that_nobody_names_is_let_be(bench: Project) -> None:
    """A walk through folders collects no `.jsonl`, which may be anything."""
    bench.task("shop")
    bench.page("gpt-5", "shop")
    listed = ids(bench.evaluate("bench", "tasks", "--collect-only", "-q"))
    assert listed == ["tasks/shop/task.iwr.yaml::shop[gpt-5]"]


def test_rows_are_the_tasks(bench: Project, way: str) -> None:
    """Each task has its row, whatever runs the tests; a page breaks its own alone."""
    bench.page("gpt-5", "2", "breaks_at=3")
    result = bench.evaluate(FILE, way)
    result.assert_outcomes(passed=2, failed=1)
    assert bench.rows == [
        ("1", "gpt-5", "passed", None),
        ("2", "gpt-5", "failed", "expectation"),
        ("30", "gpt-5", "passed", None),
    ]
    result.stdout.fnmatch_lines([f"{FILE}:2: step 3 of 3*"])


@pytest.mark.parametrize(
    ("arguments", "count"),
    (
        ((f"{FILE}::2[gpt-5]",), 1),
        ((f"{FILE}::2",), 1),
        ((f"{FILE}::1", f"{FILE}::30"), 2),
        ((FILE, "-k", "30"), 1),
        ((FILE, "-m", "L3"), 3),
    ),
)
def test_selection(bench: Project, arguments: tuple[str, ...], count: int) -> None:
    """Tasks are selected by id, by words and by level."""
    bench.evaluate(*arguments, "--strict-markers")
    assert len(bench.rows) == count


def test_last_failed_runs_only_what_failed(bench: Project, way: str) -> None:
    """`--lf` knows the tests of a file with many."""
    bench.page("gpt-5", "2", "breaks_at=1")
    bench.evaluate(FILE, way).assert_outcomes(passed=2, failed=1)
    bench.evaluate(FILE, "--lf", way).assert_outcomes(failed=1)
    assert [row[0] for row in bench.rows] == ["2"]


def test_malformed_line_is_one_error(bench: Project, way: str) -> None:
    """A wrong line is one errored test with its number; the others run."""
    file = bench.path / FILE
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "{", *lines[1:], lines[0]]) + "\n")
    result = bench.evaluate(FILE, way)
    result.assert_outcomes(passed=3, errors=2)
    assert result.ret == 20
    result.stdout.fnmatch_lines([f"*{FILE}:2: is no JSON at column 2:*"])
    result.stdout.fnmatch_lines([f"*{FILE}:5: id: '1' is the id of line 1 already.*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert [(row[0], row[2], row[3]) for row in bench.rows] == [
        ("1", "passed", None),
        ("2", "passed", None),
        ("30", "passed", None),
        (f"{FILE}:2", "error", "task_invalid"),
        (f"{FILE}:5", "error", "task_invalid"),
    ]


def test_malformed_line_is_run_by_its_id(bench: Project) -> None:
    """A wrong line has an id that stays, for `path::id` and `--lf`."""
    file = bench.path / FILE
    file.write_text("{\n" + file.read_text())
    bench.evaluate(f"{FILE}::line-1").assert_outcomes(errors=1)


def test_task_that_is_called_like_a_line_keeps_its_name(project: Project) -> None:
    """No test takes another's name, even when an id looks like a wrong line's."""
    Data(project.path / "bench").write(row("line-2"), "{")
    project.page("gpt-5", "line-2")
    listed = ids(project.evaluate(FILE, "--collect-only", "-q"))
    assert listed == [f"{FILE}::line-2[gpt-5]", f"{FILE}::line-2-in-line-2"]


def test_empty_file_is_an_error(project: Project) -> None:
    """A file without tasks is no green run."""
    Data(project.path / "bench").write()
    project.page("gpt-5", "1")
    result = project.evaluate(FILE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{FILE}:1: the file is empty.*"])


def test_ids_that_meet_are_refused(bench: Project) -> None:
    """An id of a task file that the data has, too, is taken once in a run."""
    bench.task("2", folder="two")
    result = bench.evaluate("tasks", FILE)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        [f"*{FILE}:2: id: '2' is taken by tasks/two/task.iwr.yaml.*"]
    )


def test_without_pages_tasks_are_skipped(bench: Project) -> None:
    """Without pages each task is one skipped test, and the reason is told."""
    result = bench.run(FILE)
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines(["3 tasks skipped: *--iwr-pages=DIR*"])


OWN_TEST = """
import pytest


def test_own(iwr_evaluate):
    assert iwr_evaluate("30").steps_done == 3


@pytest.mark.parametrize("iwr_task", ["2"], indirect=True)
def test_task(iwr_task):
    assert (iwr_task.id, len(iwr_task.steps)) == ("2", 3)
"""


def test_task_is_found_by_its_id(bench: Project, way: str) -> None:
    """A test of one's own takes a task out of the data that the command line names."""
    bench.pytester.makepyfile(test_own=OWN_TEST)
    result = bench.evaluate("test_own.py", f"{FILE}::1", way)
    result.assert_outcomes(passed=3)
    assert [row[:3] for row in bench.rows] == [
        ("1", "gpt-5", "passed"),
        ("30", "gpt-5", "passed"),
    ]


def test_data_that_nobody_names_holds_no_ids(bench: Project) -> None:
    """Without data on the command line its ids are unknown."""
    bench.task("31")
    bench.pytester.makepyfile(test_own=OWN_TEST)
    result = bench.evaluate("test_own.py::test_own")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no task has the id '30'. There are: 31.*"])


def test_unknown_id_is_told_with_those_of_the_data(bench: Project) -> None:
    """An id that the data does not have is told with one that it has."""
    text = OWN_TEST.replace('"30"', '"300"')
    bench.pytester.makepyfile(test_own=text)
    result = bench.evaluate("test_own.py::test_own", FILE)
    result.stdout.fnmatch_lines(["*no task has the id '300'. Did you mean '30'?*"])


def test_broken_line_is_told_to_whoever_asks_for_it(bench: Project) -> None:
    """A test that asks for a task whose line is wrong learns what is wrong."""
    file = bench.path / FILE
    file.write_text(file.read_text().replace("1920x1080", "huge"))
    bench.pytester.makepyfile(test_own=OWN_TEST)
    result = bench.evaluate("test_own.py::test_own", FILE)
    result.stdout.fnmatch_lines([f"*{FILE}:3: recording_details.resolution: *'huge'*"])


def test_lost_worker_is_listed(bench: Project) -> None:
    """A task whose worker dies is lost by its own name."""
    bench.page("gpt-5", "30", "dies=1")
    result = bench.evaluate(FILE, "-n2")
    assert result.ret == 20
    assert ("30", "gpt-5", "error", "lost") in bench.rows


@pytest.fixture
def asking(
    bench: Project, mock: MockEndpoint, monkeypatch: pytest.MonkeyPatch
) -> Project:
    """Give the data with assets of different sizes, and a model to ask."""
    monkeypatch.setenv("SHOP_API_KEY", "sk-any")
    data = Data(bench.path / "bench")
    for name in ("1", "2", "30"):
        data.add(name, f"assets/asset_{name}.svg")
    text = MODELS.format(url=mock.url)
    (bench.path / "models.yaml").write_text(text, encoding="utf-8")
    return bench


@pytest.fixture
def mock() -> Iterator[MockEndpoint]:
    """Give an endpoint whose pages name the asset that the question named."""

    def answer(seen: Seen) -> Answer:
        named = [n for n in ("1", "2", "30") if f"asset_{n}.svg" in seen.text]
        return Answer(text=f"<!DOCTYPE html><html><body>{named}</body></html>")

    with MockEndpoint(answer=answer) as mock:
        yield mock


def test_model_is_asked_about_each_task(
    asking: Project, mock: MockEndpoint, way: str
) -> None:
    """Pages are made ahead, once for each task of the one file, from its own inputs."""
    told = ("--iwr-model-config=models.yaml", "--iwr-model=good")
    assert asking.run(FILE, way, *told).ret == 0
    assert len(mock.requests) == 3
    pages = asking.latest / "pages" / "good"
    for name in ("1", "2", "30"):
        assert f"['{name}']" in (pages / name / "index.html").read_text()

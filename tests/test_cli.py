"""The `iwr` command, run as a user runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_iwr.cli import main
from pytest_iwr.load import schema
from tests.load import official_kit as official

GOOD = "iwr: 1\nid: {}\nsteps:\n- {{press: a, expect: [{{text: b}}]}}\n"


def _write(folder: Path, name: str, text: str) -> Path:
    file = folder / name / "task.iwr.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Give exit status and output, of `iwr` with these arguments."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_check_tells_every_problem_of_every_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each problem has file and line, the counts come last, the status is 1."""
    one = _write(tmp_path, "one", "iwr: 1\nsteps:\n- dragg: a\n- {press: a, foo: b}\n")
    two = _write(tmp_path, "two", GOOD.format("two"))
    three = _write(tmp_path, "three", "")
    status, output = _run(capsys, "check", tmp_path)
    lines = output.splitlines()
    assert status == 1
    assert lines[0].startswith(f"{one}:3: steps[0]: unknown action 'dragg'.")
    assert lines[1].startswith(f"{one}:4: steps[1]: unknown key 'foo'.")
    assert lines[2].startswith(f"{three}:1: empty task.")
    assert lines[3:] == ["3 files, 3 problems, 0 warnings"]
    assert str(two) not in output


def test_check_of_good_tasks_is_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is named twice is checked once."""
    file = _write(tmp_path, "one", GOOD.format("one"))
    assert _run(capsys, "check", file, tmp_path) == (
        0,
        "1 file, 0 problems, 0 warnings\n",
    )


def test_warnings_count_only_when_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A weak task passes the check, and not the strict one."""
    file = _write(tmp_path, "one", "iwr: 1\nsteps:\n- press: a\n")
    status, output = _run(capsys, "check", file)
    assert status == 0
    warning, counts = output.splitlines()
    assert warning.startswith(f"{file}:3: steps[0]: warning: nothing is checked")
    assert counts == "1 file, 0 problems, 1 warning"
    assert _run(capsys, "check", "--strict", file) == (1, output)


def test_two_tasks_of_one_id_are_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second one is told, with the line of its id and the place of the first."""
    first = _write(tmp_path, "a", GOOD.format("same"))
    second = _write(tmp_path, "b", GOOD.format("same"))
    status, output = _run(capsys, "check", tmp_path)
    assert status == 1
    assert output.startswith(f"{second}:2: id: 'same' is the id of {first}:2 already.")


def test_check_reads_every_line_of_the_official_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A `data.jsonl` has its problems by line; an id of a task file is taken."""
    wrong = official.row(8, official.action("Drag"))
    file = official.Data(tmp_path).write(official.row(7), "{", wrong, official.row(9))
    mine = _write(tmp_path, "mine", GOOD.format(9))
    status, output = _run(capsys, "check", mine, file)
    assert status == 1
    broken, unknown, taken, counts = output.splitlines()
    assert broken.startswith(f"{file}:2: is no JSON at column 2:")
    assert unknown.startswith(f"{file}:3: action_sequence[0].type: must be 'Click',")
    assert taken == f"{file}:4: id: '9' is the id of {mine}:2 already. Choose another."
    assert counts == "2 files, 3 problems, 0 warnings"


def test_check_of_good_official_data_is_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody is advised to rewrite foreign data, whose assertions are prose."""
    file = official.Data(tmp_path).write(
        official.row(7, official.action(claim="It opens")), official.row(8)
    )
    assert _run(capsys, "check", "--strict", file) == (
        0,
        "1 file, 0 problems, 0 warnings\n",
    )


@pytest.mark.parametrize("command", ("capture", "check --oracle"))
def test_official_data_has_no_single_task_to_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """What takes one task says how a file of many is split."""
    file = official.Data(tmp_path).write(official.row(7))
    status, output = _run(capsys, *command.split(), file, "--site", tmp_path)
    assert status == 4
    assert output.endswith(
        f"{file}: holds many tasks. Make task files of it first:"
        " iwr import iwr-bench SRC TASKS\n"
    )


def test_hidden_folders_are_not_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A virtual environment below the folder is left alone."""
    _write(tmp_path, ".venv/lib/task", "")
    _write(tmp_path, "one", GOOD.format("one"))
    assert _run(capsys, "check", tmp_path)[0] == 0


@pytest.mark.parametrize(
    "arguments", ((), ("dance",), ("check",), ("check", "--loud", "x"))
)
def test_bad_usage_ends_with_4(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    """As every other bad option of the project does."""
    status, output = _run(capsys, *arguments)
    assert status == 4
    assert output.startswith("usage: iwr")


def test_folder_without_tasks_is_bad_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to check is a mistake, not a success."""
    status, output = _run(capsys, "check", tmp_path)
    assert status == 4
    assert output == f"no *.iwr.yaml below '{tmp_path}'. Name another folder.\n"


def test_file_that_is_not_there_is_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told like the problems of files that are."""
    missing = tmp_path / "task.iwr.yaml"
    status, output = _run(capsys, "check", missing)
    assert status == 1
    assert output.startswith(f"{missing}:1: cannot be read: No such file")


def test_schema_goes_to_a_file_or_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both have the same bytes."""
    file = tmp_path / "schema.json"
    assert _run(capsys, "schema", "-o", file) == (0, "")
    assert _run(capsys, "schema") == (0, schema())
    assert file.read_text(encoding="utf-8") == schema()
    status, output = _run(capsys, "schema", "-o", tmp_path / "no" / "schema.json")
    assert status == 4
    assert "cannot be written: No such file or directory." in output


def test_browser_that_does_not_exist_ends_with_21(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A browser that is named is never replaced by another."""
    named = str(tmp_path / "chromium")
    status, output = _run(capsys, "browser", "--iwr-browser-executable", named)
    assert status == 21
    assert f"{named!r} does not exist." in output


def test_browser_is_named_with_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    """One line says which browser a run would take."""
    status, output = _run(capsys, "browser")
    assert status == 0
    assert len(output.splitlines()) == 1


@pytest.mark.parametrize(
    "command", ("check", "schema", "browser", "capture", "leaderboard")
)
def test_help_teaches(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Every command explains itself, and the command line lists them all."""
    status, output = _run(capsys, command, "--help")
    assert status == 0
    assert f"iwr {command}" in output
    assert command in _run(capsys, "--help")[1]


def test_module_is_the_command_and_needs_no_pytest() -> None:
    """`python -m pytest_iwr` works, and loads neither pytest nor a browser."""
    script = (
        "import sys, runpy; sys.argv = ['iwr', 'schema']\n"
        "try: runpy.run_module('pytest_iwr', run_name='__main__')\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'pytest', '_pytest', 'playwright', 'cv2', 'onnxruntime', 'numpy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    made = subprocess.run(  # the script above
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert made.stdout == schema()


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """`iwr --version` names the package's version."""
    assert _run(capsys, "--version") == (0, "iwr 0.1.0\n")

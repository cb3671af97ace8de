"""`iwr import iwr-bench`: the official data becomes task files."""

from pathlib import Path

import pytest

from pytest_iwr.cli import main
from pytest_iwr.drive.read import ground_action
from pytest_iwr.load import load, load_named, load_official
from pytest_iwr.records import Task
from tests.load.official_kit import PICTURE, Data, action, row

RICH = row(
    7,
    action(description='Click "No: #1" – 5 > 3', flag=True, claim="It's on: yes"),
    action("Type", description='Type "🎉" into "Name"', text="🎉\t\u0007 1:30"),
    action("Press", key="Enter", flag=True),
    action("Scroll", description="Scroll down", direction="down", scroll_page=0.5),
    action(description='Double-click "It\'s: #2"', claim="It can be edited"),
    action(description='Hover over the link "More"'),
    recording_details={"resolution": "390x844", "environment": "mobile"},
)


@pytest.fixture
def data(tmp_path: Path) -> Data:
    """Give data of two tasks, one of them with all that a task may have."""
    data = Data(tmp_path / "official")
    data.write(row(3), RICH)
    data.add("7", "video.webm", b"film")
    data.add("7", "assets/asset_001.png", PICTURE)
    data.add("7", "assets/fonts/asset_002.woff2")
    data.add("7", "stitched_assets/step_1.jpg", b"sheet")
    return data


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Give exit status and output of `iwr` with these arguments."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def convert(
    capsys: pytest.CaptureFixture[str], source: Path, target: Path, *more: str
) -> tuple[int, str]:
    """Import, and give exit status and output."""
    return run(capsys, "import", "iwr-bench", source, target, *more)


def meaning(task: Task) -> list[object]:
    """Give what is done and judged in a task, wherever its pictures lie."""
    steps = [
        (
            ground_action(step, task, number),
            step.say,
            step.expect,
            step.checkpoint is not None,
        )
        for number, step in enumerate(task.steps, start=1)
    ]
    return [task.id, task.source, task.tags, task.viewport, steps]


def test_task_file_says_what_the_data_says(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every action, assertion and comparison is the same before and after."""
    status, output = convert(capsys, data.file, tmp_path / "tasks")
    assert (status, output.splitlines()[-1]) == (0, "2 tasks written")
    for name in ("3", "7"):
        task = load(tmp_path / "tasks" / name / "task.iwr.yaml")
        assert meaning(task) == meaning(load_named(data.file, name))


@pytest.mark.parametrize("sign", "\x85\u2028\u2029\ufeff\x7f\x1b\ufffe\0", ids=ascii)
def test_sign_that_no_task_file_may_hold_is_written_as_an_escape(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str], sign: str
) -> None:
    """Whatever text the data has, what is written loads and says the same."""
    said = f"Click{sign}the 🛒"
    data.write(
        row(1, action(description=said, claim=said), source_website=said),
        row(2, action("Type", text=said)),
    )
    status, _ = convert(capsys, data.file, tmp_path / "tasks")
    assert status == 0
    for name in ("1", "2"):
        task = load(tmp_path / "tasks" / name / "task.iwr.yaml")
        assert (task.source, task.steps[0].action, task.steps[0].expect) == (
            load_named(data.file, name).source,
            load_named(data.file, name).steps[0].action,
            load_named(data.file, name).steps[0].expect,
        )


def test_files_of_the_task_are_copied(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder is complete by itself: pictures, video, assets and sheets."""
    convert(capsys, data.file, tmp_path / "tasks")
    folder = tmp_path / "tasks" / "7"
    found = [p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()]
    assert sorted(found) == [
        "assets/asset_001.png",
        "assets/fonts/asset_002.woff2",
        "checkpoints/00.png",
        "checkpoints/01.png",
        "checkpoints/03.png",
        "sheets/step_1.jpg",
        "task.iwr.yaml",
        "video.webm",
    ]
    assert (folder / "video.webm").read_bytes() == b"film"
    task = load(folder / "task.iwr.yaml")
    assert (task.video, task.assets, task.sheets) == ("video.webm", "assets", "sheets")


def test_result_passes_the_check(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`iwr check` finds no problem in what was written."""
    convert(capsys, data.file, tmp_path / "tasks")
    status, output = run(capsys, "check", tmp_path / "tasks")
    assert status == 0
    assert "2 files, 0 problems" in output


def test_file_says_where_it_comes_from(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first line names the data's line, and `source` the site."""
    convert(capsys, data.file, tmp_path / "tasks")
    text = (tmp_path / "tasks" / "7" / "task.iwr.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "# Taken from IWR-Bench: data.jsonl, line 2."
    assert "  site: shop.example\n" in text


def test_only_what_is_asked_for_is_taken(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--only` takes the tasks that it names, from a folder with data, too."""
    status, _ = convert(capsys, data.file.parent, tmp_path / "tasks", "--only", "7")
    assert status == 0
    assert [folder.name for folder in (tmp_path / "tasks").iterdir()] == ["7"]


def test_nothing_is_overwritten(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is there stays as it is; the others are written."""
    mine = tmp_path / "tasks" / "7" / "notes.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    status, output = convert(capsys, data.file, tmp_path / "tasks")
    assert status == 1
    assert f"{data.file}:2: id: '{mine.parent}' is there already." in output
    assert [path.name for path in mine.parent.iterdir()] == ["notes.txt"]
    assert (tmp_path / "tasks" / "3" / "task.iwr.yaml").is_file()


def test_wrong_line_is_told_and_the_others_are_taken(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A malformed line costs its own task only, and the status says so."""
    data.write(row(3), "{", RICH)
    status, output = convert(capsys, data.file, tmp_path / "tasks")
    assert status == 1
    assert f"{data.file}:2: is no JSON" in output
    assert output.splitlines()[-1] == "2 tasks written"


def test_missing_data_is_bad_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without data is told with status 4."""
    status, output = convert(capsys, tmp_path, tmp_path / "tasks")
    assert status == 4
    assert f"{tmp_path}: is no data.jsonl, nor a folder with one." in output


def test_unknown_id_is_bad_usage(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task that is not there is told with status 4."""
    status, output = convert(capsys, data.file, tmp_path / "tasks", "--only", "9")
    assert status == 4
    assert "no line has the id '9'" in output
    assert not (tmp_path / "tasks").exists()


def test_links_out_of_the_data_are_not_followed(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An asset that is a link to a file of the machine is left out."""
    (tmp_path / "secret.txt").write_text("secret")
    (data.home / "7" / "assets" / "asset_003.txt").symlink_to(tmp_path / "secret.txt")
    convert(capsys, data.file, tmp_path / "tasks")
    assets = tmp_path / "tasks" / "7" / "assets"
    assert sorted(p.name for p in assets.iterdir()) == ["asset_001.png", "fonts"]


@pytest.mark.needs_shared
def test_shared_data_is_converted(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three tasks of nine actions say the same before and after."""
    file = shared / "bench" / "data.jsonl"
    status, _ = convert(capsys, file, tmp_path / "tasks")
    assert status == 0
    for line in load_official(file):
        assert isinstance(line.loaded, Task)
        written = tmp_path / "tasks" / line.loaded.id / "task.iwr.yaml"
        assert meaning(load(written)) == meaning(line.loaded)

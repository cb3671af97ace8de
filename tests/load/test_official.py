"""The official data of IWR-Bench as tasks, without conversion."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load_named, load_official
from pytest_iwr.records import Task
from tests.load.official_kit import PICTURE, Data, action, row

DOCS = Path(__file__).parents[2] / "docs" / "official-data.md"


@pytest.fixture
def data(tmp_path: Path) -> Data:
    """Give a folder without data."""
    return Data(tmp_path / "bench")


def tasks(path: Path) -> list[Task]:
    """Give the tasks of a file without a fault."""
    loaded = [line.loaded for line in load_official(path)]
    assert [one for one in loaded if isinstance(one, TaskError)] == []
    return [one for one in loaded if isinstance(one, Task)]


def problems(path: Path) -> list[str]:
    """Give the problems of all lines, without the file's name."""
    errors = [line.loaded for line in load_official(path)]
    texts = [str(p) for e in errors if isinstance(e, TaskError) for p in e.problems]
    return [text.removeprefix(f"{path}:") for text in texts]


def said(task: Task, number: int = 1) -> dict[str, Any]:
    """Give a step as a task file would say it."""
    step = task.steps[number - 1]
    return step.model_dump(mode="json", by_alias=True, exclude_unset=True)


def test_row_is_a_task(data: Data) -> None:
    """Number, window, classification and place of a row are the task's."""
    (task,) = tasks(data.write(row(7)))
    assert task.id == "7"
    assert task.path == str(data.file)
    assert (task.viewport and task.viewport.model_dump(exclude_unset=True)) == {
        "width": 1920,
        "height": 1080,
    }
    assert task.source.model_dump() == {
        "site": "shop.example",
        "domain": "shopping",
        "sub_domain": "catalogue",
        "interaction": "L3",
        "visual": "V1",
    }
    assert task.tags == ("L3",)
    assert task.start is not None
    assert task.start.image == "data/7/checkpoints/step_0.png"


def test_recording_on_a_phone_is_shown_as_on_one(data: Data) -> None:
    """A mobile environment gives a window with touch and a meta viewport."""
    details = {"resolution": "390x844", "environment": "Mobile (portrait)"}
    (task,) = tasks(data.write(row(recording_details=details)))
    assert task.viewport is not None
    assert (task.viewport.mobile, task.viewport.touch) == (True, True)


@pytest.mark.parametrize(
    ("environment", "shown_on"),
    (
        ("mobile_web", "mobile"),
        ("Smartphone", "mobile"),
        ("Android13", "mobile"),
        ("iPad", "mobile"),
        ("ipados-17", "mobile"),
        ("2 tablets", "mobile"),
        ("iOS17/Safari", "mobile"),
        ("webMobile", "mobile"),
        ("desktop", "desktop"),
        ("Desktop, with a microphone", "desktop"),
        ("kiosk_at_studios", "desktop"),
        ("automobile fair", "desktop"),
        ("", "desktop"),
    ),
)
def test_word_of_the_environment_says_what_it_is_shown_on(
    data: Data, environment: str, shown_on: str
) -> None:
    """Digits, underscores and other words beside it change nothing."""
    details = {"resolution": "390x844", "environment": environment}
    (task,) = tasks(data.write(row(recording_details=details)))
    assert task.shown_on == shown_on


PROSE = [
    (
        action("Click", description="Click the heart"),
        {"click": {"describe": "Click the heart"}, "say": "Click the heart"},
    ),
    (
        action("Click", description='Double-click on "Ada" to edit it'),
        {
            "double_click": {"describe": '"Ada" to edit it'},
            "say": 'Double-click on "Ada" to edit it',
        },
    ),
    (
        action("Click", description="Right-click the row"),
        {"right_click": {"describe": "the row"}, "say": "Right-click the row"},
    ),
    (
        action("Click", description="Hover over the menu"),
        {"hover": {"describe": "the menu"}, "say": "Hover over the menu"},
    ),
    (
        action("Click", description="Move the mouse over the button"),
        {"hover": {"describe": "the button"}, "say": "Move the mouse over the button"},
    ),
    (
        action("Click", description='Hover over "More" and click "Exit"'),
        {
            "click": {"describe": 'Hover over "More" and click "Exit"'},
            "say": 'Hover over "More" and click "Exit"',
        },
    ),
    (
        action("Type", description='Type "Ada" into "Name"'),
        {
            "type": {"describe": 'Type "Ada" into "Name"'},
            "say": 'Type "Ada" into "Name"',
        },
    ),
    (
        action("Type", description="Type the name", text="Ada"),
        {"type": {"describe": "Type the name", "text": "Ada"}, "say": "Type the name"},
    ),
    (action("Press", key="ArrowLeft"), {"press": {"key": "ArrowLeft"}}),
    (
        action("Press", description="Press Enter", key=None),
        {"press": {"describe": "Press Enter"}, "say": "Press Enter"},
    ),
    (action("Scroll", direction="down", scroll_page=0.5), {"scroll": {"by": 0.5}}),
    (action("Scroll", direction="Up", scroll_page="2"), {"scroll": {"by": -2.0}}),
    (action("Scroll", direction="left"), {"scroll": {"by_x": -1.0}}),
    (
        action("Scroll", description="Scroll to the end", direction="down"),
        {"scroll": {"describe": "Scroll to the end"}, "say": "Scroll to the end"},
    ),
    (
        action("Scroll", description="Scroll up", scroll_page=3),
        {"scroll": {"describe": "Scroll up", "by": -3.0}, "say": "Scroll up"},
    ),
]


@pytest.mark.parametrize(("official", "step"), PROSE)
def test_action_is_a_step(
    data: Data, official: dict[str, Any], step: dict[str, Any]
) -> None:
    """Parameters are taken as they are, and the description says the rest."""
    (task,) = tasks(data.write(row(7, official)))
    assert said(task) == step


def test_assertion_is_prose(data: Data) -> None:
    """A logical assertion is for the judge; an empty one asserts nothing."""
    both = (action(claim="The cart shows 2"), action(claim=""))
    (task,) = tasks(data.write(row(7, *both)))
    assert [e.prose for e in task.steps[0].expect] == ["The cart shows 2"]
    assert task.steps[1].expect == ()


def test_only_flagged_screens_are_compared(data: Data) -> None:
    """A picture belongs to its own step, whatever steps before it are not flagged."""
    steps = (action(), action(flag=True), action(), action(flag=True))
    (task,) = tasks(data.write(row(7, *steps)))
    pictures = [s.checkpoint.image if s.checkpoint else None for s in task.steps]
    assert pictures == [
        None,
        "data/7/checkpoints/step_2.png",
        None,
        "data/7/checkpoints/step_4.png",
    ]


@pytest.mark.parametrize(
    "named",
    (
        "7/checkpoints/after.png",
        "checkpoints/after.png",
        "data/7/checkpoints/after.png",
    ),
)
def test_named_picture_is_found(data: Data, named: str) -> None:
    """A picture is named from the data's folder, the task's, or the file's."""
    data.add("7", "checkpoints/after.png", PICTURE)
    (task,) = tasks(data.write(row(7, action(flag=True, picture=named))))
    checkpoint = task.steps[0].checkpoint
    assert checkpoint is not None
    assert checkpoint.image == "data/7/checkpoints/after.png"


@pytest.mark.parametrize("video", ("video.mp4", "video.webm"))
@pytest.mark.parametrize("sheet", ("stitched_image_1.png", "step_1.jpg"))
def test_inputs_of_models_are_found(data: Data, video: str, sheet: str) -> None:
    """Video, assets and contact sheets are taken under either naming."""
    data.add("7", video)
    data.add("7", "assets/asset_001.png")
    data.add("7", f"stitched_assets/{sheet}")
    (task,) = tasks(data.write(row(7)))
    assert task.video == f"data/7/{video}"
    assert (task.assets, task.sheets) == ("data/7/assets", "data/7/stitched_assets")


def test_inputs_of_models_may_be_absent(data: Data) -> None:
    """Pages that are stored need no video, assets and sheets."""
    (task,) = tasks(data.write(row(7)))
    assert (task.video, task.assets, task.sheets) == (None, None, None)


def test_folders_may_lie_beside_the_file(tmp_path: Path) -> None:
    """Tasks' folders are found without the folder `data`, too."""
    data = Data(tmp_path, home=".")
    (task,) = tasks(data.write(row(7, action(flag=True))))
    assert task.start is not None
    assert task.start.image == "7/checkpoints/step_0.png"


def test_steps_stand_in_the_line_of_their_task(data: Data) -> None:
    """Empty lines count, so an editor jumps to the right one."""
    first, second = tasks(data.write(row(1), "", row(2, action(), action())))
    assert first.step_lines == (1,)
    assert second.step_lines == (3, 3)


def test_one_task_is_found_again(data: Data) -> None:
    """Of a file with many tasks the one with the id is given."""
    path = data.write(row(1), "{", row(2))
    assert load_named(path, "2").step_lines == (3,)


def test_id_that_no_line_has_is_told(data: Data) -> None:
    """Whoever asks for a task that is not there learns its id."""
    path = data.write(row(1))
    with pytest.raises(TaskError, match="no line has the id '3'"):
        load_named(path, "3")


def test_broken_task_is_told_by_its_id(data: Data) -> None:
    """Whoever asks for a broken task learns what is wrong with it."""
    path = data.write(row(1), row(2, action_sequence=[]))
    with pytest.raises(TaskError, match=r"data\.jsonl:2: action_sequence: is empty"):
        load_named(path, "2")


def _without(key: str) -> dict[str, Any]:
    return {k: v for k, v in row(7).items() if k != key}


FAULTS: list[tuple[dict[str, Any] | str | bytes, str]] = [
    ("{'id': 7}", "2: is no JSON at column 2:"),
    (b'{"id": 7, "source_website": "\xff"}', "2: byte 0xff is not UTF-8."),
    ("[" * 100_000, "2: values are nested too deep."),
    ("[7]", "2: must be a JSON object"),
    ("7", "2: must be a JSON object"),
    ('{"id": "\\ud800"}', "2: holds half a character"),
    (_without("id"), "2: has no `id`. Add it."),
    (_without("action_sequence"), "2: has no `action_sequence`. Add it."),
    (_without("recording_details"), "2: has no `recording_details`. Add it."),
    (row(name=True), "2: id: must be text, is true."),
    (row("../7"), "2: id: '../7' cannot be the name of a folder."),
    (row(7, action_sequence=[]), "2: action_sequence: is empty."),
    (row(7, action_sequence="Click"), "2: action_sequence: must be a list"),
    (
        row(7, recording_details={"resolution": "large"}),
        "2: recording_details.resolution: must be a width and a height",
    ),
    (
        row(7, recording_details={"resolution": "99x720"}),
        "2: recording_details.resolution: must be a width and a height",
    ),
    (
        row(7, classification={"interaction_complexity": "L9"}),
        "2: classification.interaction_complexity: must be 'L1'",
    ),
    (row(7, action("Drag")), "2: action_sequence[0].type: must be 'Click'"),
    (
        row(7, action("click")),
        "2: action_sequence[0].type: must be 'Click', 'Type', 'Scroll' or 'Press'",
    ),
    (
        row(7, action("Click", key="a")),
        "2: action_sequence[0].parameters: has no `description`. Add it.",
    ),
    (
        row(7, action("Press", text="a")),
        "2: action_sequence[0].parameters: has no `key`. Add it.",
    ),
    (
        row(7, action("Scroll", scroll_page=1)),
        "2: action_sequence[0].parameters: has no `direction`. Add it.",
    ),
    (
        row(7, action("Scroll", direction="down", scroll_page=math.inf)),
        "2: action_sequence[0].parameters.scroll_page: must be a",
    ),
    (
        row(7, action("Scroll", direction="sideways")),
        "2: action_sequence[0].parameters.direction: must be 'up'",
    ),
    (
        row(7, action(flag="true")),
        "2: action_sequence[0].visual_evaluation_flag: must be true or false",
    ),
    (
        row(7, action(description=5)),
        "2: action_sequence[0].parameters.description: must be text, is 5.",
    ),
    (
        row(7, action(flag=True, picture="7/checkpoints/step_9.png")),
        "2: action_sequence[0].checkpoint_screenshot: there is no file 'data/7/check",
    ),
    (
        row(7, action(flag=True, picture="../../secret.png")),
        "2: action_sequence[0].checkpoint_screenshot: '../../secret.png' leaves",
    ),
    (
        json.dumps(row("n" * 300)),
        "2: id: a text of 300 bytes cannot be the name of a folder.",
    ),
    (
        json.dumps(row("字" * 100)),
        "2: id: a text of 300 bytes cannot be the name of a folder.",
    ),
    (
        row(7, action(flag=True, picture="n" * 300)),
        "2: action_sequence[0].checkpoint_screenshot: 'data/nnn",
    ),
]


@pytest.mark.parametrize(
    ("line", "problem"), FAULTS, ids=[problem for _, problem in FAULTS]
)
def test_wrong_line_is_told_with_its_number(
    data: Data, line: dict[str, Any] | str | bytes, problem: str
) -> None:
    """A malformed line is one problem with its line; the lines around it load."""
    path = data.write(row(1), line, row(3))
    found = problems(path)
    assert len(found) == 1
    assert found[0].startswith(problem)
    lines = load_official(path)
    good = [one.loaded.id for one in lines if isinstance(one.loaded, Task)]
    assert good == ["1", "3"]


def test_missing_first_picture_is_told(data: Data) -> None:
    """The state before the first step is scored, so it must be there."""
    path = data.write(row(7))
    (data.home / "7" / "checkpoints" / "step_0.png").unlink()
    (problem,) = problems(path)
    assert problem.startswith("1: start: there is no file 'data/7/checkpoints/step_0")


def test_missing_flag_is_told(data: Data) -> None:
    """Nobody guesses whether a screen is to be compared."""
    unclear = action()
    del unclear["visual_evaluation_flag"]
    assert problems(data.write(row(7, unclear))) == [
        "1: action_sequence[0]: has no `visual_evaluation_flag`. Add it."
    ]


def test_all_faults_of_a_line_are_told(data: Data) -> None:
    """Two mistakes of a line are told at once."""
    both = row(7, action(flag="true"), action(description=5))
    assert len(problems(data.write(both))) == 2


def test_second_of_two_equal_ids_is_wrong(data: Data) -> None:
    """An id in text and as a number is one id; the first task has it."""
    path = data.write(row(7), row("7"))
    assert problems(path) == ["2: id: '7' is the id of line 1 already. Give another."]
    assert load_named(path, "7").step_lines == (1,)


def test_link_out_of_the_data_is_refused(data: Data, tmp_path: Path) -> None:
    """Foreign data cannot have files of the machine shown."""
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(b"secret")
    path = data.write(row(7))
    (data.home / "7" / "video.mp4").symlink_to(secret)
    assert problems(path)[0].startswith("1: video: 'data/7/video.mp4' is a link out")


def test_link_to_itself_is_told(data: Data) -> None:
    """It leads to no file, and the lines around it load."""
    path = data.write(row(1), row(7), row(3))
    first = data.home / "7" / "checkpoints" / "step_0.png"
    first.unlink()
    first.symlink_to(first.name)
    (problem,) = problems(path)
    assert problem.startswith("2: start: there is no file 'data/7/checkpoints/step_0")


def test_folder_that_is_too_deep_is_told(data: Data) -> None:
    """What the machine cannot look up is the fault of its own line."""
    path = data.write(row(1), row(7, action(flag=True, picture="d/" * 3000)), row(3))
    (problem,) = problems(path)
    assert "cannot be looked up: File name too long. Correct the name." in problem


def test_what_is_not_known_is_passed_over(data: Data) -> None:
    """Keys that are not needed may be there, whatever they hold."""
    (task,) = tasks(data.write(row(7, note={"kind": [1, None]}, kind="x")))
    assert task.id == "7"


def test_windows_line_ends_and_a_mark_are_read(data: Data) -> None:
    """A file that was saved on Windows is the same file."""
    text = "\r\n".join(json.dumps(one) for one in (row(1), row(2)))
    path = data.write(row(1), row(2))
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert [task.id for task in tasks(path)] == ["1", "2"]


@pytest.mark.parametrize("content", (b"", b"\n \n"))
def test_empty_file_is_told(data: Data, content: bytes) -> None:
    """A file without a line holds no tasks, which nobody means."""
    data.write(row(1)).write_bytes(content)
    with pytest.raises(TaskError, match=r"data\.jsonl:1: the file is empty"):
        load_official(data.file)


def test_example_of_the_docs_is_a_task(data: Data) -> None:
    """The line that the documentation shows loads, as it says."""
    text = DOCS.read_text(encoding="utf-8")
    shown = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert shown is not None
    (task,) = tasks(data.write(json.loads(shown[1])))
    assert (task.id, [step.verb for step in task.steps]) == ("17", ["click", "scroll"])


def test_messages_of_the_docs_are_what_is_said(data: Data) -> None:
    """The two messages that the documentation shows are given word by word."""
    path = data.write("", row(7), row(3, action("Drag")), *[""] * 4, row(7))
    shown = re.search(r"```text\n(data\.jsonl:.*?)```", DOCS.read_text(), re.DOTALL)
    assert shown is not None
    lines = shown[1].replace("data.jsonl:", "").splitlines()
    assert problems(path) == lines


@pytest.mark.needs_shared
def test_shared_data_is_read(shared: Path) -> None:
    """Three tasks of nine prose actions each, with their pictures."""
    found = tasks(shared / "bench" / "data.jsonl")
    assert [(task.id, len(task.steps)) for task in found] == [
        ("task1", 9),
        ("task2", 9),
        ("task3", 9),
    ]

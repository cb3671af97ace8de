"""`masks.json`: where the reference has the masks of its pictures."""

from pathlib import Path

import pytest

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load
from pytest_iwr.records import Box

TASK = """\
iwr: 1
start: {image: shots/00.png, mask: [{role: timer}]}
steps:
  - {press: a, checkpoint: {image: shots/01.png, mask: [{role: timer}]}}
  - {press: b, checkpoint: shots/02.png}
  - {press: c, checkpoint: {image: 03.png, mask: [{role: timer}]}}
"""
BOX = '{"x": 1, "y": 2.5, "width": 3, "height": 0}'


@pytest.fixture
def file(task_file: Path) -> Path:
    """Give a task with pictures in two folders."""
    (task_file.parent / "shots").mkdir()
    for name in ("shots/00.png", "shots/01.png", "shots/02.png", "03.png"):
        (task_file.parent / name).touch()
    task_file.write_text(TASK)
    return task_file


def test_masks_lie_beside_their_pictures(file: Path) -> None:
    """Each folder has its own file; pictures without an entry are unknown."""
    entries = f'{{"00.png": [{BOX}], "01.png": [], "02.png": [{BOX}]}}'
    (file.parent / "shots" / "masks.json").write_text(entries)
    (file.parent / "masks.json").write_text(f'{{"03.png": [{BOX}, {BOX}]}}')
    box = Box(x=1, y=2.5, width=3, height=0)
    known = {"shots/00.png": (box,), "shots/01.png": (), "03.png": (box, box)}
    assert load(file).masks == known


def test_task_without_such_a_file_is_as_it_was(file: Path) -> None:
    """Nobody knows where the reference has its masks."""
    assert load(file).masks == {}


@pytest.mark.parametrize(
    ("content", "said"),
    (
        ("", "Invalid JSON: EOF"),
        ("version https://git-lfs.github.com/spec/v1", "Invalid JSON"),
        ("[]", "Input should be an object"),
        ('{"01.png": 7}', "['01.png']: Input should be a valid array"),
        ('{"01.png": [{"x": 1}]}', "['01.png'][0]['y']: Field required"),
        (
            f'{{"01.png": [{BOX.replace("0", "-1")}]}}',
            "must not be smaller than nothing",
        ),
        (
            f'{{"01.png": [{BOX.replace("2.5", "NaN")}]}}',
            "must be made of finite numbers",
        ),
    ),
    ids=["empty", "pointer", "list", "number", "incomplete", "negative", "nan"],
)
def test_file_that_is_no_such_file_is_a_mistake_of_the_task(
    file: Path, content: str, said: str
) -> None:
    """It is named with what is wrong and how it is made; a capture needs none."""
    masks = file.parent / "shots" / "masks.json"
    masks.write_text(content)
    with pytest.raises(TaskError) as caught:
        load(file)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{masks}:1: ")
    assert said in str(problem)
    assert str(problem).endswith("Make it anew: iwr capture TASK --site DIR_OR_URL.")
    assert load(file, needs_files=False).masks == {}

"""A mask is written into a task file, and every other letter of it stays."""

import difflib
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.author.pictures import checkpoint_of
from pytest_iwr.author.review.mask_file import CannotWriteError, add_masks
from pytest_iwr.load import load

ROOT = Path(__file__).parents[2]
BOX = (0.1, 0.25, 0.5, 0.3333)
WRITTEN = "{box: [0.1, 0.25, 0.5, 0.3333]}"
MASK = r.Target(box=BOX)
HEAD = "# a héad 😀\niwr: 1\nid: t  # an id\nsteps:\n  - press: F1\n    "
TAIL = "\n\n  # é, the next step\n  - press: F2 # second\n"

SHAPES = {
    "name": ("checkpoint: a.png", "checkpoint: {image: a.png, mask: [NEW]}"),
    "name with a comment": (
        "checkpoint: a.png   # why",
        "checkpoint: {image: a.png, mask: [NEW]}   # why",
    ),
    "quoted name": (
        "checkpoint: 'a, b.png'",
        "checkpoint: {image: 'a, b.png', mask: [NEW]}",
    ),
    "braces": (
        "checkpoint: {image: a.png, full_page: true}",
        "checkpoint: {image: a.png, full_page: true, mask: [NEW]}",
    ),
    "braces over lines": (
        "checkpoint: {\n      image: a.png, # picture\n    }",
        "checkpoint: {\n      image: a.png, # picture\n     mask: [NEW]}",
    ),
    "block": (
        "checkpoint:\n      image: a.png # picture\n      full_page: true # all",
        "checkpoint:\n      image: a.png # picture\n      mask: [NEW]\n      full_page: true # all",
    ),
    "block that begins with a map": (
        "checkpoint:\n      mask: []\n      image: a.png",
        "checkpoint:\n      mask: [NEW]\n      image: a.png",
    ),
    "brackets": (
        "checkpoint: {image: a.png, mask: [{role: status}]} # two",
        "checkpoint: {image: a.png, mask: [{role: status}, NEW]} # two",
    ),
    "list": (
        "checkpoint:\n      image: a.png\n      mask:\n        # the clock\n        - {role: status} # moves",
        "checkpoint:\n      image: a.png\n      mask:\n        # the clock\n        - {role: status} # moves\n        - NEW",
    ),
    "list of blocks": (
        "checkpoint:\n      image: a.png\n      mask:\n      - role: status\n        name: Clock # it",
        "checkpoint:\n      image: a.png\n      mask:\n      - role: status\n        name: Clock # it\n      - NEW",
    ),
    "list of sentences": (
        "checkpoint:\n      image: a.png\n      mask: \n        - the clock",
        "checkpoint:\n      image: a.png\n      mask: \n        - the clock\n        - NEW",
    ),
}


def write(folder: Path, text: str) -> Path:
    """Write a task file, without changing an end of a line."""
    file = folder / "task.iwr.yaml"
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize("ends", ("\n", "\r\n"), ids=("lf", "crlf"))
@pytest.mark.parametrize(("old", "new"), SHAPES.values(), ids=SHAPES.keys())
def test_mask_joins_a_checkpoint(tmp_path: Path, old: str, new: str, ends: str) -> None:
    """However it is written, the rest of the text stays letter by letter."""
    text = (HEAD + old + TAIL).replace("\n", ends)
    wanted = (HEAD + new.replace("NEW", WRITTEN) + TAIL).replace("\n", ends)
    file = write(tmp_path, text)
    assert add_masks(file, 1, [BOX]).decode() == wanted
    assert file.read_bytes() == text.encode()


def test_start_picture_gets_a_mask(tmp_path: Path) -> None:
    """Step 0 is the picture before the first step."""
    file = write(tmp_path, "iwr: 1\nstart: a.png\nsteps:\n  - press: F1\n")
    lines = add_masks(file, 0, [BOX]).decode().splitlines()
    assert lines[1] == f"start: {{image: a.png, mask: [{WRITTEN}]}}"


def test_last_line_without_an_end_and_a_mark_are_kept(tmp_path: Path) -> None:
    """A byte order mark stays, and no line end is added behind the last line."""
    file = tmp_path / "task.iwr.yaml"
    text = "\ufeffiwr: 1\nsteps:\n  - press: F1\n    checkpoint: {image: a.png}"
    file.write_text(text, encoding="utf-8")
    edited = add_masks(file, 1, [BOX]).decode()
    assert edited == text.replace("a.png", f"a.png, mask: [{WRITTEN}]")


SHARED = """iwr: 1
start:
  image: a.png
  # drawn at random
  mask: &random
    - &board {box: [0, 0, 0.5, 0.5]}  # the board
    - &numbers {role: status}
steps:
  - press: F1
    expect: [{changed: *board}]
    checkpoint: {image: b.png, mask: *random}  # first
  - press: F2
    checkpoint: {image: c.png, mask: *random}
"""


@pytest.mark.parametrize("step", (0, 1, 2))
def test_masks_that_are_shared_are_changed_for_one(tmp_path: Path, step: int) -> None:
    """The others keep theirs, whoever has the anchor; comments stay."""
    file = write(tmp_path, SHARED)
    before = load(file, needs_files=False)
    file.write_bytes(add_masks(file, step, [BOX]))
    after = load(file, needs_files=False)
    for number in range(3):
        old, new = checkpoint_of(before, number), checkpoint_of(after, number)
        assert old is not None
        assert new is not None
        assert new.mask == ((*old.mask, MASK) if number == step else old.mask)
    text = file.read_text()
    for comment in ("# drawn at random", "# the board", "# first"):
        assert comment in text


def test_two_masks_in_a_row(tmp_path: Path) -> None:
    """Each joins what is there."""
    file = write(tmp_path, HEAD + "checkpoint: a.png" + TAIL)
    for _ in range(2):
        file.write_bytes(add_masks(file, 1, [BOX]))
    wanted = checkpoint_of(load(file, needs_files=False), 1)
    assert wanted is not None
    assert wanted.mask == (MASK, MASK)


@pytest.mark.parametrize("name", ("name", "braces", "list", "brackets"))
def test_several_masks_at_once(tmp_path: Path, name: str) -> None:
    """They stand in the order in which they were drawn."""
    other = (0.0, 0.0, 0.00005, 1.5)
    file = write(tmp_path, HEAD + SHAPES[name][0] + TAIL)
    old = checkpoint_of(load(file, needs_files=False), 1)
    file.write_bytes(add_masks(file, 1, [BOX, other]))
    new = checkpoint_of(load(file, needs_files=False), 1)
    assert old is not None
    assert new is not None
    assert new.mask == (*old.mask, MASK, r.Target(box=(0.0, 0.0, 0.0001, 1.5)))


TASKS = sorted(ROOT.glob("tasks/*/task.iwr.yaml"))


@pytest.mark.parametrize("task", TASKS, ids=[file.parent.name for file in TASKS])
def test_every_checkpoint_of_real_tasks_takes_one(tmp_path: Path, task: Path) -> None:
    """In each, few lines change, and no comment."""
    folder = tmp_path / task.parent.name
    folder.mkdir()
    file = write(folder, task.read_text(encoding="utf-8"))
    loaded = load(file, needs_files=False)
    old = file.read_text(encoding="utf-8").splitlines()
    tried = 0
    for step in range(len(loaded.steps) + 1):
        if checkpoint_of(loaded, step) is None:
            continue
        new = add_masks(file, step, [BOX]).decode().splitlines()
        changed = [
            line for line in difflib.ndiff(old, new) if line.startswith(("- ", "+ "))
        ]
        assert len(changed) <= 5
        assert not any(line[2:].lstrip().startswith("#") for line in changed)
        tried += 1
    assert tried >= 7


STRANGE = {
    "alias": "iwr: 1\nstart: &a {image: a.png}\nsteps:\n  - press: F1\n    checkpoint: *a\n",
    "shared": "iwr: 1\nsteps:\n  - press: F1\n    checkpoint: &a {image: a.png}\n  - press: F2\n    checkpoint: *a\n",
    "steps": "iwr: 1\nsteps:\n  - &a\n    press: F1\n    checkpoint: a.png\n  - *a\n",
    "block scalar": "iwr: 1\nsteps:\n  - press: F1\n    checkpoint: >-\n      a.png\n",
    "comma": "iwr: 1\nsteps:\n  - press: F1\n    checkpoint: a, b.png\n",
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
def test_what_cannot_be_written_is_told(tmp_path: Path, text: str) -> None:
    """The message has the line of the file and what to write there."""
    file = write(tmp_path, text)
    with pytest.raises(CannotWriteError) as told:
        add_masks(file, 1, [BOX])
    assert str(told.value).startswith(f"{file}:")
    assert str(told.value).endswith(f"by hand: {WRITTEN}")
    assert file.read_text() == text
    assert list(tmp_path.iterdir()) == [file]

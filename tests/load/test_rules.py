"""Files that a task names, its tags, its device."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pytest_iwr.load import load
from pytest_iwr.load.rules import RESERVED_TAGS, devices
from pytest_iwr.records import Task

Loaded = Callable[[str], Task]
Problems = Callable[[str], list[str]]

NAMING_FILES = (
    ("video: {}\n", "press: a", "2: video"),
    ("start: {}\n", "press: a", "2: start"),
    ("start: {{image: {}}}\n", "press: a", "2: start.image"),
    ("\n", "{{press: a, checkpoint: {}}}", "4: steps[0].checkpoint"),
    ("\n", "{{press: a, checkpoint: {{image: {}}}}}", "4: steps[0].checkpoint.image"),
    ("\n", "{{press: a, reference: {}}}", "4: steps[0].reference"),
    ("\n", "upload: {{into: a, file: {}}}", "4: steps[0].upload.file"),
    ("\n", "click: {{look: {}}}", "4: steps[0].click.look"),
    (
        "\n",
        "{{press: a, expect: [{{visible: {{look: {}}}}}]}}",
        "4: steps[0].expect[0]",
    ),
    ("start: {{image: here.png, mask: [{{look: {}}}]}}\n", "press: a", "2: start.mask"),
)


def _text(head: str, step: str, name: str) -> str:
    return f"iwr: 1\n{head.format(name)}steps:\n- {step.format(name)}\n"


@pytest.mark.parametrize(("head", "step", "where"), NAMING_FILES)
def test_named_file_must_be_there(
    problems: Problems, task_file: Path, head: str, step: str, where: str
) -> None:
    """Wherever a task names a file, a missing one is a problem of that place."""
    task_file.with_name("here.png").touch()
    (problem,) = problems(_text(head, step, "pictures/gone.png"))
    assert problem.startswith(where)
    assert "there is no file 'pictures/gone.png' in the task's folder." in problem
    task_file.write_text(_text(head, step, "here.png"))
    load(task_file)


@pytest.mark.parametrize("key", ("assets", "sheets"))
def test_named_folder_must_be_there(
    problems: Problems, loaded: Loaded, task_file: Path, key: str
) -> None:
    """A folder is a folder, with or without the slash."""
    text = f"iwr: 1\n{key}: things/\nsteps: [press: a]\n"
    assert problems(text)[0].startswith(f"2: {key}: there is no folder 'things/'")
    (task_file.parent / "things").touch()
    assert problems(text)[0].startswith(f"2: {key}: there is no folder 'things/'")
    (task_file.parent / "things").unlink()
    (task_file.parent / "things").mkdir()
    assert loaded(text.replace("/", "")).steps == loaded(text).steps


@pytest.mark.parametrize(
    "name",
    (
        "../secret.png",
        "pictures/../../secret.png",
        "/etc/hostname",
        "C:/secret.png",
        "..\\secret.png",
        "pictures\\here.png",
        "link.png",
        "linked/secret.png",
        '"a\\0b"',
        f"{'a' * 300}.png",
        '""',
    ),
)
def test_named_file_stays_in_the_folder(
    problems: Problems, task_file: Path, name: str
) -> None:
    """No path and no link leads out of the task's folder."""
    outside = task_file.parents[1] / "outside"
    outside.mkdir()
    (outside / "secret.png").touch()
    (task_file.parents[1] / "secret.png").touch()
    (task_file.parent / "pictures").mkdir()
    (task_file.parent / "link.png").symlink_to(outside / "secret.png")
    (task_file.parent / "linked").symlink_to(outside)
    (problem,) = problems(f"iwr: 1\nvideo: {name}\nsteps: [press: a]\n")
    assert problem.startswith("2: video: ")


def test_files_may_be_absent_for_those_who_make_them(task_file: Path) -> None:
    """Without the need for files, only paths that leave the folder are refused."""
    task_file.write_text("iwr: 1\nstart: new/00.png\nsteps: [press: a]\n")
    task = load(task_file, needs_files=False)
    assert task.start is not None
    assert task.start.image == "new/00.png"


def test_alias_of_a_text_is_checked_as_a_file(problems: Problems) -> None:
    """What was a harmless text before is a missing file at its second place."""
    (problem,) = problems(
        "iwr: 1\nsteps:\n- {press: a, say: &gone gone.png}\n"
        "- {press: a, reference: *gone}\n"
    )
    assert "steps[1].reference: there is no file 'gone.png'" in problem


@pytest.mark.parametrize("tag", sorted(RESERVED_TAGS))
def test_markers_of_pytest_are_no_tags(problems: Problems, tag: str) -> None:
    """A tag never skips a test or gives arguments to it."""
    (problem,) = problems(f"iwr: 1\ntags: [smoke, {tag}]\nsteps: [press: a]\n")
    assert problem.startswith(f"2: tags[1]: the tag {tag!r} is a marker of")


@pytest.mark.parametrize(
    "tag", ("two words", "2048", "a-b", "and", "or", "not", "_x", '""', "a.b", "a(1)")
)
def test_tag_can_be_selected(problems: Problems, tag: str) -> None:
    """A tag that `-m` could not name is refused."""
    (problem,) = problems(f"iwr: 1\ntags: [{tag}]\nsteps: [press: a]\n")
    assert problem.startswith("2: tags[0]: the tag ")


def test_good_tags_load(loaded: Loaded) -> None:
    """Words, in any letters, are tags; `yes` is one, too."""
    tags = loaded(
        "iwr: 1\ntags: [smoke, yes, l3_game, größe]\nsteps: [press: a]\n"
    ).tags
    assert tags == ("smoke", "yes", "l3_game", "größe")


@pytest.mark.parametrize("written", ('""', '"  "'))
def test_id_is_not_empty(problems: Problems, written: str) -> None:
    """An id names something."""
    (problem,) = problems(f"iwr: 1\nid: {written}\nsteps: [press: a]\n")
    assert problem.startswith("2: id: is empty.")


def test_unknown_device_is_named_with_those_alike(problems: Problems) -> None:
    """Of Playwright's two hundred devices, the message lists the maker's."""
    (problem,) = problems("iwr: 1\ndevice: iPhone 41\nsteps: [press: a]\n")
    assert problem.startswith("2: device: Playwright knows no device 'iPhone 41'.")
    assert "iPhone 14, " in problem
    assert "Pixel" not in problem


def test_devices_are_those_of_playwright() -> None:
    """The names that are read without starting Playwright are the ones it has."""
    with sync_playwright() as playwright:
        assert set(devices()) == set(playwright.devices)

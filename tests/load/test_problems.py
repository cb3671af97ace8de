"""Every mistake of a file is told at once, where it stands and with a way out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load
from pytest_iwr.records import Task

Loaded = Callable[[str], Task]
Problems = Callable[[str], list[str]]


def test_three_mistakes_are_three_located_problems(task_file: Path) -> None:
    """The message names file, line and place of each, in the order of the lines."""
    task_file.write_text(
        "iwr: 1\n"
        "colour: red\n"
        "steps:\n"
        "  - press: Enter\n"
        "  - dragg: {from: a, to: b}\n"
        "  - click:\n"
        "      role: button\n"
        '      nth: "2"\n'
    )
    with pytest.raises(TaskError) as caught:
        load(task_file)
    first, second, third = str(caught.value).splitlines()
    assert first.startswith(f"{task_file}:2: unknown key 'colour'. Known: iwr, id, ")
    assert second == (
        f"{task_file}:5: steps[1]: unknown action 'dragg'. Did you mean 'drag'?"
    )
    assert third == (
        f"{task_file}:8: steps[2].click.nth: must be a whole number, is '2'."
        " Remove the quotes."
    )
    assert caught.value.kind == "task_invalid"


STEP_PROBLEMS = (
    ("doubleClick: a", "steps[0]: unknown action 'doubleClick'. Did you mean 'double_"),
    ("dance: a", "steps[0]: unknown action 'dance'. Known: click, double_click, "),
    ("sya: hello", "steps[0]: unknown key 'sya'. Did you mean 'say'?"),
    ("{press: a, expct: []}", "steps[0]: unknown key 'expct'. Did you mean 'expect'?"),
    ("{press: a, click: b}", "steps[0]: needs exactly one action, has click, press."),
    ("say: nothing", "steps[0]: needs exactly one action, has none."),
    ("click the heart", "steps[0]: must be a mapping with keys such as 'click'"),
    ("click: {role:button}", "steps[0].click: unknown key 'role:button'. Write a sp"),
    ("click: {in_: a}", "steps[0].click: unknown key 'in_'. Did you mean 'in'?"),
    ("click: {}", "steps[0].click: names nothing. Give a role, a name, a text or an"),
    ("click: {nth: 2}", "steps[0].click: names nothing."),
    ("click: {nth: 0, text: a}", "steps[0].click.nth: must be at least 1, is 0."),
    ("click: {text: [a]}", "steps[0].click.text: must be text, is a list."),
    ("click: [a]", "steps[0].click: must be text or a mapping with keys such as 'de"),
    ("click:", "steps[0].click: has no value."),
    ("click: {near: {rol: a}}", "steps[0].click.near: unknown key 'rol'. Did you m"),
    ("click: {box: [0, 0]}", "steps[0].click.box: has only 2 entries. Add the rest."),
    ("click: {box: [0, 0, 1, 1, 1]}", "steps[0].click.box: has more than 4 entries."),
    ("click: {position: to right}", "steps[0].click.position: must be 'top left', "),
    ("type: {into: a}", "steps[0].type: needs `text`, or `describe` with a sentence."),
    ("type: {kind: type, text: a}", "steps[0].type: unknown key 'kind'. Known: des"),
    ("drag: {from: a}", "steps[0].drag: needs `from` and `to` (or `by`), or `descri"),
    ("drag: a to b", "steps[0].drag: must be a mapping with keys such as 'describe'"),
    ("scroll: {by: far}", "steps[0].scroll.by: must be a number, is 'far'."),
    ("swipe: {direction: lft}", "steps[0].swipe.direction: must be 'up', 'down', 'l"),
    ("back: 2", "steps[0].back: takes no arguments. Write `{}` after the colon."),
    ("reload: 1", "steps[0].reload: takes no arguments."),
    ("wait: {rolle: a}", "steps[0].wait: unknown key 'rolle'. Did you mean 'role'?"),
    ("wait: {}", "steps[0].wait: needs exactly one kind of expectation, has none."),
    ("goto: https://example.org/", "steps[0].goto: 'https://example.org/' leaves th"),
    ("goto: //example.org/", "steps[0].goto: '//example.org/' leaves the site."),
    ("{press: a, timeout_s: 0}", "steps[0].timeout_s: must be more than 0, is 0."),
    ("{press: a, timeout_s: 601}", "steps[0].timeout_s: must be at most 600, is 6"),
    ("{press: a, expect: Saved}", "steps[0].expect: must be a list, is 'Saved'. St"),
    ("{press: a, expect: [{}]}", "steps[0].expect[0]: needs exactly one kind of ex"),
    ("{press: a, expect: [{txt: b}]}", "steps[0].expect[0]: unknown key 'txt'. Did"),
    (
        "{press: a, expect: [{scroll: middle}]}",
        "steps[0].expect[0].scroll: must be 'top' or 'bottom' or a number, is 'mid",
    ),
    (
        "{press: a, expect: [{changed: {rol: b}}]}",
        "steps[0].expect[0].changed: unknown key 'rol'. Did you mean 'role'?",
    ),
    (
        "{press: a, expect: [{count: b}]}",
        "steps[0].expect[0]: needs `equals`, `at_least` or `at_most` with a number.",
    ),
    ("{press: a, dialogs: [acept]}", "steps[0].dialogs[0]: must be 'accept' or 'di"),
    ("{press: a, dialogs: [{answr: b}]}", "steps[0].dialogs[0]: unknown key 'answr'"),
    ("{press: a, checkpoint: {imge: b}}", "steps[0].checkpoint: unknown key 'imge'"),
    ("{press: a, checkpoint: {mask: []}}", "steps[0].checkpoint: has no `image`. A"),
)


@pytest.mark.parametrize(("step", "message"), STEP_PROBLEMS)
def test_mistake_in_a_step_is_one_problem(
    problems: Problems, step: str, message: str
) -> None:
    """One mistake gives one message, whatever types could have stood there."""
    (problem,) = problems(f"iwr: 1\nsteps:\n  - {step}\n")
    assert problem.startswith(f"3: {message}")
    assert problem[-1] in ".?"


@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("steps: [press: a]", "1: has no `iwr`. Add it."),
        ("iwr: 1", "1: has no `steps`. Add it."),
        ("iwr: 2\nsteps: [press: a]", "1: iwr: version 2 of the format is not known."),
        ("iwr: 1\nsteps: []", "2: steps: is empty. Add at least one entry."),
        ("iwr: 1\nsteps:", "2: steps: has no value."),
        ("iwr: 1\nsteps: {press: a}", "2: steps: must be a list, is a mapping. Start"),
        ("- press: a", "1: must be a mapping with keys such as 'iwr', "),
        ("hello", "1: must be a mapping with keys such as 'iwr', "),
        ("iwr: 1\nclock: 2026-01-15\nsteps: [press: a]", "2: clock: must be a date a"),
        ("iwr: 1\nclock: 5\nsteps: [press: a]", "2: clock: must be a date and time"),
        ("iwr: 1\nclock: 2026-01-15T10:00:00\nsteps: [press: a]", "2: clock: must be"),
        ("iwr: 1\nclock: 2026-13-15T10:00:00Z\nsteps: [press: a]", "2: clock: must b"),
        (
            "iwr: 1\nsource: {interaction: L5}\nsteps: [press: a]",
            "2: source.interaction: must be 'L1', 'L2', 'L3' or 'L4', is 'L5'.",
        ),
        (
            "iwr: 1\nviewport: {width: 5}\nsteps: [press: a]",
            "2: viewport.width: must be at least 100, is 5.",
        ),
        (
            "iwr: 1\nviewport: {width: 900}\ndevice: iPhone 14\nsteps: [press: a]",
            "1: has both `viewport` and `device`. Keep one of them.",
        ),
    ),
)
def test_mistake_of_the_task_is_one_problem(
    problems: Problems, text: str, message: str
) -> None:
    """The fields of the task itself are told in the same way."""
    (problem,) = problems(f"{text}\n")
    assert problem.startswith(message)
    assert problem[-1] in ".?"


def test_two_mistakes_in_a_step_are_two_problems(problems: Problems) -> None:
    """A step with an unknown key and two actions has both told."""
    second, first = problems("iwr: 1\nsteps:\n- {press: a, click: b, expct: []}\n")
    assert "needs exactly one action, has click, press." in first
    assert "unknown key 'expct'. Did you mean 'expect'?" in second


def test_rules_are_checked_beside_wrong_types(problems: Problems) -> None:
    """A missing file is told although a step cannot be read."""
    found = problems("iwr: 1\nvideo: gone.mp4\nid: ''\nsteps:\n- dance: a\n")
    assert [problem.split(":")[0] for problem in found] == ["2", "3", "5"]


def test_missing_name_is_no_path(loaded: Loaded, task_file: Path) -> None:
    """The id defaults to the folder's name, the path is absolute."""
    task = loaded("iwr: 1\nsteps:\n\n  - press: a\n  -\n    press: b\n")
    assert task.id == "shop"
    assert task.path == str(task_file)
    assert task.step_lines == (4, 6)


def test_file_with_its_own_name_gives_the_id(task_file: Path) -> None:
    """`cart.iwr.yaml` is the task `cart`."""
    cart = task_file.with_name("cart.iwr.yaml")
    cart.write_text("iwr: 1\nsteps: [press: a]\n")
    assert load(cart).id == "cart"


def test_relative_path_gives_the_folders_name(
    task_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default id does not depend on how the path is written."""
    task_file.write_text("iwr: 1\nsteps: [press: a]\n")
    (task_file.parent / "assets").mkdir()
    monkeypatch.chdir(task_file.parent / "assets")
    task = load(Path("../task.iwr.yaml"))
    assert (task.id, task.path) == ("shop", str(task_file))

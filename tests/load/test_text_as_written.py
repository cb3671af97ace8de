"""Text fields take a plain scalar as written; other fields by YAML 1.2 rules."""

from collections.abc import Callable

import pytest

from pytest_iwr.records import Task

Loaded = Callable[[str], Task]
Problems = Callable[[str], list[str]]

SCALARS = (
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "Yes",
    "NO",
    "On",
    "True",
    "true",
    "FALSE",
    "null",
    "Null",
    "~",
    "=",
    "0123",
    "0o17",
    "0x1F",
    "1_000",
    "1:30",
    "190:20:30",
    "1.50",
    "1e3",
    ".5",
    "-.inf",
    ".nan",
    "+1",
    "-0",
    "2026-01-15",
    "2026-01-15T10:00:00Z",
    "0b11",
    "Why?",
    "a?b",
    "<<",
    "12e03",
    "685_230.15",
    "5 %",
    "What needs to be done?",
    "a:b",
    "http://x/y?z=1",
    "Café",
    "—",
    "“Save”",
    "🛒",
)


@pytest.mark.parametrize("scalar", SCALARS)
def test_plain_scalar_is_text(loaded: Loaded, scalar: str) -> None:
    """A plain scalar in a text field is its own characters."""
    task = loaded(
        f"iwr: 1\nid: {scalar}\nsteps:\n  - type: {{text: {scalar}}}\n"
        f"    say: {scalar}\n    expect: [{{title: {scalar}}}]\n"
    )
    step = task.steps[0]
    assert step.type is not None
    assert [task.id, step.type.text, step.say, step.expect[0].title] == [scalar] * 4
    assert {type(task.id), type(step.type.text), type(step.say)} == {str}


def test_country_list_keeps_its_words(loaded: Loaded) -> None:
    """Keys, options, texts and targets that YAML 1.1 takes for booleans are text."""
    task = loaded(
        "iwr: 1\nsteps:\n"
        "  - press: y\n"
        "  - press: n\n"
        "  - select: {in: the Country list, option: NO}\n"
        "  - type: {into: the Newsletter field, text: yes}\n"
        "  - click: off\n"
        "    expect: [{text_is: on, in: on}]\n"
    )
    first, second, third, fourth, fifth = task.steps
    assert first.press is not None
    assert second.press is not None
    assert third.select is not None
    assert fourth.type is not None
    assert fifth.click is not None
    assert (first.press.key, second.press.key) == ("y", "n")
    assert third.select.option == "NO"
    assert fourth.type.text == "yes"
    assert fifth.click.describe == "off"
    assert fifth.expect[0].text_is == "on"


def test_key_that_looks_like_a_boolean_is_named_as_written(problems: Problems) -> None:
    """The key `on` is `on` in the message, whatever YAML 1.1 makes of it."""
    (problem,) = problems("iwr: 1\non: page.html\nsteps: [{press: a}]\n")
    assert problem.startswith("2: unknown key 'on'.")


@pytest.mark.parametrize(
    ("written", "value"),
    (("17", 17), ("0o17", 15), ("0x1F", 31), ("+5", 5), ("-3", -3), ("0123", 123)),
)
def test_whole_number_by_core_rules(loaded: Loaded, written: str, value: int) -> None:
    """A number field reads a plain scalar by the YAML 1.2 core schema."""
    assert loaded(f"iwr: 1\nseed: {written}\nsteps: [press: a]\n").seed == value


@pytest.mark.parametrize(
    "written", ("1_000", "1:30", "1.5", "1e3", "yes", "null", "~", "2026-01-15", ".inf")
)
def test_what_is_no_whole_number_is_refused(problems: Problems, written: str) -> None:
    """Numbers of YAML 1.1 only are not numbers."""
    (problem,) = problems(f"iwr: 1\nseed: {written}\nsteps: [press: a]\n")
    assert problem.startswith("2: seed: must be a whole number, is ")


@pytest.mark.parametrize(
    ("line", "where"),
    (
        ('seed: "7"', "seed"),
        ("viewport: {width: '800'}", "viewport.width"),
        ('viewport: {scale: "2.0"}', "viewport.scale"),
        ('viewport: {mobile: "true"}', "viewport.mobile"),
        ('thresholds: {ifs: "1.0"}', "thresholds.ifs"),
        ('iwr: "1"', "iwr"),
    ),
)
def test_quoted_number_is_no_number(problems: Problems, line: str, where: str) -> None:
    """Quotes make text, and text is no number and no boolean."""
    head = "" if where == "iwr" else "iwr: 1\n"
    (problem,) = problems(f"{head}{line}\nsteps: [press: a]\n")
    assert f": {where}: must be " in problem
    assert problem.endswith("Remove the quotes.")


@pytest.mark.parametrize(
    "expectation",
    ('{scroll: "0.5"}', '{count: Item, equals: "3"}', '{count: Item, at_least: "3"}'),
)
def test_quoted_number_is_no_amount(problems: Problems, expectation: str) -> None:
    """Amounts of expectations are numbers, too."""
    (problem,) = problems(f"iwr: 1\nsteps:\n- press: a\n  expect: [{expectation}]\n")
    assert problem.endswith("Remove the quotes.")


@pytest.mark.parametrize("written", ("yes", "on", "no", "off", "1", "0", "y"))
def test_only_true_and_false_are_flags(problems: Problems, written: str) -> None:
    """Words and numbers that YAML 1.1 or Python take for booleans are refused."""
    (problem,) = problems(
        f"iwr: 1\nviewport: {{mobile: {written}}}\nsteps: [press: a]\n"
    )
    assert problem.startswith("2: viewport.mobile: must be true or false, is ")


@pytest.mark.parametrize("written", (".inf", ".nan", "1e999", "-1e999"))
def test_amounts_are_finite(problems: Problems, written: str) -> None:
    """Nothing scrolls for ever."""
    (problem,) = problems(f"iwr: 1\nsteps:\n- scroll: {{by: {written}}}\n")
    assert problem.startswith("3: steps[0].scroll.by: must be a ")


def test_core_tags_say_what_a_scalar_is(loaded: Loaded) -> None:
    """`!!str 5` is text and `!!int "5"` a number."""
    task = loaded('iwr: 1\nseed: !!int "5"\ntitle: !!str 5\nsteps: [press: a]\n')
    assert (task.seed, task.title) == (5, "5")


@pytest.mark.parametrize(
    "line",
    (
        "seed: !!str 5",
        "seed: !!int five",
        "title: !important now",
        "title: !!python/name:os.system x",
        "title: !!timestamp 2026-01-15",
        "tags: !!set {a, b}",
        "source: !!omap [site: a]",
    ),
)
def test_other_tags_are_refused(problems: Problems, line: str) -> None:
    """A tag outside the core schema, or one that does not fit, is a problem."""
    assert problems(f"iwr: 1\n{line}\nsteps: [press: a]\n")[0].startswith("2: ")


def test_empty_value_is_refused(problems: Problems) -> None:
    """A key without a value is a slip; `""` is an empty text."""
    found = problems('iwr: 1\ntitle:\nvideo:\ntags:\nsteps:\n- type: {text: ""}\n')
    assert [p.partition(" has no value.")[0] for p in found] == [
        "2: title:",
        "3: video:",
        "4: tags:",
    ]


def test_json_is_yaml(loaded: Loaded) -> None:
    """A task file may be JSON."""
    text = r'{"iwr":1,"title":"🛒 \u00e9","steps":[{"press":"a"}]}'
    assert loaded(text).title == "🛒 é"

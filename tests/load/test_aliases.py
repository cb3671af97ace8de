"""Anchors, aliases and merge keys: legal, and never a way to blow up."""

import time
from collections.abc import Callable

import pytest

from pytest_iwr.load.parse import MAX_DEPTH, MAX_NODES
from pytest_iwr.records import Task

Loaded = Callable[[str], Task]
Problems = Callable[[str], list[str]]

LONGEST_S = 1.0
"""For every refusal. Measured on one busy core: 0.02 to 0.4 s of processor time."""


def test_merge_key_may_be_overridden(loaded: Loaded) -> None:
    """A key that is also merged in is an override, not a duplicate."""
    task = loaded(
        "iwr: 1\nsteps:\n"
        "  - &base {click: Save, say: first, timeout_s: 5}\n"
        "  - {<<: *base, say: second}\n"
        "  - say: third\n    <<: [{press: a, click: Never}, *base]\n".replace(
            "press: a, click: Never", "say: never, timeout_s: 7"
        )
    )
    assert [step.say for step in task.steps] == ["first", "second", "third"]
    assert [step.timeout_s for step in task.steps] == [5, 5, 7]
    assert {step.verb for step in task.steps} == {"click"}
    assert task.step_lines == (3, 4, 5)


def test_quoted_merge_key_is_a_key(problems: Problems) -> None:
    """Only the plain `<<` merges."""
    (problem,) = problems('iwr: 1\nsteps:\n- {press: a, "<<": {say: b}}\n')
    assert problem.startswith("3: steps[0]: unknown key '<<'.")


@pytest.mark.parametrize("merged", ("text", "[a]", "[[]]"))
def test_only_mappings_merge(problems: Problems, merged: str) -> None:
    """A merge of anything but mappings is a problem with its line."""
    (problem,) = problems(f"iwr: 1\nsteps:\n- press: a\n  <<: {merged}\n")
    assert problem == "4: steps[0]: `<<` needs an alias of a mapping."


@pytest.mark.parametrize(
    ("text", "key", "first", "second"),
    (
        ("iwr: 1\nsteps:\n- press: a\nseed: 2\nsteps:\n- press: b\n", "steps", 2, 5),
        ("iwr: 1\nsteps:\n- click: {name: a,\n    name: b}\n", "name", 3, 4),
        ("iwr: 1\n'iwr': 1\nsteps: [press: a]\n", "iwr", 1, 2),
        ("iwr: 1\nsteps:\n- &a {press: a}\n- <<: *a\n  <<: *a\n", "<<", 4, 5),
    ),
)
def test_duplicate_key_names_both_lines(
    problems: Problems, text: str, key: str, first: int, second: int
) -> None:
    """The second of two equal keys is refused, and the first is pointed at."""
    (problem,) = problems(text)
    assert problem.startswith(f"{second}: ")
    assert f"key {key!r} stands here again, first in line {first}." in problem


def test_honest_anchors_load(loaded: Loaded) -> None:
    """Twenty steps repeated forty times are 800 steps, each with its own line."""
    anchored = "".join(
        f"  - &s{n} {{type: {{into: {{label: field {n}}}, text: v{n}}},"
        f" expect: [{{value: v{n}}}]}}\n"
        for n in range(20)
    )
    repeated = "".join(f"  - *s{n}\n" for _ in range(39) for n in range(20))
    task = loaded(f"iwr: 1\nsteps:\n{anchored}{repeated}")
    assert len(task.steps) == 800
    assert task.step_lines == tuple(range(3, 803))
    assert task.steps[799] == task.steps[19]


def _levels(first: str, count: int) -> str:
    above = (f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, count))
    return "\n".join([f"a0: &a0 {first}", *above])


@pytest.mark.parametrize(
    ("text", "message"),
    (
        (f"{_levels('[x, x, x, x, x, x, x, x, x]', 10)}\nsteps: *a9\n", "values"),
        (f"{_levels('{b: x}', 10)}\nsteps: *a9\n", "values"),
        (
            "steps:\n- &m0 {k: v}\n"
            + "".join(f"- &m{n + 1} {{<<: *m{n}, k{n}: v}}\n" for n in range(2000)),
            "values",
        ),
        (
            "a0: &a0 [x]\n"
            + "".join(f"a{n + 1}: &a{n + 1} [*a{n}]\n" for n in range(MAX_DEPTH)),
            "nest",
        ),
        ("steps: " + "[" * 100_000, "nest"),
        ("steps: " + "{a: " * 1_000, "nest"),
        ("steps:\n" + "".join(f"{' ' * n}-\n" for n in range(1, 900)), "nest"),
        ("steps: &s\n- {group: {steps: *s}}\n", "inside the value that it names"),
        ("&r {iwr: 1, steps: *r}\n", "inside the value that it names"),
        ("steps:\n- &s {press: a, <<: *s}\n", "inside the value that it names"),
    ),
    ids=(
        "billion-laughs",
        "mappings",
        "merges",
        "deep-aliases",
        "brackets",
        "braces",
        "block",
        "cycle",
        "root-cycle",
        "merge-cycle",
    ),
)
def test_bomb_is_refused_at_once(problems: Problems, text: str, message: str) -> None:
    """A file that grows without end is one problem, before it has grown."""
    started = time.process_time()
    (problem,) = problems(text)
    assert message in problem
    assert time.process_time() - started < LONGEST_S


def test_just_below_the_limit_is_quick(problems: Problems) -> None:
    """The largest file that is let in, full of mistakes, is told in time."""
    wrong = ", ".join(["{txt: a}"] * 200)
    repeats = MAX_NODES // 600
    text = (
        f"iwr: 1\nsteps:\n- &s {{press: a, expect: [{wrong}]}}\n" + "- *s\n" * repeats
    )
    started = time.process_time()
    assert len(problems(text)) == 200
    assert time.process_time() - started < LONGEST_S


def test_alias_repeats_no_problem(problems: Problems) -> None:
    """A mistake that an alias repeats is told once, where it is written."""
    found = problems("iwr: 1\nsteps:\n- &s {click: {rol: button}}\n- *s\n- *s\n")
    assert found == ["3: steps[0].click: unknown key 'rol'. Did you mean 'role'?"]


@pytest.mark.parametrize("key", ("[a, b]", "{a: b}", "? [a]\n"))
def test_key_is_text(problems: Problems, key: str) -> None:
    """A list or a mapping as a key is a problem."""
    found = problems(f"iwr: 1\n{key}: c\nsteps: [press: a]\n")
    assert found[0].startswith("2: a key is a list or a mapping.")

"""What a task that loads could do better."""

from pathlib import Path

import pytest

from pytest_iwr.load import review


def _advice(file: Path, steps: str) -> list[str]:
    file.write_text(f"iwr: 1\nsteps:\n{steps}")
    advice = review(file).advice
    return [str(found).removeprefix(f"{file}:") for found in advice]


def test_css_selector_is_warned_about(task_file: Path) -> None:
    """Wherever a selector stands, its own line is told."""
    found = _advice(
        task_file,
        "- click:\n    css: '#a'\n  expect:\n    - text: b\n    - hidden: {css: .c}\n",
    )
    assert [problem.split(": a CSS")[0] for problem in found] == [
        "4: steps[0].click.css",
        "7: steps[0].expect[1].hidden.css",
    ]


@pytest.mark.parametrize("expect", ("[The badge shows 1]", "[{prose: It is red}, b c]"))
def test_prose_alone_is_warned_about(task_file: Path, expect: str) -> None:
    """A step that only a judge model can decide is told."""
    (found,) = _advice(task_file, f"- {{press: a, expect: {expect}}}\n")
    assert found.startswith("3: steps[0]: all expectations are prose")


def test_unchecked_step_is_warned_about(task_file: Path) -> None:
    """A step after which nothing is looked at is told once, aliases or not."""
    (found,) = _advice(task_file, "- &a {press: a}\n- *a\n")
    assert found.startswith("3: steps[0]: nothing is checked after this step.")


@pytest.mark.parametrize(
    "step",
    (
        "{press: a, expect: [{text: b}]}",
        "{press: a, expect: [{text: b}, It is red]}",
        "{press: a, checkpoint: here.png}",
        "{wait: {text: b}}",
    ),
)
def test_checked_step_is_left_alone(task_file: Path, step: str) -> None:
    """A step with something deterministic to check needs no advice."""
    task_file.with_name("here.png").touch()
    assert _advice(task_file, f"- {step}\n") == []


MASKED = "{press: a, checkpoint: {image: here.png, mask: [{role: timer}]}}"


def test_masks_that_only_the_page_knows_are_warned_about(task_file: Path) -> None:
    """Without the reference's masks beside the picture a page chooses what counts."""
    task_file.with_name("here.png").touch()
    steps = f"- {MASKED}\n- press: b\n  checkpoint: here.png\n"
    (found,) = _advice(task_file, steps)
    said = "3: steps[0].checkpoint.mask: 'masks.json' does not say where the reference"
    assert found.startswith(said)
    assert found.endswith("Capture again: iwr capture TASK --site DIR_OR_URL.")
    boxes = '{"here.png": [{"x": 1, "y": 2, "width": 3, "height": 4}]}'
    task_file.with_name("masks.json").write_text(boxes)
    assert _advice(task_file, steps) == []

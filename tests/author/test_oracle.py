"""`iwr check --oracle`: a task that tells the original from empty pages, and one not."""

from pathlib import Path

import pytest

from pytest_iwr.cli import main
from tests.author.kit import Write

PAGE = """<!doctype html><title>Counter</title>
<style>body { font: 32px sans-serif } button { font: inherit }</style>
<h1>Counter of visits</h1><p role="status">Total 0</p>
<button onclick="document.querySelector('p').textContent = 'Total ' + (n += 1)">Add</button>
<script>let n = 0;</script>"""
GOOD = """\
iwr: 1
id: counter
viewport: {width: 640, height: 360}
start: checkpoints/00.png
steps:
  - click: {role: button, name: Add}
    expect: [{text: Total 1}]
  - click: {role: button, name: Add}
    expect:
      - {text: Total 2}
    checkpoint: checkpoints/02.png
"""
WEAK = """\
iwr: 1
id: counter
viewport: {width: 640, height: 360}
steps:
  - press: a
    expect: [{hidden: Nothing at all}]
  - press: b
    expect: [{unchanged: true}]
  - click: {role: button, name: Add}
    expect:
      - {text: Total 1}
      - {text: Counter of visits}
  - click: {css: button}
    expect: [{text: Total 2}]
"""


def _check(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, list[str]]:
    arguments = ["check", "--oracle", str(folder / "task")]
    status = main([*arguments, "--site", str(folder / "site"), *options])
    return status, capsys.readouterr().out.replace(f"{folder}/", "").splitlines()


def test_good_task_tells_the_original_from_empty_pages(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """1.0 twice with equal numbers, and no step for a blank page or a still picture."""
    folder = write({"site/index.html": PAGE, "task/task.iwr.yaml": GOOD})
    site = str(folder / "site")
    assert main(["capture", str(folder / "task"), "--site", site]) == 0
    capsys.readouterr()
    status, lines = _check(folder, capsys)
    assert status == 0
    counts, scores = lines
    assert counts == "1 file, 0 problems, 0 warnings"
    parts = scores.removeprefix("counter: ").split("; ")
    assert parts[:2] == [
        "original: IFS 1, VFS 1, Final 1",
        "once more: IFS 1, VFS 1, Final 1",
    ]
    assert parts[2].startswith("blank page: IFS 0,")
    assert parts[3].startswith("picture of the first screen: IFS 0, VFS 1,")


def test_weak_task_is_told_line_by_line(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """What holds before its step, what empty pages pass, and CSS selectors."""
    folder = write({"site/index.html": PAGE, "task/task.iwr.yaml": WEAK})
    status, lines = _check(folder, capsys)
    file = "task/task.iwr.yaml"
    early = "holds before the step already."
    assert status == 1
    assert f"{file}:13: steps[3].click.css: warning: a CSS selector" in lines[0]
    nothing = f"all that is expected {early[:-1]}, so it proves nothing."
    passes = "passes this step. Expect what only the step brings about."
    reaches = "reaches IFS 0.5, more than 0.2."
    blank, still = "a blank page", "a picture of the first screen"
    hidden, visits = "hidden text 'Nothing at all'", "text 'Counter of visits'"
    assert lines[2:-1] == [
        f"{file}:1: {blank} {reaches}",
        f"{file}:1: {still} {reaches}",
        f"{file}:5: steps[0]: {nothing} Add what the step changes.",
        f"{file}:5: steps[0]: warning: {blank} {passes}",
        f"{file}:5: steps[0]: warning: {still} {passes}",
        f"{file}:6: steps[0].expect[0]: warning: {hidden} {early}",
        f"{file}:7: steps[1]: warning: {blank} {passes}",
        f"{file}:7: steps[1]: warning: {still} {passes}",
        f"{file}:12: steps[2].expect[1]: warning: {visits} {early}",
    ]
    assert lines[-1].startswith("counter: original: IFS 1; once more: IFS 1;")


def test_ambiguous_target_on_the_original_is_told(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two equal buttons: the original itself cannot be driven."""
    twice = PAGE.replace("<button", "<button>Add</button> <button")
    folder = write({"site/index.html": twice, "task/task.iwr.yaml": GOOD})
    task = GOOD.replace("start: checkpoints/00.png\n", "")
    write(
        {"task/task.iwr.yaml": task.replace("    checkpoint: checkpoints/02.png\n", "")}
    )
    status, lines = _check(folder, capsys)
    assert status == 1
    assert lines[1].startswith(
        "task/task.iwr.yaml:5: steps[0]: the original fails here (ambiguous): 2 elements"
    )


SHELVES = """<!doctype html><title>Shelves</title><button>Fill</button>
<section aria-label="Left"><p role="status">Books</p><label>Count <input></label></section>
<section aria-label="Right"><p role="status">Books</p><label>Count <input></label></section>
<div style="height:900px"></div><h2>End</h2><h2>End</h2><script>
document.querySelector("button").onclick = () =>
  document.querySelectorAll("p, input").forEach((el) => {
    el.textContent = "Full"; el.value = "9" })</script>"""
TIED = """\
iwr: 1
id: shelves
viewport: {width: 640, height: 360}
start:
  image: checkpoints/00.png
  mask:
    - {role: status}
    - {role: timer, name: Clock}
    - {label: Count, in: {role: region, name: Left}}
steps:
  - click: Fill
    expect:
      - {text: Full, in: {role: status}}
      - {text: Full, in: {role: region, name: Left}}
      - {value: "9", in: {label: Count}}
      - {count: {label: Count}, equals: 2}
      - {changed: {role: status}}
      - {visible: {text: Full, in: {role: region, name: Right}}}
      - {visible: Full}
      - {no_text: Books}
  - wait: {role: status}
    expect:
      - {checked: {label: Count}, equals: false}
  - scroll: {to: End}
"""


def test_targets_that_mean_several_things_are_told(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inside expectations, masks and the end of a scroll, each with its line."""
    folder = write({"site/index.html": SHELVES, "task/task.iwr.yaml": TIED})
    site = str(folder / "site")
    assert main(["capture", str(folder / "task"), "--site", site]) == 0
    capsys.readouterr()
    _, lines = _check(folder, capsys)
    told = [
        line.removeprefix("task/task.iwr.yaml:") for line in lines if "match" in line
    ]
    warned = "warning: 2 elements match"
    nothing, no = "nothing on the original matches", "equals False"
    assert [line.partition(" equally")[0].partition(": all")[0] for line in told] == [
        f"7: start.mask[0]: {warned} the mask status",
        f"8: start.mask[1]: warning: {nothing} the mask timer 'Clock'. Correct it.",
        f"13: steps[0].expect[0]: {warned} the target of text 'Full' in status",
        f"15: steps[0].expect[2]: {warned} the target of value '9' in label 'Count'",
        f"17: steps[0].expect[4]: {warned} the target of changed status",
        f"19: steps[0].expect[6]: {warned} the target of visible text 'Full'",
        f"21: steps[1].wait: {warned} the target of visible status",
        f"23: steps[1].expect[0]: {warned} the target of checked label 'Count' {no}",
        f"24: steps[2].scroll.to: {warned}",
    ]
    assert "equally: status 'Full' at 8," in told[2]
    assert told[2].endswith(". Name one with near, in, nth or position.")


def test_picture_of_another_site_is_told(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """The original must look as its own pictures do."""
    folder = write({"site/index.html": PAGE, "task/task.iwr.yaml": GOOD})
    site = str(folder / "site")
    assert main(["capture", str(folder / "task"), "--site", site]) == 0
    write({"site/index.html": PAGE.replace("Counter of visits", "Other words")})
    capsys.readouterr()
    status, lines = _check(folder, capsys)
    assert status == 1
    assert (
        "task/task.iwr.yaml:4: start: the original looks other than its pic" in lines[1]
    )
    assert lines[1].endswith("VFS is below 0.98. Capture the task again.")


def test_original_that_does_not_hold_still_is_told(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its picture, taken by force, is worth nothing."""
    moving = "<script>setInterval(() => document.querySelector('p').append('.'), 50)"
    files: dict[str, str | bytes] = {"site/index.html": PAGE + moving + "</script>"}
    folder = write({**files, "task/task.iwr.yaml": GOOD})
    site = str(folder / "site")
    assert main(["capture", str(folder / "task"), "--site", site, "--force"]) == 1
    capsys.readouterr()
    status, lines = _check(folder, capsys)
    assert status == 1
    told = [line for line in lines if "the original is unstable: " in line]
    assert told[0].startswith("task/task.iwr.yaml:4: start: the original is unstable:")
    assert told[1].startswith("task/task.iwr.yaml:11: steps[1].checkpoint: ")
    assert told[1].endswith("move. Mask what moves.")


def test_oracle_needs_one_task_and_its_original(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither option makes sense without the other."""
    folder = write({"task/task.iwr.yaml": WEAK})
    assert main(["check", "--oracle", str(folder)]) == 4
    assert main(["check", "--site", "x", str(folder)]) == 4
    assert "--oracle takes one task and its original" in capsys.readouterr().err

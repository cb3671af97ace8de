"""`docs/tasks.md` is current, and every example in it is what it says."""

import re
import runpy
from pathlib import Path

import pytest

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "tasks.md").read_text(encoding="utf-8")
FENCED = re.compile(r"^```(yaml\b[^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = FENCED.findall(PAGE)


def test_page_is_current() -> None:
    """The page is what the template and the records give."""
    pages = runpy.run_path(str(DOCS / "build.py"))["pages"]()
    assert pages[DOCS / "tasks.md"] == PAGE, "run: python docs/build.py"


def test_links_lead_to_headings() -> None:
    """Every link inside the page has its heading."""
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^a-z -]", "", h.lower()).replace(" ", "-") for h in headings}
    assert set(re.findall(r"\(#([^)]+)\)", PAGE)) <= anchors


@pytest.mark.parametrize(
    ("kind", "text"),
    EXAMPLES,
    ids=[text.split("\n")[0] for _, text in EXAMPLES],
)
def test_example_is_what_it_says(task_file: Path, kind: str, text: str) -> None:
    """A whole task or a list of steps loads, one that is refused does not."""
    is_task = "iwr: 1" in text
    task_file.write_text(text if is_task else f"iwr: 1\nsteps:\n{text}")
    if kind == "yaml refused":
        with pytest.raises(TaskError):
            load(task_file, needs_files=False)
    else:
        assert load(task_file, needs_files=False).steps


def test_examples_show_every_action_and_expectation() -> None:
    """No key of the tables is without an example, but those that explain themselves."""
    shown = "".join(text for _, text in EXAMPLES)
    actions = re.findall(r"^\| `(\w+)` \|", PAGE.split("## Steps")[1], re.MULTILINE)
    plain = {"double_click", "right_click", "uncheck", "timeout_s", "reference"}
    plain |= {"by_x", "y", "alt", "look", "css", "title", "selected", "focused"}
    plain |= {"unchanged", "prose", "describe", "box", "at_most", "full_page", "final"}
    assert {key for key in actions if f"{key}:" not in shown} <= plain

"""`docs/plugin.md` says what is true, and its examples run."""

import re
from pathlib import Path

import pytest

from pytest_iwr import plugin
from pytest_iwr.plugin import hookspecs
from tests.plugin.kit import Project

DOCS = Path(__file__).parents[2] / "docs" / "plugin.md"
TEXT = DOCS.read_text(encoding="utf-8")
FOUND = re.findall(r"```python\n# (\S+)\n(.*?)```", TEXT, re.DOTALL)
EXAMPLES = [(name, code) for name, code in FOUND if "playwright" not in code]
"""Those that need no browser; the other is run in `tests/e2e/`."""


@pytest.mark.parametrize(
    ("name", "code"), EXAMPLES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(EXAMPLES)]
)
def test_example_runs(project: Project, name: str, code: str) -> None:
    """Each example is green in a project with a task `shop`."""
    project.task("shop")
    project.page("gpt-5", "shop")
    if name == "conftest.py":
        project.conftest(code)
        target = "tasks"
    else:
        (project.path / name).write_text(code, encoding="utf-8")
        target = name
    brings_pages = "pytest_iwr_pages" in code or "pytest_iwr_generate" in code
    arguments = () if brings_pages else ("--iwr-pages=pages",)
    result = project.run(*arguments, target)
    assert result.ret == 0
    assert project.rows


def test_every_option_fixture_and_hook_is_described(project: Project) -> None:
    """Whatever the plugin adds to pytest has its place in the text."""
    options = {
        option
        for line in project.run("--help").outlines
        for option in re.findall(r"^ +(--iwr-[a-z-]+|iwr_[a-z_]+)", line)
    }
    hooks = {name for name in vars(hookspecs) if name.startswith("pytest_iwr_")}
    missing = {n for n in options | hooks | set(plugin.__all__) if f"`{n}" not in TEXT}
    assert len(options) == 30
    assert missing == hooks  # in examples
    assert all(f"def {name}(" in TEXT for name in hooks)

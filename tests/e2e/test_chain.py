"""The whole chain: stored pages, a real server, a real browser, real OCR."""

import os
import re
from html import unescape
from pathlib import Path

import pytest

from pytest_iwr.drive.launch import default_args, find_browser
from tests.plugin.kit import WAYS, Project

DOCS = Path(__file__).parents[2] / "docs" / "plugin.md"


def run(project: Project, *arguments: str) -> pytest.RunResult:
    """Run pytest on the stored pages, in a process of its own."""
    return project.pytester.runpytest_subprocess("--iwr-pages=pages", *arguments)


def test_right_page_is_green_and_wrong_page_is_red(counter: Project) -> None:
    """The page that the pictures were taken of is perfect; the other breaks."""
    result = run(counter)
    result.assert_outcomes(passed=1, failed=1)
    good, twice = counter.summary["tasks"]
    assert (good["ifs"], good["vfs"], good["final"]) == (1.0, 1.0, 1.0)
    assert (twice["failed_step"], twice["kind"]) == (1, "expectation")
    assert twice["ifs"] == 0.0
    result.stdout.fnmatch_lines(
        [
            "tasks/counter/task.iwr.yaml:6: step 1 of 2 (Click the button once): *Total 2*"
        ]
    )
    shot = re.search(r"shot: (\S+)", result.stdout.str())
    assert shot is not None
    assert (counter.path / shot[1]).is_file()


def test_cause_is_told_in_every_report(counter: Project) -> None:
    """The terminal, pytest-html's report and ours say what the page did instead."""
    told = "wrong result: status 'Total 0' became 'Total 2' at "
    run(counter).stdout.fnmatch_lines([f"  why: {told}*"])
    for report in ("report.html", "index.html"):
        pages = [counter.latest / report, *counter.latest.glob("items/*/*/index.html")]
        texts = [unescape(page.read_text("utf-8")) for page in pages]
        assert any(told in text for text in texts), report


def test_summary_is_the_same_in_every_way(counter: Project) -> None:
    """A real browser and real OCR give equal bytes without xdist, -n0 and -n2."""
    seen = set()
    for way in WAYS:
        run(counter, way)
        seen.add((counter.latest / "summary.json").read_bytes())
    assert len(seen) == 1


def test_browser_lives_beside_asyncio_and_playwright(counter: Project) -> None:
    """Tests of coroutines and of pytest-playwright run in the same process."""
    text = DOCS.read_text(encoding="utf-8")
    example = re.search(r"```python\n# test_look.py\n(.*?)```", text, re.DOTALL)
    assert example is not None
    launch = {
        "executable_path": str(find_browser(None, os.environ).path or ""),
        "args": default_args(is_root=os.geteuid() == 0),
    }
    counter.pytester.makeconftest(
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def browser_type_launch_args(browser_type_launch_args):\n"
        f"    ours = {launch!r}\n"
        "    return browser_type_launch_args | {k: v for k, v in ours.items() if v}\n"
    )
    look = example[1].replace('"shop"', '"counter"')
    waits = "import asyncio\nasync def test_it(): await asyncio.sleep(0)"
    counter.pytester.makepyfile(test_a=waits, test_look=look, test_z=waits)
    result = run(
        counter,
        "--iwr-model=good",
        "-oasyncio_mode=auto",
        *("test_a.py", "tasks", "test_z.py", "test_look.py"),
    )
    result.assert_outcomes(passed=4)


def test_tools_are_changed_in_part(counter: Project) -> None:
    """An override of `iwr_tools` may take ours and change one thing."""
    counter.pytester.makeconftest(
        "import pytest\n"
        "from dataclasses import replace\n"
        "@pytest.fixture(scope='session')\n"
        "def iwr_tools(iwr_tools): return replace(iwr_tools, min_similarity=1.01)\n"
    )
    run(counter, "--iwr-model=good").assert_outcomes(failed=1)
    assert counter.rows == [("counter", "good", "failed", "checkpoint")]

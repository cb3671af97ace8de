"""A plugin that is installed and unused costs nothing and does nothing."""

import subprocess
import sys

import pytest

HEAVY = (
    "cv2",
    "jinja2",
    "numpy",
    "onnxruntime",
    "openai",
    "playwright",
    "pydantic",
    "starlette",
    "torch",
    "yaml",
)


def test_entry_module_loads_nothing_heavy() -> None:
    """Importing the plugin loads the standard library and pytest only."""
    code = (
        "import sys, pytest_iwr.plugin; "
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize("way", ("-pno:xdist", "-n2"))
def test_unused_plugin_says_and_writes_nothing(
    pytester: pytest.Pytester, way: str
) -> None:
    """A project without task files sees no line and no file of the plugin."""
    pytester.makepyfile("def test_one(): pass\ndef test_two(): assert False")
    result = pytester.runpytest_subprocess(way, "-pno:cacheprovider")
    assert result.ret == 1
    result.stdout.no_fnmatch_line("iwr*")
    result.stdout.no_fnmatch_line("*web pages*")
    kit = {"__pycache__", "stdout", "stderr"}  # what the test kit leaves
    left = {p.name for p in pytester.path.iterdir() if "runpytest" not in p.name}
    assert left - kit == {f"{pytester.path.name.rstrip('01')}.py"}


def test_failing_test_of_others_loads_no_records(pytester: pytest.Pytester) -> None:
    """A red test elsewhere does not make the plugin load its records."""
    pytester.makeconftest(
        """
        import sys
        def pytest_unconfigure():
            print("loaded:", "pydantic" in sys.modules)
        """
    )
    pytester.makepyfile("def test_red(): assert False")
    result = pytester.runpytest_subprocess("-pno:playwright", "-pno:anyio")
    result.stdout.fnmatch_lines(["loaded: False"])

"""Keys stay in the process that asks: the browser and its driver never had them."""

import pytest

from tests.plugin.kit import Project

KEY = "sk-a-key-that-no-page-may-come-near"
LOOKS = f"""
import os
import psutil


def test_processes(iwr_evaluate):
    assert iwr_evaluate("counter").ifs == 1
    seen = [process.environ() for process in psutil.Process().children()]
    seen += [p.environ() for c in psutil.Process().children() for p in c.children()]
    assert any("PW_LANG_NAME" in environ for environ in seen)
    assert len(seen) > 1
    for environ in seen:
        assert {KEY!r} not in environ.values()
        assert "PLAYWRIGHT_NODEJS_PATH" not in environ
    assert os.environ["SHOP_API_KEY"] == {KEY!r}
    assert "PLAYWRIGHT_NODEJS_PATH" not in os.environ
"""


def test_browser_and_driver_start_without_keys(
    counter: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without xdist, too, where they are children of the process with the keys."""
    monkeypatch.setenv("SHOP_API_KEY", KEY)
    monkeypatch.delenv("PLAYWRIGHT_NODEJS_PATH", raising=False)
    counter.pytester.makepyfile(test_processes=LOOKS)
    done = counter.pytester.runpytest_subprocess(
        "--iwr-pages=pages", "--iwr-model=good", "-pno:playwright", "test_processes.py"
    )
    done.assert_outcomes(passed=1)

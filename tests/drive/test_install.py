"""What the set-up says and does about a browser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_iwr.drive.install import ensure_browser, main
from pytest_iwr.drive.launch import _PLACES
from pytest_iwr.errors import NoBrowserError


def test_browser_that_is_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A browser that opens a page is taken, and nothing is installed."""
    assert main() == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 1
    assert said[0].startswith("browser: ")


def test_named_browser_that_opens_no_page_ends_it(tmp_path: Path) -> None:
    """A named program that is no browser is not replaced by an installed one."""
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\necho Chromium 1.2.3\n")
    fake.chmod(0o755)
    with pytest.raises(NoBrowserError, match="does not open a page"):
        ensure_browser({**os.environ, "IWR_BROWSER_EXECUTABLE": str(fake)})


def test_failure_names_what_to_run(tmp_path: Path) -> None:
    """Where nothing can be installed, the last line says what to do, status 21."""
    environ = {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "browsers"),
        # A host that is never there, so that the download fails at once.
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest_iwr.drive.install"],
        env=environ,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout.splitlines()
    if any(Path(place).exists() for place in _PLACES):
        assert said[-1].endswith(", installed here")  # a Mac's Chrome is not on PATH
        return
    assert done.returncode == 21, done.stdout + done.stderr
    assert any("-m playwright install chromium" in line for line in said)
    assert "IWR_BROWSER_EXECUTABLE" in said[-1]

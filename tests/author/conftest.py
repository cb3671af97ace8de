"""A real browser, a real server, and small sites that are written in the tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.serve import Server
from tests.author.kit import Write


@pytest.fixture(scope="session")
def driver() -> Iterator[Browser]:
    """Give one browser for all tests of a session, with short time-outs."""
    found = find_browser(None, os.environ)
    args = tuple(default_args(is_root=os.geteuid() == 0))
    options = BrowserOptions(executable=found.path, args=args, step_timeout_s=3.0)
    driver = Browser(options)
    yield driver
    driver.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Give the project's own server."""
    with Server() as server:
        yield server


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes files by name below the test's folder."""

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            file.write_bytes(data)
        return tmp_path

    return write

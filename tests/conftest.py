"""What all tests share: the folder of shared inputs, and pytest's own test kit."""

import os
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

_ABSENT = pytest.StashKey[int]()


def _shared_folder() -> Path:
    default = Path(__file__).resolve().parents[1].parent / "shared"
    return Path(os.environ.get("IWR_SHARED") or default)


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers of this repository's own tests."""
    config.addinivalue_line(
        "markers", "needs_shared: reads the folder that IWR_SHARED names"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Deselect the tests that need the shared folder where it is absent."""
    if _shared_folder().is_dir():
        return
    needing = [item for item in items if item.get_closest_marker("needs_shared")]
    if needing:
        items[:] = [item for item in items if item not in needing]
        config.hook.pytest_deselected(items=needing)
        config.stash[_ABSENT] = len(needing)
        if hasattr(config, "workeroutput"):
            config.workeroutput["iwr_absent"] = len(needing)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count over from a worker; each deselects the same tests."""
    count = getattr(node, "workeroutput", {}).get("iwr_absent", 0)
    if count:
        node.config.stash[_ABSENT] = count


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many tests were deselected, so that nobody takes them for run."""
    count = config.stash.get(_ABSENT, 0)
    if count:
        terminalreporter.write_line(f"{count} tests deselected: IWR_SHARED not found")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the shared folder: `IWR_SHARED`, by default the sibling `shared`."""
    return _shared_folder()

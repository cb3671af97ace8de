"""Which browser is taken, and what its switches keep from happening."""

import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Error, Page, sync_playwright

from pytest_iwr.drive.launch import _ask_playwright, default_args, find_browser
from pytest_iwr.errors import NoBrowserError
from pytest_iwr.records import Site
from pytest_iwr.serve import Server


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    """Give a folder for programs, to stand alone on PATH."""
    made = tmp_path / "bin"
    made.mkdir()
    return made


def program(path: Path, script: str = "echo Chromium 1.2.3") -> Path:
    """Make an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_named_browser_is_taken(bin_: Path) -> None:
    """The option goes before the variable, the variable before all else."""
    one, two = program(bin_ / "one"), program(bin_ / "two")
    environ = {"IWR_BROWSER_EXECUTABLE": str(two), "PATH": "/usr/bin"}
    assert find_browser(str(one), environ).path == one
    found = find_browser(None, environ)
    assert found.path == two
    assert found.source == f"{two}, named by IWR_BROWSER_EXECUTABLE"


@pytest.mark.parametrize(
    ("name", "message"),
    (
        ("absent", "does not exist"),
        ("folder", "is not an executable file"),
        ("text", "is not an executable file"),
        ("broken", r"does not run \(libnss3.so: cannot open\)"),
        ("no-program", r"cannot be run \(Exec format error\)"),
    ),
)
def test_unusable_named_browser_is_never_replaced(
    tmp_path: Path, name: str, message: str
) -> None:
    """What is named and no browser ends the search with its name and reason."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("chromium")
    program(tmp_path / "broken", "echo libnss3.so: cannot open >&2; exit 127")
    (tmp_path / "no-program").write_bytes(b"\x7fELF broken")
    (tmp_path / "no-program").chmod(0o755)
    program(tmp_path / "chromium")
    where = str(tmp_path / name)
    for explicit, variable, named_by in (
        (where, "", "--iwr-browser-executable"),
        (None, where, "IWR_BROWSER_EXECUTABLE"),
    ):
        environ = {"IWR_BROWSER_EXECUTABLE": variable, "PATH": str(tmp_path)}
        with pytest.raises(NoBrowserError, match=message) as caught:
            find_browser(explicit, environ)
        assert str(caught.value).startswith(f"{named_by}: {where!r} ")


def test_playwrights_own_goes_before_installed(
    tmp_path: Path, bin_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its Chromium goes before one on PATH; with its shell, the choice is its own."""
    home = tmp_path / "playwright"
    home.mkdir()
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(home))
    environ = {"PATH": str(bin_), "PLAYWRIGHT_BROWSERS_PATH": str(home)}
    installed = program(bin_ / "chromium")
    assert find_browser(None, environ).path == installed
    with ThreadPoolExecutor(1) as pool:
        own = program(pool.submit(_ask_playwright).result())
    found = find_browser(None, environ)
    assert (found.path, found.source) == (own, f"Playwright's own Chromium, {own}")
    number = own.relative_to(home).parts[0].partition("-")[2]
    shell = home / f"chromium_headless_shell-{number}"
    program(shell / "chrome-headless-shell-linux64" / "chrome-headless-shell")
    found = find_browser(None, environ)
    assert (found.path, found.source) == (
        None,
        f"Playwright's own Chromium, in {shell}",
    )


def test_installed_browser_that_does_not_run_is_passed_over(
    bin_: Path, tmp_path: Path
) -> None:
    """A stub that only tells how to install a browser is not taken."""
    program(bin_ / "chromium-browser", "echo requires the chromium snap >&2; exit 1")
    environ = {"PATH": str(bin_), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "none")}
    chrome = program(bin_ / "google-chrome")
    assert find_browser(None, environ).path == chrome
    chrome.unlink()
    with pytest.raises(NoBrowserError, match="requires the chromium snap") as caught:
        find_browser(None, environ)
    for word in ("playwright install chromium", "--iwr-browser-executable=PATH"):
        assert word in str(caught.value)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """Give a browser started as in a run."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found.path, args=args)
        yield browser
        browser.close()


@pytest.fixture
def server() -> Iterator[Server]:
    """Give a running server."""
    with Server() as running:
        yield running


@pytest.fixture
def page(chromium: Chromium, server: Server, tmp_path: Path) -> Iterator[Page]:
    """Give a page that shows a served site with the title `ours`."""
    (tmp_path / "index.html").write_text("<title>ours</title>", encoding="utf-8")
    site = Site(folder=str(tmp_path), sha256="0" * 64, origin="a test")
    with server.serve(site, None) as hosted, chromium.new_context() as context:
        page = context.new_page()
        page.goto(hosted.url)
        yield page


def test_server_on_same_port_of_ipv6_is_never_asked(page: Page) -> None:
    """Another program on ::1 with our port would else get the page's requests."""
    port = urlsplit(page.url).port
    with ExitStack() as stack:
        with suppress(OSError):  # a machine without IPv6 has no such program either
            alien = socket.create_server(("::1", port), family=socket.AF_INET6)
            stack.enter_context(closing(alien))
        page.goto(page.url, timeout=10_000)
        assert page.title() == "ours"


@pytest.mark.parametrize("host", ("example.com", "192.0.2.1", "[::1]"))
def test_other_hosts_are_unknown(page: Page, host: str) -> None:
    """Names and addresses other than loopback are not resolved, let alone reached."""
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto(f"http://{host}/", timeout=10_000)


def test_webrtc_sends_nothing(page: Page) -> None:
    """A page cannot reach a host by UDP, which no blocked request would show."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)  # noqa: FBT003  # the only way to call it
        candidates = page.evaluate(
            """async port => {
                const urls = `stun:127.0.0.1:${port}`;
                const peer = new RTCPeerConnection({iceServers: [{urls}]});
                const ended = new Promise(resolve => {
                    peer.onicecandidate = e => e.candidate || resolve();
                });
                peer.createDataChannel("x");
                await peer.setLocalDescription(await peer.createOffer());
                await ended;
                return peer.localDescription.sdp.match(/a=candidate/g) || [];
            }""",
            udp.getsockname()[1],
        )
        assert candidates == []
        with pytest.raises(BlockingIOError):
            udp.recv(2048)


def test_permissions_are_denied_at_once(page: Page) -> None:
    """Camera, place and notifications are refused; no promise hangs."""
    answers = page.evaluate(
        """async () => {
            const place = new Promise(resolve =>
                navigator.geolocation.getCurrentPosition(
                    () => resolve("yes"), () => resolve("no")));
            const camera = navigator.mediaDevices.getUserMedia({video: true});
            return [
                await camera.then(() => "yes", () => "no"),
                await place,
                await Notification.requestPermission(),
            ];
        }"""
    )
    assert answers == ["no", "no", "denied"]


def test_screenshots_repeat(page: Page) -> None:
    """The same page gives the same bytes again, in a new page, too."""
    page.set_content(
        "<h1 style='font:italic 31px serif;text-shadow:1px 1px 3px'>Quick fox</h1>"
        "<p style='background:linear-gradient(9deg,red,blue);border-radius:9px'>jumps"
    )
    assert page.screenshot() == page.screenshot()


def test_only_root_goes_without_sandbox() -> None:
    """The sandbox's switch is given for root and for nobody else."""
    assert "--no-sandbox" in default_args(is_root=True)
    assert "--no-sandbox" not in default_args(is_root=False)

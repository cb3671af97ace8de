"""A page in the report's frame calls nobody, in a browser that allows calls."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from pytest_iwr.drive.launch import find_browser
from pytest_iwr.report.frame import Frame

CALL = (
    "const call = new RTCPeerConnection({iceServers: [{urls: `stun:HOST`}]});"
    "call.createDataChannel(``);"
    "call.createOffer().then(o => call.setLocalDescription(o));"
)
INSIDE = f"<script>{CALL}</script>"
MADE = "const f = document.createElement('iframe');"
WAYS = {
    "itself": INSIDE,
    "srcdoc": f'<iframe srcdoc="{INSIDE}"></iframe>',
    "nested": f"<iframe srcdoc=\"<iframe srcdoc='{INSIDE}'></iframe>\"></iframe>",
    "data": f'<iframe src="data:text/html,{INSIDE}"></iframe>',
    "script": f'<iframe src="javascript:{CALL}"></iframe>',
    "later": f"""<script>{MADE} document.body.append(f); setTimeout(() => {{
        f.removeAttribute("sandbox"); f.srcdoc = '<script>{CALL}<' + '/script>' }}, 99)
        </script>""",
    "shadow": f"""<p id=h></p><script>h.attachShadow({{mode: "closed"}}).innerHTML =
        `<iframe srcdoc='<script>${{ {CALL!r} }}</` + `script>'></iframe>`</script>""",
}
"""Ways for a page to call somebody."""


@pytest.fixture(scope="module")
def usual_browser() -> Iterator[Browser]:
    """Give a browser with the switches that a reader's has: WebRTC works."""
    found = find_browser(None, os.environ)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.path, chromium_sandbox=os.geteuid() != 0
        )
        yield browser
        browser.close()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Give a socket for datagrams."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.setblocking(False)  # noqa: FBT003 - its signature
        yield listening


def is_called(browser: Browser, page: Path, listener: socket.socket) -> bool:
    """Open a page, wait for what it calls, and tell whether anything came."""
    tab = browser.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_timeout(1000)
    tab.close()
    came = False
    with suppress(BlockingIOError):
        while True:
            came = bool(listener.recv(2000)) or came
    return came


@pytest.mark.parametrize("way", WAYS)
def test_frame_calls_nobody(
    tmp_path: Path, usual_browser: Browser, listener: socket.socket, way: str
) -> None:
    """By WebRTC, which no policy forbids, in whatever window; outside it could."""
    html = WAYS[way].replace("HOST", "{}:{}".format(*listener.getsockname()))
    (tmp_path / "index.html").write_text(f"<!DOCTYPE html><body>{html}")
    whole = Frame(tmp_path, None).put_together("index.html")
    assert whole is not None
    (tmp_path / "page.html").write_bytes(whole)
    for name in ("index", "page"):
        frame = f'<iframe sandbox="allow-scripts" src="{name}.html"></iframe>'
        (tmp_path / f"outer-{name}.html").write_text(frame)
    assert is_called(usual_browser, tmp_path / "outer-index.html", listener)
    assert not is_called(usual_browser, tmp_path / "outer-page.html", listener)

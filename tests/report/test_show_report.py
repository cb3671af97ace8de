"""`iwr show-report`: a run over HTTP on this machine, and its traces in their viewer."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from pytest_iwr.artifacts import RunFolder
from pytest_iwr.cli import main
from pytest_iwr.drive import Browser as Driver
from pytest_iwr.drive import BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.report.show.show import Show, find_viewer
from pytest_iwr.serve import Server
from tests.drive.kit import drive_pages

ROOT = Path(__file__).parents[2]
VIDEO = ROOT / "tasks" / "todomvc" / "video.mp4"
HOSTILE = """<!doctype html><title>Taken</title><h1>Visits</h1>
<img src=x onerror="document.title = 'taken'"><svg onload="document.title = 'taken'">
</svg><a href="javascript:document.title = 'taken'">x</a>
<button onclick="this.textContent = 'Added'">Add</button>"""


class Answer(NamedTuple):
    """What a server has answered."""

    status: int
    headers: dict[str, str]
    body: bytes


Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def traced(run: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Give a copy of a run with a film, a page that a model made, and a trace."""
    output = tmp_path_factory.mktemp("shown")
    copy = output / "20260115-100000-1a2b"
    shutil.copytree(run.path, copy)
    (output / "secret.txt").write_text("SECRET")
    (copy / ".hidden").write_text("SECRET")
    (copy / "leak.txt").symlink_to(output / "secret.txt")
    shutil.copy(VIDEO, copy / "film.mp4")
    made = copy / "pages" / "gpt" / "shop" / "index.html"
    made.parent.mkdir(parents=True)
    made.write_text(HOSTILE, encoding="utf-8")
    item = next((copy / "items").glob("*/*/index.html")).parent
    found = find_browser(None, os.environ)
    args = tuple(default_args(is_root=os.geteuid() == 0))
    options = BrowserOptions(executable=found.path, args=args, traces=True)
    driver = Driver(options)
    step = {"say": "Add one", "click": "Add"}
    scratch = tmp_path_factory.mktemp("traced")
    with Server() as server:
        drive_pages(driver, server, scratch, HOSTILE, (step,))
    driver.close()
    shutil.move(scratch / "shots" / "trace.zip", item)
    link = '<p><a href="trace.zip">trace.zip</a></p></main>'
    page = item / "index.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</main>", link), encoding="utf-8")
    (output / "latest").symlink_to(copy.name, target_is_directory=True)
    return RunFolder(copy)


@pytest.fixture(scope="module")
def show(traced: RunFolder) -> Iterator[Show]:
    """Give the run, served."""
    with Show(traced.path) as show:
        yield show


@pytest.fixture(scope="module")
def ask(show: Show) -> Ask:
    """Give a function: a path and headers in, the answer out."""
    return asker(show.address)


def asker(address: str) -> Ask:
    """Give a function that asks at an address."""
    port = int(address.rstrip("/").rpartition(":")[2])

    def ask(path: str, method: str = "GET", **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        lower = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, lower, body)

    return ask


@pytest.fixture
def window(browser_here: Browser) -> Iterator[Page]:
    """Give a window."""
    window = browser_here.new_page()
    yield window
    window.close()


def test_report_is_at_the_root(ask: Ask, traced: RunFolder) -> None:
    """The overview, byte for byte, as HTML."""
    answer = ask("/")
    assert answer.status == 200
    assert answer.body == traced.index.read_bytes()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "content-security-policy" not in answer.headers


def test_part_of_a_video_is_given(ask: Ask) -> None:
    """A range gets 206 and these bytes, one behind the end 416."""
    data = VIDEO.read_bytes()
    part = ask("/film.mp4", Range="bytes=1000-1999")
    assert (part.status, part.body) == (206, data[1000:2000])
    assert part.headers["content-range"] == f"bytes 1000-1999/{len(data)}"
    assert ask("/film.mp4", Range=f"bytes={len(data)}-").status == 416
    assert ask("/film.mp4").headers["accept-ranges"] == "bytes"


def test_video_seeks_in_a_browser(show: Show, window: Page) -> None:
    """A place in the middle is reached."""
    window.goto(show.address)
    window.evaluate(
        """() => new Promise((done, fail) => {
            const film = document.createElement("video");
            film.muted = true;
            film.onloadedmetadata = () => { film.currentTime = film.duration - 1 };
            film.onseeked = () => done();
            film.onerror = () => fail(new Error(film.error.message));
            film.src = "/film.mp4";
            document.body.append(film);
        })"""
    )
    left = "document.querySelector('video[src]').duration - document.querySelector('video[src]').currentTime"
    assert window.evaluate(left) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    "path",
    (
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/items/../../secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/%5c..%5csecret.txt",
        "/leak.txt",
        "/.hidden",
        "/nothing",
        "/items/",
    ),
)
def test_nothing_else_is_served(ask: Ask, path: str) -> None:
    """No way up, no link that leads out, no hidden name, no listing."""
    answer = ask(path)
    assert answer.status == 404
    assert b"SECRET" not in answer.body


@pytest.mark.parametrize("host", ("127.0.0.1", "localhost", "LOCALHOST:80"))
def test_machine_may_be_named_without_a_port(ask: Ask, host: str) -> None:
    """As browsers do at port 80."""
    assert ask("/", Host=host).status == 200


@pytest.mark.parametrize(
    "host", ("evil.example", "evil.example:80", "127.0.0.1.evil.example:1", "")
)
def test_other_names_of_this_machine_get_nothing(ask: Ask, host: str) -> None:
    """A web site that lets its name mean this machine reads nothing."""
    assert ask("/", Host=host).status == 403


@pytest.mark.parametrize(
    ("path", "is_ours"),
    (
        ("/", True),
        ("/index.html", True),
        ("/report-single.html", True),
        ("/{item}/", True),
        ("/{item}/index.html", True),
        ("/{item}/page.html", False),
        ("/pages/gpt/shop/", False),
        ("/pages/gpt/shop/index.html", False),
    ),
)
def test_only_the_report_has_the_origin(
    ask: Ask, show: Show, path: str, *, is_ours: bool
) -> None:
    """Every document that a page, a model or a task has a say in has none."""
    item = show.traces[0].parent.relative_to(show.run.path).as_posix()
    answer = ask(path.format(item=item))
    assert answer.status == 200
    policy = answer.headers.get("content-security-policy", "")
    assert policy.startswith("sandbox allow-scripts;") is not is_ours


@pytest.mark.parametrize("method", ("POST", "PUT", "DELETE", "OPTIONS"))
def test_only_reading_is_allowed(ask: Ask, method: str) -> None:
    """A run is shown, never changed."""
    assert ask("/", method).status == 405


def test_page_of_a_model_has_no_origin(show: Show, window: Page) -> None:
    """Opened by itself, its scripts reach neither the report nor the network."""
    told: list[str] = []
    window.on("console", lambda message: told.append(message.text))
    window.goto(f"{show.address}pages/gpt/shop/")
    origin = window.evaluate("self.origin")
    assert origin == "null"
    reads = "fetch('/summary.json').then(a => a.status, () => 'refused')"
    assert window.evaluate(reads) == "refused"
    out = "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"
    assert window.evaluate(out) == "refused"
    assert any("Content Security Policy" in line for line in told)


def test_report_works_without_a_complaint(show: Show, window: Page) -> None:
    """Overview and page of an item, with nothing on the console."""
    told: list[str] = []
    window.on("console", lambda message: told.append(message.text))
    window.on("pageerror", lambda error: told.append(str(error)))
    window.goto(show.address)
    window.locator("#rows tbody a").first.click()
    window.wait_for_url("**/items/**")
    expect(window.locator("#steps")).to_be_visible()
    window.get_by_role("button", name="Run the page here").click()
    frame = window.frame_locator("#frame iframe")
    expect(frame.locator("body")).not_to_be_empty()
    assert told == []


def test_trace_opens_in_its_viewer(show: Show, window: Page) -> None:
    """A link to a trace shows steps and snapshots; nothing leaves the machine."""
    asked: list[str] = []
    window.context.on("request", lambda request: asked.append(request.url))
    (trace,) = show.traces
    item = trace.parent.relative_to(show.run.path).as_posix()
    window.goto(f"{show.address}{item}/")
    window.get_by_role("link", name="trace.zip").last.click()
    group = window.get_by_text("1. Add one")
    expect(group).to_be_visible(timeout=30_000)
    group.click()
    shown = window.frame_locator("iframe.snapshot-visible")
    expect(shown.get_by_role("heading", name="Visits")).to_be_visible()
    assert window.title() == "Playwright Trace Viewer"
    assert not window.url.startswith(show.address)
    outside = [
        url
        for url in asked
        if not url.startswith(("http://127.0.0.1", "data:", "blob:"))
    ]
    assert all(".localhost:" in url for url in outside)


def test_trace_is_a_file_for_programs(ask: Ask, show: Show) -> None:
    """What does not follow a link gets the file."""
    (trace,) = show.traces
    path = f"/{trace.relative_to(show.run.path).as_posix()}"
    assert ask(path).body == trace.read_bytes()
    followed = ask(path, Sec_Fetch_Mode="navigate")
    assert followed.status == 307
    viewer = followed.headers["location"].partition("/index.html")[0]
    ask_viewer = asker(viewer)
    assert ask_viewer(f"/run{path}").body == trace.read_bytes()
    assert ask_viewer("/run/index.html").status == 404
    assert ask_viewer("/run/../../secret.txt").status == 404
    assert ask_viewer("/", Host="evil.example").status == 403


def test_viewer_is_installed_with_playwright() -> None:
    """It is found where this version of Playwright has it."""
    assert find_viewer() is not None


def test_command_serves_the_last_run_until_its_end(
    traced: RunFolder, tmp_path: Path
) -> None:
    """It prints the address, opens it in the browser, and ends with 0 at Ctrl-C."""
    opened = tmp_path / "opened.txt"
    script = tmp_path / "browser.sh"
    script.write_text(
        f'#!/bin/sh\necho "$1" > {opened}.part\nmv {opened}.part {opened}\n'
    )
    script.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-m", "pytest_iwr", "show-report", str(traced.path.parent)],
        env=os.environ | {"BROWSER": str(script)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first, second, third = (process.stdout.readline() for _ in range(3))
        assert first.startswith("Report of 20260115-100000-1a2b: http://127.0.0.1:")
        assert second == "1 of Playwright's traces open from its pages\n"
        assert third == "Ctrl-C ends it.\n"
        address = first.split()[-1]
        assert asker(address)("/").status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert opened.read_text() == f"{address}\n"


def test_taken_port_is_told(
    traced: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the port and what to do; the status is 1."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["show-report", str(traced.path), "--no-open", "--port", port]) == 1
    assert f"127.0.0.1:{port}: iwr show-report cannot listen" in capsys.readouterr().err


@pytest.mark.parametrize("more", ([], ["--port", "70000"]))
def test_wrong_use_is_told(
    tmp_path: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is no run, and a port that is none; the status is 4."""
    assert main(["show-report", str(tmp_path), "--no-open", *more]) == 4
    assert ("is no run" in capsys.readouterr().err) is not bool(more)

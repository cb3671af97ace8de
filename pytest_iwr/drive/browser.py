"""The browser, in a thread of its own; deadlines are kept from the caller's thread."""

import os
import secrets
import signal
import socket
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright import sync_api as pw

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.drive.camera import Camera, metrics_of
from pytest_iwr.drive.driver import start_driver
from pytest_iwr.drive.grounding import Grounding
from pytest_iwr.drive.lens import Lens
from pytest_iwr.drive.tracing import BrowserTrace
from pytest_iwr.drive.trajectory import Trip
from pytest_iwr.drive.views import eyes, page_world
from pytest_iwr.drive.watch import Watch
from pytest_iwr.drive.windows import Windows
from pytest_iwr.drive.written import writable
from pytest_iwr.errors import BrowserGoneError, NoBrowserError

T = TypeVar("T")

DEFAULT_CLOCK = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)
"""What `Date` says at the start of a task that sets no clock."""
_LOOK_S = 0.1
_LAUNCH_S = 60.0
_CLOSE_S = 5.0


@dataclass(frozen=True)
class BrowserOptions:
    """How to launch or reach a browser, and how to drive it."""

    executable: Path | None = None
    """`None`: Playwright's own."""
    args: tuple[str, ...] = ()
    headless: bool = True
    slow_mo_ms: float = 0.0
    channel: str | None = None
    launch: Mapping[str, Any] = field(default_factory=dict)
    """Further options of `BrowserType.launch`; ours come first."""
    connect: Mapping[str, Any] | None = None
    """Options of `BrowserType.connect`, to use a browser elsewhere."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """Further options of `Browser.new_context`; the task's come first."""
    step_timeout_s: float = 5.0
    """For an action and its expectations together, unless the step has its own."""
    unset: frozenset[str] = frozenset()
    """Environment variables that neither the browser nor its driver is given."""
    grounder: ports.Grounder | None = None
    """Who finds what rules cannot read; `None`: nobody."""
    grounds_first: bool = False
    """The grounder is asked for every prose target, also where rules could read it."""
    traces: bool = False
    """Playwright's own trace is left in each folder, too: `trace.zip`."""


class Browser:
    """Drives pages, one after the other; a browser that ended is replaced."""

    def __init__(self, options: BrowserOptions) -> None:
        """Keep the options; the browser starts with the first page."""
        self._options = options
        self._watch = Watch()
        self._thread = self._new_thread()
        self._playwright: pw.Playwright | None = None
        self._browser: pw.Browser | None = None
        self._pid: int | None = None
        self._devtools = ""

    @staticmethod
    def _new_thread() -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="iwr-browser")

    def drive(
        self,
        task: r.Task,
        url: str,
        folder: Path,
        observer: ports.Observer | None = None,
    ) -> r.Trace:
        """Carry out a task on a page; leaves shots and snapshots in `folder`.

        A wrong page, also one that hangs or crashes, is in the trace. Raises
        BrowserGoneError when the browser ended by itself, NoBrowserError when it
        cannot be started, UngroundedError for a sentence that nobody could read.
        """
        self._watch.start()
        return self._attend(
            self._thread.submit(self._drive, task, url, folder, observer)
        )

    def close(self) -> None:
        """End the browser and its thread."""
        self._watch.start()
        self._watch.allow(_CLOSE_S)
        with suppress(BrowserGoneError):
            self._attend(self._thread.submit(self._close))
        self._thread.shutdown(wait=False)

    def _attend(self, work: "Future[T]") -> T:
        """Wait for the thread's work; end the browser when its time is over."""
        while True:
            try:
                return work.result(timeout=_LOOK_S)
            except FutureTimeoutError:
                if work.done():
                    raise
                if self._watch.is_over():
                    self._end_browser()
            except BaseException:
                if not work.done():  # e.g. Ctrl-C in this thread
                    self._end_browser()
                raise

    def _end_browser(self) -> None:
        """End the browser process; whatever waits for it in the thread fails."""
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            return
        # A browser elsewhere: leave the thread that waits for it, and start anew.
        self._thread.shutdown(wait=False)
        self._thread = self._new_thread()
        self._playwright = self._browser = None
        text = "the remote browser stopped answering"
        raise BrowserGoneError(text)

    # --- in the browser's thread

    def _drive(
        self, task: r.Task, url: str, folder: Path, observer: ports.Observer | None
    ) -> r.Trace:
        self._watch.allow(_LAUNCH_S)
        browser = self._ensure()
        begun = time.monotonic()
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        secret = secrets.token_hex(12)
        try:
            options = self._context_options(task)
            context = browser.new_context(**options)
        except pw.Error as error:
            raise self._gone(error) from error
        windows = Windows(context, origin, eyes(secret), self._watch)
        scale = float(options.get("device_scale_factor") or 1.0)
        camera = Camera(windows, folder, scale, metrics_of(options))
        trip = Trip(
            task=task,
            url=url,
            origin=origin,
            windows=windows,
            camera=camera,
            watch=self._watch,
            grounding=Grounding(
                task,
                windows,
                camera,
                self._watch,
                self._options.grounder,
                is_first=self._options.grounds_first,
                devtools=self._devtools,
            ),
            step_timeout_s=self._options.step_timeout_s,
            observer=observer,
        )
        tracing: BrowserTrace | None = None
        try:
            start = (task.clock or DEFAULT_CLOCK).timestamp() * 1000
            if self._options.traces:
                tracing = BrowserTrace(context, self._watch)
                trip.mark = tracing.mark
            context.add_init_script(page_world(secret, start, task.seed))
            page = context.new_page()
            if observer is not None and observer.is_filming:
                Lens(context, observer).open(page)
            trip.go()
        except pw.Error as error:
            self._blame(trip, error)
        finally:
            if tracing is not None:
                tracing.keep(folder)
            self._leave(context)
        size = options["viewport"]
        trace = r.Trace(
            task=task.id,
            browser=f"Chromium {browser.version}",
            width_px=size["width"],
            height_px=size["height"],
            scale=scale,
            steps=tuple(trip.steps),
            external=tuple(windows.external.values()),
            duration_s=round(time.monotonic() - begun, 3),
        )
        return writable(trace)

    def _blame(self, trip: Trip, error: pw.Error) -> None:
        """Turn a broken connection into a verdict, where the page is to blame."""
        if "crashed" in error.message:  # its event may come after the error
            message = "the page brought its process down"
            self._watch.give_up(r.Failure(kind="page_crashed", message=message))
        if self._watch.blame is None:
            raise self._gone(error) from error
        trip.blame(self._watch.blame)

    def _gone(self, error: pw.Error) -> Exception:
        if self._browser is not None and self._browser.is_connected():
            return error
        self._browser = None
        text = f"the browser ended by itself: {error.message.splitlines()[0]}"
        return BrowserGoneError(text)

    def _leave(self, context: pw.BrowserContext) -> None:
        self._watch.allow(_CLOSE_S)
        with suppress(pw.Error):
            context.close()
        self._watch.rest()

    def _ensure(self) -> pw.Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        if self._playwright is None:
            self._playwright = start_driver(self._options.unset)
        chromium = self._playwright.chromium
        options = self._options
        try:
            if options.connect is not None:
                self._browser = chromium.connect(**options.connect)
                self._pid = None
                return self._browser
            self._browser = self._launch(chromium)
        except pw.Error as error:
            text = f"the browser could not be started: {error.message}"
            raise NoBrowserError(text) from error
        session = self._browser.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        self._pid = next(p["id"] for p in processes if p["type"] == "browser")
        session.detach()
        return self._browser

    def _launch(self, chromium: pw.BrowserType) -> pw.Browser:
        """Start a browser, in its sandbox wherever the system lets it have one.

        Root cannot; some systems forbid it to browsers that they do not know.
        """
        options = self._launch_options()
        if os.geteuid() != 0 and "chromium_sandbox" not in options:
            try:
                return chromium.launch(**options, chromium_sandbox=True)
            except pw.Error as error:
                if "sandbox" not in error.message.lower():
                    raise
        return chromium.launch(**options)

    def _launch_options(self) -> dict[str, Any]:
        options = self._options
        launch = dict(options.launch)
        if options.unset:
            kept = {k: v for k, v in os.environ.items() if k not in options.unset}
            launch.setdefault("env", kept)
        launch["args"] = [*options.args, *launch.get("args", ())]
        if options.grounder is not None and options.grounder.needs_devtools:
            port = _free_port()
            self._devtools = f"http://127.0.0.1:{port}"
            launch["args"].append(f"--remote-debugging-port={port}")
        launch.setdefault("headless", options.headless)
        if options.slow_mo_ms:
            launch.setdefault("slow_mo", options.slow_mo_ms)
        if options.channel:
            launch["channel"] = options.channel
        elif options.executable is not None:
            launch["executable_path"] = options.executable
        return launch

    def _context_options(self, task: r.Task) -> dict[str, Any]:
        """Merge the user's context options with what the task says."""
        context: dict[str, Any] = {
            "locale": "en-US",
            "timezone_id": "UTC",
            "color_scheme": "light",
            "accept_downloads": False,
            # Else a page that wants a password is never answered.
            "http_credentials": {"username": "nobody", "password": ""},
            **self._options.context,
        }
        if task.device is not None:
            if self._playwright is None:
                raise AssertionError
            device = dict(self._playwright.devices[task.device])
            device.pop("default_browser_type", None)
            return context | device
        window = task.viewport or r.Viewport()
        size = {"width": window.width, "height": window.height}
        return context | {
            "viewport": size,
            "screen": size,
            "device_scale_factor": window.scale,
            "is_mobile": window.mobile,
            "has_touch": window.touch,
        }

    def _close(self) -> None:
        with suppress(pw.Error):
            if self._browser is not None:
                self._browser.close()
            if self._playwright is not None:
                self._playwright.stop()
        self._browser = self._playwright = None


def _free_port() -> int:
    """Give a port of this machine that nobody listens on at this moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])

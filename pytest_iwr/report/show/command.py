"""`iwr show-report`: what it takes and prints."""

import argparse
import os
import signal
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_iwr.errors import UsageError

if TYPE_CHECKING:
    # argparse names the type of its sub-commands for type checkers only.
    Commands = argparse._SubParsersAction[Any]  # noqa: SLF001  # no public name


def add_show_report(commands: "Commands") -> None:
    """Add `iwr show-report`."""
    parser = commands.add_parser(
        "show-report",
        help="show a run in the browser, with Playwright's trace viewer",
        description="Serve the report of a run on this machine and open it in the"
        " browser. What `pytest --iwr-trace=retain-on-failure` has kept opens in"
        " Playwright's trace viewer, from the page of each evaluation.",
        epilog="Examples:\n"
        "  iwr show-report\n"
        "  iwr show-report artifact/20260115-100000-1a2b --port 8000 --no-open\n\n"
        "Exit status: 0 after Ctrl-C, 1 the port is taken, 4 no run.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "run",
        nargs="?",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="the folder of a run, or of several (default: reports/latest)",
    )
    add_serving(parser)
    parser.set_defaults(command=_show_report)


def add_serving(parser: argparse.ArgumentParser) -> None:
    """Add what all commands take that open a page of this machine."""
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="by default a free one"
    )
    parser.add_argument("--no-open", action="store_true", help="print the address only")


def _show_report(options: argparse.Namespace) -> int:
    from pytest_iwr.report.show.show import Show  # noqa: PLC0415 - loads a server

    with Show(options.run, port=port_of(options)) as show:
        print(f"Report of {show.run.path.name}: {show.address}")
        if show.traces:
            count = f"{len(show.traces)} of Playwright's traces"
            missing = (
                "cannot be shown, their viewer is not installed: pip install playwright"
            )
            told = "open from its pages" if show.viewer else missing
            print(f"{count} {told}")
        wait(show.address, is_quiet=options.no_open)
    return 0


def port_of(options: argparse.Namespace) -> int:
    """Give the port that is asked for; raises UsageError where it is none."""
    port: int = options.port
    if not 0 <= port <= 65535:  # noqa: PLR2004  # of TCP
        raise UsageError(f"--port: must be from 0 to 65535, is {port}.")
    return port


def wait(address: str, *, is_quiet: bool) -> None:
    """Open an address in the browser, and return at Ctrl-C or SIGTERM."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # A shell that starts this in the background has SIGINT ignored.
        signal.signal(number, signal.default_int_handler)
    try:
        print("Ctrl-C ends it.", flush=True)
        if not is_quiet:
            _open(address)
        threading.Event().wait()
    except KeyboardInterrupt:
        print()


def _open(address: str) -> None:
    """Open a window; a browser for terminals would take this one."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    is_own_window = type(browser) is not webbrowser.GenericBrowser
    if is_own_window or os.environ.get("BROWSER"):
        browser.open(address)

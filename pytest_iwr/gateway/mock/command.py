"""What `iwr serve-mock` does: a script from a file and options, then serve it."""

import argparse
import signal
import threading
from collections.abc import Iterator

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.mock.endpoint import MockEndpoint
from pytest_iwr.gateway.mock.script import Rule, Script, When
from pytest_iwr.gateway.mock.script_file import load_script


def serve_mock(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM, with a line for each request; gives 0.

    Raises UsageError for wrong options or a wrong script, IwrError for a taken port.
    """
    mock = MockEndpoint(
        _script(options),
        port=options.port,
        keeps_images=False,
        log=lambda line: print(line, flush=True),
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        # A shell that starts this in the background has SIGINT ignored.
        signal.signal(number, signal.default_int_handler)
    try:
        with mock:
            print(f"Mock endpoint at {mock.url}; Ctrl-C ends it. Use it with:")
            print(f"  OPENAI_BASE_URL={mock.url} OPENAI_API_KEY=mock \\")
            print("    pytest tasks --iwr-model=mock", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        print(f"Requests: {len(mock.requests)}, at most {mock.peak} at once")
    return 0


def _script(options: argparse.Namespace) -> Script:
    """Give the file's script, or an empty one, with what the options add to it."""
    script = load_script(options.script) if options.script else Script()
    _check(options)
    changes: dict[str, object] = {
        "rules": (*_failures(options.fail), *script.rules, *_pages(options))
    }
    if options.latency is not None:
        changes["latency_s"] = options.latency
    if options.seed is not None:
        changes["seed"] = options.seed
    return script.model_copy(update=changes)


def _check(options: argparse.Namespace) -> None:
    if options.fail is not None and not 0 <= options.fail <= 1:
        raise UsageError(f"--fail: must be from 0 to 1, is {options.fail:g}.")
    if options.latency is not None and not 0 <= options.latency < float("inf"):
        raise UsageError(f"--latency: must be 0 or more, is {options.latency:g}.")
    if not 0 <= options.port <= 65535:  # noqa: PLR2004  # of TCP
        raise UsageError(f"--port: must be from 0 to 65535, is {options.port}.")


def _failures(share: float | None) -> Iterator[Rule]:
    """Give rules of which each fails a third of that share.

    Each is asked only where those before it did not hold, hence the denominators.
    """
    part = (share or 0.0) / 3
    if part:
        yield Rule(when=When(chance=part), status=500)
        chance = min(1.0, part / (1 - part))
        yield Rule(when=When(chance=chance), status=429, retry_after_s=1)
        yield Rule(when=When(chance=min(1.0, part / (1 - 2 * part))), drops=True)


def _pages(options: argparse.Namespace) -> Iterator[Rule]:
    if options.page is not None:
        yield Rule(page=options.page)
    if options.pages is None:
        return
    files = list(options.pages.glob("*/index.html"))
    if not files:
        message = "there is no <name>/index.html. Name a folder of pages"
        raise UsageError(f"{options.pages}: {message}.")
    # A longer name first, since it may hold a shorter one.
    for file in sorted(files, key=lambda f: (-len(f.parent.name), f.parent.name)):
        yield Rule(when=When(text=file.parent.name), page=file)

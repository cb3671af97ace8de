"""TodoMVC judged by its own specification: the ground truth for other judges.

Ten steps, the same for each implementation, follow the sections of TodoMVC's
application specification (new todo, item, editing, counter, clear completed,
routing, persistence). The oracle may look at ids and classes, since it knows the
specification's template; it acts with the real mouse and keyboard all the same, and
what it expects has to be visible to a person.

    python -m benchmarks.validity.oracle PACKAGE_DIR [--json FILE] [--only NAME]
"""

import argparse
import asyncio
import json
import os
import re
import sys
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Thread
from typing import TypedDict
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    CDPSession,
    Error,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    async_playwright,
)
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

GLANCE_S = 0.2
"""Between selecting a text and typing over it; without it, a page that takes the
selection away again would win or lose a race."""
ACTION_TIMEOUT_S = 5.0
EXPECTATION_TIMEOUT_S = 5.0
POLL_S = 0.1
KEY_DELAY_S = 0.02
"""Between two keys; some implementations read the field after the key event."""
PACE_S = 1.0
"""Pause before each step. The specification does not say how soon a change takes
effect or is stored, and a person needs a moment too; some implementations collect
changes for half a second."""
LOAD_TIMEOUT_S = 15.0
"""The longest wait for a page's load event; one that never comes is no failure."""
IMPLEMENTATION_TIMEOUT_S = 60.0
"""Wall clock for one implementation, loading included."""
WORKERS = 4
"""Implementations at a time, each in its own browser."""
VIEWPORT = ViewportSize(width=1280, height=720)
CHROMIUM_ARGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
    # Only loopback is in reach. Intercepted requests would do it as well, but they
    # switch the cache off, which no person's browser does and one page depends on.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@dataclass(frozen=True)
class OracleRow:
    """What the oracle says of one implementation."""

    name: str
    failed_step: int | None
    """From 1 to 10; None where all steps pass. No page at all fails step 1."""
    reason: str
    """What was expected and what was there; empty where all steps pass."""


@dataclass(frozen=True)
class Markup:
    """CSS selectors for the parts of the page that the specification names.

    The defaults are the ids of the specification's older template and the classes
    of its newer one.
    """

    new_todo: str = "#new-todo, .new-todo"
    item: str = "#todo-list > li, .todo-list > li"
    label: str = "label"
    """The title, inside an item."""
    toggle: str = ".toggle"
    """The checkbox, inside an item."""
    count: str = "#todo-count, .todo-count"
    filter: str = "#filters a, .filters a"
    clear: str = "#clear-completed, .clear-completed"


MARKUPS: Mapping[str, Markup] = {
    "componentjs": Markup(
        new_todo=".todo__new",
        item=".todo__item",
        label=".todo__label",
        toggle=".todo__toggle",
        count=".todo__count",
        filter=".todo__filters a",
        clear=".todo__completed",
    ),
    "gwt": Markup(item="#todo-list .listItem"),
}
"""Implementations that work for a person but depart from the template."""


def run_oracle(
    package: Path, *, browser_executable: str | None, only: Sequence[str] = ()
) -> list[OracleRow]:
    """Give one row for each `examples/*/index.html` of `package`, by name.

    `browser_executable` is a Chromium; None takes the one that Playwright brings.
    `only` keeps the named implementations. One that fails, hangs or takes the
    browser down costs its own row and no other.

    Raises `ValueError` for a name in `only` that the package does not have, and for
    a package without any implementation.
    """
    names = sorted(index.parent.name for index in package.glob("examples/*/index.html"))
    if not names:
        raise ValueError(
            f"{package}: no 'examples/*/index.html'. Name the folder of the unpacked "
            "package 'todomvc'."
        )
    unknown = sorted(set(only) - set(names))
    if unknown:
        raise ValueError(f"{package}: no implementation {unknown!r}. Have {names!r}.")
    chosen = [name for name in names if not only or name in only]
    with _served(package) as origin:
        return asyncio.run(_judge_all(chosen, origin, browser_executable))


def main() -> None:
    """Print a table of the verdicts and their counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validity.oracle")
    parser.add_argument("package", type=Path, help="folder of the unpacked package")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--browser", help="path of a Chromium")
    asked = parser.parse_args()
    rows = run_oracle(asked.package, browser_executable=asked.browser, only=asked.only)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))
    print(table(rows))


def table(rows: Sequence[OracleRow]) -> str:
    """Give a line for each row, then how many pass and where the others fail."""
    width = max((len(row.name) for row in rows), default=0)
    lines = [
        f"{row.name:{width}}  {row.failed_step or 'pass':>4}  {row.reason}".rstrip()
        for row in rows
    ]
    counts = Counter(row.failed_step for row in rows)
    lines.append(f"{counts[None]} of {len(rows)} pass all steps")
    lines.extend(
        f"{counts[step]:>3} fail at step {step}"
        for step in range(1, len(STEPS) + 1)
        if counts[step]
    )
    return "\n".join(lines)


class _StepFailedError(Exception):
    """An action that cannot be done, or an expectation that is not met in time."""


class _Todo(TypedDict):
    title: str
    completed: bool


class _Snapshot(TypedDict):
    """What a person sees at one moment."""

    todos: list[_Todo]
    """Items whose title is visible, from top to bottom."""
    count: str | None
    """The counter's text; None where it is not visible."""
    editing: str | None
    """The text of the focused, visible editor; None where there is none."""


@dataclass
class _Run:
    """One implementation on its page."""

    page: Page
    devtools: CDPSession
    markup: Markup
    failed: list[str] = field(default_factory=list)
    """Addresses that the page asked for and got no answer from."""
    errors: list[str] = field(default_factory=list)
    """Uncaught errors of the page's scripts."""

    def item(self, title: str) -> Locator:
        words = re.compile(rf"^\s*{re.escape(title)}\s*$")
        label = self.page.locator(self.markup.label).filter(has_text=words)
        return self.page.locator(self.markup.item).filter(has=label)


async def _add_milk(run: _Run) -> None:
    await _add(run, "Buy milk")
    await _expect_todos(run, "Buy milk")
    await _expect_count(run, "1 item left")


async def _add_dog(run: _Run) -> None:
    await _add(run, "Walk the dog")
    await _expect_todos(run, "Buy milk", "Walk the dog")
    await _expect_count(run, "2 items left")


async def _complete_milk(run: _Run) -> None:
    toggle = run.item("Buy milk").locator(run.markup.toggle)
    await _act(run, "click the checkbox of 'Buy milk'", toggle.first.click)
    await _expect(run, "'Buy milk' completed", _milk_alone_is_completed)
    await _expect_count(run, "1 item left")


async def _show_active(run: _Run) -> None:
    await _choose_filter(run, "Active")
    await _expect_todos(run, "Walk the dog")


async def _show_completed(run: _Run) -> None:
    await _choose_filter(run, "Completed")
    await _expect_todos(run, "Buy milk")


async def _show_all(run: _Run) -> None:
    await _choose_filter(run, "All")
    await _expect_todos(run, "Buy milk", "Walk the dog")


async def _edit_dog(run: _Run) -> None:
    label = run.item("Walk the dog").locator(run.markup.label)
    await _act(run, "double-click 'Walk the dog'", label.first.dblclick)
    await _expect(
        run,
        "a focused editor with 'Walk the dog'",
        lambda seen: seen["editing"] == "Walk the dog",
    )


async def _rename_dog(run: _Run) -> None:
    select = partial(run.page.keyboard.press, "ControlOrMeta+A")
    await _act(run, "select the text", select)
    await asyncio.sleep(GLANCE_S)
    await _type_and_enter(run, "Walk the cat")
    await _expect_todos(run, "Buy milk", "Walk the cat")


async def _clear_completed(run: _Run) -> None:
    clear = run.page.locator(run.markup.clear).filter(visible=True)
    await _act(run, "click 'Clear completed'", clear.first.click)
    await _expect_todos(run, "Walk the cat")


async def _reload(run: _Run) -> None:
    await _load(run.page, None)
    await _expect_todos(run, "Walk the cat")


STEPS: tuple[Callable[[_Run], Awaitable[None]], ...] = (
    _add_milk,
    _add_dog,
    _complete_milk,
    _show_active,
    _show_completed,
    _show_all,
    _edit_dog,
    _rename_dog,
    _clear_completed,
    _reload,
)
"""Each acts and then expects; a step's number is its place, counted from 1."""


async def _add(run: _Run, title: str) -> None:
    new_todo = run.page.locator(run.markup.new_todo).filter(visible=True)
    await _act(run, "click the new-todo field", new_todo.first.click)
    await _type_and_enter(run, title)


async def _type_and_enter(run: _Run, text: str) -> None:
    keyboard = run.page.keyboard
    typing = partial(keyboard.type, text, delay=KEY_DELAY_S * 1000)
    await _act(run, f"type {text!r}", typing)
    await _act(run, "press Enter", partial(keyboard.press, "Enter"))


async def _choose_filter(run: _Run, name: str) -> None:
    words = re.compile(rf"^\s*{name}\s*$", re.IGNORECASE)
    links = run.page.locator(run.markup.filter).filter(has_text=words, visible=True)
    await _act(run, f"click the filter {name!r}", links.first.click)


async def _act(run: _Run, what: str, action: Callable[[], Awaitable[None]]) -> None:
    """Wait for one action of the mouse or the keyboard."""
    try:
        async with asyncio.timeout(ACTION_TIMEOUT_S):
            await action()
    except (Error, TimeoutError) as error:
        seen = await _look(run)
        raise _StepFailedError(f"cannot {what}; {_described(seen)}") from error


async def _expect_todos(run: _Run, *titles: str) -> None:
    """Expect exactly these visible todos.

    The specification appends new ones, but order is none of the ten steps' concern.
    """
    wanted = sorted(titles)
    await _expect(
        run,
        f"the todos {wanted!r}",
        lambda seen: sorted(todo["title"] for todo in seen["todos"]) == wanted,
    )


async def _expect_count(run: _Run, words: str) -> None:
    """Expect the counter to say so; case and white space are left to the page.

    The specification wants the number, then 'item' or 'items' as English has it.
    No digit may stand before the number.
    """
    pattern = re.compile(rf"(?<!\d){words}", re.IGNORECASE)
    await _expect(
        run,
        f"the counter {words!r}",
        lambda seen: pattern.search(seen["count"] or "") is not None,
    )


def _milk_alone_is_completed(seen: _Snapshot) -> bool:
    return [todo["title"] for todo in seen["todos"] if todo["completed"]] == [
        "Buy milk"
    ]


async def _expect(run: _Run, what: str, is_met: Callable[[_Snapshot], bool]) -> None:
    """Look until the expectation is met or its time is over."""
    seen: _Snapshot | None = None
    try:
        async with asyncio.timeout(EXPECTATION_TIMEOUT_S):
            # A page announces nothing that stands for "a person would see it now".
            while (seen := await _look(run)) is None or not is_met(seen):  # noqa: ASYNC110
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise _StepFailedError(f"expected {what}; {_described(seen)}") from None


async def _look(run: _Run) -> _Snapshot | None:
    """Give what is visible now; None while the page goes or cannot be asked.

    The script runs in a world of its own: old frameworks replace built-in functions,
    and one of them wraps every node.
    """
    script = f"({_SNAPSHOT_JS})({json.dumps(asdict(run.markup))})"
    try:
        tree = await run.devtools.send("Page.getFrameTree")
        world = await run.devtools.send(
            "Page.createIsolatedWorld",
            {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "oracle"},
        )
        answer = await run.devtools.send(
            "Runtime.evaluate",
            {
                "expression": script,
                "contextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
    except Error:
        return None
    seen: _Snapshot | None = answer["result"].get("value")
    return seen


def _described(seen: _Snapshot | None) -> str:
    if seen is None:
        return "the page gives no answer"
    todos = [
        todo["title"] + (" (completed)" if todo["completed"] else "")
        for todo in seen["todos"]
    ]
    return f"saw todos {todos!r}, count {seen['count']!r}, editor {seen['editing']!r}"


async def _judge_all(
    names: Sequence[str], origin: str, browser_executable: str | None
) -> list[OracleRow]:
    gate = asyncio.Semaphore(WORKERS)
    async with async_playwright() as playwright:

        async def judge(name: str) -> OracleRow:
            async with gate, _launched(playwright, browser_executable) as browser:
                return await _judge(browser, name, origin)

        return await asyncio.gather(*map(judge, names))


@asynccontextmanager
async def _launched(
    playwright: Playwright, executable: str | None
) -> AsyncIterator[Browser]:
    """Give a browser of its own to one implementation; a stuck one goes with it."""
    # Chromium refuses to start its sandbox for root.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    browser = await playwright.chromium.launch(
        executable_path=executable, chromium_sandbox=not is_root, args=CHROMIUM_ARGS
    )
    try:
        yield browser
    finally:
        await browser.close()


async def _judge(browser: Browser, name: str, origin: str) -> OracleRow:
    """Walk through the steps in a browser that nothing else has touched."""
    context = await browser.new_context(viewport=VIEWPORT, service_workers="block")
    context.set_default_timeout(ACTION_TIMEOUT_S * 1000)
    page = await context.new_page()
    devtools = await context.new_cdp_session(page)
    run = _Run(page, devtools, MARKUPS.get(name, Markup()))
    page.on("pageerror", lambda error: run.errors.append(error.message))
    page.on("requestfailed", lambda request: run.failed.append(request.url))
    number = 1
    try:
        async with asyncio.timeout(IMPLEMENTATION_TIMEOUT_S):
            await _load(page, f"{origin}/examples/{name}/")
            for number, step in enumerate(STEPS, start=1):  # noqa: B007
                await asyncio.sleep(PACE_S)
                await step(run)
    except _StepFailedError as failure:
        return OracleRow(name, number, f"{failure}{_excuse(run)}")
    except TimeoutError:
        limit = f"not done after {IMPLEMENTATION_TIMEOUT_S:.0f} s"
        return OracleRow(name, number, f"{limit}{_excuse(run)}")
    except Error as error:
        return OracleRow(name, number, f"{error.message}{_excuse(run)}")
    return OracleRow(name, None, "")


async def _load(page: Page, url: str | None) -> None:
    """Open `url`, or reload where it is None, and let the page come to rest.

    A person does not type before the page has settled; scripts that load scripts
    settle later than the load event.
    """
    timeout_ms = LOAD_TIMEOUT_S * 1000
    try:
        if url is None:
            await page.reload(timeout=timeout_ms)
        else:
            await page.goto(url, timeout=timeout_ms)
    except PlaywrightTimeoutError:
        # The steps decide whether what is there is enough.
        return
    except Error as error:
        raise _StepFailedError(f"no page: {error.message}") from error
    with suppress(PlaywrightTimeoutError):
        await page.wait_for_load_state("networkidle", timeout=ACTION_TIMEOUT_S * 1000)


def _excuse(run: _Run) -> str:
    """Give what may have been the page's trouble: hosts out of reach, an error."""
    parts = []
    strangers = {urlsplit(url).netloc for url in run.failed} - {
        urlsplit(run.page.url).netloc
    }
    if strangers:
        parts.append(f"; could not reach {', '.join(sorted(strangers))}")
    if run.errors:
        parts.append(f"; first script error: {run.errors[0]}")
    return " ".join("".join(parts).split())


class _QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and keeps them to itself."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


class _QuietServer(ThreadingHTTPServer):
    """Bears browsers that leave before the answer."""

    def handle_error(
        self, request: socket | tuple[bytes, socket], client_address: object
    ) -> None:
        """Let a lost connection pass; tell of everything else."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Serve `folder` on the loopback interface, and give the origin."""
    handler = partial(_QuietHandler, directory=str(folder))
    with _QuietServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


_SNAPSHOT_JS = r"""
(markup) => {
  const clips = (style) =>
    style.overflowX !== 'visible' || style.overflowY !== 'visible';

  // Painted somewhere on the page: not hidden, not transparent, not empty, and not
  // moved or clipped away.
  const isShown = (element) => {
    if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) {
      return false;
    }
    const rect = element.getBoundingClientRect();
    let left = Math.max(rect.left, -window.scrollX);
    let top = Math.max(rect.top, -window.scrollY);
    let right = rect.right;
    let bottom = rect.bottom;
    for (let up = element.parentElement; up; up = up.parentElement) {
      if (up === document.body || up === document.documentElement) break;
      if (!clips(getComputedStyle(up))) continue;
      const frame = up.getBoundingClientRect();
      left = Math.max(left, frame.left);
      top = Math.max(top, frame.top);
      right = Math.min(right, frame.right);
      bottom = Math.min(bottom, frame.bottom);
    }
    return right - left >= 1 && bottom - top >= 1;
  };

  const fold = (text) => text.replace(/\s+/g, ' ').trim();

  const firstShown = (root, selector) =>
    Array.from(root.querySelectorAll(selector)).find(isShown) ?? null;

  // The specification sets the class; its style sheet strikes the title through.
  // Either will do.
  const isCompleted = (item, label) => {
    if (item.classList.contains('completed')) return true;
    for (let up = label; up && up !== item.parentElement; up = up.parentElement) {
      if (getComputedStyle(up).textDecorationLine.includes('line-through')) return true;
    }
    return false;
  };

  const todos = [];
  for (const item of document.querySelectorAll(markup.item)) {
    const label = firstShown(item, markup.label);
    if (!label) continue;
    todos.push({title: fold(label.innerText), completed: isCompleted(item, label)});
  }

  const count = firstShown(document, markup.count);

  const focused = document.activeElement;
  let editing = null;
  if (focused && !focused.matches(markup.new_todo) && isShown(focused)) {
    if (focused.matches('input:not([type=checkbox]), textarea')) {
      editing = focused.value;
    } else if (focused.isContentEditable) {
      editing = fold(focused.innerText);
    }
  }

  return {
    todos: todos,
    count: count ? fold(count.innerText) : null,
    editing: editing,
  };
}
"""


if __name__ == "__main__":
    main()

"""One trajectory over every implementation of TodoMVC, compared with an oracle.

    python -m benchmarks.validity [--task FILE] [--only NAME] [--json FILE]

Some sixty people built one application in thirty frameworks. The grounder knows
nothing of their ids and classes: where the oracle says that an implementation is
right, every step must pass; where it says that it is wrong, the same step must fail
first.

With `--task tasks/todomvc/task.iwr.yaml` the trajectory is one that was captured on a
single implementation: does what it expects hold for all the others? Its steps are not
the oracle's, so that a wrong implementation must fail at any step. Checkpoints are not
compared, since one specification leaves room for many looks.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from benchmarks import npm
from benchmarks.validity.oracle import OracleRow, run_oracle
from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.errors import IwrError
from pytest_iwr.load import load
from pytest_iwr.serve import Server

PACKAGE = ("todomvc", "0.1.1")
TASK = Path(__file__).with_name("todomvc.iwr.yaml")
GOAL = 0.95
BROWSERS = 2
"""At work at the same time."""


@dataclass(frozen=True)
class Row:
    """One implementation, judged twice."""

    name: str
    oracle_step: int | None
    """The step that fails by the oracle; `None`: right."""
    oracle_reason: str
    step: int | None
    """The step that fails by the grounder; `None`: all pass."""
    kind: str
    reason: str
    seconds: float

    def agrees(self, *, on_step: bool) -> bool:
        """Tell whether both say the same, of the first wrong step or of the whole."""
        if on_step:
            return self.step == self.oracle_step
        return (self.step is None) == (self.oracle_step is None)


def drive_all(package: Path, names: Sequence[str], task: r.Task) -> list[Row]:
    """Run the trajectory over the named implementations; oracle fields stay empty."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    options = BrowserOptions(executable=found.path, args=tuple(args))
    browsers = SimpleQueue[Browser]()
    for _ in range(BROWSERS):
        browsers.put(Browser(options))

    def judge(name: str) -> Row:
        site = r.Site(
            folder=str(package),
            entry=f"examples/{name}/index.html",
            sha256="",
            origin=f"todomvc {name}",
        )
        browser = browsers.get()
        begun = time.monotonic()
        folder = Path(scratch) / name
        folder.mkdir()
        try:
            with server.serve(site, None) as hosted:
                step, kind, reason = _drive(browser, task, hosted.url, folder)
        finally:
            browsers.put(browser)  # or the others wait for it for ever
        seconds = round(time.monotonic() - begun, 2)
        print(f"  {name} {seconds:.1f} s", file=sys.stderr, flush=True)
        return Row(name, None, "", step, kind, reason, seconds)

    with (
        Server() as server,
        tempfile.TemporaryDirectory() as scratch,
        ThreadPoolExecutor(BROWSERS) as threads,
    ):
        rows = list(threads.map(judge, names))
    while not browsers.empty():
        browsers.get().close()
    return rows


def _drive(
    browser: Browser, task: r.Task, url: str, folder: Path
) -> tuple[int | None, str, str]:
    try:
        failed = browser.drive(task, url, folder).failed
    except IwrError as error:
        return 0, "error", str(error)
    if failed is None or failed.failure is None:
        return None, "", ""
    return max(1, failed.number), failed.failure.kind, failed.failure.message


def compare(oracle: Sequence[OracleRow], driven: Sequence[Row]) -> list[Row]:
    """Put both judges side by side."""
    known = {row.name: row for row in oracle}
    return [
        Row(
            **asdict(row)
            | {
                "oracle_step": known[row.name].failed_step,
                "oracle_reason": known[row.name].reason,
            }
        )
        for row in driven
    ]


def report(rows: Sequence[Row], *, on_step: bool) -> bool:
    """Print both groups and every disagreement; tell whether the goal is met.

    `on_step`: the trajectory's steps are the oracle's, and so must their numbers be.
    """
    right = [row for row in rows if row.oracle_step is None]
    wrong = [row for row in rows if row.oracle_step is not None]
    is_met = True
    for title, group in (
        ("right by the oracle, all steps pass", right),
        (f"wrong by the oracle, {'same' if on_step else 'a'} step fails first", wrong),
    ):
        agreeing = sum(row.agrees(on_step=on_step) for row in group)
        share = agreeing / len(group) if group else 1.0
        is_met = is_met and share >= GOAL
        print(f"{title}: {agreeing} of {len(group)} ({share:.1%})")
    print()
    width = max(len(row.name) for row in rows)
    for row in sorted(rows, key=lambda row: (row.agrees(on_step=on_step), row.name)):
        mark = " " if row.agrees(on_step=on_step) else "!"
        expected = row.oracle_step or "pass"
        got = row.step or "pass"
        why = row.reason or row.oracle_reason
        print(
            f"{mark} {row.name:{width}} oracle {expected!s:>4}  grounder {got!s:>4}"
            f"  {row.seconds:5.1f} s  {row.kind} {why}"[:200].rstrip()
        )
    return is_met


def main() -> int:
    """Fetch the package, run both judges, print the comparison."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validity")
    parser.add_argument(
        "--task", type=Path, default=TASK, metavar="FILE", help="another trajectory"
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    asked = parser.parse_args()
    package = npm.fetch(*PACKAGE)
    found = find_browser(None, os.environ)
    executable = str(found.path) if found.path else None
    print("the oracle judges …", file=sys.stderr, flush=True)
    begun = time.monotonic()
    oracle = run_oracle(package, browser_executable=executable, only=asked.only)
    names = [row.name for row in oracle]
    judged = time.monotonic()
    print("the grounder drives …", file=sys.stderr, flush=True)
    rows = compare(oracle, drive_all(package, names, load(asked.task)))
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    is_met = report(rows, on_step=asked.task == TASK)
    driven = time.monotonic() - judged
    print(f"\noracle {judged - begun:.0f} s, grounder {driven:.0f} s")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())

"""Measures the report of a large run: `python -m benchmarks.report`.

113 tasks × 3 models × 9 steps with distinct pictures of 1280 × 720. Prints what the
workers do as their items end, what is done at the end of the run, and how soon Chromium
shows it; goals are printed, never asserted.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from benchmarks.material import executable, launch_args
from benchmarks.report.made_run import Plan, make_run
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.report.keep import keep_pictures

_WRITER = """
import resource, sys, time
from pathlib import Path
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.report.site import {name}
run = RunFolder(Path(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF)
started = time.perf_counter()
path = {call}
took = time.perf_counter() - started
after = resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(took, cpu, before.ru_maxrss / 1000, after.ru_maxrss / 1000, path)
"""


def main() -> None:
    """Make the run, write its report twice, open it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report")
    parser.add_argument("--tasks", type=int, default=113)
    parser.add_argument("--models", type=int, default=3)
    parser.add_argument("--steps", type=int, default=9)
    parser.add_argument("--keep", type=Path, help="make the run here, or use it again")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = asked.keep or Path(scratch)
        run = RunFolder(home / "run")
        plan = Plan(
            tasks=asked.tasks,
            models=tuple(f"model-{n}" for n in range(asked.models)),
            steps=asked.steps,
            size=(1280, 720),
            processes=2,
        )
        if not run.summary.exists():
            make_run(home, plan)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        _tell_items(run)
        site = _write("write_site", "write_site(run)", run)
        single = _write("write_single_file", "write_single_file(run, run.single)", run)
        print(f"  one file: {single.stat().st_size / 1e6:.1f} MB   goal ≤ 25 MB")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=executable(), args=launch_args()
            )
            _open(browser, "overview", site)
            _open(browser, "one file", single)
            browser.close()


def _tell_items(run: RunFolder) -> None:
    """Print what keeping the pictures takes a worker, on some items anew."""
    items = sorted((run.path / "items").glob("*/*"))[::40]
    times = []
    for item in items:
        started = time.process_time()
        shown = keep_pictures(item)
        times.append((time.process_time() - started) / max(1, len(shown)))
    times.sort()
    middle = times[len(times) // 2] * 1000
    print(f"pictures in the workers: {middle:.0f} ms of CPU each (shot or difference)")


def _write(name: str, call: str, run: RunFolder) -> Path:
    done = subprocess.run(
        [sys.executable, "-c", _WRITER.format(name=name, call=call), str(run.path)],
        capture_output=True,
        text=True,
        check=True,
    )
    took, cpu, before, after, path = done.stdout.split()
    print(
        f"{name}: {float(took):.1f} s, {float(cpu):.1f} s of CPU   goal < 20 s; "
        f"memory {float(before):.0f} MB before, {float(after):.0f} MB at its peak"
    )
    return Path(path)


def _open(browser: Browser, name: str, path: Path) -> None:
    page = browser.new_page()
    started = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.locator("#rows tbody tr").first.wait_for()
    took = time.perf_counter() - started
    rows = page.locator("#rows tbody tr").count()
    print(f"{name} opens in {took:.2f} s ({rows} rows drawn)   goal < 2 s")
    started = time.perf_counter()
    page.locator("input[name=q]").fill("task-001")
    expect(page.locator("#shown")).to_contain_text(" of ")
    print(f"  a filter takes {time.perf_counter() - started:.2f} s")
    page.close()


if __name__ == "__main__":
    main()

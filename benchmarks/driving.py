"""Driving with a shot after each step ÷ the same actions in bare Playwright."""

import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser as BareBrowser
from playwright.sync_api import Page, sync_playwright

from benchmarks.material import Material, executable, launch_args, new_browser
from pytest_iwr.serve import Server

GOAL = 1.5


@contextmanager
def bare_browser() -> Iterator[BareBrowser]:
    """Give a browser that is started just as the project starts its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(), args=launch_args()
        )
        yield browser
        browser.close()


def drive_bare(browser: BareBrowser, material: Material, url: str, out: Path) -> float:
    """Carry out the actions with selectors and a shot after each; gives seconds."""
    begun = time.perf_counter()
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(url)
    page.screenshot(path=out / "0.png")
    for number, action in enumerate(material.actions, start=1):
        _act(page, action)
        page.screenshot(path=out / f"{number}.png")
    context.close()
    return time.perf_counter() - begun


def _act(page: Page, action: dict[str, Any]) -> None:
    match action:
        case {"click": selector}:
            page.click(selector)
        case {"type": [selector, text]}:
            page.click(selector)
            page.keyboard.type(text)
        case {"press": key}:
            page.keyboard.press(key)
        case {"scroll": share}:
            page.mouse.move(640, 360)
            page.mouse.wheel(0, share * 720)
        case _:
            raise ValueError(action)


def measure(materials: list[Material], rounds: int) -> bool:
    """Print the ratio and where the project's time goes; tell if the goal is met."""
    bare: list[float] = []
    ours: list[float] = []
    parts: dict[str, float] = defaultdict(float)
    driver = new_browser()
    with Server() as server, tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)
        with bare_browser() as browser:
            for number in range(rounds + 1):
                for material in materials:
                    with server.serve(material.page, None) as hosted:
                        plain = drive_bare(browser, material, hosted.url, out)
                    with server.serve(material.page, None) as hosted:
                        begun = time.perf_counter()
                        trace = driver.drive(material.task, hosted.url, out)
                        full = time.perf_counter() - begun
                    if trace.failed is not None:
                        raise SystemExit(f"{material.task.id}: {trace.failed.failure}")
                    if number == 0:
                        continue  # both browsers are warm from here on
                    bare.append(plain)
                    ours.append(full)
                    for step in trace.steps:
                        for part, seconds in step.timings_s.items():
                            parts[part] += seconds
        driver.close()
    ratios = [a / b for a, b in zip(ours, bare, strict=True)]
    ratio = median(ratios)
    print(f"driving, {len(ours)} runs of 9 actions and 10 shots, one after the other")
    print(f"  bare Playwright {_spread(bare)} s")
    print(f"  pytest-iwr      {_spread(ours)} s")
    print(f"  ratio           {_spread(ratios)}   goal ≤ {GOAL}")
    total = sum(parts.values())
    shares = sorted(parts.items(), key=lambda item: -item[1])
    for part, seconds in shares:
        each = seconds / len(ours)
        print(f"    {part:9} {each:6.3f} s a run, {seconds / total:5.1%} of the steps")
    print(
        f"    {'opening and closing':9} {median(ours) - total / len(ours):.3f} s a run"
    )
    return ratio <= GOAL


def _spread(values: list[float]) -> str:
    return f"{median(values):.2f} [{min(values):.2f}–{max(values):.2f}]"

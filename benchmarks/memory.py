"""Memory of a worker after twenty items, the browser apart."""

import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

from benchmarks.material import gather, new_browser
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.serve import Server

ITEMS = 20
GOAL_MB = 450


def worker() -> None:
    """Evaluate twenty items as a worker does; prints its own memory and the rest."""
    with tempfile.TemporaryDirectory() as scratch:
        materials = gather(Path(scratch))
        driver = new_browser()
        with Server() as server:
            scorer = OfflineScorer(Path(scratch) / "cache")
            tools = Tools(server, driver, scorer, MIN_SIMILARITY)
            for number in range(ITEMS):
                material = materials[number % len(materials)]
                run = RunFolder(Path(scratch) / "run")
                folder = run.item(material.task.id, f"model-{number}", 1)
                evaluate(material.task, material.page, tools, folder)
        me = psutil.Process()
        rest = sum(p.memory_info().rss for p in me.children(recursive=True))
        print(me.memory_info().rss, rest)
        driver.close()


def measure() -> bool:
    """Print a fresh process's memory after its items; tell if the goal is met."""
    done = subprocess.run(
        [sys.executable, "-c", "from benchmarks.memory import worker; worker()"],
        capture_output=True,
        text=True,
        check=True,
    )
    own, rest = (int(part) / 1e6 for part in done.stdout.split())
    print(f"memory of a worker after {ITEMS} items")
    print(
        f"  worker {own:.0f} MB, browser and its driver {rest:.0f} MB"
        f"   goal ≤ {GOAL_MB} MB"
    )
    return own <= GOAL_MB

"""Measures how pages are made: `python -m benchmarks.generation [--only PART]`.

Prints figures of this machine; goals are printed, never asserted.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.generation import speed
from benchmarks.generation.project import Project

TASKS = 113


def main() -> None:
    """Measure speed, failures and kills, in this order."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generation")
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"({TASKS})")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        project = Project(Path(scratch) / "many", tasks=asked.tasks)
        speed.measure(project)


if __name__ == "__main__":
    main()

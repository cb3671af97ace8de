"""Measures how pages are made: `python -m benchmarks.generation [--only PART]`.

Prints figures of this machine; goals are printed, never asserted.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.generation import faults, kills, speed
from benchmarks.generation.project import Project

PARTS = ("speed", "faults", "kills")
TASKS = 113
KILLED_TASKS = 16


def main() -> None:
    """Measure speed, failures and kills, in this order."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generation")
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"({TASKS})")
    parser.add_argument("--only", choices=PARTS, action="append", help="parts (all)")
    asked = parser.parse_args()
    parts = asked.only or PARTS
    with tempfile.TemporaryDirectory() as scratch:
        if parts != ["kills"]:
            many = Project(Path(scratch) / "many", tasks=asked.tasks)
        if "speed" in parts:
            speed.measure(many)
        if "faults" in parts:
            faults.measure(many)
        if "kills" in parts:
            kills.measure(Project(Path(scratch) / "few", tasks=KILLED_TASKS))


if __name__ == "__main__":
    main()

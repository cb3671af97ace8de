"""Measures speed and memory: `python -m benchmarks [--rounds N]`.

Prints medians and spreads of one run on this machine; goals are printed, never
asserted.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks import driving, memory, scoring
from benchmarks.material import gather


def main() -> None:
    """Measure driving, scoring and memory, in this order."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--rounds", type=int, default=5, help="of driving (5)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        materials = gather(Path(scratch))
        driving.measure(materials, asked.rounds)
        scoring.measure(materials)
    memory.measure()


if __name__ == "__main__":
    main()

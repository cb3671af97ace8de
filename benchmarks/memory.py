"""Memory of a worker after twenty items and at its peak, the browser apart.

Twice, each in a process of its own: as it is, and with DINO on every pair of pictures.
DINO's weights are those of a file, or of a seed: they take the same room.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks import seeded_dino
from benchmarks.material import gather, new_browser
from pytest_iwr import images, ports
from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.check.dino import Dino
from pytest_iwr.check.dino_model import require_packages
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.errors import UsageError
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.serve import Server

ITEMS = 20
GOAL_MB, GOAL_DINO_MB = 450, 1500
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class WithDino:
    """A scorer that asks DINO, too; the comparison is the other scorer's."""

    scorer: OfflineScorer
    dino: Dino

    @property
    def protocol(self) -> r.Protocol:
        """The other scorer's."""
        return self.scorer.protocol

    def compare(
        self,
        reference: Path,
        shot: Path,
        *,
        masks: Sequence[r.Box] = (),
        diff: Path | None = None,
    ) -> r.Comparison:
        """Compare twice."""
        self.dino.similarity(images.read(reference), images.read(shot))
        return self.scorer.compare(reference, shot, masks=masks, diff=diff)


def worker(weights: str) -> None:
    """Evaluate twenty items as a worker does; prints bytes: now, peak, the rest.

    `weights` is the file of DINO's, "" for none.
    """
    with tempfile.TemporaryDirectory() as scratch:
        materials = gather(Path(scratch))
        driver = new_browser()
        cache = Path(scratch) / "cache"
        scorer: ports.Scorer = OfflineScorer(cache)
        if weights:
            dino = Dino(Path(weights), cache=cache)
            scorer = WithDino(OfflineScorer(cache), dino)
        with Server() as server:
            tools = Tools(server, driver, scorer, MIN_SIMILARITY)
            for number in range(ITEMS):
                material = materials[number % len(materials)]
                run = RunFolder(Path(scratch) / "run")
                folder = run.item(material.task.id, f"model-{number}", 1)
                evaluate(material.task, material.page, tools, folder)
        me = psutil.Process()
        now, shared = me.memory_info().rss, me.memory_full_info().uss
        rest = sum(p.memory_info().rss for p in me.children(recursive=True))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
        print(now, peak, shared, rest)
        driver.close()


def measure(weights: Path | None = None) -> bool:
    """Print memory with and without DINO; tell if the goals are met.

    `weights`: DINO's, `None`: made from a seed. Without the extra `paper` only the
    first half is measured.
    """
    print(f"memory of a worker after {ITEMS} items, its browser apart")
    is_met = _measure("without DINO", "", GOAL_MB)
    try:
        require_packages()
    except UsageError as error:
        print(f"  with DINO: {error}")
        return is_met
    with tempfile.TemporaryDirectory() as scratch:
        if weights is None:
            weights = Path(scratch) / "seeded.safetensors"
            seeded_dino.write(weights)
        return _measure("with DINO", str(weights), GOAL_DINO_MB) and is_met


def _measure(name: str, weights: str, goal_mb: int) -> bool:
    code = "import sys; from benchmarks.memory import worker; worker(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, weights],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    now, peak, own, rest = (int(part) / 1e6 for part in done.stdout.split())
    print(
        f"  {name:12} {now:5.0f} MB, at its peak {peak:.0f} MB "
        f"(its own alone: {own:.0f} MB); browser and driver {rest:.0f} MB"
        f"   goal ≤ {goal_mb} MB"
    )
    return peak <= goal_mb

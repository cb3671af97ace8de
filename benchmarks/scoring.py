"""Seconds for each scored checkpoint: the first model, and the next ones."""

import tempfile
import time
from pathlib import Path

from benchmarks.material import Material, new_browser
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.serve import Server


def measure(materials: list[Material]) -> None:
    """Print seconds per checkpoint for two models that gave the same kind of page."""
    driver = new_browser()
    with Server() as server, tempfile.TemporaryDirectory() as scratch:
        scorer = OfflineScorer(Path(scratch) / "cache")
        tools = Tools(server, driver, scorer, MIN_SIMILARITY)
        run = RunFolder(Path(scratch) / "run")
        print("scoring, seconds for each checkpoint (OCR, structure, blocks, diff)")
        for model in ("first model", "second model"):
            checkpoints, checking, driving = 0, 0.0, 0.0
            begun = time.perf_counter()
            for material in materials:
                folder = run.item(material.task.id, model, 1)
                result = evaluate(material.task, material.page, tools, folder)
                checkpoints += len(result.checkpoints)
                checking += result.timings_s["check"]
                driving += result.timings_s["drive"]
            whole = time.perf_counter() - begun
            print(
                f"  {model:12}  {checking / checkpoints:.2f} s a checkpoint "
                f"({checkpoints} of them), drive {driving:.1f} s, all {whole:.1f} s"
            )
    driver.close()

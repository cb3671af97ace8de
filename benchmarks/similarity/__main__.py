"""Writes the tables of `docs/scoring.md`: `python -m benchmarks.similarity`."""

import re
import tempfile
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path
from statistics import fmean

from benchmarks.material import new_browser
from benchmarks.similarity.studio import CHANGES, PAGES, Studio
from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.generate.stored import StoredPages
from pytest_iwr.load import load
from pytest_iwr.serve import Server

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "scoring.md"
TASKS = ("shop", "todomvc")
NUMBERS = ("text", "structure", "lfs", "hfs", "similarity")


def main() -> None:
    """Measure, print, and put the table into the document."""
    with tempfile.TemporaryDirectory() as scratch:
        scorer = OfflineScorer(Path(scratch) / "cache", threads=2)
        rows = [*changed_pages(scorer, Path(scratch)), *rebuilt_sites(scorer, scratch)]
    head = ["change", "pairs", "text", "structure", "LFS", "HFS", "similarity"]
    lines = [_line([*head, "lowest–highest"]), _line(["---"] * (len(head) + 1)), *rows]
    table = "\n".join(lines)
    print(table)
    text = DOCS.read_text(encoding="utf-8")
    pattern = r"(<!-- measured -->\n).*?(\n<!-- end -->)"
    fresh = re.sub(pattern, lambda m: m[1] + table + m[2], text, flags=re.DOTALL)
    DOCS.write_text(fresh, encoding="utf-8")


def changed_pages(scorer: OfflineScorer, folder: Path) -> Iterator[str]:
    """Give a line for each known change, over all small pages."""
    with Studio(folder) as studio:
        for change in CHANGES:
            pairs = [(studio.shoot(p), studio.shoot(p, change)) for p in PAGES]
            yield _row(change, (scorer.compare(*pair) for pair in pairs))
        pairs = [(studio.shoot(p), studio.shoot_half(p)) for p in PAGES]
        yield _row("lower half lost", (scorer.compare(*pair) for pair in pairs))
        pairs = [
            (studio.shoot(one), studio.shoot(two))
            for one, two in permutations(PAGES, 2)
        ]
        yield _row("another page", (scorer.compare(*pair) for pair in pairs))
        pairs = [(studio.shoot(p), studio.shoot_blank()) for p in PAGES]
        yield _row("blank page", (scorer.compare(*pair) for pair in pairs))


def rebuilt_sites(scorer: OfflineScorer, scratch: str) -> Iterator[str]:
    """Give a line for the faithful pages, and for the other task's pictures."""
    run = RunFolder(Path(scratch) / "run")
    pages = StoredPages(ROOT / "examples" / "pages")
    tasks = [load(ROOT / "tasks" / name / "task.iwr.yaml") for name in TASKS]
    compared: list[r.Comparison] = []
    driver = new_browser()
    with Server() as server:
        tools = Tools(server, driver, scorer, MIN_SIMILARITY)
        for task in tasks:
            folder = run.item(task.id, "faithful", 1)
            page = pages.page(task, "faithful", 1)
            result = evaluate(task, page, tools, folder)
            compared += [checked.comparison for checked in result.checkpoints]
    driver.close()
    yield _row("real sites, faithful pages", compared)
    shots = [sorted((ROOT / "tasks" / t / "checkpoints").glob("*.png")) for t in TASKS]
    pairs = zip(*shots, strict=True)
    yield _row("real sites, the other task", (scorer.compare(*pair) for pair in pairs))


def _row(name: str, compared: Iterable[r.Comparison]) -> str:
    known = list(compared)
    means = [fmean(getattr(c, number) for c in known) for number in NUMBERS]
    all_of_it = sorted(c.similarity for c in known)
    spread = f"{all_of_it[0]:.3f}–{all_of_it[-1]:.3f}"
    return _line([name, str(len(known)), *(f"{mean:.3f}" for mean in means), spread])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()

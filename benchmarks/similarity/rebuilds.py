"""Pages for the tasks of this repository: right ones, with a fault, and wrong ones."""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Literal

from benchmarks.material import new_browser
from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.generate.stored import StoredPages
from pytest_iwr.load import load
from pytest_iwr.serve import Server

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "examples" / "pages"
TASKS = tuple(sorted(path.parent.name for path in ROOT.glob("tasks/*/task.iwr.yaml")))
BLANK = "<!doctype html><title>blank</title>"
PLACEHOLDER = "__PLACEHOLDER_ASSETS_BASE_DIR__"

Group = Literal["right", "fault", "wrong"]


def _styled(rule: str) -> Callable[[str], str]:
    return lambda page: page.replace("</head>", f"<style>{rule}</style></head>", 1)


def _bare(page: str) -> str:
    return re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


_MOVED = "body { margin-top: 16px !important }"
_LARGER = "body { zoom: 1.125 }"
# The icons keep their font: in another one they are no icons at all.
_FONT = "*:not(i, .sign) { font-family: DejaVu Serif, serif !important }"

CHANGES: Mapping[str, tuple[Group, Callable[[str], str]]] = {
    "moved 16 px": ("fault", _styled(_MOVED)),
    "an eighth larger": ("fault", _styled(_LARGER)),
    "other font": ("fault", _styled(_FONT)),
    "all three of these": ("fault", _styled(_MOVED + _LARGER + _FONT)),
    "no pictures": ("fault", _styled("img, canvas { visibility: hidden !important }")),
    "colours inverted": ("fault", _styled("html { filter: invert(1) }")),
    "no style sheet": ("wrong", _bare),
}
"""What is done to the faithful pages, and what the result is."""


@dataclass(frozen=True)
class Compared:
    """One picture of a page beside the reference's."""

    task: str
    kind: str
    """What page it is; a line of the table."""
    group: Group
    comparison: r.Comparison


def compare_pages(scorer: OfflineScorer) -> Iterator[Compared]:
    """Evaluate all kinds of pages for all tasks; give each checkpoint reached."""
    driver = new_browser()
    with tempfile.TemporaryDirectory() as scratch, Server() as server:
        run, home = RunFolder(Path(scratch) / "run"), Path(scratch) / "pages"
        kinds = lay_out(home)
        pages = StoredPages(home)
        tools = Tools(server, driver, scorer, MIN_SIMILARITY)
        for name in TASKS:
            task = load(ROOT / "tasks" / name / "task.iwr.yaml")
            for model, (group, kind) in kinds.items():
                if not (home / model / name).is_dir():
                    continue
                page = pages.page(task, model, 1)
                result = evaluate(task, page, tools, run.item(task.id, model, 1))
                for checked in result.checkpoints:
                    yield Compared(name, kind, group, checked.comparison)
        driver.close()


def lay_out(home: Path) -> dict[str, tuple[Group, str]]:
    """Write the pages as `home/MODEL/TASK/`; give each model's group and kind."""
    kinds: dict[str, tuple[Group, str]] = {}
    for model in ("faithful", "flawed"):
        shutil.copytree(PAGES / model, home / model)
    kinds["faithful"] = "right", "faithful page"
    kinds["flawed"] = "fault", "flawed page"
    for kind, (group, change) in CHANGES.items():
        model = kind.replace(" ", "-")
        for task in TASKS:
            _write(home / model / task, change(_faithful(task)))
        kinds[model] = group, kind
    for task, other in permutations(TASKS, 2):
        # With the pictures and fonts of its own task, so that it looks as it should.
        model = f"page-of-{other}"
        shutil.copytree(ROOT / "tasks" / other / "assets", home / model / task)
        _write(home / model / task, _faithful(other).replace(PLACEHOLDER, "."))
        kinds[model] = "wrong", "another task's page"
    for task in TASKS:
        _write(home / "blank" / task, BLANK)
    return {**kinds, "blank": ("wrong", "blank page")}


def compare_sites(scorer: OfflineScorer) -> Iterator[Compared]:
    """Compare each picture of a real site with each of every other site's."""
    shots: dict[str, Sequence[Path]] = {
        task: sorted((ROOT / "tasks" / task / "checkpoints").glob("*.png"))
        for task in TASKS
    }
    for task, other in permutations(TASKS, 2):
        for ours in shots[task]:
            for theirs in shots[other]:
                comparison = scorer.compare(ours, theirs)
                yield Compared(task, "another site's pictures", "wrong", comparison)


def _faithful(task: str) -> str:
    return (PAGES / "faithful" / task / "index.html").read_text(encoding="utf-8")


def _write(folder: Path, page: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(page, encoding="utf-8")

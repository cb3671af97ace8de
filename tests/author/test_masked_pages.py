"""Masks end to end: captured with the reference, then met by honest and other pages."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.capture import capture
from pytest_iwr.check.offline import MIN_SIMILARITY, OfflineScorer
from pytest_iwr.drive import Browser
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.load import load
from pytest_iwr.serve import Server
from tests.author.kit import Write

Likeness = Callable[[str], float]

PAGE = """<!doctype html><title>Lottery</title><style>
body { margin: 20px; font: 22px sans-serif }
output { position: absolute; left: 300px; top: DROPpx; width: WIDTHpx; height: HEIGHTpx;
         background: #048; color: #fff; z-index: 1 }
</style><h1>Lottery</h1><p>RULES</p><p>Every ticket costs two euros.</p>
<p>The draw is on Sunday evening.</p><p>All prizes are paid in cash.</p>
<output aria-label="Number">NUMBER</output>"""
RULES = "Six numbers win the jackpot."
OTHER = "Nothing of this was ever said."
TASK = """\
iwr: 1
id: lottery
viewport: {width: 640, height: 360, scale: 2}
start:
  image: checkpoints/00.png
  mask: [{role: status, name: Number}]
steps:
  - press: a
    expect: [{text: Lottery}]
"""


def _page(
    number: int, rules: str = RULES, size: tuple[int, int] = (220, 60), drop: int = 20
) -> str:
    page = PAGE.replace("NUMBER", str(number)).replace("RULES", rules)
    width, height = map(str, size)
    return (
        page.replace("WIDTH", width)
        .replace("HEIGHT", height)
        .replace("DROP", str(drop))
    )


@pytest.fixture
def task(write: Write, server: Server, driver: Browser) -> Path:
    """Give the file of a task that was captured with its reference."""
    folder = write({"site/index.html": _page(1), "task/task.iwr.yaml": TASK})
    file = folder / "task" / "task.iwr.yaml"
    report = capture(
        load(file, needs_files=False), str(folder / "site"), server, driver
    )
    assert report.problems == []
    return file


@pytest.fixture
def likeness(server: Server, driver: Browser, task: Path, tmp_path: Path) -> Likeness:
    """Give a function: a page in, its similarity to the reference out."""
    tools = Tools(server, driver, OfflineScorer(None), MIN_SIMILARITY)

    def likeness(page: str) -> float:
        folder = tmp_path / "page"
        folder.mkdir(exist_ok=True)
        (folder / "index.html").write_text(page)
        site = r.Site(folder=str(folder), sha256="", origin="a test's page")
        item = RunFolder(tmp_path / "run").item("lottery", "m", 1)
        result = evaluate(load(task), site, tools, item)
        return result.checkpoints[0].comparison.similarity

    return likeness


def test_capture_writes_where_the_reference_has_its_masks(task: Path) -> None:
    """In CSS pixels of the picture, whatever the scale."""
    boxes = json.loads((task.parent / "checkpoints" / "masks.json").read_text())
    box = {"x": 300.0, "y": 20.0, "width": 220.0, "height": 60.0}
    assert boxes == {"00.png": [box]}


def test_other_draw_is_no_difference(likeness: Likeness) -> None:
    """What the task masks may show anything."""
    assert likeness(_page(777)) == 1.0


def test_masked_part_that_is_a_little_off_costs_next_to_nothing(
    likeness: Likeness,
) -> None:
    """An honest rebuild is never exact (measured: 1.0, by 4 px)."""
    assert likeness(_page(777, drop=24, size=(226, 62))) > 0.99


def test_fault_in_the_open_is_seen(likeness: Likeness) -> None:
    """One paragraph of five says something else (measured: 0.85)."""
    assert likeness(_page(777, OTHER)) < 0.95


def test_masked_part_that_grows_over_a_fault_hides_nothing(
    likeness: Likeness, task: Path
) -> None:
    """What it covers counts as different; without the reference's masks it would not."""
    grown = _page(777, OTHER, size=(640, 340)).replace("left: 300px", "left: 0")
    assert likeness(grown) < MIN_SIMILARITY
    (task.parent / "checkpoints" / "masks.json").unlink()
    assert likeness(grown) == 1.0


def test_masked_part_that_moves_over_a_fault_hides_nothing(
    likeness: Likeness,
) -> None:
    """Its size is as on the reference, its place is not."""
    moved = _page(777, OTHER, drop=90).replace("left: 300px", "left: 10px")
    assert likeness(moved) < likeness(_page(777, OTHER))


def test_page_without_the_masked_part_is_compared_in_the_rest(
    likeness: Likeness,
) -> None:
    """The reference's box is left out on both sides."""
    bare = _page(777).replace("<output", "<i hidden").replace("</output>", "</i>")
    assert likeness(bare) == 1.0

"""Projects whose pages are served, driven and compared for real."""

import shutil
from pathlib import Path

import pytest

from benchmarks import seeded_dino
from tests.keeper import Keeper
from tests.plugin.kit import Project

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Counter</title>
<style>body {{ font: 32px sans-serif }} button {{ font: inherit; padding: 12px 40px }}
</style></head>
<body><h1>Counter of visits</h1><p role="status">Total {start}</p>
<button onclick="document.querySelector('p').textContent = 'Total ' + (n += {by})">
Add one</button>
<script>let n = {start}; {more}</script></body></html>
"""
TASK = """\
iwr: 1
id: counter
viewport: {width: 640, height: 360}
start: checkpoints/00.png
steps:
  - click: {role: button, name: Add one}
    say: Click the button once
    expect:
      - {text: Total 1}
    checkpoint: checkpoints/01.png
  - click: {role: button, name: Add one}
    say: Click the button again
    expect:
      - {text: Total 2}
    checkpoint: checkpoints/02.png
"""


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of seeded weights: the arithmetic is what is tested."""
    path = tmp_path_factory.mktemp("dino") / "seeded.safetensors"
    seeded_dino.write(path)
    return path


@pytest.fixture
def project(keeper: Keeper, pytester: pytest.Pytester) -> Project:
    """Give an empty project."""
    return Project(pytester, keeper)


@pytest.fixture
def counter(project: Project) -> Project:
    """Give a project with a task about a counter, and two models' pages for it.

    The pictures of the task are shots of the page `good`.
    """
    (project.path / "conftest.py").write_text("")
    folder = project.path / "tasks" / "counter"
    (folder / "checkpoints").mkdir(parents=True)
    without = [line for line in TASK.splitlines() if "checkpoints/" not in line]
    (folder / "task.iwr.yaml").write_text("\n".join(without) + "\n")
    write_page(project, "good")
    write_page(project, "twice", by=2)
    done = project.pytester.runpytest_subprocess(
        "--iwr-pages=pages", "--iwr-model=good", "-pno:html"
    )
    done.assert_outcomes(passed=1)
    for shot in (project.latest / "items" / "good" / "counter").glob("shot-*.png"):
        number = shot.stem.rpartition("-")[2]
        shutil.copy(shot, folder / "checkpoints" / f"{number}.png")
    shutil.rmtree(project.path / "reports")
    (folder / "task.iwr.yaml").write_text(TASK)
    return project


def write_page(project: Project, model: str, **how: object) -> None:
    """Store a page for the counter."""
    file = project.path / "pages" / model / "counter" / "index.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    values = {"start": 0, "by": 1, "more": ""} | how
    file.write_text(PAGE.format(**values), encoding="utf-8")

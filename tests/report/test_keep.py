"""What is kept in a run's folder for its report."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.film import Film
from pytest_iwr.author.video import encode
from pytest_iwr.load import load
from pytest_iwr.report.keep import MOST_CODE, keep, keep_task
from pytest_iwr.report.kept import KeptItem, KeptTask
from pytest_iwr.report.pictures import read, show

TASK = """\
iwr: 1
video: video.mp4
start: "00 #1?.png"
steps:
  - press: A
  - press: B
"""
COLOURS = {"red": (0, 0, 255), "green": (0, 255, 0), "blue": (255, 0, 0)}


def paint(path: Path, colour: str, size: tuple[int, int] = (160, 90)) -> Path:
    """Write a picture of one colour."""
    picture = np.full((size[1], size[0], 3), COLOURS[colour], np.uint8)
    path.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    return path


def colour_of(path: Path) -> str:
    """Tell which colour a picture is nearest to."""
    picture = read(path)
    assert picture is not None
    mean = picture.mean(axis=(0, 1))
    return min(COLOURS, key=lambda name: abs(mean - COLOURS[name]).sum())


@pytest.fixture
def task(tmp_path: Path) -> r.Task:
    """Give a task whose video is red, green after step 1 and blue after step 2."""
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "task.iwr.yaml").write_text(TASK, encoding="utf-8")
    paint(folder / "00 #1?.png", "green")
    film = Film(tmp_path, 160, 90, now=lambda: 0.0)
    for at, colour in ((0.0, "red"), (1.2, "green"), (2.2, "blue")):
        film.frames.append((at, paint(tmp_path / f"{colour}.png", colour)))
    film.span_s = (0.0, 3.0)
    encode(film, folder / "video.mp4")
    return load(folder / "task.iwr.yaml")


def kept(tmp_path: Path, task: r.Task) -> tuple[Path, KeptTask]:
    """Keep a task; gives the folder and what it says."""
    folder = keep_task(RunFolder(tmp_path / "run"), task)
    return folder.path, KeptTask.model_validate_json(folder.kept.read_bytes())


def test_names_of_pictures_are_safe(tmp_path: Path, task: r.Task) -> None:
    """Whatever the task calls them."""
    folder, told = kept(tmp_path, task)
    assert told.references[0].full == "reference-00.webp"
    assert colour_of(folder / told.references[0].full) == "green"


def test_video_stands_for_references_that_are_missing(
    tmp_path: Path, task: r.Task
) -> None:
    """With what it shows just before the next step; the author's own pictures stay."""
    times = json.dumps({"steps_s": [1.0, 2.0]})
    (Path(task.path).parent / "video.json").write_text(times)
    folder, told = kept(tmp_path, task)
    shown = {n: colour_of(folder / one.full) for n, one in told.references.items()}
    assert shown == {0: "green", 1: "green", 2: "blue"}
    assert [told.references[n].is_frame for n in range(3)] == [False, True, True]
    assert told.video_steps_s == (1.0, 2.0)
    assert (folder / str(told.video)).stat().st_size > 500


@pytest.mark.parametrize("times", ('{"steps_s": [1.0]}', "[1, 2]", "no JSON"))
def test_times_of_other_steps_are_none(
    tmp_path: Path, task: r.Task, times: str
) -> None:
    """Then nobody knows when a step begins."""
    (Path(task.path).parent / "video.json").write_text(times)
    _, told = kept(tmp_path, task)
    assert told.video_steps_s is None
    assert set(told.references) == {0}


def test_equal_pictures_are_converted_once(tmp_path: Path) -> None:
    """Steps that change nothing share a file; what is no picture is left out."""
    one, two = paint(tmp_path / "one.png", "red"), paint(tmp_path / "two.png", "red")
    (tmp_path / "three.png").write_bytes(b"no picture")
    shown = show([one, two, tmp_path / "three.png", tmp_path / "four.png"], tmp_path)
    assert set(shown) == {"one.png", "two.png"}
    assert shown["one.png"] == shown["two.png"]
    assert len(list(tmp_path.glob("*.small.webp"))) == 1


def test_tall_picture_has_a_small_thumbnail_and_its_size(tmp_path: Path) -> None:
    """It is as large as WebP can be, and told as it was."""
    tall = paint(tmp_path / "tall.png", "blue", (100, 20_000))
    shown = show([tall], tmp_path)["tall.png"]
    assert (shown.width, shown.height) == (100, 20_000)
    small = read(tmp_path / shown.small)
    assert small is not None
    assert small.shape[0] <= 320
    assert colour_of(tmp_path / shown.full) == "blue"


@pytest.mark.parametrize("more", (0, 1))
def test_code_that_is_cut_is_told(tmp_path: Path, task: r.Task, more: int) -> None:
    """By a letter, too."""
    site, run = tmp_path / "site", RunFolder(tmp_path / "run")
    site.mkdir()
    (site / "index.html").write_text("x" * (MOST_CODE + more), encoding="utf-8")
    item = run.item(task.id, "model", 1)
    item.path.mkdir(parents=True)
    page = r.Site(folder=str(site), sha256="0" * 64, origin="made")
    protocol = r.Protocol(id="offline", metrics={})
    result = r.Result(
        task=task.id,
        model="model",
        status="passed",
        steps_total=2,
        steps_done=2,
        path=task.path,
        line=1,
        folder=item.relative,
        protocol=protocol,
    )
    keep(run, task, page, result)
    (code,) = KeptItem.model_validate_json(item.kept.read_bytes()).code
    assert code.is_cut is bool(more)
    assert code.size == MOST_CODE + more

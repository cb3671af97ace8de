"""All tasks of this repository in the official layout, as a user runs that data."""

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pytest_iwr import images
from pytest_iwr.cli import main
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from pytest_iwr.images import Picture
from tests.e2e.official_set import PAGES, STEPS, TASKS, build

MODELS = "models:\n  eye: {{base_url: {url}, key_env: EYE_API_KEY}}\n"
NAMES = [str(number) for number in TASKS]


class Bench:
    """A project with the data, right pages for it and a flawed one."""

    def __init__(self, folder: Path) -> None:
        """Write all files."""
        self.path = folder
        self.file = build(folder / "bench")
        (folder / "pytest.ini").write_text("[pytest]\n")
        for number, name in TASKS.items():
            shutil.copytree(
                PAGES / "faithful" / name, folder / "pages/faithful" / str(number)
            )
        shutil.copytree(PAGES / "flawed" / TASKS[4], folder / "pages/flawed/4")

    def run(self, name: str, *arguments: str, status: int = 0) -> Path:
        """Run pytest with two workers; gives the folder of the run."""
        command = [sys.executable, "-m", "pytest", "-c", "pytest.ini", "--rootdir=."]
        command += [
            "-pno:html",
            "-pno:asyncio",
            "-n2",
            f"--iwr-output={name}",
            "--iwr-fail-on=error",
        ]
        done = subprocess.run(
            [*command, *arguments],
            cwd=self.path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return self.path / name / "latest"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Give the data of all tasks."""
    return Bench(tmp_path_factory.mktemp("official"))


@pytest.fixture(scope="module")
def direct(bench: Bench) -> Path:
    """Evaluate stored pages on the data as it is."""
    return bench.run("direct", "bench/data.jsonl", "--iwr-pages=pages")


def rows(run: Path, model: str) -> dict[str, dict[str, Any]]:
    """Give a model's rows of a run by task."""
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    return {row["task"]: row for row in summary["tasks"] if row["model"] == model}


def actions(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    """Give the actions of each task as the data has them."""
    lines = map(json.loads, bench.file.read_text(encoding="utf-8").splitlines())
    return {str(line["id"]): line["action_sequence"] for line in lines}


def test_prose_alone_drives_right_pages(direct: Path) -> None:
    """Every action of the four tasks is read without a model and carried out."""
    found = rows(direct, "faithful")
    assert [(row["status"], row["steps_done"]) for row in found.values()] == [
        ("passed", steps) for steps in STEPS.values()
    ]


def test_flagged_screens_are_compared(bench: Bench, direct: Path) -> None:
    """The start and the screens after flagged actions are compared, by their step."""
    text = (direct / "results.jsonl").read_text(encoding="utf-8")
    results = [json.loads(line) for line in text.splitlines()]
    compared = {
        one["task"]: [shot["step"] for shot in one["checkpoints"]]
        for one in results
        if one["model"] == "faithful"
    }
    assert compared == {
        name: [0, *(n for n, a in enumerate(done, 1) if a["visual_evaluation_flag"])]
        for name, done in actions(bench).items()
    }


def test_right_pages_look_alike(direct: Path) -> None:
    """All screens of right pages agree; only what 2048 draws at random differs."""
    found = rows(direct, "faithful")
    assert all(
        found[name]["vfs"] >= 0.9 for name in NAMES if TASKS[int(name)] != "2048"
    )


def test_assertions_wait_for_a_judge(bench: Bench, direct: Path) -> None:
    """Without a judge every logical assertion is counted as not judged."""
    found = rows(direct, "faithful")
    assert {name: row["assertions"]["unjudged"] for name, row in found.items()} == {
        name: sum(action["logical_assertion"] is not None for action in done)
        for name, done in actions(bench).items()
    }


def test_fault_ends_the_trajectory(direct: Path) -> None:
    """A list that forgets an edit lacks the text that the last action is about."""
    row = rows(direct, "flawed")["4"]
    assert (row["status"], row["kind"]) == ("failed", "target_missing")
    assert row["failed_step"] == STEPS[4]


def test_leaderboard_breaks_the_run_down(
    direct: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run's own files give levels, domains and devices; what is unjudged is marked."""
    axes = ("--by=level", "--by=domain", "--by=device")
    assert main(["leaderboard", str(direct), "--format=json", *axes]) == 0
    told = json.loads(capsys.readouterr().out)
    counts = {
        (row["by"], row["group"]): row["tasks_scored"]
        for row in told["rows"]
        if row["model"] == "faithful"
    }
    assert counts == {
        (None, None): 4,
        ("level", "L2"): 1,
        ("level", "L3"): 2,
        ("level", "L4"): 1,
        ("domain", "business"): 1,
        ("domain", "games"): 1,
        ("domain", "productivity"): 1,
        ("domain", "shopping"): 1,
        ("device", "desktop"): 3,
        ("device", "mobile"): 1,
    }
    best = told["rows"][0]
    assert (best["model"], best["ifs"], best["unjudged"] > 0) == ("faithful", 100, True)


def test_imported_tasks_give_the_same_summary(bench: Bench, direct: Path) -> None:
    """Converted to task files and run, the data gives the same bytes."""
    tasks = bench.path / "tasks"
    assert main(["import", "iwr-bench", str(bench.file), str(tasks)]) == 0
    imported = bench.run("imported", "tasks", "--iwr-pages=pages")
    summaries = [(run / "summary.json").read_bytes() for run in (direct, imported)]
    assert summaries[0] == summaries[1]


def test_pages_need_no_video_and_no_assets(bench: Bench) -> None:
    """Stored pages are evaluated without what a model is shown; a bad line is told."""
    bare = bench.path / "bare"
    (bare / "data").mkdir(parents=True)
    shutil.copytree(
        bench.file.parent / "data" / "4" / "checkpoints", bare / "data/4/checkpoints"
    )
    line = bench.file.read_text(encoding="utf-8").splitlines()[3]
    (bare / "data.jsonl").write_text(f"{line}\n{line[:-1]}\n", encoding="utf-8")
    told = ("bare/data.jsonl", "--iwr-pages=pages", "--iwr-model=faithful")
    found = rows(bench.run("without", *told, status=20), "faithful")
    assert found["4"]["status"] == "passed"
    assert found["bare/data.jsonl:2"]["kind"] == "task_invalid"


def pictures(seen: Seen) -> list[Picture]:
    """Decode the pictures of a request, in order."""
    body: Any = seen.body
    parts = [part for m in body["messages"] for part in m["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    found = []
    for url in urls:
        data = np.frombuffer(base64.b64decode(url.partition(",")[2]), np.uint8)
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
        assert picture is not None
        found.append(picture.astype(np.uint8))
    return found


def small(picture: Picture) -> Picture:
    """Shrink a picture, so that two can be held against each other."""
    size = (32, 32)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8)


@pytest.fixture
def eye(bench: Bench) -> Iterator[MockEndpoint]:
    """Give an endpoint that knows a task by the first frame of its video."""
    data = bench.file.parent / "data"
    starts = {
        number: small(images.read(data / f"{number}/checkpoints/step_0.png"))
        for number in TASKS
    }

    def answer(seen: Seen) -> Answer:
        first = small(pictures(seen)[1]).astype(int)  # after the contact sheet
        number = min(starts, key=lambda n: float(np.abs(first - starts[n]).mean()))
        page = PAGES / "faithful" / TASKS[number] / "index.html"
        return Answer(text=page.read_text(encoding="utf-8"))

    with MockEndpoint(answer=answer) as mock:
        yield mock


def test_model_sees_each_task_and_its_pages_are_evaluated(
    bench: Bench, direct: Path, eye: MockEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MP4 and WebM, PNG and JPEG sheets are shown, once a task; the answers score."""
    monkeypatch.setenv("EYE_API_KEY", "sk-any")
    (bench.path / "models.yaml").write_text(MODELS.format(url=eye.url))
    told = ("bench/data.jsonl", "--iwr-model-config=models.yaml", "--iwr-model=eye")
    found = rows(bench.run("asked", *told), "eye")
    assert len(eye.requests) == len(TASKS)
    stored = rows(direct, "faithful")
    for name in NAMES:
        same = ("status", "steps_done", "ifs", "vfs", "final")
        assert [found[name][key] for key in same] == [stored[name][key] for key in same]

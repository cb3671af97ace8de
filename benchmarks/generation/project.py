"""A project with many tasks, each with a video of its own, and pytest on it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np

from pytest_iwr.gateway import read_ledger
from pytest_iwr.gateway.mock import MockEndpoint
from pytest_iwr.images import Picture
from pytest_iwr.records import Asked

ROOT = Path(__file__).parents[2]
SIZE = (1280, 720)
"""Pixels of a video."""
FRAMES_PER_S = 10
SECONDS = 5.5
_STAND_IN = ROOT / "tests" / "plugin" / "project_conftest.py"
_QUICK = ("-pno:playwright", "-pno:anyio", "-pno:cacheprovider", "-q")
"""No browser is driven: without these plugins three processes start sooner."""
_MODELS = """models:
  mock:
    base_url: {url}
    vision: {vision}
    price: {{input: 1, output: 10}}
"""


@dataclass(frozen=True)
class Ran:
    """A run of pytest that has ended by itself."""

    status: int
    """pytest's exit status."""
    output: str
    took_s: float


class Project:
    """Tasks in a folder, and a model that makes their pages."""

    def __init__(self, folder: Path, *, tasks: int, has_videos: bool = True) -> None:
        """Write the tasks, each with a title and, with `has_videos`, a film."""
        self.folder = folder
        self.tasks = tasks
        self._has_videos = has_videos
        folder.mkdir(parents=True)
        shutil.copy(_STAND_IN, folder / "conftest.py")
        (folder / "pytest.ini").write_text("[pytest]\ntestpaths = tasks\n")
        bundled = resources.files("pytest_iwr.generate") / "templates" / "prompt.jinja"
        (folder / "prompt.jinja").write_text(
            bundled.read_text(encoding="utf-8") + "\nIt is called: {{ title }}\n",
            encoding="utf-8",
        )
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self._write_task, range(tasks)))

    def ask(self, mock: MockEndpoint) -> None:
        """Have pages made by this endpoint from now on."""
        vision = "images" if self._has_videos else "none"
        text = _MODELS.format(url=mock.url, vision=vision)
        (self.folder / "models.yaml").write_text(text, encoding="utf-8")

    def start(self, *options: str) -> "subprocess.Popen[str]":
        """Start pytest; its output goes into `pytest.log`."""
        told = ("--iwr-model=mock", "--iwr-model-config=models.yaml")
        command = [sys.executable, "-m", "pytest", *_QUICK, *told]
        command += ["--iwr-prompt=prompt.jinja", *options]
        environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        environ["PYTHONPATH"] = str(ROOT)
        with (self.folder / "pytest.log").open("w", encoding="utf-8") as log:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=environ,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )

    def run(self, *options: str) -> Ran:
        """Run pytest to its end."""
        begun = time.monotonic()
        with self.start(*options) as process:
            status = process.wait()
        took_s = time.monotonic() - begun
        return Ran(status, self.output, took_s)

    @property
    def output(self) -> str:
        """What the last run has printed."""
        return (self.folder / "pytest.log").read_text(encoding="utf-8")

    @property
    def cache(self) -> Path:
        """Where the answers are kept."""
        return self.folder / ".iwr_cache"

    @property
    def latest(self) -> Path:
        """The folder of the last run that has ended."""
        return self.folder / "reports" / "latest"

    def ledger(self) -> tuple[Asked, ...]:
        """Give the lines of all runs' ledgers."""
        paths = sorted((self.folder / "reports").glob("2*/ledger.jsonl"))
        return tuple(line for path in paths for line in read_ledger(path))

    def forget(self) -> None:
        """Delete answers and runs; prompts that were prepared stay."""
        for folder in self.cache.glob("*"):
            if folder.is_dir() and folder.name != "prompts":
                shutil.rmtree(folder)
        shutil.rmtree(self.folder / "reports", ignore_errors=True)

    def _write_task(self, number: int) -> None:
        folder = self.folder / "tasks" / f"task-{number:03d}"
        folder.mkdir(parents=True)
        video = "video: video.mp4\n" if self._has_videos else ""
        (folder / "task.iwr.yaml").write_text(
            f"iwr: 1\nid: {folder.name}\ntitle: Synthetic {number:03d}\n{video}"
            "steps:\n  - press: F1\n    say: Press a key\n",
            encoding="utf-8",
        )
        if self._has_videos:
            write_video(folder / "video.mp4", number)


def write_video(path: Path, number: int) -> None:
    """Encode a film of a page with lines of text in which a block moves."""
    writer = imageio_ffmpeg.write_frames(
        str(path),
        SIZE,
        pix_fmt_in="bgr24",
        fps=FRAMES_PER_S,
        codec="libx264",
        macro_block_size=2,
        output_params=["-preset", "ultrafast", "-threads", "1"],
    )
    writer.send(None)
    for picture in _film(number):
        writer.send(picture.tobytes())
    writer.close()


def _film(number: int) -> Iterator[Picture]:
    draw = np.random.default_rng(number)
    page = np.full((SIZE[1], SIZE[0], 3), 245, np.uint8)
    for line in range(18):
        words = " ".join(f"{word:x}" for word in draw.integers(0, 1 << 20, 14))
        at = (40, 60 + 36 * line)
        cv2.putText(page, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (40, 40, 40), 1)
    colour = tuple(int(part) for part in draw.integers(0, 200, 3))
    for nth in range(round(SECONDS * FRAMES_PER_S)):
        frame = page.copy()
        left = 40 + 18 * nth
        cv2.rectangle(frame, (left, 300), (left + 160, 400), colour, -1)
        yield frame

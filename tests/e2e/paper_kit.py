"""Projects that are scored by the paper's protocol, before an endpoint of a test."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.plugin.kit import PICTURE

ROOT = Path(__file__).parents[2]
CLAIMS: Mapping[str, Mapping[int, Sequence[str]]] = {
    "2048": {1: ["The page is light."], 5: ["The page is light."]},
    "sb-admin-2": {
        1: ["The text “ALERTS CENTER” appeared."],
        2: ["The text “Show All Alerts” is gone."],
        5: ["The text “Cards” appeared."],
        6: ["The text “Animations” appeared."],
        13: ["The text “Ready to Leave?” appeared."],
        14: ["The text “Ready to Leave?” is gone."],
    },
    "shop": {
        1: ["The text “All Products” appeared."],
        3: ["The text “All Products” is gone."],
    },
    "todomvc": {
        1: ["The text “Buy milk” appeared.", "The text “1 item left” appeared."],
        2: ["The text “Walk the dog” appeared."],
        5: ["The text “Walk the cat” appeared."],
        6: ["The text “Walk the cat” is gone."],
        8: ["The text “Walk the cat” appeared.", "The text “Buy milk” is gone."],
        10: ["The text “Buy milk” is gone."],
    },
}
"""Of each task, by step: what takes the place of its expectations."""


_LAMP_TASK = """\
iwr: 1
id: lamp
viewport: {width: 480, height: 320}
start: checkpoints/00.png
steps:
  - click: {role: button, name: Switch}
    expect: [The text “Lamp on” appeared.]
    checkpoint: checkpoints/01.png
"""
LAMP = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Lamp</title>
<style>body {{ font: 32px sans-serif }} .off {{ display: none }}</style></head>
<body>{words}<p>Lamp off</p>
<button onclick="document.querySelector('p').textContent = 'Lamp dim';{more}">
Switch</button></body></html>
"""
"""A page whose lamp turns dim and not on; `words` above it, `more` when it does."""
_EXPECT = re.compile(r"(?m)^    expect:\n(?:      .*\n)+")


def write_tasks(folder: Path) -> None:
    """Copy the repository's tasks, some of their expectations as prose."""
    for task, claims in CLAIMS.items():
        home = folder / "tasks" / task
        for part in ("assets", "checkpoints"):
            shutil.copytree(ROOT / "tasks" / task / part, home / part)
        text = (ROOT / "tasks" / task / "task.iwr.yaml").read_text("utf-8")
        head, *steps = re.split(r"(?m)^(?=  - )", text)
        for step, said in claims.items():
            wanted = "".join(
                f"      - {json.dumps(claim, ensure_ascii=False)}\n" for claim in said
            )
            steps[step - 1] = _EXPECT.sub(f"    expect:\n{wanted}", steps[step - 1])
        head = re.sub(r"(?m)^(video|sheets):.*\n", "", head)
        (home / "task.iwr.yaml").write_text(head + "".join(steps), encoding="utf-8")


def write_lamp(folder: Path, page: str) -> Path:
    """Write a task with one assertion, and a page for it; gives the task's folder."""
    home = folder / "tasks" / "lamp"
    (home / "checkpoints").mkdir(parents=True)
    (home / "task.iwr.yaml").write_text(_LAMP_TASK, encoding="utf-8")
    for number in ("00", "01"):
        (home / "checkpoints" / f"{number}.png").write_bytes(PICTURE)
    file = folder / "pages" / "page" / "lamp" / "index.html"
    file.parent.mkdir(parents=True)
    file.write_text(page, encoding="utf-8")
    return home


def configure(folder: Path, url: str) -> None:
    """Write how the judge is asked, with a price."""
    (folder / "models.yaml").write_text(
        "models:\n"
        "  looker:\n"
        f"    base_url: {url}\n"
        "    price: {input: 1, output: 2}\n"
        "  yes: {extends: looker}\n",
        encoding="utf-8",
    )


def run(
    folder: Path, weights: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest by the paper's protocol on the pages in a folder."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "tasks", "-p", "no:cacheprovider"]
    command += ["--iwr-protocol=iwr-bench", "--iwr-judge-model=looker"]
    command += ["--iwr-model-config=models.yaml", f"--iwr-dino-weights={weights}"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def summary_of(folder: Path) -> dict[str, Any]:
    """Give the summary of the last run."""
    path = folder / "reports" / "latest" / "summary.json"
    summary: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return summary

"""The README's commands are run."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_iwr.gateway import read_ledger

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("examples/pages/faithful/todomvc/index.html")


def lines_of(start: str) -> list[str]:
    """Give the lines of the block that starts so."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(rf"```sh\n({re.escape(start)}.*?)```", readme, re.DOTALL)
    assert block is not None
    return block.group(1).splitlines()


def run(lines: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run lines as a user's shell does; what they leave running is ended."""
    ending = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    keyless = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")}
    return subprocess.run(
        ["bash", "-eu", "-c", "\n".join([ending, *lines])],
        cwd=folder,
        env=keyless | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Give a folder with a task and a page, as they lie in the repository."""
    shutil.copytree(ROOT / "tasks" / "todomvc", tmp_path / "tasks" / "todomvc")
    shutil.copytree((ROOT / PAGE).parent, (tmp_path / PAGE).parent)
    return tmp_path


def test_first_run_works_in_an_empty_folder(tmp_path: Path) -> None:
    """A newcomer's lines, but for the installation, end with a green test and a row."""
    lines = lines_of("pip install")
    done = run(
        [line for line in lines if not line.startswith(("pip ", "playwright "))],
        tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"hello +my-model +1/1 +1\.0000", done.stdout), done.stdout
    assert (tmp_path / "reports" / "latest" / "report.html").is_file()


def test_plan_of_a_paid_model_has_its_cost(clone: Path) -> None:
    """With a key, the plan tells pictures, tokens and dollars; nobody is asked."""
    export, plan, paid = lines_of("export OPENAI_API_KEY")
    assert "--iwr-dry-run" not in paid
    done = run([export, plan], clone)
    assert done.returncode == 0, done.stdout + done.stderr
    row = r"^gpt-5 +1 +0 +1 +[1-9]\d+ +[\d,]{6,} +\$\d\.\d\d – \$\d\.\d\d$"
    assert re.search(row, done.stdout, re.MULTILINE), done.stdout
    assert not (clone / "reports").exists()


def test_model_can_be_tried_without_a_key(clone: Path) -> None:
    """The lines with a mock endpoint end with a page, its answer and its ledger."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    lines = [line.replace("8765", port) for line in lines_of("iwr serve-mock")]
    done = run(lines, clone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^mock +1 +0 +1 ", done.stdout, re.MULTILINE), done.stdout
    assert "\nmodels: 1 asked, 0 from the cache," in done.stdout
    latest = clone / "reports" / "latest"
    made = latest / "pages" / "mock" / "todomvc"
    text = (made / "index.html").read_text(encoding="utf-8")
    assert text.strip() == (ROOT / PAGE).read_text(encoding="utf-8").strip()
    assert text in made.with_name("todomvc.reply.txt").read_text(encoding="utf-8")
    assert [line.label for line in read_ledger(latest / "ledger.jsonl")] == ["todomvc"]
    assert (clone / ".iwr_cache").is_dir()
